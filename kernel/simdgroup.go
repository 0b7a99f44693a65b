package kernel

import (
	"math"
	"math/bits"
)

// Number is a type of values that lanes of a simdgroup exchange.
type Number interface {
	~int32 | ~uint32 | ~float32
}

// kind is the type of a value of which only the bits are at hand.
type kind uint8

const (
	signed kind = iota
	unsigned
	float
)

func kindOf[T Number]() kind {
	one, zero := T(1), T(0)
	switch {
	case one/2 != 0:
		return float
	case zero-one > 0:
		return unsigned
	}
	return signed
}

func bitsOf[T Number](v T) uint32 {
	if kindOf[T]() == float {
		return math.Float32bits(float32(v))
	}
	return uint32(v)
}

func fromBits[T Number](b uint32) T {
	switch kindOf[T]() {
	case float:
		return T(math.Float32frombits(b))
	case signed:
		return T(int32(b))
	}
	return T(b)
}

// together is what lanes of a simdgroup do together.
type together uint8

const (
	sum together = iota
	inclusive
	exclusive
	least
	greatest
	shuffle
	shuffleDown
	shuffleUp
	shuffleXor
	ballot
	simdBarrier
)

// SimdSum returns the sum of the values. Those of lanes 0 to 15 are added to those of lanes 16 to
// 31, then the sums of lanes 0 to 7 to those of lanes 8 to 15, and so on.
//
//go:noinline
func SimdSum[T Number](t *Thread, v T) T { return among(t, sum, v, 0) }

// SimdPrefixInclusiveSum returns the sum of the values of the lanes up to this one, added from lane
// 0 upward.
//
//go:noinline
func SimdPrefixInclusiveSum[T Number](t *Thread, v T) T { return among(t, inclusive, v, 0) }

// SimdPrefixExclusiveSum returns the sum of the values of the lanes below this one, added from lane
// 0 upward. It is 0 in the first lane.
//
//go:noinline
func SimdPrefixExclusiveSum[T Number](t *Thread, v T) T { return among(t, exclusive, v, 0) }

// SimdMin returns the least value; a NaN only if all values are.
//
//go:noinline
func SimdMin[T Number](t *Thread, v T) T { return among(t, least, v, 0) }

// SimdMax returns the greatest value; a NaN only if all values are.
//
//go:noinline
func SimdMax[T Number](t *Thread, v T) T { return among(t, greatest, v, 0) }

// SimdShuffle returns the value of a lane, or 0 if the lane does not take part.
//
//go:noinline
func SimdShuffle[T Number](t *Thread, v T, lane uint32) T { return among(t, shuffle, v, lane) }

// SimdBroadcast returns the value of a lane, or 0 if the lane does not take part. All lanes must
// ask for the same lane.
//
//go:noinline
func SimdBroadcast[T Number](t *Thread, v T, lane uint32) T { return among(t, shuffle, v, lane) }

// SimdShuffleDown returns the value of the lane that is delta above this one; v if there is none
// because the simdgroup ends at lane 31, or 0 if that lane does not take part.
//
//go:noinline
func SimdShuffleDown[T Number](t *Thread, v T, delta uint32) T {
	return among(t, shuffleDown, v, delta)
}

// SimdShuffleUp returns the value of the lane that is delta below this one; v if there is none, or
// 0 if that lane does not take part.
//
//go:noinline
func SimdShuffleUp[T Number](t *Thread, v T, delta uint32) T { return among(t, shuffleUp, v, delta) }

// SimdShuffleXor returns the value of the lane whose number is this one's xor mask, or 0 if that
// lane does not take part.
//
//go:noinline
func SimdShuffleXor[T Number](t *Thread, v T, mask uint32) T { return among(t, shuffleXor, v, mask) }

// SimdBallot returns a number in which bit i is set if v is true in lane i.
//
//go:noinline
func SimdBallot(t *Thread, v bool) uint64 { return uint64(vote(t, v)) }

// SimdAll reports whether v is true in all lanes that take part.
//
//go:noinline
func SimdAll(t *Thread, v bool) bool { return vote(t, !v) == 0 }

// SimdAny reports whether v is true in any lane.
//
//go:noinline
func SimdAny(t *Thread, v bool) bool { return vote(t, v) != 0 }

// SimdgroupBarrier waits until all threads of the simdgroup have called it. What they wrote to
// buffers and shared memory before is then visible to all of them.
//
//go:noinline
func (t *Thread) SimdgroupBarrier() { t.running().together(simdBarrier, 0, 0, 0) }

func among[T Number](t *Thread, op together, v T, arg uint32) T {
	return fromBits[T](t.running().together(op, kindOf[T](), bitsOf(v), arg))
}

func vote(t *Thread, v bool) uint32 {
	b := uint32(0)
	if v {
		b = 1
	}
	return t.running().together(ballot, unsigned, b, 0)
}

// simdgroup has the lanes that wait for each other.
type simdgroup struct {
	lanes   [lanes]*fiber
	waiting uint32 // mask of lanes
	mixed   bool   // they wait at several places
	paused  []*fiber
}

// exchange is what a lane has for the others, and gets from them.
type exchange struct {
	op       together
	kind     kind
	value    uint32
	arg      uint32
	result   uint32
	released bool
}

// simdgroup returns the thread's simdgroup.
func (g *group) simdgroup(i uint32) *simdgroup {
	if len(g.simds) == 0 {
		n := (g.threads + lanes - 1) / lanes
		if cap(g.simds) < n {
			g.simds = make([]simdgroup, n)
		}
		g.simds = g.simds[:n]
		clear(g.simds)
	}
	return &g.simds[i]
}

// alive returns how many lanes of a simdgroup have not returned.
func (g *group) alive(simd uint32) int {
	return min(lanes, g.threads-int(simd)*lanes) - int(g.endedIn[simd])
}

// together makes the thread's lane do something with the others of its simdgroup.
func (f *fiber) together(op together, k kind, value, arg uint32) uint32 {
	f.site.stack = callers(&f.site.pcs, root.known())
	g, lane := f.group, f.thread.Lane
	g.lock()
	defer g.unlock()
	s := g.simdgroup(f.thread.Simdgroup)
	f.exchange = exchange{op: op, kind: k, value: value, arg: arg}
	if s.waiting == 0 {
		s.mixed = false
	} else if s.lanes[bits.TrailingZeros32(s.waiting)].site.stack != f.site.stack {
		s.mixed = true
	}
	s.lanes[lane] = f
	s.waiting |= 1 << lane
	if !s.mixed && bits.OnesCount32(s.waiting) == g.alive(f.thread.Simdgroup) {
		s.perform(g, s.waiting)
	}
	for !f.exchange.released {
		f.pause(&s.paused)
	}
	return f.exchange.result
}

// settleSimds lets lanes go on that wait for others which cannot come, and reports whether there
// are any.
func (g *group) settleSimds() (moved bool) {
	for i := range g.simds {
		s := &g.simds[i]
		if s.waiting == 0 {
			continue
		}
		first := s.lanes[bits.TrailingZeros32(s.waiting)]
		for l, f := range s.lanes {
			if s.waiting>>l&1 != 0 && f.site.stack != first.site.stack && f.site.before(&first.site) {
				first = f
			}
		}
		active := uint32(0)
		for l, f := range s.lanes {
			if s.waiting>>l&1 != 0 && f.site.stack == first.site.stack {
				active |= 1 << l
			}
		}
		s.perform(g, active)
		moved = true
	}
	return moved
}

// perform combines the values of the active lanes, which all wait at one place, and lets them go
// on.
func (s *simdgroup) perform(g *group, active uint32) {
	first := &s.lanes[bits.TrailingZeros32(active)].exchange
	op, k := first.op, first.kind
	var values [lanes]uint32
	all, running, any := uint32(0), uint32(0), false
	for l := range uint32(lanes) {
		if active>>l&1 != 0 {
			values[l] = s.lanes[l].exchange.value
		}
	}
	switch op {
	case sum, least, greatest:
		all = reduce(op, k, values, active)
	case ballot:
		for l, v := range values {
			all |= v << l
		}
	}
	for l := range uint32(lanes) {
		if active>>l&1 == 0 {
			continue
		}
		x := &s.lanes[l].exchange
		x.released = true
		at := l
		switch op {
		case shuffle:
			at = x.arg
		case shuffleXor:
			at = l ^ x.arg
		case shuffleDown:
			if x.arg < lanes-l {
				at = l + x.arg
			}
		case shuffleUp:
			if x.arg <= l {
				at = l - x.arg
			}
		case inclusive, exclusive:
			x.result = running
			if running = combine(sum, k, running, values[l]); !any {
				running, any = values[l], true
			}
			if op == inclusive {
				x.result = running
			}
			continue
		default:
			x.result = all
			continue
		}
		if at < lanes {
			x.result = values[at]
		}
	}
	s.waiting &^= active
	s.mixed = s.waiting != 0
	rest, going := s.paused[:0], make([]*fiber, 0, lanes)
	for _, f := range s.paused {
		if f.exchange.released {
			going = append(going, f)
		} else {
			rest = append(rest, f)
		}
	}
	s.paused = rest
	g.release(going)
}

// reduce combines the values of the active lanes: the upper half with the lower half, and again
// until one is left.
func reduce(op together, k kind, v [lanes]uint32, active uint32) uint32 {
	for d := lanes / 2; d > 0; d /= 2 {
		for l := range d {
			switch low, high := active>>l&1 != 0, active>>(l+d)&1 != 0; {
			case low && high:
				v[l] = combine(op, k, v[l], v[l+d])
			case high:
				v[l] = v[l+d]
				active |= 1 << l
			}
		}
	}
	return v[0]
}

// combine returns x+y, or the lesser or the greater of them.
func combine(op together, k kind, x, y uint32) uint32 {
	if k == float {
		return combineFloats(op, x, y)
	}
	below := x < y
	if k == signed {
		below = int32(x) < int32(y)
	}
	switch {
	case op == sum:
		return x + y
	case (op == least) == below:
		return x
	}
	return y
}

func combineFloats(op together, x, y uint32) uint32 {
	a, b := math.Float32frombits(x), math.Float32frombits(y)
	switch {
	case op == sum:
		return math.Float32bits(a + b)
	case a != a:
		return y
	case b != b:
		return x
	case a == b: // zeros of both signs
		if math.Signbit(float64(a)) == (op == least) {
			return x
		}
		return y
	case (op == least) == (a < b):
		return x
	}
	return y
}

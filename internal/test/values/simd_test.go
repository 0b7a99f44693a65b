package values

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// lanes holds one component of the values in the lanes of a simdgroup or quad that meet: for each
// argument the values, and which lanes are active.
type lanes struct {
	t      *types.Basic
	args   [][]uint64 // by parameter, then lane
	active []bool
}

// from returns the value of lane l, or 0 if it is inactive.
func (g *lanes) from(arg, l int) uint64 {
	if l < 0 || l >= len(g.active) || !g.active[l] {
		return 0
	}
	return g.args[arg][l]
}

func (g *lanes) sum(x, y uint64) uint64 {
	if g.t.IsFloat() {
		return nearest(g.t, meaning(g.t, x)+meaning(g.t, y))
	}
	return wrapped(g.t, add(number(g.t, x), number(g.t, y)))
}

func (g *lanes) product(x, y uint64) uint64 {
	if g.t.IsFloat() {
		return nearest(g.t, meaning(g.t, x)*meaning(g.t, y))
	}
	return wrapped(g.t, mul(number(g.t, x), number(g.t, y)))
}

func (g *lanes) largest(x, y uint64) uint64 {
	if g.t.IsFloat() {
		return nearest(g.t, greater(meaning(g.t, x), meaning(g.t, y)))
	}
	return wrapped(g.t, upper(number(g.t, x), number(g.t, y)))
}

func (g *lanes) smallest(x, y uint64) uint64 {
	if g.t.IsFloat() {
		return nearest(g.t, lesser(meaning(g.t, x), meaning(g.t, y)))
	}
	return wrapped(g.t, lower(number(g.t, x), number(g.t, y)))
}

// tree combines the values of all lanes, the upper half with the lower one, until one is left.
func (g *lanes) tree(f func(x, y uint64) uint64) uint64 {
	x := append([]uint64(nil), g.args[0]...)
	have := append([]bool(nil), g.active...)
	for n := len(x) / 2; n > 0; n /= 2 {
		for l := range n {
			if have[l] && have[l+n] {
				x[l] = f(x[l], x[l+n])
			} else if have[l+n] {
				x[l], have[l] = x[l+n], true
			}
		}
	}
	return x[0]
}

// before combines the values of the lanes below end, starting from one.
func (g *lanes) before(end int, one uint64, f func(x, y uint64) uint64) uint64 {
	first := true
	for l := range end {
		switch {
		case !g.active[l]:
		case first:
			one, first = g.args[0][l], false
		default:
			one = f(one, g.args[0][l])
		}
	}
	return one
}

func (g *lanes) unit() uint64 {
	if g.t.IsFloat() {
		return nearest(g.t, 1)
	}
	return 1
}

// exchange defines the result of lane l, by function name without simd_ or quad_.
var exchange = map[string]func(g *lanes, l int) uint64{
	"sum":     func(g *lanes, _ int) uint64 { return g.tree(g.sum) },
	"product": func(g *lanes, _ int) uint64 { return g.tree(g.product) },
	"max":     func(g *lanes, _ int) uint64 { return g.tree(g.largest) },
	"min":     func(g *lanes, _ int) uint64 { return g.tree(g.smallest) },
	"and":     func(g *lanes, _ int) uint64 { return g.tree(func(x, y uint64) uint64 { return x & y }) },
	"or":      func(g *lanes, _ int) uint64 { return g.tree(func(x, y uint64) uint64 { return x | y }) },
	"xor":     func(g *lanes, _ int) uint64 { return g.tree(func(x, y uint64) uint64 { return x ^ y }) },

	"prefix_exclusive_sum":     func(g *lanes, l int) uint64 { return g.before(l, 0, g.sum) },
	"prefix_inclusive_sum":     func(g *lanes, l int) uint64 { return g.before(l+1, 0, g.sum) },
	"prefix_exclusive_product": func(g *lanes, l int) uint64 { return g.before(l, g.unit(), g.product) },
	"prefix_inclusive_product": func(g *lanes, l int) uint64 { return g.before(l+1, g.unit(), g.product) },

	"broadcast": func(g *lanes, l int) uint64 { return g.from(0, int(g.args[1][l])) },
	"broadcast_first": func(g *lanes, _ int) uint64 {
		return g.before(len(g.active), 0, func(x, _ uint64) uint64 { return x })
	},
	"shuffle":     func(g *lanes, l int) uint64 { return g.from(0, int(g.args[1][l])) },
	"shuffle_xor": func(g *lanes, l int) uint64 { return g.from(0, l^int(g.args[1][l])) },
	"shuffle_up": func(g *lanes, l int) uint64 {
		if d := int(g.args[1][l]); d <= l {
			return g.from(0, l-d)
		}
		return g.args[0][l]
	},
	"shuffle_down": func(g *lanes, l int) uint64 {
		if d := int(g.args[1][l]); l+d < len(g.active) {
			return g.from(0, l+d)
		}
		return g.args[0][l]
	},
	"shuffle_rotate_up": func(g *lanes, l int) uint64 {
		n := len(g.active)
		return g.from(0, (l+n-int(g.args[1][l])%n)%n)
	},
	"shuffle_rotate_down":   func(g *lanes, l int) uint64 { return g.from(0, (l+int(g.args[1][l]))%len(g.active)) },
	"shuffle_and_fill_up":   func(g *lanes, l int) uint64 { return g.filled(l, -1) },
	"shuffle_and_fill_down": func(g *lanes, l int) uint64 { return g.filled(l, 1) },
}

// filled is the value delta lanes away in lane l's segment or, past its end, that of the filling
// data as if it followed.
func (g *lanes) filled(l, direction int) uint64 {
	size := len(g.active)
	if len(g.args) > 3 {
		size = int(g.args[3][l])
	}
	start := l / size * size
	at := l - start + direction*(int(g.args[2][l])%size)
	switch {
	case at < 0:
		return g.from(1, start+at+size)
	case at >= size:
		return g.from(1, start+at-size)
	}
	return g.from(0, start+at)
}

// exchanger returns the number of lanes among which a function exchanges values, and its
// definition.
func exchanger(f *builtin.Func) (width int, define func(g *lanes, l int) uint64) {
	full := strings.TrimPrefix(f.Name, "__metal_")
	if name, ok := strings.CutPrefix(full, "simd_"); ok {
		return 32, exchange[name]
	}
	if name, ok := strings.CutPrefix(full, "quad_"); ok {
		return 4, exchange[name]
	}
	return 0, nil
}

// simdText is the kernel's text with the call in divergent control flow that depends on a buffer.
func (x *instance) simdText() string {
	text := strings.Replace(x.kernelText(), "r0[i] =", "if (on[i]) r0[i] =", 1)
	return strings.Replace(text, "uint i [[", "device const bool *on [[buffer(15)]], uint i [[", 1)
}

// TestSimd tests every overload of the functions that exchange values between lanes, with all lanes
// and with some of them, in a full simdgroup and in one truncated by the grid.
func TestSimd(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool { _, define := exchanger(f); return define != nil })
	require.Greater(t, len(xs), 1000)
	var text strings.Builder
	text.WriteString(head)
	for _, x := range xs {
		text.WriteString(x.simdText())
	}
	m := compile(t, "simd.metal", text.String())
	const threads = 64 + 23
	deltas := []uint64{0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 65535}
	for n, x := range xs {
		width, define := exchanger(x.Fn)
		r := rand.New(rand.NewPCG(3, uint64(n)))
		elem := types.ElemOf(x.in[0])
		l := &launch{kernel: x.name, grid: [3]int{threads}, group: [3]int{threads}, buffers: map[int][]byte{}}
		on := fill(types.Bool, threads, func(i, _ int) uint64 {
			if i < 32 {
				return 1
			}
			return r.Uint64() & 1
		})
		l.buffers[15] = on
		for j, p := range x.in {
			l.buffers[j] = fill(p, threads, func(i, _ int) uint64 {
				switch {
				case j >= 1 && types.ElemOf(p) == types.UShort && (j > 1 || len(x.in) == 2):
					if j == 3 {
						return uint64(width) >> (i / width % 2)
					}
					return deltas[r.IntN(len(deltas))]
				case i%7 == 0:
					return specials(elem)[r.IntN(numSpecials)]
				}
				return random(elem, r)
			})
		}
		l.buffers[firstOut] = make([]byte, threads*stride(x.out[0]))
		run(t, m, l)
		bad := 0
		for start := 0; start < threads; start += width {
			for c := range x.width {
				g := &lanes{t: elem, args: make([][]uint64, len(x.in))}
				for i := start; i < start+width; i++ {
					g.active = append(g.active, i < threads && on[i] != 0)
					for j, p := range x.in {
						v := uint64(0)
						if i < threads {
							v = laneOf(p, l.buffers[j], i, min(c, types.LenOf(p)-1))
						}
						g.args[j] = append(g.args[j], v)
					}
				}
				for i := range width {
					want := uint64(0)
					if g.active[i] {
						want = define(g, i)
					}
					if start+i >= threads {
						continue
					}
					if have := laneOf(x.out[0], l.buffers[firstOut], start+i, c); !same(elem, want, have, 0) {
						if bad++; bad <= 2 {
							t.Errorf("%s: %s %s, thread %d, component %d: %s, want %s", x.name, x.Fn.Signature(), elem, start+i, c,
								show(elem, have), show(elem, want))
						}
					}
				}
			}
		}
	}
}

// TestVotes tests the functions that report which lanes are active, and votes.
func TestVotes(t *testing.T) {
	text := head + `kernel void votes(device const bool *on [[buffer(0)]], device const bool *p [[buffer(1)]], device ulong *r [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (!on[i]) return;
  device ulong *o = r + 13 * i;
  bool x = p[i];
  simd_vote b = simd_ballot(x);
  quad_vote q = quad_ballot(x);
  o[0] = simd_all(x); o[1] = simd_any(x); o[2] = simd_is_first(); o[3] = ulong(simd_vote::vote_t(b)); o[4] = ulong(simd_vote::vote_t(simd_active_threads_mask()));
  o[5] = quad_all(x); o[6] = quad_any(x); o[7] = quad_is_first(); o[8] = ulong(quad_vote::vote_t(q)); o[9] = ulong(quad_vote::vote_t(quad_active_threads_mask()));
  o[10] = b.all(); o[11] = b.any() * 2 + q.any(); o[12] = q.all();
}
`
	const threads = 96 + 9
	r := rand.New(rand.NewPCG(4, 4))
	on := fill(types.Bool, threads, func(i, _ int) uint64 {
		if i < 64 {
			return 1
		}
		return r.Uint64() & 1
	})
	p := fill(types.Bool, threads, func(i, _ int) uint64 {
		if i < 32 {
			return 1
		}
		return min(r.Uint64()%4, 1)
	})
	l := &launch{kernel: "votes", grid: [3]int{threads}, group: [3]int{threads},
		buffers: map[int][]byte{0: on, 1: p, 2: make([]byte, threads*13*8)}}
	runText(t, "votes.metal", text, l)
	for i := range threads {
		var want [13]uint64
		for n, width := range []int{32, 4} {
			all, first, ballot, active := uint64(1), -1, uint64(0), uint64(0)
			for k := range width {
				j := i/width*width + k
				if j >= threads || on[j] == 0 {
					continue
				}
				if first < 0 {
					first = j
				}
				active |= 1 << k
				all &= uint64(p[j])
				ballot |= uint64(p[j]) << k
			}
			is := func(b bool) uint64 {
				if b {
					return 1
				}
				return 0
			}
			copy(want[5*n:], []uint64{all, is(ballot != 0), is(first == i), ballot, active})
			want[11] += is(ballot != 0) << (1 - n)
			want[10+2*n] = is(ballot == 1<<width-1)
		}
		var have [13]uint64
		for k := range have {
			have[k] = get(l.buffers[2][(13*i+k)*8:], 8)
		}
		if on[i] == 0 {
			want = [13]uint64{}
		}
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(have), "thread %d", i)
	}
}

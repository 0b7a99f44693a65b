package observe

import (
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// lanes is the number of threads of a simdgroup.
const lanes = 32

// vector has the addresses of one execution of an access by a simdgroup. A matrix access has two
// for each lane.
type vector struct {
	n     int
	addrs [2 * lanes]uint64
	lane  [2 * lanes]uint8 // ascending
	size  uint64           // bytes from each address
	shape shape
	first uint64 // the lowest address; set by classify
	order [2 * lanes]uint64
}

// shape is how addresses follow each other.
type shape struct {
	pattern pattern
	stride  int64 // of strided and tiled ones
	dense   bool  // all lanes from the first to the last are there, at a constant stride
}

type pattern uint8

const (
	broadcast pattern = iota
	sequential
	strided
	tiled
	random
	single
	patterns
)

// take adds the addresses of the lanes of a simdgroup that are in bounds, and counts the others.
func (v *vector) take(a *hook.Access, simd int, outside *int64) {
	for x := a.Lanes[simd]; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x)
		if a.Out[simd]>>l&1 != 0 {
			*outside++
			continue
		}
		v.addrs[v.n], v.lane[v.n] = a.Addrs[simd*lanes+l], uint8(l)
		v.n++
	}
}

// sort numbers the addresses in ascending order: which lane has which element of a matrix does not
// matter.
func (v *vector) sort() {
	slices.Sort(v.addrs[:v.n])
	for i := range v.n {
		v.lane[i] = uint8(i)
	}
}

// classify finds the pattern.
func (v *vector) classify() {
	v.shape = v.find()
	if v.shape.dense {
		v.first = v.addrs[0]
		if v.shape.stride < 0 {
			v.first = v.addrs[v.n-1]
		}
		return
	}
	copy(v.order[:v.n], v.addrs[:v.n])
	if !slices.IsSorted(v.order[:v.n]) {
		slices.Sort(v.order[:v.n])
	}
	v.first = v.order[0]
}

func (v *vector) find() shape {
	if v.n == 1 {
		return shape{pattern: single, dense: true}
	}
	d := int64(v.addrs[1] - v.addrs[0])
	gap := int64(v.lane[1]) - int64(v.lane[0])
	if gap <= 0 || d%gap != 0 {
		return shape{pattern: random}
	}
	stride := d / gap
	for i := 2; i < v.n; i++ {
		if int64(v.addrs[i]-v.addrs[0]) != stride*(int64(v.lane[i])-int64(v.lane[0])) {
			return v.findTiles()
		}
	}
	s := shape{pattern: strided, stride: stride, dense: int(v.lane[v.n-1])-int(v.lane[0]) == v.n-1}
	switch {
	case stride == 0:
		s.pattern, s.dense = broadcast, true
	case stride == int64(v.size):
		s.pattern = sequential
	}
	return s
}

// findTiles finds rows of equal width, a power of 2, at a constant distance from each other.
func (v *vector) findTiles() shape {
	if v.n != lanes && v.n != 2*lanes {
		return shape{pattern: random}
	}
	stride := int64(v.addrs[1] - v.addrs[0])
	width := 2
	for width < v.n && int64(v.addrs[width]-v.addrs[0]) == stride*int64(width) {
		width++
	}
	if width == v.n || width&(width-1) != 0 {
		return shape{pattern: random}
	}
	pitch := int64(v.addrs[width] - v.addrs[0])
	for i := range v.n {
		if int64(v.addrs[i]-v.addrs[0]) != pitch*int64(i/width)+stride*int64(i%width) {
			return shape{pattern: random}
		}
	}
	return shape{pattern: tiled, stride: stride}
}

// distinct returns the number of different bytes.
func (v *vector) distinct() (n int64) {
	if v.shape.dense {
		switch stride := uint64(max(v.shape.stride, -v.shape.stride)); {
		case stride == 0:
			return int64(v.size)
		case stride > v.size:
			return int64(v.size) * int64(v.n)
		}
	}
	v.eachRun(0, func(first, last uint64) { n += int64(last - first + 1) })
	return n
}

// eachRun calls f for runs of blocks that are touched, in ascending order, each block once.
func (v *vector) eachRun(shift uint, f func(first, last uint64)) {
	next := uint64(0) // blocks below are done
	at := func(a uint64) {
		first, last := max(a>>shift, next), (a+v.size-1)>>shift
		if last+1 > first {
			f(first, last)
			next = last + 1
		}
	}
	if !v.shape.dense {
		for _, a := range v.order[:v.n] {
			at(a)
		}
		return
	}
	stride := uint64(max(v.shape.stride, -v.shape.stride))
	switch {
	case stride == 0:
		at(v.first)
	case stride <= v.size:
		f(v.first>>shift, (v.first+stride*uint64(v.n-1)+v.size-1)>>shift)
	default:
		for i := range uint64(v.n) {
			at(v.first + stride*i)
		}
	}
}

// banks returns the number of passes that an access needs in threadgroup memory.
func (v *vector) banks() int64 {
	var passes ir.BankPasses
	v.eachRun(wordShift, func(first, last uint64) {
		for w := first; w <= last; w++ {
			passes.Add(w)
		}
	})
	return passes.N
}

// meeting returns the largest number of lanes with the same address, and calls f for each address
// with its number of lanes.
func (v *vector) meeting(f func(address uint64, n int64)) (most int64) {
	if v.shape.dense {
		if v.shape.stride == 0 {
			f(v.first, int64(v.n))
			return int64(v.n)
		}
		for i := range v.n {
			f(v.addrs[i], 1)
		}
		return 1
	}
	for i := 0; i < v.n; {
		j := i + 1
		for j < v.n && v.order[j] == v.order[i] {
			j++
		}
		f(v.order[i], int64(j-i))
		most = max(most, int64(j-i))
		i = j
	}
	return most
}

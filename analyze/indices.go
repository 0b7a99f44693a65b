package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// IndexOptions configures [Indices]. A field that is 0 takes its default: elements of 4 bytes,
// simdgroups of 32 threads and cache lines of 128 bytes.
type IndexOptions struct {
	Size  int // bytes of an element
	Width int // threads of a simdgroup
	Line  int // bytes of a cache line, a power of 2
}

// IndexAccess describes the accesses of a gather or scatter: thread i accesses the element
// indices[i] of an array that is aligned to a cache line.
type IndexAccess struct {
	// Pattern is Broadcast, Sequential or Strided if all simdgroups have the same pattern and
	// Stride, and Irregular otherwise.
	Pattern    Pattern
	Stride     int64 // elements between neighboring threads, 0 for Irregular
	Simdgroups int
	// Transactions is the number of cache lines that each simdgroup touches, summed over all.
	Transactions int64
	// Efficiency is the fraction of the bytes of those lines that threads use.
	Efficiency float64
}

// PerSimdgroup returns the mean number of transactions of a simdgroup.
func (a *IndexAccess) PerSimdgroup() float64 {
	return float64(a.Transactions) / float64(max(a.Simdgroups, 1))
}

// String returns the pattern in the terms of CUDA's guides: "coalesced", "broadcast", "strided(3)"
// or "scattered", with the transactions of a simdgroup.
func (a *IndexAccess) String() string {
	name := "scattered"
	switch a.Pattern {
	case Broadcast:
		name = "broadcast"
	case Sequential:
		name = "coalesced"
	case Strided:
		name = fmt.Sprintf("strided(%d)", a.Stride)
	}
	noun := "transactions"
	if a.PerSimdgroup() == 1 {
		noun = "transaction"
	}
	return fmt.Sprintf("%s, %.3g %s per simdgroup", name, a.PerSimdgroup(), noun)
}

// Indices classifies the accesses that a kernel would make by an array of indices: the columns of a
// sparse matrix, the neighbors in a mesh, an order of particles. It needs only the indices and
// launches nothing. It returns [ErrOptions] for bad options, and for an index that is negative or
// whose address exceeds 63 bits.
func Indices[I ~int | ~int32 | ~int64 | ~uint16 | ~uint32 | ~uint64](indices []I, o IndexOptions) (a IndexAccess,
	err error) {
	size, width, line := int64(cmp.Or(o.Size, 4)), cmp.Or(o.Width, 32), int64(cmp.Or(o.Line, 128))
	if size < 1 || size > 1<<20 || width < 1 || width > 1024 || line < 1 || line > 1<<20 || line&(line-1) != 0 {
		return a, fmt.Errorf("analyze: Indices: elements of %d bytes, simdgroups of %d and lines of %d bytes, want at "+
			"most %d, %d and %d, and a power of 2: %w", size, width, line, 1<<20, 1024, 1<<20, ErrOptions)
	}
	unique, known := int64(0), false // whether there is a pattern
	group := make([]int64, 0, width)
	for from := 0; from < len(indices); from += width {
		group = group[:0]
		for i, x := range indices[from:min(from+width, len(indices))] {
			if x < 0 || uint64(x) > uint64(math.MaxInt64/size-1) {
				return IndexAccess{}, fmt.Errorf("analyze: Indices: index %d is %d, want 0 to %d: %w", from+i, x,
					math.MaxInt64/size-1, ErrOptions)
			}
			group = append(group, int64(x))
		}
		a.Simdgroups++
		if stride, steady := strideOf(group); len(group) > 1 { // one thread has any pattern
			switch {
			case !steady || known && (a.Pattern == Irregular || stride != a.Stride):
				a.Pattern, a.Stride = Irregular, 0
			default:
				a.Pattern, a.Stride = patternOfStride(stride), stride
			}
			known = true
		}
		slices.Sort(group)
		end := int64(-1) // line that is counted last
		for i, x := range group {
			if i > 0 && x == group[i-1] {
				continue
			}
			unique += size
			first, last := x*size/line, (x*size+size-1)/line
			a.Transactions += last - max(first, end+1) + 1
			end = last
		}
	}
	if !known {
		a.Pattern = Broadcast
	}
	if a.Transactions > 0 {
		a.Efficiency = float64(unique) / float64(a.Transactions*line)
	}
	return a, nil
}

// strideOf returns the distance of neighbors, false if it is not constant.
func strideOf(group []int64) (stride int64, steady bool) {
	for i := 1; i < len(group); i++ {
		if d := group[i] - group[i-1]; i == 1 {
			stride = d
		} else if d != stride {
			return 0, false
		}
	}
	return stride, true
}

func patternOfStride(stride int64) Pattern {
	switch stride {
	case 0:
		return Broadcast
	case 1:
		return Sequential
	}
	return Strided
}

package memory

import "sync"

// Limits of the pages that a device keeps when blocks are freed: all together, and of one block.
const (
	maxKept      = 64 << 20
	maxKeptBlock = 32 << 20
)

// recycler keeps the pages of freed blocks for new ones of the same size. The system takes several
// times as long to map pages, to fill them with zeros as they are first used and to unmap them as
// it takes to clear them, and programs that run the same work again need the same sizes.
type recycler struct {
	mu   sync.Mutex
	size int              // of all pages
	free map[int][][]byte // by size
	ages []int            // sizes in the order in which they were kept
}

// take returns pages of zeros, nil if there are none of that size.
func (r *recycler) take(n int) []byte {
	r.mu.Lock()
	list := r.free[n]
	if len(list) == 0 {
		r.mu.Unlock()
		return nil
	}
	pages := list[len(list)-1]
	if r.free[n] = list[:len(list)-1]; len(list) == 1 {
		delete(r.free, n)
	}
	// The newest pages of the size are also the last ones in the order.
	for i := len(r.ages) - 1; i >= 0; i-- {
		if r.ages[i] == n {
			r.ages = append(r.ages[:i], r.ages[i+1:]...)
			break
		}
	}
	r.size -= n
	r.mu.Unlock()
	clear(pages)
	return pages
}

// keep keeps pages, and returns those that are to be unmapped instead: the oldest.
func (r *recycler) keep(pages []byte) (out [][]byte) {
	n := len(pages)
	if n > maxKeptBlock {
		return [][]byte{pages}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.size+n > maxKept {
		out = append(out, r.drop())
	}
	if r.free == nil {
		r.free = map[int][][]byte{}
	}
	r.free[n] = append(r.free[n], pages)
	r.ages = append(r.ages, n)
	r.size += n
	return out
}

// drop removes the oldest pages.
func (r *recycler) drop() []byte {
	n := r.ages[0]
	list := r.free[n]
	pages := list[0]
	if r.free[n] = list[1:]; len(list) == 1 {
		delete(r.free, n)
	}
	r.ages = r.ages[1:]
	r.size -= n
	return pages
}

// drain removes all pages.
func (r *recycler) drain() (out [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.ages) > 0 {
		out = append(out, r.drop())
	}
	return out
}

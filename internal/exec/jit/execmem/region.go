package execmem

import (
	"math/bits"
	"os"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/machine"
)

// The code of most kernels takes a page or two, and to map and to unmap these takes longer than to
// change what they may be used for. So many pages are mapped at once. Each is either free and
// writable, or holds code and is executable.

// regionPages is the number of pages of a region, unless a piece of code has more.
const regionPages = 64

// region is mapped memory.
type region struct {
	memory []byte
	free   uint64 // a bit for each page; if there are more, all are taken and given back together
}

// spare are the regions with free pages.
var spare struct {
	sync.Mutex
	list []*region
}

// pages are pages of a region in a row.
type pages struct {
	of     *region
	bits   uint64
	memory []byte
}

// take returns pages for n bytes.
func take(n int) (pages, error) {
	size := os.Getpagesize()
	n = (n + size - 1) / size
	spare.Lock()
	defer spare.Unlock()
	for _, r := range spare.list {
		begins := r.free // of n free pages in a row
		for i := 1; i < n; i++ {
			begins &= r.free >> i
		}
		if begins != 0 {
			return r.take(bits.TrailingZeros64(begins), n), nil
		}
	}
	memory, err := machine.Map(max(n, regionPages) * size)
	if err != nil {
		return pages{}, err
	}
	r := &region{memory, ^uint64(0)}
	spare.list = append(spare.list, r)
	return r.take(0, n), nil
}

// take takes n pages from page first on.
func (r *region) take(first, n int) pages {
	size := os.Getpagesize()
	p := pages{r, (1<<n - 1) << first, r.memory[first*size : (first+n)*size]}
	if r.free &^= p.bits; r.free == 0 {
		spare.list = slices.DeleteFunc(spare.list, func(x *region) bool { return x == r })
	}
	return p
}

// give gives pages back. A region of free pages only is unmapped.
func (p pages) give() error {
	spare.Lock()
	defer spare.Unlock()
	r := p.of
	if r.free == 0 {
		spare.list = append(spare.list, r)
	}
	if r.free |= p.bits; r.free != ^uint64(0) {
		return nil
	}
	spare.list = slices.DeleteFunc(spare.list, func(x *region) bool { return x == r })
	return machine.Unmap(r.memory)
}

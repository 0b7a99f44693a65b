package machine

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// hugeFrom is the size of mappings from which on they want huge pages. In smaller ones, what
// nothing uses of the pages would be a large part.
const hugeFrom = 4 << 20

// Large mappings would all begin at the same place relative to a huge page. What a kernel loads
// from one and stores to another would compete for the same places in caches. So they begin at
// colors different distances.
const (
	colors     = 32
	colorPages = 5 // between two colors; odd, so that the distances have many remainders
)

var (
	nextColor atomic.Uint32
	// wholes are the mappings that large memory is in, by the address of its first byte.
	wholes sync.Map
)

// Map asks the system for n bytes of zeros, whole pages. Large memory wants huge pages: to touch it
// for the first time takes less than a third of the time then.
func Map(n int) ([]byte, error) {
	if n < hugeFrom {
		return mapPages(n)
	}
	color := colorPages * os.Getpagesize()
	whole, err := mapPages(n + colors*color)
	if err != nil {
		return nil, err
	}
	_ = syscall.Madvise(whole, syscall.MADV_HUGEPAGE) // refused where there are none
	at := int(nextColor.Add(1)%colors) * color
	b := whole[at : at+n : at+n]
	wholes.Store(&b[0], whole)
	return b, nil
}

func mapPages(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Unmap gives back all that one call of Map returned.
func Unmap(b []byte) error {
	if len(b) > 0 {
		if whole, ok := wholes.LoadAndDelete(&b[0]); ok {
			return syscall.Munmap(whole.([]byte))
		}
	}
	return syscall.Munmap(b)
}

//go:build unix

package conformance

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// pages returns whole pages outside of Go's heap.
func (r *rig) pages(n int) []byte {
	r.Helper()
	page := os.Getpagesize()
	// One page more than needed: under an emulator the kernel's pages may be smaller than the ones the
	// program believes in.
	mapped := must(syscall.Mmap(-1, 0, (n+1)*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE))
	r.Cleanup(func() { assert.NoError(r, syscall.Munmap(mapped)) })
	start := -int(addressOf(mapped)) & (page - 1)
	return mapped[start : start+n*page]
}

func noCopyCases() []aCase {
	page := os.Getpagesize()
	return []aCase{
		{"shares memory", "A buffer without copy is the program's own memory, in both directions.", func(r *rig) {
			m := r.pages(2)
			b := own(r, must(r.device.NewBufferWithBytesNoCopy(m, 0, nil)))
			m[page] = 42
			assert.Equal(r, byte(42), must(b.Bytes())[page])
			must(b.Bytes())[1] = 43
			assert.Equal(r, byte(43), m[1])
			assert.Equal(r, uint(2*page), b.Length())
		}},
		{"deallocator", "The deallocator of a buffer without copy is called once, with the memory, when the buffer is gone.",
			func(r *rig) {
				m := r.pages(1)
				var calls atomic.Int32
				b := must(r.device.NewBufferWithBytesNoCopy(m, 0, func(got []byte) {
					if len(got) == len(m) && &got[0] == &m[0] {
						calls.Add(1)
					}
				}))
				assert.Zero(r, calls.Load())
				b.Release()
				assert.Equal(r, int32(1), calls.Load())
			}},
		{"deallocator waits", "A buffer that is retained keeps its memory.", func(r *rig) {
			m := r.pages(1)
			var calls atomic.Int32
			b := must(r.device.NewBufferWithBytesNoCopy(m, 0, func([]byte) { calls.Add(1) }))
			b.Retain()
			b.Release()
			assert.Zero(r, calls.Load())
			b.Release()
			assert.Equal(r, int32(1), calls.Load())
		}},
		{"address", "Memory that does not begin at a page is refused, with the size of a page.", func(r *rig) {
			m := r.pages(2)
			_, err := r.device.NewBufferWithBytesNoCopy(m[1:page+1], 0, nil)
			r.refused(err, mtl.ErrAlignment)
		}},
		{"length", "Memory that is no whole number of pages is refused, with the size of a page.", func(r *rig) {
			m := r.pages(2)
			_, err := r.device.NewBufferWithBytesNoCopy(m[:page+1], 0, nil)
			r.beyond(err, mtl.ErrAlignment, uint64(page+1), uint64(page))
		}},
		{"private", "Memory of the program cannot be a private buffer, and stays the program's.", func(r *rig) {
			called := false
			_, err := r.device.NewBufferWithBytesNoCopy(r.pages(1), mtl.ResourceStorageModePrivate,
				func([]byte) { called = true })
			r.refused(err, mtl.ErrStorageMode)
			assert.False(r, called)
		}},
	}
}

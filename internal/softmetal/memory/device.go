package memory

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/machine"
)

// Device is the memory of one device. Its methods may be called by any goroutine, also while
// kernels run.
type Device struct {
	limit uint64 // of all blocks together
	space exec.Space

	used     [purposes]atomic.Int64
	scratch  atomic.Int64 // bytes in Go's heap that the engine works with
	blocks   atomic.Int64
	attempts atomic.Int64
	failNth  atomic.Int64

	mu      sync.RWMutex
	objects map[uint32]exec.Object
	remote  map[uint32]struct{} // numbers of remote views, which are not in the space
	next    uint32
	retired retirement

	kept recycler
}

// NewDevice returns the memory of a device that may take up to limit bytes from the system.
func NewDevice(limit uint64) *Device {
	return &Device{limit: limit, objects: map[uint32]exec.Object{}, remote: map[uint32]struct{}{}, next: exec.MinObject}
}

// Allocate takes n bytes from the system, or from what freed blocks have left. The error wraps
// ErrMemory.
func (d *Device) Allocate(n uint64, purpose Purpose) (*Block, error) {
	if every := d.failNth.Load(); every > 0 && d.attempts.Add(1)%every == 0 {
		return nil, fmt.Errorf("%w: injected fault", ErrMemory)
	}
	if n == 0 || n > d.limit {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrMemory, n, d.limit)
	}
	size := pagesFor(n)
	// before checking the sum: of two concurrent requests, one may be refused, but never are both
	// admitted
	d.used[purpose].Add(int64(size))
	if all := d.Used() + uint64(d.scratch.Load()); all > d.limit {
		d.used[purpose].Add(-int64(size))
		return nil, fmt.Errorf("%w: %d bytes would be in use, more than %d", ErrMemory, all, d.limit)
	}
	pages, err := d.pages(int(size))
	if err != nil {
		d.used[purpose].Add(-int64(size))
		return nil, fmt.Errorf("%w: %d bytes: %w", ErrMemory, size, err)
	}
	d.blocks.Add(1)
	return &Block{owner: d, purpose: purpose, pages: pages, length: int(n)}, nil
}

// TakeScratch accounts for n bytes that the engine takes from Go's heap to run a kernel. The error
// wraps ErrMemory.
func (d *Device) TakeScratch(n int64) error {
	if all := uint64(d.scratch.Add(n)) + d.Used(); all > d.limit {
		d.scratch.Add(-n)
		return fmt.Errorf("%w: %d bytes would be in use, more than %d", ErrMemory, all, d.limit)
	}
	return nil
}

// GiveScratch ends what TakeScratch began.
func (d *Device) GiveScratch(n int64) { d.scratch.Add(-n) }

// Adopt makes a block from memory that somebody else owns and that is not in Go's heap. done, if
// not nil, is called when it is no longer in use.
func (d *Device) Adopt(address uintptr, n uint64, purpose Purpose, done func()) *Block {
	if done == nil {
		done = func() {}
	}
	d.used[purpose].Add(int64(n))
	d.blocks.Add(1)
	return &Block{owner: d, purpose: purpose, pages: View(address, int(n)), length: int(n), foreign: done}
}

// Free gives a block up. Objects that lead to it must have been removed. Its memory goes when the
// work that runs now has ended.
func (d *Device) Free(b *Block) {
	d.used[b.purpose].Add(-int64(len(b.pages)))
	d.blocks.Add(-1)
	d.Retire(func() {
		if b.foreign != nil {
			b.foreign()
			return
		}
		unmap(d.kept.keep(b.pages))
	})
}

// pages returns n bytes of zeros, whole pages. If the system has none left, those that are kept go
// back to it first.
func (d *Device) pages(n int) ([]byte, error) {
	if pages := d.kept.take(n); pages != nil {
		return pages, nil
	}
	pages, err := machine.Map(n)
	if err == nil {
		return pages, nil
	}
	if kept := d.kept.drain(); len(kept) > 0 {
		unmap(kept)
		return machine.Map(n)
	}
	return nil, err
}

func unmap(list [][]byte) {
	for _, pages := range list {
		if err := machine.Unmap(pages); err != nil {
			// pages of ours that the system does not know: corrupt
			panic(fmt.Errorf("memory: unmap %d bytes: %w", len(pages), err))
		}
	}
}

// Used returns the bytes that blocks take.
func (d *Device) Used() uint64 {
	var n int64
	for p := range purposes {
		n += d.used[p].Load()
	}
	return uint64(n)
}

// UsedFor returns the bytes that blocks of one purpose take.
func (d *Device) UsedFor(p Purpose) uint64 { return uint64(d.used[p].Load()) }

// Blocks returns how many blocks there are.
func (d *Device) Blocks() int { return int(d.blocks.Load()) }

// FailEvery makes every n-th allocation from now on fail; 0 ends that.
func (d *Device) FailEvery(n int) {
	d.attempts.Store(0)
	d.failNth.Store(int64(n))
}

// Attempts returns how many allocations there were since FailEvery was called with a number.
func (d *Device) Attempts() int { return int(d.attempts.Load()) }

package compute

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/pool"
)

// relocation is the place of memory that may be moved. It is pinned for each use of the memory, and
// for good once the program knows the place.
type relocation struct {
	block   *pool.Relocatable
	staying atomic.Bool
}

// end returns the memory to the pool. Nothing uses it any more.
func (r *relocation) end() error {
	var err error
	if r.staying.Load() {
		err = r.block.Unpin(nil)
	}
	return errors.Join(err, r.block.Return())
}

// use counts a use, during which the memory stays where it is.
func (m *memory) use() error {
	if err := m.lifetime.use(); err != nil || m.place == nil {
		return err
	}
	return m.pin()
}

// hold waits until the memory is unused, and counts a use.
func (m *memory) hold(ctx context.Context) error {
	if err := m.lifetime.hold(ctx); err != nil || m.place == nil {
		return err
	}
	return m.pin()
}

// pin finds the memory's place for a use that has been counted.
func (m *memory) pin() error {
	buffer, err := m.place.block.Pin()
	if err != nil {
		m.lifetime.done()
		return fmt.Errorf("compute: %v: %w", m, err)
	}
	if m.buffer != buffer { // never while others use it
		m.buffer = buffer
	}
	return nil
}

// done ends a use.
func (m *memory) done() {
	if m.place != nil {
		_ = m.place.block.Unpin(nil) // which is pinned
	}
	m.lifetime.done()
}

// stay keeps the memory where it is until it is closed.
func (m *memory) stay() error {
	if m.place == nil {
		return m.open()
	}
	if err := m.use(); err != nil {
		return err
	}
	if m.place.staying.CompareAndSwap(false, true) {
		m.lifetime.done() // and not its pin, which is now the place's
		return nil
	}
	m.done()
	return nil
}

// WithPool configures the pool that buffers come from: how long idle memory is kept, and the
// watermarks above which memory is not kept, and not allocated. See [pool.Options].
func WithPool(o pool.Options) Option {
	return func(c *config) error {
		c.poolOptions = o
		return nil
	}
}

// newPool makes the accelerator's pool.
func (a *Accelerator) newPool() (err error) {
	o := a.poolOptions
	if o.Now == nil {
		o.Now = a.now
	}
	if a.pool, err = pool.New(a.device, o); errors.Is(err, pool.ErrOptions) {
		return fmt.Errorf("WithPool: %w: %w", ErrOption, err)
	}
	return err
}

// Collect releases all idle memory of the pool to the device. [Accelerator.Trim] releases only what
// has been idle for long.
func (a *Accelerator) Collect() {
	if a != nil {
		a.pool.Collect()
	}
}

// Defragment moves relocatable buffers ([BufferOptions]) that no work uses out of nearly empty
// heaps and releases those, until maxBytes have been copied; 0 means 64 MiB. The Fragmentation of
// [Accelerator.Memory] says whether there is something to gain. It waits for its own copies only,
// and other calls go on meanwhile; a command that uses a buffer which is being copied does not wait
// either: the buffer then stays where it was. See [pool.Pool.Defragment].
func (a *Accelerator) Defragment(ctx context.Context, maxBytes uint) (pool.Defragmented, error) {
	if err := checkCall(ctx, "accelerator: Defragment", a == nil); err != nil {
		return pool.Defragmented{}, err
	}
	if err := a.beginCall(); err != nil {
		return pool.Defragmented{}, err
	}
	defer a.calls.done()
	d, err := a.pool.Defragment(ctx, maxBytes)
	if err != nil {
		return d, fmt.Errorf("compute: accelerator %s: %w", a.info.Name, err)
	}
	return d, nil
}

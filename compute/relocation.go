package compute

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/pool"
)

// relocation is the location of relocatable memory. It is pinned during each use of the memory, and
// until Close once the program has been given the location.
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

// use counts a use, during which the memory does not move.
func (m *memory) use() error {
	if err := m.uses.use(m); err != nil || m.place() == nil {
		return err
	}
	return m.pin()
}

// hold waits until the memory is unused, and counts a use.
func (m *memory) hold(ctx context.Context) error {
	if err := m.uses.hold(ctx, m); err != nil {
		return err
	}
	if m.place() != nil {
		if err := m.pin(); err != nil {
			return err
		}
	}
	m.seenUses()
	return nil
}

// pin pins the memory at its current location, for a use that has been counted.
func (m *memory) pin() error {
	buffer, err := m.place().block.Pin()
	if err != nil {
		m.uses.done(m)
		return fmt.Errorf("compute: %v: %w", m, err)
	}
	if m.buffer != buffer { // it moved, so no other use is reading m.buffer
		m.buffer = buffer
	}
	return nil
}

// done ends a use.
func (m *memory) done() {
	if m.place() != nil {
		_ = m.place().block.Unpin(nil) // it is pinned, so this cannot fail
	}
	m.uses.done(m)
}

// open returns an error once the memory is closed.
func (m *memory) open() error { return m.uses.open(m) }

// close closes the memory, and reports whether it was open.
func (m *memory) close() bool { return m.uses.close(m) }

// stay keeps the memory at its current location until it is closed.
func (m *memory) stay() error {
	if m.place() == nil {
		return m.open()
	}
	if err := m.use(); err != nil {
		return err
	}
	if m.place().staying.CompareAndSwap(false, true) {
		m.uses.done(m) // the pin remains, until end
		return nil
	}
	m.done()
	return nil
}

// WithPool configures the buffer pool: how long it keeps idle memory, and the watermarks above
// which it keeps none and finally allocates none. See [pool.Options].
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

// Collect releases all idle memory of the pool to the device. [Accelerator.Trim] releases only
// memory that has been idle for a long time.
func (a *Accelerator) Collect() {
	if !a.missing() {
		a.pool.Collect()
	}
}

// Defragment moves idle relocatable buffers ([BufferOptions]) out of nearly empty heaps and
// releases those heaps, until maxBytes have been copied; 0 means 64 MiB. The Fragmentation figure
// of [Accelerator.Memory] shows whether this is worthwhile. Defragment waits only for its own
// copies, and other calls proceed meanwhile. A command that uses a buffer while it is being copied
// does not wait either: that copy is discarded and the buffer stays where it was. See
// [pool.Pool.Defragment].
func (a *Accelerator) Defragment(ctx context.Context, maxBytes uint) (pool.Defragmented, error) {
	if err := checkCall(ctx, "accelerator: Defragment", a.missing()); err != nil {
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

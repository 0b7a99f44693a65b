package compute

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// memory is the memory of a buffer and its sub-buffers. It lives until it is closed and no work
// uses it.
type memory struct {
	acc    *Accelerator
	buffer mtl.Buffer
	block  pool.Block // of the pool, unless the program lent the memory
	length uint       // bytes
	mode   mtl.StorageMode
	id     uint64
	label  string
	free   func() // for memory that the program lent
	lifetime
}

// String names the buffer for messages.
func (m *memory) String() string {
	if m.label != "" {
		return fmt.Sprintf("buffer %d %q (%d bytes)", m.id, m.label, m.length)
	}
	return fmt.Sprintf("buffer %d (%d bytes)", m.id, m.length)
}

// newMemory rents memory from the pool. Its contents are undefined.
func (a *Accelerator) newMemory(length uint, o BufferOptions) (*memory, error) {
	options, err := o.resourceOptions(a.info.Limits.UnifiedMemory)
	if err != nil {
		return nil, err
	}
	kind := pool.Kind{Storage: options.StorageMode(), Cache: options.CPUCacheMode(), Hazards: options.HazardTrackingMode()}
	return a.register(length, o, kind.Storage, func(m *memory) (err error) {
		if m.block, err = a.pool.Rent(length, kind); err == nil {
			m.buffer, err = m.block.Buffer()
		}
		return err
	})
}

// register checks the limits, makes a buffer and registers it.
func (a *Accelerator) register(length uint, o BufferOptions, mode mtl.StorageMode, make func(*memory) error) (*memory,
	error) {
	m := &memory{acc: a, length: length, mode: mode, id: a.ids.Add(1), label: o.Label}
	m.what, m.onEnd = m.String, m.release
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.calls.done()
	if limit := a.info.Limits.MaxBufferLength; length > limit {
		return nil, fmt.Errorf("compute: %v: the device's longest buffer has %d bytes: %w", m, limit, ErrOutOfMemory)
	}
	if now := a.allocated.Add(int64(length)); uint64(now) > a.limit {
		a.allocated.Add(-int64(length))
		return nil, fmt.Errorf("compute: %v: with %d bytes allocated it would exceed the limit of %d: %w", m,
			now-int64(length), a.limit, ErrOutOfMemory)
	}
	if err := make(m); err != nil {
		a.allocated.Add(-int64(length))
		if errors.Is(err, mtl.ErrMemory) || errors.Is(err, pool.ErrMemory) {
			err = errors.Join(ErrOutOfMemory, err)
		}
		return nil, fmt.Errorf("compute: %v: %w", m, err)
	}
	if o.Label != "" {
		m.buffer.SetLabel(o.Label)
	}
	a.mu.Lock()
	a.live[m] = struct{}{}
	a.mu.Unlock()
	return m, nil
}

// release frees the memory and forgets it.
func (m *memory) release() {
	m.acc.mu.Lock()
	_, live := m.acc.live[m]
	delete(m.acc.live, m)
	if live {
		_ = m.acc.calls.use() // which is never closed
	}
	m.acc.mu.Unlock()
	if live { // else the accelerator's Close has it
		m.destroy()
		m.acc.calls.done()
		m.returnLent()
	}
}

// destroy frees the memory, which is out of the accelerator's list.
func (m *memory) destroy() {
	m.lifetime.mu.Lock()
	m.closed = true
	m.lifetime.mu.Unlock()
	if m.label != "" {
		m.buffer.SetLabel("") // another may rent it
	}
	if m.block == (pool.Block{}) {
		m.buffer.Release()
	} else if err := m.block.Return(); err != nil {
		m.acc.log.Error("compute: memory could not be returned", "buffer", m.String(), "error", err)
	}
	m.acc.allocated.Add(-int64(m.length))
}

// returnLent gives memory back that the program lent.
func (m *memory) returnLent() {
	if m.free != nil {
		m.free()
	}
}

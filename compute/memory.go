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
	block  pool.Block // of the pool, unless the memory is relocatable or the program's
	length uint       // bytes
	mode   mtl.StorageMode
	id     uint64
	label  string
	free   func()       // for memory that the program lent
	place  *relocation  // of relocatable memory
	failed *failedWrite // guarded by the lifetime's lock
	lifetime

	spare *anchor // of its buffer before that is made, and after it is closed

	// Of the accelerator's list; guarded by its lock.
	live         bool
	number       uint64 // in the order of creation of the accelerator's objects
	older, newer *memory
}

// memoryList lists an accelerator's memory in the order it was made. A map would cost a rented
// buffer as much as the pool does.
type memoryList struct{ oldest, newest *memory }

// add appends a memory.
func (l *memoryList) add(m *memory) {
	m.live, m.older = true, l.newest
	if l.newest == nil {
		l.oldest = m
	} else {
		l.newest.newer = m
	}
	l.newest = m
}

// remove removes a memory, and reports whether it was in the list.
func (l *memoryList) remove(m *memory) bool {
	if !m.live {
		return false
	}
	if m.older == nil {
		l.oldest = m.newer
	} else {
		m.older.newer = m.newer
	}
	if m.newer == nil {
		l.newest = m.older
	} else {
		m.newer.older = m.older
	}
	m.live, m.older, m.newer = false, nil, nil
	return true
}

// takeAll empties the list and returns what was in it, the newest first.
func (l *memoryList) takeAll() (all []*memory) {
	for l.newest != nil {
		all = append(all, l.newest)
		l.remove(l.newest)
	}
	return all
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
	if o.Relocatable {
		return a.register(length, o, kind.Storage, func(m *memory) error {
			r, err := a.pool.RentRelocatable(length, kind)
			if err != nil {
				return err
			}
			m.place = &relocation{block: r}
			return r.SetLabel(m.label)
		})
	}
	return a.register(length, o, kind.Storage, func(m *memory) (err error) {
		if m.block, err = a.pool.Rent(length, kind); err != nil {
			return err
		}
		m.buffer, err = m.block.Buffer()
		return errors.Join(err, m.block.SetLabel(m.label))
	})
}

// register checks the limits, makes a buffer and registers it.
func (a *Accelerator) register(length uint, o BufferOptions, mode mtl.StorageMode,
	make func(*memory) error) (*memory, error) {
	m := &memory{acc: a, length: length, mode: mode, id: a.ids.Add(1), label: o.Label}
	m.of = m
	if err := a.beginMemory(m); err != nil {
		return nil, err
	}
	defer a.calls.done()
	if err := a.make(m, make); err != nil {
		a.mu.Lock()
		a.live.remove(m)
		a.mu.Unlock()
		return nil, err
	}
	return m, nil
}

// beginMemory is beginCall for a call that makes memory, which it lists: Close looks at the list
// only when no call is left.
func (a *Accelerator) beginMemory(m *memory) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.usable(); err != nil {
		return err
	}
	m.number = a.nextCreated()
	a.live.add(m)
	if n := len(a.anchors); n > 0 {
		m.spare = a.anchors[n-1]
		a.anchors[n-1] = nil // or the list would keep it reachable
		a.anchors = a.anchors[:n-1]
	}
	return a.calls.use()
}

// make makes a memory's buffer within the limits.
func (a *Accelerator) make(m *memory, make func(*memory) error) error {
	if limit := a.info.Limits.MaxBufferLength; m.length > limit {
		return fmt.Errorf("compute: %v: the device's longest buffer has %d bytes: %w", m, limit, ErrOutOfMemory)
	}
	length := int64(m.length)
	if now := a.allocated.Add(length); uint64(now) > a.limit {
		a.allocated.Add(-length)
		return fmt.Errorf("compute: %v: with %d bytes allocated it would exceed the limit of %d: %w",
			m, now-length, a.limit, ErrOutOfMemory)
	}
	if err := make(m); err != nil {
		a.allocated.Add(-length)
		if errors.Is(err, mtl.ErrMemory) || errors.Is(err, pool.ErrMemory) {
			err = errors.Join(ErrOutOfMemory, err)
		}
		return fmt.Errorf("compute: %v: %w", m, err)
	}
	return nil
}

// release frees the memory and forgets it, unless the accelerator's Close has it.
func (m *memory) release() {
	a := m.acc
	a.mu.Lock()
	if m.spare != nil && len(a.anchors) < maxAnchors {
		a.anchors = append(a.anchors, m.spare)
	}
	m.spare = nil
	if !a.live.remove(m) {
		a.mu.Unlock()
		return
	}
	if !m.lent() { // the return takes no more than a lock, and so may hold up the accelerator's
		err := m.returnBlock()
		a.mu.Unlock()
		m.report(err)
		return
	}
	_ = a.calls.use() // which is never closed
	a.mu.Unlock()
	m.buffer.Release()
	a.allocated.Add(-int64(m.length))
	a.calls.done()
	m.returnLent()
}

// lent reports whether the memory is the program's.
func (m *memory) lent() bool { return m.place == nil && m.block == (pool.Block{}) }

// returnBlock returns the memory to the pool.
func (m *memory) returnBlock() error {
	m.acc.allocated.Add(-int64(m.length))
	if m.place != nil {
		return m.place.end()
	}
	return m.block.Return()
}

// report logs that the memory could not be returned, if there is an error.
func (m *memory) report(err error) {
	if err != nil {
		m.acc.log.Error("compute: memory could not be returned", "buffer", m.String(), "error", err)
	}
}

// destroy ends a memory that the accelerator's Close has taken out of the list.
func (m *memory) destroy() {
	m.forceClose()
	if !m.lent() {
		m.report(m.returnBlock())
		return
	}
	m.buffer.Release()
	m.acc.allocated.Add(-int64(m.length))
	m.returnLent()
}

// returnLent gives memory back that the program lent.
func (m *memory) returnLent() {
	if m.free != nil {
		m.free()
	}
}

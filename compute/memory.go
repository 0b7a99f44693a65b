package compute

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// memory is the memory of a buffer and its sub-buffers, or of a texture and its views. It lives
// until it is closed and no work uses it.
type memory struct {
	acc    *Accelerator
	buffer mtl.Buffer // nil of a texture
	block  pool.Block // of the pool, unless the memory is relocatable or the program's
	length uint       // bytes
	mode   mtl.StorageMode
	id     uint64
	label  string
	// of a texture, "2D RGBA8Unorm 640x480x1"; "" of a buffer
	texture string
	// a texture, its views, and textures made of a buffer; guarded by the lifetime's lock
	textures map[textureKey]mtl.Texture

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

// what says whether it is a buffer or a texture.
func (m *memory) what() string {
	if m.texture != "" {
		return "texture"
	}
	return "buffer"
}

// String names the buffer or texture for messages.
func (m *memory) String() string {
	name, details := fmt.Sprintf("%s %d", m.what(), m.id), fmt.Sprintf("%d bytes", m.length)
	if m.label != "" {
		name += fmt.Sprintf(" %q", m.label)
	}
	if m.texture != "" {
		details = m.texture + ", " + details
	}
	return name + " (" + details + ")"
}

// newMemory rents memory from the pool. Its contents are undefined.
func (a *Accelerator) newMemory(length uint, o BufferOptions) (*memory, error) {
	options, err := o.resourceOptions(a.info.Limits.UnifiedMemory)
	if err != nil {
		return nil, err
	}
	kind := pool.Kind{Storage: options.StorageMode(), Cache: options.CPUCacheMode(), Hazards: options.HazardTrackingMode()}
	m := &memory{length: length, mode: kind.Storage, label: o.Label}
	if o.Relocatable {
		return m, a.register(m, func() error {
			r, err := a.pool.RentRelocatable(length, kind)
			if err != nil {
				return err
			}
			m.place = &relocation{block: r}
			return r.SetLabel(m.label)
		})
	}
	return m, a.register(m, func() (err error) {
		if m.block, err = a.pool.Rent(length, kind); err != nil {
			return err
		}
		m.buffer, err = m.block.Buffer()
		return errors.Join(err, m.block.SetLabel(m.label))
	})
}

// register checks the limits, makes the buffer or texture of a memory, and registers it.
func (a *Accelerator) register(m *memory, make func() error) error {
	m.acc, m.id, m.of = a, a.ids.Add(1), m
	if err := a.beginMemory(m); err != nil {
		return err
	}
	defer a.calls.done()
	if err := a.make(m, make); err != nil {
		a.mu.Lock()
		a.live.remove(m)
		a.mu.Unlock()
		return err
	}
	return nil
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

// make makes a memory's buffer or texture within the limits.
func (a *Accelerator) make(m *memory, make func() error) error {
	if limit := a.info.Limits.MaxBufferLength; m.texture == "" && m.length > limit {
		return fmt.Errorf("compute: %v: the device's longest buffer has %d bytes: %w", m, limit, ErrOutOfMemory)
	}
	length := int64(m.length)
	if now := a.allocated.Add(length); uint64(now) > a.limit {
		a.allocated.Add(-length)
		return fmt.Errorf("compute: %v: with %d bytes allocated it would exceed the limit of %d: %w",
			m, now-length, a.limit, ErrOutOfMemory)
	}
	if err := make(); err != nil {
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
	// The return takes no more than a lock, and so may hold up the accelerator's.
	if m.pooled() && len(m.textures) == 0 {
		err := m.returnBlock()
		a.mu.Unlock()
		m.report(err)
		return
	}
	_ = a.calls.use() // which is never closed
	a.mu.Unlock()
	m.end()
	a.calls.done()
	m.returnLent()
}

// pooled reports whether the memory is the pool's: neither a texture's nor lent by the program.
func (m *memory) pooled() bool { return m.place != nil || m.block != (pool.Block{}) }

// end releases what the memory has of Metal. Nothing uses it any more.
func (m *memory) end() {
	for _, t := range m.textures {
		t.Release()
	}
	if m.pooled() {
		m.report(m.returnBlock())
		return
	}
	m.buffer.Release()
	m.acc.allocated.Add(-int64(m.length))
}

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
		m.acc.log.Error("compute: memory could not be returned", m.what(), m.String(), "error", err)
	}
}

// destroy ends a memory that the accelerator's Close has taken out of the list.
func (m *memory) destroy() {
	m.forceClose()
	m.end()
	m.returnLent()
}

// returnLent gives memory back that the program lent.
func (m *memory) returnLent() {
	if m.free != nil {
		m.free()
	}
}

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
	buffer mtl.Buffer // nil for a texture
	block  pool.Block // from the pool, unless the memory is relocatable or adopted
	length uint       // bytes
	mode   mtl.StorageMode
	id     uint64
	label  string
	made   string // where it was made, with WithLeakCheck
	// for a texture, "2D 640x480x1 RGBA8Unorm"; "" for a buffer
	texture string
	// a texture and its views, or the textures backed by a buffer; guarded by the lifetime's lock
	textures map[textureKey]mtl.Texture

	free   func()       // of adopted memory
	place  *relocation  // of relocatable memory
	failed *failedWrite // guarded by the lifetime's lock
	lifetime

	spare *anchor // for its buffer: before the buffer takes it, and after the buffer is closed

	// Links of the accelerator's list; guarded by its lock.
	live         bool
	number       uint64 // in the order of creation of the accelerator's objects
	older, newer *memory
}

// memoryList lists an accelerator's memory in the order of creation. A map would cost as much per
// rented buffer as the pool itself.
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

// takeAll empties the list and returns its memory, newest first.
func (l *memoryList) takeAll() (all []*memory) {
	for l.newest != nil {
		all = append(all, l.newest)
		l.remove(l.newest)
	}
	return all
}

// what returns "buffer" or "texture".
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

// beginMemory is beginCall for a call that makes memory, and adds the memory to the list: Close
// reads the list only when no call is in progress.
func (a *Accelerator) beginMemory(m *memory) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.usable(); err != nil {
		return err
	}
	m.number, m.made = a.nextCreated(), a.madeHere()
	a.live.add(m)
	if n := len(a.anchors); n > 0 {
		m.spare = a.anchors[n-1]
		a.anchors[n-1] = nil // otherwise the slice keeps it reachable
		a.anchors = a.anchors[:n-1]
	}
	return a.calls.use()
}

// make makes a memory's buffer or texture within the limits.
func (a *Accelerator) make(m *memory, make func() error) error {
	if limit := a.info.Limits.MaxBufferLength; m.texture == "" && m.length > limit {
		return fmt.Errorf("compute: %v exceeds the device's maxBufferLength of %d bytes: %w", m, limit, ErrOutOfMemory)
	}
	length := int64(m.length)
	if now := a.allocated.Add(length); uint64(now) > a.limit {
		a.allocated.Add(-length)
		return fmt.Errorf("compute: %v: with %d bytes already allocated, it would exceed the memory limit of %d: %w",
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

// release frees the memory and removes it from the list, unless the accelerator's Close has already
// taken it.
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
	// Returning a block is quick, so it is done under the accelerator's lock.
	if m.pooled() && len(m.textures) == 0 {
		err := m.returnBlock()
		a.mu.Unlock()
		m.report(err)
		return
	}
	_ = a.calls.use() // never closed, so it cannot fail
	a.mu.Unlock()
	m.end()
	a.calls.done()
	m.returnLent()
}

// pooled reports whether the memory came from the pool: it is neither a texture's nor adopted.
func (m *memory) pooled() bool { return m.place != nil || m.block != (pool.Block{}) }

// end releases the memory's Metal objects. Nothing uses them any more.
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

// report logs an error from returning the memory, if there is one.
func (m *memory) report(err error) {
	if err != nil {
		m.acc.log.Error("compute: memory could not be returned", m.what(), m.String(), "error", err)
	}
}

// destroy releases a memory that the accelerator's Close has taken out of the list.
func (m *memory) destroy() {
	m.forceClose()
	m.end()
	m.returnLent()
}

// returnLent gives adopted memory back to the program.
func (m *memory) returnLent() {
	if m.free != nil {
		m.free()
	}
}

package compute

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
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
	stored uint8      // its storage mode, which is small
	listed uint32     // 1 + its index in the accelerator's list, 0 if it is not there; guarded by that lock
	id     uint64     // in the order of creation of the accelerator's objects
	label  string
	extra  atomic.Pointer[memoryExtra] // nil for most memory
	uses   useCount

	spare *anchor // for its buffer: before the buffer takes it, and after the buffer is closed
}

// memoryExtra is what only some memory has. Rented buffers have none of it, and their price grows
// with the size of memory.
type memoryExtra struct {
	texture string      // describes a texture: "2D 640x480x1 RGBA8Unorm"; "" for a buffer
	made    string      // where it was made, with WithLeakCheck
	place   *relocation // of relocatable memory
	free    func()      // of adopted memory

	// These change while the memory lives. They are guarded by the lock of its uses.
	textures map[any]mtl.Texture // by textureKey: a texture (nil) and its views, or the textures backed by a buffer

	poison atomic.Pointer[poison] // nil for none so far; has its own lock
}

// needExtra returns the extra part, and adds it if there is none. The caller holds the lifetime's
// lock, or nobody else has the memory yet.
func (m *memory) needExtra() *memoryExtra {
	if m.extra.Load() == nil {
		m.extra.Store(&memoryExtra{})
	}
	return m.extra.Load()
}

// accelerator returns the accelerator that the memory belongs to.
func (m *memory) accelerator() *Accelerator { return m.acc }

func (m *memory) mode() mtl.StorageMode { return mtl.StorageMode(m.stored) }

// texture describes a memory that is a texture; "" for a buffer.
func (m *memory) texture() string {
	if x := m.extra.Load(); x != nil {
		return x.texture
	}
	return ""
}

// made says where the memory was made, with WithLeakCheck.
func (m *memory) made() string {
	if x := m.extra.Load(); x != nil {
		return x.made
	}
	return ""
}

// place returns the location of relocatable memory, nil for other memory.
func (m *memory) place() *relocation {
	if x := m.extra.Load(); x != nil {
		return x.place
	}
	return nil
}

// textures returns the textures that are made of the memory. The caller holds the lock of its uses,
// or nothing uses the memory any more.
func (m *memory) textures() map[any]mtl.Texture {
	if x := m.extra.Load(); x != nil {
		return x.textures
	}
	return nil
}

// memoryList lists an accelerator's memory, in no order. A map would cost as much per rented buffer
// as the pool itself.
type memoryList struct{ all []*memory }

// add appends a memory.
func (l *memoryList) add(m *memory) {
	l.all = append(l.all, m)
	m.listed = uint32(len(l.all))
}

// remove removes a memory, and reports whether it was in the list.
func (l *memoryList) remove(m *memory) bool {
	if m.listed == 0 {
		return false
	}
	last := len(l.all) - 1
	moved := l.all[last]
	l.all[m.listed-1], moved.listed = moved, m.listed
	l.all[last] = nil // otherwise the slice keeps it reachable
	l.all, m.listed = l.all[:last], 0
	return true
}

// takeAll empties the list and returns its memory.
func (l *memoryList) takeAll() []*memory {
	all := l.all
	for _, m := range all {
		m.listed = 0
	}
	l.all = nil
	return all
}

// what returns "buffer" or "texture".
func (m *memory) what() string {
	if m.texture() != "" {
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
	if m.texture() != "" {
		details = m.texture() + ", " + details
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
	m := &memory{length: length, stored: uint8(kind.Storage), label: o.Label}
	if o.Relocatable {
		place := &relocation{}
		m.needExtra().place = place
		return m, a.register(m, func() (err error) {
			if place.block, err = a.pool.RentRelocatable(length, kind); err != nil {
				return err
			}
			return place.block.SetLabel(m.label)
		})
	}
	return m, a.register(m, func() (err error) {
		if m.block, err = a.pool.Rent(length, kind); err != nil {
			return err
		}
		if m.buffer, err = m.block.Buffer(); err == nil && a.exact {
			client.Send(&extension.SetUsedLength, m.buffer.ID(), uintptr(length))
		}
		return errors.Join(err, m.block.SetLabel(m.label))
	})
}

// register checks the limits, makes the buffer or texture of a memory, and registers it.
func (a *Accelerator) register(m *memory, make func() error) error {
	m.acc = a
	if err := a.beginMemory(m); err != nil {
		return err
	}
	defer a.calls.done()
	began := a.observesMemory()
	err := a.make(m, make)
	a.observeRent(m, began, err)
	if err != nil {
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
	m.id = a.nextCreated()
	if made := a.madeHere(); made != "" {
		m.needExtra().made = made
	}
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
	if limit := a.info.Limits.MaxBufferLength; m.texture() == "" && m.length > limit {
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
	if m.pooled() && len(m.textures()) == 0 {
		err := m.returnBlock()
		left := a.allocated.Add(-int64(m.length))
		watched := a.observers() != nil
		if watched {
			_ = a.calls.use() // never closed, so it cannot fail
		}
		a.mu.Unlock()
		m.report(err)
		if watched {
			m.observeReturn(left)
			a.calls.done()
		}
		return
	}
	_ = a.calls.use() // never closed, so it cannot fail
	a.mu.Unlock()
	m.end()
	a.calls.done()
	m.returnLent()
}

// pooled reports whether the memory came from the pool: it is neither a texture's nor adopted.
func (m *memory) pooled() bool { return m.place() != nil || m.block != (pool.Block{}) }

// end releases the memory's Metal objects. Nothing uses them any more.
func (m *memory) end() {
	for _, t := range m.textures() {
		t.Release()
	}
	if m.pooled() {
		m.report(m.returnBlock())
	} else {
		m.buffer.Release()
	}
	m.observeReturn(m.acc.allocated.Add(-int64(m.length)))
}

// returnBlock returns the memory to the pool.
func (m *memory) returnBlock() error {
	if place := m.place(); place != nil {
		return place.end()
	}
	m.givenBack()
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
	m.uses.forceClose()
	m.end()
	m.returnLent()
}

// returnLent gives adopted memory back to the program.
func (m *memory) returnLent() {
	if x := m.extra.Load(); x != nil && x.free != nil {
		m.acc.strayed(contain.Call(func() string { return "the function that frees adopted memory" },
			func() error { x.free(); return nil }))
	}
}

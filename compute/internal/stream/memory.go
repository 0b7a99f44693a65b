package stream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// Memory is the memory of a buffer and its sub-buffers, or of a texture and its views. It lives
// until it is closed and no work uses it.
type Memory struct {
	Acc    *Device
	Buffer mtl.Buffer // nil for a texture
	Block  pool.Block // from the pool, unless the memory is relocatable or adopted
	Length uint       // bytes
	Stored uint8      // its storage mode, which is small
	listed uint32     // 1 + its index in the accelerator's list, 0 if it is not there; guarded by that lock
	Id     uint64     // in the order of creation of the accelerator's objects
	Label  string
	extra  atomic.Pointer[memoryExtra] // nil for most memory
	uses   useCount

	spare *Anchor // for its buffer: before the buffer takes it, and after the buffer is closed
}

// memoryExtra is what only some memory has. Rented buffers have none of it, and their price grows
// with the size of memory.
type memoryExtra struct {
	Texture string      // describes a texture: "2D 640x480x1 RGBA8Unorm"; "" for a buffer
	made    string      // where it was made, with WithLeakCheck
	Place   *Relocation // of relocatable memory
	Free    func()      // of adopted memory

	// These change while the memory lives. They are guarded by the lock of its uses.
	Textures map[any]*TextureCell // by textureKey: a texture (nil) and its views, or the textures backed by a buffer

	poison atomic.Pointer[poison] // nil for none so far; has its own lock

	safety // on devices with a guard
}

// NeedExtra returns the extra part, and adds it if there is none. The caller holds the lifetime's
// lock, or nobody else has the memory yet.
func (m *Memory) NeedExtra() *memoryExtra {
	if m.extra.Load() == nil {
		m.extra.Store(&memoryExtra{})
	}
	return m.extra.Load()
}

// Mode returns the storage mode.
func (m *Memory) Mode() mtl.StorageMode { return mtl.StorageMode(m.Stored) }

// Texture describes a memory that is a texture; "" for a buffer.
func (m *Memory) Texture() string {
	if x := m.extra.Load(); x != nil {
		return x.Texture
	}
	return ""
}

// Made says where the memory was made, with WithLeakCheck.
func (m *Memory) Made() string {
	if x := m.extra.Load(); x != nil {
		return x.made
	}
	return ""
}

// place returns the location of relocatable memory, nil for other memory.
func (m *Memory) place() *Relocation {
	if x := m.extra.Load(); x != nil {
		return x.Place
	}
	return nil
}

// textures returns the textures that are made of the memory. The caller holds the lock of its uses,
// or nothing uses the memory any more.
func (m *Memory) textures() map[any]*TextureCell {
	if x := m.extra.Load(); x != nil {
		return x.Textures
	}
	return nil
}

// MemoryList lists an accelerator's memory, in no order. A map would cost as much per rented buffer
// as the pool itself.
type MemoryList struct{ all []*Memory }

// Add appends a memory.
func (l *MemoryList) Add(m *Memory) {
	l.all = append(l.all, m)
	m.listed = uint32(len(l.all))
}

// Remove removes a memory, and reports whether it was in the list.
func (l *MemoryList) Remove(m *Memory) bool {
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

// TakeAll empties the list and returns its memory.
func (l *MemoryList) TakeAll() []*Memory {
	all := l.all
	for _, m := range all {
		m.listed = 0
	}
	l.all = nil
	return all
}

// what returns "buffer" or "texture".
func (m *Memory) what() string {
	if m.Texture() != "" {
		return "texture"
	}
	return "buffer"
}

// String names the buffer or texture for messages.
func (m *Memory) String() string {
	name, details := fmt.Sprintf("%s %d", m.what(), m.Id), fmt.Sprintf("%d bytes", m.Length)
	if m.Label != "" {
		name += fmt.Sprintf(" %q", m.Label)
	}
	if m.Texture() != "" {
		details = m.Texture() + ", " + details
	}
	return name + " (" + details + ")"
}

// Register checks the limits, makes the buffer or texture of a memory, and registers it.
func (a *Device) Register(m *Memory, make func() error) error {
	m.Acc = a
	if err := a.beginMemory(m); err != nil {
		return err
	}
	defer a.Calls.Done()
	began := a.observesMemory()
	err := a.make(m, make)
	a.observeRent(m, began, err)
	if err != nil {
		a.Mu.Lock()
		a.Live.Remove(m)
		a.Mu.Unlock()
		return err
	}
	return nil
}

// beginMemory is beginCall for a call that makes memory, and adds the memory to the list: Close
// reads the list only when no call is in progress.
func (a *Device) beginMemory(m *Memory) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	a.awaitSwap()
	if err := a.Usable(); err != nil {
		return err
	}
	m.Id = a.NextCreated()
	if made := a.MadeHere(); made != "" {
		m.NeedExtra().made = made
	}
	a.Live.Add(m)
	if n := len(a.Anchors); n > 0 {
		m.spare = a.Anchors[n-1]
		a.Anchors[n-1] = nil // otherwise the slice keeps it reachable
		a.Anchors = a.Anchors[:n-1]
	}
	return a.Calls.Use()
}

// make makes a memory's buffer or texture within the limits.
func (a *Device) make(m *Memory, make func() error) error {
	if limit := a.Info.Limits.MaxBufferLength; m.Texture() == "" && m.Length > limit {
		return fmt.Errorf("compute: %v exceeds the device's maxBufferLength of %d bytes: %w", m, limit, ErrOutOfMemory)
	}
	length := int64(m.Length)
	if now := a.Allocated.Add(length); uint64(now) > a.Limit {
		a.Allocated.Add(-length)
		return fmt.Errorf("compute: %v: with %d bytes already allocated, it would exceed the memory limit of %d: %w",
			m, now-length, a.Limit, ErrOutOfMemory)
	}
	if err := make(); err != nil {
		a.Allocated.Add(-length)
		if errors.Is(err, mtl.ErrMemory) || errors.Is(err, pool.ErrMemory) {
			err = errors.Join(ErrOutOfMemory, err)
		}
		return fmt.Errorf("compute: %v: %w", m, err)
	}
	return nil
}

// release frees the memory and removes it from the list, unless the accelerator's Close has already
// taken it.
func (m *Memory) release() {
	a := m.Acc
	a.Mu.Lock()
	if m.spare != nil && len(a.Anchors) < maxAnchors {
		a.Anchors = append(a.Anchors, m.spare)
	}
	m.spare = nil
	if !a.Live.Remove(m) {
		a.Mu.Unlock()
		return
	}
	// Returning a block is quick, so it is done under the accelerator's lock.
	if m.pooled() && len(m.textures()) == 0 && !m.Kept() {
		err := m.returnBlock()
		left := a.Allocated.Add(-int64(m.Length))
		watched := a.Observers() != nil
		if watched {
			_ = a.Calls.Use() // never closed, so it cannot fail
		}
		a.Mu.Unlock()
		m.report(err)
		if watched {
			m.observeReturn(left)
			a.Calls.Done()
		}
		return
	}
	_ = a.Calls.Use() // never closed, so it cannot fail
	a.Mu.Unlock()
	m.end()
	a.Calls.Done()
	m.returnLent()
}

// pooled reports whether the memory came from the pool: it is neither a texture's nor adopted.
func (m *Memory) pooled() bool { return m.place() != nil || m.Block != (pool.Block{}) }

// end releases the memory's Metal objects. Nothing uses them any more.
func (m *Memory) end() {
	for _, t := range m.textures() {
		t.Release()
	}
	m.endSafety()
	if m.pooled() {
		m.report(m.returnBlock())
	} else {
		m.Buffer.Release()
	}
	m.observeReturn(m.Acc.Allocated.Add(-int64(m.Length)))
}

// returnBlock returns the memory to the pool.
func (m *Memory) returnBlock() error {
	if place := m.place(); place != nil {
		return place.end()
	}
	m.givenBack()
	return m.Block.Return()
}

// report logs an error from returning the memory, if there is one.
func (m *Memory) report(err error) {
	if err != nil {
		m.Acc.Log.Error("compute: memory could not be returned", m.what(), m.String(), "error", err)
	}
}

// Destroy releases a memory that the accelerator's Close has taken out of the list.
func (m *Memory) Destroy() {
	m.uses.forceClose()
	m.end()
	m.returnLent()
}

// returnLent gives adopted memory back to the program.
func (m *Memory) returnLent() {
	if x := m.extra.Load(); x != nil && x.Free != nil {
		m.Acc.Strayed(contain.Call(func() string { return "the function that frees adopted memory" },
			func() error { x.Free(); return nil }))
	}
}

// View is a range of a memory: the unit of launches, copies and hazard tracking.
type View struct {
	Mem    *Memory
	Offset uint // bytes
	Length uint
}

// Overlaps reports whether two ranges have a byte in common.
func (v View) Overlaps(o View) bool {
	return v.Mem == o.Mem && v.Offset < o.Offset+o.Length && o.Offset < v.Offset+v.Length
}

// Contains reports whether a range is within v.
func (v View) Contains(o View) bool {
	return v.Mem == o.Mem && v.Offset <= o.Offset && o.Offset+o.Length <= v.Offset+v.Length
}

// ViewOf returns a range of a memory.
func ViewOf(m *Memory, offset, length uint) View { return View{m, offset, length} }

// MetalTexture returns the texture of a key, and makes it if there is none. It lives as long as the
// memory. The caller holds a use of the memory.
func (m *Memory) MetalTexture(key any, make func() (mtl.Texture, error)) (*TextureCell, error) {
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	if t, ok := m.textures()[key]; ok {
		return t, nil
	}
	made, err := make()
	if err != nil {
		return nil, err
	}
	t := &TextureCell{made}
	x := m.NeedExtra()
	if x.Textures == nil {
		x.Textures = map[any]*TextureCell{}
	}
	x.Textures[key] = t
	return t, nil
}

// seenUses tells the sanitizer that the program has seen that the memory is unused.
func (m *Memory) seenUses() {
	switch {
	case !m.Acc.Exact:
	case !m.Buffer.IsNil():
		client.Send(&extension.SeenUses, m.Buffer.ID())
	case m.extra.Load() != nil:
		m.uses.mu.Lock()
		t := m.extra.Load().Textures[nil]
		m.uses.mu.Unlock()
		if t != nil {
			client.Send(&extension.SeenUsesOfTexture, t.ID())
		}
	}
}

// givenBack tells the sanitizer that the memory goes back to the pool.
func (m *Memory) givenBack() {
	if m.Acc.Exact && !m.Buffer.IsNil() {
		client.Send(&extension.GivenBack, m.Buffer.ID())
	}
}

// Written tells the sanitizer that the program writes memory, or may write it from now on.
func (m *Memory) Written(offset, length uint) {
	if m.Acc.Exact && !m.Buffer.IsNil() && length > 0 {
		client.Send(&extension.WrittenRange, m.Buffer.ID(), uintptr(offset), uintptr(length))
	}
}

// MadeHere returns " made at file:line" for the program's call that is making an object, "" without
// WithLeakCheck.
func (a *Device) MadeHere() string {
	if !a.LeakCheck {
		return ""
	}
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !ownFrame(f) {
			return fmt.Sprintf(" made at %s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ownFrame reports whether a frame is of package compute or of one of those below it that make
// objects for the program, their tests aside.
func ownFrame(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	rest, ok := strings.CutPrefix(f.Function, strings.TrimSuffix(reflect.TypeFor[Device]().PkgPath(), "/internal/stream"))
	for _, own := range [...]string{".", "/internal/stream.", "/graph.", "/tree.", "/ops.", "/tensor."} {
		if ok && strings.HasPrefix(rest, own) {
			return true
		}
	}
	return false
}

// Bytes returns the memory of a range that the host can access, which then stays where it is. From
// then on it has no host copy: what the host writes there would not get into it.
func (v View) Bytes() ([]byte, error) {
	if err := v.Mem.Stay(); err != nil {
		return nil, err
	}
	if v.Mem.HostCopy() != nil {
		if err := Refresh(context.Background(), v.Mem); err != nil {
			return nil, err
		}
		v.Mem.Unkeep()
	}
	v.Mem.Written(v.Offset, v.Length)
	return v.Mem.Buffer.BytesAt(v.Offset, v.Length)
}

package stream

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// Safety is what a device has for package resilience, which opens it again when it was lost.
type Safety struct {
	Guard   guard.Guard // nil for none
	Guarded guard.Options
	Epoch   atomic.Uint64 // how often the device has been opened again
	Gone    atomic.Bool   // it could not be, and memory is the host's

	Hurry func() // lets guarded streams execute what they have, because somebody waits

	Waits Lifetime // calls that wait for work, and what the program holds

	swapping chan struct{} // closed when the device has been replaced, nil while it is not; guarded by Mu
}

// awaitSwap waits while the device is replaced. The lock is held.
func (a *Device) awaitSwap() {
	for a.swapping != nil {
		over := a.swapping
		a.Mu.Unlock()
		<-over
		a.Mu.Lock()
	}
}

// BeginSwap keeps calls that make objects of the device from beginning until end is called. Those
// that have begun are Calls.
func (a *Device) BeginSwap() (end func(), err error) {
	over := make(chan struct{})
	a.Mu.Lock()
	defer a.Mu.Unlock()
	a.awaitSwap()
	if err := a.Usable(); err != nil {
		return nil, err
	}
	a.swapping = over
	return func() {
		a.Mu.Lock()
		defer a.Mu.Unlock()
		a.swapping = nil
		close(over)
	}, nil
}

// BeginWait is Begin for a call that may wait for work.
func (a *Device) BeginWait() error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if err := a.Usable(); err != nil {
		return err
	}
	return a.Waits.Use()
}

// HurryGuarded lets guarded streams execute what they have, because somebody waits.
func (a *Device) HurryGuarded() {
	if a.Guard != nil {
		a.Hurry()
	}
}

// AllMemory returns the device's memory.
func (a *Device) AllMemory() []*Memory {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	return slices.Clone(a.Live.all)
}

// TextureCell is where Metal's texture is found: another one once the device has been opened again.
type TextureCell struct{ mtl.Texture }

// safety is what memory has on a device with a guard.
type safety struct {
	copies *HostCopies // nil without a host copy
	// Surface describes a texture, for package compute.
	Surface any
	// addressed: the program has its address, or it had one on a device that was lost (moved).
	addressed, moved bool
	Wanted           *pool.Kind // of memory that is the host's while the device is gone
}

// HostCopies is the contents of memory in the host's memory. Who uses the memory keeps it from
// being used by others.
type HostCopies struct {
	Mu    sync.Mutex
	Data  []byte
	Spare []byte // for the next contents; nil if it is not needed yet
	Stale bool   // the device's memory may differ
	once  bool   // it only fills the device's memory
	// Filling: what is written to the device's memory is this.
	Filling bool
	saved   int64 // bytes that the guard counts
}

// LostError is the failure of those who use what was lost with a device.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap returns the reason and guard.ErrLost.
func (e *LostError) Unwrap() []error { return []error{e.Err, guard.ErrLost} }

// IsLost reports whether a failure is a LostError, or follows from one.
func IsLost(err error) bool {
	var lost *LostError
	return errors.As(err, &lost)
}

// HostCopy returns the host copy, nil for none.
func (m *Memory) HostCopy() *HostCopies {
	if x := m.extra.Load(); x != nil {
		return x.copies
	}
	return nil
}

// Kept reports whether the memory has a host copy that outlives the device.
func (m *Memory) Kept() bool {
	c := m.HostCopy()
	return c != nil && !c.once
}

// Keep gives new memory a host copy if it is to have one.
func (m *Memory) Keep(wanted bool) error {
	a := m.Acc
	if a.Guard == nil || !wanted && !a.Guarded.All {
		return nil
	}
	c := &HostCopies{saved: 2 * int64(m.Length)}
	if err := a.Guard.Copies(c.saved, m.String()); err != nil {
		return err
	}
	c.Data, c.Spare = make([]byte, m.Length), make([]byte, m.Length)
	c.Stale = true // so that its contents are the same from the beginning
	m.NeedExtra().copies = c
	return nil
}

// KeepOfHost gives new memory that only the host writes a host copy, if there is a guard. It counts
// for nobody.
func (m *Memory) KeepOfHost() {
	if m.Acc.Guard != nil {
		m.NeedExtra().copies = &HostCopies{Data: make([]byte, m.Length)}
	}
}

// Unkeep ends the host copy of memory whose bytes the host writes by itself from now on. The
// device's memory has its contents.
func (m *Memory) Unkeep() {
	m.endSafety()
	m.extra.Load().copies = nil
}

// endSafety gives back what the host copy takes.
func (m *Memory) endSafety() {
	if c := m.HostCopy(); c != nil && c.saved > 0 {
		_ = m.Acc.Guard.Copies(-c.saved, m.String()) // giving back does not fail
		c.saved = 0
	}
}

// SpoilCopy notes that the device's memory may differ from the host copy.
func (m *Memory) SpoilCopy() {
	if c := m.HostCopy(); c != nil {
		c.Mu.Lock()
		c.Stale = true
		c.Mu.Unlock()
	}
}

// KeepFetched makes a range of the spare contents the host copy.
func (m *Memory) KeepFetched(offset, length uint) {
	c := m.HostCopy()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if m.Texture() != "" {
		offset, length = 0, m.Length
	}
	copy(c.Data[offset:offset+length], c.Spare[offset:])
}

// KeepWritten notes what the host has written to memory that it can access.
func (m *Memory) KeepWritten(offset, length uint) {
	c := m.HostCopy()
	if c == nil || m.Buffer.IsNil() {
		return
	}
	if raw, err := m.Buffer.BytesAt(offset, length); err == nil {
		c.Mu.Lock()
		defer c.Mu.Unlock()
		if !c.Filling {
			copy(c.Data[offset:], raw)
		}
	}
}

// MoveKept is an upload to or a download from memory with a host copy.
func (m *Memory) MoveKept(offset uint, data []byte, upload bool) {
	c := m.HostCopy()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if upload {
		copy(c.Data[offset:], data)
		c.Stale = true // the device gets it when it is used
		return
	}
	copy(data, c.Data[offset:])
}

// Visible returns an error unless the host can access the memory.
func (m *Memory) Visible() error {
	if m.Texture() != "" || m.Mode() != mtl.StorageModeShared {
		return fmt.Errorf("%v is not in memory of the host", m)
	}
	return nil
}

// Lost reports whether all of the memory's contents are lost.
func (m *Memory) Lost() bool {
	list := m.Poison().In(0, m.Length)
	return len(list) == 1 && list[0].from == 0 && list[0].to == m.Length && IsLost(list[0].Err)
}

// Lose marks the contents as lost, unless they have a host copy. It reports whether that loses
// anything.
func (m *Memory) Lose(why func(string) error) bool {
	if m.Open() != nil {
		return false
	}
	if c := m.HostCopy(); c != nil && (!c.once || c.Stale) {
		m.SpoilCopy()
		return false
	}
	if m.Lost() {
		return false
	}
	View{m, 0, m.Length}.Spoil(&LostError{why(m.String())})
	return true
}

// LostRead returns the failure of an access that reads what was lost, nil if it does not.
func (x *RangeAccess) LostRead() error {
	if x.Reads {
		for _, p := range x.Poison().In(x.Offset, x.Offset+x.Length) {
			if IsLost(p.Err) {
				return p.Err
			}
		}
	}
	return nil
}

// Lose marks commands as lost.
func (c *Indirect) Lose(a *Device, from, to int, err error) {
	a.poisons.Store(true)
	c.Poison.Replace(uint(from), uint(to), []Poisoned{{uint(from), uint(to), &LostError{err}, false}})
}

// Idle reports whether no work uses the memory.
func (m *Memory) Idle() bool { return m.uses.state.Load()&lifetimeUses == 0 }

// UseAgain counts a use while there is another one, though the memory may be closed.
func (m *Memory) UseAgain() error {
	m.uses.state.Add(1)
	if m.place() == nil {
		return nil
	}
	return m.pin()
}

// AddressTaken notes that the program has the memory's address.
func (m *Memory) AddressTaken() {
	if m.Acc.Guard == nil {
		return
	}
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	x := m.NeedExtra()
	x.addressed, x.moved = true, false
}

// HasMoved reports whether an address of the memory that the program has is no longer right.
func (m *Memory) HasMoved() bool {
	x := m.extra.Load()
	if x == nil {
		return false
	}
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	return x.moved
}

// SetSurface sets what describes a texture.
func (m *Memory) SetSurface(s any) { m.NeedExtra().Surface = s }

// Surface returns what describes a texture, nil for a buffer.
func (m *Memory) Surface() any {
	if x := m.extra.Load(); x != nil {
		return x.Surface
	}
	return nil
}

// SetWanted notes the storage mode that memory of the host has again when the device is back.
func (m *Memory) SetWanted(mode mtl.StorageMode) {
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	m.NeedExtra().Wanted = &pool.Kind{Storage: mode}
}

// Remade is what replaces the Metal objects of a memory.
type Remade struct {
	Memory   *Memory
	Block    pool.Block // not of adopted memory
	Buffer   mtl.Buffer
	Textures map[*TextureCell]mtl.Texture
	Stored   mtl.StorageMode
	Contents []byte // that are nowhere else, nil for none
}

// Remake begins to replace the Metal objects of a memory, with a buffer of another device.
func (a *Device) Remake(m *Memory) (n *Remade, err error) {
	n = &Remade{Memory: m, Stored: m.Mode(), Textures: map[*TextureCell]mtl.Texture{}}
	if m.Surface() != nil {
		return n, nil
	}
	if m.Acc.Gone.Load() && !m.Kept() && !m.Lost() && !m.Buffer.IsNil() { // the CPU has made them
		from, err := m.Buffer.BytesAt(0, m.Length)
		if err != nil {
			return n, err
		}
		n.Contents = slices.Clone(from)
	}
	if x := m.extra.Load(); x != nil && x.Wanted != nil {
		n.Stored = x.Wanted.Storage
	}
	if n.Stored == mtl.StorageModeManaged && a.Info.Limits.UnifiedMemory {
		n.Stored = mtl.StorageModeShared
	}
	if m.pooled() {
		return n, n.Rent(a)
	}
	raw, err := m.Buffer.BytesAt(0, m.Length) // adopted: it stays where it is
	if err != nil {
		return n, err
	}
	n.Buffer, err = a.Device.NewBufferWithBytesNoCopy(raw, mtl.MakeResourceOptions(n.Stored,
		mtl.CPUCacheModeDefaultCache, mtl.HazardTrackingModeUntracked), nil)
	return n, err
}

// Rent rents the buffer.
func (n *Remade) Rent(a *Device) (err error) {
	cache := mtl.CPUCacheModeDefaultCache
	if n.Stored != mtl.StorageModePrivate && !n.Memory.Buffer.IsNil() {
		cache = n.Memory.Buffer.CpuCacheMode()
	}
	kind := pool.Kind{Storage: n.Stored, Cache: cache, Hazards: mtl.HazardTrackingModeUntracked}
	if n.Block, err = a.Pool.Rent(n.Memory.Length, kind); err != nil {
		return err
	}
	if n.Buffer, err = n.Block.Buffer(); err != nil {
		return err
	}
	return n.Block.SetLabel(n.Memory.Label)
}

// Views makes the textures of the memory with a function. It returns nothing, and no error, for one
// whose turn comes later.
func (n *Remade) Views(make func(key any) (mtl.Texture, error)) (err error) {
	m := n.Memory
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	for left, before := len(m.textures()), 0; left > 0 && left != before; {
		before, left = left, 0
		for key, cell := range m.textures() {
			if _, made := n.Textures[cell]; made {
				continue
			}
			t, err := make(key)
			if err != nil {
				return err
			}
			if t.IsNil() {
				left++
				continue
			}
			n.Textures[cell] = t
		}
	}
	if len(n.Textures) < len(m.textures()) {
		return errors.New("a view without its texture")
	}
	return nil
}

// Drop releases what was made.
func (n *Remade) Drop() {
	for _, t := range n.Textures {
		t.Release()
	}
	if n.Block != (pool.Block{}) {
		_ = n.Block.Return() // what cannot be returned is released with the pool
	} else {
		n.Buffer.Release()
	}
}

// Install puts the new objects into their place.
func (n *Remade) Install() {
	m := n.Memory
	m.uses.mu.Lock()
	x := m.extra.Load()
	switch {
	case x != nil && x.Place != nil:
		_ = x.Place.Block.Return() // pinned or not: the pool ends
		next := &memoryExtra{Texture: x.Texture, made: x.made, Free: x.Free, Textures: x.Textures, safety: x.safety}
		next.poison.Store(x.poison.Load())
		m.extra.Store(next) // it does not move any more
		x = next
	case m.Block != (pool.Block{}):
		_ = m.Block.Return()
	default:
		m.Buffer.Release() // nil for a texture
	}
	for cell, made := range n.Textures {
		cell.Release()
		cell.Texture = made
	}
	m.Buffer, m.Block, m.Stored = n.Buffer, n.Block, uint8(n.Stored)
	if x != nil {
		x.moved = x.moved || x.addressed
		x.addressed, x.Wanted = false, nil
	}
	if n.Contents != nil {
		m.NeedExtra().copies = &HostCopies{Data: n.Contents, Stale: true, once: true}
	}
	m.uses.mu.Unlock()
	m.SpoilCopy()
}

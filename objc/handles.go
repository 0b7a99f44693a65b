//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A handle table maps IDs to the addresses of Apple's objects. An ID is an index and a generation,
// so that a handle used after the last release is detected instead of followed.
//
// An address has at most one live slot, so equal objects have equal IDs. A slot lives as long as
// the program owns references (refs) or autorelease pools of this program hold it (pools). A pinned
// slot lives for ever: classes are pinned, and so are +0 results received outside any pool, because
// nobody can know when they end.

// An ID consists, from the top, of 4 bits of tag, 28 of generation and 32 of index; the upper half
// is the slot's key.
const (
	handleTag = 0xA
	tagShift  = 60
	keyShift  = 32
	genBits   = tagShift - keyShift

	chunkBits = 12
	chunkSize = 1 << chunkBits
	maxChunks = 1 << 14 // 67 million handles
)

type slot struct {
	ptr   atomic.Uintptr // 0 when free
	class atomic.Uintptr
	key   atomic.Uint32 // tag and generation of the IDs that are currently valid

	// Guarded by the lock of the address's shard.
	refs   int32
	pools  int32
	pinned bool
}

type handleTable struct {
	chunks [maxChunks]atomic.Pointer[[chunkSize]slot]

	shards [64]struct {
		sync.Mutex
		index map[uintptr]uint32
	}

	alloc struct {
		sync.Mutex
		free []uint32
		next uint32
	}

	owned atomic.Int64 // slots with refs > 0
}

func (t *handleTable) slot(i uint32) *slot {
	return &t.chunks[i>>chunkBits].Load()[i&(chunkSize-1)]
}

func makeHandle(i, key uint32) ID { return ID(uintptr(key)<<keyShift | uintptr(i)) }

// nextKey returns the key of a slot's next generation.
func nextKey(key uint32) uint32 { return handleTag<<genBits | (key+1)&(1<<genBits-1) }

// peek returns the slot of id, or nil if it is not live. It is small enough to be inlined into
// every message.
func (t *handleTable) peek(id ID) *slot {
	if c := t.chunks[id>>chunkBits&(maxChunks-1)].Load(); c != nil {
		if s := &c[id&(chunkSize-1)]; s.key.Load() == uint32(id>>keyShift) {
			return s
		}
	}
	return nil
}

// live returns the slot of id, or an error if it is not live.
func (t *handleTable) live(id ID) (*slot, error) {
	if s := t.peek(id); s != nil {
		return s, nil
	}
	return nil, t.dead(id)
}

// dead says why id is not live.
func (t *handleTable) dead(id ID) error {
	if id>>tagShift != handleTag || t.chunks[id>>chunkBits&(maxChunks-1)].Load() == nil {
		return fmt.Errorf("%#x: %w", uintptr(id), ErrNotObject)
	}
	return ErrReleased
}

// address returns the address behind id.
func (t *handleTable) address(id ID) (uintptr, error) {
	s, err := t.live(id)
	if err != nil {
		return 0, err
	}
	return s.ptr.Load(), nil
}

func (t *handleTable) shard(ptr uintptr) *struct {
	sync.Mutex
	index map[uintptr]uint32
} {
	return &t.shards[(ptr>>4^ptr>>12)&63]
}

// hold says which of a slot's counts a new handle raises.
type hold uint8

const (
	holdOwned  hold = iota // a reference that the program owns
	holdMade               // the same, for an object that has just been created
	holdPooled             // until a pool of this program is drained
	holdPinned             // for ever
)

// intern returns the ID of the object at ptr, with a new slot if it has none. classOf asks the
// runtime for the object's class.
func (t *handleTable) intern(ptr uintptr, how hold, classOf func(uintptr) uintptr) (ID, uint32, error) {
	sh := t.shard(ptr)
	sh.Lock()
	defer sh.Unlock()
	i, ok := sh.index[ptr]
	if ok && t.slot(i).refs == 0 && (how == holdMade || t.slot(i).class.Load() != classOf(ptr)) {
		// The program owned no reference to the object of this slot. That object is gone and its address
		// has been reused: the slot's handles and class must not be taken for the new object's.
		t.retire(sh.index, i, ptr)
		ok = false
	}
	if !ok {
		var err error
		if i, err = t.newSlot(); err != nil {
			return 0, 0, err
		}
		if sh.index == nil {
			sh.index = map[uintptr]uint32{}
		}
		sh.index[ptr] = i
		s := t.slot(i)
		s.class.Store(classOf(ptr))
		s.ptr.Store(ptr)
	}
	s := t.slot(i)
	switch how {
	case holdOwned, holdMade:
		if s.refs == 0 {
			t.owned.Add(1)
		}
		s.refs++
	case holdPooled:
		s.pools++
	case holdPinned:
		s.pinned = true
	}
	return makeHandle(i, s.key.Load()), i, nil
}

func (t *handleTable) newSlot() (uint32, error) {
	t.alloc.Lock()
	defer t.alloc.Unlock()
	if n := len(t.alloc.free); n > 0 {
		i := t.alloc.free[n-1]
		t.alloc.free = t.alloc.free[:n-1]
		return i, nil
	}
	i := t.alloc.next
	if i>>chunkBits >= maxChunks {
		return 0, fmt.Errorf("%d objects exceed the limit of %d handles; release some", i, maxChunks*chunkSize)
	}
	if i&(chunkSize-1) == 0 {
		c := new([chunkSize]slot)
		for j := range c {
			c[j].key.Store(handleTag << genBits)
		}
		t.chunks[i>>chunkBits].Store(c)
	}
	t.alloc.next++
	return i, nil
}

// addRef adds an owned reference.
func (t *handleTable) addRef(id ID) (uintptr, error) {
	return t.change(id, func(s *slot) error {
		if s.refs == 0 {
			t.owned.Add(1)
		}
		s.refs++
		return nil
	})
}

// dropRef removes an owned reference.
func (t *handleTable) dropRef(id ID) (uintptr, error) {
	return t.change(id, func(s *slot) error {
		if s.refs == 0 {
			return ErrOverRelease
		}
		s.refs--
		if s.refs == 0 {
			t.owned.Add(-1)
		}
		return nil
	})
}

// poolRef turns an owned reference into one that a pool holds, or pins the slot if there is no
// pool.
func (t *handleTable) poolRef(id ID, pinned bool) (ptr uintptr, i uint32, err error) {
	i = uint32(id)
	ptr, err = t.change(id, func(s *slot) error {
		if s.refs == 0 {
			return ErrOverRelease
		}
		s.refs--
		if s.refs == 0 {
			t.owned.Add(-1)
		}
		if pinned {
			s.pinned = true
		} else {
			s.pools++
		}
		return nil
	})
	return ptr, i, err
}

// change applies f to the live slot of id and frees the slot if nothing holds it afterwards.
func (t *handleTable) change(id ID, f func(*slot) error) (uintptr, error) {
	s, err := t.live(id)
	if err != nil {
		return 0, err
	}
	i := uint32(id)
	ptr := s.ptr.Load()
	sh := t.shard(ptr)
	sh.Lock()
	defer sh.Unlock()
	// Another goroutine may have released the last reference between the lookup and the lock.
	if now, err := t.live(id); err != nil || now.ptr.Load() != ptr || ptr == 0 {
		return 0, ErrReleased
	}
	if err := f(s); err != nil {
		return 0, err
	}
	t.reap(sh.index, s, i, ptr)
	return ptr, nil
}

// unpool drops one pool's hold on the slot with index i.
func (t *handleTable) unpool(i uint32) {
	s := t.slot(i)
	ptr := s.ptr.Load()
	sh := t.shard(ptr)
	sh.Lock()
	if now := s.ptr.Load(); now != ptr {
		// The slot has been retired since: it is now guarded by the lock of address 0.
		sh.Unlock()
		ptr, sh = now, t.shard(now)
		sh.Lock()
	}
	defer sh.Unlock()
	s.pools--
	t.reap(sh.index, s, i, ptr)
}

// reap frees the slot if nothing holds it.
func (t *handleTable) reap(index map[uintptr]uint32, s *slot, i uint32, ptr uintptr) {
	if s.refs > 0 || s.pools > 0 || s.pinned {
		return
	}
	if ptr != 0 {
		delete(index, ptr)
		t.kill(s)
	}
	t.alloc.Lock()
	t.alloc.free = append(t.alloc.free, i)
	t.alloc.Unlock()
}

// retire invalidates the handles of a slot, which pools may still hold, and frees its address for
// another slot.
func (t *handleTable) retire(index map[uintptr]uint32, i uint32, ptr uintptr) {
	s := t.slot(i)
	s.pinned = false
	if s.pools == 0 {
		t.reap(index, s, i, ptr)
		return
	}
	delete(index, ptr)
	t.kill(s)
}

// kill invalidates every ID of the slot.
func (t *handleTable) kill(s *slot) {
	s.key.Store(nextKey(s.key.Load()))
	s.ptr.Store(0)
	s.class.Store(0)
}

// each calls f for every slot of which the program owns references.
func (t *handleTable) each(f func(id ID, class uintptr, refs int)) {
	for n := range t.shards {
		sh := &t.shards[n]
		sh.Lock()
		for _, i := range sh.index {
			if s := t.slot(i); s.refs > 0 {
				f(makeHandle(i, s.key.Load()), s.class.Load(), int(s.refs))
			}
		}
		sh.Unlock()
	}
}

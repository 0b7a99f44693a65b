//go:build (darwin || linux) && (amd64 || arm64)

package objc

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func classIs(c uintptr) func(uintptr) uintptr { return func(uintptr) uintptr { return c } }

func TestHandlesAreInterned(t *testing.T) {
	var h handleTable
	a, _, err := h.intern(0x1000, holdOwned, classIs(7))
	require.NoError(t, err)
	b, _, err := h.intern(0x1000, holdOwned, classIs(7))
	require.NoError(t, err)
	require.Equal(t, a, b)
	ptr, err := h.address(a)
	require.NoError(t, err)
	require.Equal(t, uintptr(0x1000), ptr)
	_, err = h.dropRef(a)
	require.NoError(t, err)
	_, err = h.address(a)
	require.NoError(t, err)
	_, err = h.dropRef(a)
	require.NoError(t, err)
	_, err = h.address(a)
	require.ErrorIs(t, err, ErrReleased)
	_, err = h.dropRef(a)
	require.ErrorIs(t, err, ErrReleased)

	// The slot is reused under another key.
	c, _, err := h.intern(0x2000, holdOwned, classIs(7))
	require.NoError(t, err)
	require.NotEqual(t, a, c)
	require.Equal(t, uint32(a), uint32(c))
	_, err = h.address(a)
	require.ErrorIs(t, err, ErrReleased)
}

func TestBorrowedHandlesCannotBeReleased(t *testing.T) {
	var h handleTable
	id, _, err := h.intern(0x1000, holdPooled, classIs(7))
	require.NoError(t, err)
	_, err = h.dropRef(id)
	require.ErrorIs(t, err, ErrOverRelease)
	_, _, err = h.poolRef(id, false)
	require.ErrorIs(t, err, ErrOverRelease)
}

// The address of a borrowed object that was freed may hold an object of another class when it is
// seen again.
func TestAddressesAreReused(t *testing.T) {
	var h handleTable
	old, i, err := h.intern(0x1000, holdPooled, classIs(7))
	require.NoError(t, err)
	pinned, _, err := h.intern(0x2000, holdPinned, classIs(7))
	require.NoError(t, err)

	now, _, err := h.intern(0x1000, holdOwned, classIs(8))
	require.NoError(t, err)
	require.NotEqual(t, old, now)
	_, err = h.address(old)
	require.ErrorIs(t, err, ErrReleased)
	s, err := h.live(now)
	require.NoError(t, err)
	require.Equal(t, uintptr(8), s.class.Load())
	h.unpool(i) // the old handle's pool ends
	_, err = h.address(now)
	require.NoError(t, err)

	_, _, err = h.intern(0x2000, holdOwned, classIs(9))
	require.NoError(t, err)
	_, err = h.address(pinned)
	require.ErrorIs(t, err, ErrReleased)

	// With the same class, that is only detectable if the object is known to be new.
	same1, _, err := h.intern(0x3000, holdPooled, classIs(7))
	require.NoError(t, err)
	same2, _, err := h.intern(0x3000, holdOwned, classIs(7))
	require.NoError(t, err)
	require.Equal(t, same1, same2)
	_, err = h.dropRef(same2)
	require.NoError(t, err)
	fresh, _, err := h.intern(0x3000, holdMade, classIs(7))
	require.NoError(t, err)
	require.NotEqual(t, same1, fresh)

	// An owned object keeps its class, whatever it reports later.
	same, _, err := h.intern(0x1000, holdOwned, classIs(10))
	require.NoError(t, err)
	require.Equal(t, now, same)
}

func TestNoHandles(t *testing.T) {
	var h handleTable
	for _, id := range []ID{1, 0xdeadbeef, 0x7fff_0000_1000, ^ID(0), handleTag << tagShift, handleTag<<tagShift | 5} {
		_, err := h.address(id)
		require.Errorf(t, err, "%#x", uintptr(id))
	}
}

// Random histories of one table against a model, then the same on many goroutines for the race
// detector.
func TestHandleHistories(t *testing.T) {
	var h handleTable
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		refs := map[uintptr]int{}
		ids := map[uintptr]ID{}
		for range 2000 {
			ptr := uintptr(1+r.IntN(50)) << 4
			switch r.IntN(3) {
			case 0:
				id, _, err := h.intern(ptr, holdOwned, classIs(ptr))
				require.NoError(t, err)
				if refs[ptr] > 0 {
					require.Equal(t, ids[ptr], id)
				}
				refs[ptr]++
				ids[ptr] = id
			case 1:
				_, err := h.addRef(ids[ptr])
				require.Equal(t, refs[ptr] > 0, err == nil)
				if err == nil {
					refs[ptr]++
				}
			case 2:
				_, err := h.dropRef(ids[ptr])
				require.Equal(t, refs[ptr] > 0, err == nil)
				if err == nil {
					refs[ptr]--
				}
			}
		}
		for ptr, n := range refs {
			for range n {
				_, err := h.dropRef(ids[ptr])
				require.NoError(t, err)
			}
		}
		require.Zero(t, h.owned.Load())
	}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(g, 2))
			for range 2000 {
				id, i, err := h.intern(uintptr(1+r.IntN(20))<<4, holdPooled, func(p uintptr) uintptr { return p })
				if err != nil {
					t.Error(err)
				}
				if _, err := h.address(id); err != nil {
					t.Error(err)
				}
				h.unpool(i)
			}
		})
	}
	wg.Wait()
}

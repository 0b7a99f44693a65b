package objc

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoolEndsBorrowedHandles(t *testing.T) {
	clean(t)
	var lost ID
	var kept ID
	Pool(func() {
		s := NewString("a string that is no tagged pointer, ")
		defer Release(s)
		lost = ID(tm(tmAppend).Call(s, uintptr(s)))
		kept = ID(tm(tmAppend).Call(lost, uintptr(s))).Retain()
		require.NotEmpty(t, GoString(lost))
	})
	wantFault(t, ErrReleased, func() { tm(tmLength).Call(lost) })
	require.Equal(t, uintptr(3*36), tm(tmLength).Call(kept))
	Release(kept)
	wantFault(t, ErrReleased, func() { tm(tmLength).Call(kept) })
}

func TestPoolsNest(t *testing.T) {
	clean(t)
	Pool(func() {
		s := NewString("a string that is no tagged pointer, ")
		Autorelease(s)
		Pool(func() {
			inner := ID(tm(tmAppend).Call(s, uintptr(s)))
			require.NotZero(t, tm(tmLength).Call(inner))
		})
		require.Equal(t, uintptr(36), tm(tmLength).Call(s))
	})
}

func TestPoolDrainsAfterPanic(t *testing.T) {
	clean(t)
	var id ID
	require.PanicsWithValue(t, "boom", func() {
		Pool(func() {
			id = NewString("a string that is no tagged pointer")
			Autorelease(id)
			panic("boom")
		})
	})
	wantFault(t, ErrReleased, func() { tm(tmLength).Call(id) })
}

func TestExplicitPool(t *testing.T) {
	clean(t)
	p, err := NewAutoreleasePool()
	require.NoError(t, err)
	s := NewString("a string that is no tagged pointer")
	Autorelease(s)

	var wg sync.WaitGroup
	wg.Go(func() { require.ErrorIs(t, p.Drain(), ErrThread) })
	wg.Wait()
	require.NotZero(t, tm(tmLength).Call(s))

	require.NoError(t, p.Drain())
	require.ErrorIs(t, p.Drain(), ErrThread)
	wantFault(t, ErrReleased, func() { tm(tmLength).Call(s) })
}

// Draining an outer pool also drains the pools inside it that were left open.
func TestForgottenInnerPool(t *testing.T) {
	clean(t)
	debug.on.Store(true)
	defer debug.on.Store(false)
	outer, err := NewAutoreleasePool()
	require.NoError(t, err)
	inner, err := NewAutoreleasePool()
	require.NoError(t, err)
	require.Len(t, OpenPools(), 2)
	require.Contains(t, OpenPools()[0], "pool_test.go:")
	s := NewString("a string that is no tagged pointer")
	Autorelease(s)
	require.NoError(t, outer.Drain())
	require.ErrorIs(t, inner.Drain(), ErrThread)
	wantFault(t, ErrReleased, func() { tm(tmLength).Call(s) })
	require.Empty(t, OpenPools())
}

// An object in the pools of several goroutines lives until the last of them is drained.
func TestPoolsShareAnObject(t *testing.T) {
	clean(t)
	a := NewStrings([]string{"a string that is no tagged pointer"})
	defer Release(a)
	first := make(chan ID)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		Pool(func() {
			first <- ID(tm(tmFirst).Call(a))
			<-done
		})
	})
	id := <-first
	Pool(func() { require.Equal(t, id, ID(tm(tmFirst).Call(a))) })
	require.NotZero(t, tm(tmLength).Call(id))
	close(done)
	wg.Wait()
}

func TestRetainCounts(t *testing.T) {
	clean(t)
	a := NewStrings([]string{"x"})
	require.Equal(t, 1, RetainCount(a))
	Retain(a)
	require.Equal(t, 2, RetainCount(a))
	Release(a)
	Release(a)
	wantFault(t, ErrReleased, func() { Release(a) })
}

func TestLeaksNameTheirSite(t *testing.T) {
	clean(t)
	d, err := CurrentDriver()
	require.NoError(t, err)
	debug.on.Store(true)
	defer debug.on.Store(false)
	if d == DriverSoftware {
		driverInUse.Load().soft.TrackSites(true)
		defer driverInUse.Load().soft.TrackSites(false)
	}
	a := NewStrings([]string{"leaked"})
	var found bool
	for _, l := range Leaks() {
		if l.ID == a {
			found = true
			require.Contains(t, l.String(), "pool_test.go:")
			require.Equal(t, 1, l.Refs)
			require.Contains(t, l.Class, "Array")
		}
	}
	require.True(t, found)
	Release(a)
	for _, l := range Leaks() {
		require.NotEqual(t, a, l.ID)
	}
}

// Many goroutines make, share and drop the same objects.
func TestHandlesUnderLoad(t *testing.T) {
	clean(t)
	shared := NewStrings([]string{"a string that is no tagged pointer"})
	defer Release(shared)
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 200 {
				Pool(func() {
					s := ID(tm(tmFirst).Call(shared))
					Retain(s)
					if tm(tmLength).Call(s) != 34 {
						t.Errorf("goroutine %d, round %d: wrong length", g, i)
					}
					Release(s)
				})
			}
		})
	}
	wg.Wait()
}

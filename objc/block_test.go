package objc

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/require"
)

func TestBlocks(t *testing.T) {
	clean(t)
	var got []uintptr
	b := NewBlock("q@?QB", func(args []uintptr) uintptr {
		got = append(got[:0], args...)
		return args[0] + 1
	})
	r, err := b.Call("q@?QB", 41, 1)
	require.NoError(t, err)
	require.Equal(t, uintptr(42), r)
	require.Equal(t, []uintptr{41, 1}, got)
	_, err = b.Call("q@?QB", 1)
	require.Error(t, err)
	b.Release()
	_, err = b.Call("q@?QB", 1, 2)
	require.ErrorIs(t, err, ErrReleased)
	require.True(t, NewBlock("v@?", nil).IsNil())
	b, err = TryNewBlock("v@?", func([]uintptr) uintptr { return 0 })
	require.NoError(t, err)
	b.Release()
}

func TestBlockOfObjects(t *testing.T) {
	clean(t)
	s := NewString("a string that is no tagged pointer")
	defer Release(s)
	var seen ID
	b := NewBlock("@@?@", func(args []uintptr) uintptr {
		seen = ID(args[0])
		return args[0]
	})
	defer b.Release()
	Pool(func() {
		r, err := b.Call("@@?@", uintptr(s))
		require.NoError(t, err)
		require.Equal(t, s, ID(r))
	})
	require.Equal(t, s, seen)
	r, err := b.Call("@@?@", 0)
	require.NoError(t, err)
	require.Zero(t, r)
}

func TestBlockPanics(t *testing.T) {
	clean(t)
	var got *PanicError
	defer OnPanic(func(e *PanicError) { got = e })()
	cause := errors.New("from inside")
	b := NewBlock("Q@?", func([]uintptr) uintptr { panic(cause) })
	defer b.Release()
	r, err := b.Call("Q@?")
	require.NoError(t, err)
	require.Zero(t, r)
	require.NotNil(t, got)
	require.ErrorIs(t, got, ErrPanic)
	require.Equal(t, cause, got.Value)
	require.Contains(t, string(got.Stack), "TestBlockPanics")
}

// TestBlockExits: a block that ends its goroutine does not end its caller's, and its result is 0.
func TestBlockExits(t *testing.T) {
	clean(t)
	var got *PanicError
	defer OnPanic(func(e *PanicError) { got = e })()
	for _, encoding := range []string{"v@?", "Q@?", "@@?"} {
		got = nil
		b := NewBlock(encoding, func([]uintptr) uintptr { runtime.Goexit(); return 7 })
		r, err := b.Call(encoding)
		b.Release()
		require.NoError(t, err)
		require.Zero(t, r)
		require.NotNil(t, got)
		require.Equal(t, errExited, got.Value)
	}
}

// TestBlockObject: an object that a block returns, autoreleased, is valid in the caller's pool and
// freed with it.
func TestBlockObject(t *testing.T) {
	clean(t)
	b := NewBlock("@@?", func([]uintptr) uintptr {
		s := NewString("made in a block")
		Autorelease(s)
		return uintptr(s)
	})
	defer b.Release()
	var s ID
	Pool(func() {
		r, err := b.Call("@@?")
		require.NoError(t, err)
		s = ID(r)
		require.Equal(t, "made in a block", GoString(s))
	})
	require.ErrorIs(t, Live(s), ErrReleased)
}

func TestBadBlocks(t *testing.T) {
	clean(t)
	f := func([]uintptr) uintptr { return 0 }
	for _, enc := range []string{"", "v", "v@", "nonsense", "v@?{"} {
		_, err := TryNewBlock(enc, f)
		require.Errorf(t, err, "%q", enc)
	}
}

// The Go function is freed with the block's last reference.
func TestBlockIsFreed(t *testing.T) {
	clean(t)
	freed := make(chan struct{})
	func() {
		captured := new([1 << 16]byte)
		runtime.AddCleanup(captured, func(struct{}) { close(freed) }, struct{}{})
		b := NewBlock("v@?", func([]uintptr) uintptr { return uintptr(captured[0]) })
		copied := b.ID().Retain()
		b.Release()
		_, err := BlockFrom(copied).Call("v@?")
		require.NoError(t, err)
		Release(copied)
	}()
	settle.Until(t, "the function behind a released block is unreachable", func() bool {
		runtime.GC()
		select {
		case <-freed:
			return true
		default:
			return false
		}
	})
}

func TestBlocksFromManyGoroutines(t *testing.T) {
	clean(t)
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			for i := range 50 {
				b := NewBlock("Q@?Q", func(a []uintptr) uintptr { return a[0] * uintptr(g) })
				if r, err := b.Call("Q@?Q", uintptr(i)); err != nil || r != uintptr(i*g) {
					t.Errorf("%d*%d: %d, %v", i, g, r, err)
				}
				b.Release()
			}
		})
	}
	wg.Wait()
}

// TestBlockReturnsAutoreleased: an object that a block autoreleases and returns lives until the
// caller's pool is drained.
func TestBlockReturnsAutoreleased(t *testing.T) {
	Pool(func() {
		b := NewBlock("@@?", func([]uintptr) uintptr {
			s := NewString("made in the block")
			Autorelease(s)
			return uintptr(s)
		})
		defer b.Release()
		r, err := b.Call("@@?")
		require.NoError(t, err)
		require.Equal(t, "made in the block", GoString(ID(r)))
	})
}

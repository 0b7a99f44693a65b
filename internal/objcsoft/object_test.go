package objcsoft

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounts(t *testing.T) {
	w := newWorld(t)
	class := w.Class("NSObject")
	a := w.NewObject(class, nil)
	require.Equal(t, 1, w.RetainCount(a))
	require.NoError(t, w.Retain(a))
	require.Equal(t, a, w.id(a, "retain"))
	require.EqualValues(t, 3, w.send(a, "retainCount"))
	w.send(a, "release")
	require.NoError(t, w.Release(a))
	require.True(t, w.IsLive(a))
	require.NoError(t, w.Release(a))
	require.False(t, w.IsLive(a))
	require.Zero(t, w.RetainCount(a))
	require.ErrorIs(t, w.Release(a), ErrReleased)
	require.ErrorContains(t, w.Release(a), "-[NSObject release]: object is released")
	require.ErrorIs(t, w.Retain(a), ErrReleased)
	require.ErrorIs(t, w.Release(7), ErrNotObject)
	require.NoError(t, w.Retain(0))
	require.NoError(t, w.Release(0))
	require.NoError(t, w.Autorelease(0))
}

func TestDealloc(t *testing.T) {
	w := newWorld(t)
	var order []string
	w.register(ClassSpec{
		Name:    "Upper",
		Alloc:   func(o *Object) { o.Payload = "upper" },
		Dealloc: func(*Object) { order = append(order, "upper") },
	})
	var inside error
	lower := w.register(ClassSpec{
		Name: "Lower", Super: "Upper",
		Alloc: func(o *Object) { o.Payload = o.Payload.(string) + " lower" },
		Dealloc: func(o *Object) {
			order = append(order, "lower")
			_, err := w.Message(o.ID(), "hash", "Q@:")
			require.NoError(t, err, "it answers while it is freed")
			inside = w.Retain(o.ID())
			require.Zero(t, w.RetainCount(o.ID()))
		},
	})
	x := w.id(lower.ID(), "new")
	o, err := w.Object(x)
	require.NoError(t, err)
	require.Equal(t, "upper lower", o.Payload)
	require.NoError(t, w.Release(x))
	require.Equal(t, []string{"lower", "upper"}, order)
	require.ErrorIs(t, inside, ErrReleased, "and cannot be revived")
	require.ErrorContains(t, inside, "being deallocated")

	w.register(ClassSpec{Name: "Bad", Super: "Upper", Dealloc: func(*Object) { panic("oh") }})
	order = nil
	err = w.Release(w.NewObject(w.Class("Bad"), nil))
	require.ErrorIs(t, err, ErrPanic)
	require.ErrorContains(t, err, "-[Bad dealloc]: panic: oh")
	require.Equal(t, []string{"upper"}, order, "the other hooks run all the same")

	w.register(ClassSpec{Name: "BadAlloc", Alloc: func(*Object) { panic("oh") }})
	_, err = w.try(w.class("BadAlloc"), "alloc")
	require.ErrorIs(t, err, ErrPanic)
	require.Zero(t, w.Live("BadAlloc"))
}

func TestWeak(t *testing.T) {
	w := newWorld(t)
	a := w.NewObject(w.Class("NSObject"), nil)
	weak, err := w.NewWeak(a)
	require.NoError(t, err)
	require.Equal(t, a, weak.Load())
	require.Equal(t, 2, w.RetainCount(a))
	require.NoError(t, w.Release(a))
	require.NoError(t, w.Release(a))
	require.Zero(t, weak.Load())
	_, err = w.NewWeak(a)
	require.ErrorIs(t, err, ErrReleased)
	none, err := w.NewWeak(0)
	require.NoError(t, err)
	require.Zero(t, none.Load())

	// Loads and the last release meet: each load gets the object alive or nil.
	for range 200 {
		a := w.NewObject(w.Class("NSObject"), nil)
		weak, err := w.NewWeak(a)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if id := weak.Load(); id != 0 {
					if _, err := w.Message(id, "hash", "Q@:"); err != nil {
						t.Error(err)
					}
					if err := w.Release(id); err != nil {
						t.Error(err)
					}
				}
			})
		}
		require.NoError(t, w.Release(a))
		wg.Wait()
		require.Zero(t, weak.Load())
	}
}

func TestPools(t *testing.T) {
	w := newWorld(t)
	class := w.Class("NSObject")
	require.Equal(t, 1, w.PoolDepth())
	outer := w.PushPool()
	a := w.NewObject(class, nil)
	require.NoError(t, w.Autorelease(a))
	inner := w.PushPool()
	require.Equal(t, 3, w.PoolDepth())
	b := w.NewObject(class, nil)
	require.Equal(t, b, w.id(b, "autorelease"))
	require.Len(t, w.OpenPools(), 3)
	require.NoError(t, w.PopPool(inner))
	require.False(t, w.IsLive(b))
	require.True(t, w.IsLive(a))
	require.ErrorIs(t, w.PopPool(inner), ErrPool)
	require.ErrorContains(t, w.PopPool(inner), "popped twice")
	require.NoError(t, w.PopPool(outer))
	require.False(t, w.IsLive(a))

	// An inner pool that is left goes with the outer one, and is an error.
	outer = w.PushPool()
	w.PushPool()
	c := w.NewObject(class, nil)
	require.NoError(t, w.Autorelease(c))
	err := w.PopPool(outer)
	require.ErrorIs(t, err, ErrPool)
	require.ErrorContains(t, err, "1 inner pools left")
	require.False(t, w.IsLive(c))
	require.Equal(t, 1, w.PoolDepth())

	// Over-release shows at the drain.
	outer = w.PushPool()
	d := w.NewObject(class, nil)
	require.NoError(t, w.Autorelease(d))
	require.NoError(t, w.Release(d))
	require.ErrorIs(t, w.PopPool(outer), ErrReleased)
	require.ErrorIs(t, w.PopPool(Token{}), ErrPool)
}

func TestPoolsOfGoroutines(t *testing.T) {
	w := New()
	token := w.PushPool()
	errs := make(chan error)
	go func() { errs <- w.PopPool(token) }()
	err := <-errs
	require.ErrorIs(t, err, ErrPool)
	require.ErrorContains(t, err, "another goroutine")
	require.NoError(t, w.PopPool(token))

	w.TrackSites(true)
	go func() {
		w.PushPool()
		errs <- w.Autorelease(w.NewObject(w.Class("NSObject"), nil))
	}()
	require.NoError(t, <-errs)
	open := w.OpenPools()
	require.Len(t, open, 1, "left on a goroutine that is gone")
	require.Equal(t, 1, open[0].Objects)
	require.Contains(t, open[0].Site, "object_test.go:")

	x := w.NewObject(w.Class("NSObject"), nil)
	go func() { errs <- w.Autorelease(x) }()
	require.NoError(t, <-errs)
}

func TestNoPool(t *testing.T) {
	w := New()
	require.Zero(t, w.PoolDepth())
	x := w.NewObject(w.Class("NSObject"), nil)
	require.NoError(t, w.Autorelease(x))
	require.Equal(t, 1, w.NoPoolCount())
	require.True(t, w.IsLive(x), "it stays alive")
	require.NoError(t, w.Autorelease(w.ConstantString("x")))
	require.Equal(t, 1, w.NoPoolCount(), "immortals need no pool")
	require.Equal(t, 1, w.LiveTotal())
}

// TestPoolDrainsWhatDrainingAdds: objects autoreleased by Dealloc hooks go with
// the same pool.
func TestPoolDrainsWhatDrainingAdds(t *testing.T) {
	w := newWorld(t)
	var chain *Class
	chain = w.register(ClassSpec{Name: "Chain", Dealloc: func(o *Object) {
		if n := o.Payload.(int); n > 0 {
			require.NoError(t, w.Autorelease(w.NewObject(chain, n-1)))
		}
	}})
	token := w.PushPool()
	for range 100 {
		require.NoError(t, w.Autorelease(w.NewObject(chain, 3)))
	}
	require.NoError(t, w.PopPool(token))
	require.Zero(t, w.Live("Chain"))
}

func TestLive(t *testing.T) {
	w := New()
	_, err := w.RegisterProtocol("Resource")
	require.NoError(t, err)
	a, err := w.Register(ClassSpec{Name: "A", Protocols: []string{"Resource"}})
	require.NoError(t, err)
	b, err := w.Register(ClassSpec{Name: "B", Super: "A"})
	require.NoError(t, err)
	w.NewObject(w.Class("NSObject"), nil)
	w.TrackSites(true)
	x := w.NewObject(a, nil)
	w.NewObject(b, nil)
	require.Equal(t, 2, w.Live("A"))
	require.Equal(t, 1, w.Live("B"))
	require.Equal(t, 2, w.Live("Resource"))
	require.Equal(t, 3, w.Live("NSObject"))
	require.Zero(t, w.Live("Nowhere"))
	require.Equal(t, 3, w.LiveTotal())
	require.Equal(t, map[string]int{"NSObject": 1, "A": 1, "B": 1}, w.LiveByClass())
	require.NoError(t, w.Retain(x))
	leaks := w.Leaks()
	require.Len(t, leaks, 3)
	require.Empty(t, leaks[0].Site)
	require.Equal(t, Leak{ID: x, Class: "A", Refs: 2, Site: leaks[1].Site}, leaks[1])
	require.Contains(t, leaks[1].Site, "object_test.go:")
}

func TestBlocks(t *testing.T) {
	w := newWorld(t)
	sum := 0
	id, err := w.NewBlock("i@?cB", func(args []uintptr) uintptr {
		sum += int(int64(args[0])) + int(args[1])
		return 0x1_ffff_ffff
	})
	require.NoError(t, err)
	require.Equal(t, "i@?cB", w.BlockEncoding(id))
	require.Equal(t, 1, w.Live("__NSMallocBlock__"))
	copied := w.id(id, "copy")
	require.Equal(t, id, copied)
	require.NoError(t, w.Release(id))
	res, err := w.InvokeBlock(copied, []uintptr{0xfe, 0x10})
	require.NoError(t, err)
	require.Equal(t, ^uintptr(0), res)
	require.Equal(t, -1, sum)
	_, err = w.InvokeBlock(copied, nil)
	require.ErrorIs(t, err, ErrEncoding)
	require.NoError(t, w.Release(copied))
	_, err = w.InvokeBlock(copied, []uintptr{1, 2})
	require.ErrorIs(t, err, ErrReleased)
	_, err = w.InvokeBlock(0, nil)
	require.ErrorIs(t, err, ErrNotObject)
	_, err = w.InvokeBlock(w.str("x"), nil)
	require.ErrorIs(t, err, ErrNotObject)
	require.Empty(t, w.BlockEncoding(w.str("x")))
	_, err = w.NewBlock("v@?", nil)
	require.Error(t, err)
	_, err = w.NewBlock("v", func([]uintptr) uintptr { return 0 })
	require.Error(t, err)
	_, err = w.NewBlock("{?=QQQ}@?", func([]uintptr) uintptr { return 0 })
	require.ErrorContains(t, err, "returns 3 words, limit 1")
}

func TestBlockPanic(t *testing.T) {
	w := newWorld(t)
	cause := errors.New("cause")
	id, err := w.NewBlock("Q@?", func([]uintptr) uintptr { panic(cause) })
	require.NoError(t, err)
	w.own(id)
	var heard error
	w.OnBlockPanic(func(block ID, err error) {
		require.Equal(t, id, block)
		heard = err
	})
	_, err = w.InvokeBlock(id, nil)
	require.ErrorIs(t, err, ErrPanic)
	require.ErrorIs(t, err, cause)
	require.Equal(t, err, heard)
	heard = nil
	w.OnBlockPanic(nil)
	_, err = w.InvokeBlock(id, nil)
	require.ErrorIs(t, err, ErrPanic)
	require.NoError(t, heard)
	require.Equal(t, 1, w.RetainCount(id), "the call's own count is given back")
}

// TestBlockReleasesItself: a block may release its last count while it runs.
func TestBlockReleasesItself(t *testing.T) {
	w := newWorld(t)
	var id ID
	id, err := w.NewBlock("v@?", func([]uintptr) uintptr {
		require.NoError(t, w.Release(id))
		require.True(t, w.IsLive(id))
		return 0
	})
	require.NoError(t, err)
	_, err = w.InvokeBlock(id, nil)
	require.NoError(t, err)
	require.False(t, w.IsLive(id))
}

func TestBlockFreesCapture(t *testing.T) {
	w := newWorld(t)
	freed := make(chan struct{})
	func() {
		captured := new([1 << 10]byte)
		runtime.AddCleanup(captured, func(c chan struct{}) { close(c) }, freed)
		id, err := w.NewBlock("v@?", func([]uintptr) uintptr { captured[0]++; return 0 })
		require.NoError(t, err)
		_, err = w.InvokeBlock(id, nil)
		require.NoError(t, err)
		require.NoError(t, w.Release(id))
	}()
	for {
		runtime.GC()
		select {
		case <-freed:
			return
		default:
			runtime.Gosched()
		}
	}
}

func TestGoroutine(t *testing.T) {
	require.Equal(t, goroutine(), goroutine())
	require.Equal(t, goroutineFromStack(), goroutineFromStack())
	require.NotZero(t, goroutineFromStack())
	other := make(chan [2]uintptr)
	go func() { other <- [2]uintptr{goroutine(), goroutineFromStack()} }()
	got := <-other
	require.NotEqual(t, goroutine(), got[0])
	require.NotEqual(t, goroutineFromStack(), got[1])
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		used := stackUsed()
		require.Greater(t, used, uintptr(64))
		require.Less(t, used, uintptr(1<<20))
	}
}

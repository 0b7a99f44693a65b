package objcsoft

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounts(t *testing.T) {
	h := newHarness(t)
	class := h.Class("NSObject")
	a := h.NewObject(class, nil)
	require.Equal(t, 1, h.RetainCount(a))
	require.NoError(t, h.Retain(a))
	require.Equal(t, a, h.id(a, "retain"))
	require.EqualValues(t, 3, h.send(a, "retainCount"))
	h.send(a, "release")
	require.NoError(t, h.Release(a))
	require.True(t, h.IsLive(a))
	require.NoError(t, h.Release(a))
	require.False(t, h.IsLive(a))
	require.Zero(t, h.RetainCount(a))
	require.ErrorIs(t, h.Release(a), ErrReleased)
	require.ErrorContains(t, h.Release(a), "-[NSObject release]: object is released")
	require.ErrorIs(t, h.Retain(a), ErrReleased)
	require.ErrorIs(t, h.Release(7), ErrNotObject)
	require.NoError(t, h.Retain(0))
	require.NoError(t, h.Release(0))
	require.NoError(t, h.Autorelease(0))
}

func TestDealloc(t *testing.T) {
	h := newHarness(t)
	var order []string
	h.register(ClassSpec{
		Name:    "Upper",
		Alloc:   func(o *Object) { o.Payload = "upper" },
		Dealloc: func(*Object) { order = append(order, "upper") },
	})
	var inside error
	lower := h.register(ClassSpec{
		Name: "Lower", Super: "Upper",
		Alloc: func(o *Object) { o.Payload = o.Payload.(string) + " lower" },
		Dealloc: func(o *Object) {
			order = append(order, "lower")
			_, err := h.Message(o.ID(), "hash", "Q@:")
			require.NoError(t, err, "it answers while it is freed")
			inside = h.Retain(o.ID())
			require.Zero(t, h.RetainCount(o.ID()))
		},
	})
	x := h.id(lower.ID(), "new")
	o, err := h.Object(x)
	require.NoError(t, err)
	require.Equal(t, "upper lower", o.Payload)
	require.NoError(t, h.Release(x))
	require.Equal(t, []string{"lower", "upper"}, order)
	require.ErrorIs(t, inside, ErrReleased, "and cannot be revived")
	require.ErrorContains(t, inside, "being deallocated")

	h.register(ClassSpec{Name: "Bad", Super: "Upper", Dealloc: func(*Object) { panic("oh") }})
	order = nil
	err = h.Release(h.NewObject(h.Class("Bad"), nil))
	require.ErrorIs(t, err, ErrPanic)
	require.ErrorContains(t, err, "-[Bad dealloc]: panic: oh")
	require.Equal(t, []string{"upper"}, order, "the other hooks run all the same")

	h.register(ClassSpec{Name: "BadAlloc", Alloc: func(*Object) { panic("oh") }})
	_, err = h.try(h.class("BadAlloc"), "alloc")
	require.ErrorIs(t, err, ErrPanic)
	require.Zero(t, h.Live("BadAlloc"))
}

func TestWeak(t *testing.T) {
	h := newHarness(t)
	a := h.NewObject(h.Class("NSObject"), nil)
	weak, err := h.NewWeak(a)
	require.NoError(t, err)
	require.Equal(t, a, weak.Load())
	require.Equal(t, 2, h.RetainCount(a))
	require.NoError(t, h.Release(a))
	require.NoError(t, h.Release(a))
	require.Zero(t, weak.Load())
	_, err = h.NewWeak(a)
	require.ErrorIs(t, err, ErrReleased)
	none, err := h.NewWeak(0)
	require.NoError(t, err)
	require.Zero(t, none.Load())

	// Loads and the last release meet: each load gets the object alive or nil.
	for range 200 {
		a := h.NewObject(h.Class("NSObject"), nil)
		weak, err := h.NewWeak(a)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if id := weak.Load(); id != 0 {
					if _, err := h.Message(id, "hash", "Q@:"); err != nil {
						t.Error(err)
					}
					if err := h.Release(id); err != nil {
						t.Error(err)
					}
				}
			})
		}
		require.NoError(t, h.Release(a))
		wg.Wait()
		require.Zero(t, weak.Load())
	}
}

func TestPools(t *testing.T) {
	h := newHarness(t)
	class := h.Class("NSObject")
	require.Equal(t, 1, h.PoolDepth())
	outer := h.PushPool()
	a := h.NewObject(class, nil)
	require.NoError(t, h.Autorelease(a))
	inner := h.PushPool()
	require.Equal(t, 3, h.PoolDepth())
	b := h.NewObject(class, nil)
	require.Equal(t, b, h.id(b, "autorelease"))
	require.Len(t, h.OpenPools(), 3)
	require.NoError(t, h.PopPool(inner))
	require.False(t, h.IsLive(b))
	require.True(t, h.IsLive(a))
	require.ErrorIs(t, h.PopPool(inner), ErrPool)
	require.ErrorContains(t, h.PopPool(inner), "popped twice")
	require.NoError(t, h.PopPool(outer))
	require.False(t, h.IsLive(a))

	// An inner pool that is left goes with the outer one, and is an error.
	outer = h.PushPool()
	h.PushPool()
	c := h.NewObject(class, nil)
	require.NoError(t, h.Autorelease(c))
	err := h.PopPool(outer)
	require.ErrorIs(t, err, ErrPool)
	require.ErrorContains(t, err, "1 inner pools left")
	require.False(t, h.IsLive(c))
	require.Equal(t, 1, h.PoolDepth())

	// Over-release shows at the drain.
	outer = h.PushPool()
	d := h.NewObject(class, nil)
	require.NoError(t, h.Autorelease(d))
	require.NoError(t, h.Release(d))
	require.ErrorIs(t, h.PopPool(outer), ErrReleased)
	require.ErrorIs(t, h.PopPool(Token{}), ErrPool)
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
	h := newHarness(t)
	var chain *Class
	chain = h.register(ClassSpec{Name: "Chain", Dealloc: func(o *Object) {
		if n := o.Payload.(int); n > 0 {
			require.NoError(t, h.Autorelease(h.NewObject(chain, n-1)))
		}
	}})
	token := h.PushPool()
	for range 100 {
		require.NoError(t, h.Autorelease(h.NewObject(chain, 3)))
	}
	require.NoError(t, h.PopPool(token))
	require.Zero(t, h.Live("Chain"))
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

// TestKeep: an object that is kept counts as little as an immortal one, and is freed all the same.
func TestKeep(t *testing.T) {
	w := New()
	freed := 0
	a, err := w.Register(ClassSpec{Name: "A", Dealloc: func(*Object) { freed++ }})
	require.NoError(t, err)
	x, y := w.NewObject(a, nil), w.NewObject(a, nil)
	require.NoError(t, w.Keep(0))
	require.NoError(t, w.Keep(x))
	require.NoError(t, w.Keep(x), "again")
	require.NoError(t, w.Keep(w.NewImmortal(a, nil)))
	require.Equal(t, 1, w.LiveTotal())
	require.Equal(t, 1, w.Live("A"))
	require.Len(t, w.Leaks(), 1)
	require.Equal(t, y, w.Leaks()[0].ID)
	require.NoError(t, w.Retain(x))
	require.NoError(t, w.Release(x))
	require.Zero(t, freed)
	require.NoError(t, w.Release(x))
	require.Equal(t, 1, freed)
	require.Equal(t, 1, w.LiveTotal())
	require.NoError(t, w.Release(y))
	require.Zero(t, w.LiveTotal())
	require.Error(t, w.Keep(x), "freed")
}

func TestBlocks(t *testing.T) {
	h := newHarness(t)
	sum := 0
	id, err := h.NewBlock("i@?cB", func(args []uintptr) uintptr {
		sum += int(int64(args[0])) + int(args[1])
		return 0x1_ffff_ffff
	})
	require.NoError(t, err)
	require.Equal(t, "i@?cB", h.BlockEncoding(id))
	require.Equal(t, 1, h.Live("__NSMallocBlock__"))
	copied := h.id(id, "copy")
	require.Equal(t, id, copied)
	require.NoError(t, h.Release(id))
	res, err := h.InvokeBlock(copied, []uintptr{0xfe, 0x10})
	require.NoError(t, err)
	require.Equal(t, ^uintptr(0), res)
	require.Equal(t, -1, sum)
	_, err = h.InvokeBlock(copied, nil)
	require.ErrorIs(t, err, ErrEncoding)
	require.NoError(t, h.Release(copied))
	_, err = h.InvokeBlock(copied, []uintptr{1, 2})
	require.ErrorIs(t, err, ErrReleased)
	_, err = h.InvokeBlock(0, nil)
	require.ErrorIs(t, err, ErrNotObject)
	_, err = h.InvokeBlock(h.str("x"), nil)
	require.ErrorIs(t, err, ErrNotObject)
	require.Empty(t, h.BlockEncoding(h.str("x")))
	_, err = h.NewBlock("v@?", nil)
	require.Error(t, err)
	_, err = h.NewBlock("v", func([]uintptr) uintptr { return 0 })
	require.Error(t, err)
	_, err = h.NewBlock("{?=QQQ}@?", func([]uintptr) uintptr { return 0 })
	require.ErrorContains(t, err, "returns 3 words, limit 1")
}

func TestBlockPanic(t *testing.T) {
	h := newHarness(t)
	cause := errors.New("cause")
	id, err := h.NewBlock("Q@?", func([]uintptr) uintptr { panic(cause) })
	require.NoError(t, err)
	h.own(id)
	var reported error
	h.OnBlockPanic(func(block ID, err error) {
		require.Equal(t, id, block)
		reported = err
	})
	_, err = h.InvokeBlock(id, nil)
	require.ErrorIs(t, err, ErrPanic)
	require.ErrorIs(t, err, cause)
	require.Equal(t, err, reported)
	reported = nil
	h.OnBlockPanic(nil)
	_, err = h.InvokeBlock(id, nil)
	require.ErrorIs(t, err, ErrPanic)
	require.NoError(t, reported)
	require.Equal(t, 1, h.RetainCount(id), "the call's own count is given back")
}

// TestBlockReleasesItself: a block may release its last count while it runs.
func TestBlockReleasesItself(t *testing.T) {
	h := newHarness(t)
	var id ID
	id, err := h.NewBlock("v@?", func([]uintptr) uintptr {
		require.NoError(t, h.Release(id))
		require.True(t, h.IsLive(id))
		return 0
	})
	require.NoError(t, err)
	_, err = h.InvokeBlock(id, nil)
	require.NoError(t, err)
	require.False(t, h.IsLive(id))
}

func TestBlockFreesCapture(t *testing.T) {
	h := newHarness(t)
	freed := make(chan struct{})
	func() {
		captured := new([1 << 10]byte)
		runtime.AddCleanup(captured, func(c chan struct{}) { close(c) }, freed)
		id, err := h.NewBlock("v@?", func([]uintptr) uintptr { captured[0]++; return 0 })
		require.NoError(t, err)
		_, err = h.InvokeBlock(id, nil)
		require.NoError(t, err)
		require.NoError(t, h.Release(id))
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

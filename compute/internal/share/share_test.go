package share

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rig is a cache of strings that knows which it has freed.
type rig struct {
	*Cache[string, string]
	t     *testing.T
	mu    sync.Mutex
	freed []string
	fills atomic.Int32
}

func newRig(t *testing.T, max int64) *rig {
	r := &rig{t: t}
	r.Cache = New[string](max, func(v string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.freed = append(r.freed, v)
	})
	return r
}

// gone returns what was freed since the last call.
func (r *rig) gone() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	gone := r.freed
	r.freed = nil
	return gone
}

// until lets others run until something is so.
func until(so func() bool) {
	for !so() {
		runtime.Gosched()
	}
}

// get gets a value of ten bytes.
func (r *rig) get(key string) *Entry[string, string] {
	r.t.Helper()
	e, _, err := r.Get(context.Background(), key, func(context.Context) (string, int64, error) {
		r.fills.Add(1)
		return "value of " + key, 10, nil
	})
	require.NoError(r.t, err)
	require.Equal(r.t, "value of "+key, e.Value())
	return e
}

func TestOneFlight(t *testing.T) {
	r := newRig(t, 100)
	const callers = 32
	begin := make(chan struct{})
	var made, shared atomic.Int32
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			e, found, err := r.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
				<-begin // until every caller is in
				made.Add(1)
				return "a", 10, nil
			})
			if !assert.NoError(t, err) {
				return
			}
			if found {
				shared.Add(1)
			}
			assert.Equal(t, "a", e.Value())
			e.Release()
		})
	}
	users := func() int {
		r.Cache.mu.Lock()
		defer r.Cache.mu.Unlock()
		if e := r.entries["a"]; e != nil {
			return e.uses
		}
		return 0
	}
	until(func() bool { return users() == callers })
	close(begin)
	all.Wait()
	assert.EqualValues(t, 1, made.Load())
	assert.EqualValues(t, callers-1, shared.Load())
	assert.Equal(t, Stats{Entries: 1, Unused: 1, Bytes: 10}, r.Stats())
	r.Close()
	assert.Equal(t, []string{"a"}, r.gone())
}

// TestEviction: what was used longest ago goes, what is in use stays and counts.
func TestEviction(t *testing.T) {
	r := newRig(t, 30)
	a, b, c := r.get("a"), r.get("b"), r.get("c")
	b.Release()
	a.Release()
	c.Release()
	r.get("b").Release() // now a is the oldest
	d := r.get("d")
	assert.Equal(t, []string{"value of a"}, r.gone())
	e, f := r.get("e"), r.get("f")
	assert.Equal(t, []string{"value of c", "value of b"}, r.gone())
	g := r.get("g") // over the limit, and nothing can go
	assert.Empty(t, r.gone())
	assert.Equal(t, Stats{Entries: 4, Bytes: 40, Evictions: 3}, r.Stats())
	d2 := d.Use()
	d.Release()
	assert.Empty(t, r.gone())
	d2.Release()
	assert.Equal(t, []string{"value of d"}, r.gone())
	before := r.fills.Load()
	e2 := r.get("e")
	assert.Equal(t, before, r.fills.Load(), "made again")
	for _, x := range []*Entry[string, string]{e, e2, f, g} {
		x.Release()
	}
	assert.Equal(t, Stats{Entries: 3, Unused: 3, Bytes: 30, Evictions: 4}, r.Stats())
	r.Close()
	assert.Len(t, r.gone(), 3)
	assert.Equal(t, Stats{Evictions: 4}, r.Stats())
}

// TestGivingUp: the one that began gives up, another that waits gets the value. When all have given
// up, the value of a fill that ignores that is kept.
func TestGivingUp(t *testing.T) {
	r := newRig(t, 100)
	begin := make(chan struct{})
	fill := func(ctx context.Context) (string, int64, error) {
		<-begin
		assert.NoError(t, ctx.Err(), "somebody waits")
		return "a", 10, nil
	}
	first, stop := context.WithCancelCause(t.Context())
	why := errors.New("why")
	gaveUp := make(chan error)
	go func() {
		_, _, err := r.Get(first, "a", fill)
		gaveUp <- err
	}()
	uses := func(n int) func() bool {
		return func() bool {
			r.Cache.mu.Lock()
			defer r.Cache.mu.Unlock()
			e := r.entries["a"]
			return e != nil && e.uses == n
		}
	}
	until(uses(1))
	got := make(chan *Entry[string, string])
	go func() {
		e, found, err := r.Get(t.Context(), "a", fill)
		assert.NoError(t, err)
		assert.True(t, found)
		got <- e
	}()
	until(uses(2))
	stop(why)
	require.ErrorIs(t, <-gaveUp, why)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Wait(ended), context.Canceled)
	close(begin)
	e := <-got
	assert.Equal(t, "a", e.Value())
	e.Release()

	// All give up.
	begin = make(chan struct{})
	_, _, err := r.Get(ended, "b", func(context.Context) (string, int64, error) {
		<-begin
		return "b", 10, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, Stats{Entries: 2, Unused: 1, Bytes: 10}, r.Stats())
	close(begin)
	require.NoError(t, r.Wait(t.Context()))
	assert.Equal(t, Stats{Entries: 2, Unused: 2, Bytes: 20}, r.Stats())
	// What is there comes back though the context has ended.
	e, found, err := r.Get(ended, "b", nil)
	require.NoError(t, err)
	assert.True(t, found)
	e.Release()
	r.Close()
	assert.Len(t, r.gone(), 2)
}

// TestStopping: a fill is stopped when all who waited have given up. Who comes before it has ended
// has the value made anew, and who wants a value that failed by itself gets that error.
func TestStopping(t *testing.T) {
	r := newRig(t, 100)
	stopping, end := make(chan struct{}), make(chan struct{})
	fills := 0
	fill := func(ctx context.Context) (string, int64, error) {
		if fills++; fills > 1 {
			return "a", 10, nil
		}
		<-ctx.Done()
		close(stopping)
		<-end
		return "", 0, ctx.Err()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, found, err := r.Get(ended, "a", fill)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, found)
	<-stopping
	got := make(chan *Entry[string, string])
	go func() {
		e, found, err := r.Get(t.Context(), "a", fill)
		assert.NoError(t, err)
		assert.False(t, found, "it is made anew")
		got <- e
	}()
	until(func() bool {
		r.Cache.mu.Lock()
		defer r.Cache.mu.Unlock()
		return r.entries["a"].uses == 1
	})
	close(end)
	e := <-got
	assert.Equal(t, "a", e.Value())
	assert.Equal(t, 2, fills)
	e.Release()
	require.NoError(t, r.Wait(t.Context()))
	r.Close()
	assert.Len(t, r.gone(), 1)
}

func TestFailure(t *testing.T) {
	r := newRig(t, 100)
	broken := errors.New("broken")
	for range 2 { // it is tried again
		_, found, err := r.Get(t.Context(), "a", func(context.Context) (string, int64, error) {
			r.fills.Add(1)
			return "", 10, broken
		})
		require.ErrorIs(t, err, broken)
		assert.False(t, found)
	}
	assert.EqualValues(t, 2, r.fills.Load())
	require.NoError(t, r.Wait(t.Context()))
	assert.Equal(t, Stats{}, r.Stats())
	r.get("a").Release()
	r.Close()
	assert.Equal(t, []string{"value of a"}, r.gone())
}

// TestClosed: after Close a value goes at its last release, and new ones still work.
func TestClosed(t *testing.T) {
	r := newRig(t, 100)
	a := r.get("a")
	r.Close()
	assert.Empty(t, r.gone())
	b := r.get("b")
	a.Release()
	assert.Equal(t, []string{"value of a"}, r.gone())
	b.Release()
	assert.Equal(t, []string{"value of b"}, r.gone())
	assert.Equal(t, Stats{}, r.Stats())
}

// TestMany: goroutines use few keys in little room; each value is freed as often as it was made,
// and never while it is used.
func TestMany(t *testing.T) {
	type value struct{ users atomic.Int32 }
	var made, freed atomic.Int32
	c := New[string](30, func(v *value) {
		freed.Add(1)
		assert.EqualValues(t, 0, v.users.Swap(-1000))
	})
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for i := range 500 {
				e, _, err := c.Get(t.Context(), fmt.Sprint((i*7+g*3)%8), func(context.Context) (*value, int64, error) {
					made.Add(1)
					return &value{}, 10, nil
				})
				if !assert.NoError(t, err) {
					return
				}
				assert.Positive(t, e.Value().users.Add(1))
				e.Value().users.Add(-1)
				e.Release()
			}
		})
	}
	all.Wait()
	require.NoError(t, c.Wait(t.Context()))
	assert.LessOrEqual(t, c.Stats().Bytes, int64(30))
	c.Close()
	assert.Equal(t, made.Load(), freed.Load())
	assert.Equal(t, 0, c.Stats().Entries)
}

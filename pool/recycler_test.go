package pool

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecycler(t *testing.T) {
	c := &clock{now: time.Unix(1, 0)}
	made, dropped := 0, []int{}
	r := NewRecycler(RecyclerOptions[int]{
		Make:    func() (int, error) { made++; return made, nil },
		Drop:    func(i int) { dropped = append(dropped, i) },
		MaxKept: 2, MaxIdle: time.Minute, Now: c.Now,
	})
	get := func() int {
		v, err := r.Get()
		require.NoError(t, err)
		return v
	}
	put := func(v int) { require.NoError(t, r.Put(v)) }
	a, b, d := get(), get(), get()
	put(a)
	put(b)
	assert.Equal(t, 2, get())
	put(b)
	put(d)
	assert.Equal(t, []int{1}, dropped, "one too many: the oldest")
	c.pass(time.Minute)
	r.Trim()
	assert.Equal(t, []int{1, 2, 3}, dropped)
	last := get()
	r.Close()
	_, err := r.Get()
	require.ErrorIs(t, err, ErrClosed)
	put(last)
	assert.Equal(t, RecyclerStats{Made: 4, Reused: 1, Dropped: 4}, r.Stats())
	require.ErrorIs(t, r.Put(last), ErrForeign)
}

// TestRecyclerWrong: putting an object back twice, or a foreign one, does not hand it out twice; a
// failed Make is not counted.
func TestRecyclerWrong(t *testing.T) {
	broken := errors.New("broken")
	var r *Recycler[int]
	made := 0
	r = NewRecycler(RecyclerOptions[int]{MaxKept: -1, Make: func() (int, error) {
		r.Stats() // no lock is held
		if made++; made == 2 {
			return 0, broken
		}
		return made, nil
	}})
	v, err := r.Get()
	require.NoError(t, err)
	_, err = r.Get()
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, r.Put(77), ErrForeign)
	require.NoError(t, r.Put(v))
	require.ErrorIs(t, r.Put(v), ErrForeign)
	assert.Equal(t, RecyclerStats{Made: 1, Dropped: 1}, r.Stats(), "nothing is kept")
	_, err = NewRecycler(RecyclerOptions[int]{}).Get()
	require.ErrorIs(t, err, ErrOptions)

	// A recycler that is closed while an object is being created.
	r = NewRecycler(RecyclerOptions[int]{Make: func() (int, error) { r.Close(); return 1, nil },
		Drop: func(i int) { made = -i }})
	_, err = r.Get()
	require.ErrorIs(t, err, ErrClosed)
	assert.Equal(t, -1, made, "what was made is dropped")
}

// TestRecyclerConcurrent: an object is never handed out twice at once.
func TestRecyclerConcurrent(t *testing.T) {
	r := NewRecycler(RecyclerOptions[*atomic.Int32]{Make: func() (*atomic.Int32, error) { return new(atomic.Int32), nil },
		MaxKept: 3})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				v, err := r.Get()
				assert.NoError(t, err)
				assert.EqualValues(t, 1, v.Add(1))
				v.Add(-1)
				assert.NoError(t, r.Put(v))
			}
		})
	}
	all.Wait()
	s := r.Stats()
	assert.EqualValues(t, 2400, s.Made+s.Reused)
	assert.Zero(t, s.Out)
	assert.LessOrEqual(t, s.Idle, 3)
	r.Close()
	assert.Equal(t, s.Made, r.Stats().Dropped)
}

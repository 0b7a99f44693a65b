package command

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/hook"
)

// TestPanickingCommand: a command that panics fails its command buffer with an internal error, on
// the goroutine of the queue and on one that helps, and the queue goes on.
func TestPanickingCommand(t *testing.T) {
	logger := slog.Default()
	t.Cleanup(func() { slog.SetDefault(logger) })
	var logged bytes.Buffer // the queue's goroutine writes it before the command buffer ends
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	for _, concurrent := range []bool{false, true} {
		for bad := range 2 {
			var met sync.WaitGroup // in a concurrent encoder the two commands run on two goroutines
			met.Add(2)
			b := q.NewBuffer()
			e := b.Begin("begin", Compute, concurrent, nil)
			for i := range 2 {
				e.Do("d", func() error {
					met.Done()
					if concurrent {
						met.Wait()
					}
					if i == bad {
						panic("out of order")
					}
					return nil
				})
			}
			e.End("end")
			b.Commit("c")
			b.WaitCompleted()
			var failed *Error
			require.ErrorAs(t, b.Err(), &failed, "concurrent %v, command %d", concurrent, bad)
			assert.Equal(t, CodeInternal, failed.Code)
			assert.Contains(t, failed.Reason, "panic: out of order")
			assert.Contains(t, logged.String(), "observe_test.go", "the stack")
			logged.Reset()
		}
	}
	b := q.NewBuffer()
	r.encode(b, r.kernel("nothing"), 1)
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
}

// stores counts what a hook sees.
type stores struct {
	hook.None
	n atomic.Int64
}

func (s *stores) Store(a *hook.Access) { s.n.Add(int64(a.Lanes.Count())) }

// TestObserve: the observer sees every launch while it is set, with its kernel and its error, and
// its hook what the launch does. The results are the same as without.
func TestObserve(t *testing.T) {
	r := newRig(t, Limits{Fuel: 1 << 20})
	q := r.gpu.NewQueue(0)
	address, out := r.words(make([]uint32, 64)...)
	run := func(kernel string) error {
		b := q.NewBuffer()
		r.encode(b, r.kernel(kernel), 64, address)
		b.Commit("c")
		b.WaitCompleted()
		return b.Err()
	}
	clear(out)
	require.NoError(t, run("number"))
	want := read(out)

	var seen []string
	var s stores
	r.gpu.Observe(func(l *Launched) (hook.Hook, func(error)) {
		require.Equal(t, 64, l.Launch.Grid[0])
		require.Equal(t, address, l.Launch.Buffers[0])
		return &s, func(err error) { seen = append(seen, fmt.Sprint(l.Pipeline.Name, " ", err != nil)) }
	})
	clear(out)
	require.NoError(t, run("number"))
	assert.Equal(t, want, read(out))
	assert.EqualValues(t, 64, s.n.Load())
	clear(out)
	require.Error(t, run("spin"))
	assert.Equal(t, []string{"number false", "spin true"}, seen)

	r.gpu.Observe(nil)
	require.NoError(t, run("number"))
	assert.Len(t, seen, 2)
}

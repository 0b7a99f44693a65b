package compute

import (
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/pool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAfterClose: methods without an error result do not use the device after Close.
func TestAfterClose(t *testing.T) {
	a, err := Open()
	require.NoError(t, err)
	require.NoError(t, a.Close(t.Context()))
	a.Trim()
	assert.Zero(t, a.Memory().Reserved)
	assert.Zero(t, a.CacheStats().Entries)
	assert.Zero(t, a.Stats().Commands)
	assert.Zero(t, a.Allocated())
	require.NoError(t, a.Sync(t.Context()))
	_, err = NewBuffer[int32](a, 1, BufferOptions{})
	require.ErrorIs(t, err, ErrClosed)
	_, err = a.NextStream()
	require.ErrorIs(t, err, ErrClosed)
}

// TestCloseWaits: Close does not take the device from under a buffer that is being made.
func TestCloseWaits(t *testing.T) {
	a := accelerator(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m := &stream.Memory{Length: 8}
	require.NoError(t, a.core.Register(m, func() (err error) {
		err = a.Close(ended)
		requireCanceled(t, err)
		assert.ErrorContains(t, err, "stays open")
		if m.Block, err = a.pool.Rent(8, pool.Kind{}); err == nil {
			m.Buffer, err = m.Block.Buffer()
		}
		return err
	}))
	require.True(t, m.Close())
}

// listError is an error that cannot be compared.
type listError []string

func (e listError) Error() string { return strings.Join(e, ", ") }

// TestUncomparableCause: a context may end for a reason of any type.
func TestUncomparableCause(t *testing.T) {
	a := accelerator(t)
	late := listError{"too", "late"}
	p, err := a.Compile(newImpatient(t.Context(), late), saxpy, CompileOptions{})
	if err != nil { // as it is where the compiler has not ended before
		assert.ErrorContains(t, err, "too, late")
		p = compile(t, a, saxpy, CompileOptions{})
	}
	defer p.Close()
	if _, err = p.KernelContext(newImpatient(t.Context(), late), "saxpy"); err != nil {
		assert.ErrorContains(t, err, "too, late")
	}
}

// TestDefaultLimit: a device that recommends no working set has no limit.
func TestDefaultLimit(t *testing.T) {
	assert.EqualValues(t, 170, defaultLimit(100, false))
	assert.EqualValues(t, 120, defaultLimit(100, true)) // memory of the process
	assert.EqualValues(t, uint64(math.MaxUint64), defaultLimit(0, false))
}

// noted is an object of an accelerator that notes when it is released.
type noted func()

func (n *noted) drop() { (*n)() }

// TestCloseOrder: Close releases what the program left open in the reverse order of creation,
// buffers as well.
func TestCloseOrder(t *testing.T) {
	a, err := Open(WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	var order []int
	const n = 20
	for i := range n {
		note := func() { order = append(order, i) }
		if i%3 == 0 {
			_, err := Adopt(a, stream.SliceOf[int32](pages(t, 1)), BufferOptions{}, note)
			require.NoError(t, err)
			continue
		}
		c := noted(note)
		require.NoError(t, a.core.AddOpen(&c, "noted", c.drop))
	}
	var leak *LeakError
	require.ErrorAs(t, a.Close(t.Context()), &leak)
	assert.Len(t, leak.Objects, n)
	want := make([]int, n)
	for i := range want {
		want[i] = n - 1 - i
	}
	assert.Equal(t, want, order)
}

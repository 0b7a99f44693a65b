package resilience

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	m := manager(t, Options{Open: newFaulty(t, 0).opener(0)})
	s, k, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 1)
	p, err := m.Compile(t.Context(), source, compute.CompileOptions{})
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{
		Handles: []any{m, s, k, p, x},
		Values:  []any{1, "add", compute.Grid(compute.Threads1D(1)), source},
		Functions: map[string]any{"Copy": Copy[uint32], "Fill": Fill[uint32], "In": In[uint32], "Out": Out[uint32],
			"NewBuffer": NewBuffer[uint32], "New": newAndClose},
		Without: []string{"Report"},
		Ends:    []string{"Manager.Close", "Stream.Close", "Buffer.Close"},
		Err:     compute.ErrNil,
	})
	require.ErrorIs(t, s.Sync(t.Context()), compute.ErrRange) // of a launch without a grid
	// The stream of the calls is as good as before.
	require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(1), x, uint32(1)))
	require.NoError(t, s.Sync(t.Context()))
}

// newAndClose makes a manager and closes it.
func newAndClose(ctx context.Context, o Options) error {
	m, err := New(ctx, o)
	if err != nil {
		return err
	}
	return m.Close(context.Background())
}

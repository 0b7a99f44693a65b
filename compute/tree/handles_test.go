package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	x := oneOfEach(t)
	handletest.Check(t, handletest.Package{
		Handles:   []any{x.launches, x.run, x.queue},
		Foreign:   []any{x.a, x.s, x.root, x.buffer, graph.New(x.a, "g")},
		Values:    []any{compute.Grid(compute.Threads1D(1)), "child", x.options, any(x.buffer)},
		Functions: map[string]any{"New": New, "NewWorkQueue": NewWorkQueue[int32], "Numbers": Numbers},
		Without:   []string{"Level", "OverflowError", "WorkStats"},
		Ends:      []string{"Tree.Close", "WorkQueue.Close"},
		Err:       compute.ErrNil,
	})
	require.NoError(t, x.s.Sync(t.Context()))
}

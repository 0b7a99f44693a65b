package peer

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"

	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	m := team(t, first, second)
	k := wave(t, m)
	parts, err := NewParts[float32](m, []int{1, 1})
	require.NoError(t, err)
	t.Cleanup(parts.Close)
	src, dst := buffer(t, first, 1, private), buffer(t, second, 1, private)
	x, err := CopyAsync(t.Context(), l, Streams{}, dst, src)
	require.NoError(t, err)
	require.NoError(t, x.Wait(t.Context()))
	stream, err := first.NextStream()
	require.NoError(t, err)
	graph, err := Topology()
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{
		Handles: []any{l, m, k, parts, x, first, src, stream, graph},
		Values:  []any{1, []int{1, 1}, []float32{1, 1}, "wave"},
		Functions: map[string]any{"Copy": Copy[uint32], "CopyAsync": CopyAsync[uint32], "Gather": Gather[float32],
			"Scatter": Scatter[float32], "NewParts": NewParts[float32], "Reachable": Reachable, "Connect": Connect,
			"MeasureAll": MeasureAll, "NewTeam": NewTeam},
		Without: []string{"Stats", "Path", "Topology", "Device", "Measurement", "Sample"},
		Ends:    []string{"Link.Close", "Link.Measure", "Team.Close", "Kernel.Close", "Parts.Close"},
		Foreign: []any{first, src, stream},
		Err:     compute.ErrNil,
	})
}

package ops

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/test/handletest"

	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	acc := computetest.Open(t)
	o := New(acc)
	t.Cleanup(o.Close)
	s, err := acc.NextStream()
	require.NoError(t, err)
	b, err := compute.NewZeroed[float32](t.Context(), acc, 4, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	a, err := Of(b, 2, 2)
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{
		Handles: []any{o, acc, s, b},
		Values:  []any{a, 1},
		Foreign: []any{acc, s, b},
		Functions: map[string]any{"Add": Add[float32], "Sub": Sub[float32], "Mul": Mul[float32], "Div": Div[float32],
			"ArgMax": ArgMax[float32], "ArgMaxAll": ArgMaxAll[float32], "Copy": Copy[float32], "Map": Map[float32],
			"MatMul": MatMul[float32], "MatMulInt8": MatMulInt8, "Reduce": Reduce[float32], "ReduceAll": ReduceAll[float32],
			"Softmax": Softmax[float32], "Transpose": Transpose[float32], "Of": Of[float32],
			"MatMulMethod": MatMulMethod[float32], "New": New},
		Without: []string{"Array", "Function", "Method", "Reduction", "AddBackends"},
		Ends:    []string{"Ops.Close"},
	})
}

package tensor_test

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/test/handletest"
	"github.com/puremetal/puremetal/npy"

	"github.com/stretchr/testify/assert"
)

// TestHandles gives every exported function and method nil and zero handles. The scope forgets
// its error between the calls, so that each gets as far as it can.
func TestHandles(t *testing.T) {
	e, s := open(t)
	x := tensor.Of(s, []float32{1, 2, 3, 4}, 2, 2)
	assert.NoError(t, x.Err())
	acc := e.Accelerator()
	stream := e.Stream()
	packed, err := tensor.NewPacked(tensor.TQ2_0, tensor.Of(s, make([]byte, 66)), 1, 256)
	assert.NoError(t, err)
	table := s.RotaryTable(tensor.Rotary{Features: 2})
	handletest.Check(t, handletest.Package{
		Handles: []any{e, s, x, acc, stream, packed, table},
		Foreign: []any{acc, stream},
		Values: []any{tensor.Float32, []float32{1, 2, 3, 4}, []float64{1, 2, 3, 4}, []int{2, 2}, 1,
			&npy.Array{}},
		Functions: map[string]any{"Of": tensor.Of[float32], "FromFloat64": tensor.FromFloat64,
			"Adopt": tensor.Adopt[float32], "Data": tensor.Data[float32], "Item": tensor.Item[float32],
			"ToFloat64": tensor.ToFloat64, "Scalar": tensor.Scalar, "FromNPY": tensor.FromNPY, "ToNPY": tensor.ToNPY,
			"LoadNPY": tensor.LoadNPY, "LoadNPZ": tensor.LoadNPZ, "SaveNPY": tensor.SaveNPY, "SaveNPZ": tensor.SaveNPZ,
			"OfMatrix32": tensor.OfMatrix32, "OfMatrix64": tensor.OfMatrix64, "AdoptMatrix32": tensor.AdoptMatrix32,
			"NewPacked": tensor.NewPacked, "NewPackedMLX": tensor.NewPackedMLX, "FormatOf": tensor.FormatOf,
			"ToMatrix32": tensor.ToMatrix32, "ShareMatrix32": tensor.ShareMatrix32, "ToMatrix64": tensor.ToMatrix64,
			"WithStream": func(s *compute.Stream) error { return openWith(t, acc, tensor.WithStream(s)) },
			"New":        func(acc *compute.Accelerator) error { return openWith(t, acc) },
			"NilOption":  func(o tensor.Option) error { return openWith(t, acc, o) },
		},
		Without: []string{"Type", "Format", "TypeFor", "Choice", "OpStats", "Stats", "Peak", // data
			"WithTiming", "WithBackend", "AddBackends", "WithCrossover", "WithPeak"}, // take no handles
		Optional: []string{"Scope.AppendCache 3", "Scope.Attention 3", "Scope.BatchNorm 3", "Scope.BatchNorm 4",
			"Scope.Dequantize 2", "Scope.GroupNorm 1", "Scope.GroupNorm 2", "Scope.LayerNorm 1", "Scope.LayerNorm 2",
			"Scope.Quantize 2", "Scope.RMSNorm 1", "Scope.Sample 1", "NewPackedMLX 3"},
		Ends:   []string{"Engine.Close", "Scope.Close", "Tensor.Close"},
		Err:    compute.ErrNil,
		Before: func() { tensor.Forget(s) },
	})
	tensor.Forget(s)
	assert.Equal(t, []float64{2, 4, 6, 8}, values(t, s.Add(x, x)), "the engine is as good as before")
}

// openWith opens an engine, and closes it.
func openWith(t *testing.T, acc *compute.Accelerator, o ...tensor.Option) error {
	t.Helper()
	e, err := tensor.New(acc, o...)
	if err != nil {
		return err
	}
	return e.Close(t.Context())
}

package tensor_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var poisonPrograms = flag.Int("poison.programs", 12, "how many random programs TestPoisoned runs")

// inject sets the faults of a device, or skips the test where there are none.
func inject(t *testing.T, a *compute.Accelerator, f softmetal.Faults) {
	t.Helper()
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("only the software device has faults to inject")
	}
	require.NoError(t, softmetal.Inject(rt, objcsoft.ID(a.Device().ID()), f))
}

// poisonProgram runs random operations, which the seed decides, and returns what each read gives.
func poisonProgram(t *testing.T, e *tensor.Engine, seed uint64) (got [][]float64, errs []error) {
	r := rand.New(rand.NewPCG(seed, 1))
	s := e.Scope(t.Context())
	defer s.Close()
	of := func() *tensor.Tensor {
		data := make([]float32, 16)
		for i := range data {
			data[i] = float32(r.IntN(9)) / 4
		}
		return tensor.Of(s, data, 4, 4)
	}
	all := []*tensor.Tensor{of(), of()}
	pick := func() *tensor.Tensor { return all[r.IntN(len(all))] }
	for range 10 + r.IntN(10) {
		var x *tensor.Tensor
		switch r.IntN(8) {
		case 0:
			x = s.Add(pick(), pick())
		case 1:
			x = s.Mul(pick(), tensor.Scalar(0.5))
		case 2:
			x = s.MatMul(pick(), pick().Transpose())
		case 3:
			x = s.Softmax(pick(), 1)
		case 4:
			x = s.Contiguous(pick().Transpose())
		case 5:
			x = s.Sub(pick(), pick())
		case 6:
			s.Assign(pick(), of())
			continue
		case 7:
			kept, err := s.Keep(pick())
			require.NoError(t, err)
			defer kept.Close()
			x = kept
		}
		all = append(all, x)
		if r.IntN(4) == 0 {
			v, err := tensor.ToFloat64(t.Context(), pick())
			got, errs = append(got, v), append(errs, err)
		}
	}
	for _, x := range all {
		v, err := tensor.ToFloat64(t.Context(), x)
		got, errs = append(got, v), append(errs, err)
	}
	return got, errs
}

// TestPoisoned: in programs of random operations whose commands fail at random, each read gives the
// value of a run without faults, or an error.
func TestPoisoned(t *testing.T) {
	acc := computetest.Open(t)
	inject(t, acc, softmetal.Faults{}) // skips where there are none
	e, err := tensor.New(acc)
	require.NoError(t, err)
	failed, right := 0, 0
	for seed := range uint64(*poisonPrograms) {
		want, errs := poisonProgram(t, e, seed)
		for _, err := range errs {
			require.NoError(t, err, "program %d without faults", seed)
		}
		inject(t, acc, softmetal.Faults{CommandEvery: 2 + int(seed%7), CommandCode: 9})
		got, errs := poisonProgram(t, e, seed)
		inject(t, acc, softmetal.Faults{})
		require.Len(t, got, len(want))
		for i, err := range errs {
			if err != nil {
				require.ErrorIs(t, err, compute.ErrExecution)
				failed++
				continue
			}
			right++
			require.Equal(t, want[i], got[i], "program %d, read %d", seed, i)
		}
		_ = e.Sync(t.Context()) // the failures
	}
	assert.Positive(t, failed)
	assert.Positive(t, right)
	t.Logf("%d programs: %d reads were right, %d failed", *poisonPrograms, right, failed)
	require.NoError(t, e.Close(t.Context()))
}

// TestCloseAfterFailure: Close releases everything although an operation has failed, and returns
// that failure once.
func TestCloseAfterFailure(t *testing.T) {
	acc := computetest.Open(t) // its end finds what is open
	inject(t, acc, softmetal.Faults{})
	e, err := tensor.New(acc)
	require.NoError(t, err)
	s := e.Scope(t.Context())
	x := tensor.Of(s, []float32{1, 2}, 2)
	require.NoError(t, s.Err())
	inject(t, acc, softmetal.Faults{CommandEvery: 1, CommandCode: 9})
	s.Add(x, x)
	require.ErrorIs(t, e.Close(t.Context()), compute.ErrExecution)
	inject(t, acc, softmetal.Faults{})
	s.Close()
	require.NoError(t, e.Close(t.Context()), "again")
}

package computetest

import (
	"errors"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"

	"github.com/stretchr/testify/assert"
)

// TestHandles gives DeviceTime, the only function that takes an accelerator, nil and zero ones:
// they fail the benchmark. A Rand without a test has nothing to fail, so its functions panic.
func TestHandles(t *testing.T) {
	acc := Open(t)
	handletest.Check(t, handletest.Package{
		Handles: []any{acc}, Foreign: []any{acc},
		Functions: map[string]any{"DeviceTime": func(acc *compute.Accelerator) error {
			if testing.Benchmark(func(b *testing.B) { DeviceTime(b, acc)() }).N == 0 {
				return errors.New("the benchmark failed")
			}
			return nil
		}},
		Without: []string{"AllClose", "EachDriver", "EqualOnCPU", "Integers", "NewRand", "Normal", "Open", "Special",
			"Tolerance", "Uniform"},
	})
	for _, r := range []*Rand{nil, {}} {
		for name, use := range map[string]func(){
			"Integers": func() { Integers[int32](r, 1, 0, 1) }, "Normal": func() { Normal[float32](r, 1, 0, 1) },
			"Special": func() { Special[float32](r, 1) }, "Uniform": func() { Uniform[float32](r, 1, 0, 1) },
		} {
			assert.PanicsWithValue(t, "computetest: this Rand is not of NewRand", use, name)
		}
	}
}

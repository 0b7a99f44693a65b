//go:build !race

package tensor_test

import (
	"flag"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/harvest"
)

var everyMutant = flag.Int("mutants.every", 301, "judge one mutant in this many")

// TestMutants: the sanitizer finds no mistakes in the kernels of tensors, as an oracle does, and
// those of mutants.
func TestMutants(t *testing.T) {
	acc := computetest.Open(t)
	harvest.Mutants(t, objcsoft.ID(acc.Device().ID()), *everyMutant, 300, func() {
		// In one order, since the first launch of each kernel is judged.
		t.Run("reductions", TestReductions)
		t.Run("products", TestProducts)
		t.Run("indexing", TestIndexing)
		t.Run("convolutions", TestConvolutions)
		t.Run("arithmetic", TestArithmetic)
		t.Run("functions", TestFunctions)
		t.Run("logic", TestLogic)
		t.Run("stats", TestStats)
		t.Run("resize", TestResize)
		t.Run("FFT", TestFFT)
		t.Run("recurrent", TestRecurrent)
		t.Run("views", TestViews)
		t.Run("quantization", TestQuantization)
	})
}

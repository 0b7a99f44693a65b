//go:build !race

package tensor_test

import (
	"flag"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/harvest"
)

var everyMutant = flag.Int("mutants.every", 97, "judge one mutant in this many")

// TestMutants: the sanitizer finds no mistakes in the kernels of tensors, as an oracle does, and
// those of mutants.
func TestMutants(t *testing.T) {
	acc := computetest.Open(t)
	harvest.Mutants(t, objcsoft.ID(acc.Device().ID()), *everyMutant, 300, func() {
		for name, test := range map[string]func(*testing.T){"reductions": TestReductions, "products": TestProducts,
			"indexing": TestIndexing, "convolutions": TestConvolutions, "arithmetic": TestArithmetic,
			"functions": TestFunctions, "logic": TestLogic, "stats": TestStats, "resize": TestResize, "FFT": TestFFT,
			"recurrent": TestRecurrent, "views": TestViews, "quantization": TestQuantization} {
			t.Run(name, test)
		}
	})
}

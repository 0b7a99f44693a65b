//go:build !race

package ops

import (
	"flag"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/test/harvest"
)

var everyMutant = flag.Int("mutants.every", 97, "judge one mutant in this many")

// TestMutants: the sanitizer finds no mistakes in the kernels of the operations, as an oracle does,
// and those of mutants.
func TestMutants(t *testing.T) {
	acc := computetest.Open(t)
	harvest.Mutants(t, objcsoft.ID(acc.Device().ID()), *everyMutant, 90, func() {
		t.Run("elementwise", TestElementwise)
		t.Run("reduce", TestReduce)
		t.Run("matmul", TestMatMul)
		t.Run("batches", TestMatMulBatches)
		t.Run("int8", TestMatMulInt8)
		t.Run("strided", TestStridedRows)
	})
}

package vm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
)

// BenchmarkMachineCode reports how many times as fast as the interpreter machine code runs the
// measured kernels, on one worker and two: the least of alternating launches.
func BenchmarkMachineCode(b *testing.B) {
	if err := jit.Available(); err != nil {
		b.Skip(err)
	}
	ks := kernelsOf(b, benchKernels)
	for _, c := range benchCases(false) {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				e := exec.NewEngine(workers)
				l, _ := c.launch()
				kernels := [2]*exec.Kernel{ks[c.name],
					exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: Backend{JIT: &jit.Options{}}})}
				var least [2]time.Duration
				for b.Loop() {
					for i, k := range kernels {
						start := time.Now()
						require.NoError(b, e.Run(b.Context(), k, l))
						if d := time.Since(start); least[i] == 0 || d < least[i] {
							least[i] = d
						}
					}
				}
				b.ReportMetric(float64(least[0])/float64(least[1]), "x-interpreter")
				b.ReportMetric(float64(least[1])/1e6, "ms/launch")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

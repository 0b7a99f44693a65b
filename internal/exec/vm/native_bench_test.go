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

// BenchmarkMachineCodeCompile reports how long a kernel takes to compile to machine code, and how
// long 1,000 of its instructions do.
func BenchmarkMachineCodeCompile(b *testing.B) {
	if err := jit.Available(); err != nil {
		b.Skip(err)
	}
	ks := kernelsOf(b, benchKernels)
	for _, c := range benchCases(true) {
		b.Run(c.name, func(b *testing.B) {
			p, err := compiled(ks[c.name], [3]int{max(1, c.group[0]), max(1, c.group[1]), max(1, c.group[2])})
			require.NoError(b, err)
			for b.Loop() {
				_, err := jit.Compile(p.lir, jit.Options{})
				require.NoError(b, err)
			}
			us := float64(b.Elapsed().Microseconds()) / float64(b.N)
			b.ReportMetric(us, "us/kernel")
			b.ReportMetric(us*1000/float64(len(p.lir.Code)), "us/1000-instructions")
			b.ReportMetric(0, "ns/op")
		})
	}
}

package jit

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// BenchmarkMachineCode reports how many times as fast as the interpreter machine code runs the
// measured kernels, on one worker and two: the least of alternating launches.
func BenchmarkMachineCode(b *testing.B) {
	if err := Available(); err != nil {
		b.Skip(err)
	}
	ks := kernelsOf(b, benchKernels)
	for _, c := range benchCases(false) {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				e := exec.NewEngine(workers)
				l, _ := c.launch()
				kernels := [2]*exec.Kernel{ks[c.name],
					exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: backend{Machine: Options{}}})}
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

// BenchmarkMachineCodeCompile reports how long all measured kernels together, and each of them,
// take to compile to machine code, and how long 1,000 of their instructions do: on average,
// collections of garbage included, and at least.
func BenchmarkMachineCodeCompile(b *testing.B) {
	if err := Available(); err != nil {
		b.Skip(err)
	}
	ks := kernelsOf(b, benchKernels)
	var all []*form
	names := []string{"all"}
	for _, c := range benchCases(true) {
		p, err := compiled(ks[c.name], [3]int{max(1, c.group[0]), max(1, c.group[1]), max(1, c.group[2])})
		require.NoError(b, err)
		all, names = append(all, p), append(names, c.name)
	}
	for i, name := range names {
		list := all
		if i > 0 {
			list = all[i-1 : i]
		}
		b.Run(name, func(b *testing.B) {
			least, instructions := make([]time.Duration, len(list)), 0
			for _, p := range list {
				instructions += len(p.lir.Code)
			}
			for b.Loop() {
				for i, p := range list {
					start := time.Now()
					_, err := Compile(p.lir, Options{})
					if d := time.Since(start); least[i] == 0 || d < least[i] {
						least[i] = d
					}
					require.NoError(b, err)
				}
			}
			us, sum := float64(b.Elapsed().Microseconds())/float64(b.N), time.Duration(0)
			for _, d := range least {
				sum += d
			}
			per1000 := 1000 / float64(instructions)
			b.ReportMetric(us, "us")
			b.ReportMetric(us*per1000, "us/1000-instructions")
			b.ReportMetric(float64(sum.Nanoseconds())/1e3*per1000, "least-us/1000-instructions")
			b.ReportMetric(0, "ns/op")
		})
	}
}

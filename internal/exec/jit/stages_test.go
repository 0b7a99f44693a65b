package jit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// hundredLines is a kernel of about a hundred lines: loops over memory with branches, an inlined
// function, threadgroup memory, a barrier, a reduction.
func hundredLines() string {
	var b strings.Builder
	b.WriteString("struct P { float4 v; uint n; float w; };\n")
	b.WriteString("inline float mix3(float a, float b, float c) { return fma(a, b, c) * 2.0f; }\n")
	b.WriteString("kernel void k(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], constant P &p [[buffer(2)]],\n")
	b.WriteString("              uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {\n  threadgroup float mem[64];\n  float acc = in[i];\n")
	for n := range 15 {
		fmt.Fprintf(&b, "  for (uint j = 0; j < p.n; j++) {\n    float x%d = in[(i + j * %d) & 63];\n    acc = mix3(acc, x%d, p.w);\n    if (acc > %d.0f)\n      acc -= sqrt(x%d);\n  }\n", n, n+1, n, n, n)
	}
	b.WriteString("  mem[l] = acc;\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  out[i] = mem[l ^ 1] + simd_sum(acc);\n}\n")
	return b.String()
}

// BenchmarkStages measures what happens when a threadgroup of a shape is first run: the
// optimization passes, lowering, the low-level passes, the allocation of variables, and the choice
// of functions. The metrics are medians of processor time; the kernel has about a hundred lines.
func BenchmarkStages(b *testing.B) {
	f := kernelsOf(b, hundredLines())["k"].Func()
	shape := [3]int{64, 1, 1}
	names := []string{"clone", "opt", "lower", "simplify", "allocate", "compile"}
	times := make([][]float64, len(names)+1)
	b.ReportAllocs()
	for b.Loop() {
		last := processorTime()
		begin := last
		lap := func(i int) {
			now := processorTime()
			times[i] = append(times[i], float64(now-last)/float64(time.Millisecond))
			last = now
		}
		c := f.Clone()
		lap(0)
		opt.Run(c, opt.Options{Scalar: num.Scalar})
		lap(1)
		l, err := build.Program(c, shape)
		require.NoError(b, err)
		lap(2)
		l.Simplify(0)
		lap(3)
		l.Allocate()
		lap(4)
		_, err = vm.Backend{}.Compile(exec.Code{Func: f, LIR: l})
		require.NoError(b, err)
		lap(5)
		last = begin
		lap(6)
	}
	for i, name := range append(names, "all") {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/2], name+"-cpu-ms")
	}
}

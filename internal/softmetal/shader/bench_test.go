package shader

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/dispatch"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
)

// hundred is a program of about a hundred lines in one kernel; the salt makes it another one.
func hundred(salt int) string {
	var b strings.Builder
	b.WriteString(header + "struct P { float4 v; uint n; float w; };\n")
	fmt.Fprintf(&b, "inline float mix3(float a, float b, float c) { return fma(a, b, c) * %d.0f; }\n", salt+1)
	b.WriteString("kernel void k(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], constant P &p [[buffer(2)]],\n")
	b.WriteString("              uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {\n  threadgroup float mem[64];\n  float acc = in[i];\n")
	for n := range 15 {
		fmt.Fprintf(&b, "  for (uint j = 0; j < p.n; j++) {\n    float x%d = in[(i + j * %d) & 63];\n    acc = mix3(acc, x%d, p.w);\n    if (acc > %d.0f) {\n      acc -= sqrt(x%d);\n    }\n  }\n", n, n+1, n, n, n)
	}
	b.WriteString("  mem[l] = acc;\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  out[i] = mem[l ^ 1] + simd_sum(acc);\n}\n")
	return b.String()
}

// launch runs a pipeline of hundred over one threadgroup.
func launch(tb testing.TB, e *exec.Engine, p *dispatch.Pipeline) {
	var space exec.Space
	space.Set(1, exec.Object{Data: make([]byte, 256)})
	space.Set(2, exec.Object{Data: make([]byte, 256)})
	space.Set(3, exec.Object{Data: make([]byte, 32)})
	require.NoError(tb, e.Run(context.Background(), p.Code,
		&exec.Launch{Grid: [3]int{64, 1, 1}, Group: [3]int{64, 1, 1}, Space: &space,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
}

// BenchmarkFirst is what a program of a hundred lines costs from source to the end of its first,
// nearly empty dispatch; per line in the metric.
func BenchmarkFirst(b *testing.B) {
	e := exec.NewEngine(1)
	defer e.Close()
	lines := strings.Count(hundred(0), "\n")
	salt := 0
	for b.Loop() {
		salt++
		l, err := Compile(context.Background(), hundred(salt), Options{Math: MathFast})
		if err != nil {
			b.Fatal(err)
		}
		p, err := NewPipeline(PipelineSpec{Function: l.Function(b.Context(), "k")})
		if err != nil {
			b.Fatal(err)
		}
		launch(b, e, p)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)*100/float64(lines), "µs/100lines")
}

// BenchmarkFirstDispatch is the share of the first dispatch: the engine's program for one shape of
// threadgroup.
func BenchmarkFirstDispatch(b *testing.B) {
	e := exec.NewEngine(1)
	defer e.Close()
	l := library(b, strings.TrimPrefix(hundred(0), header), Options{})
	for b.Loop() {
		f := l.Function(b.Context(), "k")
		p, err := NewPipeline(PipelineSpec{Function: f})
		if err != nil {
			b.Fatal(err)
		}
		p.Code = exec.NewKernel(f.kernel, exec.Options{Backend: engines.Default()})
		launch(b, e, p)
	}
}

// BenchmarkCached is what making a pipeline again costs, from source.
func BenchmarkCached(b *testing.B) {
	text := hundred(0)
	for b.Loop() {
		l, err := Compile(context.Background(), text, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := NewPipeline(PipelineSpec{Function: l.Function(b.Context(), "k")}); err != nil {
			b.Fatal(err)
		}
	}
}

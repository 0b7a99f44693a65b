package compute

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// long is a program of kernels with about a hundred lines each; the last is called "last".
func long(kernels int) string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	for n := range kernels {
		name := fmt.Sprint("k", n)
		if n == kernels-1 {
			name = "last"
		}
		fmt.Fprintf(&b, "kernel void %s(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  float acc = x[i];\n", name)
		for line := range 16 {
			fmt.Fprintf(&b, "  for (uint j = 0; j < i %% 8; j++) {\n    float t = x[(i + j * %d) & 63];\n    acc = fma(acc, t, %d.0f);\n    if (acc > %d.0f) {\n      acc -= sqrt(t);\n    }\n  }\n", line+1, n+1, line)
		}
		b.WriteString("  x[i] = acc;\n}\n")
	}
	return b.String()
}

// The environment of the processes that BenchmarkDiskProcess starts.
const (
	envTimeDisk    = "PUREMETAL_TEST_DISK_TIME"
	envTimeKernels = "PUREMETAL_TEST_DISK_TIME_KERNELS"
)

// TestDiskTimeHelper is what they run: the time from source to a kernel, and to the end of its
// first launch.
func TestDiskTimeHelper(t *testing.T) {
	dir := os.Getenv(envTimeDisk)
	if dir == "" {
		return
	}
	var kernels int
	_, err := fmt.Sscan(os.Getenv(envTimeKernels), &kernels)
	require.NoError(t, err)
	source := long(kernels)
	a := accelerator(t, WithDiskCache(dir, 64<<20))
	b, err := BufferOf(t.Context(), a, make([]float32, 64))
	require.NoError(t, err)
	defer b.Close()
	s := newStream(t, a)
	begin := time.Now()
	p := compile(t, a, source, CompileOptions{})
	defer p.Close()
	k := kernel(t, p, "last")
	ready := time.Since(begin)
	require.NoError(t, s.Launch(context.Background(), k, Threads1D(64), b))
	require.NoError(t, s.Sync(context.Background()))
	fmt.Printf("times: %d %d\n", ready.Nanoseconds(), time.Since(begin).Nanoseconds())
}

// BenchmarkDiskProcess is what a new process pays from source to a kernel, and to the end of its
// first launch, with nothing on the disk and with all: of a program with one kernel of a hundred
// lines, and of one with 40 of which it uses one.
func BenchmarkDiskProcess(b *testing.B) {
	for _, kernels := range []int{1, 40} {
		process := func(b *testing.B, dir string) (ready, launched int64) {
			c := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestDiskTimeHelper$")
			c.Env = append(os.Environ(), envTimeDisk+"="+dir, fmt.Sprintf("%s=%d", envTimeKernels, kernels))
			out, err := c.Output()
			require.NoError(b, err, "%s", out)
			_, err = fmt.Sscanf(string(out), "times: %d %d", &ready, &launched)
			require.NoError(b, err, "%s", out)
			return ready, launched
		}
		warm := b.TempDir()
		process(b, warm)
		for name, dir := range map[string]func() string{"cold": b.TempDir, "warm": func() string { return warm }} {
			b.Run(fmt.Sprintf("kernels=%d/%s", kernels, name), func(b *testing.B) {
				var ready, launched int64
				for b.Loop() {
					r, l := process(b, dir())
					ready += r
					launched += l
				}
				b.ReportMetric(float64(ready)/1e3/float64(b.N), "µs-to-kernel")
				b.ReportMetric(float64(launched)/1e3/float64(b.N), "µs-to-launch")
			})
		}
	}
}

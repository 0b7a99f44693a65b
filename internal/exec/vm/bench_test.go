package vm

import (
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
)

func float(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// BenchmarkKernels measures the cases, on one worker and on two. cpu-ms is the time that processors spent, which other work on the machine disturbs less.
func BenchmarkKernels(b *testing.B) {
	ks := kernelsOf(b, benchKernels)
	for _, c := range benchCases(false) {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				e := NewEngine(workers)
				l, _ := c.launch()
				require.NoError(b, e.Run(b.Context(), ks[c.name], l))
				b.ReportAllocs()
				before := processorTime()
				for b.Loop() {
					if err := e.Run(b.Context(), ks[c.name], l); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((processorTime()-before).Seconds()*1e3/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// BenchmarkOpenCL measures the same on OpenCL.
func BenchmarkOpenCL(b *testing.B) {
	cl, err := newOpenCL(openCLKernels)
	if err != nil {
		b.Skipf("no OpenCL device to compare with: %v", err)
	}
	for _, c := range benchCases(false) {
		b.Run(c.name, func(b *testing.B) {
			launch, _, err := cl.prepare(c.name, c.grid, c.group, c.buffers)
			require.NoError(b, err)
			require.NoError(b, launch())
			before := processorTime()
			for b.Loop() {
				if err := launch(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processorTime()-before).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkThousand measures a thousand launches of little, one after the other.
func BenchmarkThousand(b *testing.B) {
	k := kernelsOf(b, benchKernels)["nothing"]
	e := NewEngine(0)
	c := benchCase{buffers: [][]byte{make([]byte, 4)}}
	l, _ := c.launch()
	b.ReportAllocs()
	for b.Loop() {
		for range 1000 {
			if err := e.Run(b.Context(), k, l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

var speed = flag.Duration("vm.speed", 0, "compare each kernel with OpenCL for so long, and print a table")

// TestSpeed prints how the engine compares with OpenCL. Both run by turns, so that what else the machine does disturbs both.
func TestSpeed(t *testing.T) {
	if *speed == 0 {
		t.Skip("not asked for: -vm.speed=2s")
	}
	cl, err := newOpenCL(openCLKernels)
	if err != nil {
		t.Skipf("no OpenCL device to compare with: %v", err)
	}
	ks := kernelsOf(t, benchKernels)
	two, one := NewEngine(2), NewEngine(1)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kernel\tOpenCL ms\tcpu\tvm ms\tcpu\tone worker ms\tcpu\tratio\tratio of cpu\ttarget\tmedian/min\t")
	for _, c := range benchCases(false) {
		launch, _, err := cl.prepare(c.name, c.grid, c.group, c.buffers)
		require.NoError(t, err)
		l, _ := c.launch()
		var wall, cpu [3][]float64
		for begin, round := time.Now(), 0; time.Since(begin) < *speed || round < 3; round++ {
			for i, run := range []func() error{launch, func() error { return two.Run(t.Context(), ks[c.name], l) }, func() error { return one.Run(t.Context(), ks[c.name], l) }} {
				before, at := processorTime(), time.Now()
				require.NoError(t, run())
				wall[i] = append(wall[i], time.Since(at).Seconds()*1e3)
				cpu[i] = append(cpu[i], (processorTime()-before).Seconds()*1e3)
			}
		}
		for i := range 3 {
			slices.Sort(wall[i])
			slices.SortFunc(cpu[i], cmp.Compare[float64])
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.0f\t%.2f\t\n", c.name, wall[0][0], cpu[0][0], wall[1][0], cpu[1][0], wall[2][0], cpu[2][0],
			wall[1][0]/wall[0][0], cpu[1][0]/cpu[0][0], c.target, wall[1][len(wall[1])/2]/wall[1][0])
	}
	w.Flush()
}

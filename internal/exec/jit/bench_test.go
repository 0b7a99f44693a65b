package jit

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/machine"
)

func float(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// BenchmarkKernels measures the cases with one worker and two. cpu-ms is the processor time, which
// is less sensitive to other load on the machine.
func BenchmarkKernels(b *testing.B) {
	ks := kernelsOf(b, benchKernels)
	for _, c := range benchCases(false) {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(b *testing.B) {
				e := exec.NewEngine(workers)
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

// BenchmarkOpenCL measures the same cases on OpenCL.
func BenchmarkOpenCL(b *testing.B) {
	cl, err := newOpenCL(openCLKernels, openCLFast)
	if err != nil {
		b.Skipf("no OpenCL device to compare with: %v", err)
	}
	for _, c := range benchCases(false) {
		b.Run(c.name, func(b *testing.B) {
			launch, _, err := cl.prepare(&c)
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

// BenchmarkThousand measures a thousand small launches in sequence.
func BenchmarkThousand(b *testing.B) {
	k := kernelsOf(b, benchKernels)["nothing"]
	e := exec.NewEngine(0)
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

var (
	speed = flag.Duration("jit.speed", 0,
		"compare each kernel with OpenCL and with itself on one worker for so long, and print a table")
	speedOnly = flag.String("jit.speed-of", "", "a regular expression of the kernels to compare; empty for all")
)

// TestSpeed prints the speed of machine code, of machine code for AVX2, and of the interpreter
// relative to OpenCL, that of machine code relative to C, and that of two workers relative to one.
// The runs are interleaved, so that other load on the machine affects all alike. OpenCL and C use
// two threads and all vector instructions of the processor.
//
// "gain" is the speedup of two workers over one. "of machine" is the throughput of two concurrent
// engines with one worker each and nothing in common, not even kernels and memory, relative to one
// such engine: no change of the engine can exceed that. Both are of machine code, and all use the
// minimum over all rounds.
func TestSpeed(t *testing.T) {
	if *speed == 0 {
		t.Skip("not asked for: -jit.speed=2s")
	}
	cl, err := newOpenCL(openCLKernels, openCLFast)
	if err != nil {
		t.Logf("no OpenCL device to compare with: %v", err)
	}
	inC, err := newC(t)
	if err != nil {
		t.Logf("no C to compare with: %v", err)
	}
	ks := kernelsOf(t, benchKernels)
	native := func(name string, o Options) *exec.Kernel {
		return exec.NewKernel(ks[name].Func(), exec.Options{Backend: backend{Machine: o}})
	}
	two, one, other := exec.NewEngine(2), exec.NewEngine(1), exec.NewEngine(1)
	only := regexp.MustCompile(*speedOnly)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kernel\tOpenCL ms\tjit ms\tAVX2 ms\tvm ms\tOpenCL/jit\tgoal\tOpenCL/AVX2\tgoal\tOpenCL/vm\t"+
		"C ms\tC/jit\tmedian/min\tgain\tof machine\t")
	product, narrow, withC, cases := 1.0, 1.0, 1.0, 0
	for _, c := range benchCases(false) {
		if !only.MatchString(c.name) {
			continue
		}
		var mapped [][]byte
		copyOf := func(b []byte) []byte { // in memory like that of the software device's buffers
			m, err := machine.Map(len(b))
			require.NoError(t, err)
			copy(m, b)
			mapped = append(mapped, m)
			return m
		}
		own := c // for the engine that has nothing in common with the others
		c.buffers, own.buffers = slices.Clone(c.buffers), slices.Clone(c.buffers)
		for i, b := range c.buffers {
			c.buffers[i], own.buffers[i] = copyOf(b), copyOf(b)
		}
		l, apart := c.launchTo(copyOf(c.buffers[0])), own.launchTo(own.buffers[0])
		k, third := native(c.name, Options{}), native(c.name, Options{})
		avx2 := native(c.name, Options{AVX2: true})
		runs := []func() error{
			func() error { return two.Run(t.Context(), k, l) },
			func() error { return one.Run(t.Context(), k, l) },
			func() error {
				done := make(chan error)
				go func() { done <- other.Run(t.Context(), third, apart) }()
				return errors.Join(one.Run(t.Context(), k, l), <-done)
			},
			func() error { return two.Run(t.Context(), ks[c.name], l) },
			func() error { return two.Run(t.Context(), avx2, l) },
		}
		nothing := func() error { return nil }
		runs = append(runs, nothing, nothing)
		if cl != nil {
			runs[5], _, err = cl.prepare(&c)
			require.NoError(t, err)
		}
		if run, ok := inC.prepare(&c, copyOf(c.buffers[0])); ok {
			runs[6] = run
		}
		wall := make([][]float64, len(runs))
		for begin, round := time.Now(), 0; time.Since(begin) < *speed || round < 3; round++ {
			for i, run := range runs {
				at := time.Now()
				require.NoError(t, run())
				wall[i] = append(wall[i], time.Since(at).Seconds()*1e3)
			}
		}
		least := func(i int) float64 {
			slices.Sort(wall[i])
			return wall[i][0]
		}
		opencl, compiled := least(5), least(6)
		if c.name != "nothing" {
			product, narrow, withC = product*opencl/least(0), narrow*opencl/least(4), withC*compiled/least(0)
			cases++
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.1f\t%.2f\t%.1f\t%.2f\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", c.name,
			opencl, least(0), least(4), least(3), opencl/least(0), c.goal, opencl/least(4), c.narrow, opencl/least(3),
			compiled, compiled/least(0), wall[0][len(wall[0])/2]/wall[0][0], least(1)/least(0), 2*least(1)/least(2))
		for _, b := range mapped {
			require.NoError(t, machine.Unmap(b))
		}
	}
	w.Flush()
	mean := func(x float64) float64 { return math.Pow(x, 1/float64(cases)) }
	fmt.Printf("geometric means of OpenCL/jit: %.2f, of OpenCL/AVX2: %.2f, of C/jit: %.2f\n", mean(product), mean(narrow),
		mean(withC))
}

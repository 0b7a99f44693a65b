package jit

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// needMachineCode skips a test where there is no machine code.
func needMachineCode(t *testing.T) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
}

// machineCodes returns options, each for all processors that this one can run the code of.
func machineCodes(list ...Options) (all []Options) {
	for _, o := range list {
		all = append(all, o)
		if !o.AVX2 && o.Vectors() != (Options{AVX2: true}).Vectors() {
			o.AVX2 = true
			all = append(all, o)
		}
	}
	return all
}

// TestMachineCode: the measured kernels give the interpreter's bits as machine code, whatever is
// forced, and all of them but the empty one have some.
func TestMachineCode(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, benchKernels)
	e := exec.NewEngine(2)
	for _, c := range benchCases(true) {
		l, want := c.launch()
		require.NoError(t, e.Run(t.Context(), ks[c.name], l))
		for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Blocks: 2, Calls: true},
			Options{Blocks: 4}, Options{Spill: true}, Options{Cold: true},
			Options{Blocks: 1, Spill: true, Cold: true}) {
			k := exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: backend{Machine: o}})
			l, have := c.launch()
			require.NoError(t, e.Run(t.Context(), k, l))
			require.Equal(t, want, have, "%s, %+v", c.name, o)
			p, err := compiled(k, [3]int{max(1, c.group[0]), max(1, c.group[1]), max(1, c.group[2])})
			require.NoError(t, err)
			// If forced, two may be more code than is allowed, and the other is one range only in a
			// single block.
			forced := o.Blocks > 0 || o.Spill || o.Cold
			if forced && (c.name == "sha256" || c.name == "insertion" || c.name == "transpose") {
				continue
			}
			require.Equal(t, c.name != "nothing", len(p.ranges) > 0, c.name)
		}
	}
}

// TestMachineCodeShort: long kernels are compiled for so few vectors at once that their code fits
// into the processor's caches.
func TestMachineCodeShort(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, benchKernels)
	for name, shape := range map[string][3]int{"sha256": {256, 1, 1}, "blurTexture": {16, 16, 1}} {
		for _, o := range machineCodes(Options{Whole: true}) {
			p, err := compiled(exec.NewKernel(ks[name].Func(), exec.Options{Backend: backend{Machine: o}}), shape)
			require.NoError(t, err)
			require.Less(t, codeBytes(p), 64<<10, "%s, %+v", name, o)
		}
	}
}

var stormFor = flag.Duration("jit.storm", 0, "how long TestMachineCodeStorm runs; 0 is 20 launches of each kernel")

// TestMachineCodeStorm: the garbage collector, other goroutines and the profiler do not disturb
// machine code, nor it them.
func TestMachineCodeStorm(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, benchKernels)
	if err := pprof.StartCPUProfile(io.Discard); err == nil { // otherwise go test is profiling already
		defer pprof.StopCPUProfile()
	}
	var stop atomic.Bool
	ended := make(chan bool)
	go func() {
		defer close(ended)
		var keep [][]byte
		for i := 0; !stop.Load(); i++ {
			keep = append(keep[:i%8:i%8], make([]byte, 1<<16))
			runtime.GC()
			runtime.Gosched()
		}
	}()
	e := exec.NewEngine(2)
	began, launches := time.Now(), 0
	for round := 0; round == 0 || time.Since(began) < *stormFor; round++ {
		for _, c := range benchCases(true) {
			l, want := c.launch()
			require.NoError(t, e.Run(t.Context(), ks[c.name], l))
			for _, o := range machineCodes(Options{}) {
				k := exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: backend{Machine: o}})
				for n := range 20 {
					l, have := c.launch()
					require.NoError(t, e.Run(t.Context(), k, l))
					require.Equal(t, want, have, "%s, launch %d, %+v", c.name, n, o)
					launches++
				}
			}
		}
	}
	stop.Store(true)
	<-ended
	t.Logf("%d launches in %v", launches, time.Since(began).Round(time.Second))
}

// TestMachineCodeStops: loops in machine code end when the budget is used, and when the program
// cancels the launch.
func TestMachineCodeStops(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
kernel void endless(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  float x = out[i];
  for (uint k = 0; k < 4000000000u; k++) x = x * 0.5f + 1;
  out[i] = x;
}`)
	k := exec.NewKernel(ks["endless"].Func(), exec.Options{Backend: backend{Machine: Options{}}})
	launch := func() *exec.Launch {
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: make([]byte, 4096)})
		return &exec.Launch{Grid: [3]int{1024}, Group: [3]int{512}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}
	}
	e := exec.NewEngine(2)
	l := launch()
	l.Fuel = 1 << 30
	require.ErrorIs(t, e.Run(t.Context(), k, l), exec.ErrFuel)
	p, err := compiled(k, [3]int{512, 1, 1})
	require.NoError(t, err)
	require.NotEmpty(t, p.ranges)

	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- e.Run(ctx, k, launch()) }()
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
}

// TestMachineCodeResumes: code that runs out of fuel at every backward jump goes on with all of its
// registers.
func TestMachineCodeResumes(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, benchKernels)
	for _, c := range benchCases(true) {
		l, want := c.launch()
		require.NoError(t, exec.NewEngine(1).Run(t.Context(), ks[c.name], l))
		for _, o := range machineCodes(Options{Blocks: 1, Starve: true}) {
			k := exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: backend{Machine: o}})
			l, have := c.launch()
			require.NoError(t, exec.NewEngine(1).Run(t.Context(), k, l))
			require.Equal(t, want, have, "%s, %+v", c.name, o)
		}
	}
}

// TestMachineCodeNaNs: minima and maxima prefer numbers to NaNs of both kinds, and order zeros.
func TestMachineCodeNaNs(t *testing.T) {
	needMachineCode(t)
	ks := kernelsOf(t, `
kernel void extremes(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                     uint i [[thread_position_in_grid]]) {
  float a = in[i / 16], b = in[i % 16], c = in[i % 3] + a * b;
  out[3 * i] = fmin(a, b);
  out[3 * i + 1] = fmax(a, b);
  out[3 * i + 2] = c;
}`)
	values := []uint32{0, 1 << 31, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000, 0x7fa00000, 0x3f800000,
		0xbf800000, 0x7f800000, 0xff800000, 1, 0x80000001, 0x7f7fffff, 0x7fffffff, 0x40000000}
	var results [3][]byte
	for i, o := range []backend{{}, {Machine: Options{}}, {Machine: Options{AVX2: true}}} {
		results[i] = make([]byte, 3*4*256)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: results[i]})
		sp.Set(2, exec.Object{Data: words(values...)})
		e := exec.NewEngine(1)
		k := exec.NewKernel(ks["extremes"].Func(), exec.Options{Backend: o})
		require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{256}, Group: [3]int{256}, Space: sp,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
		p, err := compiled(k, [3]int{256, 1, 1})
		require.NoError(t, err)
		require.Equal(t, i > 0, len(p.ranges) > 0)
	}
	number := func(i, at int) float64 {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(results[i][4*at:])))
		if math.IsNaN(x) {
			return 12345 // all NaNs are alike, and no result is this
		}
		return x
	}
	for at := range 3 * 256 {
		for i := 1; i < len(results); i++ {
			want, have := number(0, at), number(i, at)
			require.Equal(t, math.Float64bits(want), math.Float64bits(have), "result %d: %v, want %v", at, have, want)
		}
	}
}

// TestMachineCodeEvicts: with few vector registers, values wait in memory for their use, also those
// of functions and under masks.
func TestMachineCodeEvicts(t *testing.T) {
	needMachineCode(t)
	var text strings.Builder
	text.WriteString("kernel void evicts(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],\n" +
		"    uint i [[thread_position_in_grid]]) {\n  float a = in[i];\n")
	const n = 24
	for k := range n {
		fmt.Fprintf(&text, "  float v%d = a * %d.5f + %d;\n", k, k, k*k)
	}
	text.WriteString("  float s = metal::fast::sin(a) + (a > 0.5f ? v3 : v7);\n" +
		"  if (a > 0.25f) {\n    s += v5;\n    v9 = s;\n  }\n")
	for k := range n {
		fmt.Fprintf(&text, "  s = s * 0.5f + v%d;\n", n-1-k)
	}
	text.WriteString("  out[i] = s;\n}\n")
	k := kernelsOf(t, text.String())["evicts"]
	var want []byte
	options := machineCodes(Options{}, Options{Blocks: 1, Spill: true}, Options{Cold: true})
	for i, o := range append([]Options{{}}, options...) {
		b := backend{Machine: o}
		if i == 0 {
			b = backend{}
		}
		have := make([]byte, 4*1000)
		sp := &exec.Space{}
		sp.Set(1, exec.Object{Data: have})
		sp.Set(2, exec.Object{Data: floats(1000)})
		k := exec.NewKernel(k.Func(), exec.Options{Backend: b})
		require.NoError(t, exec.NewEngine(1).Run(t.Context(), k, &exec.Launch{Grid: [3]int{1000}, Group: [3]int{256},
			Space: sp, Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
		if i == 0 {
			want = have
			continue
		}
		require.Equal(t, want, have, "%+v", o)
		p, err := compiled(k, [3]int{256, 1, 1})
		require.NoError(t, err)
		if o.AVX2 { // wide registers may not suffice
			requireCompiled(t, p.lir, o, fmt.Sprintf("%+v", o))
		}
	}
}

// TestMachineCodeAccesses: a kernel may have more accesses in a row than there are registers for
// their addresses.
func TestMachineCodeAccesses(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void many(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  float x = in[i];
  out[i] = x; out[i + 300] = x * 2; out[i + 600] = x * 3; out[i + 900] = x * 4; out[i + 1200] = x * 5;
  out[i + 1500] = x * 6; out[i + 1800] = x * 7; out[i + 2100] = x * 8; out[i + 2400] = x * 9;
  out[i + 2700] = in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4] + in[i + 5] + in[i + 6] + in[i + 7] + in[i + 8];
}`)["many"]
	e := exec.NewEngine(1)
	for _, o := range machineCodes(Options{}, Options{Blocks: 1}, Options{Cold: true}) {
		var results [2][]byte
		for i, b := range []backend{{}, {Machine: o}} {
			results[i] = make([]byte, 4*3000)
			sp := &exec.Space{}
			sp.Set(1, exec.Object{Data: results[i]})
			sp.Set(2, exec.Object{Data: floats(300)})
			k := exec.NewKernel(k.Func(), exec.Options{Backend: b})
			require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{256}, Group: [3]int{256}, Space: sp,
				Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}}))
			p, err := compiled(k, [3]int{256, 1, 1})
			require.NoError(t, err)
			require.Equal(t, i == 1, len(p.ranges) > 0)
		}
		require.Equal(t, results[0], results[1], "%+v", o)
	}
}

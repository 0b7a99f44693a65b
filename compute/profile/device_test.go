package profile_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	library "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/compute/profile"
)

const source = `#include <metal_stdlib>
using namespace metal;
kernel void light(device uint* x, uint i [[thread_position_in_grid]]) { x[i] += 1; }
kernel void heavy(device uint* x, uint i [[thread_position_in_grid]]) {
	uint v = x[i];
	for (uint n = 0; n < 20000; n++) { v = v * 1664525 + 1013904223; }
	x[i] = v;
}`

// rig is an accelerator with the kernels, a stream and a buffer.
type rig struct {
	acc          *compute.Accelerator
	light, heavy *compute.Kernel
	stream       *compute.Stream
	x            *compute.Buffer[uint32]
}

func newRig(t testing.TB, options ...compute.Option) *rig {
	t.Helper()
	r := &rig{acc: computetest.Open(t, options...)}
	program, err := r.acc.Compile(t.Context(), source, compute.CompileOptions{Name: "rig.metal"})
	require.NoError(t, err)
	t.Cleanup(program.Close)
	r.light, err = program.Kernel("light")
	require.NoError(t, err)
	r.heavy, err = program.Kernel("heavy")
	require.NoError(t, err)
	r.stream, err = r.acc.NewStream(compute.StreamOptions{Label: "work"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.stream.Close(context.Background())) })
	r.x, err = compute.NewBuffer[uint32](r.acc, 256, compute.BufferOptions{Label: "x"})
	require.NoError(t, err)
	t.Cleanup(r.x.Close)
	return r
}

// work launches light twice and heavy once, n times.
func (r *rig) work(t testing.TB, n int) {
	ctx, end := r.acc.Operation(t.Context(), "work")
	defer end()
	for range n {
		for _, k := range []*compute.Kernel{r.light, r.heavy, r.light} {
			require.NoError(t, r.stream.Launch(ctx, k, compute.Threads1D(256), r.x))
		}
	}
	require.NoError(t, r.stream.Sync(ctx))
}

// TestRecorder: the figures are those of the stream's statistics and of what the test did.
func TestRecorder(t *testing.T) {
	for _, how := range []observe.LaunchTiming{observe.LaunchTimesOff, observe.LaunchTimesByCounter,
		observe.LaunchTimesBySplit} {
		t.Run(how.String(), func(t *testing.T) {
			r := newRig(t)
			rec, err := profile.Start(r.acc, profile.Options{LaunchTimes: how})
			require.NoError(t, err)
			before := r.stream.Stats()
			r.work(t, 20)
			require.NoError(t, r.x.Upload(t.Context(), make([]uint32, 256)))
			y, err := compute.NewBuffer[uint32](r.acc, 1024, compute.BufferOptions{})
			require.NoError(t, err)
			most := r.acc.Allocated()
			y.Close()
			p := rec.Stop()
			after := r.stream.Stats()
			r.work(t, 1)
			assert.Same(t, p, rec.Stop())

			streams, busy := p.Streams()
			require.Len(t, streams, 1)
			assert.EqualValues(t, after.CommandBuffers-before.CommandBuffers, streams[0].Buffers)
			assert.EqualValues(t, after.Commands-before.Commands, streams[0].Commands)
			assert.Equal(t, "work", streams[0].Label)
			device := after.DeviceTime - before.DeviceTime
			assert.InDelta(t, device, streams[0].Busy, 1e3+1e2*float64(streams[0].Buffers),
				"a stream's buffers do not overlap")
			assert.Equal(t, streams[0].Busy, busy)

			kernels := map[string]profile.KernelSummary{}
			var total time.Duration
			for _, k := range p.Kernels() {
				kernels[k.Kernel] = k
				total += k.Total
			}
			require.Len(t, kernels, 2)
			assert.Equal(t, 40, kernels["light"].Count)
			assert.Equal(t, 20, kernels["heavy"].Count)
			assert.LessOrEqual(t, total, device+time.Microsecond)
			assert.Equal(t, how.String(), p.LaunchTimes)
			if how != observe.LaunchTimesOff {
				assert.Equal(t, 40, kernels["light"].Exact)
				assert.Equal(t, 20, kernels["heavy"].Exact)
				assert.Greater(t, kernels["heavy"].P50, kernels["light"].P50)
			}
			ops := p.ByOperation()
			require.Equal(t, "work", ops[0].Name)
			assert.Equal(t, 1, ops[0].Runs)
			assert.Equal(t, 60, ops[0].Self.Launches)
			assert.Equal(t, total, ops[0].Self.Device)
			assert.EqualValues(t, 1024, p.Transfers[0].Bytes)
			assert.Equal(t, most, p.MostMemory())
			for _, b := range p.Buffers {
				assert.LessOrEqual(t, b.Commit-p.Clock.Error-time.Microsecond, b.Start)
				assert.LessOrEqual(t, b.End-p.Clock.Error-time.Microsecond, b.Notified)
			}
			for _, c := range p.Commands {
				assert.Contains(t, c.Site.File, "device_test.go")
			}
		})
	}
}

// TestWithProfile: the recorder sees all from the beginning, compilations too.
func TestWithProfile(t *testing.T) {
	option, rec, err := profile.WithProfile(profile.Options{})
	require.NoError(t, err)
	r := newRig(t, option)
	r.work(t, 1)
	p := rec.Stop()
	assert.Len(t, p.Compiles, 3, "the program and two pipelines")
	assert.Len(t, p.Lookups, 3)
	assert.Len(t, p.Commands, 3)
}

var pprofTool = flag.Bool("profile.pprof", false, "look at a profile with go tool pprof, which Go builds for that")

// TestPprof: the format's own library reads a profile as it is meant, and go tool pprof shows
// device times by kernel and by line.
func TestPprof(t *testing.T) {
	r := newRig(t)
	rec, err := profile.Start(r.acc, profile.Options{LaunchTimes: observe.LaunchTimesBySplit})
	require.NoError(t, err)
	r.work(t, 10)
	p := rec.Stop()
	file := filepath.Join(t.TempDir(), "device.pb.gz")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, p.WritePprof(f))
	require.NoError(t, f.Close())
	read, err := os.Open(file)
	require.NoError(t, err)
	parsed, err := library.Parse(read)
	require.NoError(t, err)
	require.NoError(t, read.Close())
	require.NoError(t, parsed.CheckValid())
	assert.Equal(t, []string{"commands", "device"}, []string{parsed.SampleType[0].Type, parsed.SampleType[1].Type})
	times := map[string]int64{}
	for _, s := range parsed.Sample {
		assert.Equal(t, []string{"work"}, s.Label["operation"])
		assert.Contains(t, s.Location[1].Line[0].Function.Name, "(*rig).work", "the caller")
		times[s.Location[0].Line[0].Function.Name] += s.Value[1]
	}
	for _, k := range p.Kernels() {
		assert.EqualValues(t, k.Total, times[k.Kernel], k.Kernel)
	}
	if !*pprofTool {
		return
	}
	pprof := func(arguments ...string) string {
		cmd := exec.Command("go", append(append([]string{"tool", "pprof"}, arguments...), file)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	top := pprof("-top", "-unit=ns")
	assert.Regexp(t, `(?m)^Type: device$`, top)
	for _, k := range p.Kernels() {
		m := regexp.MustCompile(`(?m)^ *(\d+)ns .* ` + k.Kernel + `$`).FindStringSubmatch(top)
		require.NotNil(t, m, top)
		got, err := strconv.ParseInt(m[1], 10, 64)
		require.NoError(t, err)
		assert.EqualValues(t, k.Total, got)
	}
	assert.Regexp(t, `profile_test\.\(\*rig\)\.work`, top)
	counts := pprof("-top", "-sample_index=commands")
	assert.Regexp(t, `(?m)^ *20 .* light$`, counts)
	assert.Regexp(t, `(?m)^ *10 .* heavy$`, counts)
	assert.Regexp(t, `operation: +work`, pprof("-traces"))
	assert.NotContains(t, strings.ToLower(top), "warning")
}

// TestDialect: profiles name kernels of other languages as their source does, and the line of the
// program that launched them.
func TestDialect(t *testing.T) {
	r := newRig(t)
	program, err := r.acc.Compile(t.Context(), `
template <typename T> __global__ void add(T *x, T by) { x[blockIdx.x * blockDim.x + threadIdx.x] += by; }
`, compute.CompileOptions{Name: "add.cu", Dialect: "cuda", Instances: []string{"add<unsigned>"}})
	require.NoError(t, err)
	t.Cleanup(program.Close)
	k, err := program.Kernel("add<unsigned>")
	require.NoError(t, err)
	rec, err := profile.Start(r.acc, profile.Options{})
	require.NoError(t, err)
	require.NoError(t, r.stream.Launch(t.Context(), k,
		compute.Threadgroups{Grid: compute.Extent{X: 2}, Group: compute.Extent{X: 64}}, r.x, uint32(3)))
	require.NoError(t, r.stream.Sync(t.Context()))
	p := rec.Stop()
	require.Len(t, p.Commands, 1)
	assert.Equal(t, "add<unsigned int>", p.Commands[0].Kernel)
	assert.Equal(t, "device_test.go", filepath.Base(p.Commands[0].Site.File))
}

// BenchmarkRecorder is launches of 256 threads, of a kernel that does nearly nothing and of one
// that works for some 0.2 ms, without a recorder, with one, and with both ways to time launches,
// in turns: the metrics are ratios of medians to the runs without.
func BenchmarkRecorder(b *testing.B) {
	r := newRig(b)
	b.Run("light", func(b *testing.B) { r.benchmark(b, r.light, 1000) })
	b.Run("heavy", func(b *testing.B) { r.benchmark(b, r.heavy, 100) })
}

func (r *rig) benchmark(b *testing.B, k *compute.Kernel, launches int) {
	l, err := k.Bind(compute.Threads1D(256), r.x)
	require.NoError(b, err)
	run := func() time.Duration {
		start := time.Now()
		for range launches {
			if err := r.stream.Run(b.Context(), l); err != nil {
				b.Fatal(err)
			}
		}
		require.NoError(b, r.stream.Sync(b.Context()))
		return time.Since(start)
	}
	how := []observe.LaunchTiming{observe.LaunchTimesOff, observe.LaunchTimesByCounter, observe.LaunchTimesBySplit}
	times := make([][]time.Duration, 1+len(how))
	for b.Loop() {
		times[0] = append(times[0], run())
		for i, h := range how {
			rec, err := profile.Start(r.acc, profile.Options{LaunchTimes: h})
			require.NoError(b, err)
			times[i+1] = append(times[i+1], run())
			rec.Stop()
		}
	}
	base := median(times[0])
	b.ReportMetric(base/float64(launches), "ns/launch")
	for i, name := range []string{"recorder", "counters", "split"} {
		b.ReportMetric(median(times[i+1])/base, name+"-ratio")
	}
}

// TestGoSource: profiles name the line of a kernel in Go.
func TestGoSource(t *testing.T) {
	r := newRig(t)
	program, err := gokernel.Compile(t.Context(), r.acc, fstest.MapFS{"kernels/add.go": {Data: []byte(`package kernels

import "github.com/puremetal/puremetal/kernel"

//puremetal:kernel
func Add(t *kernel.Thread, x []uint32) {
	x[t.Global.X]++
}
`)}}, "kernels", compute.CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	add, err := program.Kernel("Add")
	require.NoError(t, err)
	rec, err := profile.Start(r.acc, profile.Options{})
	require.NoError(t, err)
	r.work(t, 1)
	require.NoError(t, r.stream.Launch(t.Context(), add, compute.Threads1D(256), r.x))
	require.NoError(t, r.stream.Sync(t.Context()))
	p := rec.Stop()

	places := map[string]profile.Site{}
	for _, k := range p.Kernels() {
		places[k.Kernel] = k.Source
	}
	place := profile.Site{Function: "Add", File: "kernels/add.go", Line: 6}
	assert.Equal(t, map[string]profile.Site{"Add": place, "light": {}, "heavy": {}}, places)
	var text, trace, pprof strings.Builder
	require.NoError(t, p.WriteText(&text))
	assert.Contains(t, text.String(), " Add (kernels/add.go:6) ")
	require.NoError(t, p.WriteTrace(&trace))
	assert.Contains(t, trace.String(), `"source":"kernels/add.go:6"`)
	back, err := profile.ReadTrace(strings.NewReader(trace.String()))
	require.NoError(t, err)
	assert.Equal(t, p.Commands, back.Commands)
	require.NoError(t, p.WritePprof(&pprof))
	parsed, err := library.Parse(strings.NewReader(pprof.String()))
	require.NoError(t, err)
	found := false
	for _, l := range parsed.Location {
		if f := l.Line[0].Function; f.Name == "Add" {
			found = true
			assert.Equal(t, "kernels/add.go", f.Filename)
			assert.EqualValues(t, 6, l.Line[0].Line)
		}
	}
	assert.True(t, found)
}

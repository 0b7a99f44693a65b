//go:build !puremetal_nosoftware

package fallback_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/fallback"
	"github.com/puremetal/puremetal/compute/graph"
	internal "github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const source = `
#include <metal_stdlib>
using namespace metal;

kernel void saxpy(device const float *x, device float *y, constant float &a, uint i [[thread_position_in_grid]]) {
    y[i] = fma(a, x[i], y[i]);
}

struct Shift { float by; packed_float3 more; uint every; };

// Functions whose results depend on the math mode.
kernel void curve(device const float *x, device float *y, constant Shift &s, uint i [[thread_position_in_grid]]) {
    float v = exp(x[i]) * sin(x[i] + s.by) + rsqrt(fabs(x[i]) + s.more[1]);
    y[i] = i % s.every == 0 ? pow(v, 2.5f) : v SCALE;
}

// Static and dynamic threadgroup memory, simdgroups.
kernel void total(device const float *x, device float *sums, threadgroup float *half [[threadgroup(0)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint n [[threads_per_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    threadgroup float all[256];
    all[t] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < n / 2)
        half[t] = all[t] + all[t + n / 2];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float v = t < n / 2 ? half[t] : 0;
    v = simd_sum(v);
    if (t % 32 == 0)
        all[t / 32] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) {
        float s = 0;
        for (uint j = 0; j < (n + 31) / 32; j++)
            s += all[j];
        sums[g] = s;
    }
}

kernel void histogram(device const uint *x, device atomic_uint *bins, uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(&bins[x[i] & 15], 1, memory_order_relaxed);
    atomic_fetch_max_explicit(&bins[16], x[i], memory_order_relaxed);
}

constant float factor [[function_constant(0)]];
constant bool negate [[function_constant(1)]];
constant int3 offsets [[function_constant(2)]];
constant half fine [[function_constant(3)]];

kernel void constants(device const float *x, device float *y, uint i [[thread_position_in_grid]]) {
    float v = x[i] * factor + offsets[i % 3] + float(fine);
    y[i] = negate ? -v : v;
}

kernel void beyond(device const int *x, device int *y, constant int &n, uint i [[thread_position_in_grid]]) {
    y[i] = x[i + n];
    y[i + 1000000] = 7;
}

kernel void spin(device atomic_uint *flag, uint i [[thread_position_in_grid]]) {
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {}
}

struct Indirect { device float *p; };
kernel void pointers(device const Indirect &s, uint i [[thread_position_in_grid]]) { s.p[i] = 1; }
kernel void number(device const ulong &at, uint i [[thread_position_in_grid]]) { ((device float *)at)[i] = 1; }
kernel void texel(texture2d<float> t, device float *y, uint i [[thread_position_in_grid]]) {
    y[i] = t.read(uint2(i, 0)).x;
}
`

// setup opens an accelerator with a CPU, and a stream.
func setup(t *testing.T, options ...compute.Option) (*compute.Accelerator, *compute.Stream) {
	t.Helper()
	cpu, err := fallback.New(fallback.Options{})
	require.NoError(t, err)
	a := computetest.Open(t, append([]compute.Option{compute.WithFallback(cpu)}, options...)...)
	return a, newStream(t, a, compute.StreamOptions{Label: "test"})
}

func newStream(t *testing.T, a *compute.Accelerator, o compute.StreamOptions) *compute.Stream {
	t.Helper()
	s, err := a.NewStream(o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

func compile(t *testing.T, a *compute.Accelerator, o compute.CompileOptions) *compute.Program {
	t.Helper()
	if o.Macros == nil {
		o.Macros = map[string]string{"SCALE": "* 3"}
	}
	p, err := a.Compile(t.Context(), source, o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func kernel(t *testing.T, p *compute.Program, name string, constants ...compute.Constant) *compute.Kernel {
	t.Helper()
	k, err := p.Kernel(name, constants...)
	require.NoError(t, err)
	return k
}

// bufferIn makes a buffer with contents in a kind of storage.
func bufferIn[T any](t *testing.T, a *compute.Accelerator, mode mtl.StorageMode, data []T) *compute.Buffer[T] {
	t.Helper()
	b, err := compute.NewBuffer[T](a, len(data), compute.BufferOptions{Storage: &mode})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	require.NoError(t, b.Upload(t.Context(), data))
	return b
}

func contents[T any](t *testing.T, b *compute.Buffer[T]) []T {
	t.Helper()
	out := make([]T, b.Len())
	require.NoError(t, b.Download(t.Context(), out))
	return out
}

// modes are the storage modes of a device.
func modes(a *compute.Accelerator) []mtl.StorageMode {
	all := []mtl.StorageMode{mtl.StorageModeShared, mtl.StorageModePrivate}
	if !a.Info().Limits.UnifiedMemory {
		all = append(all, mtl.StorageModeManaged)
	}
	return all
}

// launcher is Launch or LaunchFallback.
type launcher func(context.Context, *compute.Kernel, compute.Grid, ...any) error

// same runs a function with both launchers, and compares the bits of the results.
func same[T any](t *testing.T, s *compute.Stream, run func(launcher) []T) {
	t.Helper()
	before := s.Stats().Fallbacks
	want := run(s.Launch)
	require.Equal(t, before, s.Stats().Fallbacks)
	got := run(s.LaunchFallback)
	require.Greater(t, s.Stats().Fallbacks, before)
	require.Equal(t, bits(want), bits(got))
}

// bits replaces floats by their bits.
func bits[T any](x []T) any {
	f, ok := any(x).([]float32)
	if !ok {
		return x
	}
	out := make([]uint32, len(f))
	for i, v := range f {
		out[i] = math.Float32bits(v)
	}
	return out
}

type shift struct {
	By    float32
	More  [3]float32
	Every uint32
}

// TestSame: on the software device, which has the same engine, results are equal bit for bit, in
// each kind of memory, with each kind of argument that the CPU takes.
func TestSame(t *testing.T) {
	a, s := setup(t)
	if !a.Info().Software {
		t.Skip("a GPU's results differ as far as Metal allows")
	}
	const n = 1000
	x, words := make([]float32, n), make([]uint32, n)
	for i := range x {
		x[i], words[i] = float32(i-500)/37, uint32(i*i*2654435761)
	}
	safe := mtl.MathModeSafe
	for _, mode := range modes(a) {
		for name, o := range map[string]compute.CompileOptions{"": {}, " safe": {Math: &safe},
			" precise": {PreciseFunctions: true, Macros: map[string]string{"SCALE": "- 1"}}} {
			t.Run(mode.String()+name, func(t *testing.T) {
				p := compile(t, a, o)
				in := bufferIn(t, a, mode, x)
				floats := func(k *compute.Kernel, size int, grid compute.Grid, args ...any) {
					same(t, s, func(launch launcher) []float32 {
						out := bufferIn(t, a, mode, x[:size])
						require.NoError(t, launch(t.Context(), k, grid, append([]any{in, out}, args...)...))
						require.NoError(t, launch(t.Context(), k, grid, append([]any{in, out}, args...)...))
						require.NoError(t, s.Sync(t.Context()))
						return contents(t, out)
					})
				}
				floats(kernel(t, p, "saxpy"), n, compute.Threads1D(n), float32(1.1))
				floats(kernel(t, p, "curve"), n, compute.Threads1D(n), shift{0.25, [3]float32{1, 2, 3}, 3})
				floats(kernel(t, p, "total"), 8, compute.Threads1D(n).In(compute.Extent{X: 250}),
					compute.ThreadgroupMemory(512))
				floats(kernel(t, p, "total"), 8, compute.Threadgroups{Grid: compute.Extent{X: 3}, Group: compute.Extent{X: 256}},
					compute.ThreadgroupMemory(512))
				floats(kernel(t, p, "constants", compute.Constant{Index: 0, Value: float32(1.5)},
					compute.Constant{Name: "negate", Value: true}, compute.Constant{Index: 2, Value: [3]int32{1, -2, 3}},
					compute.Constant{Index: 3, Value: mtl.Half(0x3555)}), n, compute.Threads1D(n))
				same(t, s, func(launch launcher) []uint32 {
					in, bins := bufferIn(t, a, mode, words), bufferIn(t, a, mode, make([]uint32, 17))
					require.NoError(t, launch(t.Context(), kernel(t, p, "histogram"), compute.Threads1D(n), in, bins))
					require.NoError(t, s.Sync(t.Context()))
					return contents(t, bins)
				})
			})
		}
	}
}

// TestParts: parts of buffers, also of one buffer, are read and written where they are, and what is
// around them stays.
func TestParts(t *testing.T) {
	a, s := setup(t)
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "saxpy")
	for _, mode := range modes(a) {
		t.Run(mode.String(), func(t *testing.T) {
			all := make([]float32, 4096)
			for i := range all {
				all[i] = float32(i)
			}
			b := bufferIn(t, a, mode, all)
			x, err := b.Slice(3001, 3101)
			require.NoError(t, err)
			y, err := b.Slice(129, 229)
			require.NoError(t, err)
			require.NoError(t, s.LaunchFallback(t.Context(), k, compute.Threads1D(100), x.ReadOnly(), y, float32(2)))
			require.NoError(t, s.Sync(t.Context()))
			for i := range 100 {
				all[129+i] += 2 * all[3001+i]
			}
			assert.Equal(t, all, contents(t, b))
		})
	}
}

// TestOrder: a launch on the CPU runs after what was recorded before and before what is recorded
// after it, on the stream and by events on another.
func TestOrder(t *testing.T) {
	a, s := setup(t)
	other := newStream(t, a, compute.StreamOptions{Label: "other"})
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "saxpy")
	ctx := t.Context()
	for _, mode := range modes(a) {
		t.Run(mode.String(), func(t *testing.T) {
			one, y := bufferIn(t, a, mode, []float32{1, 1, 1}), bufferIn(t, a, mode, []float32{0, 0, 0})
			z := bufferIn(t, a, mode, []float32{0, 0, 0})
			e, err := a.NewEvent(compute.EventOptions{})
			require.NoError(t, err)
			defer e.Close()
			want := float32(0)
			for i := range 40 {
				launch, by := launcher(s.Launch), float32(i)
				if i%3 == 0 {
					launch = s.LaunchFallback
				}
				require.NoError(t, launch(ctx, k, compute.Threads1D(3), y, y, float32(1))) // doubled
				require.NoError(t, launch(ctx, k, compute.Threads1D(3), one, y, by))
				if want = 2*want + by; want > 1<<20 {
					require.NoError(t, compute.Fill(ctx, s, y, 0))
					want = 0
				}
			}
			require.NoError(t, s.Record(ctx, e))
			require.NoError(t, other.WaitFor(ctx, e))
			require.NoError(t, other.LaunchFallback(ctx, k, compute.Threads1D(3), y, z, float32(1)))
			require.NoError(t, other.Sync(ctx))
			require.NoError(t, s.Sync(ctx))
			assert.Equal(t, []float32{want, want, want}, contents(t, z))
		})
	}
}

// TestOutOfBounds: reads beyond a buffer are 0, writes are discarded, as on the software device.
func TestOutOfBounds(t *testing.T) {
	a, s := setup(t)
	if !a.Info().Software {
		t.Skip("a GPU does not define accesses out of bounds")
	}
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "beyond")
	same(t, s, func(launch launcher) []int32 {
		x := bufferIn(t, a, mtl.StorageModeShared, []int32{1, 2, 3, 4})
		y := bufferIn(t, a, mtl.StorageModeShared, []int32{9, 9, 9, 9})
		require.NoError(t, launch(t.Context(), k, compute.Threads1D(4), x, y, int32(1<<20)))
		require.NoError(t, s.Sync(t.Context()))
		return contents(t, y)
	})
}

// TestBudget: a launch that does too much fails with ErrTimeout, names itself, and what it wrote is
// undefined until it is written again. Later commands run.
func TestBudget(t *testing.T) {
	a, s := setup(t, compute.WithWorkBudget(100_000))
	p := compile(t, a, compute.CompileOptions{})
	flag := bufferIn(t, a, mtl.StorageModeShared, []uint32{0})
	ctx := t.Context()
	spin := kernel(t, p, "spin")
	require.NoError(t, s.LaunchFallback(ctx, spin, compute.Threads1D(1), flag))
	err := s.Sync(ctx)
	require.ErrorIs(t, err, compute.ErrTimeout)
	var failed *compute.ExecutionError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Commands, 1)
	assert.Contains(t, failed.Commands[0], "spin on the CPU (fallback_test.go:")
	assert.ErrorContains(t, err, "compute.WithWorkBudget")
	assert.Equal(t, compute.KernelStats{Launches: 1, Threads: 1, Failed: 1}, spin.Stats())
	require.ErrorIs(t, flag.Download(ctx, make([]uint32, 1)), compute.ErrTimeout)
	require.NoError(t, flag.Upload(ctx, []uint32{1}))
	require.NoError(t, s.LaunchFallback(ctx, spin, compute.Threads1D(1), flag))
	require.NoError(t, s.Sync(ctx))
}

// TestPrivateFailure: the copy back after a launch that failed does not make its result valid.
func TestPrivateFailure(t *testing.T) {
	a, s := setup(t, compute.WithWorkBudget(100_000))
	flag := bufferIn(t, a, mtl.StorageModePrivate, []uint32{0})
	ctx := t.Context()
	spin := kernel(t, compile(t, a, compute.CompileOptions{}), "spin")
	require.NoError(t, s.LaunchFallback(ctx, spin, compute.Threads1D(1), flag))
	require.ErrorIs(t, s.Sync(ctx), compute.ErrTimeout)
	require.ErrorIs(t, flag.Download(ctx, make([]uint32, 1)), compute.ErrTimeout)
}

// TestTimeout: so does one that takes too long.
func TestTimeout(t *testing.T) {
	a, s := setup(t, compute.WithTimeout(time.Millisecond))
	flag := bufferIn(t, a, mtl.StorageModeShared, []uint32{0})
	spin := kernel(t, compile(t, a, compute.CompileOptions{}), "spin")
	require.NoError(t, s.LaunchFallback(t.Context(), spin, compute.Threads1D(1), flag))
	err := s.Sync(t.Context())
	require.ErrorIs(t, err, compute.ErrTimeout)
	assert.ErrorContains(t, err, "longer than 1ms on the CPU")
}

// TestCancel: when the stream's context ends, a launch in progress is stopped and those after it do
// not run.
func TestCancel(t *testing.T) {
	started := make(chan struct{})
	a, _ := setup(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	s, err := a.NewStream(compute.StreamOptions{Label: "canceled", Context: ctx})
	require.NoError(t, err)
	p := compile(t, a, compute.CompileOptions{})
	flag := bufferIn(t, a, mtl.StorageModeShared, []uint32{0})
	x, y := bufferIn(t, a, mtl.StorageModeShared, []float32{1}), bufferIn(t, a, mtl.StorageModeShared, []float32{1})
	require.NoError(t, s.Callback(t.Context(), func(error) { close(started) }))
	require.NoError(t, s.LaunchFallback(t.Context(), kernel(t, p, "spin"), compute.Threads1D(1), flag))
	require.NoError(t, s.LaunchFallback(t.Context(), kernel(t, p, "saxpy"), compute.Threads1D(1), x, y, float32(1)))
	<-started
	enough := errors.New("enough")
	cancel(enough)
	err = s.Sync(t.Context())
	require.ErrorIs(t, err, compute.ErrCanceled)
	require.ErrorIs(t, err, enough)
	require.NotErrorIs(t, err, compute.ErrTimeout, "the first one was not stopped")
	require.NoError(t, s.Close(t.Context()))
	data, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{1}, data)
	require.Error(t, s.LaunchFallback(t.Context(), kernel(t, p, "spin"), compute.Threads1D(1), flag))
}

// TestDeviceFails: a launch on the CPU runs while every command buffer of the device fails.
func TestDeviceFails(t *testing.T) {
	a, s := setup(t)
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("faults are injected into the software device")
	}
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "saxpy")
	x := bufferIn(t, a, mtl.StorageModeShared, []float32{1, 2})
	y := bufferIn(t, a, mtl.StorageModeShared, []float32{0, 0})
	ctx := t.Context()
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(2), x, y, float32(1)))
	require.NoError(t, s.Sync(ctx))
	id := objcsoft.ID(a.Device().ID())
	for name, f := range map[string]softmetal.Faults{"commands": {CommandEvery: 1, CommandCode: 1},
		"objects": {ObjectEvery: 1}} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, softmetal.Inject(rt, id, f))
			defer func() { require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{})) }()
			require.NoError(t, y.Upload(ctx, []float32{10, 20}))
			require.NoError(t, s.Launch(ctx, k, compute.Threads1D(2), x, y, float32(1)))
			require.Error(t, s.Sync(ctx))
			require.NoError(t, y.Upload(ctx, []float32{10, 20})) // the failure left it undefined
			require.NoError(t, s.LaunchFallback(ctx, k, compute.Threads1D(2), x, y, float32(2)))
			require.NoError(t, s.Sync(ctx))
			assert.Equal(t, []float32{12, 24}, contents(t, y))
		})
	}
}

// TestDeviceFailsCopies: a launch on the CPU fails if the device cannot copy private memory to the
// host, and nothing takes the buffer for valid.
func TestDeviceFailsCopies(t *testing.T) {
	a, s := setup(t)
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("faults are injected into the software device")
	}
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "saxpy")
	x, y := bufferIn(t, a, mtl.StorageModeShared, []float32{1}), bufferIn(t, a, mtl.StorageModePrivate, []float32{1})
	ctx, id := t.Context(), objcsoft.ID(a.Device().ID())
	require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{CommandEvery: 1, CommandCode: 3}))
	require.NoError(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), x, y, float32(2)))
	err := s.Sync(ctx)
	require.ErrorIs(t, err, compute.ErrPageFault)
	require.ErrorContains(t, err, "could not be copied to the host")
	require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{}))
	require.ErrorIs(t, y.Download(ctx, make([]float32, 1)), compute.ErrPageFault)
	require.NoError(t, y.Upload(ctx, []float32{5}))
	require.NoError(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), x, y, float32(2)))
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, []float32{7}, contents(t, y))
}

// TestClosed: what is closed is refused, and what is closed after the call is still used.
func TestClosed(t *testing.T) {
	a, s := setup(t)
	ctx := t.Context()
	p, err := a.Compile(ctx, source, compute.CompileOptions{Macros: map[string]string{"SCALE": ""}})
	require.NoError(t, err)
	k := kernel(t, p, "saxpy")
	for _, mode := range modes(a) {
		x, y := bufferIn(t, a, mode, []float32{1}), bufferIn(t, a, mode, []float32{1})
		require.NoError(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), x, y, float32(2)))
		x.Close()
		require.NoError(t, s.Sync(ctx))
		assert.Equal(t, []float32{3}, contents(t, y))
		require.ErrorIs(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), x, y, float32(2)), compute.ErrClosed)
		require.ErrorIs(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), y, x, float32(2)), compute.ErrClosed)
	}
	x := bufferIn(t, a, mtl.StorageModeShared, []float32{1})
	other, err := a.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	require.NoError(t, other.Close(ctx))
	require.ErrorIs(t, other.LaunchFallback(ctx, k, compute.Threads1D(1), x, x, float32(2)), compute.ErrClosed)
	p.Close()
	require.ErrorIs(t, s.LaunchFallback(ctx, k, compute.Threads1D(1), x, x, float32(2)), compute.ErrClosed)
	assert.EqualValues(t, len(modes(a)), a.Stats().Fallbacks)
}

// pointer is a structure of one pointer.
type pointer struct{ P uint64 }

// TestRefused: what the CPU cannot run is an error that names the argument, and nothing is
// recorded.
func TestRefused(t *testing.T) {
	a, s := setup(t)
	ctx, p := t.Context(), compile(t, a, compute.CompileOptions{})
	y := bufferIn(t, a, mtl.StorageModeShared, []float32{1})
	tex, err := compute.NewTexture[float32](a, compute.Texture2D(1, 1), compute.TextureOptions{})
	require.NoError(t, err)
	defer tex.Close()
	address, err := y.Address()
	require.NoError(t, err)
	at := bufferIn(t, a, mtl.StorageModeShared, []uint64{address})
	in := bufferIn(t, a, mtl.StorageModeShared, []pointer{{address}})
	one := compute.Threads1D(1)
	logging, err := a.Compile(ctx, source,
		compute.CompileOptions{Logging: true, Macros: map[string]string{"SCALE": ""}})
	require.NoError(t, err)
	defer logging.Close()
	plain := computetest.Open(t)
	elsewhere := newStream(t, plain, compute.StreamOptions{})
	its := bufferIn(t, plain, mtl.StorageModeShared, []float32{1})
	g, noCPU := graph.New(a, "captured"), kernel(t, compile(t, plain, compute.CompileOptions{}), "saxpy")
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"texture": {s.LaunchFallback(ctx, kernel(t, p, "texel"), one, tex, y),
			[]string{"texture 0 (t)", "pass the texels"}},
		"pointer": {s.LaunchFallback(ctx, kernel(t, p, "pointers"), one, in),
			[]string{"buffer 0 (s)", "argument buffer"}},
		"listed":  {s.LaunchFallback(ctx, kernel(t, p, "pointers"), one, in, compute.Writes(y)), []string{"address"}},
		"number":  {s.LaunchFallback(ctx, kernel(t, p, "number"), one, at), []string{"line ", "address"}},
		"logging": {s.LaunchFallback(ctx, kernel(t, logging, "saxpy"), one, y, y, float32(1)), []string{"Logging"}},
		"no CPU":  {elsewhere.LaunchFallback(ctx, noCPU, one, its, its, float32(1)), []string{"WithFallback"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, c.err, compute.ErrFallback)
			require.ErrorIs(t, c.err, compute.ErrInvalidLaunch)
			for _, text := range c.want {
				assert.ErrorContains(t, c.err, text)
			}
		})
	}
	k := kernel(t, p, "saxpy")
	var wrong *compute.LaunchError
	require.ErrorAs(t, s.LaunchFallback(ctx, k, one, y, float32(1), float32(1)), &wrong)
	require.ErrorAs(t, s.LaunchFallback(ctx, k, compute.Threads1D(0), y, y, float32(1)), &wrong)
	require.ErrorAs(t, s.LaunchFallback(ctx, nil, one), &wrong)
	require.ErrorIs(t, s.LaunchFallback(ctx, k, one, its, y, float32(1)), compute.ErrAccelerator)
	_, err = g.Record(ctx, func(ctx context.Context, s *compute.Stream) error {
		return s.LaunchFallback(ctx, k, one, y, y, float32(1))
	})
	require.ErrorContains(t, err, "LaunchFallback")
	assert.Zero(t, s.Stats().Commands)
	_, err = compute.Open(compute.WithFallback(nil))
	require.ErrorIs(t, err, compute.ErrNil)
	_, err = fallback.New(fallback.Options{Workers: -1})
	require.ErrorIs(t, err, compute.ErrOption)
	_, err = (*fallback.CPU)(nil).Prepare(ctx, internal.Kernel{})
	require.ErrorIs(t, err, compute.ErrNil)
}

// TestObserved: statistics and observers say what ran where.
func TestObserved(t *testing.T) {
	var mu sync.Mutex
	var records []observe.RecordEvent
	var recovers []observe.RecoverEvent
	var completes, commits int
	a, s := setup(t, compute.WithObserver(&observe.Observer{
		Record:   func(e observe.RecordEvent) { mu.Lock(); records = append(records, e); mu.Unlock() },
		Recover:  func(e observe.RecoverEvent) { mu.Lock(); recovers = append(recovers, e); mu.Unlock() },
		Complete: func(observe.CompleteEvent) { mu.Lock(); completes++; mu.Unlock() },
		Commit:   func(observe.CommitEvent) { mu.Lock(); commits++; mu.Unlock() },
	}))
	k := kernel(t, compile(t, a, compute.CompileOptions{}), "saxpy")
	x := bufferIn(t, a, mtl.StorageModeShared, []float32{1, 2})
	y := bufferIn(t, a, mtl.StorageModeShared, []float32{0, 0})
	ctx := t.Context()
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(2), x, y, float32(1)))
	require.NoError(t, s.LaunchFallback(ctx, k, compute.Threads1D(2), x, y, float32(1)))
	require.NoError(t, s.Sync(ctx))
	stats := s.Stats()
	assert.Equal(t, []uint64{2, 1, 1, 1},
		[]uint64{stats.Commands, stats.Launches, stats.Fallbacks, stats.CommandBuffers})
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, records, 2)
	e := records[1]
	assert.Equal(t, "fallback", e.Kind.String())
	assert.Equal(t, []any{observe.CommandFallback, "saxpy", uint64(2), uint64(16)},
		[]any{e.Kind, e.Kernel, e.Threads, e.Bytes})
	assert.NotZero(t, e.Site)
	require.Len(t, recovers, 1)
	assert.Equal(t, observe.RecoveryFallback, recovers[0].Kind)
	assert.Equal(t, "kernel saxpy", recovers[0].What)
	assert.Equal(t, []int{2, 1}, []int{completes, commits})
	assert.Contains(t, s.History()[1], "saxpy on the CPU")
}

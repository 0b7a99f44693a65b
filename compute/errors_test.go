package compute

import (
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/simd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const manyArguments = `
struct Particle { float3 position; float mass; uint2 cell; half4 color; };
constant float scale [[function_constant(0)]];
kernel void every(device Particle *particles [[buffer(0)]], constant Particle &one [[buffer(1)]],
	device const float4 *in [[buffer(3)]],
                threadgroup float *shared [[threadgroup(0)]], constant packed_float3 &p [[buffer(4)]],
                uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
    shared[t] = in[i].x * p[0] * scale;
    particles[i].mass = shared[t] + one.mass;
}`

// particle is Particle as Go has to write it: uint2 and half4 lie at multiples of 8, float3 at one
// of 16.
type particle struct {
	Position simd.Float3
	Mass     float32
	_        [4]byte
	Cell     simd.UInt2
	Color    simd.Half4
	_        [8]byte
}

func TestLaunchErrors(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, manyArguments)("every", Constant{Name: "scale", Value: float32(1)})
	particles := bufferOf(t, a, particle{}, particle{})
	in := bufferOf(t, a, simd.Float4{X: 1}, simd.Float4{X: 2})
	one, p, memory := particle{Mass: 3}, simd.PackedFloat3{X: 2}, ThreadgroupMemory(64)

	l, err := k.Bind(Threads1D(2), particles, one, in, p, memory)
	require.NoError(t, err)
	s := newStream(t, a)
	require.NoError(t, s.Run(t.Context(), l))
	require.NoError(t, s.Sync(t.Context()))
	got, err := particles.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{5, 7}, []float32{got[0].Mass, got[1].Mass})

	type bad struct {
		name string
		grid Grid
		args []any
		kind error
		text string
	}
	loose := struct {
		Position simd.Float3
		Mass     float32
		Cell     simd.UInt2
		Color    simd.Half4
	}{}
	for _, b := range []bad{
		{"missing", Threads1D(2), []any{particles, one, in, memory}, ErrInvalidLaunch,
			"buffer 4 (p): missing; the kernel expects a buffer or value of float3"},
		{"too many", Threads1D(2), []any{particles, one, in, p, in, memory}, ErrInvalidLaunch,
			"argument 4: one buffer too many; the kernel has 4"},
		{"field", Threads1D(2), []any{particles, loose, in, p, memory}, ErrLayout,
			"Cell: at byte 20, but Metal has cell at byte 24; put _ [4]byte before it"},
		{"scalar", Threads1D(2), []any{particles, one, bufferOf[int32](t, a, 1, 2, 3, 4), p, memory}, ErrLayout, "int32"},
		{"double", Threads1D(2), []any{particles, one, in, 1.5, memory}, ErrLayout, "no double; use float32"},
		{"twice", Threads1D(2), []any{particles, At(0, particles)}, ErrInvalidLaunch, "given twice"},
		{"index", Threads1D(2), []any{At(2, particles)}, ErrInvalidLaunch, "the kernel has no buffer 2"},
		{"name", Threads1D(2), []any{Named("inn", in)}, ErrInvalidLaunch,
			`no argument is named "inn"; the kernel has particles, one, in, p, shared`},
		{"kind", Threads1D(2), []any{Named("shared", in)}, ErrInvalidLaunch, "does not fit a threadgroup memory parameter"},
		{"read only", Threads1D(2), []any{particles.ReadOnly(), one, in, p, memory}, ErrStorage, "read-only"},
		{"memory", Threads1D(2), []any{particles, one, in, p, ThreadgroupMemory(1 << 30)}, ErrRange, "exceed the device's"},
		{"value written", Threads1D(2), []any{one}, ErrInvalidLaunch, "the kernel writes the argument"},
		{"grid", Threads1D(0), []any{particles, one, in, p, memory}, ErrRange, "grid is 0x1x1"},
		{"group", Threadgroups{Grid: Extent{X: 1}, Group: Extent{X: 4096}}, []any{particles, one, in, p, memory}, ErrRange,
			"threadgroup of 4096x1x1"},
		{"no grid", nil, []any{particles, one, in, p, memory}, ErrInvalidLaunch, "nil grid"},
		{"many threads", Threadgroups{Grid: Extent{1, 1 << 28, 1}, Group: Extent{1, 16, 1}},
			[]any{particles, one, in, p, memory},
			ErrRange, "exceeds 4294967295 threads"},
		{"pointer to a grid", &Threads{Grid: Extent{X: -1}}, []any{particles, one, in, p, memory}, ErrRange,
			"grid is -1x1x1"},
		{"embedded grid", struct{ Threadgroups }{}, []any{particles, one, in, p, memory}, ErrRange, "grid is 0x1x1"},
		{"nil grid", (*Threads)(nil), []any{particles, one, in, p, memory}, ErrInvalidLaunch, "nil grid"},
		{"nil", Threads1D(2), []any{nil}, ErrInvalidLaunch, "nil"},
		{"nil buffer", Threads1D(2), []any{(*Buffer[particle])(nil)}, ErrInvalidLaunch, "no buffer"},
	} {
		t.Run(b.name, func(t *testing.T) {
			_, err := k.Bind(b.grid, b.args...)
			require.ErrorIs(t, err, b.kind)
			require.ErrorIs(t, err, ErrInvalidLaunch)
			assert.ErrorContains(t, err, b.text)
		})
	}
}

func TestClosed(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 1)
	l, err := k.Bind(Threads1D(1), x, y, float32(1))
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context(), l))
	y.Close() // the launch still has it
	y.Close()
	require.NoError(t, s.Sync(t.Context()))
	require.ErrorIs(t, s.Run(t.Context(), l), ErrClosed)
	_, err = y.Data()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, y.Upload(t.Context(), []float32{1}), ErrClosed)
	require.NoError(t, s.Close(t.Context()))
	require.ErrorIs(t, s.Launch(t.Context(), k, Threads1D(1), x, x, float32(1)), ErrClosed)
}

func TestCompileErrors(t *testing.T) {
	a := accelerator(t)
	_, err := a.Compile(t.Context(), "kernel void f() { int x = y; }", CompileOptions{Name: "bad.metal"})
	require.ErrorIs(t, err, ErrCompile)
	var e *CompileError
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Diagnostics)
	assert.Equal(t, 1, e.Diagnostics[0].Line)
	assert.Equal(t, "bad.metal", e.Diagnostics[0].File, "the name of the options, not Metal's for text")
	assert.ErrorContains(t, err, "\nbad.metal:1:")

	_, err = a.Compile(t.Context(), "kernel void f() { int x = y; }", CompileOptions{Name: "a\"\\b\n\x01c.metal"})
	if !standin.Running() { // whose compiler drops #line
		assert.ErrorContains(t, err, "\na\"\\b??c.metal:1:")
	}

	p, err := a.Compile(t.Context(), saxpy, CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Kernel("saxpi")
	require.ErrorIs(t, err, ErrNoKernel)
	assert.ErrorContains(t, err, "the program has saxpy")
}

package compute

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// downloaded returns a buffer's contents after the work.
func downloaded[T any](t *testing.T, b *Buffer[T]) []T {
	t.Helper()
	got := make([]T, b.Len())
	require.NoError(t, b.Download(t.Context(), got))
	return got
}

// TestFromBody: inputs, outputs, a header with an include, and macros.
func TestFromBody(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	k, err := FromBody(t.Context(), a, Body{
		Name:    "axpy",
		Inputs:  []string{"float x[]", "Factor f", "float packed [ ]"},
		Outputs: []string{"float y[]", "atomic_uint count"},
		Header:  "#include \"lib.h\"\nstruct Factor { T value; };",
		Text: `
    uint i = thread_position_in_grid.x; // and not threads_per_grid
    y[i] = twice(f.value) * x[i] + packed[0];
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); // the end`,
	}, CompileOptions{Macros: map[string]string{"T": "float"},
		Includes: fstest.MapFS{"lib.h": {Data: []byte("inline T twice(T x) { return 2 * x; }\n")}}})
	require.NoError(t, err)
	assert.Equal(t, "axpy", k.Name())
	x, y, count := bufferOf[float32](t, a, 1, 2, 3), bufferOf[float32](t, a, 0, 0, 0), bufferOf[uint32](t, a, 0)
	type factor struct{ Value float32 }
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(3), x, factor{5}, bufferOf[float32](t, a, 100), y, count))
	assert.Equal(t, []float32{110, 120, 130}, downloaded(t, y))
	assert.Equal(t, []uint32{3}, downloaded(t, count))
}

// TestFromBodyTextures: textures, arrays of them, and samplers.
func TestFromBodyTextures(t *testing.T) {
	if standin.Running() {
		t.Skip("the compiler of the stand-ins counts an array of textures as one")
	}
	a := accelerator(t)
	k, err := FromBody(t.Context(), a, Body{
		Inputs:  []string{"texture2d<float> in", "array<texture2d<float>, 2> more", "sampler s"},
		Outputs: []string{"texture2d<float, access::write> out", "float sum[]"},
		Text: `out.write(in.sample(s, float2(0.5)) + more[0].read(uint2(0)) + more[1].read(uint2(0)), uint2(0));
sum[0] = 1;`,
	}, CompileOptions{})
	require.NoError(t, err)
	var kinds []string
	for _, p := range k.Parameters() {
		kinds = append(kinds, p.String())
	}
	assert.Equal(t, []string{"buffer 0 (sum)", "texture 0 (in)", "texture 1 (more)", "texture 3 (out)",
		"sampler 0 (s)"}, kinds)
}

// TestFromBodyAttributes: each attribute has its type under its own name.
func TestFromBodyAttributes(t *testing.T) {
	if standin.Running() {
		t.Skip("the compiler of the stand-ins lacks the newest attributes")
	}
	a := accelerator(t)
	k, err := FromBody(t.Context(), a, Body{
		Outputs: []string{"uint out[]"},
		Text: `
uint i = thread_position_in_grid.y * 4 + thread_position_in_grid.x;
uint all[] = {
    thread_position_in_threadgroup.x, threadgroup_position_in_grid.y, threads_per_grid.z, threads_per_threadgroup.x,
    threadgroups_per_grid.y, dispatch_threads_per_threadgroup.x, thread_index_in_threadgroup, thread_index_in_simdgroup,
    thread_index_in_quadgroup, simdgroup_index_in_threadgroup, quadgroup_index_in_threadgroup,
    simdgroups_per_threadgroup, quadgroups_per_threadgroup, threads_per_simdgroup, thread_execution_width,
    dispatch_simdgroups_per_threadgroup, dispatch_quadgroups_per_threadgroup };
for (uint n = 0; i == 5 && n < sizeof(all) / sizeof(uint); n++) out[n] = all[n];`,
	}, CompileOptions{})
	require.NoError(t, err)
	out := bufferOf(t, a, make([]uint32, 17)...)
	require.NoError(t, newStream(t, a).Launch(t.Context(), k, Threads2D(4, 2).In(Extent{X: 2, Y: 1}), out))
	assert.Equal(t, []uint32{1, 1, 1, 2, 2, 2, 1, 1, 1, 0, 0, 1, 1, 32, 32, 1, 1}, downloaded(t, out))
}

// TestFromBodyErrors: an error is on the line of the body, header or argument that has it.
func TestFromBodyErrors(t *testing.T) {
	if standin.Running() {
		t.Skip("the compiler of the stand-ins drops #line")
	}
	a := accelerator(t)
	good := Body{Name: "k", Inputs: []string{"float x[]"}, Outputs: []string{"float y[]"},
		Header: "inline float f(float x) {\n return x; }", Text: "y[0] = \n f(x[0]);"}
	_, err := FromBody(t.Context(), a, good, CompileOptions{})
	require.NoError(t, err)
	for at, change := range map[string]func(*Body){
		"k:3:":           func(b *Body) { b.Text = "\n  y[0] = 1;\n    wrong = 1;" },
		"k:1:":           func(b *Body) { b.Text = "x[0] = 1;" }, // an input
		"k:2:":           func(b *Body) { b.Text = "if (true) {" },
		"k header:2:":    func(b *Body) { b.Header = "inline float f(float x) {\n return wrong; }" },
		"k arguments:2:": func(b *Body) { b.Outputs = []string{"Wrong y[]"} },
	} {
		b := good
		change(&b)
		_, err := FromBody(t.Context(), a, b, CompileOptions{})
		var c *CompileError
		require.ErrorAs(t, err, &c, at)
		require.NotEmpty(t, c.Diagnostics)
		assert.True(t, strings.HasPrefix(c.Diagnostics[0].String(), at), "%s: %v", at, err)
	}
	b := good
	b.Text = "wrong;"
	_, err = FromBody(t.Context(), a, b, CompileOptions{Name: "worker.go"})
	assert.ErrorContains(t, err, "worker.go:1:")
}

// TestFromBodyRefused: what is no declaration or name is refused before anything is compiled.
func TestFromBodyRefused(t *testing.T) {
	a := accelerator(t)
	for _, d := range []string{"", "x", "x[]", "float *x", "float x[4]", "float x; float y", "float x, float y[]",
		"float 3x", "float x[]\n", "sampler s[]", "texture2d<float> t[]", "float x) { } kernel void other(device float y"} {
		_, err := FromBody(t.Context(), a, Body{Inputs: []string{d}}, CompileOptions{})
		if d == "float x[]\n" {
			assert.NoError(t, err, "%q", d)
			continue
		}
		assert.ErrorIs(t, err, ErrOption, "%q", d)
		assert.ErrorContains(t, err, "kernel body: argument ")
	}
	_, err := FromBody(t.Context(), a, Body{Name: "a b"}, CompileOptions{})
	assert.ErrorIs(t, err, ErrOption)
	_, err = FromBody(t.Context(), nil, Body{}, CompileOptions{})
	assert.ErrorIs(t, err, ErrNil)
}

// TestFromBodySame: a body has one kernel, for all callers, until the accelerator is closed.
func TestFromBodySame(t *testing.T) {
	a := accelerator(t)
	b := Body{Outputs: []string{"float y[]"}, Text: "y[0] = 1;"}
	var all [8]*Kernel
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			k, err := FromBody(t.Context(), a, b, CompileOptions{})
			assert.NoError(t, err)
			all[i] = k
		})
	}
	wait.Wait()
	for _, k := range all {
		assert.Same(t, all[0], k)
	}
	safe := mtl.MathModeSafe
	precise, err := FromBody(t.Context(), a, b, CompileOptions{Math: &safe})
	require.NoError(t, err)
	assert.NotSame(t, all[0], precise)
	require.NoError(t, a.Close(t.Context())) // reports nothing as open
	_, err = FromBody(t.Context(), a, b, CompileOptions{})
	assert.ErrorIs(t, err, ErrClosed)
}

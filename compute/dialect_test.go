package compute

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/sanitizer"
	"github.com/puremetal/puremetal/translate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const addCL = `#define TWICE(x) ((x) + (x))
/* Adds a value of the work-group's memory. */
__kernel void add(__global const uchar *a, __global int *b, const int n, __local int *memory) {
  size_t i = get_global_id(0);
  memory[get_local_id(0)] = TWICE(a[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) b[i] = memory[get_local_size(0) - 1 - get_local_id(0)];
}
__kernel void wide(__global double *x) { x[0] = 1; }
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void square(__global int *x) {
  x[get_global_linear_id()] = get_local_size(0) * 10 + get_local_size(1);
}
__kernel void seven(__global float *x) { x[0] *= 7; }
__kernel void beyond(__global int *x) {
  x[1 << 20] = 1;
}
`

// TestOpenCL: a program in OpenCL C is compiled, speaks its own names and types, and says why a
// kernel is missing.
func TestOpenCL(t *testing.T) {
	ctx := context.Background()
	a := accelerator(t)
	options := CompileOptions{Name: "add.cl", Dialect: translate.OpenCL}
	p, err := a.Compile(ctx, addCL, options)
	require.NoError(t, err)
	assert.Equal(t, []string{"add", "square", "seven", "beyond"}, p.KernelNames())
	assert.Contains(t, p.Translation().Text, "/* Adds a value of the work-group's memory. */")
	k, err := p.Kernel("add")
	require.NoError(t, err)
	var names []string
	for _, x := range k.Parameters() {
		names = append(names, x.Name+" "+x.Type)
	}
	assert.Equal(t, []string{"a uchar", "b int", "n int", "memory int"}, names)

	from, to := bufferOf(t, a, []uint8{1, 2, 3, 200}...), bufferOf(t, a, make([]int32, 4)...)
	s := newStream(t, a)
	require.NoError(t, s.Launch(ctx, k, Threads1D(4).In(Extent{X: 2}), from, to, int32(3),
		Named("memory", ThreadgroupMemory(8))))
	got := make([]int32, 4)
	require.NoError(t, to.Download(ctx, got))
	assert.Equal(t, []int32{4, 2, 400, 0}, got)

	square, err := p.Kernel("square")
	require.NoError(t, err)
	x := bufferOf(t, a, make([]int32, 16)...)
	require.NoError(t, s.Launch(ctx, square, Threads2D(8, 2), x))
	many := make([]int32, 16)
	require.NoError(t, x.Download(ctx, many))
	assert.Equal(t, slices.Repeat([]int32{42}, 16), many)
	err = s.Launch(ctx, square, Threads2D(8, 2).In(Extent{X: 8}), x)
	require.ErrorIs(t, err, ErrRange)
	assert.ErrorContains(t, err, "the kernel requires 4x2x1")

	_, err = p.Kernel("wide")
	require.ErrorIs(t, err, ErrCompile)
	assert.Regexp(t, `^compute: kernel wide has no translation: .*\nadd.cl:9:20: .* \[T0001\]$`, err.Error())
	_, err = p.Kernel("wider")
	assert.ErrorIs(t, err, ErrNoKernel)
	assert.ErrorContains(t, err, "the program has add, square, seven, beyond")

	// The second time, the translation and the library come from the cache.
	before := a.CacheStats()
	again, err := a.Compile(ctx, addCL, options)
	require.NoError(t, err)
	assert.Same(t, p.Translation(), again.Translation())
	assert.Equal(t, before.ProgramHits+1, a.CacheStats().ProgramHits)
	options.DoubleAsFloat = true
	floats, err := a.Compile(ctx, addCL, options)
	require.NoError(t, err)
	assert.Equal(t, []string{"add", "wide", "square", "seven", "beyond"}, floats.KernelNames())
	require.Len(t, floats.Translation().Warnings, 1)
	assert.Equal(t, "add.cl:9:29: double is float here [T0012]", floats.Translation().Warnings[0].String())
	for _, p := range []*Program{p, again, floats} {
		p.Close()
	}
}

// TestDialectDisk: a translation is stored on disk with its program, for each name of the source,
// which is in the text.
func TestDialectDisk(t *testing.T) {
	dir := t.TempDir()
	use := func(name string) (*translate.Result, DiskCacheStats) {
		a := accelerator(t, WithDiskCache(dir, 1<<20))
		p, err := a.Compile(t.Context(), addCL, CompileOptions{Name: name, Dialect: translate.OpenCL})
		require.NoError(t, err)
		defer p.Close()
		assert.EqualValues(t, 49, runs(t, a, kernel(t, p, "seven"), 7))
		return p.Translation(), a.CacheStats().Disk
	}
	made, first := use("add.cl")
	assert.Zero(t, first.Translations)
	assert.EqualValues(t, programs(t)+2, first.Written)
	found, second := use("add.cl")
	assert.Equal(t, made, found)
	assert.EqualValues(t, 1, second.Translations)
	assert.EqualValues(t, programs(t), second.Programs)
	assert.Zero(t, second.Written)
	other, third := use("more/add.cl")
	assert.Zero(t, third.Translations)
	assert.Equal(t, "more/add.cl", other.Refused[0].File)

	// What is not a translation is deleted and made again.
	for _, path := range archives(t, dir) {
		if text, err := os.ReadFile(path); err == nil && bytes.HasPrefix(text, []byte("{")) {
			require.NoError(t, os.Truncate(path, 10))
		}
	}
	again, fourth := use("add.cl")
	assert.Equal(t, made, again)
	assert.EqualValues(t, 1, fourth.Healed)
}

// TestDialectNames: one source by two names has the places of each.
func TestDialectNames(t *testing.T) {
	a := accelerator(t)
	for _, name := range []string{"one.cl", "two.cl"} {
		p, err := a.Compile(t.Context(), addCL, CompileOptions{Name: name, Dialect: translate.OpenCL})
		require.NoError(t, err)
		assert.Equal(t, name, p.Translation().Refused[0].File)
		p.Close()
	}
}

// TestDialectFinding: the sanitizer names the line of the source.
func TestDialectFinding(t *testing.T) {
	plantsMistakes(t)
	softwareOnly(t, "has a sanitizer")
	ctx := context.Background()
	var found []*sanitizer.Finding
	var lock sync.Mutex
	a := accelerator(t, WithSanitizer(sanitizer.All, func(f *sanitizer.Finding) {
		lock.Lock()
		defer lock.Unlock()
		found = append(found, f)
	}))
	p, err := a.Compile(ctx, addCL, CompileOptions{Name: "kernels/add.cl", Dialect: translate.OpenCL})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("beyond")
	require.NoError(t, err)
	s := newStream(t, a)
	require.NoError(t, s.Launch(ctx, k, Threads1D(1), bufferOf(t, a, int32(0))))
	require.NoError(t, s.Sync(ctx))
	require.Len(t, found, 1)
	assert.Equal(t, sanitizer.Bounds, found[0].Kind)
	assert.Equal(t, "kernels/add.cl", found[0].File)
	assert.Equal(t, 15, found[0].Line)
}

// TestDialectErrors: mistakes have the places of the source, also in headers and behind macros.
func TestDialectErrors(t *testing.T) {
	ctx := context.Background()
	a := accelerator(t)
	for _, c := range []struct {
		name, source string
		options      CompileOptions
		want         string
	}{
		{"a mistake", "\n__kernel void k(__global int *x) {\n  x[0] = y;\n}", CompileOptions{Dialect: translate.OpenCL},
			"k.cl:3:10: error: use of undeclared identifier 'y' [E1100] [T0010]"},
		{"no kernel left", "__kernel void k(__global double *x) { x[0] = 1; }", CompileOptions{Dialect: translate.OpenCL},
			"k.cl:1:17: error: OpenCL C's 'double' does not exist on Metal [T0001]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Name = "k.cl"
			_, err := a.Compile(ctx, c.source, c.options)
			var wrong *CompileError
			require.ErrorAs(t, err, &wrong)
			assert.Contains(t, err.Error(), c.want)
		})
	}
	_, err := a.Compile(ctx, addCL, CompileOptions{Dialect: "fortran"})
	require.ErrorIs(t, err, ErrOption)
	assert.ErrorContains(t, err, `"fortran"`)
	_, err = a.Compile(ctx, "kernel void k() {}", CompileOptions{DoubleAsFloat: true})
	require.ErrorIs(t, err, ErrOption)
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("no longer wanted"))
	_, err = a.Compile(ctx, addCL, CompileOptions{Dialect: translate.OpenCL})
	require.Error(t, err)
}

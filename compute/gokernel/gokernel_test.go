package gokernel

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/contexttest"
	"github.com/puremetal/puremetal/internal/test/devicetest"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
	"github.com/puremetal/puremetal/translate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goKernels = `package kernels

import (
	"example.com/user/shape"

	"github.com/puremetal/puremetal/kernel"
)

//puremetal:kernel
func saxpy(t *kernel.Thread, a float32, x, y []float32) {
	if i := int(t.Global.X); i < len(x) && i < len(y) {
		y[i] += shape.Double(a) * x[i]
	}
}

//puremetal:kernel group=4
func sums(t *kernel.Thread, x, y []int32) {
	tile := kernel.SharedSlice[int32](t)
	for i := range tile {
		tile[i] = int32(i)
	}
	t.Barrier()
	if t.Local.X == 0 {
		for _, v := range tile {
			y[t.Group.X] += v
		}
		y[t.Group.X] += x[t.Group.X] * int32(len(x))
	}
}

//puremetal:kernel
func lens(t *kernel.Thread, _, _ []uint64, x []shape.Point, out []uint32) {
	out[0] = uint32(len(x))
	out[1] = uint32(x[1].Y)
}

//puremetal:kernel
func words(t *kernel.Thread, x []string) {}

//puremetal:kernel
func beyond(t *kernel.Thread, x []int32) {
	for i := range 3 {
		p := &x[i]
		*p = 1
	}
	kernel.AtomicAdd(&x[0], 2)
	x[0] = shape.Late(x)
}
`

const goShape = `package shape

type Point struct{ X, Y int32 }

func Double(a float32) float32 { return 2 * a }

func Late(x []int32) int32 { return x[0] }
`

func goModule() fstest.MapFS {
	return fstest.MapFS{
		"go.mod":             {Data: []byte("module example.com/user\n")},
		"kernels/kernels.go": {Data: []byte(goKernels)},
		"shape/shape.go":     {Data: []byte(goShape)},
	}
}

// kernel returns a kernel of a program.
func kernel(t testing.TB, p *compute.Program, name string) *compute.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return k
}

// TestEndedContexts: no package is compiled for a context that has ended.
func TestEndedContexts(t *testing.T) {
	a, ctx := devicetest.Open(t), contexttest.Ended(t)
	contexttest.Check(t, map[string]func() error{
		"Compile": func() error {
			_, err := Compile(ctx, a, goModule(), "kernels", compute.CompileOptions{})
			return err
		},
	}, compute.ErrCanceled, "Translate") // whose error is that of the context
}

// TestMissing: a missing accelerator compiles nothing.
func TestMissing(t *testing.T) {
	for _, a := range []*compute.Accelerator{nil, new(compute.Accelerator)} {
		_, err := Compile(t.Context(), a, goModule(), "kernels", compute.CompileOptions{})
		require.ErrorIs(t, err, compute.ErrNil)
	}
}

// TestCompile: a package is compiled from a file system; slices are one argument, and the
// directive's threadgroup is the only one.
func TestCompile(t *testing.T) {
	ctx := t.Context()
	a := devicetest.Open(t)
	p, err := Compile(ctx, a, goModule(), "kernels", compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	assert.Equal(t, []string{"saxpy", "sums", "lens", "beyond"}, p.KernelNames())
	assert.Contains(t, p.Translation().Text, `#line 10 "kernels/kernels.go"`)
	k := kernel(t, p, "saxpy")
	x, y := devicetest.BufferOf[float32](t, a, 1, 2, 3), devicetest.BufferOf[float32](t, a, 10, 20, 30, 40)
	s := devicetest.Stream(t, a)
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(4), float32(1.5), x, y))
	got := make([]float32, 4)
	require.NoError(t, y.Download(ctx, got))
	assert.Equal(t, []float32{13, 26, 39, 40}, got)

	// Part of a buffer, by name and by index, with a length that is given.
	part, err := y.Slice(1, 3)
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(4), compute.At(0, float32(0.5)),
		compute.Named("x", devicetest.BufferOf[float32](t, a, 100, 200)),
		compute.Named("len(x)", uint32(1)), compute.Named("y", part)))
	require.NoError(t, y.Download(ctx, got))
	assert.Equal(t, []float32{13, 126, 39, 40}, got)

	sums := kernel(t, p, "sums")
	n, out := devicetest.BufferOf[int32](t, a, 5, 6), devicetest.BufferOf[int32](t, a, 100, 200, 7)
	tile := compute.Named("tile", compute.ThreadgroupElements(5))
	require.NoError(t, s.Launch(ctx, sums, compute.Threads1D(8), n, out, tile))
	whole := make([]int32, 3)
	require.NoError(t, out.Download(ctx, whole))
	assert.Equal(t, []int32{120, 222, 7}, whole)
	one := compute.Threadgroups{Grid: compute.Extent{X: 1}, Group: compute.Extent{X: 4}}
	require.NoError(t, s.Launch(ctx, sums, one, n, out, compute.ThreadgroupMemory(8), compute.Overwrites(n)))
	require.NoError(t, out.Download(ctx, whole))
	assert.Equal(t, int32(131), whole[0])

	lens := kernel(t, p, "lens")
	type point struct{ X, Y int32 }
	result := devicetest.BufferOf[uint32](t, a, 0, 0)
	require.NoError(t, s.Launch(ctx, lens, compute.Threads1D(1), devicetest.BufferOf[uint64](t, a, 1),
		devicetest.BufferOf[uint64](t, a, 1, 2),
		devicetest.BufferOf(t, a, point{1, 2}, point{3, 4}, point{5, 6}), result))
	pair := make([]uint32, 2)
	require.NoError(t, result.Download(ctx, pair))
	assert.Equal(t, []uint32{3, 4}, pair)

	for _, c := range []struct {
		err  error
		want string
	}{
		{s.Launch(ctx, sums, compute.Threads1D(8).In(compute.Extent{X: 8}), n, out, tile),
			"threadgroup of 8x1x1 threads, the kernel requires 4x1x1"},
		{s.Launch(ctx, sums, compute.Threadgroups{Grid: compute.Extent{X: 8}, Group: compute.Extent{X: 2}}, n, out,
			tile),
			"threadgroup of 2x1x1 threads, the kernel requires 4x1x1"},
		{s.Launch(ctx, sums, compute.Threads1D(8), n, out), "tile): missing"},
		{s.Launch(ctx, sums, compute.Threads1D(8), n, out, compute.ThreadgroupMemory(6)),
			"6 bytes are not a number of elements of 4 bytes"},
		{s.Launch(ctx, sums, compute.Threads1D(8), n, out, compute.ThreadgroupElements(0)),
			"0 elements of 4 bytes, want 1 to 536870911"},
		{s.Launch(ctx, sums, compute.Threads1D(8), n, out, compute.ThreadgroupElements(1<<61)),
			"elements of 4 bytes, want 1 to"},
		{s.Launch(ctx, k, compute.Threads1D(4), float32(1), x), "(y): missing; the kernel"},
		{s.Launch(ctx, k, compute.Threads1D(4), float32(1), x, y, y), "one buffer too many; the kernel has 3"},
		{s.Launch(ctx, k, compute.Threads1D(4), float32(1), x, y, compute.Named("len(y)", uint32(5))),
			"length 5, but buffer 3 (y) has 4 elements"},
		{s.Launch(ctx, k, compute.Threads1D(4), float32(1), x, y,
			compute.Named("len(y)", devicetest.BufferOf[uint32](t, a, 5))), "want a uint32"},
		{s.Launch(ctx, lens, compute.Threads1D(1), compute.At(6, result)), "): missing"},
	} {
		require.ErrorIs(t, c.err, compute.ErrInvalidLaunch, c.want)
		assert.ErrorContains(t, c.err, c.want)
	}
	_, err = p.Kernel("words")
	require.ErrorIs(t, err, compute.ErrCompile)
	assert.ErrorContains(t, err, "kernels/kernels.go:38:")
}

// TestCompileElsewhere: the text of a translation, with what it says of its kernels, is launched
// like the package itself.
func TestCompileElsewhere(t *testing.T) {
	a := devicetest.Open(t)
	r, err := Translate(t.Context(), goModule(), "kernels", translate.Options{})
	require.NoError(t, err)
	p, err := a.Compile(t.Context(), r.Text, compute.CompileOptions{Name: "kernels.metal", Translated: r.Kernels})
	require.NoError(t, err)
	defer p.Close()
	assert.Equal(t, mtl.MathModeSafe, p.Settings().MathMode)
	y := devicetest.BufferOf[float32](t, a, 1, 2)
	s := devicetest.Stream(t, a)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "saxpy"), compute.Threads1D(2), float32(1), y, y))
	got := make([]float32, 2)
	require.NoError(t, y.Download(t.Context(), got))
	assert.Equal(t, []float32{3, 6}, got)
	assert.ErrorContains(t, s.Launch(t.Context(), kernel(t, p, "sums"), compute.Threads1D(8).In(compute.Extent{X: 8})),
		"the kernel requires 4x1x1")
	for _, g := range []compute.Grid{compute.Threads{Grid: compute.Extent{X: 1 << 31}},
		compute.Threadgroups{Grid: compute.Extent{X: 1 << 30}, Group: compute.Extent{X: 2}}} {
		err := s.Launch(t.Context(), kernel(t, p, "saxpy"), g, float32(1), y, y)
		assert.ErrorIs(t, err, compute.ErrRange)
		assert.ErrorContains(t, err, "exceeds 2147483647 threads in a dimension")
	}
}

// TestCompileDisk: a package is found in its module on this machine and cached, until one of the
// files that it uses changes.
func TestCompileDisk(t *testing.T) {
	module, cache := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(module, goModule()))
	use := func() (string, uint64) {
		a := devicetest.Open(t, compute.WithDiskCache(cache, 1<<20))
		p, err := Compile(t.Context(), a, nil, filepath.Join(module, "kernels"), compute.CompileOptions{})
		require.NoError(t, err)
		defer p.Close()
		again, err := Compile(t.Context(), a, nil, filepath.Join(module, "kernels"), compute.CompileOptions{})
		require.NoError(t, err)
		defer again.Close()
		assert.Same(t, p.Translation(), again.Translation())
		return p.Translation().Text, a.CacheStats().Disk.Translations
	}
	first, n := use()
	assert.Zero(t, n)
	second, n := use()
	assert.EqualValues(t, 1, n)
	assert.Equal(t, first, second)
	// The launchers of the package are not among its sources.
	add := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(module, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	add("kernels/zkernels.go", "// Code generated by puremetal generate from the Go package kernels; DO NOT EDIT.\n\n"+
		"package kernels\n")
	_, n = use()
	assert.EqualValues(t, 1, n)
	add("shape/more.go", "package shape\n\nconst Many = 3\n")
	_, n = use()
	assert.Zero(t, n)
}

// TestCompileErrors: mistakes have the places of the Go files.
func TestCompileErrors(t *testing.T) {
	ctx := t.Context()
	a := devicetest.Open(t)
	compile := func(text string, o compute.CompileOptions) error {
		_, err := Compile(ctx, a, fstest.MapFS{"k.go": {Data: []byte(text)}}, ".", o)
		return err
	}
	head := "package k\n\nimport \"github.com/puremetal/puremetal/kernel\"\n\n"
	for _, c := range []struct{ text, want string }{
		{head + "//puremetal:kernel\nfunc f(t *kernel.Thread) { x = 1 }\n", "k.go:6:28: error: undefined: x [T0020]"},
		{head + "//puremetal:kernel\nfunc f(t *kernel.Thread, x []string) {}\n", "k.go:6:26: error: "},
		{head + "//puremetal:kernel\nfunc f(t *kernel.Thread) { x = }\n", "k.go:6:32: error: expected operand"},
		{"package k\n\nimport \"unsafe\n", "k.go:3:8: error: "},
	} {
		err := compile(c.text, compute.CompileOptions{})
		var wrong *compute.CompileError
		require.ErrorAs(t, err, &wrong, c.text)
		assert.Contains(t, err.Error(), c.want)
	}
	assert.ErrorIs(t, compile(head, compute.CompileOptions{}), compute.ErrNoKernel)
	assert.ErrorIs(t, compile(head, compute.CompileOptions{Dialect: translate.CUDA}), compute.ErrOption)
	_, err := Compile(ctx, a, fstest.MapFS{}, "none", compute.CompileOptions{})
	assert.ErrorContains(t, err, "compute: compiling none: ")
	_, err = a.Compile(ctx, head, compute.CompileOptions{Dialect: translate.Go})
	require.ErrorIs(t, err, compute.ErrOption)
	assert.ErrorContains(t, err, "gokernel.Compile")
	_, err = a.Compile(ctx, "", compute.CompileOptions{Dialect: translate.CUDA,
		Translated: []translate.Kernel{{Name: "k"}}})
	assert.ErrorIs(t, err, compute.ErrOption)
}

// TestCompileFinding: the sanitizer names the line of the Go file.
func TestCompileFinding(t *testing.T) {
	devicetest.PlantsMistakes(t)
	devicetest.SoftwareOnly(t, "has a sanitizer")
	var found []*sanitizer.Finding
	var lock sync.Mutex
	a := devicetest.Open(t, compute.WithSanitizer(sanitizer.All, func(f *sanitizer.Finding) {
		lock.Lock()
		defer lock.Unlock()
		found = append(found, f)
	}))
	files := goModule()
	files["kernels/race.go"] = &fstest.MapFile{Data: []byte(`package kernels

import "github.com/puremetal/puremetal/kernel"

//puremetal:kernel
func race(t *kernel.Thread, x []uint32) {
	if len(x) > 0 {
		x[0] = t.Global.X
	}
}
`)}
	p, err := Compile(t.Context(), a, files, "kernels", compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	s := devicetest.Stream(t, a)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "race"), compute.Threads1D(2),
		devicetest.BufferOf[uint32](t, a, 0)))
	err = s.Sync(t.Context())
	require.True(t, err == nil || errors.As(err, new(*sanitizer.Finding)), err)
	require.NotEmpty(t, found)
	assert.True(t, slices.ContainsFunc(found, func(f *sanitizer.Finding) bool {
		return f.Kind == sanitizer.Race && f.File == "kernels/race.go" && f.Line == 8
	}), found)
}

// goFaults are kernels that a device stops.
const goFaults = `package kernels

import "github.com/puremetal/puremetal/kernel"

//puremetal:kernel
func index(t *kernel.Thread, x []int32) {
	at := x[0]
	x[1] = 5
	x[at]++
}

//puremetal:kernel
func spin(t *kernel.Thread, x []int32) {
	for x[0] > 0 {
		x[1] ^= x[0]
	}
}
`

// TestCompileChecked: where Go would panic, the launch has an error with the line, and without
// Checked it has none.
func TestCompileChecked(t *testing.T) {
	devicetest.SoftwareOnly(t, "ends the launch; others write a message")
	ctx := t.Context()
	a := devicetest.Open(t)
	files := fstest.MapFS{"kernels/faults.go": {Data: []byte(goFaults)}}
	run := func(o compute.CompileOptions) error {
		p, err := Compile(ctx, a, files, "kernels", o)
		require.NoError(t, err)
		defer p.Close()
		s := devicetest.Stream(t, a)
		x := devicetest.BufferOf[int32](t, a, 2, 0)
		require.NoError(t, s.Launch(ctx, kernel(t, p, "index"), compute.Threads1D(1), x))
		return s.Sync(ctx)
	}
	require.NoError(t, run(compute.CompileOptions{}))
	err := run(compute.CompileOptions{Checked: true})
	require.ErrorIs(t, err, compute.ErrExecution)
	assert.ErrorContains(t, err, "kernels/faults.go:9: index 2 is out of range of 2 elements")
	_, err = Compile(ctx, a, files, "kernels", compute.CompileOptions{Checked: true, Language: mtl.LanguageVersion3_0})
	assert.ErrorIs(t, err, compute.ErrOption)
	_, err = a.Compile(ctx, "kernel void k() {}", compute.CompileOptions{Checked: true})
	require.ErrorIs(t, err, compute.ErrOption)
	assert.ErrorContains(t, err, "Checked is for gokernel.Compile")
}

// TestCompileFault: a fault of a kernel names the line of the Go file.
func TestCompileFault(t *testing.T) {
	devicetest.SoftwareOnly(t, "stops a kernel that does too much")
	a := devicetest.Open(t, compute.WithWorkBudget(100000))
	p, err := Compile(t.Context(), a, fstest.MapFS{"kernels/faults.go": {Data: []byte(goFaults)}}, "kernels",
		compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	s := devicetest.Stream(t, a)
	require.NoError(t, s.Launch(t.Context(), kernel(t, p, "spin"), compute.Threads1D(1),
		devicetest.BufferOf[int32](t, a, 1, 0)))
	err = s.Sync(t.Context())
	require.ErrorIs(t, err, compute.ErrTimeout)
	assert.ErrorContains(t, err, "kernels/faults.go:14")
}

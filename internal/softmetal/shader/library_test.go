package shader

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const header = "#include <metal_stdlib>\nusing namespace metal;\n"

func library(t testing.TB, text string, o Options) *Library {
	t.Helper()
	l, err := Compile(context.Background(), header+text, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

const scaled = `
constant uint factor [[function_constant(0)]];
constant bool flip [[function_constant(1)]];
constant bool has [[function_constant(2)]];
constant bool both = has && factor > 2;
[[visible]] float twice(float x) { return 2 * x; }
kernel void plain(device float *out [[buffer(0)]]) { out[0] = 1; }
kernel void scaled(device float *out [[buffer(0)]], device float *more [[buffer(1), function_constant(has)]], device float *most [[buffer(2), function_constant(both)]],
                   uint i [[thread_position_in_grid]]) {
    out[i] = flip ? -out[i] * factor : out[i] * factor;
    if (has) more[i] = 1;
    if (both) most[i] = 2;
}
vertex float4 v() { return 0; }
`

func TestNames(t *testing.T) {
	l := library(t, scaled, Options{})
	assert.Equal(t, []string{"plain", "scaled", "twice", "v"}, l.Names())
	for name, want := range map[string]FunctionType{"plain": Kernel, "twice": Visible, "v": Vertex} {
		assert.Equal(t, want, l.Function(t.Context(), name).Type, name)
	}
	assert.Nil(t, l.Function(t.Context(), "absent"))
	assert.EqualValues(t, 1, l.Function(t.Context(), "twice").Entry())
	assert.Zero(t, l.Function(t.Context(), "plain").Entry())
}

// TestReport: errors have the form that Metal's compiler gives them, without this compiler's codes.
func TestReport(t *testing.T) {
	_, err := Compile(context.Background(), header+"kernel void k(device float *p) {\n    p[0] = y;\n    p[1] = z;\n}\n",
		Options{})
	require.NotNil(t, err)
	assert.Equal(t, []any{LibraryDomain, CompileFailure}, []any{err.Domain, err.Code})
	lines := strings.Split(err.Text, "\n")
	assert.Equal(t, "program_source:4:12: error: use of undeclared identifier 'y'", lines[0])
	assert.Contains(t, err.Text, "\n    p[0] = y;\n           ^\n")
	assert.Equal(t, "2 errors generated.", lines[len(lines)-2])
	assert.NotContains(t, err.Text, "[E")
}

func TestWarnings(t *testing.T) {
	l := library(t, "kernel void k(device int *p) {\n    p[0] == 1;\n}\n", Options{})
	require.Contains(t, l.Warnings, "program_source:4:")
	assert.Contains(t, l.Warnings, " warning: ")
	assert.Contains(t, l.Warnings, "\n1 warning generated.\n")
	assert.Empty(t, library(t, scaled, Options{}).Warnings, "that a render stage is skipped is no warning")
}

// TestOptions: what changes the program changes the library, and what is the same is found again.
func TestOptions(t *testing.T) {
	const text = "kernel void k(device int *p) { p[0] = N; }"
	seven := Options{Macros: map[string]string{"N": "7"}}
	a := library(t, text, seven)
	seven.Macros["N"] = "8" // the library has a copy
	assert.Equal(t, "7", a.Options.Macros["N"])
	b := library(t, text, seven)
	assert.NotEqual(t, a.Hash, b.Hash)
	assert.Same(t, b, library(t, text, seven))
	_, err := Compile(context.Background(), header+text, Options{})
	require.NotNil(t, err)
	for _, o := range []Options{{Math: MathFast}, {PreciseFunctions: true}, {Version: 310}, {Logging: true},
		{MaxThreads: 3}} {
		o.Macros = seven.Macros
		assert.NotEqual(t, b.Hash, library(t, text, o).Hash, "%+v", o)
	}
	math := func(o Options) string {
		o.Macros = seven.Macros
		return library(t, text, o).Function(t.Context(), "k").kernel.Attributes.MathMode
	}
	assert.Equal(t, "safe", math(Options{}))
	assert.Equal(t, "relaxed", math(Options{Math: MathRelaxed}))
	assert.Equal(t, "fast", math(Options{Math: MathFast}))
	assert.Equal(t, "safe", math(Options{Math: MathFast, PreciseFunctions: true}))
	_, err = Compile(context.Background(), header+"kernel void k(device bfloat *p) {}", Options{Version: 300})
	require.NotNil(t, err, "bfloat came with 3.1")
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l, err := Compile(ctx, header+"kernel void canceled() {}", Options{})
	require.NotNil(t, err)
	assert.Nil(t, l)
	assert.Contains(t, err.Text, "canceled")
}

func TestSpecialize(t *testing.T) {
	l := library(t, scaled, Options{})
	_, err := l.Specialize(t.Context(), "absent", nil)
	require.NotNil(t, err)
	assert.Equal(t, FunctionNotFound, err.Code)
	var v Values
	v.Set(1, Value{ir.DataBool, []byte{1}})
	v.Set(2, Value{ir.DataBool, []byte{1}})
	_, err = l.Specialize(t.Context(), "scaled", &v)
	require.NotNil(t, err, "no value")
	assert.Contains(t, err.Text, "'factor' at index 0 has no value")
	v.Set(0, Value{ir.DataFloat, []byte{0, 0, 0, 0}}) // a float
	_, err = l.Specialize(t.Context(), "scaled", &v)
	require.NotNil(t, err)
	assert.Contains(t, err.Text, "of type UInt, and the value given is of type Float")

	use := func(factor byte, has byte) *dispatch.Pipeline {
		var v Values
		v.Set(0, Value{ir.DataUInt, []byte{factor, 0, 0, 0}})
		v.SetNamed("flip", Value{ir.DataBool, []byte{1}})
		v.Set(2, Value{ir.DataBool, []byte{has}})
		f, err := l.Specialize(t.Context(), "scaled", &v)
		require.Nil(t, err)
		p, err := NewPipeline(PipelineSpec{Function: f})
		require.Nil(t, err)
		return p
	}
	indices := func(p *dispatch.Pipeline) (out []int) {
		for _, a := range p.Args {
			out = append(out, a.Index)
		}
		return out
	}
	assert.Equal(t, []int{0}, indices(use(3, 0)))
	assert.Equal(t, []int{0, 1}, indices(use(2, 1)))
	p := use(3, 1)
	assert.Equal(t, []int{0, 1, 2}, indices(p))
	assert.Same(t, p.Code, use(3, 1).Code, "equal constants share programs")
	assert.NotSame(t, p.Code, use(4, 1).Code)
	p.Code.Optimized().Body.Walk(func(in *ir.Instr) bool {
		assert.NotContains(t, []ir.Op{ir.OpFConst, ir.OpFConstDefined}, in.Op, "the values are in the program")
		return true
	})

	data := make([]byte, 8)
	data[2], data[3], data[6], data[7] = 0x80, 0x3f, 0, 0x40 // 1, 2
	var space exec.Space
	space.Set(1, exec.Object{Data: data})
	space.Set(2, exec.Object{Data: make([]byte, 8)})
	space.Set(3, exec.Object{Data: make([]byte, 8)})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(context.Background(), p.Code,
		&exec.Launch{Grid: [3]int{2, 1, 1}, Group: [3]int{2, 1, 1}, Space: &space,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0), exec.Address(3, 0)}}))
	assert.Equal(t, []byte{0, 0, 0x40, 0xc0, 0, 0, 0xc0, 0xc0}, data, "-3 and -6")
}

func TestPipeline(t *testing.T) {
	l := library(t, scaled+`
kernel void attr(device int *p) [[max_total_threads_per_threadgroup(96)]] { p[0] = 1; }
kernel void shared(device int *p, uint i [[thread_index_in_threadgroup]]) { threadgroup int x[5000]; x[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); p[i] = x[i ^ 1]; }
kernel void large(device int *p, uint i [[thread_index_in_threadgroup]]) { threadgroup int x[9000]; x[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); p[i] = x[i ^ 1]; }
kernel void stack(device int *p, device int *q) { int x[32768]; for (int i = 0; i < 32768; i++) x[i] = q[i]; p[0] = x[q[0]]; }
kernel void deep(device int *p, device int *q) { int x[1000000]; for (int i = 0; i < 1000000; i++) x[i] = q[i]; p[0] = x[q[0]]; }
`, Options{MaxThreads: 512})
	make := func(name string, spec PipelineSpec) (*dispatch.Pipeline, *Error) {
		spec.Function = l.Function(t.Context(), name)
		return NewPipeline(spec)
	}
	good := func(name string, spec PipelineSpec) *dispatch.Pipeline {
		p, err := make(name, spec)
		require.Nil(t, err)
		return p
	}
	bad := func(name string, spec PipelineSpec, words string) {
		_, err := make(name, spec)
		require.NotNil(t, err, name)
		assert.Contains(t, err.Text, words)
	}
	assert.Equal(t, 512, good("plain", PipelineSpec{}).MaxThreads)
	assert.Equal(t, 64, good("plain", PipelineSpec{MaxThreads: 64}).MaxThreads)
	assert.Equal(t, 96, good("attr", PipelineSpec{}).MaxThreads,
		"the kernel's own limit stands before that of the options")
	assert.Equal(t, [3]int{8, 8, 1}, good("attr", PipelineSpec{Required: [3]int{8, 8, 1}}).Required)
	bad("attr", PipelineSpec{Required: [3]int{97, 1, 1}}, "more than 96")
	p := good("shared", PipelineSpec{})
	assert.Equal(t, 20000, p.StaticMemory)
	bad("large", PipelineSpec{}, "threadgroup memory size (36000) exceeds the maximum threadgroup memory allowed (32768)")
	p = good("stack", PipelineSpec{})
	assert.Equal(t, 131072, p.ThreadMemory)
	assert.Equal(t, 256, p.MaxThreads)
	bad("deep", PipelineSpec{}, "bytes of thread memory are more than")
	bad("v", PipelineSpec{}, "not a compute function")
	bad("scaled", PipelineSpec{}, "newFunctionWithName:constantValues:error:")
	bad("plain", PipelineSpec{Linked: []*Function{l.Function(t.Context(), "plain")}}, "not a visible function")
	other := library(t, scaled, Options{})
	bad("plain", PipelineSpec{Linked: []*Function{other.Function(t.Context(), "twice")}}, "of another library")
	twice := l.Function(t.Context(), "twice")
	spec := PipelineSpec{Linked: []*Function{twice}}
	good("plain", spec)
	assert.True(t, spec.Links(twice))
	spec.Function = l.Function(t.Context(), "plain")
	_, err := spec.Extended(nil)
	require.NotNil(t, err, "not asked for")
	spec = PipelineSpec{Function: l.Function(t.Context(), "plain"), AddFunctions: true}
	assert.False(t, spec.Links(twice))
	extended, err := spec.Extended([]*Function{twice})
	require.Nil(t, err)
	assert.True(t, extended.Links(twice))
	assert.False(t, spec.Links(twice), "the old one stays as it was")
	good("plain", extended)
}

func TestRequiredThreads(t *testing.T) {
	l := library(t, "kernel void k(device int *p) [[required_threads_per_threadgroup(4, 2, 1)]] { p[0] = 1; }\nkernel void free(device int *p) { p[0] = 1; }", Options{Version: 400, Required: [3]int{16, 1, 1}})
	p, err := NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "k")})
	require.Nil(t, err)
	assert.Equal(t, [3]int{4, 2, 1}, p.Required)
	p, err = NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "free")})
	require.Nil(t, err)
	assert.Equal(t, [3]int{16, 1, 1}, p.Required)
	_, err = NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "k"), Required: [3]int{8, 1, 1}})
	require.NotNil(t, err)
}

func TestContainer(t *testing.T) {
	l := library(t, scaled, Options{Macros: map[string]string{"N": "1"}, Math: MathFast})
	data := l.Encode()
	again, err := Decode(context.Background(), data)
	require.Nil(t, err)
	assert.Equal(t, l.Hash, again.Hash)
	byHand, err := Decode(context.Background(), []byte("PureMetal library 1\n{}\n"+header+scaled))
	require.Nil(t, err)
	assert.Equal(t, l.Names(), byHand.Names())
	data[len(data)-2] ^= 1
	_, err = Decode(context.Background(), data)
	require.NotNil(t, err)
	assert.Contains(t, err.Text, "hash")
	_, err = Decode(context.Background(), []byte("MTLB\x01"))
	require.NotNil(t, err)
	assert.Equal(t, Unsupported, err.Code)
	for _, bad := range []string{"", "no library", libraryMagic, libraryMagic + "{\n"} {
		_, err := Decode(context.Background(), []byte(bad))
		require.NotNil(t, err, bad)
	}
}

func TestArchive(t *testing.T) {
	l := library(t, scaled, Options{})
	twice := l.Function(t.Context(), "twice")
	plain := PipelineSpec{Function: l.Function(t.Context(), "plain"), Linked: []*Function{twice}}
	_, err := NewPipeline(plain)
	require.Nil(t, err)
	var v Values
	v.Set(0, Value{ir.DataUInt, []byte{9, 0, 0, 0}})
	v.Set(1, Value{ir.DataBool, []byte{1}})
	v.Set(2, Value{ir.DataBool, []byte{1}})
	f, err := l.Specialize(t.Context(), "scaled", &v)
	require.Nil(t, err)
	special := PipelineSpec{Function: f}
	_, err = NewPipeline(special)
	require.Nil(t, err)
	v.Set(0, Value{ir.DataUInt, []byte{8, 0, 0, 0}})
	other, err := l.Specialize(t.Context(), "scaled", &v)
	require.Nil(t, err)

	a := NewArchive()
	assert.False(t, a.HasPipeline(&plain))
	a.AddPipeline(&plain)
	a.AddPipeline(&special)
	a.AddFunction(twice)
	data := a.Encode()
	b, err := DecodeArchive(context.Background(), data, true)
	require.Nil(t, err)
	assert.Equal(t, data, b.Encode())
	assert.Equal(t, 3, b.Len())
	for _, x := range []*Archive{a, b} {
		assert.True(t, x.HasPipeline(&plain))
		assert.True(t, x.HasPipeline(&special))
		assert.False(t, x.HasPipeline(&PipelineSpec{Function: other}), "other constants")
		assert.False(t, x.HasPipeline(&PipelineSpec{Function: l.Function(t.Context(), "plain")}), "without what was linked")
		assert.True(t, x.HasFunction(twice))
		assert.False(t, x.HasFunction(l.Function(t.Context(), "plain")))
	}
	for i := range data {
		if i%97 == 0 {
			broken := append([]byte(nil), data...)
			broken[i] ^= 1
			_, err := DecodeArchive(context.Background(), broken, true)
			require.NotNil(t, err, "byte %d", i)
			assert.Equal(t, []any{BinaryArchiveDomain, ArchiveInvalidFile}, []any{err.Domain, err.Code})
		}
	}
	_, err = DecodeArchive(context.Background(),
		archiveOf(`{"libraries":[],"entries":[{"library":"00","function":"f","pipeline":true}]}`), true)
	require.NotNil(t, err)
	assert.Equal(t, ArchiveUnexpectedElement, err.Code)
	_, err = DecodeArchive(context.Background(),
		archiveOf(`{"libraries":[{"options":{"math":0},"source":"kernel"}]}`), true)
	require.NotNil(t, err)
	assert.Equal(t, ArchiveCompilationFailure, err.Code)
}

func archiveOf(body string) []byte {
	sum := sha256.Sum256([]byte(body))
	return []byte(archiveMagic + hex.EncodeToString(sum[:]) + "\n" + body)
}

// TestCache: the cache keeps to its limits, and goroutines that compile one source get one library.
func TestCache(t *testing.T) {
	var c libraryCache
	for i := range 2 * cacheLibraries {
		var h Hash
		h[0], h[1] = byte(i), byte(i>>8)
		c.put(&Library{Hash: h, Source: strings.Repeat("x", i)})
	}
	assert.Equal(t, cacheLibraries, c.recent.Len())
	assert.Len(t, c.byHash, cacheLibraries)
	var h Hash
	assert.Nil(t, c.get(h))
	c.put(&Library{Source: strings.Repeat("x", cacheSource+1)})
	assert.Equal(t, 1, c.recent.Len())
	assert.NotNil(t, c.get(h))
	assert.Equal(t, cacheSource+1, c.bytes)

	var wg sync.WaitGroup
	got := make([]*Library, 8)
	for i := range got {
		wg.Go(func() { got[i], _ = Compile(context.Background(), header+"kernel void together() {}", Options{}) })
	}
	wg.Wait()
	for _, l := range got {
		require.NotNil(t, l)
		assert.Same(t, got[0], l)
	}
}

func TestSizes(t *testing.T) {
	for typ, want := range map[ir.DataType]int{ir.DataNone: 0, ir.DataFloat: 4, ir.DataFloat3: 16, ir.DataFloat2x2: 0,
		ir.DataHalf3: 8, ir.DataInt: 4, ir.DataChar: 1, ir.DataChar3: 4, ir.DataBool: 1, ir.DataBool4: 4, ir.DataTexture: 0,
		ir.DataPointer: 0, ir.DataLong: 8, ir.DataLong4: 32, ir.DataBFloat: 2, ir.DataBFloat2: 4, ir.DataBFloat3: 8} {
		assert.Equal(t, want, ConstantSize(typ), typ)
	}
}

func TestLayout(t *testing.T) {
	l := library(t, `
struct Inner { texture2d<float> t; sampler s; };
struct Args { device float *a [[id(2)]]; array<texture2d<float>, 3> ts; float4 v [[id(8)]]; Inner in[2] [[id(10)]]; constant Inner *next; };
kernel void k(constant Args &x [[buffer(3)]], device float *plain [[buffer(0)]]) { plain[0] = x.a[0] + x.v.x; }`, Options{})
	args := l.Function(t.Context(), "k").Args()
	assert.Nil(t, LayoutOf(&args[1]))
	y := LayoutOf(&args[0])
	require.NotNil(t, y)
	assert.Equal(t, args[0].Size, y.Length)
	assert.Equal(t, 16, y.Align)
	offsets := map[int]int{2: 0, 3: 8, 4: 16, 5: 24, 8: 32, 10: 48, 11: 56, 12: 64, 13: 72, 14: 80}
	for i := range 20 {
		s, ok := y.At(i)
		want, there := offsets[i]
		assert.Equal(t, there, ok, i)
		assert.Equal(t, want, s.Offset, i)
	}
	s, _ := y.At(8)
	assert.Equal(t, []any{16, ir.DataFloat4}, []any{s.Size, s.Data})
	s, _ = y.At(11)
	assert.Equal(t, ir.DataSampler, s.Data)
	s, _ = y.At(14)
	require.NotNil(t, s.Pointer)
	assert.NotNil(t, LayoutOf(s.Pointer))
	_, ok := y.At(-1)
	assert.False(t, ok)

	d := LayoutOfDescriptors([]Descriptor{{Data: ir.DataPointer, Index: 4, Array: 3}, {Data: ir.DataFloat, Index: 0},
		{Data: ir.DataFloat4, Index: 1, Alignment: 64}, {Data: ir.DataFloat4x4, Index: 2}})
	assert.Equal(t, []int{192, 64}, []int{d.Length, d.Align})
	for i, want := range map[int]int{0: 0, 1: 64, 2: 80, 4: 144, 5: 152, 6: 160} {
		s, ok := d.At(i)
		require.True(t, ok, i)
		assert.Equal(t, want, s.Offset, i)
	}
	_, ok = d.At(3)
	assert.False(t, ok)
	assert.Zero(t, testing.AllocsPerRun(100, func() { d.At(5); y.At(13) }))
}

// TestFunctionTable: what Entry says is what a kernel that calls through a table goes by.
func TestFunctionTable(t *testing.T) {
	l := library(t, `
[[visible]] float twice(float x) { return 2 * x; }
[[visible]] float thrice(float x) { return 3 * x; }
kernel void call(device float *out [[buffer(0)]], visible_function_table<float(float)> fs [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = fs[i](i + 1); }`, Options{})
	twice, thrice := l.Function(t.Context(), "twice"), l.Function(t.Context(), "thrice")
	p, err := NewPipeline(PipelineSpec{Function: l.Function(t.Context(), "call"), Linked: []*Function{twice, thrice}})
	require.Nil(t, err)
	table := make([]byte, 32)
	table[0] = 3
	table[8], table[16] = byte(thrice.Entry()), byte(twice.Entry())
	out := make([]byte, 16)
	var space exec.Space
	space.Set(1, exec.Object{Data: out})
	space.Set(2, exec.Object{Data: table, ReadOnly: true})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(context.Background(), p.Code,
		&exec.Launch{Grid: [3]int{4, 1, 1}, Group: [3]int{4, 1, 1}, Space: &space,
			Buffers: []uint64{exec.Address(1, 0), exec.Address(2, 0)}, Constants: p.Constants}))
	assert.Equal(t, []byte{0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40, 0, 0, 0, 0, 0, 0, 0, 0}, out,
		"3, 4, and nothing from an empty entry and one past the end")
}

// TestManyConstants: a library of which a kernel is asked for with ever new constants keeps some of
// them, and the latest is still one.
func TestManyConstants(t *testing.T) {
	l := library(t, "constant int c [[function_constant(0)]]; kernel void k(device int *x) { x[0] = c; }", Options{})
	made := func(n uint32) *dispatch.Pipeline {
		var v Values
		v.Set(0, Value{ir.DataInt, binary.LittleEndian.AppendUint32(nil, n)})
		f, err := l.Specialize(t.Context(), "k", &v)
		require.Nil(t, err)
		p, err := NewPipeline(PipelineSpec{Function: f})
		require.Nil(t, err)
		return p
	}
	for n := range uint32(2 * mostKernels) {
		assert.Same(t, made(n).Code, made(n).Code)
		require.LessOrEqual(t, len(l.kernels), mostKernels)
	}
}

// many returns a source of n kernels.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "kernel void many%d(device uint *x [[buffer(0)]]) { x[%d] += %d; }\n", i, i, i)
	}
	return b.String()
}

// TestLazy: a library has the code of the kernels that were asked for, and lets go of the checked
// source with the last of them.
func TestLazy(t *testing.T) {
	l := library(t, many(3), Options{})
	assert.Empty(t, l.code)
	assert.Equal(t, []string{"many0", "many1", "many2"}, l.Names())
	f := l.Function(t.Context(), "many1")
	assert.Len(t, l.code, 1)
	assert.Same(t, f.kernel, l.Function(t.Context(), "many1").kernel)
	require.NotNil(t, l.program)
	l.Function(t.Context(), "many0")
	l.Function(t.Context(), "many2")
	assert.Len(t, l.code, 3)
	assert.Nil(t, l.program)
	assert.Same(t, f.kernel, l.Function(t.Context(), "many1").kernel)
	_, err := l.Specialize(t.Context(), "many3", nil)
	require.NotNil(t, err)
	assert.Equal(t, FunctionNotFound, err.Code)
}

// TestLazyErrors: what is wrong with a kernel that nobody asks for is found when the library is
// made.
func TestLazyErrors(t *testing.T) {
	for name, text := range map[string]string{
		"recursion":   "int f(int x) { return x > 1 ? f(x - 1) + 1 : 0; }\nkernel void k(device int *x) { x[0] = f(x[0]); }\n",
		"no body":     "int f(int x);\nkernel void k(device int *x) { x[0] = f(x[0]); }\n",
		"no lowering": "kernel void k(device int *x, texture2d<float> t) { constexpr sampler s(filter::bicubic); x[0] = t.sample(s, float2(0)).x; }\n",
		"size": "int f0(int x) { return x + 1; }\n" + func() string {
			var b strings.Builder
			for i := 1; i < 40; i++ {
				fmt.Fprintf(&b, "int f%d(int x) { return f%d(x) + f%d(x + 1); }\n", i, i-1, i-1)
			}
			return b.String()
		}() + "kernel void k(device int *x) { x[0] = f39(x[0]); }\n",
	} {
		_, err := Compile(context.Background(), header+many(2)+text, Options{})
		if assert.NotNil(t, err, name) {
			assert.Equal(t, CompileFailure, err.Code, name)
			assert.Contains(t, err.Text, "1 error generated.", name)
		}
	}
}

// TestLazyTogether asks for kernels of one library in several goroutines at once.
func TestLazyTogether(t *testing.T) {
	const kernels, askers = 20, 4
	l := library(t, many(kernels), Options{Math: MathFast})
	var wg sync.WaitGroup
	var got [askers][kernels]*ir.Func
	for i := range askers {
		wg.Go(func() {
			for k := range kernels {
				k = (k + 7*i) % kernels
				got[i][k] = l.Function(t.Context(), fmt.Sprintf("many%d", k)).kernel
			}
		})
	}
	wg.Wait()
	for i := range askers {
		assert.Equal(t, got[0], got[i])
		for k := range kernels {
			assert.Same(t, got[0][k], got[i][k])
		}
	}
	assert.Nil(t, l.program)
}

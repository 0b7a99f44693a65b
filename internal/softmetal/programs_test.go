package softmetal_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests of this package that go through the bindings.

var twoDevices = sync.OnceFunc(func() {
	os.Setenv("PUREMETAL_DRIVER", "software")
	os.Setenv("PUREMETAL_SOFTWARE_DEVICES", "2")
})

// bound returns a device. The test fails for faults and for objects that are left.
func bound(t testing.TB) mtl.Device {
	t.Helper()
	twoDevices()
	warm := objc.NewString("warm")
	objc.Release(warm)
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	before := objc.LiveObjects()
	var mu sync.Mutex
	var faults []*objc.Fault
	stop := objc.OnFault(func(f *objc.Fault) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, f)
	})
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	t.Cleanup(func() {
		pool.Drain()
		stop()
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			t.Errorf("fault: %v", f)
		}
		assert.Equal(t, before, objc.LiveObjects(), "objects are left")
	})
	return d
}

// compiled compiles a program for one test.
func compiled(t testing.TB, d mtl.Device, text string) mtl.Library {
	t.Helper()
	l, err := d.NewLibrary("#include <metal_stdlib>\nusing namespace metal;\n"+text, mtl.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

func named(t testing.TB, l mtl.Library, name string) mtl.Function {
	t.Helper()
	f, err := l.NewFunction(name)
	require.NoError(t, err)
	t.Cleanup(f.Release)
	return f
}

const program = `
struct Inner { float3 v; packed_half2 h; };
struct Params { uint n; Inner in[2]; float4x4 m; };
struct Scene { device float *data [[id(1)]]; texture2d<half, access::write> t; constant Params *p; };
constant uint factor [[function_constant(3)]];
[[visible]] float twice(float x) { return 2 * x; }
[[visible]] float thrice(float x) { return 3 * x; }
kernel void k(device float *out [[buffer(2)]], constant Params &p [[buffer(0)]], texture2d<float> t [[texture(1)]], array<texture2d<half>, 3> ts [[texture(4)]], sampler s [[sampler(1)]],
              threadgroup float4 *mem [[threadgroup(0)]], constant Scene &scene [[buffer(5)]], device const int *unused [[buffer(7)]], uint i [[thread_position_in_grid]]) {
    threadgroup float own[8];
    own[i & 7] = t.sample(s, float2(0)).x; mem[i] = ts[1].sample(s, float2(0)).x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = p.in[1].v.x + p.m[0][0] + own[0] + mem[0].x + scene.data[0];
}
kernel void needs(device float *out [[buffer(0)]]) { out[0] = factor; }
kernel void call(device float *out [[buffer(0)]], visible_function_table<float(float)> fs [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = fs[i](i + 1); }
vertex float4 v() { return 0; }
`

func TestReflection(t *testing.T) {
	d := bound(t)
	f := named(t, compiled(t, d, program), "k")
	p, r, err := d.NewComputePipelineStateWithReflection(f, mtl.PipelineOptionBufferTypeInfo)
	require.NoError(t, err)
	defer p.Release()
	defer r.Release()
	limits := p.Limits()
	assert.Equal(t, mtl.PipelineLimits{MaxTotalThreadsPerThreadgroup: 1024, ThreadExecutionWidth: 32, StaticThreadgroupMemory: 32}, limits)

	type row struct {
		name   string
		typ    mtl.BindingType
		index  uint
		access mtl.BindingAccess
		used   bool
	}
	var rows []row
	bs := r.Bindings()
	for _, b := range bs {
		rows = append(rows, row{b.Name(), b.Type(), b.Index(), b.Access(), b.IsUsed()})
		assert.True(t, b.IsArgument())
	}
	assert.Equal(t, []row{
		{"out", mtl.BindingTypeBuffer, 2, mtl.BindingAccessReadWrite, true},
		{"p", mtl.BindingTypeBuffer, 0, mtl.BindingAccessReadOnly, true},
		{"t", mtl.BindingTypeTexture, 1, mtl.BindingAccessReadOnly, true},
		{"ts", mtl.BindingTypeTexture, 4, mtl.BindingAccessReadOnly, true},
		{"s", mtl.BindingTypeSampler, 1, mtl.BindingAccessReadOnly, true},
		{"mem", mtl.BindingTypeThreadgroupMemory, 0, mtl.BindingAccessReadOnly, true},
		{"scene", mtl.BindingTypeBuffer, 5, mtl.BindingAccessReadOnly, true},
		{"unused", mtl.BindingTypeBuffer, 7, mtl.BindingAccessReadOnly, false},
	}, rows)

	buffer := func(i int) mtl.BufferBinding { return mtl.BufferBindingFrom(bs[i].ID()) }
	out := buffer(0)
	assert.Equal(t, []any{mtl.DataTypeFloat, uint(4), uint(4)}, []any{out.BufferDataType(), out.BufferDataSize(), out.BufferAlignment()})
	assert.Equal(t, mtl.BindingAccessReadWrite, out.BufferPointerType().Access())
	assert.Equal(t, mtl.DataTypeFloat, out.BufferPointerType().ElementType())
	params := buffer(1).BufferStructType()
	assert.Equal(t, mtl.DataTypeStruct, params.DataType())
	var names []string
	for _, m := range params.Members() {
		names = append(names, m.Name())
	}
	assert.Equal(t, []string{"n", "in", "m"}, names)
	in := params.MemberByName("in")
	assert.Equal(t, []any{uint(16), mtl.DataTypeArray}, []any{in.Offset(), in.DataType()})
	a := in.ArrayType()
	assert.Equal(t, []any{uint(2), uint(32), mtl.DataTypeStruct}, []any{a.ArrayLength(), a.Stride(), a.ElementType()})
	assert.Equal(t, mtl.DataTypeHalf2, a.ElementStructType().MemberByName("h").DataType())
	assert.Equal(t, mtl.DataTypeFloat4x4, params.MemberByName("m").DataType())
	assert.True(t, params.MemberByName("x").IsNil())

	tex := mtl.TextureBindingFrom(bs[2].ID())
	assert.Equal(t, []any{mtl.TextureType2D, mtl.DataTypeFloat, false, uint(1)}, []any{tex.TextureType(), tex.TextureDataType(), tex.IsDepthTexture(), tex.ArrayLength()})
	assert.Equal(t, uint(3), mtl.TextureBindingFrom(bs[3].ID()).ArrayLength())
	mem := mtl.ThreadgroupBindingFrom(bs[5].ID())
	assert.Equal(t, []uint{16, 16}, []uint{mem.ThreadgroupMemoryAlignment(), mem.ThreadgroupMemoryDataSize()})
	scene := buffer(6).BufferStructType()
	data := scene.MemberByName("data")
	assert.Equal(t, []any{uint(1), mtl.DataTypePointer}, []any{data.ArgumentIndex(), data.DataType()})
	assert.Equal(t, uint(2), scene.MemberByName("t").ArgumentIndex())
	ref := scene.MemberByName("t").TextureReferenceType()
	assert.Equal(t, []any{mtl.DataTypeHalf, mtl.TextureType2D, mtl.BindingAccessWriteOnly}, []any{ref.TextureDataType(), ref.TextureType(), ref.Access()})
	assert.Equal(t, "n", scene.MemberByName("p").PointerType().ElementStructType().Members()[0].Name())
	assert.True(t, buffer(6).BufferPointerType().ElementIsArgumentBuffer())

	plain, short, err := d.NewComputePipelineStateWithReflection(f, mtl.PipelineOptionBindingInfo)
	require.NoError(t, err)
	defer plain.Release()
	defer short.Release()
	assert.True(t, mtl.BufferBindingFrom(short.Bindings()[1].ID()).BufferStructType().IsNil(), "types were not asked for")
}

func TestFunctions(t *testing.T) {
	d := bound(t)
	l := compiled(t, d, program)
	assert.Equal(t, []string{"call", "k", "needs", "thrice", "twice", "v"}, l.FunctionNames())
	for name, want := range map[string]mtl.FunctionType{"k": mtl.FunctionTypeKernel, "twice": mtl.FunctionTypeVisible, "v": mtl.FunctionTypeVertex} {
		f := named(t, l, name)
		assert.Equal(t, want, f.FunctionType())
		assert.Equal(t, name, f.Name())
		assert.Equal(t, d.ID(), f.Device().ID())
		f.SetLabel("the " + name)
		assert.Equal(t, "the "+name, f.Label())
	}
	_, err := d.NewComputePipelineState(named(t, l, "twice"))
	require.ErrorIs(t, err, mtl.ErrFunction)
	_, err = d.NewComputePipelineState(named(t, l, "needs"))
	require.ErrorContains(t, err, "function 'needs' uses function constants")

	desc, err := mtl.NewFunctionDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	v, err := mtl.NewFunctionConstantValues()
	require.NoError(t, err)
	defer v.Release()
	require.NoError(t, v.Set(3, uint32(5)))
	desc.SetName("needs")
	desc.SetSpecializedName("needs_5")
	desc.SetConstantValues(v)
	f, err := l.NewFunctionWithDescriptor(desc)
	require.NoError(t, err)
	defer f.Release()
	assert.Equal(t, "needs_5", f.Name())
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	p.Release()

	ds, err := mtl.Devices()
	require.NoError(t, err)
	defer mtl.ReleaseAll(ds)
	require.Len(t, ds, 2)
	_, err = ds[1].NewComputePipelineState(f)
	require.ErrorIs(t, err, mtl.ErrDevice)
}

// TestMacros: macros are strings, and the settings of a compilation change it.
func TestMacros(t *testing.T) {
	d := bound(t)
	o, err := mtl.NewCompileOptions()
	require.NoError(t, err)
	defer o.Release()
	o.SetPreprocessorMacros(map[string]string{"N": "7", "T": "float"})
	l, err := d.NewLibrary("kernel void k(device T *p) { static_assert(N == 7 && __METAL_VERSION__ == 400, \"\"); p[0] = N; }", o)
	require.NoError(t, err)
	l.Release()
	o.SetLanguageVersion(mtl.LanguageVersion2_4)
	_, err = d.NewLibrary("kernel void k(device T *p) { static_assert(__METAL_VERSION__ == 240, \"\"); p[0] = N; bfloat b; }", o)
	var e *mtl.CompileError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Diagnostics, 1)
	assert.Equal(t, 1, e.Diagnostics[0].Line)
	assert.Contains(t, e.Diagnostics[0].Excerpt, "^")

	o.SetFastMathEnabled(false)
	mode, err := o.MathMode()
	require.NoError(t, err)
	assert.Equal(t, mtl.MathModeSafe, mode)
	require.NoError(t, o.SetMathMode(mtl.MathModeFast))
	assert.True(t, o.FastMathEnabled())
}

// TestLibraryFile: a library is source behind two lines, by hand or from an archive's hands.
func TestLibraryFile(t *testing.T) {
	d := bound(t)
	path := filepath.Join(t.TempDir(), "a.metallib")
	text := "PureMetal library 1\n{\"macros\":{\"N\":\"3\"}}\nkernel void k(device int *p) { p[0] = N; }\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	l, err := d.NewLibraryWithFile(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"k"}, l.FunctionNames())
	l.Release()
	l, err = d.NewLibraryWithData([]byte(text))
	require.NoError(t, err)
	l.Release()
	_, err = d.NewLibraryWithData([]byte(strings.Replace(text, "{", `{"sha256":"00",`, 1)))
	require.ErrorContains(t, err, "hash")
	_, err = d.NewLibraryWithData([]byte("MTLB...."))
	require.ErrorContains(t, err, "metallib")
}

func TestCompiler4(t *testing.T) {
	d := bound(t)
	sd, err := mtl.NewPipelineDataSetSerializerDescriptor4()
	require.NoError(t, err)
	defer sd.Release()
	sd.SetConfiguration(mtl.PipelineDataSetSerializerConfiguration4CaptureBinaries)
	serializer, err := d.NewPipelineDataSetSerializerWithDescriptor(sd)
	require.NoError(t, err)
	defer serializer.Release()
	cd, err := mtl.NewCompilerDescriptor4()
	require.NoError(t, err)
	defer cd.Release()
	cd.SetPipelineDataSetSerializer(serializer)
	cd.SetLabel("compiler")
	k, err := d.NewCompilerWithDescriptor(cd)
	require.NoError(t, err)
	defer k.Release()
	assert.Equal(t, "compiler", k.Label())

	ld, err := mtl.NewLibraryDescriptor4()
	require.NoError(t, err)
	defer ld.Release()
	ld.SetSource("#include <metal_stdlib>\nusing namespace metal;\n" + program)
	ld.SetName("program")
	l, err := k.NewLibraryWithDescriptor(ld)
	require.NoError(t, err)
	defer l.Release()
	assert.Equal(t, "program", l.Label())

	fd, err := mtl.NewLibraryFunctionDescriptor4()
	require.NoError(t, err)
	defer fd.Release()
	fd.SetName("needs")
	fd.SetLibrary(l)
	special, err := mtl.NewSpecializedFunctionDescriptor4()
	require.NoError(t, err)
	defer special.Release()
	v, err := mtl.NewFunctionConstantValues()
	require.NoError(t, err)
	defer v.Release()
	require.NoError(t, v.Set(3, uint32(5)))
	special.SetFunctionDescriptor(fd.FunctionDescriptor4)
	special.SetConstantValues(v)
	pd, err := mtl.NewComputePipelineDescriptor4()
	require.NoError(t, err)
	defer pd.Release()
	pd.SetComputeFunctionDescriptor(fd.FunctionDescriptor4)
	_, err = k.NewComputePipelineStateWithDescriptor(pd, mtl.CompilerTaskOptions4{})
	require.ErrorContains(t, err, "function constants")
	pd.SetComputeFunctionDescriptor(special.FunctionDescriptor4)
	pd.SetMaxTotalThreadsPerThreadgroup(64)
	p, err := k.NewComputePipelineStateWithDescriptor(pd, mtl.CompilerTaskOptions4{})
	require.NoError(t, err)
	assert.Equal(t, uint(64), p.MaxTotalThreadsPerThreadgroup())
	p.Release()

	got := make(chan error, 1)
	task, err := k.NewComputePipelineStateWithDescriptorCompletionHandler(pd, mtl.CompilerTaskOptions4{}, func(p mtl.ComputePipelineState, err error) {
		p.Release()
		got <- err
	})
	require.NoError(t, err)
	task.WaitUntilCompleted()
	assert.Equal(t, mtl.CompilerTaskStatus4Finished, task.Status())
	assert.Equal(t, k.ID(), task.Compiler().ID())
	require.NoError(t, <-got)
	task.Release()

	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, serializer.SerializeAsArchiveAndFlushToURL(path))
	a, err := d.NewArchiveWithURL(path)
	require.NoError(t, err)
	defer a.Release()
	p, err = a.NewComputePipelineStateWithDescriptor(pd)
	require.NoError(t, err)
	p.Release()
	fd.SetName("k")
	pd.SetComputeFunctionDescriptor(fd.FunctionDescriptor4)
	_, err = a.NewComputePipelineStateWithDescriptor(pd)
	require.ErrorContains(t, err, "does not have the pipeline")
	ld.SetSource("kernel void broken( {")
	_, err = k.NewLibraryWithDescriptor(ld)
	require.ErrorContains(t, err, "program_source:1:")
}

package mtl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// softwareDevice returns the software device, for tests of what it does beyond Metal's guarantees.
func softwareDevice(t *testing.T) Device {
	t.Helper()
	if kind, err := objc.CurrentDriver(); err != nil || kind != objc.DriverSoftware {
		t.Skipf("states what the software device does; in use is %v (%v)", kind, err)
	}
	return testDevice(t)
}

// compiled compiles a program for one test.
func compiled(t *testing.T, d Device, text string) Library {
	t.Helper()
	l, err := d.NewLibrary("#include <metal_stdlib>\nusing namespace metal;\n"+text, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	return l
}

func named(t *testing.T, l Library, name string) Function {
	t.Helper()
	f, err := l.NewFunction(name)
	require.NoError(t, err)
	t.Cleanup(f.Release)
	return f
}

const softwareProgram = `
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

func TestSoftwareReflection(t *testing.T) {
	d := softwareDevice(t)
	f := named(t, compiled(t, d, softwareProgram), "k")
	p, r, err := d.NewComputePipelineStateWithReflection(f, PipelineOptionBufferTypeInfo)
	require.NoError(t, err)
	defer p.Release()
	defer r.Release()
	limits := p.Limits()
	assert.Equal(t, PipelineLimits{MaxTotalThreadsPerThreadgroup: 1024, ThreadExecutionWidth: 32,
		StaticThreadgroupMemory: 32}, limits)

	type row struct {
		name   string
		typ    BindingType
		index  uint
		access BindingAccess
		used   bool
	}
	var rows []row
	bs := r.Bindings()
	for _, b := range bs {
		rows = append(rows, row{b.Name(), b.Type(), b.Index(), b.Access(), b.IsUsed()})
		assert.True(t, b.IsArgument())
	}
	assert.Equal(t, []row{
		{"out", BindingTypeBuffer, 2, BindingAccessReadWrite, true},
		{"p", BindingTypeBuffer, 0, BindingAccessReadOnly, true},
		{"t", BindingTypeTexture, 1, BindingAccessReadOnly, true},
		{"ts", BindingTypeTexture, 4, BindingAccessReadOnly, true},
		{"s", BindingTypeSampler, 1, BindingAccessReadOnly, true},
		{"mem", BindingTypeThreadgroupMemory, 0, BindingAccessReadOnly, true},
		{"scene", BindingTypeBuffer, 5, BindingAccessReadOnly, true},
		{"unused", BindingTypeBuffer, 7, BindingAccessReadOnly, false},
	}, rows)

	buffer := func(i int) BufferBinding { return BufferBindingFrom(bs[i].ID()) }
	out := buffer(0)
	assert.Equal(t, []any{DataTypeFloat, uint(4), uint(4)},
		[]any{out.BufferDataType(), out.BufferDataSize(), out.BufferAlignment()})
	assert.Equal(t, BindingAccessReadWrite, out.BufferPointerType().Access())
	assert.Equal(t, DataTypeFloat, out.BufferPointerType().ElementType())
	params := buffer(1).BufferStructType()
	assert.Equal(t, DataTypeStruct, params.DataType())
	var names []string
	for _, m := range params.Members() {
		names = append(names, m.Name())
	}
	assert.Equal(t, []string{"n", "in", "m"}, names)
	in := params.MemberByName("in")
	assert.Equal(t, []any{uint(16), DataTypeArray}, []any{in.Offset(), in.DataType()})
	a := in.ArrayType()
	assert.Equal(t, []any{uint(2), uint(32), DataTypeStruct}, []any{a.ArrayLength(), a.Stride(), a.ElementType()})
	assert.Equal(t, DataTypeHalf2, a.ElementStructType().MemberByName("h").DataType())
	assert.Equal(t, DataTypeFloat4x4, params.MemberByName("m").DataType())
	assert.True(t, params.MemberByName("x").IsNil())

	tex := TextureBindingFrom(bs[2].ID())
	assert.Equal(t, []any{TextureType2D, DataTypeFloat, false, uint(1)},
		[]any{tex.TextureType(), tex.TextureDataType(), tex.IsDepthTexture(), tex.ArrayLength()})
	assert.Equal(t, uint(3), TextureBindingFrom(bs[3].ID()).ArrayLength())
	mem := ThreadgroupBindingFrom(bs[5].ID())
	assert.Equal(t, []uint{16, 16}, []uint{mem.ThreadgroupMemoryAlignment(), mem.ThreadgroupMemoryDataSize()})
	scene := buffer(6).BufferStructType()
	data := scene.MemberByName("data")
	assert.Equal(t, []any{uint(1), DataTypePointer}, []any{data.ArgumentIndex(), data.DataType()})
	assert.Equal(t, uint(2), scene.MemberByName("t").ArgumentIndex())
	ref := scene.MemberByName("t").TextureReferenceType()
	assert.Equal(t, []any{DataTypeHalf, TextureType2D, BindingAccessWriteOnly},
		[]any{ref.TextureDataType(), ref.TextureType(), ref.Access()})
	assert.Equal(t, "n", scene.MemberByName("p").PointerType().ElementStructType().Members()[0].Name())
	assert.True(t, buffer(6).BufferPointerType().ElementIsArgumentBuffer())

	plain, short, err := d.NewComputePipelineStateWithReflection(f, PipelineOptionBindingInfo)
	require.NoError(t, err)
	defer plain.Release()
	defer short.Release()
	assert.True(t, BufferBindingFrom(short.Bindings()[1].ID()).BufferStructType().IsNil(), "types were not asked for")
}

func TestSoftwareFunctions(t *testing.T) {
	d := softwareDevice(t)
	l := compiled(t, d, softwareProgram)
	assert.Equal(t, []string{"call", "k", "needs", "thrice", "twice", "v"}, l.FunctionNames())
	for name, want := range map[string]FunctionType{"k": FunctionTypeKernel, "twice": FunctionTypeVisible,
		"v": FunctionTypeVertex} {
		f := named(t, l, name)
		assert.Equal(t, want, f.FunctionType())
		assert.Equal(t, name, f.Name())
		assert.Equal(t, d.ID(), f.Device().ID())
		f.SetLabel("the " + name)
		assert.Equal(t, "the "+name, f.Label())
	}
	_, err := d.NewComputePipelineState(named(t, l, "twice"))
	require.ErrorIs(t, err, ErrFunction)
	_, err = d.NewComputePipelineState(named(t, l, "needs"))
	require.ErrorContains(t, err, "function 'needs' uses function constants")

	desc, err := NewFunctionDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	v, err := NewFunctionConstantValues()
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
}

// TestSoftwareOptions: macros are strings, and the settings of a compilation change its result.
func TestSoftwareOptions(t *testing.T) {
	d := softwareDevice(t)
	o, err := NewCompileOptions()
	require.NoError(t, err)
	defer o.Release()
	o.SetPreprocessorMacros(map[string]string{"N": "7", "T": "float"})
	l, err := d.NewLibrary("kernel void k(device T *p) { static_assert(N == 7 && __METAL_VERSION__ == 400, \"\"); p[0] = N; }", o)
	require.NoError(t, err)
	l.Release()
	o.SetLanguageVersion(LanguageVersion2_4)
	_, err = d.NewLibrary("kernel void k(device T *p) { static_assert(__METAL_VERSION__ == 240, \"\"); p[0] = N; bfloat b; }", o)
	var e *CompileError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Diagnostics, 1)
	assert.Equal(t, 1, e.Diagnostics[0].Line)
	assert.Contains(t, e.Diagnostics[0].Excerpt, "^")

	require.NoError(t, o.SetMath(MathModeSafe, MathFloatingPointFunctionsPrecise))
	mode, err := o.MathMode()
	require.NoError(t, err)
	assert.Equal(t, MathModeSafe, mode)
	zmethods[mCompileOptionsSetFastMathEnabled].Call(o.ID(), 1) // the older name of the setting
	mode, err = o.MathMode()
	require.NoError(t, err)
	assert.Equal(t, MathModeFast, mode)
}

// TestSoftwareLibraryFile: a library file is source after two header lines, written by hand or by
// an archive.
func TestSoftwareLibraryFile(t *testing.T) {
	d := softwareDevice(t)
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

func TestSoftwareArchives(t *testing.T) {
	d := softwareDevice(t)
	l := compiled(t, d, softwareProgram)
	dir := t.TempDir()
	path := filepath.Join(dir, "archive")
	ad, err := NewBinaryArchiveDescriptor()
	require.NoError(t, err)
	defer ad.Release()
	a, err := d.NewBinaryArchive(ad)
	require.NoError(t, err)
	defer a.Release()

	pd, err := NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer pd.Release()
	pd.SetComputeFunction(named(t, l, "k"))
	pd.SetLabel("labeled")
	pd.SetBinaryArchives([]BinaryArchive{a})
	_, _, err = d.NewComputePipelineStateWithDescriptor(pd, PipelineOptionFailOnBinaryArchiveMiss)
	require.ErrorContains(t, err, "none of the binary archives")
	require.NoError(t, a.AddComputePipelineFunctions(pd))
	p, _, err := d.NewComputePipelineStateWithDescriptor(pd, PipelineOptionFailOnBinaryArchiveMiss)
	require.NoError(t, err)
	assert.Equal(t, "labeled", p.Label())
	p.Release()
	require.NoError(t, a.SerializeToFile(path))

	ad.SetUrl(path)
	b, err := d.NewBinaryArchive(ad)
	require.NoError(t, err)
	defer b.Release()
	pd.SetBinaryArchives([]BinaryArchive{b})
	p, _, err = d.NewComputePipelineStateWithDescriptor(pd, PipelineOptionFailOnBinaryArchiveMiss)
	require.NoError(t, err)
	p.Release()
	pd.SetComputeFunction(named(t, l, "call"))
	_, _, err = d.NewComputePipelineStateWithDescriptor(pd, PipelineOptionFailOnBinaryArchiveMiss)
	require.Error(t, err)

	require.NoError(t, os.WriteFile(path, []byte("broken"), 0o600))
	_, err = d.NewBinaryArchive(ad)
	require.ErrorIs(t, err, error(&objc.Error{Domain: "MTLBinaryArchiveDomain", Code: int(BinaryArchiveErrorInvalidFile)}))
	require.Error(t, a.SerializeToFile(filepath.Join(dir, "absent", "archive")))
}

func TestSoftwareCompiler4(t *testing.T) {
	d := softwareDevice(t)
	sd, err := NewPipelineDataSetSerializerDescriptor4()
	require.NoError(t, err)
	defer sd.Release()
	sd.SetConfiguration(PipelineDataSetSerializerConfiguration4CaptureBinaries)
	serializer, err := d.NewPipelineDataSetSerializer4WithDescriptor(sd)
	require.NoError(t, err)
	defer serializer.Release()
	cd, err := NewCompilerDescriptor4()
	require.NoError(t, err)
	defer cd.Release()
	cd.SetPipelineDataSetSerializer(serializer)
	cd.SetLabel("compiler")
	k, err := d.NewCompiler4WithDescriptor(cd)
	require.NoError(t, err)
	defer k.Release()
	assert.Equal(t, "compiler", k.Label())

	ld, err := NewLibraryDescriptor4()
	require.NoError(t, err)
	defer ld.Release()
	ld.SetSource("#include <metal_stdlib>\nusing namespace metal;\n" + softwareProgram)
	ld.SetName("program")
	l, err := k.NewLibraryWithDescriptor(ld)
	require.NoError(t, err)
	defer l.Release()
	assert.Equal(t, "program", l.Label())

	fd, err := NewLibraryFunctionDescriptor4()
	require.NoError(t, err)
	defer fd.Release()
	fd.SetName("needs")
	fd.SetLibrary(l)
	special, err := NewSpecializedFunctionDescriptor4()
	require.NoError(t, err)
	defer special.Release()
	v, err := NewFunctionConstantValues()
	require.NoError(t, err)
	defer v.Release()
	require.NoError(t, v.Set(3, uint32(5)))
	special.SetFunctionDescriptor(fd.FunctionDescriptor4)
	special.SetConstantValues(v)
	pd, err := NewComputePipelineDescriptor4()
	require.NoError(t, err)
	defer pd.Release()
	pd.SetComputeFunctionDescriptor(fd.FunctionDescriptor4)
	_, err = k.NewComputePipelineStateWithDescriptor(pd, CompilerTaskOptions4{})
	require.ErrorContains(t, err, "function constants")
	pd.SetComputeFunctionDescriptor(special.FunctionDescriptor4)
	pd.SetMaxTotalThreadsPerThreadgroup(64)
	p, err := k.NewComputePipelineStateWithDescriptor(pd, CompilerTaskOptions4{})
	require.NoError(t, err)
	assert.Equal(t, uint(64), p.MaxTotalThreadsPerThreadgroup())
	p.Release()

	got := make(chan error, 1)
	task, err := k.NewComputePipelineStateWithDescriptorCompletionHandler(pd, CompilerTaskOptions4{},
		func(p ComputePipelineState, err error) {
			p.Release()
			got <- err
		})
	require.NoError(t, err)
	task.WaitUntilCompleted()
	assert.Equal(t, CompilerTaskStatus4Finished, task.Status())
	assert.Equal(t, k.ID(), task.Compiler().ID())
	require.NoError(t, <-got)
	task.Release()

	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, serializer.SerializeAsArchiveAndFlushToURL(path))
	a, err := d.NewArchive4WithURL(path)
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

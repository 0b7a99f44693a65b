package bindgen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	cfg := &Config{Prefix: "MTL"}
	for in, want := range map[string]string{"MTLBuffer": "Buffer", "MTL4CommandQueue": "CommandQueue4", "NSRange": "Range",
		"CFoo": "CFoo"} {
		assert.Equal(t, want, cfg.typeName(in))
	}
	e := &Enum{Name: "MTL4BinaryFunctionOptions"}
	assert.Equal(t, "BinaryFunctionOption4None", cfg.memberName(e, "MTL4BinaryFunctionOptionNone"))
	assert.Equal(t, "StorageModeShared", cfg.memberName(&Enum{Name: "MTLStorageMode"}, "MTLStorageModeShared"))
	for in, want := range map[string]string{"URL": "url", "GPUAddress": "gpuAddress", "label": "label", "range": "rng",
		"type":  "typ",
		"error": "errOut", "_impl": "impl", "map": "map_", "objc": "objc_", "X": "x", "A1": "a1"} {
		assert.Equal(t, want, paramName(in), in)
	}
	for in, want := range map[string]string{"maxTotalThreadsPerThreadgroup": "maximum total threads per threadgroup",
		"GPUStartTime": "GPU start time",
		"label":        "label", "outputURL": "output URL", "mtl4CommandQueue": "Metal 4 command queue",
		"lodMinClamp": "LOD minimum clamp", "32BitMSAA": "32-bit MSAA", "minFilter": "minification filter",
		"startOfEncoderSampleIndex": "start-of-encoder sample index",
		"cpuCacheMode":              "CPU cache mode", "gpuResourceID": "GPU resource ID"} {
		assert.Equal(t, want, words(in), in)
	}
}

// TestNameMethods: the first label alone goes to the oldest, synchronous, shortest selector; others
// add where they differ.
func TestNameMethods(t *testing.T) {
	ts := newTypes(&Module{})
	block := CType{Block: &BlockType{Ret: CType{Name: "void"}}}
	u := CType{Name: "NSUInteger"}
	method := func(sel string, since Version, types ...CType) *Method {
		m := &Method{Selector: sel, Since: since}
		for _, p := range types {
			m.Params = append(m.Params, Param{"p", p, false})
		}
		return m
	}
	ms := []*Method{
		method("newLibrary:options:done:", Version{10, 11}, u, u, block),
		method("newLibrary:options:error:", Version{10, 11}, u, u, u),
		method("setBuffer:offset:stride:at:", Version{14, 0}, u, u, u, u),
		method("setBuffer:offset:at:", Version{10, 11}, u, u, u),
		method("label", Version{10, 11}),
		method("retain", Version{10, 11}),
	}
	taken := map[string]string{"Label": "label", "Retain": "keep:it:"}
	names, clashes := ts.nameMethods(&Config{Prefix: "MTL"}, ms, nil, taken)
	var got []string
	for _, m := range ms {
		got = append(got, names[m])
	}
	assert.Equal(t, []string{"NewLibraryDone", "NewLibrary", "SetBufferStride", "SetBuffer", "Label", ""}, got)
	assert.Equal(t, []string{"retain"}, clashes)
}

// TestNameMethodsAfterTypes: a method that makes an object of Metal 4 has the 4 of the object's Go
// type in its name, one with a completion handler too, and an object's error is Err.
func TestNameMethodsAfterTypes(t *testing.T) {
	ts := newTypes(&Module{})
	object := func(protocol string) CType { return CType{Name: "id", Args: []CType{{Name: protocol}}} }
	done := CType{Block: &BlockType{Params: []CType{object("MTL4BinaryFunction"), {Name: "NSError", Stars: 1}}}}
	for want, m := range map[string]*Method{
		"NewCommandBuffer4":          {Selector: "newCommandBuffer", Ret: object("MTL4CommandBuffer")},
		"NewCommandQueue4":           {Selector: "newMTL4CommandQueue", Ret: object("MTL4CommandQueue")},
		"NewCompiler4WithDescriptor": {Selector: "newCompilerWithDescriptor:error:", Ret: object("MTL4Compiler")},
		"NewCommandQueue":            {Selector: "newCommandQueue", Ret: object("MTLCommandQueue")},
		"CommandAllocator":           {Selector: "commandAllocator", Ret: object("MTL4CommandAllocator")},
		"Err":                        {Selector: "error", Ret: CType{Name: "NSError", Stars: 1}},
		"NewBinaryFunction4WithDescriptor": {Selector: "newBinaryFunctionWithDescriptor:completionHandler:",
			Ret: object("MTL4CompilerTask"), Params: []Param{{"d", object("D"), false}, {"done", done, false}}},
	} {
		names, clashes := ts.nameMethods(&Config{Prefix: "MTL"}, []*Method{m}, nil, map[string]string{})
		assert.Empty(t, clashes)
		assert.Equal(t, want, names[m])
	}
}

func TestEncodings(t *testing.T) {
	m, err := ParseDecl("e.decl", `framework F;
typedef uint64_t Addr;
typedef TSPlan * Plan;
typedef void (^)(id<TSA>) Handler;
enum Mode : NSInteger { A = 1 }
struct Size { NSUInteger w; float f; uint8_t b[3]; }
class TSPlan : NSObject { - (Size)a:(const Size)b c:(const Size *)c d:(const id<TSA> *)d e:(NSError **)e f:(Handler)f g:(Plan *)g h:(const Mode)h i:(const char *)i j:(IOSurfaceRef)j k:(Addr)k l:(const void *)l; }
protocol TSA : NSObject {}`)
	require.NoError(t, err)
	ts := newTypes(m)
	enc, err := ts.methodEncoding(m.Class("TSPlan").Methods[0])
	require.NoError(t, err)
	assert.Equal(t, "{?=Qf[3C]}@:{?=Qf[3C]}r^{?=Qf[3C]}r^@^@@?^@qr*^{__IOSurface=}Qr^v", enc)
	l, err := ts.layout(m.Structs[0])
	require.NoError(t, err)
	assert.Equal(t, Layout{Size: 16, Align: 8, Offsets: []int{0, 8, 12}}, l)
	_, err = ts.encode(CType{Name: "Nowhere"})
	assert.ErrorContains(t, err, "type Nowhere is not declared")
}

func TestRetainedSelector(t *testing.T) {
	for sel, want := range map[string]bool{"newBuffer": true, "new": true, "newspaper": false, "copyFoo:": true,
		"mutableCopy": true,
		"initWithX:":  true, "initialCapacity": false, "allocatedSize": false, "label": false} {
		assert.Equal(t, want, retainedSelector(sel), sel)
	}
}

func TestVersions(t *testing.T) {
	v, err := ParseVersion("10.15.4")
	require.NoError(t, err)
	assert.Equal(t, "macOS 10.15", v.String())
	assert.True(t, Version{13, 3}.After(floor))
	assert.False(t, floor.After(floor))
}

package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReflectionRoundTrip: the text form preserves everything known about an entry point.
func TestReflectionRoundTrip(t *testing.T) {
	inner := &Struct{Name: "In", Size: 16, Align: 16,
		Members: []Member{{Name: "v", Type: "float3", Data: DataFloat3, Size: 16, Align: 16}}}
	m := &Module{Files: []string{"a b.metal", "h\"\n.h"},
		Globals: []*Global{{Name: "t", Align: 8, Data: []byte{1, 0, 255}}, {}}}
	f := m.NewFunc("k<float>")
	f.Pos = Loc{File: 2, Line: 1 << 30, Col: 7}
	f.Args = []Arg{
		{Kind: ArgBuffer, Index: 3, Name: "p", Type: "Params", Data: DataStruct, Space: "constant", Access: "read", Size: 64,
			Align: 16, Reference: true, Active: true,
			Struct: &Struct{Name: "Params", Size: 64, Align: 16, Members: []Member{
				{Name: "n", Type: "uint", Data: DataUInt, Size: 4, Align: 4},
				{Name: "a", Offset: 16, Data: DataArray, Size: 32,
					Array: &Array{Len: 2, Stride: 16, Data: DataStruct, Struct: inner}},
				{Name: "b", Offset: 48, Data: DataPointer, Index: 4,
					Pointer: &Arg{Kind: ArgBuffer, Type: "half", Access: "read_write"}},
			}}},
		{Kind: ArgThreadgroup, Index: 1, Name: "tg"},
		{Kind: ArgTexture, Count: 4, Texture: "tex.2d_array.f16.sample", Condition: "has"},
		{Kind: ArgSampler, Index: 2},
	}
	f.Constants = []FunctionConstant{{Name: "has", Index: 7, Type: "i1", Data: DataBool, Required: true}}
	f.Threadgroup = []Memory{{Name: "x", Size: 128, Align: 16}}
	f.Samplers = []SamplerState{{},
		{Unnormalized: true, Address: [3]string{"repeat", "", "clamp_to_zero"}, MagLinear: true, Mip: "linear",
			Border: "opaque_white", Compare: "less", LODClamp: [2]float32{0.5, 3}, Anisotropy: 4}}
	f.Attributes = Attributes{MaxTotalThreads: 256, RequiredThreads: [3]int{8, 8, 1}, MathMode: "fast",
		LanguageVersion: "3.2", ThreadgroupStatic: 128}
	f.Inlined = []Inline{{Func: "f(int)", At: Loc{File: 1, Line: 3, Col: 4}},
		{Func: "g", At: Loc{File: 1, Line: 5, Col: 6, Scope: 1}}}
	b := NewBuilder(f)
	b.SetLoc(Loc{File: 1, Line: 9, Col: 2, Scope: 2})
	b.Return()
	require.NoError(t, m.Verify())
	text := m.String()
	again, err := Parse(text)
	require.NoError(t, err, text)
	assert.Equal(t, text, again.String())
	g := again.Funcs[0]
	assert.Equal(t, f.Args, g.Args)
	assert.Equal(t, f.Constants, g.Constants)
	assert.Equal(t, f.Threadgroup, g.Threadgroup)
	assert.Equal(t, f.Samplers, g.Samplers)
	assert.Equal(t, f.Attributes, g.Attributes)
	assert.Equal(t, f.Inlined, g.Inlined)
	assert.Equal(t, f.Pos, g.Pos)
	assert.Equal(t, m.Files, again.Files)
	assert.Equal(t, f.Body.Instrs[0].Loc, g.Body.Instrs[0].Loc)
	assert.Equal(t, m.Globals[0], again.Globals[0])
	assert.Same(t, g, again.Func("k<float>"))
	assert.Nil(t, again.Func("k"))
}

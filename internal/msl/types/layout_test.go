package types

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The specification's tables: name, size and alignment in bytes.
const specSizes = `
bool 1 1, char 1 1, uchar 1 1, short 2 2, ushort 2 2, int 4 4, uint 4 4, long 8 8, ulong 8 8, half 2 2, bfloat 2 2, float 4 4
size_t 8 8, ptrdiff_t 8 8, int8_t 1 1, uint8_t 1 1, int16_t 2 2, uint16_t 2 2, int32_t 4 4, uint32_t 4 4, int64_t 8 8, uint64_t 8 8
bool2 2 2, bool3 4 4, bool4 4 4, char2 2 2, char3 4 4, char4 4 4, uchar2 2 2, uchar3 4 4, uchar4 4 4
short2 4 4, short3 8 8, short4 8 8, ushort2 4 4, ushort3 8 8, ushort4 8 8, int2 8 8, int3 16 16, int4 16 16, uint2 8 8, uint3 16 16, uint4 16 16
long2 16 16, long3 32 32, long4 32 32, ulong2 16 16, ulong3 32 32, ulong4 32 32
half2 4 4, half3 8 8, half4 8 8, bfloat2 4 4, bfloat3 8 8, bfloat4 8 8, float2 8 8, float3 16 16, float4 16 16
packed_char2 2 1, packed_char3 3 1, packed_char4 4 1, packed_uchar2 2 1, packed_uchar3 3 1, packed_uchar4 4 1
packed_short2 4 2, packed_short3 6 2, packed_short4 8 2, packed_ushort2 4 2, packed_ushort3 6 2, packed_ushort4 8 2
packed_int2 8 4, packed_int3 12 4, packed_int4 16 4, packed_uint2 8 4, packed_uint3 12 4, packed_uint4 16 4
packed_half2 4 2, packed_half3 6 2, packed_half4 8 2, packed_bfloat2 4 2, packed_bfloat3 6 2, packed_bfloat4 8 2
packed_float2 8 4, packed_float3 12 4, packed_float4 16 4, packed_long2 16 8, packed_long3 24 8, packed_long4 32 8
half2x2 8 4, half2x3 16 8, half2x4 16 8, half3x2 12 4, half3x3 24 8, half3x4 24 8, half4x2 16 4, half4x3 32 8, half4x4 32 8
float2x2 16 8, float2x3 32 16, float2x4 32 16, float3x2 24 8, float3x3 48 16, float3x4 48 16, float4x2 32 8, float4x3 64 16, float4x4 64 16
atomic_int 4 4, atomic_uint 4 4, atomic_bool 1 1, atomic_float 4 4, atomic_ulong 8 8, sampler 8 8
simd_float3 16 16, vector_float3 16 16, simd_float4x4 64 16, matrix_float3x3 48 16, simdgroup_float8x8 8 8, simdgroup_half8x8 4 4`

func TestSpecSizes(t *testing.T) {
	n := 0
	for _, entry := range strings.FieldsFunc(specSizes, func(r rune) bool { return r == ',' || r == '\n' }) {
		f := strings.Fields(entry)
		if len(f) == 0 {
			continue
		}
		ty, ok := Named(f[0])
		require.True(t, ok, f[0])
		assert.Equal(t, f[1], itoa(ty.Size()), "size of %s", f[0])
		assert.Equal(t, f[2], itoa(ty.Align()), "alignment of %s", f[0])
		n++
	}
	assert.Equal(t, 118, n)
	for _, name := range []string{"double", "float5", "packed_float", "int2x2", "unsigned", "texture2d", ""} {
		_, ok := Named(name)
		assert.False(t, ok, name)
	}
}

func itoa(n int) string { return IntValue(Int, int64(n)).String() }

// record makes a struct of fields "name type", types by name.
func record(t *testing.T, kind RecordKind, fields string) *Struct {
	s := NewUniverse().NewStruct(kind, "S")
	var list []Field
	for _, f := range strings.Split(fields, ",") {
		p := strings.Fields(f)
		if len(p) == 0 {
			continue
		}
		ty, ok := Named(p[0])
		require.True(t, ok, f)
		list = append(list, Field{Name: p[1], Type: Q(ty)})
	}
	s.Complete(list)
	return s
}

func offsets(s *Struct) (o []int) {
	for _, f := range s.Fields {
		o = append(o, f.Offset)
	}
	return o
}

func TestRecords(t *testing.T) {
	for _, c := range []struct {
		fields      string
		offsets     []int
		size, align int
	}{
		{"", nil, 1, 1},
		{"bool a", []int{0}, 1, 1},
		{"float a, float3 b, float c", []int{0, 16, 32}, 48, 16},
		{"float a, packed_float3 b, float c", []int{0, 4, 16}, 20, 4},
		{"float3 a, float b", []int{0, 16}, 32, 16},
		{"char a, half b, bool c, long d, half3 e", []int{0, 2, 4, 8, 16}, 24, 8},
		{"half a, half3x3 m, uchar b", []int{0, 8, 32}, 40, 8},
		{"float4x4 m, uint n", []int{0, 64}, 80, 16},
		{"atomic_uint a, ulong b", []int{0, 8}, 16, 8},
	} {
		s := record(t, StructRecord, c.fields)
		assert.Equal(t, c.offsets, offsets(s), c.fields)
		assert.Equal(t, []int{c.size, c.align}, []int{s.Size(), s.Align()}, c.fields)
	}
	u := record(t, UnionRecord, "float3 a, uchar b, ulong c")
	assert.Equal(t, []int{0, 0, 0}, offsets(u))
	assert.Equal(t, []int{16, 16}, []int{u.Size(), u.Align()})

	uni := NewUniverse()
	inner := record(t, StructRecord, "uchar a, float3 b")
	outer := uni.NewStruct(StructRecord, "Outer")
	assert.False(t, outer.IsComplete())
	outer.Complete([]Field{
		{Name: "n", Type: Q(UShort)},
		{Name: "in", Type: Q(inner)},
		{Name: "arr", Type: Q(uni.Array(PackedOf(Half, 3), 3))},
		{Name: "p", Type: Q(uni.Pointer(Q(Float).In(Device)))},
		{Name: "last", Type: Q(Bool), Align: 8},
	})
	assert.Equal(t, []int{0, 16, 48, 72, 80}, offsets(outer))
	assert.Equal(t, 96, outer.Size())

	// A union of a struct, a vector and an array inside an array, as in quantized blocks.
	block := record(t, StructRecord, "half d, half m")
	scales := uni.NewStruct(UnionRecord, "U")
	scales.Complete([]Field{{Name: "s", Type: Q(block)}, {Name: "v", Type: Q(VectorOf(Half, 2))}})
	quant := uni.NewStruct(StructRecord, "Q")
	quant.Complete([]Field{{Name: "u", Type: Q(scales)}, {Name: "qs", Type: Q(uni.Array(UChar, 17))}})
	assert.Equal(t, []int{24, 4}, []int{quant.Size(), quant.Align()})

	aligned := uni.NewStruct(StructRecord, "A")
	aligned.AlignAs = 16
	aligned.Complete([]Field{{Name: "x", Type: Q(Float)}})
	assert.Equal(t, []int{16, 16}, []int{aligned.Size(), aligned.Align()})
	assert.Equal(t, 64, uni.Array(aligned, 4).Size())
	assert.Zero(t, uni.Array(Int, Unsized).Size())

	huge := uni.Array(uni.Array(uni.Array(Long, 1<<31), 1<<31), 1<<31)
	assert.Equal(t, MaxSize, huge.Size())
	large := uni.NewStruct(StructRecord, "L")
	large.Complete([]Field{{Name: "a", Type: Q(huge)}, {Name: "b", Type: Q(huge)}, {Name: "c", Type: Q(Int)}})
	assert.Equal(t, MaxSize, large.Size())
}

func TestBases(t *testing.T) {
	u := NewUniverse()
	base := record(t, StructRecord, "int i, char c")
	empty := record(t, StructRecord, "")
	derive := func(nonPOD bool, bases ...*Struct) *Struct {
		var fields []Field
		for _, b := range bases {
			b.NonPOD = nonPOD
			fields = append(fields, Field{Type: Q(b), Base: true})
		}
		s := u.NewStruct(StructRecord, "D")
		s.Complete(append(fields, Field{Name: "d", Type: Q(Char)}))
		return s
	}
	plain := derive(false, base)
	assert.Equal(t, []int{0, 8}, offsets(plain))
	assert.Equal(t, 12, plain.Size())
	tail := derive(true, base)
	assert.Equal(t, []int{0, 5}, offsets(tail), "a class with a constructor lends its tail padding")
	assert.Equal(t, 8, tail.Size())
	none := derive(false, empty)
	assert.Equal(t, 1, none.Size(), "an empty base takes no room")
	assert.True(t, derive(false).DerivesFrom(base) == nil)
	assert.Equal(t, []int{0}, plain.DerivesFrom(base))
	path, amb := plain.Path("c")
	assert.Equal(t, []int{0, 1}, path)
	assert.False(t, amb)
	two := derive(false, base, record(t, StructRecord, "char c"))
	_, amb = two.Path("c")
	assert.True(t, amb)
	path, amb = two.Path("zzz")
	assert.Nil(t, path)
	assert.False(t, amb)

	anon := u.NewStruct(StructRecord, "A")
	anon.Complete([]Field{{Name: "n", Type: Q(Int)}, {Type: Q(record(t, UnionRecord, "float f, uint u"))}})
	path, _ = anon.Path("u")
	assert.Equal(t, []int{1, 1}, path, "members of an anonymous union")
}

func TestBitFields(t *testing.T) {
	bits := func(t *Basic, n int) Field { return Field{Name: "b", Type: Q(t), IsBits: true, Bits: n} }
	s := NewUniverse().NewStruct(StructRecord, "B")
	s.Complete([]Field{bits(UInt, 4), bits(UInt, 30), bits(UChar, 3), bits(UInt, 0), {Name: "c", Type: Q(Char)}})
	assert.Equal(t, []int{0, 4, 8}, offsets(s)[:3], "30 bits go to the next word, 3 to the next byte that they fit in")
	assert.Equal(t, 12, s.Fields[4].Offset, "a width of 0 goes to the next word")
	assert.Equal(t, 16, s.Size())
}

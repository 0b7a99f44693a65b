package texel

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seen2D is the kernel's type of a two-dimensional texture with numbers of a kind.
func seen2D(k ir.Kind) ir.Type { return ir.TextureOf(ir.Tex2D, k, ir.ReadWrite) }

// parsed returns a format by its name, which must exist.
func parsed(t *testing.T, name string) Format {
	t.Helper()
	f, ok := ParseFormat(name)
	require.True(t, ok, name)
	return f
}

func f32(v ...float32) (out [4]uint64) {
	for i, x := range v {
		out[i] = uint64(math.Float32bits(x))
	}
	return out
}

// TestFormats checks the component layout of each format on bytes derived by hand.
func TestFormats(t *testing.T) {
	for _, k := range []struct {
		name string
		kind ir.Kind
		at   []byte
		want [4]uint64
	}{
		{"R8Unorm", ir.F32, []byte{51}, f32(0.2, 0, 0, 1)},
		{"A8Unorm", ir.F32, []byte{255}, f32(0, 0, 0, 1)},
		{"R8Snorm", ir.F32, []byte{0x81}, f32(-1, 0, 0, 1)},
		{"R8Snorm", ir.F32, []byte{0x80}, f32(-1, 0, 0, 1)},
		{"RG8Uint", ir.I32, []byte{7, 200}, [4]uint64{7, 200, 0, 1}},
		{"RG8Sint", ir.I32, []byte{0xff, 3}, [4]uint64{0xffffffff, 3, 0, 1}},
		{"BGRA8Unorm", ir.F32, []byte{0, 51, 255, 102}, f32(1, 0.2, 0, 0.4)},
		{"RGBA8Unorm_sRGB", ir.F32, []byte{0, 255, 10, 255}, f32(0, 1, float32(10.0/255/12.92), 1)},
		{"R16Float", ir.F32, []byte{0, 0x3c}, f32(1, 0, 0, 1)},
		{"RGBA16Float", ir.F32, []byte{0, 0x38, 0, 0xc0, 0, 0, 0, 0x3c}, f32(0.5, -2, 0, 1)},
		{"R32Float", ir.F32, []byte{0, 0, 0x20, 0x41}, f32(10, 0, 0, 1)},
		{"RG32Uint", ir.I32, []byte{1, 0, 0, 0, 2, 0, 0, 0}, [4]uint64{1, 2, 0, 1}},
		{"RGB10A2Uint", ir.I32, []byte{0x01, 0x08, 0x30, 0xc0}, [4]uint64{1, 2, 3, 3}},
		{"RG11B10Float", ir.F32, []byte{0xc0, 0x03, 0x1e, 0x78}, f32(1, 1, 1, 1)},
		{"RGB9E5Float", ir.F32, []byte{0x00, 0x01, 0x00, 0x80}, f32(1, 0, 0, 1)},
		{"B5G6R5Unorm", ir.F32, []byte{0x1f, 0xf8}, f32(1, 0, 1, 1)},
		{"ABGR4Unorm", ir.F32, []byte{0x0f, 0xf0}, f32(1, 0, 0, 1)},
		{"BGR5A1Unorm", ir.F32, []byte{0x1f, 0x80}, f32(0, 0, 1, 1)},
		{"A1BGR5Unorm", ir.F32, []byte{0x3f, 0x00}, f32(0, 0, 1, 1)},
		{"Depth16Unorm", ir.F32, []byte{0xff, 0xff}, f32(1, 0, 0, 1)},
	} {
		f := parsed(t, k.name)
		require.Equal(t, len(k.at), f.Size(), k.name)
		x := New(f, 1, 1, 1, 1, 1, append([]byte(nil), k.at...))
		assert.Equal(t, k.want, x.Read(seen2D(k.kind), [3]uint32{}, 0, 0), "%s", k.name)
		// Reading and writing back preserves the bytes, except for the lowest number of a signed
		// fraction, which has two representations.
		v := x.Read(seen2D(k.kind), [3]uint32{}, 0, 0)
		x.Write(seen2D(k.kind), [3]uint32{}, 0, 0, &v)
		if k.at[0] != 0x80 || k.name != "R8Snorm" {
			assert.Equal(t, k.at, x.Levels[0].Data, "%s", k.name)
		}
	}
	for _, name := range []string{"", "BC1_RGBA", "ASTC_4x4_LDR", "Depth32Float_Stencil8", "R8Float", "R32Unorm",
		"BGRA8Uint", "RGB9E5Unorm", "A8Unorm_sRGB", "GBGR422"} {
		_, ok := ParseFormat(name)
		assert.False(t, ok, name)
	}
}

// TestSwizzle: reads, samples and gathers use the pattern; writes use the format's own components.
func TestSwizzle(t *testing.T) {
	f := parsed(t, "RGBA8Unorm")
	x := New(f, 1, 1, 1, 1, 1, []byte{51, 102, 153, 204})
	x.Swizzle = &Swizzle{Blue, One, Zero, Red}
	want := f32(0.6, 1, 0, 0.2)
	at := seen2D(ir.F32)
	assert.Equal(t, want, x.Read(at, [3]uint32{}, 0, 0))
	look := Look{Op: ir.OpTexSample, Type: ir.TextureOf(ir.Tex2D, ir.F32, ir.Sample), Position: [3]float32{0.5, 0.5}}
	assert.Equal(t, want, x.Sample(nil, &look))
	look.Op, look.Component = ir.OpTexGather, 3
	assert.Equal(t, f32(0.2, 0.2, 0.2, 0.2), x.Sample(nil, &look))
	white := f32(1, 1, 1, 0)
	x.Write(at, [3]uint32{}, 0, 0, &white)
	assert.Equal(t, []byte{255, 255, 255, 0}, x.Levels[0].Data)

	ints := New(parsed(t, "RGBA8Uint"), 1, 1, 1, 1, 1, []byte{1, 2, 3, 4})
	ints.Swizzle = &Swizzle{Alpha, Green, One, Zero}
	assert.Equal(t, [4]uint64{4, 2, 1, 0}, ints.Read(seen2D(ir.I32), [3]uint32{}, 0, 0))
}

// TestReadOnly: a read-only image can be read, but no operation changes it.
func TestReadOnly(t *testing.T) {
	x := New(parsed(t, "R32Uint"), 2, 1, 1, 1, 1, make([]byte, 8))
	as := ir.TextureOf(ir.Tex2D, ir.I32, ir.ReadWrite)
	x.Write(as, [3]uint32{1}, 0, 0, &[4]uint64{5})
	x.ReadOnly = true
	x.Write(as, [3]uint32{1}, 0, 0, &[4]uint64{9})
	columns := &Columns{At: [3][]uint32{{0, 1}, {0, 0}}, Values: [4][]uint32{{9, 9}, {0, 0}, {0, 0}, {0, 0}}}
	assert.False(t, x.WriteColumns(as, columns, 0, 0, []uint32{3}))
	assert.EqualValues(t, 5, x.Atomic(ir.OpAtomicAdd, ir.I32, [3]uint32{1}, 0, 9))
	old, done := x.CompareExchange(ir.I32, [3]uint32{1}, 0, 5, 9)
	assert.EqualValues(t, 5, old)
	assert.False(t, done)
	assert.Equal(t, []byte{0, 0, 0, 0, 5, 0, 0, 0}, x.Levels[0].Data)
	x.ReadOnly = false
	assert.True(t, x.WriteColumns(as, columns, 0, 0, []uint32{2}))
	assert.Equal(t, []byte{0, 0, 0, 0, 9, 0, 0, 0}, x.Levels[0].Data)
}

// TestOutside: outside an image, its levels or its layers, reads find nothing and writes are
// discarded.
func TestOutside(t *testing.T) {
	x := New(parsed(t, "R8Uint"), 2, 1, 1, 2, 1, []byte{1, 2, 3, 4})
	as := ir.TextureOf(ir.Tex2DArray, ir.I32, ir.ReadWrite)
	assert.Equal(t, [4]uint64{4, 0, 0, 1}, x.Read(as, [3]uint32{1}, 1, 0))
	for _, k := range []struct {
		at           [3]uint32
		layer, level uint32
	}{{[3]uint32{2}, 0, 0}, {[3]uint32{0, 1}, 0, 0}, {[3]uint32{}, 2, 0}, {[3]uint32{}, 0, 1},
		{[3]uint32{math.MaxUint32, 0, 0}, math.MaxUint32, math.MaxUint32}} {
		assert.Zero(t, x.Read(as, k.at, k.layer, k.level))
		x.Write(as, k.at, k.layer, k.level, &[4]uint64{9, 9, 9, 9})
	}
	assert.Equal(t, []byte{1, 2, 3, 4}, x.Levels[0].Data)
	var none *Image
	assert.Zero(t, none.Read(as, [3]uint32{}, 0, 0))
	none.Write(as, [3]uint32{}, 0, 0, &[4]uint64{})
	assert.Zero(t, none.Sample(nil, &Look{Op: ir.OpTexSample, Type: as}))
}

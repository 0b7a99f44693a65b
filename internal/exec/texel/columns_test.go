package texel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestColumns: reading and writing columns equals reading and writing single texels.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 11))
	const n = 100
	loops := 0
	for _, name := range []string{"RGBA8Unorm", "BGRA8Unorm", "R8Unorm", "RG8Unorm", "A8Unorm", "RGBA32Float", "R32Float",
		"RG32Float", "RGBA16Float", "R16Float", "R32Uint", "RGBA32Sint",
		"RGBA8Unorm_sRGB", "RGBA8Snorm", "RGB10A2Unorm", "Depth32Float"} {
		f, ok := ParseFormat(name)
		require.True(t, ok, name)
		dims := []ir.TextureDim{ir.Tex1D, ir.Tex2D, ir.Tex2DArray, ir.Tex3D}
		if name == "Depth32Float" {
			dims = []ir.TextureDim{ir.TexDepth2D}
		}
		for _, d := range dims {
			for _, elem := range []ir.Kind{ir.F32, ir.I32} {
				if elem == ir.I32 != f.isInt() {
					continue
				}
				typ := ir.TextureOf(d, elem, ir.ReadWrite)
				noise := func(n int) []byte {
					b := make([]byte, n)
					for i := range b {
						b[i] = byte(r.Uint32())
						if r.IntN(4) == 0 { // exponents of NaNs and infinities
							b[i] = 0xff
						}
					}
					return b
				}
				height, depth := 1, 1
				if d.TexelCoords() > 1 {
					height = 5
				}
				if d.TexelCoords() > 2 {
					depth = 3
				}
				texels := 7 * height * depth * 2
				// the last texel of level 1 lacks a byte
				x := New(f, 7, height, depth, 2, 1, noise(texels*f.bytes), noise(3*max(height/2, 1)*max(depth/2, 1)*2*f.bytes-1))
				for round := range 40 {
					if x.Swizzle = nil; round%10 == 9 {
						x.Swizzle = &Swizzle{Green, One, Zero, Red}
					}
					c := &Columns{}
					for axis := range d.TexelCoords() {
						for range n {
							c.At[axis] = append(c.At[axis], r.Uint32N(9)-r.Uint32N(2))
						}
					}
					place := func(l int) (at [3]uint32) {
						for axis := range d.TexelCoords() {
							at[axis] = c.At[axis][l]
						}
						return at
					}
					layer, level := r.Uint32N(3), r.Uint32N(3)
					for i := range c.Values {
						c.Values[i] = make([]uint32, n)
					}
					if x.ReadColumns(typ, c, layer, level) {
						loops++
						for l := range n {
							want := x.Read(typ, place(l), layer, level)
							for i := range want {
								require.Equal(t, uint32(want[i]), c.Values[i][l], "%s %v read %v layer %d level %d component %d", name, typ,
									place(l), layer, level, i)
							}
						}
					}
					y := New(f, 7, height, depth, 2, 1) // written values are not swizzled
					for _, l := range x.Levels {
						l.Data = append([]byte(nil), l.Data...)
						y.Levels = append(y.Levels, l)
					}
					mask := []uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
					for i := range c.Values {
						for l := range n {
							c.Values[i][l] = r.Uint32()
							if r.IntN(2) == 0 {
								c.Values[i][l] = r.Uint32N(0x100)<<15 + 0x3e000000 // floats between 0 and a little more than 1
							}
						}
					}
					if x.WriteColumns(typ, c, layer, level, mask) {
						loops++
						for l := range n {
							if mask[l/32]>>(l%32)&1 != 0 {
								y.Write(typ, place(l), layer, level,
									&[4]uint64{uint64(c.Values[0][l]), uint64(c.Values[1][l]), uint64(c.Values[2][l]), uint64(c.Values[3][l])})
							}
						}
						require.Equal(t, y.Levels, x.Levels, "%s %v written", name, typ)
					}
				}
			}
		}
	}
	require.Greater(t, loops, 1000, "there are loops for the usual formats")
}

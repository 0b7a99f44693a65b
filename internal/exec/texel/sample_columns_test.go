package texel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestSampleColumns: samples of columns are those of single threads, whatever the sampler, and the
// common ones have a loop.
func TestSampleColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 64
	addresses := []string{"clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_zero", "clamp_to_border"}
	positions := []float32{0, float32(math.Copysign(0, -1)), 0.5, 1, -1, 1.5 / 7, 2.5 / 7, 0.2, 0.3, float32(math.NaN()),
		float32(math.Inf(1)), float32(math.Inf(-1)), 1e20, 7, 3.5}
	loops, rounds := 0, 0
	for _, name := range []string{"RGBA8Unorm", "BGRA8Unorm", "R8Unorm", "A8Unorm", "RGBA32Float", "R32Float", "RG16Float",
		"RGBA16Float", "RGBA8Unorm_sRGB", "RGBA8Snorm"} {
		f, ok := ParseFormat(name)
		require.True(t, ok, name)
		noise := func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				if b[i] = byte(r.Uint32()); r.IntN(4) == 0 { // zeros, and exponents of NaNs and infinities
					b[i] = []byte{0, 0x80, 0xff, 0x7f}[r.IntN(4)]
				}
			}
			return b
		}
		x := New(f, 7, 5, 1, 2, 1, noise(7*5*2*f.bytes), noise(3*2*2*f.bytes), noise(1*1*2*f.bytes-r.IntN(2)))
		for range 200 {
			rounds++
			if x.Swizzle = nil; r.IntN(20) == 0 {
				x.Swizzle = &Swizzle{Green, One, Zero, Red}
			}
			state := ir.SamplerState{MagLinear: r.IntN(2) == 0, MinLinear: r.IntN(2) == 0, Unnormalized: r.IntN(4) == 0,
				Mip:     []string{"none", "nearest", "linear"}[r.IntN(3)],
				Address: [3]string{addresses[r.IntN(5)], addresses[r.IntN(5)]}, Border: []string{"", "opaque_white"}[r.IntN(2)],
				LODBias: []float32{0, 0, 0.25, 1}[r.IntN(4)], Reduction: []string{"", "", "", "maximum"}[r.IntN(4)]}
			s := NewSampler(&state)
			dim := []ir.TextureDim{ir.Tex2D, ir.Tex2DArray}[r.IntN(2)]
			k := Look{Op: ir.OpTexSample, Type: ir.TextureOf(dim, ir.F32, ir.Sample), Layer: int32(r.IntN(4) - 1),
				LOD: float32(r.IntN(5)) - 1, Offset: [3]int32{int32(r.IntN(3) - 1), int32(r.IntN(5) - 2)}}
			if !k.Type.Dim.IsArray() {
				k.Layer = 0
			}
			c := &Samples{Mask: []uint32{r.Uint32(), r.Uint32()}}
			for range n {
				for axis := range c.Position {
					p := r.Float32()*3 - 1
					if state.Unnormalized {
						p *= 7
					}
					if r.IntN(4) == 0 {
						p = positions[r.IntN(len(positions))]
					}
					c.Position[axis] = append(c.Position[axis], math.Float32bits(p))
				}
			}
			for i := range c.Values {
				c.Values[i] = make([]uint32, n)
			}
			if !x.SampleColumns(s, &k, c) {
				continue
			}
			loops++
			for i := range n {
				if c.Mask[i/32]>>(i%32)&1 == 0 {
					continue
				}
				for axis := range c.Position {
					k.Position[axis] = math.Float32frombits(c.Position[axis][i])
				}
				want := x.Sample(s, &k)
				for j := range want {
					require.Equal(t, uint32(want[j]), c.Values[j][i], "%s, component %d, %+v, %+v", name, j, state, k)
				}
			}
		}
	}
	require.Greater(t, loops, rounds/3)
}

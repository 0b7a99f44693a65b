package encode

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// generateMipmaps records that each level but the first becomes the one above in half the size: a
// texel is the mean of the two, four or eight that it covers. At odd sizes the last of the level
// above takes part twice.
func (e *Encoder) generateMipmaps(c *objcsoft.Call, call string) {
	t := e.ownTextureArg(c, 0, call, "texture")
	switch {
	case t == nil:
	case t.Levels < 2:
		e.Misuse(call, "the texture has %d level, want at least 2", t.Levels)
	case resource.IsDepth(t.Format) || resource.NumbersOfFormat(t.Format) != dispatch.Fractions:
		e.Misuse(call, "pixel format %s cannot be filtered", resource.FormatName(t.Format))
	case t.Samples != 1:
		e.Misuse(call, "the texture has %d samples, want 1", t.Samples)
	default:
		e.Commands.Copy(call, func(report *command.Copies) error {
			for i := range t.Image.Levels {
				report.Copied(t.Image.Levels[i].Data, nil)
			}
			for level := uint64(1); level < t.Levels; level++ {
				shrink(t, uint32(level))
			}
			return nil
		})
	}
}

// texelsAsFloats is how texels are read and written here: every dimension but multisampling is
// addressed alike.
func texelsAsFloats() ir.Type { return ir.TextureOf(ir.Tex2D, ir.F32, ir.ReadWrite) }

func shrink(t *resource.Texture, level uint32) {
	as := texelsAsFloats()
	above, size := t.LevelSize(uint64(level-1)), t.LevelSize(uint64(level))
	for slice := range uint32(t.Slices()) {
		for z := range uint32(size[2]) {
			for y := range uint32(size[1]) {
				for x := range uint32(size[0]) {
					v := mean(t, as, [3]uint32{x, y, z}, above, slice, level-1)
					t.Image.Write(as, [3]uint32{x, y, z}, slice, level, &v)
				}
			}
		}
	}
}

// mean returns the mean of the texels of a level that a texel of the next covers.
func mean(t *resource.Texture, as ir.Type, at [3]uint32, size [3]uint64, slice, level uint32) (out [4]uint64) {
	var sum [4]float32
	for corner := range uint32(8) {
		var from [3]uint32
		for i := range 3 {
			from[i] = min(2*at[i]+corner>>i&1, uint32(size[i])-1)
		}
		v := t.Image.Read(as, from, slice, level)
		for i := range sum {
			sum[i] += math.Float32frombits(uint32(v[i]))
		}
	}
	for i := range sum {
		out[i] = uint64(math.Float32bits(sum[i] / 8))
	}
	return out
}

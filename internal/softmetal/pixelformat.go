package softmetal

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// formatName returns the name of a pixel format, "" for a number that is none.
func formatName(format uint64) string {
	i, ok := slices.BinarySearchFunc(zpixelFormats[:], format, func(f zformat, v uint64) int { return cmp.Compare(f.value, v) })
	if !ok {
		return ""
	}
	return zpixelFormats[i].name
}

// formatOf returns the engine's view of a pixel format. It has those of one pixel to a block, with one plane: what kernels on a Mac can read and
// write. Compressed, packed and combined formats are not among them.
func formatOf(format uint64) (texel.Format, bool) {
	name := formatName(format)
	if name == "" || format == mtlPixelFormatInvalid {
		return texel.Format{}, false
	}
	return texel.ParseFormat(name)
}

// isDepth reports whether a format is one of depth or stencil.
func isDepth(format uint64) bool {
	return format >= mtlPixelFormatDepth16Unorm && format <= mtlPixelFormatX24_Stencil8
}

// plainFormat refuses formats that a texture of linear memory cannot have.
func (d *device) plainFormat(c *objcsoft.Call, format uint64) bool {
	if _, ok := formatOf(format); !ok || isDepth(format) {
		adapter.Misuse(c, "pixel format %d %q: want one of plain pixels", format, formatName(format))
		return false
	}
	return true
}

// linearFormat returns the format without its sRGB transfer function.
func linearFormat(format uint64) uint64 {
	name := formatName(format)
	for _, f := range zpixelFormats {
		if f.name+"_sRGB" == name {
			return f.value
		}
	}
	return format
}

func (d *device) linearAlignment(c *objcsoft.Call) {
	if d.plainFormat(c, c.Uint(0)) {
		c.ReturnUint(limits.LinearTextureAlignment)
	}
}

func (d *device) textureBufferAlignment(c *objcsoft.Call) {
	if d.plainFormat(c, c.Uint(0)) {
		c.ReturnUint(limits.TextureBufferAlignment)
	}
}

// pixelFormatClasses adds the device's methods of pixel formats.
func pixelFormatClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"minimumLinearTextureAlignmentForPixelFormat:": adapter.Method((*device).linearAlignment),
		"minimumTextureBufferAlignmentForPixelFormat:": adapter.Method((*device).textureBufferAlignment),
	}}}
}

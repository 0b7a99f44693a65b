package resource

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// FormatName returns the name of a pixel format, "" for a number that is none.
func FormatName(format uint64) string {
	i, ok := slices.BinarySearchFunc(metal.PixelFormats[:], format,
		func(f metal.NamedPixelFormat, v uint64) int { return cmp.Compare(f.Value, v) })
	if !ok {
		return ""
	}
	return metal.PixelFormats[i].Name
}

// formatOf returns the engine's view of a pixel format. It has those of one pixel to a block, with
// one plane: what kernels on a Mac can read and write. Compressed, packed and combined formats are
// not among them.
func formatOf(format uint64) (texel.Format, bool) {
	name := FormatName(format)
	if name == "" || format == metal.PixelFormatInvalid {
		return texel.Format{}, false
	}
	return texel.ParseFormat(name)
}

// IsDepth reports whether a format is one of depth or stencil.
func IsDepth(format uint64) bool {
	return format >= metal.PixelFormatDepth16Unorm && format <= metal.PixelFormatX24_Stencil8
}

// plainFormat rejects formats that a texture in linear memory cannot have.
func plainFormat(d *device.Device, c *objcsoft.Call, format uint64) bool {
	if _, ok := formatOf(format); !ok || IsDepth(format) {
		adapter.Misuse(c, "pixel format %d %q: want one of plain pixels", format, FormatName(format))
		return false
	}
	return true
}

// linearFormat returns the format without its sRGB transfer function.
func linearFormat(format uint64) uint64 {
	name := FormatName(format)
	for _, f := range metal.PixelFormats {
		if f.Name+"_sRGB" == name {
			return f.Value
		}
	}
	return format
}

func linearAlignment(d *device.Device, c *objcsoft.Call) {
	if plainFormat(d, c, c.Uint(0)) {
		c.ReturnUint(limits.LinearTextureAlignment)
	}
}

func textureBufferAlignment(d *device.Device, c *objcsoft.Call) {
	if plainFormat(d, c, c.Uint(0)) {
		c.ReturnUint(limits.TextureBufferAlignment)
	}
}

// pixelFormatClasses adds the device's methods of pixel formats.
func pixelFormatClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"minimumLinearTextureAlignmentForPixelFormat:": adapter.Method(linearAlignment),
		"minimumTextureBufferAlignmentForPixelFormat:": adapter.Method(textureBufferAlignment),
	}}}
}

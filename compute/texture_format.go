package compute

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/mtl"
)

// texelNumbers is the kind of numbers that kernels see in a texel.
type texelNumbers uint8

const (
	fractions texelNumbers = iota // float or half
	unsigneds                     // uint or ushort
	signeds                       // int or short
)

// types returns the component types of textures that a kernel may declare for such texels.
func (n texelNumbers) types() []string {
	return [...][]string{{"float", "half"}, {"uint", "ushort", "ulong"}, {"int", "short"}}[n]
}

// String returns "float or half".
func (n texelNumbers) String() string { return strings.Join(n.types()[:2], " or ") }

// writability is the set of GPUs whose kernels can write a pixel format.
type writability uint8

const (
	neverWritten writability = iota
	writtenOnApple
	writtenAlways
)

// texelFormat describes a pixel format that [NewTexture] supports: its texels in Go and in kernels.
// The last two columns are from Apple's Metal feature set tables and from the comments on
// MTLReadWriteTextureTier.
type texelFormat struct {
	format    mtl.PixelFormat
	scalar    scalar // of the Go type
	lanes     uint
	numbers   texelNumbers
	writes    writability
	readWrite mtl.ReadWriteTextureTier // the lowest that lets one kernel both read and write it; 0 for none
}

// texelFormats lists all formats. The first one for a given scalar and number of lanes is the
// default.
var texelFormats = [...]texelFormat{
	{mtl.PixelFormatR8Unorm, scalarUChar, 1, fractions, writtenAlways, 2},
	{mtl.PixelFormatRG8Unorm, scalarUChar, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA8Unorm, scalarUChar, 4, fractions, writtenAlways, 2},
	{mtl.PixelFormatR8Snorm, scalarChar, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatRG8Snorm, scalarChar, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA8Snorm, scalarChar, 4, fractions, writtenAlways, 0},
	{mtl.PixelFormatR16Unorm, scalarUShort, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatRG16Unorm, scalarUShort, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA16Unorm, scalarUShort, 4, fractions, writtenAlways, 0},
	{mtl.PixelFormatR16Snorm, scalarShort, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatRG16Snorm, scalarShort, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA16Snorm, scalarShort, 4, fractions, writtenAlways, 0},
	{mtl.PixelFormatR16Float, scalarHalf, 1, fractions, writtenAlways, 2},
	{mtl.PixelFormatRG16Float, scalarHalf, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA16Float, scalarHalf, 4, fractions, writtenAlways, 2},
	{mtl.PixelFormatR32Float, scalarFloat, 1, fractions, writtenAlways, 1},
	{mtl.PixelFormatRG32Float, scalarFloat, 2, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGBA32Float, scalarFloat, 4, fractions, writtenAlways, 2},
	{mtl.PixelFormatR32Uint, scalarUInt, 1, unsigneds, writtenAlways, 1},
	{mtl.PixelFormatRG32Uint, scalarUInt, 2, unsigneds, writtenAlways, 0},
	{mtl.PixelFormatRGBA32Uint, scalarUInt, 4, unsigneds, writtenAlways, 2},
	{mtl.PixelFormatR32Sint, scalarInt, 1, signeds, writtenAlways, 1},
	{mtl.PixelFormatRG32Sint, scalarInt, 2, signeds, writtenAlways, 0},
	{mtl.PixelFormatRGBA32Sint, scalarInt, 4, signeds, writtenAlways, 2},

	{mtl.PixelFormatR8Uint, scalarUChar, 1, unsigneds, writtenAlways, 2},
	{mtl.PixelFormatRG8Uint, scalarUChar, 2, unsigneds, writtenAlways, 0},
	{mtl.PixelFormatRGBA8Uint, scalarUChar, 4, unsigneds, writtenAlways, 2},
	{mtl.PixelFormatR8Sint, scalarChar, 1, signeds, writtenAlways, 2},
	{mtl.PixelFormatRG8Sint, scalarChar, 2, signeds, writtenAlways, 0},
	{mtl.PixelFormatRGBA8Sint, scalarChar, 4, signeds, writtenAlways, 2},
	{mtl.PixelFormatR16Uint, scalarUShort, 1, unsigneds, writtenAlways, 2},
	{mtl.PixelFormatRG16Uint, scalarUShort, 2, unsigneds, writtenAlways, 0},
	{mtl.PixelFormatRGBA16Uint, scalarUShort, 4, unsigneds, writtenAlways, 2},
	{mtl.PixelFormatR16Sint, scalarShort, 1, signeds, writtenAlways, 2},
	{mtl.PixelFormatRG16Sint, scalarShort, 2, signeds, writtenAlways, 0},
	{mtl.PixelFormatRGBA16Sint, scalarShort, 4, signeds, writtenAlways, 2},

	{mtl.PixelFormatA8Unorm, scalarUChar, 1, fractions, neverWritten, 0},
	{mtl.PixelFormatR8Unorm_sRGB, scalarUChar, 1, fractions, writtenOnApple, 0},
	{mtl.PixelFormatRG8Unorm_sRGB, scalarUChar, 2, fractions, writtenOnApple, 0},
	{mtl.PixelFormatRGBA8Unorm_sRGB, scalarUChar, 4, fractions, writtenOnApple, 0},
	{mtl.PixelFormatBGRA8Unorm, scalarUChar, 4, fractions, writtenAlways, 0},
	{mtl.PixelFormatBGRA8Unorm_sRGB, scalarUChar, 4, fractions, writtenOnApple, 0},
	{mtl.PixelFormatRGB10A2Unorm, scalarUInt, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatBGR10A2Unorm, scalarUInt, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGB10A2Uint, scalarUInt, 1, unsigneds, writtenAlways, 0},
	{mtl.PixelFormatRG11B10Float, scalarUInt, 1, fractions, writtenAlways, 0},
	{mtl.PixelFormatRGB9E5Float, scalarUInt, 1, fractions, writtenOnApple, 0},
	{mtl.PixelFormatDepth16Unorm, scalarUShort, 1, fractions, neverWritten, 0},
	{mtl.PixelFormatDepth32Float, scalarFloat, 1, fractions, neverWritten, 0},
}

// knownFormat returns the description of a format, or nil if it is not in the list.
func knownFormat(f mtl.PixelFormat) *texelFormat {
	i := slices.IndexFunc(texelFormats[:], func(t texelFormat) bool { return t.format == f })
	if i < 0 {
		return nil
	}
	return &texelFormats[i]
}

// formatFor returns the format for texels of a Go type: the chosen one, which the type must match,
// or the type's default if chosen is 0.
func formatFor(t reflect.Type, chosen mtl.PixelFormat) (*texelFormat, error) {
	s := uniformScalar(t)
	if slices.ContainsFunc(leaves(t, 0, nil), func(l leaf) bool { return l.blank }) {
		s = noScalar // kernels would see the padding
	}
	var fitting []string
	for i := range texelFormats {
		f := &texelFormats[i]
		if f.scalar != s || uint(t.Size()) != f.size() {
			continue
		}
		if chosen == 0 || chosen == f.format {
			return f, nil
		}
		fitting = append(fitting, formatName(f.format))
	}
	switch known := knownFormat(chosen); {
	case chosen != 0 && known == nil:
		return nil,
			fmt.Errorf("pixel format %s is not supported, because %s; use package mtl: %w",
				formatName(chosen), unsupported(chosen), ErrOption)
	case len(fitting) == 0:
		return nil, &LayoutError{t, "", "no pixel format has such texels; want 1, 2 or 4 numbers of 8, 16 or 32 bits"}
	default:
		return nil, &LayoutError{t, "", fmt.Sprintf("a texel of %s consists of %d %v; formats for this type: %s",
			formatName(chosen), known.lanes, known.scalar, strings.Join(fitting, ", "))}
	}
}

// unsupported returns why a format is not in texelFormats.
func unsupported(f mtl.PixelFormat) string {
	if compressed(formatName(f)) {
		return "it is compressed: kernels cannot write it, and a block of texels is no Go value"
	}
	return "its texels are not plain numbers"
}

// compressed reports whether a format, without its prefix, is compressed.
func compressed(name string) bool {
	for _, family := range [...]string{"BC", "PVRTC", "EAC", "ETC2", "ASTC"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}

// formatName returns "RGBA8Unorm".
func formatName(f mtl.PixelFormat) string { return strings.TrimPrefix(f.String(), "PixelFormat") }

// size is a texel's bytes.
func (f *texelFormat) size() uint { return f.lanes * f.scalar.size() }

// writable reports whether kernels on a device can write textures of the format.
func (f *texelFormat) writable(i Info) bool {
	return f.writes == writtenAlways || f.writes == writtenOnApple && i.appleSilicon()
}

// readWritable reports whether one kernel can both read and write textures of the format on a
// device of the tier.
func (f *texelFormat) readWritable(have mtl.ReadWriteTextureTier) bool {
	return f.readWrite != 0 && f.readWrite <= have
}

// readOnly reports whether kernels cannot write a format that texelFormats does not list, on any
// device: it is compressed or subsampled, has depth or stencil, or has 16 bits for several numbers.
func readOnly(f mtl.PixelFormat) bool {
	name := formatName(f)
	for _, part := range [...]string{"Depth", "Stencil", "422", "B5G6R5", "A1BGR5", "ABGR4", "BGR5A1"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return compressed(name)
}

// TextureFormatError is the error of a texture whose pixel format does not allow the access that
// the kernel declares. A *[LaunchError] that wraps it names the kernel and the argument.
type TextureFormatError struct {
	Format  mtl.PixelFormat
	Access  mtl.BindingAccess // that the kernel declares
	Text    string            // what is wrong with the format
	Allowed []mtl.PixelFormat // the formats of [NewTexture] that the argument can have on this device
}

// Error names the format, what is wrong with it, and some of the formats that are allowed.
func (e *TextureFormatError) Error() string {
	const most = 8
	text := fmt.Sprintf("has pixel format %s, %s", formatName(e.Format), e.Text)
	for i, f := range e.Allowed {
		switch {
		case i == most:
			return fmt.Sprintf("%s and %d more", text, len(e.Allowed)-most)
		case i == 0:
			text += "; allowed: "
		default:
			text += ", "
		}
		text += formatName(f)
	}
	return text
}

// usage returns Metal's usage for a texture of the format: the chosen one, or everything that
// kernels on the device can do except atomics.
func (f *texelFormat) usage(chosen mtl.TextureUsage, i Info) (mtl.TextureUsage, error) {
	switch {
	case chosen == 0 && f.writable(i):
		return mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite, nil
	case chosen == 0:
		return mtl.TextureUsageShaderRead, nil
	case chosen&mtl.TextureUsageShaderWrite != 0 && !f.writable(i):
		return 0, fmt.Errorf("usage %v: kernels on %s cannot write %s: %w", chosen, i.Name, formatName(f.format), ErrOption)
	}
	return chosen, nil
}

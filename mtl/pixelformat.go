package mtl

import "strings"

// pixelKind classifies pixel formats.
type pixelKind uint8

const (
	pixelNone       pixelKind = iota // unknown format
	pixelPlain                       // one pixel per block
	pixelPacked                      // two pixels per block, YUV 4:2:2
	pixelCompressed                  // BC, EAC, ETC2, ASTC
	pixelPVRTC                       // compressed; only whole images can be read and written
	pixelDepth                       // depth or stencil
)

// pixelBlock is the smallest unit in which a format stores pixels.
type pixelBlock struct {
	kind          pixelKind
	bytes         uint64
	width, height uint64
}

// pixelRange gives the block of the formats from first to last. Metal numbers its formats by size.
type pixelRange struct {
	first, last PixelFormat
	pixelBlock
}

// pixelRanges follows the values of [PixelFormat], ascending.
var pixelRanges = [...]pixelRange{
	{PixelFormatA8Unorm, PixelFormatA8Unorm, pixelBlock{pixelPlain, 1, 1, 1}},
	{PixelFormatR8Unorm, PixelFormatR8Sint, pixelBlock{pixelPlain, 1, 1, 1}},
	{PixelFormatR16Unorm, PixelFormatBGR5A1Unorm, pixelBlock{pixelPlain, 2, 1, 1}},
	{PixelFormatR32Uint, PixelFormatBGR10A2Unorm, pixelBlock{pixelPlain, 4, 1, 1}},
	{PixelFormatRG32Uint, PixelFormatRGBA16Float, pixelBlock{pixelPlain, 8, 1, 1}},
	{PixelFormatRGBA32Uint, PixelFormatRGBA32Float, pixelBlock{pixelPlain, 16, 1, 1}},
	{PixelFormatBC1_RGBA, PixelFormatBC1_RGBA_sRGB, pixelBlock{pixelCompressed, 8, 4, 4}},
	{PixelFormatBC2_RGBA, PixelFormatBC3_RGBA_sRGB, pixelBlock{pixelCompressed, 16, 4, 4}},
	{PixelFormatBC4_RUnorm, PixelFormatBC4_RSnorm, pixelBlock{pixelCompressed, 8, 4, 4}},
	{PixelFormatBC5_RGUnorm, PixelFormatBC7_RGBAUnorm_sRGB, pixelBlock{pixelCompressed, 16, 4, 4}},
	{PixelFormatPVRTC_RGB_2BPP, PixelFormatPVRTC_RGB_2BPP_sRGB, pixelBlock{pixelPVRTC, 8, 8, 4}},
	{PixelFormatPVRTC_RGB_4BPP, PixelFormatPVRTC_RGB_4BPP_sRGB, pixelBlock{pixelPVRTC, 8, 4, 4}},
	{PixelFormatPVRTC_RGBA_2BPP, PixelFormatPVRTC_RGBA_2BPP_sRGB, pixelBlock{pixelPVRTC, 8, 8, 4}},
	{PixelFormatPVRTC_RGBA_4BPP, PixelFormatPVRTC_RGBA_4BPP_sRGB, pixelBlock{pixelPVRTC, 8, 4, 4}},
	{PixelFormatEAC_R11Unorm, PixelFormatEAC_R11Snorm, pixelBlock{pixelCompressed, 8, 4, 4}},
	{PixelFormatEAC_RG11Unorm, PixelFormatEAC_RGBA8_sRGB, pixelBlock{pixelCompressed, 16, 4, 4}},
	{PixelFormatETC2_RGB8, PixelFormatETC2_RGB8A1_sRGB, pixelBlock{pixelCompressed, 8, 4, 4}},
	{PixelFormatGBGR422, PixelFormatBGRG422, pixelBlock{pixelPacked, 4, 2, 1}},
	{PixelFormatDepth16Unorm, PixelFormatDepth16Unorm, pixelBlock{pixelDepth, 2, 1, 1}},
	{PixelFormatDepth32Float, PixelFormatDepth32Float, pixelBlock{pixelDepth, 4, 1, 1}},
	{PixelFormatStencil8, PixelFormatStencil8, pixelBlock{pixelDepth, 1, 1, 1}},
	{PixelFormatDepth24Unorm_Stencil8, PixelFormatDepth24Unorm_Stencil8, pixelBlock{pixelDepth, 4, 1, 1}},
	{PixelFormatDepth32Float_Stencil8, PixelFormatX32_Stencil8, pixelBlock{pixelDepth, 8, 1, 1}},
	{PixelFormatX24_Stencil8, PixelFormatX24_Stencil8, pixelBlock{pixelDepth, 4, 1, 1}},
	{PixelFormatBGRA10_XR, PixelFormatBGRA10_XR_sRGB, pixelBlock{pixelPlain, 8, 1, 1}},
	{PixelFormatBGR10_XR, PixelFormatBGR10_XR_sRGB, pixelBlock{pixelPlain, 4, 1, 1}},
}

// astcBlocks are the sizes of ASTC blocks, in the order of the formats; 0 marks numbers that Metal
// skips. The three series are sRGB, LDR and HDR.
var astcBlocks = [...][2]uint64{{4, 4}, {5, 4}, {5, 5}, {6, 5}, {6, 6}, {}, {8, 5}, {8, 6}, {8, 8}, {10, 5}, {10, 6},
	{10, 8}, {10, 10}, {12, 10}, {12, 12}}

// block returns the format's block; its kind is pixelNone for an unknown format.
func (v PixelFormat) block() pixelBlock {
	for _, first := range [...]PixelFormat{PixelFormatASTC_4x4_sRGB, PixelFormatASTC_4x4_LDR, PixelFormatASTC_4x4_HDR} {
		if i := v - first; v >= first && i < PixelFormat(len(astcBlocks)) && astcBlocks[i][0] != 0 {
			return pixelBlock{pixelCompressed, 16, astcBlocks[i][0], astcBlocks[i][1]}
		}
	}
	for _, r := range pixelRanges {
		if v >= r.first && v <= r.last && v.named() {
			return r.pixelBlock
		}
	}
	return pixelBlock{}
}

// named reports whether a value is one of the constants, which have gaps between them.
func (v PixelFormat) named() bool {
	s := v.String()
	return s[len(s)-1] != ')'
}

// BytesPerBlock returns the size of the format's smallest unit of storage: a pixel, or a block of a
// compressed format. It is 0 for an unknown format.
func (v PixelFormat) BytesPerBlock() uint { return uint(v.block().bytes) }

// BlockSize returns the width and height in pixels of the format's smallest unit of storage. It is
// 1 by 1 if that is a pixel, and zero for an unknown format.
func (v PixelFormat) BlockSize() Size {
	b := v.block()
	return Size{Width: uint(b.width), Height: uint(b.height), Depth: min(uint(b.width), 1)}
}

// integer reports whether the format's components are integers, which cannot be filtered.
func (v PixelFormat) integer() bool {
	s := v.String()
	return strings.HasSuffix(s, "Uint") || strings.HasSuffix(s, "Sint")
}

// linear returns the format without its sRGB transfer function, if it has one.
func (v PixelFormat) linear() PixelFormat {
	switch v {
	case PixelFormatR8Unorm_sRGB, PixelFormatRG8Unorm_sRGB, PixelFormatRGBA8Unorm_sRGB, PixelFormatBGRA8Unorm_sRGB,
		PixelFormatBC1_RGBA_sRGB, PixelFormatBC2_RGBA_sRGB, PixelFormatBC3_RGBA_sRGB, PixelFormatBC7_RGBAUnorm_sRGB,
		PixelFormatPVRTC_RGB_2BPP_sRGB, PixelFormatPVRTC_RGB_4BPP_sRGB, PixelFormatPVRTC_RGBA_2BPP_sRGB,
		PixelFormatPVRTC_RGBA_4BPP_sRGB,
		PixelFormatEAC_RGBA8_sRGB, PixelFormatETC2_RGB8_sRGB, PixelFormatETC2_RGB8A1_sRGB, PixelFormatBGRA10_XR_sRGB,
		PixelFormatBGR10_XR_sRGB:
		return v - 1
	}
	if v >= PixelFormatASTC_4x4_sRGB && v <= PixelFormatASTC_12x12_sRGB {
		return v + PixelFormatASTC_4x4_LDR - PixelFormatASTC_4x4_sRGB
	}
	return v
}

// MinimumLinearTextureAlignment returns the alignment of the offset and of the bytes per row of a
// 2D texture in a buffer. Only formats with one pixel per block have one; for others the error
// wraps [ErrArgument].
//
//	-[MTLDevice minimumLinearTextureAlignmentForPixelFormat:]
func (o Device) MinimumLinearTextureAlignment(format PixelFormat) (uint, error) {
	const c = check("-[MTLDevice minimumLinearTextureAlignmentForPixelFormat:]")
	if err := c.receiver(&zmethods[mDeviceMinimumLinearTextureAlignmentForPixelFormat], o.ID()); err != nil {
		return 0, err
	}
	if err := c.plainFormat(format); err != nil {
		return 0, err
	}
	return sendDeviceMinimumLinearTextureAlignmentForPixelFormat(o, format), nil
}

// MinimumTextureBufferAlignment returns the alignment of the offset of a texture buffer. Only
// formats with one pixel per block have one; for others the error wraps [ErrArgument].
//
//	-[MTLDevice minimumTextureBufferAlignmentForPixelFormat:]
func (o Device) MinimumTextureBufferAlignment(format PixelFormat) (uint, error) {
	const c = check("-[MTLDevice minimumTextureBufferAlignmentForPixelFormat:]")
	if err := c.receiver(&zmethods[mDeviceMinimumTextureBufferAlignmentForPixelFormat], o.ID()); err != nil {
		return 0, err
	}
	if err := c.plainFormat(format); err != nil {
		return 0, err
	}
	return sendDeviceMinimumTextureBufferAlignmentForPixelFormat(o, format), nil
}

func (c check) plainFormat(format PixelFormat) error {
	if format.block().kind != pixelPlain {
		return c.fail(ErrArgument, "pixel format %v, want one with one pixel per block", format)
	}
	return nil
}

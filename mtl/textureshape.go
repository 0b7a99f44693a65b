package mtl

import "math/bits"

// textureShape holds the properties of a texture or texture descriptor.
type textureShape struct {
	typ                  TextureType
	format               PixelFormat
	width, height, depth uint
	levels, samples      uint
	arrayLength          uint
	options              ResourceOptions
	usage                TextureUsage
	swizzled             bool // in a descriptor
}

// plainSwizzle leaves the channels as they are.
func plainSwizzle() TextureSwizzleChannels {
	return TextureSwizzleChannels{Red: TextureSwizzleRed, Green: TextureSwizzleGreen, Blue: TextureSwizzleBlue,
		Alpha: TextureSwizzleAlpha}
}

func (o TextureDescriptor) shape() textureShape {
	return textureShape{
		typ: o.TextureType(), format: o.PixelFormat(), width: o.Width(), height: o.Height(), depth: o.Depth(),
		levels: o.MipmapLevelCount(), samples: o.SampleCount(), arrayLength: o.ArrayLength(),
		options: MakeResourceOptions(o.StorageMode(), o.CpuCacheMode(), o.HazardTrackingMode()), usage: o.Usage(),
		swizzled: o.Swizzle() != plainSwizzle(),
	}
}

func (o Texture) shape() textureShape {
	return textureShape{
		typ: o.TextureType(), format: o.PixelFormat(), width: o.Width(), height: o.Height(), depth: o.Depth(),
		levels: o.MipmapLevelCount(), samples: o.SampleCount(), arrayLength: o.ArrayLength(),
		options: MakeResourceOptions(o.StorageMode(), 0, 0), usage: o.Usage(),
	}
}

// multisample, array and cube report properties of a texture type.
func (v TextureType) multisample() bool {
	return v == TextureType2DMultisample || v == TextureType2DMultisampleArray
}

func (v TextureType) array() bool {
	return v == TextureType1DArray || v == TextureType2DArray || v == TextureTypeCubeArray ||
		v == TextureType2DMultisampleArray
}

func (v TextureType) cube() bool { return v == TextureTypeCube || v == TextureTypeCubeArray }

// dimensions returns 1, 2 or 3.
func (v TextureType) dimensions() int {
	switch v {
	case TextureType1D, TextureType1DArray, TextureTypeTextureBuffer:
		return 1
	case TextureType3D:
		return 3
	}
	return 2
}

// slices returns the number of slices: the elements of an array, times six faces in a cube.
func (s textureShape) slices() uint {
	if s.typ.cube() {
		return 6 * s.arrayLength
	}
	return s.arrayLength
}

// levelSize returns the size of a mipmap level.
func (s textureShape) levelSize(level uint) Size {
	at := func(n uint) uint { return max(n>>level, 1) }
	return Size{Width: at(s.width), Height: at(s.height), Depth: at(s.depth)}
}

// texture checks the description of a texture against the limits of the least capable device that
// this package supports.
func (c check) texture(s textureShape, tr traits) error {
	if s.typ > TextureTypeTextureBuffer {
		return c.fail(ErrArgument, "texture type %v", s.typ)
	}
	if s.format.block().kind == pixelNone {
		return c.fail(ErrArgument, "pixel format %v", s.format)
	}
	for _, f := range [...]func(textureShape) error{c.textureSize, c.textureLevels, c.textureFormat} {
		if err := f(s); err != nil {
			return err
		}
	}
	return c.textureModes(s, tr)
}

func (c check) textureSize(s textureShape) error {
	widest, tallest, deepest := uint64(MaxTextureSize2D), uint64(MaxTextureSize2D), uint64(1)
	switch {
	case s.typ == TextureTypeTextureBuffer:
		widest, tallest = MaxTextureBufferWidth, 1
	case s.typ.dimensions() == 1:
		tallest = 1
	case s.typ.dimensions() == 3:
		widest, tallest, deepest = MaxTextureSize3D, MaxTextureSize3D, MaxTextureSize3D
	}
	for _, d := range [...]struct {
		what       string
		value, max uint64
	}{{"width", uint64(s.width), widest}, {"height", uint64(s.height), tallest}, {"depth", uint64(s.depth), deepest}} {
		if err := c.atLeast(d.what, d.value, 1, ErrLength); err != nil {
			return err
		}
		if err := c.atMost(d.what, d.value, d.max, ErrLength); err != nil {
			return err
		}
	}
	if s.typ.cube() && s.width != s.height {
		return c.fail(ErrLength, "a cube of %d by %d, want a square", s.width, s.height)
	}
	if err := c.atLeast("array length", uint64(s.arrayLength), 1, ErrLength); err != nil {
		return err
	}
	longest := uint64(1)
	switch {
	case s.typ == TextureTypeCubeArray:
		longest = MaxTextureArrayLength / 6
	case s.typ.array():
		longest = MaxTextureArrayLength
	}
	return c.atMost("array length", uint64(s.arrayLength), longest, ErrLength)
}

func (c check) textureLevels(s textureShape) error {
	most := uint64(bits.Len(max(s.width, s.height, s.depth)))
	if s.typ.multisample() || s.typ.dimensions() == 1 {
		most = 1
	}
	if err := c.atLeast("mipmap level count", uint64(s.levels), 1, ErrLength); err != nil {
		return err
	}
	if err := c.atMost("mipmap level count", uint64(s.levels), most, ErrLength); err != nil {
		return err
	}
	if !s.typ.multisample() {
		if s.samples != 1 {
			return &LimitError{Call: string(c), What: "sample count", Value: uint64(s.samples), Limit: 1, Rule: Exactly,
				Err: ErrArgument}
		}
		return nil
	}
	if s.samples != 2 && s.samples != 4 && s.samples != 8 {
		return c.fail(ErrArgument, "sample count is %d, want 2, 4 or 8", s.samples)
	}
	return nil
}

func (c check) textureFormat(s textureShape) error {
	kind := s.format.block().kind
	flat := s.typ.dimensions() == 1 || s.typ.multisample()
	switch {
	case kind == pixelCompressed && flat, kind == pixelPVRTC && (flat || s.typ.dimensions() == 3),
		kind == pixelPacked && s.typ != TextureType2D,
		kind == pixelDepth && (s.typ.dimensions() == 3 || s.typ.dimensions() == 1):
		return c.fail(ErrArgument, "pixel format %v cannot be combined with texture type %v", s.format, s.typ)
	}
	const known = TextureUsageShaderRead | TextureUsageShaderWrite | TextureUsageRenderTarget | TextureUsagePixelFormatView | TextureUsageShaderAtomic
	if s.usage&^known != 0 {
		return c.fail(ErrArgument, "usage %v", s.usage)
	}
	if s.usage&TextureUsageShaderWrite != 0 && kind != pixelPlain || s.usage&TextureUsageRenderTarget != 0 &&
		kind != pixelPlain && kind != pixelDepth {
		return c.fail(ErrArgument, "usage %v: pixel format %v can only be read", s.usage, s.format)
	}
	if s.usage&TextureUsageRenderTarget != 0 && s.swizzled {
		return c.fail(ErrArgument, "usage %v: the channels of a render target cannot be swizzled", s.usage)
	}
	if s.usage&TextureUsageShaderWrite != 0 && s.typ.multisample() {
		return c.fail(ErrArgument, "usage %v: multisample textures cannot be written to", s.usage)
	}
	if s.usage&TextureUsageShaderAtomic != 0 && s.format != PixelFormatR32Uint && s.format != PixelFormatR32Sint &&
		s.format != PixelFormatRG32Uint {
		return c.fail(ErrArgument, "usage %v: atomics want R32Uint, R32Sint or RG32Uint, not %v", s.usage, s.format)
	}
	return nil
}

func (c check) textureModes(s textureShape, tr traits) error {
	if err := c.options(s.options, tr); err != nil {
		return err
	}
	mode := s.options.StorageMode()
	switch {
	case mode == StorageModeMemoryless && (!tr.apple || s.usage&^TextureUsagePixelFormatView != TextureUsageRenderTarget):
		return c.fail(ErrStorageMode, "storage mode %v: only for render targets of an Apple GPU", mode)
	case mode == StorageModeShared && !tr.apple && s.typ != TextureTypeTextureBuffer:
		return c.fail(ErrStorageMode, "storage mode %v: this GPU supports textures in %v and %v memory", mode,
			StorageModeManaged, StorageModePrivate)
	case mode != StorageModePrivate && mode != StorageModeMemoryless &&
		(s.typ.multisample() || s.format.block().kind == pixelDepth):
		return c.fail(ErrStorageMode, "storage mode %v: depth, stencil and multisample textures are %v", mode,
			StorageModePrivate)
	}
	return nil
}

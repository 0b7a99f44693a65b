package compute

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// textures is an array of textures.
type textures []AnyTexture

// Textures passes an array of textures, for a parameter such as array<texture2d<float>, 8>. The
// list may be shorter than the kernel's array, and may contain nil for elements that the kernel
// does not use.
func Textures(list ...AnyTexture) any { return textures(list) }

// textureArray appends one argument for each element of an array of textures.
func (k *Kernel) textureArray(out []stream.Argument, p *Parameter, list textures) ([]stream.Argument, error) {
	if uint(len(list)) > p.Count {
		return out, fmt.Errorf("%d textures, the kernel takes at most %d: %w", len(list), p.Count, ErrRange)
	}
	one := *p
	one.Count = 1
	for i := range p.Count {
		// Unused elements are set to nil: the encoder keeps the bindings of earlier launches.
		a := stream.Argument{Kind: stream.ParameterKind(p.Kind), Index: p.Index + i, Writes: p.writes()}
		if i < uint(len(list)) && list[i] != nil {
			if err := k.textureArgument(&a, &one, list[i].asTexture()); err != nil {
				return out, fmt.Errorf("texture %d: %w", i, err)
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// textureArgument checks a texture.
func (k *Kernel) textureArgument(a *stream.Argument, p *Parameter, s *surface) error {
	if s == nil {
		return p.nilTexture()
	}
	if s.mem.Acc != &k.acc.core {
		return fmt.Errorf("%v %w", s.mem, ErrAccelerator)
	}
	a.Texture, a.Cell, a.View, a.Partial = s.metal.Texture, s.metal, s.place, s.partial
	if err := k.checkTexture(p, s.shape.Type, s.format.format, s.usage); err != nil {
		return fmt.Errorf("%v %w", s.mem, err)
	}
	return nil
}

// metalTexture checks a texture of Metal.
func (k *Kernel) metalTexture(a *stream.Argument, p *Parameter, t mtl.Texture) error {
	if a.Texture = t; t.IsNil() {
		return p.nilTexture()
	}
	return k.checkTexture(p, t.TextureType(), t.PixelFormat(), t.Usage())
}

// checkTexture checks type, pixel format and usage of a texture against the kernel's parameter.
func (k *Kernel) checkTexture(p *Parameter, typ mtl.TextureType, format mtl.PixelFormat, usage mtl.TextureUsage) error {
	if p.Count > 1 {
		return fmt.Errorf("is a single texture, the kernel takes an array of %d; use Textures", p.Count)
	}
	if typ != p.Texture {
		return fmt.Errorf("has type %s, the kernel takes %s", textureKind(typ), p.texture())
	}
	if err := k.checkFormat(p, format, usage); err != nil {
		return err
	}
	need := mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite
	switch p.Access {
	case mtl.BindingAccessReadOnly:
		need = mtl.TextureUsageShaderRead
	case mtl.BindingAccessWriteOnly:
		need = mtl.TextureUsageShaderWrite
	}
	if usage != mtl.TextureUsageUnknown && usage&need != need {
		return fmt.Errorf("has usage %v, the kernel needs %v", usage, need)
	}
	return nil
}

// checkFormat checks that the kernel can access texels of the format as the parameter declares.
func (k *Kernel) checkFormat(p *Parameter, format mtl.PixelFormat, usage mtl.TextureUsage) error {
	known, i := knownFormat(format), k.acc.info
	tier := k.acc.readWrite
	var why string
	switch {
	case known != nil && !slices.Contains(known.numbers.types(), p.Type):
		why = fmt.Sprintf("which kernels see as %v; the kernel takes %s", known.numbers, p.texture())
	case p.Access == mtl.BindingAccessReadOnly:
		return nil
	case known != nil && !known.writable(i) || known == nil && readOnly(format):
		why = fmt.Sprintf("which kernels on %s cannot write", i.Name)
	case p.Access == mtl.BindingAccessWriteOnly || known == nil || usage&mtl.TextureUsageShaderAtomic != 0:
		return nil
	case !known.readWritable(tier):
		why = fmt.Sprintf("which kernels on %s cannot both read and write (read-write tier %d)", i.Name, tier)
	default:
		return nil
	}
	e := &TextureFormatError{Format: format, Access: p.Access, Text: why}
	for n := range texelFormats {
		f := &texelFormats[n]
		switch {
		case !slices.Contains(f.numbers.types(), p.Type),
			p.Access != mtl.BindingAccessReadOnly && !f.writable(i),
			p.Access == mtl.BindingAccessReadWrite && !f.readWritable(tier):
		default:
			e.Allowed = append(e.Allowed, f.format)
		}
	}
	return e
}

// checkSharedTextures returns an error if the texels of a texture that the kernel only reads are
// also those of one that it writes: GPUs cache the former, so that the kernel reads old texels or
// new ones. Elements of arrays are not compared, because a kernel need not use them all.
func (k *Kernel) checkSharedTextures(args []stream.Argument) error {
	for i := range args {
		from := k.textureParameter(&args[i])
		if from == nil || from.writes() {
			continue
		}
		for j := range args {
			to := k.textureParameter(&args[j])
			if to == nil || !to.writes() || !sameTexels(&args[i], &args[j]) {
				continue
			}
			return &LaunchError{Kernel: k.core.Name, Argument: from.String(), Err: fmt.Errorf(
				"has the texels of %v, which the kernel writes; use a second texture, views of different levels or layers, "+
					"or one parameter with access::read_write", to)}
		}
	}
	return nil
}

// textureParameter returns the parameter of an argument that is a single texture, otherwise nil.
func (k *Kernel) textureParameter(a *stream.Argument) *Parameter {
	if a.Kind != stream.TextureParameter {
		return nil
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Kind == TextureParameter && p.Index == a.Index && p.Count <= 1 {
			return p
		}
	}
	return nil
}

// sameTexels reports whether two textures certainly have texels in common. Ranges with gaps have if
// they begin with the same texel.
func sameTexels(a *stream.Argument, b *stream.Argument) bool {
	switch {
	case a.Texture.ID() == b.Texture.ID():
		return true
	case a.View.Mem == nil || !a.View.Overlaps(b.View):
		return false
	}
	return a.View.Offset == b.View.Offset || !a.Partial && !b.Partial
}

// nilTexture is the error for a texture that is missing.
func (p *Parameter) nilTexture() error {
	return fmt.Errorf("no texture; the kernel expects %s, which NewTexture or TextureOf makes: %w", p.texture(), ErrNil)
}

// texture describes the texture that a parameter takes: "a 2D texture of float".
func (p *Parameter) texture() string {
	text := fmt.Sprintf("a %s texture of %s", textureKind(p.Texture), p.Type)
	if p.Count > 1 {
		text = fmt.Sprintf("an array of %d, each %s", p.Count, text)
	}
	switch p.Access {
	case mtl.BindingAccessReadOnly:
		return text
	case mtl.BindingAccessWriteOnly:
		return text + " that the kernel writes"
	}
	return text + " that the kernel reads and writes"
}

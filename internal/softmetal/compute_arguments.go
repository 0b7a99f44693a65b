package softmetal

import (
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/shader"
)

// What a dispatch looks at before it is recorded: whether the arguments are what the kernel's are declared to be. That nothing is missing is seen by
// the queue's side, which knows of indirect commands too.

// wantedTexture is a texture argument of a kernel.
type wantedTexture struct {
	name       string
	first, end int    // slots
	kind       uint64 // MTLTextureType
	numbers    numberClass
	usage      uint64 // MTLTextureUsage that it takes
}

// wantedBuffer is a buffer argument of a kernel.
type wantedBuffer struct {
	name        string
	index       int
	size, align uint64
}

// numberClass is what texels are to a kernel.
type numberClass uint8

const (
	anyNumbers numberClass = iota
	fractions
	unsigneds
	signeds
)

func (n numberClass) String() string {
	return [...]string{"any", "float or half", "unsigned integer", "signed integer"}[n]
}

// numbersOf returns the class of a component's type.
func numbersOf(data ir.DataType) numberClass {
	switch x := data.Shape(); {
	case x.Rows != 1:
		return anyNumbers
	case x.Elem == ir.F32 || x.Elem == ir.F16:
		return fractions
	case x.Unsigned:
		return unsigneds
	case x.Elem == ir.I16 || x.Elem == ir.I32 || x.Elem == ir.I64:
		return signeds
	}
	return anyNumbers
}

// numbersOfFormat returns the class of a pixel format.
func numbersOfFormat(format uint64) numberClass {
	switch name := formatName(format); {
	case strings.HasSuffix(name, "Uint") || name == "Stencil8":
		return unsigneds
	case strings.HasSuffix(name, "Sint"):
		return signeds
	}
	return fractions
}

// want notes what the kernel's arguments have to be.
func (p *pipeline) want() {
	for i := range p.Args {
		a := &p.Args[i]
		switch {
		case !a.Active:
		case a.Kind == ir.ArgBuffer && a.Index >= command.MaxBuffers: // nothing can be bound, which the recorder tells
		case a.Kind == ir.ArgBuffer && (a.Size > 0 || a.Align > 1):
			p.buffers = append(p.buffers, wantedBuffer{a.Name, a.Index, uint64(a.Size), uint64(max(a.Align, 1))})
		case a.Kind == ir.ArgTexture && a.TextureInfo != nil:
			kind, ok := metalTextureType(a.TextureInfo.Dim)
			if !ok {
				continue
			}
			w := wantedTexture{name: a.Name, first: a.Index, end: a.Index + max(a.Count, 1), kind: kind, numbers: numbersOf(a.TextureInfo.Data)}
			switch a.TextureInfo.Access {
			case "write":
				w.usage = mtlTextureUsageShaderWrite
			case "read_write":
				w.usage = mtlTextureUsageShaderRead | mtlTextureUsageShaderWrite
			default:
				w.usage = mtlTextureUsageShaderRead
			}
			p.textures = append(p.textures, w)
		}
	}
}

// fits refuses a dispatch whose buffers, textures or threadgroup are not what kernel and pipeline declare.
func (e *computeEncoder) fits(call string, group command.Size) bool {
	p := e.pipeline
	if p == nil || e.rec.Ended() {
		return true // that is told by the recorder
	}
	if n := group[0] * group[1] * group[2]; p.Spec.MultipleOfWidth && n%shader.ExecutionWidth != 0 {
		e.misuse(call, "kernel %q: the threadgroup has %d threads, and the pipeline was made for multiples of %d", p.kernel.Name, n, shader.ExecutionWidth)
		return false
	}
	for i := range p.buffers {
		w := &p.buffers[i]
		b := &e.bound[w.index]
		switch {
		case b.address == 0 && b.room == 0:
		case b.offset%w.align != 0:
			e.misuse(call, "kernel %q: the offset of the buffer at index %d, argument %q, is %d bytes, want a multiple of %d", p.kernel.Name, w.index, w.name, b.offset, w.align)
			return false
		case b.room < w.size:
			e.misuse(call, "kernel %q: the buffer at index %d, argument %q, has %d bytes from offset %d on, the argument takes %d", p.kernel.Name, w.index, w.name, b.room, b.offset, w.size)
			return false
		}
	}
	for i := range p.textures {
		w := &p.textures[i]
		for slot := w.first; slot < min(w.end, len(e.textures)); slot++ {
			if t := e.textures[slot]; t != nil && !e.textureFits(call, w, slot, t) {
				return false
			}
		}
	}
	return true
}

func (e *computeEncoder) textureFits(call string, w *wantedTexture, slot int, t *texture) bool {
	name := e.pipeline.kernel.Name
	switch {
	case t.kind != w.kind:
		e.misuse(call, "kernel %q: the texture at index %d, argument %q, has the type %d, want %d", name, slot, w.name, t.kind, w.kind)
	case t.usage != mtlTextureUsageUnknown && w.usage&^t.usage != 0:
		e.misuse(call, "kernel %q: the texture at index %d, argument %q, has the usage %#x, want %#x too", name, slot, w.name, t.usage, w.usage&^t.usage)
	case w.numbers != anyNumbers && w.numbers != numbersOfFormat(t.format):
		e.misuse(call, "kernel %q: the texture at index %d, argument %q, has the pixel format %s, want one of %s", name, slot, w.name, formatName(t.format), w.numbers)
	default:
		return true
	}
	return false
}

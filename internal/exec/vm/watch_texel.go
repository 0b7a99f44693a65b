package vm

import (
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// isTexelOp reports whether an operation accesses a texel by its coordinates.
func isTexelOp(op ir.Op) bool {
	return op == ir.OpTexRead || op == ir.OpTexWrite || op == ir.OpTexAtomic || op == ir.OpTexAtomicCmpXchg
}

// watchTexels returns a function that reports texels that do not exist, and then executes the
// operation.
func watchTexels(o *op, fn func(*frame, *op)) func(*frame, *op) {
	t := newTextureOp(o.in.HIR)
	return func(f *frame, o *op) {
		l := textureLane{textureOp: t, f: f, o: o, handle: ^uint64(0)}
		var missing *hook.Texel
		f.each(f.mask(o.m), func(lane int) {
			if x := l.missing(lane); x != nil {
				if missing == nil {
					missing = x
					missing.Event = f.newEvent(o)
					missing.Lanes = hook.Mask{}
				}
				missing.Lanes[lane/32] |= 1 << (lane % 32)
			}
		})
		if missing != nil {
			f.hook().Texel(missing)
		}
		fn(f, o)
	}
}

// missing describes what a lane addresses, or returns nil if it exists.
func (l *textureLane) missing(lane int) *hook.Texel {
	l.lane = lane
	if h := l.operand(0, 0); h != l.handle {
		l.handle, l.image = h, l.f.image(h)
	}
	at, layer, level := l.coordinates(), l.number(2), uint32(0)
	if l.op == ir.OpTexRead || l.op == ir.OpTexWrite {
		level = l.number(3)
	}
	x := l.image
	readOnly := x != nil && x.ReadOnly && l.op != ir.OpTexRead
	if x.Exists(l.typ, at, layer, level) && !readOnly {
		return nil
	}
	e := &hook.Texel{Texture: l.handle, Missing: x == nil, At: at, Layer: layer, Level: level, ReadOnly: readOnly}
	if x != nil {
		e.Size, e.Layers, e.Levels = sizeAt(x, l.typ, level), x.Layers, len(x.Levels)
	}
	return e
}

// sizeAt returns an image's size at the level that an access names, in texels.
func sizeAt(x *texel.Image, t ir.Type, level uint32) [3]int {
	if t.Dim.IsMultisample() {
		return x.Size(0)
	}
	return x.Size(int(min(level, 31)))
}

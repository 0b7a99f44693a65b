package vm

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// isTexelOp reports whether an operation accesses texels.
func isTexelOp(op ir.Op) bool {
	return op.Info().Group == ir.TextureOps && op != ir.OpTexQuery && op != ir.OpTexFence && op != ir.OpTexLOD
}

// samples reports whether an operation on a texture takes its texels through a sampler.
func (t *textureOp) samples() bool {
	switch t.op {
	case ir.OpTexRead, ir.OpTexWrite, ir.OpTexAtomic, ir.OpTexAtomicCmpXchg:
		return false
	}
	return true
}

// watchTexels returns a function that reports the texels that an operation accesses, and those that
// do not exist, and then executes the operation.
func watchTexels(o *op, fn func(*frame, *op)) func(*frame, *op) {
	t := newTextureOp(o.in.HIR)
	watch := t.watch
	if t.samples() {
		watch = t.watchSamples
	}
	return func(f *frame, o *op) {
		watch(f, o)
		fn(f, o)
	}
}

// use takes the operands of a lane.
func (l *textureLane) use(lane int) {
	l.lane = lane
	if h := l.operand(0, 0); h != l.handle {
		l.handle, l.image = h, l.f.image(h)
	}
}

// watch reports the texels of an operation that names them by coordinates.
func (t *textureOp) watch(f *frame, o *op) {
	l := textureLane{textureOp: t, f: f, o: o, handle: ^uint64(0)}
	var missing *hook.Texel
	texels := f.newTexels()
	f.each(f.mask(o.m), func(lane int) {
		l.use(lane)
		at, layer, level := l.place()
		bytes := l.image.Texel(l.typ, at, layer, level)
		if bytes == nil || l.image.ReadOnly && l.op != ir.OpTexRead {
			if missing == nil {
				missing = l.missing(bytes != nil)
				missing.Event = f.newEvent(o)
				missing.Lanes = hook.Mask{}
			}
			missing.Lanes[lane/32] |= 1 << (lane % 32)
			return
		}
		if !f.g.watched.Texels {
			return
		}
		texels.add(f, o, 0, lane, l.handle, bytes)
		if l.op == ir.OpTexWrite {
			var v [4]uint64
			for i := range v {
				v[i] = l.operand(4, i)
			}
			texels.list[0].Next[lane] = l.image.Written(l.typ, bytes, &v)
		}
	})
	if missing != nil {
		f.hook().Texel(missing)
	}
	texels.report(f, func(lane int) string {
		l.use(lane)
		at, layer, level := l.place()
		return fmt.Sprintf("(%d, %d, %d), layer %d, level or sample %d", at[0], at[1], at[2], layer, level)
	})
}

// texelEvents are the events of one operation. They are used again for the next one.
type texelEvents struct {
	list []*hook.Texels
	n    int // of the list, those in use
}

func (f *frame) newTexels() *texelEvents {
	t := &f.watching().texels
	t.n = 0
	return t
}

// add adds a lane's texel to the i-th event.
func (t *texelEvents) add(f *frame, o *op, i, lane int, handle uint64, bytes []byte) {
	if i == len(t.list) {
		t.list = append(t.list, &hook.Texels{})
	}
	e := t.list[i]
	if i == t.n {
		e.Event, e.Texture = f.newEvent(o), handle
		e.Lanes = hook.Mask{}
		t.n++
	}
	e.Lanes[lane/32] |= 1 << (lane % 32)
	e.Bytes[lane] = bytes
}

// report reports the events. name returns the coordinates of a lane's texel.
func (t *texelEvents) report(f *frame, name func(lane int) string) {
	for _, e := range t.list[:t.n] {
		e.Name = name
		f.hook().Texels(e)
	}
}

// watchSamples reports the texels that a sampler takes.
func (t *textureOp) watchSamples(f *frame, o *op) {
	if !f.g.watched.Texels {
		return
	}
	l := textureLane{textureOp: t, f: f, o: o, handle: ^uint64(0)}
	texels := f.newTexels() // the n-th texels of the lanes
	f.each(f.mask(o.m), func(lane int) {
		l.use(lane)
		k, n := l.look(), 0
		k.Fetched = func(texel []byte) {
			texels.add(f, o, n, lane, l.handle, texel)
			n++
		}
		l.image.Sample(f.samplerOf(l.operand(1, 0)), &k)
	})
	texels.report(f, func(int) string { return "" })
}

// place returns the coordinates, layer and level that an operation names.
func (l *textureLane) place() (at [3]uint32, layer, level uint32) {
	if l.op == ir.OpTexRead || l.op == ir.OpTexWrite {
		level = l.number(3)
	}
	return l.coordinates(), l.number(2), level
}

// missing describes a texel that does not exist, or cannot be written.
func (l *textureLane) missing(readOnly bool) *hook.Texel {
	at, layer, level := l.place()
	x := l.image
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

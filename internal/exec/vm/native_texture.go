package vm

import (
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// addCalls makes operations of the calls of a range, whose variables are in its context.
func (x *native) addCalls(p *lir.Program) {
	for i := range x.r.Calls {
		c := &x.r.Calls[i]
		in := &p.Code[c.Inst]
		o := op{in: in, code: in.Op, per: lir.Lane, size: in.Kind.Size(), d: -1, d2: -1, a: -1, b: -1, c: -1, m: c.Mask}
		for _, list := range [][]jit.Place{c.Operands, c.Results} {
			for _, at := range list {
				o.more = append(o.more, place{at.At, at.Class, at.Size})
			}
		}
		o.fn = chooseTexture(&o)
		x.calls = append(x.calls, o)
	}
}

// setTextures shows a range the textures that it accesses by itself, and answers its queries.
func (f *frame) setTextures(x *native, c *jit.Context) {
	for i := range x.r.Queries {
		q := &x.r.Queries[i]
		handle := f.numberAt(x, x.handles[len(x.r.Textures)+i])
		c.SetQuery(i, f.image(handle).Query(q.Type, q.Property, q.Level))
	}
	if len(x.r.Textures) == 0 && len(x.calls) == 0 {
		return
	}
	f.g.settle()
	for i := range x.r.Textures {
		t := &x.r.Textures[i]
		image := f.image(f.numberAt(x, x.handles[i]))
		if t.Sampler != 0 {
			look := t.Look()
			v, ok := image.SampleView(f.samplerOf(f.numberAt(x, x.samplers[i])), &look)
			c.SetSampled(i, &v, ok)
			continue
		}
		v, ok := image.View(t.Type, t.Layer, t.Level)
		c.SetTexture(i, &v, ok)
	}
}

// callFromNative executes a call of a range: for the lanes of one vector, with the variables in the
// range's context in the place of a frame's.
func (f *frame) callFromNative(x *native, c *jit.Context, number int) {
	o := &x.calls[number]
	if f.called == nil {
		f.called = &frame{g: f.g}
	}
	in := f.called
	in.base, in.lanes = c.Begin(), x.r.Lanes
	in.full = [lir.MaskWords]uint32{1<<x.r.Lanes - 1}
	o.fn(in, o)
	f.g.machine -= f.g.p.lir.Work(o.in) * int64(x.r.Lanes) / int64(f.g.p.lir.Lanes)
}

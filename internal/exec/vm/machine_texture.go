package vm

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// addCalls makes operations of the calls of a range, whose variables are in its context.
func (x *machineRange) addCalls(p *lir.Program) {
	for i := range x.Calls {
		c := &x.Calls[i]
		in := &p.Code[c.Inst]
		o := op{in: in, code: in.Op, per: lir.Lane, size: in.Kind.Size(), d: -1, d2: -1, a: -1, b: -1, c: -1, m: c.Mask}
		for _, list := range [][]exec.MachinePlace{c.Operands, c.Results} {
			for _, at := range list {
				o.more = append(o.more, place{at.At, at.Class, at.Size})
			}
		}
		o.fn = chooseTexture(&o)
		x.calls = append(x.calls, o)
	}
}

// setTextures shows a range the textures that it accesses by itself, and answers its queries.
func (f *frame) setTextures(x *machineRange, c exec.MachineContext) {
	for i := range x.Queries {
		q := &x.Queries[i]
		handle := f.numberAt(x, x.handles[len(x.Textures)+i])
		c.SetQuery(i, f.image(handle).Query(q.Type, q.Property, q.Level))
	}
	if len(x.Textures) == 0 && len(x.calls) == 0 {
		return
	}
	f.g.settle()
	for i := range x.Textures {
		t := &x.Textures[i]
		image := f.image(f.numberAt(x, x.handles[i]))
		if t.Sampler != 0 {
			v, ok := image.SampleView(f.samplerOf(f.numberAt(x, x.samplers[i])), &t.Look)
			c.SetSampled(i, v, ok)
			continue
		}
		v, ok := image.View(t.Type, t.Layer, t.Level)
		c.SetTexture(i, v, ok)
	}
}

// callFromMachine executes an operation for a range, on the lanes of one vector. The variables are
// in the range's context instead of a frame.
func (f *frame) callFromMachine(x *machineRange, c exec.MachineContext, number int) {
	o := &x.calls[number]
	if f.called == nil {
		f.called = &frame{g: f.g}
	}
	in := f.called
	in.base, in.lanes = begin(c.Memory()), x.Lanes
	in.full = [lir.MaskWords]uint32{1<<x.Lanes - 1}
	o.fn(in, o)
	f.g.machine -= f.g.p.lir.Work(o.in) * int64(x.Lanes) / int64(f.g.p.lir.Lanes)
}

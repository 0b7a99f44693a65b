package vm

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A strip pays for its work without counting instructions. It pays for all of the code once, before
// it starts, and then at each jump taken: a backward jump is charged for the code it repeats, and a
// forward jump is refunded the code it skips. Whatever path a strip takes, it has paid for the work
// done and for the code still ahead.
//
// Large copies pay for themselves as they go; see copyLarge.

// price computes what a strip pays, and how much memory a group takes. It must run after the
// operations have their final form.
func (p *program) price() {
	before := make([]int64, len(p.ops)+1) // the work of the operations before each
	for i := range p.ops {
		before[i+1] = before[i] + p.workOf(&p.ops[i])
	}
	p.work = before[len(p.ops)]
	for i := range p.ops {
		if o := &p.ops[i]; o.code.IsJump() {
			o.work = int32(min(max(before[i+1]-before[o.target], math.MinInt32), math.MaxInt32))
		}
	}
	threads := int64(p.lir.Shape[0] * p.lir.Shape[1] * p.lir.Shape[2])
	zeroed := threads * int64(p.lir.ThreadBytes)
	for _, v := range p.f.Threadgroup {
		zeroed += int64(v.Size)
	}
	p.start = lir.GroupWork + zeroed/lir.ZeroedBytes
	if o := &p.ops[0]; o.code == opMachine && o.machine.Row {
		o.machine.work = p.work + p.start + o.machine.Work + int64(p.ops[1].work)
	}
	p.scratch = zeroed + int64(p.lir.Strips)*(int64(p.lir.FrameBytes)+p.contextBytes)
}

// workOf returns the work of an operation for a strip, as far as it is known in advance.
func (p *program) workOf(o *op) int64 {
	switch {
	case o.code == opWiden, o.code == opMachine:
		return lir.InstWork
	case o.isLargeCopy():
		return lir.InstWork + int64(p.lir.Lanes)
	}
	return p.lir.Work(o.in)
}

// largeCopy is the size from which a copy pays as it goes, and copyChunk how many bytes it moves
// per payment.
const (
	largeCopy = 1 << 12
	copyChunk = 1 << 16
)

// isLargeCopy reports whether the operation copies or clears so many bytes that frame.run must
// execute it.
func (o *op) isLargeCopy() bool {
	return o.in.IsCopy() && o.in.Imm > largeCopy
}

// pay charges work to the strip. It fails if the launch requires the strip to stop.
func (f *frame) pay(work int64) error {
	if f.fuel -= work; f.fuel >= 0 {
		return nil
	}
	f.g.settle()
	n, err := f.g.r.Refuel(f.g.number, -f.fuel)
	f.fuel += n
	f.g.fueled += n
	return err
}

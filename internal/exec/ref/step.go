package ref

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// run executes instructions until the thread synchronizes with others or ends.
func (t *thread) run() error {
	for t.state == running {
		in := t.at()
		if in.Op.Info().Has(ir.Convergent) {
			t.state = waiting
			return nil
		}
		err := t.g.m.burn(in, 1)
		if err == nil {
			err = t.step(in)
		}
		if err != nil {
			return t.fail(in, err)
		}
	}
	return nil
}

// get returns lane i of a value; for a matrix, its element i.
func (t *thread) get(v *ir.Value, i int) uint64 { return t.regs[int(t.g.m.slots[v.ID])+i] }

// set sets lane i of a value.
func (t *thread) set(v *ir.Value, i int, bits uint64) { t.regs[int(t.g.m.slots[v.ID])+i] = bits }

// lanes returns how many numbers a value consists of in one thread.
func lanes(v *ir.Value) int {
	if v.Type.Kind == ir.Matrix {
		return 2
	}
	return v.Type.Lanes()
}

// assign copies values; all are read before any is written.
func (t *thread) assign(to, from []*ir.Value) {
	var read []uint64
	for _, v := range from {
		for i := range lanes(v) {
			read = append(read, t.get(v, i))
		}
	}
	for _, v := range to {
		for i := range lanes(v) {
			t.set(v, i, read[0])
			read = read[1:]
		}
	}
}

// enter opens a region of the thread's current instruction.
func (t *thread) enter(in *ir.Instr, which int) {
	t.frames = append(t.frames, frame{region: in.Regions[which], which: which})
}

// leave closes regions up to and including that of in, sets in's results and continues after it.
func (t *thread) leave(in *ir.Instr, results []*ir.Value) {
	t.assign(in.Results, results)
	t.unwind(in)
	t.frames = t.frames[:len(t.frames)-1]
	t.frames[len(t.frames)-1].pc++
}

// unwind closes the regions inside that of in.
func (t *thread) unwind(in *ir.Instr) {
	for t.frames[len(t.frames)-1].region.Owner != in {
		t.frames = t.frames[:len(t.frames)-1]
	}
}

// step executes one instruction that does not synchronize threads.
func (t *thread) step(in *ir.Instr) error {
	switch in.Op {
	case ir.OpIf:
		which := 1
		if t.get(in.Args[0], 0) != 0 {
			which = 0
		}
		t.enter(in, which)
		return nil
	case ir.OpLoop:
		t.assign(in.Regions[0].Params, in.Args)
		t.enter(in, 0)
		return nil
	case ir.OpBlock:
		t.enter(in, 0)
		return nil
	case ir.OpYield:
		t.leave(in.Parent.Owner, in.Args)
		return nil
	case ir.OpBreak:
		t.leave(in.Target, in.Args)
		return nil
	case ir.OpContinue:
		t.assign(in.Target.Regions[0].Params, in.Args)
		t.unwind(in.Target)
		top := &t.frames[len(t.frames)-1]
		top.pc = 0
		top.iter++
		return nil
	case ir.OpReturn, ir.OpUnreachable:
		t.state = done
		t.frames = nil
		return nil
	}
	if err := t.compute(in); err != nil {
		return err
	}
	if t.g.m.seen != nil {
		t.g.m.seen(t, in)
	}
	t.frames[len(t.frames)-1].pc++
	return nil
}

// compute executes an instruction that is not control flow.
func (t *thread) compute(in *ir.Instr) error {
	if in.Op.Info().Has(ir.Lanewise) {
		t.lanewise(in)
		return nil
	}
	switch in.Op {
	case ir.OpConst, ir.OpArg, ir.OpFConst, ir.OpFConstDefined, ir.OpIn, ir.OpGlobalAddr, ir.OpSharedAddr,
		ir.OpSamplerConst, ir.OpAlloca:
		return t.outside(in)
	case ir.OpSelect, ir.OpAnyTrue, ir.OpAllTrue, ir.OpBuild, ir.OpSplat, ir.OpExtract, ir.OpInsert, ir.OpExtractDyn,
		ir.OpInsertDyn, ir.OpSwizzle, ir.OpBitcast:
		t.vector(in)
	case ir.OpPtrToInt, ir.OpIntToPtr:
		t.set(in.Results[0], 0, t.get(in.Args[0], 0))
	case ir.OpOffset:
		t.set(in.Results[0], 0, moved(t.get(in.Args[0], 0), uint64(in.Imm)*t.get(in.Args[1], 0)))
	case ir.OpField:
		t.set(in.Results[0], 0, moved(t.get(in.Args[0], 0), uint64(in.Imm)))
	case ir.OpLoad, ir.OpStore, ir.OpCopy, ir.OpClear:
		t.memory(in)
	case ir.OpFence, ir.OpTexFence:
		// Accesses are visible immediately.
		if tr := t.g.m.tracer; tr != nil && in.Op == ir.OpFence {
			tr.Fence(t.id(), in)
		}
	case ir.OpMatFill, ir.OpMatDiag, ir.OpMatLoad, ir.OpMatStore, ir.OpMatGet, ir.OpMatSet:
		t.matrix(in)
	case ir.OpCommandCount, ir.OpCommandAt, ir.OpCommandSet:
		t.command(in)
	case ir.OpLogMessage:
		if log := t.g.m.l.Log; log != nil || slices.Contains(t.g.m.f.Module.Logs, ir.Assertion) {
			m := &message.Message{Module: t.g.m.f.Module, Print: in, Group: t.g.number(),
				Thread: t.input(ir.ThreadPositionInGrid), Log: uint32(t.get(in.Args[0], 0))}
			for _, a := range in.Args[1:] {
				for lane := range a.Type.Lanes() {
					m.Words = append(m.Words, t.get(a, lane))
				}
			}
			if log != nil {
				log(m)
			}
			if m.Name() == ir.Assertion {
				return &exec.AssertionError{Text: m.Text()}
			}
		}
	default:
		switch {
		case len(in.Args) > 0 && in.Args[0].Type.Kind == ir.Texture:
			t.texture(in)
		case in.Op.Info().Has(ir.Atomic):
			t.atomic(in)
		default:
			return exec.ErrUnsupported
		}
	}
	return nil
}

// lanewise executes an operation on numbers, lane by lane.
func (t *thread) lanewise(in *ir.Instr) {
	var out [4][2]uint64
	for lane := range in.Results[0].Type.Lanes() {
		var x [4]uint64
		for i, a := range in.Args {
			// The offset and count of a bit-field operation are scalars for all lanes.
			x[i] = t.get(a, min(lane, a.Type.Lanes()-1))
		}
		out[lane] = num.Flagged(in.Op, in.Flags, in.Args[0].Type.Kind, in.Results[0].Type.Kind, x)
	}
	for lane := range in.Results[0].Type.Lanes() {
		for i, r := range in.Results {
			t.set(r, lane, out[lane][i])
		}
	}
}

package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// function compiles a mathematical function from its program.
type function struct {
	*lanes
	p     *fast.Program
	args  [2]uint8
	owned bool      // the arguments' registers, which others use after the last step that does
	regs  [][]uint8 // of each step's value: a double has two, and a truth value a mask register
	room  []uint8   // for them
	free  []uint8
	taken []uint8 // from the segment's registers
	masks []uint8
}

// scratchRegs is the number of registers that every function can use besides those of the segment.
const scratchRegs = 4

func (l *lanes) newFunction(p *fast.Program) *function {
	n := len(p.Steps)
	return &function{lanes: l, p: p, regs: make([][]uint8, n), room: make([]uint8, 0, 2*n), masks: []uint8{3, 2, 1},
		free: []uint8{valueScratch, placeScratch, startScratch, indexScratch}}
}

// function compiles a call.
func (l *lanes) function(in *lir.Inst, p *fast.Program) {
	if x, ok := l.pending[l.pc]; ok {
		l.setFrom(in.D, x)
		return
	}
	if at, ok := l.waiting[l.pc]; ok {
		l.setWaiting(in, at)
		return
	}
	results := []int{len(p.Steps) - 1}
	pair, paired := l.pairAt()
	if paired {
		p, results = &pair.Both.Program, pair.Both.Results[:]
		l.c.r.Pairs++
	}
	if l.callFunction(in, p, results) {
		if paired {
			x := l.take()
			l.c.Emit(amd64.VMOVAPS, amd64.Args{D: x, Y: vec(placeScratch)})
			l.wait(pair.Second, x)
		}
		l.setResult(in, valueScratch)
		return
	}
	f := l.newFunction(p)
	for i, r := range []lir.Ref{in.A, in.B}[:p.Args] {
		f.args[i] = f.argument(in, r)
	}
	f.steps(results)
	result := f.regs[results[0]][0]
	if paired {
		l.wait(pair.Second, f.keep(f.regs[results[1]][0], result))
	}
	l.free = append(l.free, f.taken...)
	l.setResult(in, result)
}

// argument returns a register with an argument.
func (f *function) argument(in *lir.Inst, r lir.Ref) uint8 {
	if in.Kind != ir.F32 {
		return f.single(f.take(), r, in.Kind)
	}
	s := f.source(r)
	if s.reg >= 0 {
		return uint8(s.reg)
	}
	x := f.take()
	f.c.loadSource(x, s, 0)
	return x
}

// setResult makes a register with 32-bit floats the result of a call.
func (l *lanes) setResult(in *lir.Inst, result uint8) {
	if in.Kind == ir.F32 {
		l.set(in.D, result)
		return
	}
	if result != valueScratch {
		l.c.Emit(amd64.VMOVAPS, amd64.Args{D: valueScratch, Y: vec(result)})
	}
	l.setFloat(in.D, in.Kind)
}

// steps compiles the steps of a function.
func (f *function) steps(results []int) {
	last, lastArgs := f.p.LastUses()
	for _, r := range results {
		last[r] = len(f.p.Steps)
	}
	for i := range f.p.Steps {
		s := &f.p.Steps[i]
		if s.Op == fast.Const {
			continue
		}
		f.step(i, s, func() {
			for n, a := range s.Args[:s.Operand] {
				switch {
				case slices.Contains(s.Args[:n], a):
				case a < 0 && f.owned && lastArgs[^a] == i:
					f.free = append(f.free, f.args[^a])
				case a < 0, last[a] != i:
				case f.p.Steps[a].Type == fast.Truth:
					f.masks = append(f.masks, f.regs[a]...)
				default:
					f.free = append(f.free, f.regs[a]...)
				}
			}
		})
	}
}

// take returns a register: one of those for a single operation, or of the segment.
func (f *function) take() uint8 {
	if len(f.free) == 0 {
		r := f.lanes.take()
		f.taken = append(f.taken, r)
		return r
	}
	r := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	return r
}

// list returns registers as a list.
func (f *function) list(regs ...uint8) []uint8 {
	f.room = append(f.room, regs...)
	return slices.Clip(f.room[len(f.room)-len(regs):])
}

func (f *function) isConstant(a int) bool { return a >= 0 && f.p.Steps[a].Op == fast.Const }

// operand returns part i of a value: a register, or the memory of a constant.
func (f *function) operand(a, part int) amd64.Operand {
	if !f.isConstant(a) {
		return amd64.V(amd64.Vec(f.reg(a, part, 0)))
	}
	s := &f.p.Steps[a]
	bits := s.Bits
	if s.Type != fast.Double {
		bits |= bits << 32
	}
	return f.c.constant64(bits)
}

// reg returns part i of a value in a register: a constant is loaded to the one given.
func (f *function) reg(a, part int, scratch uint8) uint8 {
	switch {
	case a < 0:
		return f.args[^a]
	case !f.isConstant(a):
		return f.regs[a][part]
	}
	load := amd64.VBROADCASTSS
	if f.p.Steps[a].Type == fast.Double {
		load = amd64.VBROADCASTSD
	}
	f.c.Emit(load, amd64.Args{D: scratch, Y: ctx(f.c.word(f.p.Steps[a].Bits))})
	return scratch
}

// functionOps are the steps on two values that are one instruction. The second value may be in
// memory; commutes says that the values may change places.
var functionOps = [fast.NumOps]struct {
	op       amd64.Op
	imm      int64
	commutes bool
}{
	fast.Add: {amd64.VADDPS, 0, true}, fast.Sub: {amd64.VSUBPS, 0, false}, fast.Mul: {amd64.VMULPS, 0, true},
	fast.Div: {amd64.VDIVPS, 0, false}, fast.Min: {amd64.VMINPS, 0, false}, fast.Max: {amd64.VMAXPS, 0, false},
	fast.And: {amd64.VPANDD, 0, true}, fast.Xor: {amd64.VPXORD, 0, true}, fast.AddW: {amd64.VPADDD, 0, true},
	fast.SubW: {amd64.VPSUBD, 0, false}, fast.Less: {amd64.VCMPPS, 0x11, false}, fast.Equal: {amd64.VCMPPS, 0, true},
	fast.Scale: {amd64.VSCALEFPS, 0, false}, fast.AddD: {amd64.VADDPD, 0, true}, fast.SubD: {amd64.VSUBPD, 0, false},
	fast.MulD: {amd64.VMULPD, 0, true}, fast.MinD: {amd64.VMINPD, 0, false}, fast.MaxD: {amd64.VMAXPD, 0, false},
	fast.DivD: {amd64.VDIVPD, 0, false},
}

// functionOnes are the steps on one value that are one instruction.
var functionOnes = [fast.NumOps]amd64.Op{fast.Sqrt: amd64.VSQRTPS, fast.Truncate: amd64.VCVTTPS2DQ,
	fast.ToFloat: amd64.VCVTDQ2PS, fast.ShiftL: amd64.VPSLLDImm, fast.ShiftRA: amd64.VPSRADImm}

// step compiles a step. release frees the registers of values that nothing after it uses.
func (f *function) step(i int, s *fast.Step, release func()) {
	c, x, y := f.c, s.Args[0], s.Args[1]
	define := func() {
		switch s.Type {
		case fast.Truth:
			n := len(f.masks) - 1
			if n < 0 {
				plan.Fail("%s needs too many mask registers", f.p.Name)
			}
			f.regs[i] = f.list(f.masks[n])
			f.masks = f.masks[:n]
		case fast.Double:
			f.regs[i] = f.list(f.take(), f.take())
		default:
			f.regs[i] = f.list(f.take())
		}
	}
	vector := func(r uint8) amd64.Operand { return amd64.V(amd64.Vec(r)) }
	if b := &functionOps[s.Op]; b.op != 0 {
		if b.commutes && f.isConstant(x) {
			x, y = y, x
		}
		// The first part, or a constant, must not overwrite an operand.
		early := s.Type == fast.Double || f.isConstant(x)
		constant := uint8(0)
		if early {
			define()
		}
		if f.isConstant(x) {
			constant = f.take()
			f.free = append(f.free, constant)
		}
		release()
		if !early {
			define()
		}
		for part, d := range f.regs[i] {
			c.Emit(b.op, amd64.Args{D: d, X: f.reg(x, part, constant), Y: f.operand(y, part), Imm: b.imm})
		}
		return
	}
	if op := functionOnes[s.Op]; op != 0 {
		release()
		define()
		c.Emit(op, amd64.Args{D: f.regs[i][0], Y: f.operand(x, 0), Imm: int64(s.Imm)})
		return
	}
	define() // before the operands are released, as there are several instructions
	d := f.regs[i][0]
	switch s.Op {
	case fast.Negative:
		c.Emit(amd64.VPMOVD2M, amd64.Args{D: d, Y: f.operand(x, 0)})
	case fast.Select:
		c.Emit(amd64.VBLENDMPS, amd64.Args{D: d, X: f.reg(s.Args[2], 0, d), Y: f.operand(y, 0),
			K: amd64.Mask(f.regs[x][0])})
	case fast.Widen:
		high := f.regs[i][1]
		c.Emit(amd64.VEXTRACTF64X4, amd64.Args{D: high, Y: f.operand(x, 0), Imm: 1})
		c.Emit(amd64.VCVTPS2PD, amd64.Args{D: high, Y: vector(high)})
		c.Emit(amd64.VCVTPS2PD, amd64.Args{D: d, Y: f.operand(x, 0)})
	case fast.SqrtD:
		for part, d := range f.regs[i] {
			c.Emit(amd64.VSQRTPD, amd64.Args{D: d, Y: f.operand(x, part)})
		}
	case fast.PowerD:
		for part, d := range f.regs[i] {
			c.Emit(amd64.VPADDQ, amd64.Args{D: d, X: f.reg(x, part, d), Y: c.constant64(1023)})
			c.Emit(amd64.VPSLLQImm, amd64.Args{D: d, Y: vector(d), Imm: 52})
		}
	case fast.Narrow, fast.Low:
		op, join := amd64.VCVTPD2PS, amd64.VINSERTF64X4
		if s.Op == fast.Low {
			op, join = amd64.VPMOVQD, amd64.VINSERTI64X4
		}
		high := f.take()
		c.Emit(op, amd64.Args{D: d, Y: f.operand(x, 0)})
		c.Emit(op, amd64.Args{D: high, Y: f.operand(x, 1)})
		c.Emit(join, amd64.Args{D: d, X: d, Y: vector(high), Imm: 1})
		f.free = append(f.free, high)
	default:
		plan.Fail("%s has an unknown operation %d", f.p.Name, s.Op)
	}
	release()
}

package vm

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// chooseScalar picks the function for an operation that works element by element.
func chooseScalar(o *op) func(*frame, *op) {
	switch o.code.IR() {
	case ir.OpSelect:
		return chooseSelect(o)
	case ir.OpBitcast:
		return func(f *frame, o *op) {
			for i := range f.counts[o.per] {
				f.setBits(o.d, o.size, i, f.operand(o.a, o.aa, o.size, i))
			}
		}
	}
	if fn := chooseLoop(o); fn != nil {
		return fn
	}
	return slow
}

// fast reports whether an operation is a function that fast math changes.
func (o *op) fast() bool { return o.in.Flags&ir.Fast != 0 && fast.Of(o.code.IR()) != nil }

// chooseLoop returns the generated loop for an operation, or nil if there is none.
func chooseLoop(o *op) func(*frame, *op) {
	irop := o.code.IR()
	isColumn := func(c lir.Class) bool { return o.per == lir.Once || c == o.per }
	switch {
	case o.in.From != ir.Void:
		if isColumn(o.aa) {
			return converting(irop, o.in.From, o.in.Kind)
		}
	case o.b < 0:
		if !isColumn(o.aa) {
			return nil
		}
		if o.fast() {
			return fastUnary(irop, o.in.Kind)
		}
		return unary(irop, o.in.Kind)
	case irop == ir.OpFMA && o.in.Kind == ir.F32:
		return chooseFused(o)
	case irop == ir.OpSExtract || irop == ir.OpUExtract:
		if isColumn(o.aa) && o.ba == lir.Once && o.ca == lir.Once {
			return chooseBitField(o, irop == ir.OpSExtract)
		}
	case o.c < 0:
		forms := pairwise(irop, o.in.Kind)
		if o.fast() {
			forms = fastPairwise(irop, o.in.Kind)
		}
		switch {
		case forms == nil:
		case isColumn(o.aa) && isColumn(o.ba):
			return forms[0]
		case isColumn(o.aa):
			return forms[1]
		case isColumn(o.ba):
			return forms[2]
		}
	}
	return nil
}

// slow executes any operation element by element, using its definition.
func slow(f *frame, o *op) {
	in := o.in
	from, to := in.Kind, in.Kind
	if in.From != ir.Void {
		from = in.From
	}
	switch irop := o.code.IR(); {
	case irop.Group() == ir.ComparisonOps:
		to = ir.I1
	case irop == ir.OpILogB:
		to = ir.I32
	}
	second := from.Size() // size of the operands after the first
	if o.code.IR() == ir.OpLdExp {
		second = 4
	}
	dsize := to.Size()
	d2size := dsize
	if o.code.IR() == ir.OpFrExp {
		d2size = 4
	}
	for i := range f.counts[o.per] {
		x := [4]uint64{f.operand(o.a, o.aa, from.Size(), i)}
		if o.b >= 0 {
			x[1] = f.operand(o.b, o.ba, sizeOr(o, 1, second), i)
		}
		if o.c >= 0 {
			x[2] = f.operand(o.c, o.ca, sizeOr(o, 2, second), i)
		}
		if len(o.more) > 0 {
			x[3] = f.operand(o.more[0].off, o.more[0].class, o.more[0].size, i)
		}
		r := num.Flagged(o.code.IR(), in.Flags, from, to, x)
		f.setBits(o.d, dsize, i, r[0])
		if o.d2 >= 0 {
			f.setBits(o.d2, d2size, i, r[1])
		}
	}
}

// sizeOr returns the size of operand i: the counts of bit-field operations have 32 bits.
func sizeOr(o *op, i, size int) int {
	switch o.code.IR() {
	case ir.OpSExtract, ir.OpUExtract:
		return 4
	case ir.OpBitInsert:
		if i == 2 {
			return 4
		}
	}
	return size
}

// logMessage sends a message of each thread to the launch's log. After one of an assertion the
// group ends where the strip waits or ends.
func logMessage(f *frame, o *op) {
	log := f.g.r.Launch.Log
	if log == nil && !slices.Contains(f.g.p.f.Module.Logs, ir.Assertion) {
		return
	}
	m := message.Message{Module: f.g.p.f.Module, Print: o.in.HIR, Group: f.g.number, Words: make([]uint64, len(o.more)-1)}
	f.each(f.mask(o.m), func(lane int) {
		operand := func(i int) uint64 { return f.operand(o.more[i].off, o.more[i].class, o.more[i].size, lane) }
		m.Log = uint32(operand(0))
		for i := range m.Thread {
			m.Thread[i] = f.g.pos[i]*f.g.r.Group[i] + int(f.coords[i][lane])
		}
		for i := range m.Words {
			m.Words[i] = operand(i + 1)
		}
		if f.g.asserted == nil && m.Name() == ir.Assertion {
			f.g.asserted = &exec.AssertionError{Text: m.Text()}
		}
		if log != nil {
			log(&m)
		}
	})
}

// outside reads a value of the launch, the module or the function.
func outside(f *frame, o *op) {
	in, l := o.in, f.g.r.Launch
	slot := func(list []uint64, i int) uint64 {
		if i >= 0 && i < len(list) {
			return list[i]
		}
		return 0
	}
	var x uint64
	switch o.code.IR() {
	case ir.OpIn:
		f.input(o)
		return
	case ir.OpArg:
		arg := &f.g.p.lir.Func.Args[in.Imm]
		for i := range f.counts[o.per] {
			at := arg.Index
			if o.a >= 0 {
				n := f.operand(o.a, o.aa, 4, i)
				if n >= uint64(arg.Count) {
					f.setBits(o.d, 8, i, 0)
					continue
				}
				at += int(n)
			}
			switch arg.Kind {
			case ir.ArgBuffer, ir.ArgFunctionTable:
				x = slot(l.Buffers, at)
			case ir.ArgThreadgroup:
				x = 0
				if at < len(f.g.args) {
					x = (exec.FirstSharedArg + uint64(at)) << 40
				}
			case ir.ArgTexture:
				x = slot(l.Textures, at)
			case ir.ArgSampler:
				x = slot(l.Samplers, at)
			}
			f.setBits(o.d, 8, i, x)
		}
		return
	case ir.OpFConst:
		x = f.g.r.Constants[in.Imm].Lanes[in.Disp]
	case ir.OpFConstDefined:
		if f.g.r.Constants[in.Imm].Defined {
			x = 1
		}
	case ir.OpGlobalAddr:
		x = (exec.FirstGlobal + uint64(in.Imm)) << 40
	case ir.OpSharedAddr:
		x = (exec.FirstShared + uint64(in.Imm)) << 40
	case ir.OpAlloca:
		x = (exec.FirstAlloca + uint64(in.Imm)) << 40
	case ir.OpSamplerConst:
		x = exec.FirstSampler + uint64(in.Imm)
	}
	f.setBits(o.d, o.size, 0, x)
}

// input reads the thread's position in the launch.
func (f *frame) input(o *op) {
	g, r := f.g, f.g.r
	c := o.in.Disp
	simds := func(group [3]int, width int) int { return (group[0]*group[1]*group[2] + width - 1) / width }
	var x int
	switch ir.Input(o.in.Imm) {
	case ir.SimdgroupIndexInThreadgroup:
		for i := range f.simds {
			f.setBits(o.d, 4, i, uint64(f.first/lir.SimdWidth+i))
		}
		return
	case ir.ThreadgroupPositionInGrid:
		x = g.pos[c]
	case ir.ThreadsPerGrid, ir.GridSize:
		x = r.Grid[c]
	case ir.DispatchThreadsPerThreadgroup:
		x = r.Group[c]
	case ir.ThreadgroupsPerGrid:
		x = r.Groups[c]
	case ir.DispatchSimdgroupsPerThreadgroup:
		x = simds(r.Group, lir.SimdWidth)
	case ir.DispatchQuadgroupsPerThreadgroup:
		x = simds(r.Group, 4)
	}
	f.setBits(o.d, 4, 0, uint64(x))
}

package vm

import (
	"log/slog"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Backend interprets kernels. The zero value is the fastest configuration; the results do not
// depend on it.
type Backend struct {
	Strip   int  // threads that execute an instruction together, a multiple of lir.SimdWidth; 0 is lir.MaxLanes
	PlainGo bool // without assembly loops
	// Machine compiles the parts of programs that it can to machine code; nil compiles none.
	Machine exec.MachineCompiler
	// Tiered interprets a program until it has done enough work for machine code to be worth
	// compiling.
	Tiered bool
	// Compiled, if not nil, is called for each compiled program, with its ranges of machine code.
	Compiled func(c exec.Code, ranges []*exec.MachineRange)
}

// Lanes implements exec.Backend.
func (b Backend) Lanes() int {
	if b.Strip == 0 {
		return lir.MaxLanes
	}
	return b.Strip
}

// Compile implements exec.Backend.
func (b Backend) Compile(c exec.Code) (exec.Program, error) {
	if b.Machine == nil || c.Watched || b.Machine.Available() != nil {
		return b.compile(c, nil)
	}
	if b.Tiered {
		p, err := b.compile(c, nil)
		if err != nil {
			return nil, err
		}
		return &improvable{p, b, c}, nil
	}
	return b.compile(c, b.Machine)
}

// improvable is an interpreted program for which there may be machine code.
type improvable struct {
	*program
	b Backend
	c exec.Code
}

// Improve implements exec.Improver.
func (p *improvable) Improve() exec.Program {
	if m, err := p.b.compile(p.c, p.b.Machine); err != nil {
		slog.Warn("software device: no machine code", "kernel", p.f.Name, "error", err)
	} else if m.ranges > 0 {
		return m
	}
	return nil
}

// compile compiles code, with machine code if there is a compiler for it.
func (b Backend) compile(c exec.Code, machine exec.MachineCompiler) (*program, error) {
	p := &program{f: c.Func, lir: c.LIR, watched: c.Watched, machine: machine,
		vectors: !c.Watched && !b.PlainGo && hasVectors()}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	if !p.watched && p.ranges == 0 { // their code knows no shorter strips
		p.narrow()
	}
	p.findLive()
	p.price()
	if b.Compiled != nil {
		b.Compiled(c, p.machineRanges())
	}
	return p, nil
}

// program is a kernel for one threadgroup shape, ready to run.
type program struct {
	f        *ir.Func // as compiled from source
	lir      *lir.Program
	ops      []op
	consts   []lir.Ref                // variables with an initial value
	coords   [][3][lir.MaxLanes]int32 // by strip, of its lanes
	globals  []exec.Object            // the module's
	samplers []*texel.Sampler         // declared by the kernel
	vectors  bool                     // assembly loops may be used
	machine  exec.MachineCompiler     // or nil
	ranges   int                      // number of ranges that are machine code
	// contextBytes is the memory of their contexts for each strip.
	contextBytes int64
	regions      int                     // number of regions in which strips may be shorter
	tallied      bool                    // groups have a tally
	watched      bool                    // operations report to the launch's hook
	work         int64                   // of all operations for one strip, once each
	start        int64                   // work of preparing a group for a threadgroup
	scratch      int64                   // bytes per group, without the threadgroup memory specified by launches
	live         map[*lir.Inst][]lir.Ref // what is used after a grid barrier
	// liveBytes is the most bytes of a strip's variables in live.
	liveBytes int64
	free      sync.Pool // *group
}

// prepare converts instructions to operations and computes what all groups share.
func (p *program) prepare() error {
	if err := p.makeOps(); err != nil {
		return err
	}
	l := p.lir
	for i := range l.Vars {
		if l.Vars[i].Const && l.Vars[i].Off >= 0 {
			p.consts = append(p.consts, lir.Ref(i))
		}
	}
	for _, v := range p.f.Module.Globals {
		p.globals = append(p.globals, exec.Object{Data: v.Data, ReadOnly: true})
	}
	for i := range p.f.Samplers {
		p.samplers = append(p.samplers, texel.NewSampler(&p.f.Samplers[i]))
	}
	p.coords = make([][3][lir.MaxLanes]int32, l.Strips)
	for i := range l.Shape[0] * l.Shape[1] * l.Shape[2] {
		c, lane := &p.coords[i/l.Lanes], i%l.Lanes
		c[0][lane] = int32(i % l.Shape[0])
		c[1][lane] = int32(i / l.Shape[0] % l.Shape[1])
		c[2][lane] = int32(i / l.Shape[0] / l.Shape[1])
	}
	return nil
}

// op is an instruction with the places of its variables resolved.
type op struct {
	fn     func(f *frame, o *op)
	in     *lir.Inst
	code   lir.Op
	target int32
	region int32 // region that a jump begins, or that opWiden restores
	work   int32 // charged to a strip for taking a jump; negative if the jump skips work already paid for

	d, d2, a, b, c, m int32 // places; -1 for none
	da, aa, ba, ca    lir.Class
	per               lir.Class
	size              int // of an element of Kind, in bytes
	more              []place

	compare *lir.Inst // the comparison that a select contains
	chain   []link
	machine *machineRange
}

// place is an operand with its class.
type place struct {
	off   int32
	class lir.Class
	size  int
}

// makeOps chooses how to execute each instruction.
func (p *program) makeOps() error {
	p.ops = make([]op, len(p.lir.Code))
	p.regions = 1
	reads := make([]int32, len(p.lir.Vars))
	drop := make([]bool, len(p.lir.Code))
	target := make([]bool, len(p.lir.Code)+1)
	var index indexes
	if p.watched {
		index = indexesOf(p.f)
	}
	for i := range p.lir.Code {
		in := &p.lir.Code[i]
		in.Reads(func(r lir.Ref) { reads[r]++ })
		if drop[i] = in.Op == lir.OpJumpNone && int(in.Target) == i+1; in.Op.IsJump() && !drop[i] {
			target[in.Target] = true
		}
	}
	for i := range p.lir.Code {
		in := &p.lir.Code[i]
		o := &p.ops[i]
		*o = op{in: in, code: in.Op, target: in.Target, per: in.Per, size: in.Kind.Size()}
		off := func(r lir.Ref) (int32, lir.Class) {
			if r == 0 {
				return -1, lir.Once
			}
			v := p.lir.Var(r)
			return v.Off, v.Class
		}
		o.d, o.da = off(in.D)
		o.d2, _ = off(in.D2)
		if in.Op.IR().Info().Has(ir.Atomic) && reads[in.D] == 0 && !p.watched {
			o.d = -1
		}
		o.a, o.aa = off(in.A)
		o.b, o.ba = off(in.B)
		o.c, o.ca = off(in.C)
		o.m, _ = off(in.Mask)
		for i, r := range append(in.More[:len(in.More):len(in.More)], in.Outs...) {
			at, class := off(r)
			if i >= len(in.More) && reads[r] == 0 && !p.watched {
				at = -1 // not needed
			}
			o.more = append(o.more, place{at, class, p.lir.Var(r).ElemSize()})
		}
		if err := o.choose(p); err != nil {
			return err
		}
		if p.watched {
			o.watch(index)
		}
	}
	if p.watched { // the hook sees every instruction
		return nil
	}
	if p.machine != nil {
		var err error
		if drop, target, err = p.addMachineCode(drop, target); err != nil {
			return err
		}
	}
	target = p.remove(drop, target)
	if p.vectors {
		drop = make([]bool, len(p.ops))
		for i := range p.ops {
			drop[i] = p.fuse(i, reads, target) || p.fuseSelect(i, reads, target)
		}
		target = p.remove(drop, target)
		p.remove(p.chains(reads, target), target)
	}
	p.tally()
	return nil
}

// remove removes operations. Jumps to them go to the next remaining one. It returns which of the
// remaining ones are jump targets.
func (p *program) remove(drop, target []bool) []bool {
	at := make([]int32, len(p.ops))
	left := make([]bool, len(p.ops)+1)
	n := int32(0)
	for i := range p.ops {
		at[i] = n
		left[n] = left[n] || target[i]
		if !drop[i] {
			p.ops[n] = p.ops[i]
			n++
		}
	}
	p.ops = p.ops[:n]
	for i := range p.ops {
		if p.ops[i].code.IsJump() {
			p.ops[i].target = at[p.ops[i].target]
		}
	}
	return left
}

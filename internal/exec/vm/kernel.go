package vm

import (
	"sync"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// Kernel is an entry point that can be run. Its programs are made when a threadgroup of their shape is first run.
type Kernel struct {
	f         *ir.Func
	o         KernelOptions
	constants []ir.Type // of the function's constants
	mu        sync.Mutex
	better    *ir.Func // what the passes made of f, when a program has been asked for
	programs  map[[3]int]*program
}

// KernelOptions say how a kernel is to be run. What it computes does not depend on them.
type KernelOptions struct {
	Lanes     int          // of a strip, a multiple of lir.SimdWidth; 0 is lir.MaxLanes
	Off       opt.Pass     // passes over the kernel that are left out
	OffLow    lir.Pass     // passes over its programs that are left out
	PlainGo   bool         // no loops in assembly
	Hook      hook.Hook    // told of what the kernel does, which is then run as it is written
	Constants []opt.FConst // function constants of every launch, by place in the function's list; nil leaves them to the launch
}

// NewKernel makes a kernel from a valid function.
func NewKernel(f *ir.Func) *Kernel { return NewKernelWith(f, KernelOptions{}) }

// NewKernelWith makes a kernel that runs as the options say.
func NewKernelWith(f *ir.Func, o KernelOptions) *Kernel {
	if o.Lanes == 0 {
		o.Lanes = lir.MaxLanes
	}
	if o.Hook != nil {
		o.Off = opt.All
	}
	k := &Kernel{f: f, o: o, programs: map[[3]int]*program{}}
	for i := range f.Constants {
		t, _ := ir.ParseType(f.Constants[i].Type)
		k.constants = append(k.constants, t)
	}
	return k
}

// optimised returns what the passes make of the function. k.mu is held.
func (k *Kernel) optimised() *ir.Func {
	if k.better == nil {
		k.better = k.f
		if k.o.Off != opt.All {
			k.better = k.f.Clone()
			opt.Run(k.better, opt.Options{Off: k.o.Off, Scalar: num.Scalar, Constants: k.o.Constants})
		}
	}
	return k.better
}

// program is a kernel for one shape, ready to run.
type program struct {
	lir      *lir.Program
	ops      []op
	consts   []lir.Ref                // variables that stand in frames from the start
	coords   [][3][lir.MaxLanes]int32 // of each strip's lanes
	globals  []Object                 // the module's
	samplers []*texel.Sampler         // that the kernel declares
	vectors  bool                     // loops in assembly may be used
	regions  int                      // in which strips may be shorter
	tallied  bool                     // groups have a tally
	hook     hook.Hook                // or nil
	free     sync.Pool                // *group
}

// program returns the program for a shape.
func (k *Kernel) program(shape [3]int) (*program, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.programs[shape]; p != nil {
		return p, nil
	}
	lower := build.ProgramOfWidth
	if k.o.Hook != nil {
		lower = build.Watched
	}
	l, err := lower(k.optimised(), shape, k.o.Lanes)
	if err != nil {
		return nil, err
	}
	if k.o.Hook == nil {
		l.Simplify(k.o.OffLow)
	}
	l.Allocate()
	p, err := k.ready(l)
	if err != nil {
		return nil, err
	}
	if k.o.Hook == nil {
		p.narrow()
	}
	if len(k.programs) >= mostPrograms {
		clear(k.programs)
	}
	k.programs[shape] = p
	return p, nil
}

// mostPrograms is how many programs a kernel keeps: the edges of grids of ever new sizes have ever new shapes.
const mostPrograms = 256

// ready makes a program of code that has its places in the frame.
func (k *Kernel) ready(l *lir.Program) (*program, error) {
	p := &program{lir: l, hook: k.o.Hook, vectors: k.o.Hook == nil && !k.o.PlainGo && hasVectors()}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	for i := range l.Vars {
		if l.Vars[i].Const && l.Vars[i].Off >= 0 {
			p.consts = append(p.consts, lir.Ref(i))
		}
	}
	for _, v := range k.f.Module.Globals {
		p.globals = append(p.globals, Object{Data: v.Data, ReadOnly: true})
	}
	for i := range k.f.Samplers {
		p.samplers = append(p.samplers, texel.NewSampler(&k.f.Samplers[i]))
	}
	p.coords = make([][3][lir.MaxLanes]int32, l.Strips)
	for i := range l.Shape[0] * l.Shape[1] * l.Shape[2] {
		c, lane := &p.coords[i/l.Lanes], i%l.Lanes
		c[0][lane] = int32(i % l.Shape[0])
		c[1][lane] = int32(i / l.Shape[0] % l.Shape[1])
		c[2][lane] = int32(i / l.Shape[0] / l.Shape[1])
	}
	return p, nil
}

// op is an instruction with its variables' places worked out.
type op struct {
	fn     func(f *frame, o *op)
	in     *lir.Inst
	code   lir.Op
	target int32
	region int32 // that a jump begins, or whose lanes are to be there again

	d, d2, a, b, c, m int32 // places; -1 for none
	da, aa, ba, ca    lir.Class
	per               lir.Class
	size              int // bytes of an element of Kind
	more              []place
}

// place is an operand with its class.
type place struct {
	off   int32
	class lir.Class
	size  int
}

func (p *program) prepare() error {
	p.ops = make([]op, len(p.lir.Code))
	p.regions = 1
	reads := make([]int32, len(p.lir.Vars))
	drop := make([]bool, len(p.lir.Code))
	target := make([]bool, len(p.lir.Code)+1)
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
		if in.Op.IR().Info().Has(ir.Atomic) && reads[in.D] == 0 && p.hook == nil {
			o.d = -1
		}
		o.a, o.aa = off(in.A)
		o.b, o.ba = off(in.B)
		o.c, o.ca = off(in.C)
		o.m, _ = off(in.Mask)
		for i, r := range append(in.More[:len(in.More):len(in.More)], in.Outs...) {
			at, class := off(r)
			if i >= len(in.More) && reads[r] == 0 && p.hook == nil {
				at = -1 // nobody wants to know
			}
			o.more = append(o.more, place{at, class, p.lir.Var(r).ElemSize()})
		}
		if err := o.choose(p); err != nil {
			return err
		}
		if p.hook != nil {
			o.watch(p.hook)
		}
	}
	if p.hook != nil { // which is to see all instructions
		return nil
	}
	target = p.remove(drop, target)
	if p.vectors {
		drop = make([]bool, len(p.ops))
		for i := range p.ops {
			drop[i] = p.fuse(i, reads, target)
		}
		p.remove(drop, target)
	}
	p.tally()
	return nil
}

// remove takes operations out. Jumps to them go to what comes next. It returns which of the rest are jumped to.
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

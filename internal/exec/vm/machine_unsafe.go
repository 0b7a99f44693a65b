package vm

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// opMachine runs a range of instructions as machine code. After it there is a jump for each exit of
// the range, then the range's operations, which run instead if an assumption of the code does not
// hold.
const opMachine = opWiden + 1

// machineRange is a range of machine code as the engine runs it.
type machineRange struct {
	*exec.MachineRange
	number   int
	objects  []int32 // where the pointers are, see placeOf
	handles  []int32 // where those of textures are, then those of queries
	samplers []int32 // where those of each texture's sampler are; 0 if it has none
	moves    []int   // objects that may be others in each threadgroup
	affine   []int32
	givens   []op  // that yield the given numbers
	work     int64 // of a threadgroup of a row
	calls    []op  // from the code
}

// machineRanges returns the ranges of a program that are machine code.
func (p *program) machineRanges() (list []*exec.MachineRange) {
	for i := range p.ops {
		if x := p.ops[i].machine; x != nil {
			list = append(list, x.MachineRange)
		}
	}
	return list
}

// addMachineCode inserts the compiled ranges of a program, before the operations are fused.
func (p *program) addMachineCode(drop, target []bool) ([]bool, []bool, error) {
	compiled, err := p.machine.Compile(p.lir)
	if err != nil || len(compiled) == 0 {
		return drop, target, err
	}
	at, roots := make([]int32, len(p.ops)+1), p.lir.Roots()
	begins := map[int]*exec.MachineRange{}
	for _, r := range compiled {
		begins[r.From] = r
	}
	n := int32(0)
	for i := range at {
		at[i] = n
		n++
		if r := begins[i]; r != nil {
			n += 1 + int32(len(r.Exits))
		}
	}
	var ops []op
	var drops, targets []bool
	add := func(o op, drop, target bool) {
		ops, drops, targets = append(ops, o), append(drops, drop), append(targets, target)
	}
	for i := range p.ops {
		begun := false
		if r := begins[i]; r != nil {
			x := &machineRange{MachineRange: r, number: p.ranges}
			p.ranges++
			p.contextBytes += r.ContextBytes()
			for j := range r.Objects {
				at := r.Objects[j].Pointer
				x.objects = append(x.objects, p.placeOf(r, at))
				if !roots[at] {
					x.moves = append(x.moves, j)
				}
			}
			for j := range r.Textures {
				x.handles = append(x.handles, p.placeOf(r, r.Textures[j].Handle))
				sampler := int32(0)
				if n := r.Textures[j].Sampler; n != 0 {
					sampler = p.placeOf(r, n)
				}
				x.samplers = append(x.samplers, sampler)
			}
			for j := range r.Queries {
				x.handles = append(x.handles, p.placeOf(r, r.Queries[j].Handle))
			}
			for _, v := range r.Affine {
				x.affine = append(x.affine, p.lir.Var(v).Off)
			}
			for _, g := range r.Givens {
				x.givens = append(x.givens, p.ops[slices.IndexFunc(p.ops, func(o op) bool { return o.in == g.Inst })])
			}
			x.addCalls(p.lir)
			add(op{code: opMachine, in: &lir.Inst{Op: opMachine}, machine: x}, false, true)
			for _, pc := range r.Exits {
				add(op{code: lir.OpJump, in: &lir.Inst{Op: lir.OpJump}, target: int32(pc), a: -1, m: -1}, false, true)
			}
			begun = true
		}
		add(p.ops[i], drop[i], target[i] || begun)
	}
	targets = append(targets, target[len(p.ops)])
	for i := range ops {
		if ops[i].code.IsJump() {
			ops[i].target = at[ops[i].target]
			targets[ops[i].target] = true
		}
	}
	for _, r := range compiled {
		targets[at[r.To]] = true
	}
	p.ops = ops
	return drops, targets, nil
}

// prepared is a range's context for a strip, and what it has already, which is set only once.
type prepared struct {
	exec.MachineContext
	launch  int      // the group's number of the launch whose objects it has, from 1
	group   int      // the group's number of the threadgroup whose position it has, from 1
	lanes   int      // of the strip
	objects []uint64 // which they are
	givens  []uint64 // those that do not move
}

// runMachine runs the range of an operation. It returns which of the operations behind it is next.
// done is false if the strip is out of fuel, and the operation must run again, or broken.
func (f *frame) runMachine(o *op) (next int, done bool) {
	x := o.machine
	if !f.suspended {
		if !f.prepareMachine(x) {
			return len(x.Exits), true
		}
		if c := &f.contexts[x.number]; x.Row || x.Moves && c.group != f.g.entered {
			c.group = f.g.entered
			c.SetGroups(&f.g.pos, 1, 0, nil, 1)
		}
		f.fuel -= x.Work
		f.g.machine += x.Work
	}
	exit := f.continueMachine(x)
	return exit, exit >= 0
}

// prepareMachine sets the context of a range; ok is false if an assumption of the code does not
// hold.
func (f *frame) prepareMachine(x *machineRange) (ok bool) {
	if f.contexts == nil {
		f.contexts = make([]prepared, f.g.p.ranges)
	}
	c := &f.contexts[x.number]
	if c.MachineContext == nil {
		f.newContext(x)
	}
	if x.Waits && !isEmpty(&f.passed) {
		return false
	}
	for _, off := range x.affine {
		if f.affine(off).Valid == 0 {
			return false
		}
	}
	if c.lanes != f.lanes {
		c.lanes = f.lanes
		c.SetStrip([3]int32{f.coords[0][0], f.coords[1][0], f.coords[2][0]}, &f.full)
	}
	same := c.launch == f.g.launch && f.g.tally == nil // a tally must know what the code accesses
	c.launch = f.g.launch
	if same {
		for _, i := range x.moves {
			if at := f.objectAt(x, i); !x.Objects[i].Dynamic && at != c.objects[i] {
				c.objects[i] = at
				f.setObject(x, i, at)
			}
		}
	} else {
		f.setGivens(x)
		for i := range x.objects {
			if x.Objects[i].Dynamic {
				c.Forget(i)
			} else {
				c.objects[i] = f.objectAt(x, i)
				f.setObject(x, i, c.objects[i])
			}
		}
	}
	if len(x.handles) > 0 || len(x.calls) > 0 {
		f.setTextures(x, c.MachineContext)
	}
	return true
}

// newContext makes the context of a range.
func (f *frame) newContext(x *machineRange) {
	var thread []byte
	if x.Thread {
		thread = f.thread[:pieces(len(f.thread))]
	}
	frame := unsafe.Slice((*byte)(f.base), f.g.p.lir.FrameBytes)
	f.contexts[x.number] = prepared{MachineContext: x.NewContext(frame, thread, f.width),
		objects: make([]uint64, len(x.objects)), givens: make([]uint64, len(x.givens))}
}

// begin returns where memory begins.
func begin(memory []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(memory)) }

// placeOf returns where a shared number of 64 bits is when a range begins: in the frame, or, if it
// is given to the range, minus one minus which of the given numbers it is.
func (p *program) placeOf(r *exec.MachineRange, n lir.Ref) int32 {
	if g := slices.IndexFunc(r.Givens, func(g exec.MachineGiven) bool { return g.Inst.D == n }); g >= 0 {
		return -1 - int32(g)
	}
	v := p.lir.Var(n)
	if v.Class == lir.Affine { // the header's base
		return v.Off + 8
	}
	return v.Off
}

// numberAt returns the number at a place that placeOf returned.
func (f *frame) numberAt(x *machineRange, place int32) uint64 {
	if place >= 0 {
		return *word[uint64](f, place)
	}
	i := int(-1 - place)
	if g := &x.Givens[i]; g.Moves {
		return uint64(f.g.pos[g.Inst.Disp])
	}
	return f.contexts[x.number].givens[i]
}

// objectAt returns which object a pointer of a range points into.
func (f *frame) objectAt(x *machineRange, i int) uint64 {
	return f.numberAt(x, x.objects[i]) >> exec.OffsetBits
}

// setGivens sets the given numbers of a range that do not depend on the threadgroup.
func (f *frame) setGivens(x *machineRange) {
	c := &f.contexts[x.number]
	for i := range x.givens {
		g := &x.Givens[i]
		if g.Moves {
			continue
		}
		v := uint64(f.first / lir.SimdWidth)
		if !g.Simdgroup {
			// Before the range yields the number, its place in the frame may be another variable's.
			o := &x.givens[i]
			place := word[uint64](f, o.d)
			before := *place
			outside(f, o)
			v = f.bitsAt(o.d, o.size, 0)
			*place = before
		}
		c.givens[i] = v
		c.SetGiven(i, v)
	}
}

// continueMachine runs a range that is prepared or suspended. It returns the number of the exit, or
// -1 if the strip is out of fuel or broken.
func (f *frame) continueMachine(x *machineRange) (exit int) {
	c := f.contexts[x.number].MachineContext
	exit, left, err := c.Run(f.fuel, f.suspended)
	for more := true; more && exit < 0 && err == nil; {
		switch n, handle, asks := c.Asked(); {
		case asks:
			f.setObject(x, n, handle)
		case exit < -1:
			f.callFromMachine(x, c, -2-exit)
		default:
			more = false
			continue
		}
		exit, left, err = c.Run(left, true)
	}
	if err != nil {
		f.broken = fmt.Errorf("%w: %w", exec.ErrScratch, err)
	}
	f.g.machine += f.fuel - left
	f.fuel = left
	f.suspended = exit < 0
	return exit
}

// refuel lets a strip go on that is out of fuel. It fails if the launch requires the strip to stop,
// or if the strip is broken.
func (f *frame) refuel(o *op) error {
	if f.broken != nil {
		return f.stopAt(o, f.broken)
	}
	return f.stopAt(o, f.pay(0))
}

// setObject sets an object of a range.
func (f *frame) setObject(x *machineRange, n int, handle uint64) {
	m := f.object(x.Objects[n].Space, handle)
	f.contexts[x.number].SetObject(n, m.Data, m.ReadOnly)
	if t := f.g.tally; t != nil && share(m.Data, t.data) {
		t.empty()
	}
}

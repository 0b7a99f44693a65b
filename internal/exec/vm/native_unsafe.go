package vm

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// opNative runs a range of instructions as machine code. After it there is a jump for each exit of
// the range, then the range's operations, which run instead if an assumption of the code does not
// hold.
const opNative = opWiden + 1

// native is a range as the engine runs it.
type native struct {
	r        *jit.Range
	number   int
	objects  []int32 // where the pointers are, see placeOf
	handles  []int32 // where those of textures are, then those of queries
	samplers []int32 // where those of each texture's sampler are; 0 if it has none
	moves    []int   // objects that may be others in each threadgroup
	affine   []int32
	givens   []op  // that yield the given numbers
	moving   []int // those that depend on the threadgroup
	work     int64 // of a threadgroup of a row
	calls    []op  // from the code
}

// ranges returns the ranges of a program that are machine code.
func (p *program) ranges() (list []*jit.Range) {
	for i := range p.ops {
		if x := p.ops[i].native; x != nil {
			list = append(list, x.r)
		}
	}
	return list
}

// addNatives inserts the compiled ranges of a program, before the operations are fused.
func (p *program) addNatives(drop, target []bool, o jit.Options) ([]bool, []bool, error) {
	compiled, err := jit.Compile(p.lir, o)
	if err != nil || len(compiled.Ranges) == 0 {
		return drop, target, err
	}
	at, roots := make([]int32, len(p.ops)+1), p.lir.Roots()
	begins := map[int]*jit.Range{}
	for _, r := range compiled.Ranges {
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
			x := &native{r: r, number: p.natives}
			p.natives++
			p.nativeBytes += r.ContextBytes()
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
			for j := range r.Givens {
				if r.Givens[j].Moves {
					x.moving = append(x.moving, j)
				}
			}
			for _, v := range r.Affine {
				x.affine = append(x.affine, p.lir.Var(v).Off)
			}
			for _, g := range r.Givens {
				x.givens = append(x.givens, p.ops[slices.IndexFunc(p.ops, func(o op) bool { return o.in == g.Inst })])
			}
			x.addCalls(p.lir)
			add(op{code: opNative, in: &lir.Inst{Op: opNative}, native: x}, false, true)
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
	for _, r := range compiled.Ranges {
		targets[at[r.To]] = true
	}
	p.ops = ops
	return drops, targets, nil
}

// prepared is a range's context for a strip, and what it has already, which is set only once.
type prepared struct {
	*jit.Context
	launch  int      // the group's number of the launch whose objects it has, from 1
	lanes   int      // of the strip
	objects []uint64 // which they are
}

// runNative runs the range of an operation. It returns which of the operations behind it is next.
// done is false if the strip is out of fuel, and the operation must run again, or broken.
func (f *frame) runNative(o *op) (next int, done bool) {
	x := o.native
	if !f.suspended {
		if !f.prepareNative(x) {
			return len(x.r.Exits), true
		}
		if x.r.Row {
			f.natives[x.number].SetRow(1, 0, nil, f.g.pos, 1)
		}
		f.fuel -= x.r.Work
		f.g.machine += x.r.Work
	}
	exit := f.continueNative(x)
	return exit, exit >= 0
}

// prepareNative sets the context of a range; ok is false if an assumption of the code does not
// hold.
func (f *frame) prepareNative(x *native) (ok bool) {
	if f.natives == nil {
		f.natives = make([]prepared, f.g.p.natives)
	}
	c := &f.natives[x.number]
	if c.Context == nil {
		f.newContext(x)
	}
	if x.r.Waits && !isEmpty(&f.passed) {
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
	f.setGivens(x, same)
	if same {
		for _, i := range x.moves {
			if at := f.objectAt(x, i); !x.r.Objects[i].Dynamic && at != c.objects[i] {
				c.objects[i] = at
				f.setObject(x, i, at)
			}
		}
	} else {
		for i := range x.objects {
			if x.r.Objects[i].Dynamic {
				c.Forget(i)
			} else {
				c.objects[i] = f.objectAt(x, i)
				f.setObject(x, i, c.objects[i])
			}
		}
	}
	if len(x.handles) > 0 || len(x.calls) > 0 {
		f.setTextures(x, c.Context)
	}
	return true
}

// newContext makes the context of a range.
func (f *frame) newContext(x *native) {
	c := jit.NewContext(x.r)
	c.SetFrame(f.base)
	if x.r.Thread != 0 {
		c.SetThread(f.thread[:pieces(len(f.thread))], f.width)
	}
	f.natives[x.number] = prepared{Context: c, objects: make([]uint64, len(x.objects))}
}

// placeOf returns where a shared number of 64 bits is when a range begins: in the frame, or, if it
// is given to the range, minus one minus which of the given numbers it is.
func (p *program) placeOf(r *jit.Range, n lir.Ref) int32 {
	if g := slices.IndexFunc(r.Givens, func(g jit.Given) bool { return g.Inst.D == n }); g >= 0 {
		return -1 - int32(g)
	}
	v := p.lir.Var(n)
	if v.Class == lir.Affine { // the header's base
		return v.Off + 8
	}
	return v.Off
}

// numberAt returns the number at a place that placeOf returned.
func (f *frame) numberAt(x *native, place int32) uint64 {
	if place < 0 {
		return f.natives[x.number].Given(int(-1 - place))
	}
	return *word[uint64](f, place)
}

// objectAt returns which object a pointer of a range points into.
func (f *frame) objectAt(x *native, i int) uint64 {
	return f.numberAt(x, x.objects[i]) >> exec.OffsetBits
}

// setGivens sets the given numbers of a range, or only those that depend on the threadgroup.
func (f *frame) setGivens(x *native, moved bool) {
	c := f.natives[x.number].Context
	for _, i := range x.moving {
		c.SetGiven(i, uint64(f.g.pos[x.r.Givens[i].Inst.Disp]))
	}
	if moved {
		return
	}
	for i := range x.givens {
		switch g := &x.r.Givens[i]; {
		case g.Moves:
		case g.Simdgroup:
			c.SetGiven(i, uint64(f.first/lir.SimdWidth))
		default:
			// Before the range yields the number, its place in the frame may be another variable's.
			o := &x.givens[i]
			place := word[uint64](f, o.d)
			before := *place
			outside(f, o)
			c.SetGiven(i, f.bitsAt(o.d, o.size, 0))
			*place = before
		}
	}
}

// continueNative runs a range that is prepared or suspended. It returns the number of the exit, or
// -1 if the strip is out of fuel or broken.
func (f *frame) continueNative(x *native) (exit int) {
	fuel := f.fuel
	if f.g.p.jit.Starve {
		fuel = 0
	}
	c := f.natives[x.number].Context
	exit, left, err := c.Run(fuel, f.suspended)
	for more := true; more && exit < 0 && err == nil; {
		switch n, handle, asks := c.Asked(); {
		case asks:
			f.setObject(x, n, handle)
		case exit < -1:
			f.callFromNative(x, c, -2-exit)
		default:
			more = false
			continue
		}
		exit, left, err = c.Run(left, true)
	}
	if err != nil {
		f.broken = fmt.Errorf("%w: %w", exec.ErrScratch, err)
	}
	f.fuel += left - fuel
	f.g.machine += fuel - left
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
func (f *frame) setObject(x *native, n int, handle uint64) {
	m := f.object(x.r.Objects[n].Space, handle)
	f.natives[x.number].SetObject(n, m.Data, m.ReadOnly)
	if t := f.g.tally; t != nil && share(m.Data, t.data) {
		t.empty()
	}
}

// Package build lowers a kernel to the low-level representation for threadgroups of one shape.
package build

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Program lowers a valid kernel for threadgroups of a shape. The result has no frame layout yet;
// see Allocate.
func Program(f *ir.Func, shape [3]int) (*lir.Program, error) {
	return ProgramOfWidth(f, shape, lir.MaxLanes)
}

// ProgramOfWidth is Program with strips of the given number of lanes: a multiple of lir.SimdWidth
// up to lir.MaxLanes.
func ProgramOfWidth(f *ir.Func, shape [3]int, lanes int) (*lir.Program, error) {
	return program(f, shape, lanes, false)
}

// Watched is ProgramOfWidth with a mask of the active lanes on every operation of package ir.
func Watched(f *ir.Func, shape [3]int, lanes int) (*lir.Program, error) {
	return program(f, shape, lanes, true)
}

func program(f *ir.Func, shape [3]int, lanes int, watched bool) (*lir.Program, error) {
	if lanes < lir.SimdWidth || lanes > lir.MaxLanes || lanes%lir.SimdWidth != 0 {
		return nil, fmt.Errorf("lir: kernel %q: strips of %d lanes", f.Name, lanes)
	}
	threads := 1
	for i, n := range shape {
		if n < 1 || n > ir.MaxThreads {
			return nil, fmt.Errorf("lir: kernel %q: threadgroup shape %v: component %d is not from 1 to %d", f.Name, shape, i,
				ir.MaxThreads)
		}
		threads *= n
	}
	if threads > ir.MaxThreads {
		return nil, fmt.Errorf("lir: kernel %q: threadgroup shape %v has %d threads, more than %d", f.Name, shape, threads,
			ir.MaxThreads)
	}
	size := 0
	f.Body.Walk(func(*ir.Instr) bool { size++; return true })
	p := &lir.Program{Name: f.Name, Shape: shape, Lanes: min(threads, lanes), Strips: (threads + lanes - 1) / lanes,
		Vars: make([]lir.Var, 1, 16+size*3/2), Code: make([]lir.Inst, 0, 16+size*3/2), Func: f}
	b := &builder{p: p, f: f, watched: watched, classes: classify(f, p), vals: make([][4]lir.Ref, f.NumValues()),
		addrs:  make([]*address, f.NumValues()),
		consts: map[constant]lir.Ref{}, targets: map[*ir.Instr]*target{}, movs: []map[moved]lir.Ref{{}}}
	b.uses()
	b.function()
	if p.ThreadBytes > ir.MaxThreadBytes {
		return nil, fmt.Errorf("lir: kernel %q: variables of %d bytes for each thread are more than %d", f.Name,
			p.ThreadBytes, ir.MaxThreadBytes)
	}
	return p, nil
}

type constant struct {
	kind ir.Kind
	bits uint64
}

// moved identifies a copy of a value in another class.
type moved struct {
	from  lir.Ref
	class lir.Class
}

type builder struct {
	*classes
	p    *lir.Program
	f    *ir.Func
	cur  *ir.Instr // the instruction being lowered
	mask lir.Ref   // the active lanes

	watched bool    // all operations of package ir have the mask of the active lanes
	ret     lir.Ref // lanes that have returned; 0 if lanes only return all together

	vals    [][4]lir.Ref // by Value.ID and component
	addrs   []*address   // pointers kept as root and index, by Value.ID
	plain   []bool       // by Value.ID: the pointer or index is needed as a value, not just inside addresses
	consts  map[constant]lir.Ref
	targets map[*ir.Instr]*target
	movs    []map[moved]lir.Ref  // available copies of values in other classes, by region, innermost last
	skips   [][]int32            // jumps to the end of each enclosing region
	held    map[int64][4]lir.Ref // by number of a register of lanes
	rounds  []lir.Ref            // iteration counts of enclosing loops with barriers, outermost first
}

// target is a Loop or Block that branches may go to.
type target struct {
	results []([4]lir.Ref)
	params  []([4]lir.Ref)
	out     lir.Ref // lanes that left it with results, if departures require a separate mask
	again   lir.Ref // lanes that continue the loop
	end     []int32 // jumps to after it
	next    []int32 // jumps to where the loop continues
	masks   bool
}

// emit appends an instruction and returns its index.
func (b *builder) emit(in lir.Inst) int32 {
	if b.cur != nil {
		in.Loc, in.HIR = b.cur.Loc, b.cur
	}
	if b.watched && in.Op.IR() != ir.OpInvalid {
		in.Mask = b.mask
	}
	b.p.Code = append(b.p.Code, in)
	return int32(len(b.p.Code) - 1)
}

// add appends an instruction added by the lowering itself, which hooks do not see.
func (b *builder) add(in lir.Inst) {
	cur := b.cur
	b.cur = nil
	b.emit(in)
	b.cur = cur
}

func (b *builder) here() int32 { return int32(len(b.p.Code)) }

// patch makes jumps go to the next instruction.
func (b *builder) patch(jumps []int32) {
	for _, at := range jumps {
		b.p.Code[at].Target = b.here()
	}
}

func (b *builder) newMask() lir.Ref { return b.p.NewVar(lir.Mask, ir.Void) }

// constant returns a Once constant.
func (b *builder) constant(k ir.Kind, bits uint64) lir.Ref {
	if w := k.Bits(); w > 0 && w < 64 {
		bits &= 1<<w - 1
	}
	key := constant{k, bits}
	if r, ok := b.consts[key]; ok {
		return r
	}
	r := b.p.NewVar(lir.Once, k)
	v := b.p.Var(r)
	v.Const, v.Bits = true, bits
	b.consts[key] = r
	return r
}

// newVar makes a variable for a component of a value.
func (b *builder) newVar(v *ir.Value, comp int) lir.Ref {
	r := b.p.NewVar(b.of[v.ID][comp], kindOf(v.Type))
	if v.Type.Kind == ir.Matrix {
		b.p.Var(r).Elem = v.Type.Elem
	}
	return r
}

// kindOf returns the kind of a value's components in frames: handles are 64-bit numbers.
func kindOf(t ir.Type) ir.Kind {
	switch t.Kind {
	case ir.Pointer, ir.Texture, ir.Sampler:
		return ir.I64
	}
	return t.Kind
}

// define makes the variables of a value's components.
func (b *builder) define(v *ir.Value) (refs [4]lir.Ref) {
	for i := range v.Type.Lanes() {
		refs[i] = b.newVar(v, i)
	}
	b.vals[v.ID] = refs
	return refs
}

// get returns the variable of a component.
func (b *builder) get(v *ir.Value, comp int) lir.Ref {
	if r := b.vals[v.ID][comp]; r != 0 {
		return r
	}
	if a := b.addrs[v.ID]; a != nil {
		return b.pointer(a, b.of[v.ID][0])
	}
	panic(fmt.Sprintf("lir: kernel %q: value %d of %v has not been lowered", b.f.Name, v.ID, v.Type))
}

// as returns a value as a variable that an instruction of the given class may read, either of that
// class or Once.
func (b *builder) as(r lir.Ref, c lir.Class) lir.Ref {
	v := b.p.Var(r)
	if v.Class == c || v.Class == lir.Once {
		return r
	}
	return b.move(r, c)
}

// move returns a copy of a value in another class. It reuses an earlier copy if that was made on
// every path to here.
func (b *builder) move(r lir.Ref, c lir.Class) lir.Ref {
	key := moved{r, c}
	for _, m := range b.movs {
		if d, ok := m[key]; ok {
			return d
		}
	}
	v := b.p.Vars[r]
	d := b.p.NewVar(c, v.Kind)
	b.p.Var(d).Elem = v.Elem
	b.emit(lir.Inst{Op: lir.OpMov, Kind: v.Kind, Per: c, D: d, A: r})
	b.movs[len(b.movs)-1][key] = d
	return d
}

// assign assigns the components of values to variables, in the lanes of the mask if merge is set,
// else in all.
func (b *builder) assign(to []([4]lir.Ref), from []*ir.Value, merge bool) {
	type pair struct{ d, a lir.Ref }
	var pairs []pair
	written := map[lir.Ref]bool{}
	for i, v := range from {
		for comp := range v.Type.Lanes() {
			d, a := to[i][comp], b.get(v, comp)
			if d == a {
				continue
			}
			pairs = append(pairs, pair{d, a})
			written[d] = true
		}
	}
	// All are read before any is written.
	for i, p := range pairs {
		if written[p.a] {
			v := b.p.Vars[p.a]
			t := b.p.NewVar(v.Class, v.Kind)
			b.p.Var(t).Elem = v.Elem
			b.emit(lir.Inst{Op: lir.OpMov, Kind: v.Kind, Per: v.Class, D: t, A: p.a})
			pairs[i].a = t
		}
	}
	for _, p := range pairs {
		d := b.p.Vars[p.d]
		in := lir.Inst{Op: lir.OpMov, Kind: d.Kind, Per: d.Class, D: p.d, A: p.a}
		if merge && b.mask != 0 {
			in.Op, in.Mask, in.A = lir.OpMerge, b.mask, b.as(p.a, lir.Lane)
		}
		b.emit(in)
	}
}

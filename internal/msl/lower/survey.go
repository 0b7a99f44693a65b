package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A survey determines, without lowering a function, whether lowering it can fail. It is
// conservative: it only vouches for what it knows, and anything that may lack a lowering or exceed
// a budget is left for lowering to find out. It visits each function once, however many kernels and
// calls use it, whereas lowering inlines every call.

// survey is the result for one function.
type survey struct {
	sure  bool  // lowering cannot fail, except for its size
	cells int64 // upper bound of the operations after inlining, and of the bytes divided by cellBytes
	depth int   // depth of its calls
	nest  int   // upper bound of the nesting of its regions
	busy  bool  // the survey is in progress
}

// cellBytes is how many bytes of representation one cell stands for: more than an instruction with
// its value and operands.
const cellBytes = 256

// maxCells caps the cell counts, which multiply along calls.
const maxCells = 1 << 50

// surveyor surveys the functions of a program.
type surveyor struct {
	m     *module
	funcs map[*typed.Func]*survey
	types map[types.Type]bool
	vars  map[*typed.Var]*survey
	poll  func() error

	// State of the current function.
	fn     *typed.Func
	now    *survey
	locals []*typed.Var // declared variables, by ID
	writes int64        // variable assignments so far, counted in values
	exits  int64        // statements so far that exit a loop, a switch or a function
	nest   int          // enclosing regions
}

func newSurveyor(m *module, poll func() error) *surveyor {
	return &surveyor{m: m, funcs: map[*typed.Func]*survey{}, types: map[types.Type]bool{},
		vars: map[*typed.Var]*survey{}, poll: poll}
}

// kernel reports whether lowering an entry point cannot fail.
func (s *surveyor) kernel(k *typed.Kernel) bool {
	for _, a := range k.Args {
		if !s.argument(a) {
			return false
		}
	}
	for _, c := range k.Constants {
		if !s.leaf(c.Type) {
			return false
		}
	}
	f := s.function(k.Func)
	cells := f.cells + int64(1+len(k.Args)+len(k.Constants))*argumentCells
	limits := s.m.opts.Kernel
	return f.sure && f.nest < maxNesting && f.depth < s.m.opts.MaxDepth &&
		cells <= limits.Steps && cells*cellBytes <= limits.Bytes
}

// argumentCells is the maximum cost of an entry point's argument.
const argumentCells = 16

func (s *surveyor) argument(a *typed.Arg) bool {
	if a.Condition != nil && a.Condition.Kind != typed.FunctionConstant {
		return false
	}
	switch a.Kind {
	case typed.ArgBuiltin:
		_, ok := ir.InputByName(a.Builtin)
		return ok && types.ElemOf(a.Var.Type) != nil && s.leaf(a.Var.Type)
	case typed.ArgBuffer:
		space := pointeeOf(a.Var.Type).Space
		return (space == types.Device || space == types.Constant) && s.leaf(a.Var.Type)
	case typed.ArgThreadgroup:
		return s.leaf(a.Var.Type)
	case typed.ArgTexture, typed.ArgSampler:
		elem := a.Elem
		if elem == nil {
			elem = a.Var.Type
		}
		return arrayElem(elem) == nil && s.leaf(a.Var.Type)
	}
	return false
}

// function surveys a function.
func (s *surveyor) function(f *typed.Func) *survey {
	if x := s.funcs[f]; x != nil {
		if x.busy { // recursive
			x.sure = false
			s.doubt()
		}
		return x
	}
	x := &survey{sure: f.Body != nil && s.poll() == nil, busy: true}
	s.funcs[f] = x
	if f.Body != nil {
		outer := *s
		s.nest = 0
		s.fn, s.now, s.locals, s.writes, s.exits = f, x, make([]*typed.Var, f.Locals), 0, 0
		for _, p := range f.Params {
			s.declare(p)
		}
		if f.Result != types.Void && !s.typ(f.Result) || isFuncPtr(f.Result) {
			x.sure = false
		}
		s.cost(f.Result)
		s.stmts(f.Body.List)
		s.carry(0, 0, 2) // for a function that is a loop
		s.nest = outer.nest
		s.fn, s.now, s.locals, s.writes, s.exits = outer.fn, outer.now, outer.locals, outer.writes, outer.exits
	}
	x.busy = false
	return x
}

// called surveys a callee of the current function.
func (s *surveyor) called(f *typed.Func) {
	x := s.function(f)
	s.now.sure = s.now.sure && x.sure
	s.add(x.cells)
	s.now.depth = max(s.now.depth, x.depth+1)
	s.now.nest = max(s.now.nest, s.nest+x.nest+1)
}

func (s *surveyor) add(cells int64) { s.now.cells = min(s.now.cells+min(cells, maxCells), maxCells) }

// doubt records that lowering the current function may fail.
func (s *surveyor) doubt() { s.now.sure = false }

// unsure calls doubt if the condition holds.
func (s *surveyor) unsure(is bool) {
	if is {
		s.doubt()
	}
}

// cost charges for an operation on a value.
func (s *surveyor) cost(t types.Type) {
	n := int64(1)
	if s.now.sure {
		n = max(int64(s.m.shape(t).leaves), 1)
	}
	s.add(4 + 6*n)
}

func (s *surveyor) declare(v *typed.Var) {
	s.unsure(!s.typ(v.Type) || isFuncPtr(v.Type))
	s.cost(v.Type)
	if v.ID >= 0 && v.ID < len(s.locals) && (s.locals[v.ID] == nil || s.locals[v.ID] == v) {
		s.locals[v.ID] = v
		return
	}
	s.doubt() // two variables with the same number
}

func (s *surveyor) block(b *typed.Block) {
	if b != nil {
		s.stmts(b.List)
	}
}

func (s *surveyor) stmts(list []typed.Stmt) {
	for _, st := range list {
		if !s.now.sure {
			return // the rest does not matter
		}
		s.stmt(st)
	}
}

// carry charges for a piece of control flow whose variables leave it as values, once for each of
// its arms.
func (s *surveyor) carry(writes, exits int64, arms int) {
	s.add((s.writes - writes) * (s.exits - exits + 4*int64(arms+1)))
}

// within surveys code that is lowered to nested regions.
func (s *surveyor) within(regions int, survey func()) {
	s.nest += regions
	s.now.nest = max(s.now.nest, s.nest)
	survey()
	s.nest -= regions
}

func (s *surveyor) stmt(st typed.Stmt) {
	s.add(4)
	writes, exits := s.writes, s.exits
	switch st := st.(type) {
	case *typed.Block:
		s.block(st)
	case *typed.VarDecl:
		s.varDecl(st)
	case *typed.ExprStmt:
		s.expr(st.X)
	case *typed.If:
		s.expr(st.Cond)
		s.within(1, func() {
			s.block(st.Then)
			s.block(st.Else)
		})
		s.carry(writes, exits, 2)
	case *typed.Loop:
		s.stmts(st.Init)
		s.within(2, func() {
			s.expr(st.Cond)
			s.expr(st.Post)
			s.block(st.Body)
		})
		s.carry(writes, exits, 2)
	case *typed.Switch:
		s.expr(st.X)
		s.within(3, func() {
			for _, c := range st.Cases {
				s.add(8 + 8*int64(len(c.Values)))
				for _, b := range c.Body {
					if d, ok := b.(*typed.VarDecl); ok {
						s.write(d.Var.Type)
					}
					s.stmt(b)
				}
			}
		})
		s.carry(writes, exits, len(st.Cases))
	case *typed.Break, *typed.Continue:
		s.exits++
	case *typed.Return:
		s.exits++
		s.expr(st.X)
		s.cost(s.fn.Result)
	default:
		s.doubt()
	}
}

func (s *surveyor) varDecl(d *typed.VarDecl) {
	v := d.Var
	switch v.Kind {
	case typed.StaticLocal, typed.Global, typed.FunctionConstant, typed.SpecConstant:
		return
	}
	s.declare(v)
	if v.Kind != typed.ThreadgroupLocal && v.Space != types.Threadgroup {
		s.expr(d.Init)
	}
}

// write records an assignment to a variable of a type.
func (s *surveyor) write(t types.Type) {
	if s.now.sure {
		s.writes += max(int64(s.m.shape(t).leaves), 1)
	}
}

// typ reports whether values of a type can be represented and its variables fit in memory.
func (s *surveyor) typ(t types.Type) bool {
	if ok, known := s.types[t]; known {
		return ok
	}
	s.types[t] = false // for a struct that contains itself
	ok := s.typeOf(t)
	s.types[t] = ok
	return ok
}

func (s *surveyor) typeOf(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic, *types.Enum, *types.Vector, *types.Packed, *types.Matrix, *types.Atomic,
		*types.SimdgroupMatrix, *types.Texture:
		return true
	case *types.Pointer, *types.Reference:
		q := pointeeOf(t)
		_, fn := q.Type.(*types.Func)
		return !fn && spaceOf(q.Space) != ir.NoSpace
	case *types.Opaque:
		return t.Name == "sampler"
	case *types.Array:
		return t.Len >= 0 && t.Size() <= ir.MaxAlloca && s.typ(t.Elem)
	case *types.Struct:
		for i := range t.Fields {
			if !s.typ(t.Fields[i].Type.Type) {
				return false
			}
		}
		return t.Size() <= ir.MaxAlloca
	}
	return false
}

// leaf reports whether values of a type are single SSA values.
func (s *surveyor) leaf(t types.Type) bool {
	return t != types.Type(types.Void) && s.typ(t) && s.m.shape(t).class == leaf
}

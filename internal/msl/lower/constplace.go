package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A program constant is used by its value where possible. It needs memory if it is an array or a
// large struct, or if something takes its address. Memory of constants is part of the module, so
// what it contains cannot depend on function constants, which the pipeline supplies. Each thread
// computes a constant that does in memory of its own, before the body of the entry point. Pointers
// to it point to constant memory for the program, and to thread memory for the engine;
// checkSpecPointers refuses what would confuse the two.

// programConstant reports whether v is a constant of the program, or a function constant.
func (l *lowerer) programConstant(v *typed.Var) bool {
	if l.fr.vars.of(v) != nil {
		return false
	}
	switch v.Kind {
	case typed.Global, typed.StaticLocal, typed.SpecConstant, typed.FunctionConstant:
		return v.Space != types.Threadgroup
	case typed.Local:
		return v.Value.IsValid()
	}
	return false
}

// inModule reports whether the memory of a constant can be part of the module.
func (l *lowerer) inModule(v *typed.Var) bool {
	return v.Kind != typed.FunctionConstant && (v.Value.IsValid() || v.Kind != typed.SpecConstant) && !samplersOf(v.Type)
}

// constantAddr returns the address of a program constant.
func (l *lowerer) constantAddr(v *typed.Var) *ir.Value {
	if l.inModule(v) {
		return l.globalOf(v)
	}
	if addr := l.spec[v]; addr != nil {
		return addr
	}
	if v.Kind != typed.FunctionConstant && v.Init == nil {
		l.unsupported(l.at, "the use of '%s' here", v.Name)
	}
	return l.specAddr(v)
}

// specAddr computes a constant that depends on function constants before the body of the entry
// point, or before the constant whose initializer refers to it, and returns its address.
func (l *lowerer) specAddr(v *typed.Var) *ir.Value {
	outer, loc := l.specBlock, l.b.Loc()
	fr, calls, places, scope, at := l.fr, l.calls, l.places, l.scope, l.at
	i := l.prologue
	if outer != nil {
		i = slices.Index(l.f.Body.Instrs[:i], outer)
	}
	var addr *ir.Value
	var block *ir.Instr
	l.prologue += l.b.Insert(i, func() {
		l.setLoc(v.Pos)
		addr = l.alloca(v.Type, v.Name)
		block = l.b.Block()
	})
	if l.spec == nil {
		l.spec = map[*typed.Var]*ir.Value{}
	}
	l.spec[v], l.specBlock = addr, block
	l.fr, l.scope = &frame{fn: l.k.Func, facts: &facts{}}, 0
	l.calls, l.places = l.calls[:1:1], l.places[:1:1]
	l.b.In(block.Regions[0], func() {
		to := place{typ: v.Type, addr: addr}
		if v.Kind == typed.FunctionConstant {
			l.store(to, l.load(l.varPlace(v)))
		} else {
			l.exprInto(to, v.Init)
		}
		l.b.Yield()
	})
	l.fr, l.calls, l.places, l.scope, l.specBlock = fr, calls, places, scope, outer
	l.at, l.lastAt = at, diag.NoPos
	l.b.SetLoc(loc)
	return addr
}

// constantPlace is like place, but a part of a program constant always has an address.
func (l *lowerer) constantPlace(e typed.Expr) place {
	switch e := e.(type) {
	case *typed.VarRef:
		if l.programConstant(e.Var) {
			l.setLoc(e.Pos())
			return place{typ: e.Typ, addr: l.constantAddr(e.Var)}
		}
	case *typed.Member:
		return l.member(l.constantPlace(e.X), e.X.Type(), e.Index)
	case *typed.Index:
		return l.element(l.constantPlace(e.X), e)
	case *typed.Swizzle:
		return l.swizzle(l.constantPlace(e.X), e.Comps, e.Typ)
	case *typed.Comma:
		l.effect(e.X)
		return l.constantPlace(e.Y)
	}
	return l.place(e)
}

// addressed lowers an expression of which the address is wanted.
func (l *lowerer) addressed(e typed.Expr) place {
	if e.Base().Space == types.Constant {
		return l.constantPlace(e)
	}
	return l.place(e)
}

// specArms reports whether all objects of a choice, and whether some, are parts of constants that
// depend on function constants.
func (l *lowerer) specArms(e typed.Expr) (all, some bool) {
	if c, ok := e.(*typed.Cond); ok {
		allX, someX := l.specArms(c.X)
		allY, someY := l.specArms(c.Y)
		return allX && allY, someX || someY
	}
	vs := roots(nil, e)
	is := len(vs) == 1 && l.programConstant(vs[0]) && !l.inModule(vs[0])
	return is, is
}

// pointer returns addr as a pointer of type t.
func (l *lowerer) pointer(at typed.Expr, addr *ir.Value, t types.Type) val {
	if want := l.leafType(t); addr.Type != want && !l.specPointer(addr, want) {
		l.unsupported(at.Pos(), "an address in '%v' memory where one in '%v' is required", addr.Type.Space, want.Space)
	}
	return leafVal(t, addr)
}

// specPointer reports whether a pointer that should have the type want may point to a constant that
// depends on function constants.
func (l *lowerer) specPointer(p *ir.Value, want ir.Type) bool {
	return len(l.spec) > 0 && want == ir.PointerTo(ir.Constant) && p.Type == ir.PointerTo(ir.Thread)
}

// sharePointerTypes gives the results of an If the types of both arms where these are pointers to
// constants that depend on function constants.
func (l *lowerer) sharePointerTypes(results []*ir.Value, arms [2][]*ir.Value) {
	for i, r := range results {
		for _, arm := range arms {
			if i < len(arm) && l.specPointer(arm[i], r.Type) {
				r.Type = arm[i].Type
			}
		}
	}
}

// checkSpecPointers reports pointers to constants that depend on function constants where the
// engine needs to know statically to which memory a pointer points: such a pointer may not be a
// choice between that constant and another one. storeAt reports those that are stored in memory.
func (l *lowerer) checkSpecPointers() {
	if len(l.spec) > 0 && l.f.Verify() != nil {
		l.mixedSpec()
	}
}

func (l *lowerer) mixedSpec() {
	var vars []*typed.Var
	for v := range l.spec {
		vars = append(vars, v)
	}
	v := slices.MinFunc(vars, func(x, y *typed.Var) int { return int(x.Pos) - int(y.Pos) })
	l.unsupported(v.Pos, "a pointer that may point to '%s', which depends on function constants, or to another constant",
		v.Name)
}

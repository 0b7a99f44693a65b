package check

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Why an expression is no constant.
type why uint8

const (
	whyNot   why = iota
	whySpec      // it depends on a function constant
	whySteps     // it takes too long
	whyDepth
)

// cell is an object during constant evaluation; an aggregate's parts are cells of their own.
type cell struct {
	val   types.Value
	parts []*cell
	typ   types.Type
	outer *cell // of an array element
	index int
}

type machine struct {
	c      *checker
	steps  int
	depth  int
	frames []map[*typed.Var]*cell
	ret    types.Value
	why    why
}

// stop ends an evaluation.
type stop struct {
	why    why
	reason string // of whyNot, or ""
}

type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
	flowReturn
)

// evaluate computes a constant expression; an invalid value means that it is none.
func (c *checker) evaluate(e typed.Expr) (v types.Value, w why) {
	if k, ok := e.(*typed.Const); ok {
		return k.Value, whyNot
	}
	m := &machine{c: c, frames: []map[*typed.Var]*cell{{}}}
	defer func() {
		c.lastWhy, c.lastReason = m.why, ""
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			v, w = types.Value{}, s.why
			c.lastWhy, c.lastReason = w, s.reason
		}
	}()
	v = m.rvalue(e)
	return v, m.why
}

func (c *checker) evalReason() string {
	switch c.lastWhy {
	case whySteps:
		return ": it takes more steps than the limit"
	case whyDepth:
		return ": calls are nested too deeply"
	case whySpec:
		return ": it depends on a function constant"
	}
	if c.lastReason != "" {
		return ": " + c.lastReason
	}
	return ""
}

// strictly runs f with those constant expressions refused whose value the language leaves undefined.
func (c *checker) strictly(f func()) {
	saved := c.strict
	c.strict = true
	defer func() { c.strict = saved }()
	f()
}

// constant is evaluate for those who only want to know the value.
func (c *checker) constant(e typed.Expr) (types.Value, bool) {
	switch e.(type) {
	case *typeOperand, *overload, *initList, *badExpr:
		return types.Value{}, false
	}
	v, _ := c.evaluate(c.constLoad(e))
	return v, v.IsValid()
}

// constLoad reads e and, if it is of a class type with a conversion to a number, converts it.
func (c *checker) constLoad(e typed.Expr) typed.Expr {
	if _, ok := e.Type().(*types.Struct); ok {
		v := c.viaUser(e, c.konst(e.Pos(), types.IntValue(types.Int, 0)), types.Add)
		return c.load(v)
	}
	return c.load(e)
}

// constInt evaluates an integer constant expression and reports what is none.
func (c *checker) constInt(x ast.Expr, what string) (int64, bool) {
	e := c.expr(x)
	if _, ok := e.(*badExpr); ok {
		return 0, false
	}
	var v types.Value
	ok := false
	c.strictly(func() { v, ok = c.constant(e) })
	b := v.Scalar()
	if !ok {
		switch e.(type) {
		case *typeOperand, *overload:
			c.value(e)
			return 0, false
		}
		c.errorf(diag.NotConstant, x, "%s is not a constant expression%s", what, c.evalReason())
		return 0, false
	}
	if b == nil || !b.IsInteger() {
		c.errorf(diag.NotConstant, x, "%s must be an integer, not '%s'", what, v.Type)
		return 0, false
	}
	n, _ := v.Int()
	return n, true
}

func (m *machine) fail(w why) { panic(stop{why: w}) }

// not ends an evaluation that has no constant value, for a reason.
func (m *machine) not(format string, args ...any) {
	panic(stop{why: whyNot, reason: fmt.Sprintf(format, args...)})
}

func (m *machine) step() { m.spend(1) }

// spend charges the evaluation for so many steps, before they take time and memory.
func (m *machine) spend(n int) {
	m.c.poll()
	m.steps += n
	m.c.steps += n
	if m.steps > m.c.opts.MaxSteps || m.c.steps > 8*m.c.opts.MaxSteps {
		m.fail(whySteps)
	}
}

// newCell makes an object of a value.
func (m *machine) newCell(t types.Type, v types.Value) *cell {
	c := &cell{typ: t, val: v}
	n := 0
	switch t := t.(type) {
	case *types.Array:
		n = max(t.Len, 0)
	case *types.Struct:
		n = len(t.Fields)
		if t.IsUnion() {
			m.fail(whyNot)
		}
	case *types.Vector, *types.Packed, *types.Matrix:
		if v.Elems == nil {
			if z, ok := types.Zero(t); ok {
				v = z
			}
		}
		n = len(v.Elems)
	default:
		return c
	}
	if n > 1<<16 {
		m.fail(whySteps)
	}
	m.spend(n)
	c.parts = make([]*cell, n)
	for i := range c.parts {
		et := partType(t, i)
		var ev types.Value
		if i < len(v.Elems) {
			ev = v.Elems[i]
		} else if v.Type != nil {
			ev, _ = types.Zero(et)
		}
		c.parts[i] = m.newCell(et, ev)
		c.parts[i].outer, c.parts[i].index = c, i
	}
	c.val = types.Value{}
	return c
}

func partType(t types.Type, i int) types.Type {
	switch t := t.(type) {
	case *types.Array:
		return t.Elem
	case *types.Struct:
		return t.Fields[i].Type.Type
	case *types.Vector:
		return t.Elem
	case *types.Packed:
		return t.Elem
	case *types.Matrix:
		return t.Column()
	}
	return nil
}

// value reads an object.
func (m *machine) value(c *cell) types.Value {
	if c.parts == nil {
		switch t := c.typ.(type) {
		case *types.Struct, *types.Array:
			return types.Aggregate(t, nil)
		}
		if !c.val.IsValid() {
			m.not("an object is read that has no value yet")
		}
		return c.val
	}
	m.spend(len(c.parts))
	elems := make([]types.Value, len(c.parts))
	for i, p := range c.parts {
		elems[i] = m.value(p)
	}
	return types.Aggregate(c.typ, elems)
}

// assign writes an object.
func (m *machine) assign(c *cell, v types.Value) {
	if c.parts == nil {
		c.val = v
		return
	}
	for i, p := range c.parts {
		if i >= len(v.Elems) {
			z, _ := types.Zero(p.typ)
			m.assign(p, z)
			continue
		}
		m.assign(p, v.Elems[i])
	}
}

// place evaluates an lvalue.
func (m *machine) place(e typed.Expr) *cell {
	m.step()
	switch e := e.(type) {
	case *typed.VarRef:
		if c := m.frames[len(m.frames)-1][e.Var]; c != nil {
			return c
		}
		switch {
		case e.Var.Value.IsValid():
			if c := m.c.cells[e.Var]; c != nil {
				return c
			}
			c := m.newCell(e.Var.Type, e.Var.Value)
			if m.c.cells == nil {
				m.c.cells = make(map[*typed.Var]*cell)
			}
			m.c.cells[e.Var] = c
			return c
		case e.Var.Kind == typed.FunctionConstant, e.Var.Kind == typed.SpecConstant:
			m.fail(whySpec)
		}
		if e.Var.Name == "this" {
			m.fail(whyNot)
		}
		m.not("the value of '%s' is not known when the program is compiled", e.Var.Name)
	case *typed.Deref:
		return m.pointee(m.rvalue(e.X))
	case *typed.Member:
		return m.place(e.X).part(m, e.Index)
	case *typed.Index:
		i, _ := m.rvalue(e.Index).Int()
		return m.place(e.X).part(m, int(i))
	case *typed.Swizzle:
		if len(e.Comps) == 1 {
			return m.place(e.X).part(m, int(e.Comps[0]))
		}
	case *typed.Temp:
		return m.newCell(e.Typ, m.rvalue(e.X))
	case *typed.Assign:
		v := m.rvalue(e.Y)
		m.store(e.X, v)
		return m.place(e.X)
	case *typed.CompoundAssign:
		m.compound(e)
		return m.place(e.X)
	case *typed.IncDec:
		m.incDec(e)
		return m.place(e.X)
	case *typed.Cond:
		if m.rvalue(e.C).Truth() {
			return m.place(e.X)
		}
		return m.place(e.Y)
	case *typed.Comma:
		m.rvalue(e.X)
		return m.place(e.Y)
	}
	m.fail(whyNot)
	return nil
}

func (c *cell) part(m *machine, i int) *cell {
	if i < 0 || i >= len(c.parts) {
		m.not("index %d is out of the bounds of '%s'", i, c.typ)
	}
	return c.parts[i]
}

func (m *machine) pointee(v types.Value) *cell {
	c, ok := v.Ref.(*cell)
	if !ok {
		m.fail(whyNot)
	}
	if v.Offset == 0 {
		return c
	}
	if c.outer == nil {
		m.fail(whyNot)
	}
	return c.outer.part(m, c.index+int(v.Offset))
}

// store writes an lvalue, swizzles included.
func (m *machine) store(e typed.Expr, v types.Value) {
	if s, ok := e.(*typed.Swizzle); ok && len(s.Comps) > 1 {
		p := m.place(s.X)
		for i, k := range s.Comps {
			m.assign(p.part(m, int(k)), v.Elems[i])
		}
		return
	}
	m.assign(m.place(e), v)
}

func (m *machine) conv(v types.Value, t types.Type) types.Value {
	r, err := types.Convert(v, t)
	if err != nil {
		m.fail(whyNot)
	}
	return r
}

func (m *machine) binary(op types.Op, x, y types.Value) types.Value {
	r, err := types.Binary(op, x, y)
	switch {
	case errors.Is(err, types.ErrDivideByZero):
		m.not("division by zero")
	case err != nil:
		m.fail(whyNot)
	}
	if m.c.strict {
		if why := undefined(op, x, y, r); why != "" {
			m.not("%s", why)
		}
	}
	return r
}

// undefined says why the language leaves the result r of an operation on integers undefined; "" if it does not.
func undefined(op types.Op, x, y, r types.Value) string {
	b, ok := r.Type.(*types.Basic)
	if !ok || !b.IsInteger() {
		return ""
	}
	n, _ := x.Int()
	k, _ := y.Int()
	width := int64(8 * b.Size())
	switch op {
	case types.Shl, types.Shr:
		if k < 0 || k >= width {
			return fmt.Sprintf("a value of %d bits is shifted by %d", width, k)
		}
		return ""
	case types.Add, types.Sub, types.Mul:
	default:
		return ""
	}
	if !b.IsSigned() {
		return ""
	}
	exact := new(big.Int)
	switch p, q := big.NewInt(n), big.NewInt(k); op {
	case types.Add:
		exact.Add(p, q)
	case types.Sub:
		exact.Sub(p, q)
	case types.Mul:
		exact.Mul(p, q)
	}
	if v, _ := r.Int(); !exact.IsInt64() || exact.Int64() != v {
		return fmt.Sprintf("%s does not fit in '%s'", exact, b)
	}
	return ""
}

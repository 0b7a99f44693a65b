package check

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

const maxExprDepth = 12000

// expr checks an expression. The result may be one of the operand nodes that are not values.
func (c *checker) expr(x ast.Expr) typed.Expr {
	if c.exprDepth++; c.exprDepth > maxExprDepth {
		c.limit(diag.ExprDepth, x.Pos(), "expressions are nested more than %d levels deep", maxExprDepth)
	}
	c.step()
	c.at = x.Pos()
	e := c.exprOf(x)
	c.exprDepth--
	if c.library != nil && c.opts.Record != nil {
		c.opts.Record.Types[x] = e.Type()
		if b, ok := e.Type().(*types.Basic); c.inC() || ok && b.IsArithmetic() && !c.inLibrary() {
			c.opts.Record.exprs[e] = x
		}
	}
	return e
}

func (c *checker) exprOf(x ast.Expr) typed.Expr {
	switch x := x.(type) {
	case *ast.IntLit:
		return c.intLit(x)
	case *ast.FloatLit:
		return c.floatLit(x)
	case *ast.CharLit:
		if c.wide(x, x.Text) {
			return c.badExpr(x)
		}
		v, _, err := token.ParseChar(x.Text)
		if err != nil {
			return c.badExpr(x)
		}
		if v < math.MinInt8 || v > math.MaxInt8 {
			c.warnf(diag.MultipleCharacters, x, "a character literal of several characters, of type 'int'")
			return c.konst(x.Pos(), types.IntValue(types.Int, v))
		}
		t := types.Char
		if c.inC() {
			t = types.Int
		}
		return c.konst(x.Pos(), types.IntValue(t, v))
	case *ast.StringLit:
		t := c.u.Pointer(Q{Type: types.Char, Const: true, Space: types.Constant})
		var text strings.Builder
		for _, s := range x.Texts {
			if c.wide(x, s) {
				return c.badExpr(x)
			}
			c.spend(1+len(s)/64, len(s))
			if v, _, err := token.Unquote(s); err == nil {
				text.WriteString(v)
			}
		}
		return c.konst(x.Pos(), types.RefValue(t, text.String()))
	case *ast.BoolLit:
		return c.konst(x.Pos(), types.BoolValue(x.Value))
	case *ast.NullptrLit:
		return c.konst(x.Pos(), types.NullValue(types.Nullptr))
	case *ast.ThisExpr:
		return c.thisExpr(x)
	case *ast.NameExpr:
		return c.nameExpr(x)
	case *ast.ParenExpr:
		return c.expr(x.X)
	case *ast.UnaryExpr:
		return c.unary(x)
	case *ast.PostfixExpr:
		return c.postfix(x)
	case *ast.BinaryExpr:
		return c.binary(x)
	case *ast.AssignExpr:
		return c.assign(x)
	case *ast.CondExpr:
		return c.cond(x)
	case *ast.CallExpr:
		return c.call(x)
	case *ast.ConstructExpr:
		return c.constructExpr(x)
	case *ast.IndexExpr:
		return c.index(x)
	case *ast.MemberExpr:
		return c.memberExpr(x)
	case *ast.CastExpr:
		return c.castExpr(x)
	case *ast.InitList:
		return c.initList(x)
	case *ast.SizeofExpr:
		return c.sizeof(x)
	case *ast.SizeofPackExpr:
		return c.sizeofPack(x)
	case *ast.NoexceptExpr:
		return c.konst(x.Pos(), types.BoolValue(true))
	case *ast.LambdaExpr:
		return c.lambdaExpr(x)
	case *ast.FoldExpr:
		return c.foldExpr(x)
	case *ast.TypeValue:
		return &typeOperand{rv(x, types.Void), c.writtenType("an argument", x.Type)}
	case *ast.PackExpr:
		c.errorf(diag.UnexpandedPack, x, "pack expansion is not allowed here")
	case *ast.DesignatedInit:
		c.errorf(diag.BraceAsValue, x, "designated initializer outside an initializer list")
	}
	return c.badExpr(x)
}

// wide reports a literal of wide characters.
func (c *checker) wide(x ast.Node, text string) bool {
	if text[0] != 'L' {
		return false
	}
	c.errorf(diag.NoWideChar, x, "wide characters are not supported in Metal")
	return true
}

// intLit checks an integer literal; all instances of a template share the result.
func (c *checker) intLit(x *ast.IntLit) typed.Expr {
	if k := c.literals[x]; k != nil {
		return k
	}
	l, err := token.ParseInt(x.Text)
	if err != nil && !errors.Is(err, token.ErrTooLarge) {
		return c.badExpr(x)
	}
	t := types.Int
	v := l.Value
	switch l.Suffix {
	case token.SuffixU:
		if t = types.UInt; v > 1<<32-1 {
			t = types.ULong
		}
	case token.SuffixL:
		if t = types.Long; v > 1<<63-1 {
			t = types.ULong
		}
	case token.SuffixUL:
		t = types.ULong
	default:
		switch {
		case v <= 1<<31-1:
		case v <= 1<<32-1 && l.Base != 10:
			t = types.UInt
		case v <= 1<<63-1:
			t = types.Long
		default:
			t = types.ULong
		}
	}
	k := c.konst(x.Pos(), types.UintValue(t, v))
	c.literals[x] = k
	return k
}

func (c *checker) floatLit(x *ast.FloatLit) typed.Expr {
	l, err := token.ParseFloat(x.Text)
	if err != nil {
		return c.badExpr(x)
	}
	t, v := types.Float, float64(l.Float32())
	switch l.Suffix {
	case token.NoSuffix:
		c.doubleLiteral(x)
	case token.SuffixL:
		c.errorf(diag.NoDouble, x, "'long double' is not supported in Metal")
	case token.SuffixH:
		t, v = types.Half, l.Half()
	case token.SuffixBF:
		t, v = types.BFloat, l.BFloat()
		c.needs(x, "bfloat", 310)
	}
	c.literalRange(x, t, v)
	return c.konst(x.Pos(), types.FloatValue(t, v))
}

func (c *checker) thisExpr(x ast.Node) typed.Expr {
	if c.fn != nil && c.fn.lambda != nil {
		if v := c.fn.lambda.captures["this"]; v != nil {
			return c.load(c.captured(v, x.Pos()))
		}
	}
	if c.fn == nil || c.fn.this == nil {
		if k := c.thisClass(); k != nil && c.unevaluated > 0 {
			return &typed.Zero{Info: rv(x, c.u.Pointer(Q{Type: k.st, Space: types.Thread}))}
		}
		c.errorf(diag.NoThis, x, "invalid use of 'this' outside of a non-static member function")
		return c.badExpr(x)
	}
	return c.load(c.varRef(c.fn.this, x.Pos()))
}

func (c *checker) thisClass() *class {
	for s := c.sc; s != nil; s = s.parent {
		if s.kind == classScope {
			return s.class
		}
	}
	return nil
}

// nameExpr resolves a name as a value, a set of functions or a type.
func (c *checker) nameExpr(x *ast.NameExpr) typed.Expr {
	n := x.Name
	last := n.Last()
	s, ok := c.qualifier(n)
	if !ok {
		return c.badExpr(x)
	}
	name := last.Ident
	if last.Kind == ast.PartOperator {
		name = opName(last.Op)
	} else if last.Kind != ast.PartIdent {
		if last.Kind == ast.PartDecltype {
			return &typeOperand{rv(x, types.Void), c.typ(last.Type)}
		}
		if last.Kind == ast.PartDestructor {
			c.errorf(diag.UnsupportedType, last, "not supported: a destructor in an expression")
		} else {
			c.errorf(diag.UnsupportedType, last, "not supported: a conversion function without an object")
		}
		return c.badExpr(x)
	}
	y := c.lookupPart(s, name)
	if c.infers() && s == nil && !last.HasArgs && c.isBuiltinVar(name, y) {
		return c.libraryCall(name, x)
	}
	if y.empty() {
		if e := c.specialName(x, name, last); e != nil {
			return e
		}
		c.undeclared(s, last, name, "name")
		return c.badExpr(x)
	}
	if y.ambiguous {
		c.ambiguousName(last, name)
		return c.badExpr(x)
	}
	if s != nil && s.class != nil && y.val != nil && !c.fieldAccess(s.class, name, last) {
		return c.badExpr(x)
	}
	return c.symExpr(x, y, last, s)
}

// symExpr returns the expression that a found name denotes.
func (c *checker) symExpr(x ast.Node, y *sym, p *ast.NamePart, s *scope) typed.Expr {
	switch v := y.val.(type) {
	case *variable:
		return c.variableExpr(v, x)
	case *constant:
		if v.fn != nil {
			return &overload{Info: rv(x, types.Void), name: v.fn.name, fns: []*function{v.fn}, scope: c.sc}
		}
		return c.konst(x.Pos(), v.value)
	case field:
		return c.fieldExpr(x, y.name, s)
	case *varTmpl:
		if !p.HasArgs {
			c.errorf(diag.MissingTemplateArgs, x, "use of variable template '%s' requires template arguments", y.name)
			return c.badExpr(x)
		}
		args := c.templateArgs(v.params, p.Args)
		for i := range args {
			if args[i].kind == argNone {
				return c.badExpr(x)
			}
		}
		inst := c.instVar(v, args, x)
		if inst == nil {
			return c.badExpr(x)
		}
		return c.variableExpr(inst, x)
	case *pack:
		c.errorf(diag.UnexpandedPack, x, "unexpanded parameter pack '%s'", y.name)
		return c.badExpr(x)
	}
	if len(y.fns) > 0 || len(y.lib) > 0 {
		o := &overload{Info: rv(x, types.Void), name: y.name, fns: y.fns, scope: c.sc, adl: s == nil}
		if p.HasArgs {
			if len(y.lib) == 0 && !slices.ContainsFunc(y.fns, (*function).isTemplate) {
				c.errorf(diag.NotATemplate, x, "'%s' is not a template", y.name)
				return c.badExpr(x)
			}
			if !c.knownArgs(y.fns, p.Args) {
				return c.badExpr(x)
			}
			o.targs = p.Args
			if len(o.targs) == 0 {
				o.targs = []ast.TemplateArg{}
			}
		}
		for _, ns := range y.lib {
			c.addLib(o, ns)
		}
		c.implicitObject(o, x)
		return o
	}
	if y.typ != nil {
		q, ok := c.typeOfPart(s, p)
		if !ok {
			return c.badExpr(x)
		}
		return &typeOperand{rv(x, types.Void), q}
	}
	c.errorf(diag.NotAValue, x, "unexpected namespace name '%s': expected expression", y.name)
	return c.badExpr(x)
}

// implicitObject supplies *this to methods that are named without an object.
func (c *checker) implicitObject(o *overload, x ast.Node) {
	if len(o.fns) == 0 || o.fns[0].class == nil {
		return
	}
	for _, f := range o.fns {
		if f.isMethod() {
			if c.fn != nil && (c.fn.this != nil || c.fn.lambda != nil && c.fn.lambda.captures["this"] != nil) {
				o.obj = c.toBase(c.deref(c.thisExpr(x)), f.class.st)
			}
			return
		}
	}
}

func (c *checker) fieldExpr(x ast.Node, name string, s *scope) typed.Expr {
	if c.fn == nil || c.fn.this == nil && (c.fn.lambda == nil || c.fn.lambda.captures["this"] == nil) {
		if c.unevaluated > 0 {
			k := c.thisClass()
			if s != nil && s.class != nil {
				k = s.class
			}
			if k != nil {
				if path, _ := k.st.Path(name); path != nil {
					p := &typed.Zero{Info: rv(x, c.u.Pointer(Q{Type: k.st, Space: types.Thread}))}
					return c.memberPath(c.deref(p), path, x.Pos())
				}
				for _, d := range k.decls {
					if d != nil && d.Name != nil && d.Name.Simple() == name {
						q := c.typ(d.Type)
						return &typed.Zero{Info: lv(x.Pos(), q)}
					}
				}
			}
		}
		c.errorf(diag.FieldWithoutObject, x, "invalid use of non-static data member '%s'", name)
		return c.badExpr(x)
	}
	obj := c.deref(c.thisExpr(x))
	st, ok := obj.Type().(*types.Struct)
	if !ok {
		return c.badExpr(x)
	}
	path, several := st.Path(name)
	if several {
		c.errorf(diag.AmbiguousMember, x, "member '%s' found in multiple base classes of '%s'", name, st)
		return c.badExpr(x)
	}
	if path == nil {
		c.errorf(diag.FieldWithoutObject, x, "member '%s' does not belong to an object of type '%s'", name, st)
		return c.badExpr(x)
	}
	return c.memberPath(obj, path, x.Pos())
}

// variableExpr refers to a variable, handling captures and variables that are checked lazily.
func (c *checker) variableExpr(v *variable, x ast.Node) typed.Expr {
	if v.bind != nil {
		return v.bind
	}
	if v.decl != nil && v.state == stateNew {
		c.lazyVar(v)
	}
	if v.state == stateBusy {
		c.errorf(diag.SelfReference, x,
			"variable '%s' declared with deduced type cannot appear in its own initializer", v.name)
		return c.badExpr(x)
	}
	if v.this {
		return c.captured(v, x.Pos())
	}
	if v.v == nil {
		return c.badExpr(x)
	}
	if v.owner != nil && c.fn != nil && v.owner != c.fn && v.owner.f != c.fn.f {
		if v.v.Value.IsValid() {
			return c.konst(x.Pos(), v.v.Value)
		}
		if c.unevaluated == 0 && v.v.Kind != typed.ThreadgroupLocal {
			c.errorf(diag.NotCaptured, x,
				"variable '%s' cannot be implicitly captured in a lambda with no capture-default specified", v.name)
			return c.badExpr(x)
		}
	}
	if c.unevaluated == 0 {
		c.useGlobal(v)
	}
	if v.pending {
		c.settle(v, types.None)
	}
	return c.varRef(v, x.Pos())
}

// useGlobal records that a global is used.
func (c *checker) useGlobal(v *variable) {
	switch v.v.Kind {
	case typed.Global, typed.FunctionConstant, typed.SpecConstant, typed.StaticLocal:
		if !c.usedGlobals[v.v] {
			c.usedGlobals[v.v] = true
			v.v.ID = len(c.prog.Globals)
			c.prog.Globals = append(c.prog.Globals, v.v)
		}
	}
}

func (c *checker) sizeof(x *ast.SizeofExpr) typed.Expr {
	var q Q
	if x.Type != nil {
		q = c.writtenType("the operand of sizeof", x.Type)
	} else {
		e := c.exprUnevaluated(x.X)
		if t, ok := e.(*typeOperand); ok {
			q = t.q
		} else {
			if o, ok := e.(*overload); ok {
				c.errorf(diag.BadOperands, x, "invalid application of 'sizeof' or 'alignof' to the function '%s'", o.name)
				return c.badExpr(x)
			}
			if m, ok := e.(*typed.Member); ok {
				if s, ok := m.X.Type().(*types.Struct); ok && s.Fields[m.Index].IsBits {
					c.errorf(diag.BadOperands, x,
						"invalid application of 'sizeof' or 'alignof' to bit-field '%s'", s.Fields[m.Index].Name)
					return c.badExpr(x)
				}
			}
			q = Q{Type: e.Type()}
			if c.inC() && q.Type == types.Type(types.Bool) && ast.IsOperation(x.X) {
				q.Type = types.Int
			}
			if _, literal := unparen(x.X).(*ast.StringLit); literal { // an array, though its value is a pointer
				if k, ok := e.(*typed.Const); ok {
					text, _ := k.Value.Ref.(string)
					q.Type = c.u.Array(types.Char, len(text)+1)
				}
			}
		}
	}
	if c.isBad(q.Type) {
		return c.badExpr(x)
	}
	if r, ok := q.Type.(*types.Reference); ok {
		q = r.Elem
	}
	if !c.need(q.Type, x) {
		return c.badExpr(x)
	}
	n := q.Type.Size()
	if x.Align {
		n = q.Type.Align()
	}
	return c.konst(x.Pos(), types.UintValue(types.ULong, uint64(n)))
}

func (c *checker) sizeofPack(x *ast.SizeofPackExpr) typed.Expr {
	y := c.lookup(x.Pack.Name)
	if y != nil {
		p, ok := y.val.(*pack)
		if !ok {
			p, ok = y.typ.(*pack)
		}
		if ok {
			return c.konst(x.Pos(), types.UintValue(types.ULong, uint64(len(p.elems))))
		}
	}
	c.errorf(diag.NoPackToExpand, x, "'%s' does not refer to the name of a parameter pack", x.Pack.Name)
	return c.badExpr(x)
}

// exprList checks arguments, expanding packs.
func (c *checker) exprList(list []ast.Expr) []typed.Expr {
	out := make([]typed.Expr, 0, len(list))
	for _, x := range list {
		if p, ok := x.(*ast.PackExpr); ok {
			if !c.expand(p.X, p, func() { out = append(out, c.expr(p.X)) }) {
				out = append(out, c.badExpr(p))
			}
			continue
		}
		out = append(out, c.expr(x))
	}
	return out
}

func (c *checker) cond(x *ast.CondExpr) typed.Expr {
	if x.Then == nil {
		c.errorf(diag.NoElvis, x, "'?:' without a middle operand is not supported in Metal")
		return c.badExpr(x)
	}
	ce := c.expr(x.Cond)
	if c.library != nil {
		if e := c.dialectCond(x, ce); e != nil {
			return e
		}
	}
	if v, ok := c.valueOrClass(ce).Type().(*types.Vector); ok && v.Elem == types.Bool {
		c.errorf(diag.VectorCondition, x.Cond, "condition of '?:' is a vector of type '%s'; use select()", v)
		return c.badExpr(x)
	}
	cv := c.toBool(ce, "condition")
	a, b := c.expr(x.Then), c.expr(x.Else)
	if c.anyBad(cv, a, b) {
		return c.badExpr(x)
	}
	if l, ok := a.(*initList); ok {
		a = c.implicit(l, Q{Type: b.Type()}, "operand")
	}
	if l, ok := b.(*initList); ok {
		b = c.implicit(l, Q{Type: a.Type()}, "operand")
	}
	ai, bi := a.Base(), b.Base()
	if ai.LValue && bi.LValue && ai.Typ == bi.Typ && types.SameSpace(ai.Space, bi.Space) {
		if _, ok := ai.Typ.(*types.Array); !ok && !vectorPart(a) && !vectorPart(b) {
			i := *ai
			i.At = x.Pos()
			i.Const = ai.Const || bi.Const
			return &typed.Cond{Info: i, C: cv, X: a, Y: b}
		}
	}
	t := c.commonType(a, b)
	if t == nil {
		c.errorf(diag.CondTypes, x, "incompatible operand types ('%s' and '%s')", a.Type(), b.Type())
		return c.badExpr(x)
	}
	if t == types.Type(types.Void) {
		return &typed.Cond{Info: rv(x, t), C: cv, X: c.discard(a), Y: c.discard(b)}
	}
	return &typed.Cond{Info: rv(x, t), C: cv, X: c.load(c.implicit(a, Q{Type: t}, "operand")),
		Y: c.load(c.implicit(b, Q{Type: t}, "operand"))}
}

// vectorPart reports whether an expression denotes components of a vector, which are no object: a
// choice between them is a value.
func vectorPart(e typed.Expr) bool {
	switch e := e.(type) {
	case *typed.Swizzle:
		return true
	case *typed.Index:
		return types.LenOf(e.X.Type()) > 0
	}
	return false
}

func (c *checker) anyBad(list ...typed.Expr) bool {
	for _, e := range list {
		if c.isBad(e.Type()) {
			return true
		}
	}
	return false
}

// commonType is the common type of both branches of a conditional.
func (c *checker) commonType(a, b typed.Expr) types.Type {
	av, bv := c.value(a), c.value(b)
	at, bt := av.Type(), bv.Type()
	if c.isBad(at) || c.isBad(bt) {
		return nil
	}
	if at == bt {
		return at
	}
	if u := types.Usual(at, bt); u != nil {
		return u
	}
	p, ok1 := at.(*types.Pointer)
	q, ok2 := bt.(*types.Pointer)
	if ok1 && ok2 && types.SameSpace(p.Elem.Space, q.Elem.Space) {
		for _, t := range []types.Type{p.Elem.Type, q.Elem.Type} {
			e := p.Elem
			e.Type = t
			e.Const, e.Volatile = p.Elem.Const || q.Elem.Const, p.Elem.Volatile || q.Elem.Volatile
			r := c.u.Pointer(e)
			if types.Implicit(at, r).OK() && types.Implicit(bt, r).OK() {
				return r
			}
		}
	}
	ka, kb := c.classify(a, Q{Type: bt}), c.classify(b, Q{Type: at})
	switch {
	case ka.ok && !kb.ok:
		return bt
	case kb.ok && !ka.ok:
		return at
	case ka.ok && kb.ok && ka.rank != kb.rank:
		if ka.rank < kb.rank {
			return bt
		}
		return at
	}
	return nil
}

// discard evaluates an expression for its side effects only.
func (c *checker) discard(e typed.Expr) typed.Expr {
	if e.Type() == types.Type(types.Void) || c.isBad(e.Type()) {
		return e
	}
	return &typed.Convert{Info: rvAt(e.Pos(), types.Void), Kind: typed.ConvVoid, X: e}
}

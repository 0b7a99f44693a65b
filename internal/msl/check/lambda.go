package check

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [expr.prim.lambda]: a lambda is an object of a class of its own, with a member for each capture
// and an operator() with the lambda's parameters and body, which is const unless it is mutable. A
// default capture takes the local variables that the body odr-uses.

// lambdaExpr creates a struct whose members are the captures and whose operator() is the body.
func (c *checker) lambdaExpr(x *ast.LambdaExpr) typed.Expr {
	if c.fn == nil && c.unevaluated == 0 && x.Default != ast.CaptureNone {
		c.errorf(diag.LambdaCapture, x, "non-local lambda expression cannot capture")
		return c.badExpr(x)
	}
	c.lambdas++
	d := &ast.RecordDecl{Span: x.Span, Key: ast.KeyStruct, Defined: true}
	k := c.newClass(fmt.Sprintf("lambda:%d", c.lambdas), d)
	k.sc.parent = c.sc
	k.state = stateDone
	l := &lambda{captures: make(map[string]*variable)}
	k.lambda = l
	agg := &typed.Aggregate{}
	var fields []types.Field
	add := func(name string, e typed.Expr, ref bool, n ast.Node) {
		if l.captures[name] != nil || c.isBad(e.Type()) {
			return
		}
		q := qOf(e)
		if !ref {
			e = c.load(e)
			q = Q{Type: e.Type()}
			fields = append(fields, types.Field{Name: name, Type: q})
		} else {
			q = Q{Type: c.u.Reference(q, false)}
			e = c.addr(e)
			fields = append(fields, types.Field{Name: name, Type: q})
		}
		v := &variable{name: name, q: q, this: true, field: len(fields) - 1, state: stateDone, class: k}
		l.captures[name] = v
		l.order = append(l.order, v)
		agg.Elems = append(agg.Elems, e)
		k.decls = append(k.decls, nil)
	}
	c.explicitCaptures(x, add)
	c.defaultCaptures(x, add)
	k.st.Complete(fields)
	agg.Info = rv(x, k.st)
	for _, v := range l.order {
		if v.name != "this" {
			k.sc.sym(v.name).val = v
		}
	}
	fd := &ast.FuncDecl{Span: x.Span, Params: x.Params, Variadic: x.Variadic, Quals: x.Quals, Result: x.Result,
		Body: x.Body, Attrs: x.Attrs, Member: true,
		Name: &ast.Name{Span: x.Span, Parts: []ast.NamePart{{Span: x.Span, Kind: ast.PartOperator, Op: token.LParen}}}}
	fd.Quals.Const = !x.Mutable
	if fd.Result == nil {
		fd.Result = &ast.AutoType{Span: x.Span}
	}
	f := &function{name: "operator()", decl: fd, scope: k.sc, class: k, lambda: l,
		tparams: autoParams(x.Params, x.Template)}
	k.sc.sym("operator()").fns = []*function{f}
	if !f.isTemplate() {
		c.signature(f)
	}
	return agg
}

func (c *checker) explicitCaptures(x *ast.LambdaExpr, add func(string, typed.Expr, bool, ast.Node)) {
	for i := range x.Captures {
		k := &x.Captures[i]
		switch {
		case k.Name == "this":
			add("this", c.thisExpr(k), false, k)
		case k.Init != nil:
			e := c.expr(k.Init)
			if !k.Ref {
				e = c.value(e)
			}
			add(k.Name, e, k.Ref, k)
		default:
			y := c.lookup(k.Name)
			if y == nil {
				c.undeclared(nil, k, k.Name, "name")
				continue
			}
			v, ok := y.val.(*variable)
			if !ok || v.owner == nil && !v.this {
				c.errorf(diag.LambdaCapture, k, "'%s' cannot be captured because it is not a local variable", k.Name)
				continue
			}
			add(k.Name, c.variableExpr(v, k), k.Ref, k)
		}
	}
}

// defaultCaptures captures the local variables named in the body.
func (c *checker) defaultCaptures(x *ast.LambdaExpr, add func(string, typed.Expr, bool, ast.Node)) {
	if x.Default == ast.CaptureNone {
		return
	}
	this := false
	ast.Inspect(x.Body, func(n ast.Node) bool {
		c.step()
		var name string
		switch n := n.(type) {
		case *ast.NameExpr:
			name = n.Name.Simple()
			if name == "" && len(n.Name.Parts) == 1 {
				name = n.Name.Parts[0].Ident
			}
		case *ast.ThisExpr:
			this = true
		}
		if name == "" {
			return true
		}
		y := c.lookup(name)
		if y == nil {
			return true
		}
		switch v := y.val.(type) {
		case *variable:
			if v.bind == nil && (v.owner == nil && !v.this || v.v != nil &&
				(v.v.Value.IsValid() || v.v.Kind == typed.ThreadgroupLocal)) || v.state != stateDone {
				return true
			}
			if v.owner != nil && c.fn != nil && v.owner != c.fn && v.owner.f != c.fn.f {
				return true
			}
			add(name, c.variableExpr(v, n), x.Default == ast.CaptureByRef, n)
		case field:
			this = true
		default:
			if len(y.fns) > 0 && y.fns[0].isMethod() {
				this = true
			}
		}
		return true
	})
	if this && c.fn != nil && (c.fn.this != nil || c.fn.lambda != nil) {
		if c.fn.lambda == nil || c.fn.lambda.captures["this"] != nil {
			add("this", c.thisExpr(x), false, x)
		}
	}
}

// captured refers to a captured variable in the lambda's body.
func (c *checker) captured(v *variable, pos diag.Pos) typed.Expr {
	if c.fn == nil || c.fn.this == nil {
		return c.badExpr(at{pos})
	}
	obj := c.deref(c.load(c.varRef(c.fn.this, pos)))
	if obj.Type() != types.Type(v.class.st) {
		// A nested lambda names a variable that the outer one has captured.
		return c.badExpr(at{pos})
	}
	return c.memberPath(obj, []int{v.field}, pos)
}

// lambdaFunction returns the function that a captureless lambda converts to, which has the body of
// its operator(). It returns nil if that does not have the required type.
func (c *checker) lambdaFunction(k *class, to types.Type) *function {
	p, ok := to.(*types.Pointer)
	if !ok || k.lambda == nil || len(k.lambda.order) > 0 {
		return nil
	}
	want, ok := p.Elem.Type.(*types.Func)
	if !ok {
		return nil
	}
	f := k.lambda.free
	if f == nil {
		call := k.sc.sym("operator()").fns[0]
		d := *call.decl
		d.Spec.Static = true
		f = &function{name: "operator()", decl: &d, scope: k.sc, class: k, lambda: k.lambda, tparams: call.tparams}
		k.lambda.free = f
	}
	return c.functionOfType(&overload{name: f.name, fns: []*function{f}, scope: c.sc}, want)
}

// foldExpr expands a fold over a pack.
func (c *checker) foldExpr(x *ast.FoldExpr) typed.Expr {
	isPack := func(e ast.Expr) bool { return e != nil && len(c.packsIn(e)) > 0 }
	pack, init, left := x.X, x.Y, false
	switch {
	case x.Y == nil:
	case x.X == nil:
		pack, init, left = x.Y, nil, true
	case !isPack(x.X):
		pack, init, left = x.Y, x.X, true
	}
	var elems []typed.Expr
	c.expand(pack, x, func() { elems = append(elems, c.expr(pack)) })
	if init != nil {
		e := c.expr(init)
		if left {
			elems = append([]typed.Expr{e}, elems...)
		} else {
			elems = append(elems, e)
		}
	}
	if c.anyBad(elems...) {
		return c.badExpr(x)
	}
	if len(elems) == 0 {
		switch x.Op {
		case token.AmpAmp:
			return c.konst(x.Pos(), types.BoolValue(true))
		case token.PipePipe:
			return c.konst(x.Pos(), types.BoolValue(false))
		case token.Comma:
			return &typed.Zero{Info: rv(x, types.Void)}
		}
		c.errorf(diag.EmptyFold, x,
			"unary fold expression has empty expansion for operator '%s' with no fallback value", x.Op)
		return c.badExpr(x)
	}
	join := func(a, b typed.Expr) typed.Expr {
		if x.Op == token.Comma {
			i := *b.Base()
			return &typed.Comma{Info: i, X: c.discard(a), Y: b}
		}
		if x.Op.IsAssign() {
			return c.assignTo(x.Op, a, b, x, at{x.Pos()})
		}
		op, _ := binaryOp(x.Op)
		return c.binaryExpr(op, a, b, x)
	}
	if left {
		e := elems[0]
		for _, r := range elems[1:] {
			e = join(e, r)
		}
		return e
	}
	e := elems[len(elems)-1]
	for i := len(elems) - 2; i >= 0; i-- {
		e = join(elems[i], e)
	}
	return e
}

package rewrite

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// vectorTypes are the scalar types of which vectors of 4 have no padding.
var vectorTypes = []string{"char", "uchar", "short", "ushort", "int", "uint", "half", "float"}

// componentwise are the functions that act on each component of a vector alone.
var componentwise = []string{"abs", "min", "max", "clamp", "saturate", "fma", "mad24", "mix", "step", "sign", "exp",
	"exp2", "log", "log2", "pow", "sqrt", "rsqrt", "sin", "cos", "tan", "tanh", "floor", "ceil", "round", "trunc",
	"fract", "fabs", "fmin", "fmax"}

// arithmetic are the operators that act on each component of a vector alone, and give its type.
var arithmetic = []token.Kind{token.Plus, token.Minus, token.Star, token.Slash, token.Percent, token.Amp, token.Pipe,
	token.Caret, token.Shl, token.Shr, token.Tilde}

// VectorWidth is how many elements a thread has after Vectorize.
const VectorWidth = 4

// Vectorize lets a thread do the work of [VectorWidth] neighbors with vectors: a quarter of the
// threads is launched, along x. All that the kernel does with its position must be to access the
// elements there, by arithmetic that acts on each element alone.
//
// The kernel may compare its position with a bound, to do nothing beyond it. Then the source is
// guarded: a thread whose elements are not all below the bound does its work one by one, so that
// the quarter may be rounded up.
func (k *Kernel) Vectorize() (source string, guarded bool, err error) {
	position := k.input("thread_position_in_grid")
	switch {
	case position == nil:
		return "", false, fmt.Errorf("%w: kernel %s has no thread_position_in_grid", ErrNot, k.name)
	case position.typ.text != "uint" && position.typ.text != "ushort":
		return "", false, k.not(position.node, "has the position as %s; want a single number", position.typ.text)
	}
	inside, work := k.guard(position)
	var edits []edit
	for _, s := range work {
		more, err := k.vectorStatement(s)
		if err != nil {
			return "", false, err
		}
		edits = append(edits, more...)
	}
	uses := 0 // of the position
	if guarded = inside != ""; guarded {
		uses++
	}
	statements := uses
	for _, p := range k.params {
		switch {
		case p == position:
			continue
		case p.space == "":
			return "", false, k.not(p.node, "takes %s, which is another for each thread", p.name)
		}
		at, err := k.atPosition(p, position)
		if err != nil {
			return "", false, err
		}
		if at == 0 {
			continue
		}
		if !slices.Contains(vectorTypes, p.typ.text) {
			return "", false, k.not(p.node, "has elements of type %s, which has no vectors of %d", p.typ.text,
				VectorWidth)
		}
		uses += at
		if guarded { // the parameter keeps its type, for single elements
			edits = append(edits, k.asVectors(p)...)
		} else {
			edits = append(edits, vectorOf(p.typ))
		}
	}
	if uses == statements || len(k.uses[position.name]) != uses {
		return "", false, fmt.Errorf("%w: kernel %s uses %s otherwise than as an index", ErrNot, k.name, position.name)
	}
	if !guarded {
		return k.apply(edits), false, nil
	}
	from, to := k.file.Offset(work[0].Pos()), k.file.Offset(work[len(work)-1].End())
	i, quarter := position.name, k.fresh(position.name+"_quarter")
	body := fmt.Sprintf("{ %s %s = %s * %d + %d; if (%s) { %[2]s = %[3]s; %[7]s } else "+
		"for (%[2]s = %[3]s * %[4]d; %[2]s < %[3]s * %[4]d + %[4]d && %[6]s; %[2]s++) { %[8]s } }", position.typ.text, i,
		quarter, VectorWidth, VectorWidth-1, inside, k.applyWithin(edits, from, to), k.file.Text[from:to])
	return k.apply([]edit{k.replace(position.node.Ident, quarter), k.replace(k.decl.Body, body)}), true, nil
}

// asVectors makes a buffer one of vectors where it is used.
func (k *Kernel) asVectors(p *param) (edits []edit) {
	constant := ""
	if p.constant && p.space == "device" {
		constant = "const "
	}
	for _, u := range k.uses[p.name] {
		edits = append(edits, k.replace(u.node, fmt.Sprintf("((%s %s%s%d *)%s)", p.space, constant, p.typ.text, VectorWidth,
			p.name)))
	}
	return edits
}

// guard returns the condition under which a kernel does its work at a position, and the work: if it
// begins with a return beyond a bound that all threads share, or is nothing but an if below one.
// Otherwise the condition is "".
func (k *Kernel) guard(position *param) (inside string, work []ast.Stmt) {
	list := k.decl.Body.List
	if len(list) == 0 {
		return "", list
	}
	s, ok := list[0].(*ast.IfStmt)
	if !ok || s.Constexpr || s.Init != nil || s.CondVar != nil || s.Else != nil {
		return "", list
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok {
		return "", list
	}
	below := map[token.Kind]bool{token.Less: true, token.LessEq: true, token.Greater: false, token.GreaterEq: false}
	less, ok := below[cond.Op]
	bound := cond.Y
	if x, named := cond.X.(*ast.NameExpr); !named || x.Name.Simple() != position.name {
		y, named := cond.Y.(*ast.NameExpr)
		if !named || y.Name.Simple() != position.name {
			return "", list
		}
		bound, less = cond.X, !less
	}
	if !ok || !k.shared(bound) {
		return "", list
	}
	then := []ast.Stmt{s.Then}
	if b, ok := s.Then.(*ast.BlockStmt); ok {
		then = b.List
	}
	if len(then) == 0 {
		return "", list
	}
	_, returns := then[0].(*ast.ReturnStmt)
	switch {
	case !less && returns && len(then) == 1 && len(list) > 1:
		return "!(" + k.text(cond) + ")", list[1:]
	case less && len(list) == 1:
		return "(" + k.text(cond) + ")", then
	}
	return "", list
}

// shared reports whether an expression is a number or an argument that all threads share.
func (k *Kernel) shared(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IntLit:
		return true
	case *ast.NameExpr:
		return slices.ContainsFunc(k.params, func(p *param) bool {
			return p.name == x.Name.Simple() && p.space == "constant" && !p.pointer
		})
	}
	return false
}

// vectorOf replaces the name of a scalar type.
func vectorOf(typ edit) edit { return edit{typ.from, typ.to, typ.text + fmt.Sprint(VectorWidth)} }

// atPosition returns how often a parameter is indexed by the position. Either all its uses are
// that, or none is.
func (k *Kernel) atPosition(p, position *param) (n int, err error) {
	for _, u := range k.uses[p.name] {
		if x, _, ok := accessOf(u); ok {
			if i, ok := x.Index.(*ast.NameExpr); ok && i.Name.Simple() == position.name {
				n++
			}
		}
	}
	if n != 0 && n != len(k.uses[p.name]) {
		return 0, k.not(k.uses[p.name][0].node, "and others use %s also at another index than %s", p.name, position.name)
	}
	return n, nil
}

// vectorStatement returns the edits that make the types in a statement vectors. It fails for what
// does not act on each component alone.
func (k *Kernel) vectorStatement(s ast.Stmt) (edits []edit, err error) {
	switch s.(type) {
	case *ast.DeclStmt, *ast.ExprStmt, *ast.EmptyStmt:
	default:
		return nil, k.not(s, "may be different for neighbors")
	}
	ast.Inspect(s, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		ok := true
		switch n := n.(type) {
		case *ast.NamedType, *ast.BasicType:
			typ := k.typeWord(n)
			if edits = append(edits, vectorOf(typ)); !slices.Contains(vectorTypes, typ.text) {
				err = k.not(n, "has a value of type %s", k.text(n))
			}
			return false
		case *ast.CallExpr:
			f, named := n.Fun.(*ast.NameExpr)
			switch {
			case named && slices.Contains(vectorTypes, f.Name.Simple()):
				edits = append(edits, k.replace(f, f.Name.Simple()+fmt.Sprint(VectorWidth)))
			case !named || !slices.Contains(componentwise, f.Name.Last().Ident):
				err = k.not(n, "calls %s, which is not known to act on each component alone", k.text(n.Fun))
			}
		case *ast.BinaryExpr:
			ok = slices.Contains(arithmetic, n.Op)
		case *ast.UnaryExpr:
			ok = slices.Contains(arithmetic, n.Op) && n.Op != token.Star && n.Op != token.Amp
		case *ast.CondExpr, *ast.MemberExpr, *ast.LambdaExpr, *ast.InitList, *ast.SizeofExpr, *ast.PostfixExpr,
			*ast.PointerType, *ast.ReferenceType, *ast.ArrayType:
			ok = false
		}
		if !ok && err == nil {
			err = k.not(n, "has %s, which may not act on each component alone", k.text(n))
		}
		return err == nil
	})
	return edits, err
}

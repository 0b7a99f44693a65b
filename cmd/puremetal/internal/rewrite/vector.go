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
func (k *Kernel) Vectorize() (string, error) {
	position := k.input("thread_position_in_grid")
	switch {
	case position == nil:
		return "", fmt.Errorf("%w: kernel %s has no thread_position_in_grid", ErrNot, k.name)
	case position.typ.text != "uint" && position.typ.text != "ushort":
		return "", k.not(position.node, "has the position as %s; want a single number", position.typ.text)
	}
	var edits []edit
	for _, s := range k.decl.Body.List {
		more, err := k.vectorStatement(s)
		if err != nil {
			return "", err
		}
		edits = append(edits, more...)
	}
	positions, types := 0, len(edits)
	for _, p := range k.params {
		switch {
		case p == position:
			continue
		case p.space == "":
			return "", k.not(p.node, "takes %s, which is another for each thread", p.name)
		}
		at, err := k.atPosition(p, position)
		if err != nil {
			return "", err
		}
		if at == 0 {
			continue
		}
		if !slices.Contains(vectorTypes, p.typ.text) {
			return "", k.not(p.node, "has elements of type %s, of which there are no vectors of %d", p.typ.text,
				VectorWidth)
		}
		positions += at
		edits = append(edits, vectorOf(p.typ))
	}
	if len(edits) == types || len(k.uses[position.name]) != positions {
		return "", fmt.Errorf("%w: kernel %s uses %s otherwise than as an index", ErrNot, k.name, position.name)
	}
	return k.apply(edits), nil
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

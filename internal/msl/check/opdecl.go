package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [over.oper]: an operator function is a member or has a parameter of class or enumeration type,
// and as many operands as the operator; =, (), [] and -> must be members. Postfix ++ and -- have an
// int parameter.

// operands returns how many operands an operator may have, from and to; 0 means any number.
func operands(op token.Kind) (from, to int) {
	switch op {
	case token.LParen:
		return 0, 0
	case token.Not, token.Tilde, token.Arrow:
		return 1, 1
	case token.Plus, token.Minus, token.Star, token.Amp, token.PlusPlus, token.MinusMinus:
		return 1, 2
	}
	return 2, 2
}

// operatorDecl checks an operator declaration: its number of operands, that it is a member where it
// must be, and that it does not redefine operators of built-in types.
func (c *checker) operatorDecl(f *function) {
	d := f.decl
	if d.Name.Last().Kind != ast.PartOperator || c.inPrelude {
		return
	}
	op := d.Name.Last().Op
	n := len(d.Params)
	for _, p := range d.Params {
		if _, pack := p.Type.(*ast.PackType); pack {
			return
		}
	}
	if f.class != nil && !d.Spec.Friend {
		n++
	} else {
		switch op {
		case token.Assign, token.LParen, token.LBrack, token.Arrow:
			c.errorf(diag.BadOperator, d.Name, "overloaded '%s' must be a non-static member function", f.name)
			return
		}
	}
	if from, to := operands(op); to > 0 && (n < from || n > to) {
		c.errorf(diag.BadOperator, d.Name, "overloaded '%s' cannot have %s", f.name, number(n, "operand"))
		return
	}
	if f.class != nil || f.isTemplate() || !c.signature(f) {
		return
	}
	for _, q := range f.params {
		t := q.Type
		if r, ok := t.(*types.Reference); ok {
			t = r.Elem.Type
		}
		switch t.(type) {
		case *types.Basic, *types.Vector, *types.Pointer, *types.Array:
		default:
			return
		}
	}
	c.errorf(diag.BadOperator, d.Name,
		"overloaded '%s' must have at least one parameter of class or enumeration type", f.name)
}

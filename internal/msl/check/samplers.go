package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// constantSampler rejects a sampler that is made in the program but not constexpr. A copy of a
// sampler is allowed.
func (c *checker) constantSampler(q Q, d *ast.VarDecl, program bool) {
	if !isSampler(q.Type) || d.Spec.Constexpr || d.Spec.Extern {
		return
	}
	if copied := d.InitKind != ast.NoInit && d.InitKind != ast.ParenInit; copied && !program ||
		d.InitKind == ast.ParenInit && !program && c.copiesSampler(d.Args) {
		return
	}
	c.errorf(diag.NotConstant, d, "sampler variable must be declared constexpr")
}

// copiesSampler reports whether a sampler is made from another.
func (c *checker) copiesSampler(args []ast.Expr) bool {
	return len(args) == 1 && isSampler(c.exprUnevaluated(args[0]).Type())
}

// constantProperties reports a non-constant property of a constexpr sampler or of one in an array
// of them.
func (c *checker) constantProperties(d *ast.VarDecl, init typed.Expr) {
	if a, ok := init.(*typed.Aggregate); ok && isSampler(a.Typ) {
		for _, e := range a.Elems {
			c.constantProperties(d, e)
		}
	}
	b, ok := init.(*typed.Builtin)
	if !ok || !d.Spec.Constexpr || !isSampler(b.Typ) {
		return
	}
	for _, a := range b.Args {
		if _, enum := a.Type().(*types.Enum); !enum {
			continue
		}
		if _, err := c.constant(a, consteval.Wrapping); err != nil {
			c.notConstant(at{a.Pos()}, err, "property of a constexpr sampler")
			return
		}
	}
}

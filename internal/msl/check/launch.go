package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// launched instantiates a kernel for a launch in the program of the host, whose explicit
// instantiation has the types of the arguments as far as they are known.
func (c *checker) launched(fns []*function, d *ast.ExplicitInstantiation, e *ast.FuncDecl) {
	var args []typed.Expr
	for _, p := range e.Params {
		q := c.typ(p.Type)
		info := rv(p, q.Type)
		if r, ok := q.Type.(*types.Reference); ok { // a value, which kernels read from constant memory
			q = Q{Type: r.Elem.Type}
			info = lv(p.Pos(), withSpace(q, types.Constant))
		}
		if s, ok := q.Type.(*types.Struct); ok && s.Name == "cuda::__unknown" || c.isBad(q.Type) {
			args = append(args, &badExpr{rv(p, c.bad)})
			continue
		}
		args = append(args, &typed.Zero{Info: info})
	}
	var found *function
	for _, f := range fns {
		if !f.isTemplate() || len(f.decl.Params) < len(args) || c.stage(f.decl) != "kernel" {
			continue
		}
		c.try(func() {
			if g := c.deduceCall(f, e.Name.Last().Args, args, c.sc); g != nil && found == nil {
				found = g
			}
		})
	}
	if found == nil {
		for _, f := range fns {
			if !f.isTemplate() && len(e.Name.Last().Args) == 0 {
				return // the launch is one of a kernel that is no template
			}
		}
		c.warnf(diag.DialectInstance, e.Name,
			"the launch of '%s' does not tell which instance of the template it needs", funcName(e.Name))
		return
	}
	c.instantiated(found, d, e.Attrs, true)
}

// withoutInstance warns of each template of a kernel of which the program has no instance: there is
// nothing to run.
func (c *checker) withoutInstance() {
	for _, f := range c.kernelTmpls {
		if !c.entries[f] {
			c.warnf(diag.DialectInstance, f.decl.Name, "kernel '%s' is left out: it is a template, and no launch in the "+
				"file says for which arguments", f.name)
		}
	}
}

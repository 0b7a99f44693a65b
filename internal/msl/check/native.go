package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// native resolves [[puremetal::native("name")]] on an entry point, which allows the software device
// to run the Go body of that name instead. The two are assumed to compute the same, so a mistake
// here is an error, unlike one in another compiler's attribute.
func (c *checker) native(k *typed.Kernel, attrs []*ast.Attr) {
	at := slices.IndexFunc(attrs, func(a *ast.Attr) bool { return a.Scope == "puremetal" })
	if at < 0 {
		return
	}
	a := attrs[at]
	if a.Name != "native" {
		c.errorf(diag.AttributeArgs, a, "there is no attribute 'puremetal::%s'; 'puremetal::native' is the only one", a.Name)
		return
	}
	var name string
	if len(a.Args) == 1 {
		if x, ok := c.expr(a.Args[0]).(*typed.Const); ok {
			name, _ = x.Value.Ref.(string)
		}
	}
	if name == "" {
		c.errorf(diag.AttributeArgs, a, "'puremetal::native' attribute takes the name of a native body as a string")
		return
	}
	want, ok := ir.NativeArgs(name)
	if !ok {
		c.errorf(diag.AttributeArgs, a, "there is no native body '%s'", name)
		return
	}
	i := 0
	for _, arg := range k.Args {
		if arg.Kind == typed.ArgBuiltin {
			continue
		}
		if i >= len(want) {
			c.errorAt(diag.AttributeMisplaced, arg.Var.Pos, diag.NoPos,
				"native body '%s' has %d buffers, and argument '%s' is none of them", name, len(want), arg.Var.Name)
			return
		}
		if !nativeFits(arg, i, want[i]) {
			c.errorAt(diag.AttributeMisplaced, arg.Var.Pos, diag.NoPos,
				"argument '%s' of a kernel with native body '%s' must be %s", arg.Var.Name, name, want[i].Describe(i))
			return
		}
		i++
	}
	if i < len(want) {
		c.errorf(diag.AttributeMisplaced, a, "native body '%s' has %d buffers, and kernel '%s' has %d", name, len(want),
			k.HostName, i)
		return
	}
	k.Native = name
}

// nativeFits reports whether an argument is the buffer that a native body expects at an index.
func nativeFits(arg *typed.Arg, index int, want ir.NativeArg) bool {
	p, ok := arg.Var.Type.(*types.Pointer)
	if !ok || arg.Kind != typed.ArgBuffer || arg.Index != index || arg.Condition != nil {
		return false
	}
	if _, scalar := arg.Elem.(*types.Basic); !scalar && want.Size == 0 {
		return false
	}
	space := p.Elem.Space
	return want.Fits(space.String(), !arg.ReadOnly && space != types.Constant, arg.Elem.Size())
}

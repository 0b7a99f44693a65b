package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// maxUnroll caps the unroll factor; no engine repeats a body more often.
const maxUnroll = 1 << 16

// unrolled applies the factor of an [[unroll]] attribute, which is also how pragmas arrive, to the
// loop that a statement has become.
func (c *checker) unrolled(s *ast.AttrStmt, list []typed.Stmt) []typed.Stmt {
	a := ast.FindAttr("unroll", s.Attrs)
	if a == nil {
		return list
	}
	n := int64(-1)
	switch len(a.Args) {
	case 0:
	case 1:
		var ok bool
		if n, ok = c.constInt(a.Args[0], "factor of 'unroll'"); !ok {
			return list
		}
		if n < 0 {
			c.errorf(diag.AttributeArgs, a.Args[0], "factor %d of 'unroll' is negative", n)
			return list
		}
		n = min(max(n, 1), maxUnroll)
	default:
		c.errorf(diag.AttributeArgs, a, "'unroll' attribute takes at most one argument")
		return list
	}
	if l := lastLoop(list); l != nil {
		l.Unroll = int(n)
	}
	return list
}

// lastLoop returns the loop at the end of a list, unwrapping blocks.
func lastLoop(list []typed.Stmt) *typed.Loop {
	for len(list) > 0 {
		switch s := list[len(list)-1].(type) {
		case *typed.Loop:
			return s
		case *typed.Block:
			list = s.List
		default:
			return nil
		}
	}
	return nil
}

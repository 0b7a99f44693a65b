package check

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// slab allocates nodes of one kind in chunks: a template-heavy program has hundreds of thousands of
// them.
type slab[T any] struct{ free []T }

func (s *slab[T]) put(v T) *T {
	const most = 32
	if len(s.free) == 0 {
		s.free = make([]T, most)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}

// slabs are the slabs of the most frequent nodes.
type slabs struct {
	consts   slab[typed.Const]
	refs     slab[typed.VarRef]
	loads    slab[typed.Load]
	derefs   slab[typed.Deref]
	binaries slab[typed.Binary]
	converts slab[typed.Convert]
	adds     slab[typed.PtrAdd]
	indices  slab[typed.Index]
	vars     slab[typed.Var]
	locals   slab[variable]
}

// konst creates a constant.
func (c *checker) konst(pos diag.Pos, v types.Value) *typed.Const {
	return c.slabs.consts.put(typed.Const{Info: rvAt(pos, v.Type), Value: v})
}

// readOf creates the load of an object.
func (c *checker) readOf(pos diag.Pos, e typed.Expr) *typed.Load {
	return c.slabs.loads.put(typed.Load{Info: rvAt(pos, e.Type()), X: e})
}

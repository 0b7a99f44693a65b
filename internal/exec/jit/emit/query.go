package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Query is a property of a texture that the engine gives a range.
type Query struct {
	Handle   lir.Ref // a Once variable
	Type     ir.Type
	Property ir.TexProperty
	Level    uint32
	At       int32
}

// query compiles a query. The texture must be known when the range begins.
func (c *compiler) query(in *lir.Inst) {
	h := in.More[0]
	if !c.knownHandle(h) {
		plan.Fail("the texture of a query is not known in advance")
	}
	q := Query{Handle: h, Type: in.HIR.Args[0].Type, Property: ir.TexProperty(in.HIR.Imm),
		Level: uint32(c.Program.Var(in.More[1]).Bits)}
	i := slices.IndexFunc(c.r.Queries, func(have Query) bool {
		q.At = have.At
		return q == have
	})
	if i < 0 {
		q.At = c.Alloc(8, 8)
		c.r.Queries = append(c.r.Queries, q)
	}
	c.load64(amd64.RAX, ctx(q.At))
	c.setShared(in.Outs[0], amd64.RAX)
}

// knownHandle reports whether a handle has its value when the range begins.
func (c *compiler) knownHandle(h lir.Ref) bool {
	return c.Program.Var(h).Const || c.Keeps[h] || !c.Written.Has(h) && c.Live.At(c.From).Has(h)
}

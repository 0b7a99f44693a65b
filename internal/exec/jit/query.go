package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Query is a property of a texture that the engine gives a range.
type Query struct {
	Handle   lir.Ref // a Once variable
	Type     ir.Type
	Property ir.TexProperty
	Level    uint32
	at       int32
}

// isQuery reports whether an instruction yields a property of a texture that all lanes share.
func isQuery(in *lir.Inst) bool { return in.Op.IR() == ir.OpTexQuery && in.Per == lir.Once }

// queryUsable reports whether query compiles an instruction.
func queryUsable(p *lir.Program, in *lir.Inst) bool {
	return in.HIR != nil && len(in.Outs) == 1 && p.Var(in.Outs[0]).Class == lir.Once && p.Var(in.More[1]).Const
}

// query compiles a query. The texture must be known when the range begins.
func (c *compiler) query(in *lir.Inst) {
	h := in.More[0]
	if !c.knownHandle(h) {
		fail("the texture of a query is not known in advance")
	}
	q := Query{Handle: h, Type: in.HIR.Args[0].Type, Property: ir.TexProperty(in.HIR.Imm),
		Level: uint32(c.p.Var(in.More[1]).Bits)}
	i := slices.IndexFunc(c.r.Queries, func(have Query) bool {
		q.at = have.at
		return q == have
	})
	if i < 0 {
		q.at = c.alloc(8, 8)
		c.r.Queries = append(c.r.Queries, q)
	}
	c.load64(amd64.RAX, ctx(q.at))
	c.setShared(in.Outs[0], amd64.RAX)
}

// knownHandle reports whether a handle has its value when the range begins.
func (c *compiler) knownHandle(h lir.Ref) bool {
	return c.p.Var(h).Const || c.keeps[h] || !c.written.has(h) && c.live.at(c.from).has(h)
}

// SetQuery sets the result of query n of the range.
func (x *Context) SetQuery(n int, v uint32) { x.set(x.r.Queries[n].at, uint64(v)) }

package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// maxArgumentID is the largest id of an argument buffer member, more than any buffer has resources.
const maxArgumentID = 1<<31 - 1

// memberID assigns the id of an argument buffer member from its [[id(n)]]. Ids must increase from
// member to member, and an array or struct takes one per part.
func (c *checker) memberID(k *class, d *ast.VarDecl, f *types.Field, before []types.Field) {
	a := ast.FindAttr("id", d.Attrs)
	if a == nil {
		return
	}
	if len(a.Args) != 1 {
		c.errorf(diag.AttributeArgs, a, "'id' attribute takes one argument")
		return
	}
	n, ok := c.constInt(a.Args[0], "id of a member")
	if !ok {
		return
	}
	if n < 0 || n > maxArgumentID {
		c.errorf(diag.IndexLimit, a, "id %d of member '%s' is not between 0 and %d", n, f.Name, maxArgumentID)
		return
	}
	if k.st.IsUnion() {
		c.errorf(diag.AttributeMisplaced, a, "'id' attribute does not apply to a member of a union")
		return
	}
	c.spend(1+len(before)/32, 0)
	next, last := 0, -1
	for i := range before {
		if m := &before[i]; m.ID > 0 {
			next = m.ID - 1
		}
		next += types.ArgumentIDs(before[i].Type.Type)
		last = i
	}
	f.ID = int(n) + 1
	if int(n) >= next {
		return
	}
	e := diag.Errorf(diag.IndexOrder, a.Pos(), a.End(),
		"id %d of member '%s' must be greater than those of the preceding members, which end at %d", n, f.Name, next-1)
	if last < len(k.decls) && k.decls[last] != nil {
		e = e.WithNote(k.decls[last].Pos(), diag.NoPos, "the preceding member is '%s'", before[last].Name)
	}
	c.report(e)
}

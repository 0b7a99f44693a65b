package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClonesShareNoLists: appending to an instruction's lists does not affect its copy, even if a
// pass left an empty list with spare capacity.
func TestClonesShareNoLists(t *testing.T) {
	m := &Module{}
	f := m.NewFunc("f")
	b := NewBuilder(f)
	in := b.If(b.Const(TI1, 1))
	for _, r := range in.Regions {
		b.In(r, func() { b.Yield() })
	}
	b.Return()
	in.Results = make([]*Value, 0, 4)
	in.Regions[0].Instrs[0].Args = make([]*Value, 0, 4)

	c := NewCloner(f).Instr(in, f.Body)
	first := f.AddResult(in, TI32)
	second := f.AddResult(c, TI32)
	require.Len(t, in.Results, 1)
	require.Len(t, c.Results, 1)
	assert.Same(t, first, in.Results[0])
	assert.Same(t, second, c.Results[0])
	assert.Zero(t, cap(c.Regions[0].Instrs[0].Args))
}

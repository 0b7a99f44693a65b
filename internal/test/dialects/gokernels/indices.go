package gokernels

import "github.com/puremetal/puremetal/kernel"

type cell struct {
	At    kernel.Index
	Count int32
	Next  [2]kernel.Index
}

func flat(at, size kernel.Index) uint32 { return (at.Z*size.Y+at.Y)*size.X + at.X }

func moved(at kernel.Index, by int32) (to kernel.Index) {
	to = at
	to.X += uint32(by)
	at.Y = 7
	return to
}

func (c *cell) step(at kernel.Index) bool {
	was := c.At
	c.At = at
	c.Next[1] = moved(was, c.Count)
	return was == at || c.Next[0] != c.Next[1]
}

// Indices are values, of slices and structures, too.
//
//puremetal:kernel
func Indices(t *kernel.Thread, origin, size kernel.Index, cells []cell, at []kernel.Index, out []uint32) {
	n := flat(t.Global, t.GridSize)
	if int(n) >= len(cells) || int(n) >= len(at) || int(n) >= len(out) {
		return
	}
	g := t.Global
	origin.X += g.X
	at[n] = moved(origin, int32(g.Y))
	c := cells[n]
	if c.step(at[n]) && t.Local != (kernel.Index{X: 1, Y: 1}) && t.Group == (kernel.Index{X: t.Group.X}) {
		out[n] = flat(at[n], size)
	}
	p := &at[n]
	p.Z = t.GroupSize.X
	list := [2]kernel.Index{g, size}
	for _, v := range list {
		out[n] += v.X * v.Y
	}
	c.Next[0] = list[n&1]
	cells[n] = c
	seq := func(yield func(kernel.Index) bool) { _ = yield(t.Group) && yield(g) }
	for v := range seq {
		out[n] ^= v.X << 8
	}
}

// Cells returns n cells.
func Cells(n int) []cell {
	list := make([]cell, n)
	for i := range list {
		list[i] = cell{At: kernel.Index{X: uint32(i), Z: 3}, Count: int32(i * i), Next: [2]kernel.Index{{Y: 1}, {Z: 5}}}
	}
	return list
}

package tensorop

import (
	"fmt"
	"slices"
)

// ScatterSet is the mode in which an update takes an element's place. The other modes are the
// elementwise operations with two arguments, such as "add", "sub", "mul", "div", "min" and "max":
// their first argument is the element and their second the update.
const ScatterSet = "set"

// scatterThreads is the number of threads from which a scatter does not split its destinations.
const scatterThreads = 64

// scatter is a scatter's kernel. Each thread applies updates in row-major order of the indices, and
// no two have a destination in common: they differ in the dimensions that the indices do not
// choose, or else in their part of the destinations.
type scatter struct {
	*writer
	mode  string
	parts string // the number of parts, none if empty
}

// checkScatter keeps an error, or copies data to out. The shape is that of the updates.
func (b *Builder) checkScatter(op string, out, data, indices, updates Operand, shape []int, err error) bool {
	if err == nil {
		err = checkShape(op, "tensor of updates", updates.Shape, shape)
	}
	if err == nil {
		err = checkShape(op, "result", out.Shape, data.Shape)
	}
	if err == nil {
		err = checkIndexType(op, indices)
	}
	if err == nil {
		err = checkSameType(op, out, data, updates)
	}
	if err != nil {
		b.Fail(err)
	}
	if b.err == nil && !out.Same(data) {
		b.Copy(out, data)
	}
	return b.err == nil
}

// newScatter begins a kernel with a thread for each index of a shape; rows is the number of
// destinations that indices choose from.
func newScatter(mode string, out, indices, updates Operand, shape []int, rows int) (scatter, []string) {
	s := scatter{newWriter(1, out, indices, updates), mode, ""}
	parts := min(scatterThreads/max(Elements(shape), 1), rows)
	if parts <= 1 {
		return s, s.threads("i", shape)
	}
	s.parts = s.int(parts)
	i := s.threads("i", append([]int{parts}, shape...))
	s.line("int part = %s;", i[0])
	return s, i[1:]
}

// loop opens loops over dimensions of the indices, and returns the names of the index.
func (s scatter) loop(from, to int) []string {
	var j []string
	for d := from; d < to; d++ {
		name := fmt.Sprintf("j%d", d)
		s.line("for (int %s = 0; %s < %s; %s++) {", name, name, s.size(1, d), name)
		j = append(j, name)
	}
	return j
}

// finish applies an update, closes loops and launches the kernel. row is the expression for the
// number of the destination.
func (s scatter) finish(b *Builder, name, row string, to, from []string, loops int) {
	if s.parts != "" {
		s.line("if (%s %% %s != part) continue;", row, s.parts)
	}
	value := s.load(2, from...)
	if s.mode != ScatterSet {
		t := s.operands[0].Type
		def, err := lookup(s.mode)
		if err == nil && (def.args != 2 || def.scalars != 0) {
			err = fmt.Errorf("scatter: mode %q has %d arguments; it must have 2", s.mode, def.args)
		}
		if err == nil {
			value, err = def.write(s.mode, expr{typ: t, args: []string{"(" + s.load(0, to...) + ")", "(" + value + ")"},
				types: []Type{t, t}})
		}
		if err != nil {
			b.Fail(err)
			return
		}
		for _, h := range def.helpers {
			s.prelude = addOnce(s.prelude, h)
		}
	}
	s.line("%s", s.store(0, value, to...))
	for range loops {
		s.line("}")
	}
	s.launch(b, name)
}

// Scatter writes data to out, and then applies updates to the slices that indices, integers of any
// type, name along an axis. The updates have the shape of [GatherShape] without batch dimensions.
// Updates are applied in row-major order of the indices, each of them rounded to the type of out:
// of equal indices the last one stays with [ScatterSet], and the bits are the same on each run.
// Indices that are negative or too large are ignored. Data may be out itself; elements of out must
// not share memory.
func (b *Builder) Scatter(out, data, indices, updates Operand, axis int, mode string) {
	shape, err := gatherShape("scatter", out.Shape, indices.Shape, axis, 0)
	if !b.checkScatter("scatter", out, data, indices, updates, shape, err) {
		return
	}
	rest := slices.Delete(slices.Clone(out.Shape), axis, axis+1)
	s, i := newScatter(mode, out, indices, updates, rest, out.Shape[axis])
	j := s.loop(0, indices.Rank())
	s.skip(j, func() { s.at("at", 1, j, s.size(0, axis)) }, "at")
	to := slices.Concat(i[:axis], []string{"at"}, i[axis:])
	s.finish(b, "scatter", "at", to, slices.Concat(i[:axis], j, i[axis:]), max(len(j), 1))
}

// skip ignores an update whose index is negative. Without a dimension to loop over there is one
// update, in a loop that runs once so that it can be left.
func (s scatter) skip(j []string, declare func(), name string) {
	if len(j) == 0 {
		s.line("for (int once = 0; once < 1; once++) {")
	}
	declare()
	s.line("if (%s < 0) continue;", name)
}

// ScatterND is [Builder.Scatter] with the vectors of indices that [Builder.GatherND] takes; the
// updates have the shape of [GatherNDShape].
func (b *Builder) ScatterND(out, data, indices, updates Operand, batch int, mode string) {
	shape, err := gatherNDShape("scatter nd", out.Shape, indices.Shape, batch)
	if !b.checkScatter("scatter nd", out, data, indices, updates, shape, err) {
		return
	}
	last := indices.Rank() - 1
	k := indices.Shape[last]
	rest := slices.Concat(out.Shape[:batch], out.Shape[batch+k:])
	s, i := newScatter(mode, out, indices, updates, rest, Elements(out.Shape[batch:batch+k]))
	j := s.loop(batch, last)
	var at []string
	s.skip(j, func() { at = s.vector(1, 0, slices.Concat(i[:batch], j), batch, k) }, "bad")
	row := "0"
	for d, x := range at {
		row = fmt.Sprintf("((%s) * %s + %s)", row, s.size(0, batch+d), x)
	}
	to := slices.Concat(i[:batch], at, i[batch:])
	s.finish(b, "scatter_nd", row, to, slices.Concat(i[:batch], j, i[batch:]), max(len(j), 1))
}

// ScatterAlongAxis is [Builder.Scatter] with an index for each update, as [Builder.GatherAlongAxis]
// takes them; the updates have the shape of [GatherAlongAxisShape].
func (b *Builder) ScatterAlongAxis(out, data, indices, updates Operand, axis int, mode string) {
	shape, err := gatherAlongAxisShape("scatter along axis", out.Shape, indices.Shape, axis)
	if !b.checkScatter("scatter along axis", out, data, indices, updates, shape, err) {
		return
	}
	rest := slices.Delete(slices.Clone(shape), axis, axis+1)
	s, i := newScatter(mode, out, indices, updates, rest, out.Shape[axis])
	j := s.loop(axis, axis+1)
	from := slices.Concat(i[:axis], j, i[axis:])
	s.skip(j, func() { s.at("at", 1, from, s.size(0, axis)) }, "at")
	to := slices.Clone(from)
	to[axis] = "at"
	s.finish(b, "scatter_along_axis", "at", to, from, 1)
}

package tensorop

import (
	"fmt"
	"slices"
)

// checkAxis returns an error unless a shape has an axis.
func checkAxis(op string, shape []int, axis int) error {
	if axis < 0 || axis >= len(shape) {
		return fmt.Errorf("%s: axis %d of shape %v; it must be 0 to %d", op, axis, shape, len(shape)-1)
	}
	return nil
}

// checkIndexType returns an error unless an operand can hold indices.
func checkIndexType(op string, indices Operand) error {
	if !indices.Type.Integer() {
		return fmt.Errorf("%s: indices of type %v; it must be an integer type", op, indices.Type)
	}
	return nil
}

// checkSameType returns an error unless all operands have one type.
func checkSameType(op string, operands ...Operand) error {
	for _, o := range operands {
		if o.Type != operands[0].Type {
			return fmt.Errorf("%s: types %v and %v; they must be equal", op, operands[0].Type, o.Type)
		}
	}
	return nil
}

// checkBatch returns an error unless the first dimensions of two shapes are equal.
func checkBatch(op string, in, indices []int, batch, limit int) error {
	if batch < 0 || batch > limit || batch > len(indices) {
		return fmt.Errorf("%s: %d batch dimensions for shape %v and indices %v; there must be 0 to %d",
			op, batch, in, indices, min(limit, len(indices)))
	}
	if !slices.Equal(in[:batch], indices[:batch]) {
		return fmt.Errorf("%s: shape %v and indices %v; the first %d dimensions must be equal", op, in, indices, batch)
	}
	return nil
}

// GatherShape returns the shape of a gather along an axis: that of the tensor, with the dimensions
// of the indices after the batch ones in the axis's place. The first batch dimensions of both are
// equal, and the axis is after them.
func GatherShape(in, indices []int, axis, batch int) ([]int, error) {
	return gatherShape("gather", in, indices, axis, batch)
}

func gatherShape(op string, in, indices []int, axis, batch int) ([]int, error) {
	if err := checkAxis(op, in, axis); err != nil {
		return nil, err
	}
	if err := checkBatch(op, in, indices, batch, axis); err != nil {
		return nil, err
	}
	return slices.Concat(in[:axis], indices[batch:], in[axis+1:]), nil
}

// GatherNDShape returns the shape of a gather whose indices are vectors: the last dimension of the
// indices has the length of these, k. It is that of the indices without the last dimension,
// followed by the dimensions of the tensor after the batch ones and k more.
func GatherNDShape(in, indices []int, batch int) ([]int, error) {
	return gatherNDShape("gather nd", in, indices, batch)
}

func gatherNDShape(op string, in, indices []int, batch int) ([]int, error) {
	if len(indices) == 0 {
		return nil, fmt.Errorf("%s: indices without a dimension; the last one is a vector's length", op)
	}
	last := len(indices) - 1
	if err := checkBatch(op, in, indices[:last], batch, len(in)); err != nil {
		return nil, err
	}
	k := indices[last]
	if k > len(in)-batch {
		return nil, fmt.Errorf("%s: vectors of %d indices into shape %v with %d batch dimensions; the limit is %d",
			op, k, in, batch, len(in)-batch)
	}
	return slices.Concat(indices[:last], in[batch+k:]), nil
}

// GatherAlongAxisShape returns the shape of a gather in which each element has its own index along
// the axis: that of the indices, which has as many dimensions as the tensor, and none larger than
// the tensor's but for the axis.
func GatherAlongAxisShape(in, indices []int, axis int) ([]int, error) {
	return gatherAlongAxisShape("gather along axis", in, indices, axis)
}

func gatherAlongAxisShape(op string, in, indices []int, axis int) ([]int, error) {
	if err := checkAxis(op, in, axis); err != nil {
		return nil, err
	}
	if len(in) != len(indices) {
		return nil, fmt.Errorf("%s: shape %v and indices %v; the numbers of dimensions must be equal", op, in, indices)
	}
	for d, n := range indices {
		if d != axis && n > in[d] {
			return nil, fmt.Errorf("%s: shape %v and indices %v; dimension %d of the indices must be at most %d",
				op, in, indices, d, in[d])
		}
	}
	return slices.Clone(indices), nil
}

// checkGather keeps an error, or tells that there is none.
func (b *Builder) checkGather(op string, out, in, indices Operand, shape []int, err error) bool {
	if err == nil {
		err = checkShape(op, "result", out.Shape, shape)
	}
	if err == nil {
		err = checkIndexType(op, indices)
	}
	if err == nil {
		err = checkSameType(op, out, in)
	}
	if err != nil {
		b.Fail(err)
	}
	return b.err == nil
}

// at declares an integer with the value of an index, which is -1 if it is none of n elements.
func (w *writer) at(name string, operand int, index []string, n string) {
	w.prelude = addOnce(w.prelude, atText)
	w.line("int %s = op_at(long(%s), %s);", name, w.load(operand, index...), n)
}

const atText = "static int op_at(long i, int n) { return i >= 0 && i < n ? int(i) : -1; }\n"

// copied stores an element of operand from in operand 0, or zero if the index named at is negative.
func (w *writer) copied(i []string, at, from string) {
	w.line("%s = %s < 0 ? %s(0) : %s;", w.element(0, i...), at, w.operands[0].Type.Stored(), from)
}

// Gather writes to out the slices of in that indices, integers of any type, name along an axis; the
// shape is that of [GatherShape]. An index that is negative or too large gives zeros.
func (b *Builder) Gather(out, in, indices Operand, axis, batch int) {
	shape, err := GatherShape(in.Shape, indices.Shape, axis, batch)
	if !b.checkGather("gather", out, in, indices, shape, err) {
		return
	}
	w := newWriter(1, out, in, indices)
	i := w.threads("i", out.Shape)
	count := indices.Rank() - batch
	w.at("at", 2, slices.Concat(i[:batch], i[axis:axis+count]), w.size(1, axis))
	w.copied(i, "at", w.element(1, slices.Concat(i[:axis], []string{"at"}, i[axis+count:])...))
	w.launch(b, "gather")
}

// GatherND writes to out the slices of in at the vectors of indices, integers of any type; the
// shape is that of [GatherNDShape]. A vector with an index that is negative or too large gives
// zeros.
func (b *Builder) GatherND(out, in, indices Operand, batch int) {
	shape, err := GatherNDShape(in.Shape, indices.Shape, batch)
	if !b.checkGather("gather nd", out, in, indices, shape, err) {
		return
	}
	w := newWriter(1, out, in, indices)
	i := w.threads("i", out.Shape)
	last := indices.Rank() - 1
	at := w.vector(2, 1, i[:last], batch, indices.Shape[last])
	w.copied(i, "bad", w.element(1, slices.Concat(i[:batch], at, i[last:])...))
	w.launch(b, "gather_nd")
}

// vector declares the k integers of an index vector into dimensions of an operand after the batch
// ones, and bad, which is -1 if one is outside and else 0. It returns their names.
func (w *writer) vector(indices, operand int, i []string, batch, k int) []string {
	at := make([]string, k)
	w.line("int bad = 0;")
	for d := range at {
		at[d] = fmt.Sprintf("at%d", d)
		w.at(at[d], indices, append(slices.Clone(i), fmt.Sprint(d)), w.size(operand, batch+d))
		w.line("bad |= %s >> 31;", at[d])
	}
	return at
}

// GatherAlongAxis writes to each element of out the one of in with the same index but for the axis,
// along which indices, integers of any type, says it. The shape is that of [GatherAlongAxisShape].
// An index that is negative or too large gives zero.
func (b *Builder) GatherAlongAxis(out, in, indices Operand, axis int) {
	shape, err := GatherAlongAxisShape(in.Shape, indices.Shape, axis)
	if !b.checkGather("gather along axis", out, in, indices, shape, err) {
		return
	}
	w := newWriter(1, out, in, indices)
	i := w.threads("i", out.Shape)
	w.at("at", 2, i, w.size(1, axis))
	from := slices.Clone(i)
	from[axis] = "at"
	w.copied(i, "at", w.element(1, from...))
	w.launch(b, "gather_along_axis")
}

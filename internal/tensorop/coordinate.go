package tensorop

import (
	"fmt"
	"math"
	"slices"
)

// Coordinate writes to each element its index along an axis. The type is a number; indices that it
// cannot hold are rounded or wrap around.
func (b *Builder) Coordinate(out Operand, axis int) { b.ramp("coordinate", out, axis, 0, 1) }

// Range writes start, start+step, start+2*step, ... to a tensor of one dimension: as start + i*step
// in float32 with one rounding for floating-point types, and exactly for integers, whose start and
// step must be whole numbers.
func (b *Builder) Range(out Operand, start, step float64) {
	if out.Rank() != 1 {
		b.Fail(fmt.Errorf("range: the result has shape %v; it must have one dimension", out.Shape))
		return
	}
	b.ramp("range", out, 0, start, step)
}

func (b *Builder) ramp(op string, out Operand, axis int, start, step float64) {
	err := checkAxis(op, out.Shape, axis)
	if err == nil && !number.accepts(out.Type) {
		err = fmt.Errorf("%s: takes %v and not %v", op, number, out.Type)
	}
	if err == nil && out.Type.Integer() && !(wholeInt(start) && wholeInt(step)) {
		err = fmt.Errorf("%s: start %g and step %g for %v; they must be whole numbers below 2^63", op, start, step,
			out.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out)
	i := w.threads("i", out.Shape)
	if out.Type.Float() {
		w.line("%s", w.store(0, fmt.Sprintf("fma(float(%s), %s, %s)", i[axis], w.float(float32(step)),
			w.float(float32(start))), i...))
	} else {
		w.line("ulong y = %s + ulong(%s) * %s;", w.long(int64(start)), i[axis], w.long(int64(step)))
		w.line("%s", w.store(0, out.Type.Value()+"(y)", i...))
	}
	w.launch(b, op)
}

func wholeInt(x float64) bool { return x == math.Trunc(x) && math.Abs(x) < 0x1p63 }

// long adds two arguments for the halves of a number, and returns the expression for it, of type
// ulong.
func (w *writer) long(v int64) string {
	low, high := w.int(int(int32(v))), w.int(int(v>>32))
	return fmt.Sprintf("(ulong(uint(%s)) | ulong(uint(%s)) << 32)", low, high)
}

// OneHotShape returns the shape of a one-hot encoding: that of the indices with a new dimension,
// which is the axis of the result.
func OneHotShape(indices []int, depth, axis int) ([]int, error) {
	if axis < 0 || axis > len(indices) {
		return nil, fmt.Errorf("one hot: axis %d for indices %v; it must be 0 to %d", axis, indices, len(indices))
	}
	if depth < 0 {
		return nil, fmt.Errorf("one hot: depth %d; it must not be negative", depth)
	}
	return slices.Insert(slices.Clone(indices), axis, depth), nil
}

// OneHot writes on to the elements of out whose index along an axis is the one in indices, integers
// of any type, and off to the others; the shape is that of [OneHotShape].
func (b *Builder) OneHot(out, indices Operand, axis int, on, off float32) {
	var shape []int
	var err error
	if axis >= 0 && axis < out.Rank() {
		shape, err = OneHotShape(indices.Shape, out.Shape[axis], axis)
	} else {
		err = checkAxis("one hot", out.Shape, axis)
	}
	if err == nil {
		err = checkShape("one hot", "result", out.Shape, shape)
	}
	if err == nil {
		err = checkIndexType("one hot", indices)
	}
	if err == nil && out.Type.Complex() {
		err = fmt.Errorf("one hot: gives any real type and not %v", out.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, indices)
	i := w.threads("i", out.Shape)
	w.at("at", 1, slices.Delete(slices.Clone(i), axis, axis+1), w.size(0, axis))
	value := fmt.Sprintf("(at == %s ? %s : %s)", i[axis], w.float(on), w.float(off))
	w.line("%s", w.store(0, out.Type.Value()+value, i...))
	w.launch(b, "one_hot")
}

// BandPart writes to out the elements of the matrices in the last two dimensions of in that are at
// most lower diagonals below the main one, and at most upper ones above it; the others are 0. A
// negative number stands for all diagonals.
func (b *Builder) BandPart(out, in Operand, lower, upper int) {
	err := checkShape("band part", "result", out.Shape, in.Shape)
	if err == nil && in.Rank() < 2 {
		err = fmt.Errorf("band part: shape %v; there must be at least two dimensions", in.Shape)
	}
	if err == nil {
		err = checkSameType("band part", out, in)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, in)
	i := w.threads("i", out.Shape)
	w.line("int below = %s - %s, lower = %s, upper = %s;", i[len(i)-2], i[len(i)-1], w.int(lower), w.int(upper))
	w.line("int at = (lower < 0 || below <= lower) && (upper < 0 || -below <= upper) ? 0 : -1;")
	w.copied(i, "at", w.element(1, i...))
	w.launch(b, "band_part")
}

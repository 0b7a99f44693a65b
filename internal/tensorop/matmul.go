package tensorop

import (
	"fmt"
	"slices"
)

// MatMulShape returns the shape of a product: the last two dimensions are matrices, those before
// them a batch, in which shapes are broadcast. A tensor of one dimension is a row on the left and a
// column on the right, which the result does not have.
func MatMulShape(a, b []int) ([]int, error) {
	fail := func(what string) ([]int, error) { return nil, fmt.Errorf("matmul: %v by %v: %s", a, b, what) }
	if len(a) == 0 || len(b) == 0 {
		return fail("a scalar is no matrix")
	}
	left, right := asMatrix(a, true), asMatrix(b, false)
	la, lb := len(left), len(right)
	if left[la-1] != right[lb-2] {
		return fail(fmt.Sprintf("the left one has %d columns and the right one %d rows", left[la-1], right[lb-2]))
	}
	out, err := BroadcastShapes("matmul", left[:la-2], right[:lb-2])
	if err != nil {
		return nil, err
	}
	if len(a) > 1 {
		out = append(out, left[la-2])
	}
	if len(b) > 1 {
		out = append(out, right[lb-1])
	}
	return out, nil
}

// asMatrix makes a row or a column of a shape with one dimension.
func asMatrix(shape []int, row bool) []int {
	switch {
	case len(shape) > 1:
		return shape
	case row:
		return []int{1, shape[0]}
	}
	return []int{shape[0], 1}
}

// matmulDims is the number of batch dimensions that the arguments have room for.
const matmulDims = MaxRank - 2

// MatMul computes out = alpha*x*y + beta*out for matrices in the last two dimensions and batches of
// them, with x and y broadcast to out's batch. All types are equal, except that int8 matrices may
// have an int32 or a float32 product. Each element is computed in the order of package
// internal/gemm: one accumulator, k ascending, by fma for floating-point numbers. With beta 0 out
// is not read. Integers take alpha 1 and beta 0 or 1.
func (b *Builder) MatMul(out, x, y Operand, alpha, beta float32) {
	if b.err != nil {
		return
	}
	if x.Rank() == 0 || y.Rank() == 0 {
		b.Fail(fmt.Errorf("matmul: %v by %v: a scalar is no matrix", x.Shape, y.Shape))
		return
	}
	shape, err := MatMulShape(x.Shape, y.Shape)
	if err == nil && !slices.Equal(shape, out.Shape) {
		err = fmt.Errorf("matmul: the product of shapes %v and %v has the shape %v and not %v", x.Shape, y.Shape,
			shape, out.Shape)
	}
	small := x.Type == Int8 && (out.Type == Int32 || out.Type == Float32)
	if err == nil && (x.Type != y.Type || x.Type != out.Type && !small || x.Type == Bool || x.Type.Complex()) {
		err = fmt.Errorf("matmul: %v by %v to %v; the types must be equal numbers, or int8 to int32 or float32",
			x.Type, y.Type, out.Type)
	}
	if err == nil && out.Type.Integer() && (alpha != 1 || beta != 0 && beta != 1) {
		err = fmt.Errorf("matmul: alpha %g and beta %g for integers; they take 1, and 0 or 1", alpha, beta)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	if out.Elements() == 0 {
		return
	}
	// Rows and columns of vectors.
	xv, yv, ov := x.View, y.View, out.View
	if x.Rank() == 1 {
		xv = View{xv.Type, []int{1, xv.Shape[0]}, []int{0, xv.Strides[0]}, xv.Offset}
		at := ov.Rank() - min(y.Rank()-1, 1)
		ov.Shape, ov.Strides = slices.Insert(slices.Clone(ov.Shape), at, 1), slices.Insert(slices.Clone(ov.Strides),
			at, 0)
	}
	if y.Rank() == 1 {
		yv = View{yv.Type, []int{yv.Shape[0], 1}, []int{yv.Strides[0], 0}, yv.Offset}
		ov.Shape, ov.Strides = append(slices.Clone(ov.Shape), 1), append(slices.Clone(ov.Strides), 0)
	}
	b.matmul(out.With(ov), x.With(xv), y.With(yv), alpha, beta)
}

func (b *Builder) matmul(out, x, y Operand, alpha, beta float32) {
	rank := out.Rank()
	m, n, k := out.Shape[rank-2], out.Shape[rank-1], x.Shape[x.Rank()-1]
	batch := func(o Operand) View {
		r := o.Rank()
		v := View{Type: o.Type, Shape: o.Shape[:r-2], Strides: o.Strides[:r-2]}
		v, err := v.Broadcast(out.Shape[:rank-2]...)
		if err != nil {
			b.Fail(err)
		}
		return v
	}
	dims := merge([]View{batch(out), batch(x), batch(y)})
	if b.err != nil {
		return
	}
	last := func(o Operand) (int, int) { return o.Strides[o.Rank()-2], o.Strides[o.Rank()-1] }
	var w Words
	w.Int(m, n, k)
	for _, o := range []Operand{out, x, y} {
		row, column := last(o)
		w.Int(o.Offset, row, column)
	}
	w.Float(alpha, beta)
	w.Int(dims[0].Elements(), dims[0].Rank())
	for _, list := range [][]int{dims[0].Shape, dims[0].Strides, dims[1].Strides, dims[2].Strides} {
		w.Int(append(slices.Clone(list), make([]int, matmulDims-len(list))...)...)
	}
	threads := [3]int{(n + 63) / 64 * 16, (m + 63) / 64 * 16, dims[0].Elements()}
	macros := productMacros(out.Type, x.Type)
	operands := []Operand{out, x, y}
	b.Launch(text("matmul.metal", macros...), "matmul", threads, [3]int{16, 16, 1}, operands, w)
	if out.Type == x.Type && out.Type.Float() && m >= simdgroupSide && n >= simdgroupSide && k >= simdgroupDepth {
		b.onGPU(Step{Source: text("matmul_simdgroup.metal", macros...), Kernel: "matmul_simdgroup",
			Threads: [3]int{(n + 31) / 32 * 32, (m + 31) / 32 * 4, threads[2]}, Group: [3]int{32, 4, 1}, Matrices: true})
	}
}

// The least sizes of a product for simdgroup matrices: those of a threadgroup's tile.
const (
	simdgroupSide  = 32
	simdgroupDepth = 16
)

// productMacros returns the macros of product.h for elements of types.
func productMacros(out, in Type) []string {
	sum, integers := "float", "0"
	if out.Integer() {
		integers = "1"
	}
	if in.Integer() {
		sum = in.Value()
		if in == Int8 && out != Int8 {
			sum = "int"
		}
	}
	return []string{"IN " + in.Stored(), "OUT " + out.Stored(), "SUM " + sum, "INTEGERS " + integers}
}

// nativeAttribute returns the attribute that has the software device compute a kernel with a body
// in Go, guarded from other compilers.
func nativeAttribute(name string) string {
	return "#ifdef __PUREMETAL__\n[[puremetal::native(\"" + name + "\")]]\n#endif"
}

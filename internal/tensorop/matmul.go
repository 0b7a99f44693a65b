package tensorop

import (
	"fmt"
	"slices"
	"strings"
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
	b.Launch(matmulSource(out.Type, x.Type), "matmul", threads, [3]int{16, 16, 1}, []Operand{out, x, y}, w)
}

// matmulSource returns the kernel. A threadgroup computes 64 by 64 elements, a thread 4 by 4 of
// them, 16 apart.
func matmulSource(out, in Type) string {
	acc, step, finish := "float", "fma(float(a), float(b), c)",
		`float v = p.beta == 0 ? p.alpha * acc[i][j] : fma(p.alpha, acc[i][j], p.beta * float(*at));
            *at = {out}(v != v ? NAN : v);`
	if in.Integer() {
		acc = in.Value()
		if in == Int8 && out != Int8 {
			acc = "int"
		}
		step = "{acc}(c + {acc}(a) * {acc}(b))"
		if out.Integer() {
			finish = "*at = {out}(p.beta == 0 ? acc[i][j] : {acc}(acc[i][j] + *at));"
		}
	}
	return header + strings.NewReplacer("{native}", Native("matmul"), "{acc}", acc, "{out}", out.Stored(),
		"{in}", in.Stored()).Replace(
		strings.NewReplacer("{step}", step, "{finish}", finish).Replace(matmulText))
}

const matmulText = `
// Offsets and strides are in elements; the batch's dimensions come last.
struct P {
    int m, n, k;
    int outOffset, outRow, outColumn, xOffset, xRow, xColumn, yOffset, yRow, yColumn;
    float alpha, beta;
    int batches, rank, shape[14], outStride[14], xStride[14], yStride[14];
};

static {acc} step({acc} c, {in} a, {in} b) { return {step}; }

{native}
kernel void matmul(device {out} *out [[buffer(0)]], device const {in} *x [[buffer(1)]],
                   device const {in} *y [[buffer(2)]], constant P &p [[buffer(3)]],
	uint3 group [[threadgroup_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup {in} xs[64][16], ys[16][64];
    int batch = int(group.z);
    out += p.outOffset;
    x += p.xOffset;
    y += p.yOffset;
    for (int d = p.rank - 1; d >= 0; d--) {
        int i = batch % p.shape[d];
        batch /= p.shape[d];
        out += i * p.outStride[d];
        x += i * p.xStride[d];
        y += i * p.yStride[d];
    }
    int row = int(group.y) * 64, column = int(group.x) * 64;
    int tx = int(local.x), ty = int(local.y);
    {acc} acc[4][4] = {};
    for (int from = 0; from < p.k; from += 16) {
        for (int i = 0; i < 4; i++) {
            int r = row + ty + 16 * i, k = from + tx;
            xs[ty + 16 * i][tx] = r < p.m && k < p.k ? x[r * p.xRow + k * p.xColumn] : {in}(0);
            int c = column + tx + 16 * i;
            k = from + ty;
            ys[ty][tx + 16 * i] = c < p.n && k < p.k ? y[k * p.yRow + c * p.yColumn] : {in}(0);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        int count = min(16, p.k - from);
        for (int k = 0; k < count; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] = step(acc[i][j], xs[ty + 16 * i][k], ys[k][tx + 16 * j]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row + ty + 16 * i, c = column + tx + 16 * j;
            if (r >= p.m || c >= p.n) continue;
            device {out} *at = out + r * p.outRow + c * p.outColumn;
            {finish}
        }
}
`

// Native returns the attribute that has the software device compute a kernel with a body in Go,
// guarded from other compilers.
func Native(name string) string {
	return "#ifdef __PUREMETAL__\n[[puremetal::native(\"" + name + "\")]]\n#endif"
}

package tensorop

import (
	"fmt"
	"slices"
)

// axisShape returns a shape with the dimension of an axis 1, or an error if there is none.
func axisShape(op string, shape []int, axis int) ([]int, error) {
	return ReduceShape(op, shape, []int{axis})
}

// Softmax writes exp(x) / sum(exp(x)) along an axis, computed from differences to the maximum.
func (b *Builder) Softmax(out, in Operand, axis int) { b.softmax("softmax", out, in, axis) }

// LogSoftmax writes the logarithm of Softmax, computed without it.
func (b *Builder) LogSoftmax(out, in Operand, axis int) { b.softmax("log_softmax", out, in, axis) }

func (b *Builder) softmax(op string, out, in Operand, axis int) {
	shape, err := axisShape(op, in.Shape, axis)
	if err == nil && !slices.Equal(out.Shape, in.Shape) {
		err = fmt.Errorf("%s: the result of shape %v has the shape %v", op, in.Shape, out.Shape)
	}
	if err == nil && !in.Type.Float() {
		err = fmt.Errorf("%s: takes floating-point numbers and not %v", op, in.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	if out.Elements() == 0 {
		return
	}
	if n := in.Shape[axis]; n < longRow || in.Elements()/n >= fewRows {
		b.softmaxRows(op, out, in, axis)
		return
	}
	b.softmaxParts(op, out, in, shape, axis)
}

// softmaxParts computes few long rows, in launches that have several threadgroups for a row.
func (b *Builder) softmaxParts(op string, out, in Operand, shape []int, axis int) {
	highest := b.Temp(in.Type, shape...)
	b.Reduce("max", highest, in, axis)
	exps := b.Temp(Float32, in.Shape...)
	wide := Instr{Op: "cast", Type: Float32, Args: []int{0}}
	shift := []Instr{wide, {Op: "cast", Type: Float32, Args: []int{1}}, {Op: "sub", Type: Float32, Args: []int{2, 3}}}
	b.Map(exps, []Operand{in, highest}, append(shift, Instr{Op: "exp", Type: Float32, Args: []int{4}})...)
	sum := b.Temp(Float32, shape...)
	b.Reduce("sum", sum, exps, axis)
	if op == "softmax" {
		b.Map(out, []Operand{exps, sum}, Instr{Op: "div", Type: Float32, Args: []int{0, 1}},
			Instr{Op: "cast", Type: out.Type, Args: []int{2}})
		return
	}
	b.Map(out, []Operand{in, highest, sum},
		Instr{Op: "cast", Type: Float32, Args: []int{0}}, Instr{Op: "cast", Type: Float32, Args: []int{1}},
		Instr{Op: "sub", Type: Float32, Args: []int{3, 4}}, Instr{Op: "log", Type: Float32, Args: []int{2}},
		Instr{Op: "sub", Type: Float32, Args: []int{5, 6}}, Instr{Op: "cast", Type: out.Type, Args: []int{7}})
}

// softmaxRows computes each row in one launch. It adds a row up in the order of softmaxParts, which
// is that of the reduction of a dense tensor.
func (b *Builder) softmaxRows(op string, out, in Operand, axis int) {
	kept, _ := splitAxes(out.View, in.View, []int{axis})
	n, rows := in.Shape[axis], kept[0].Elements()
	simd := n >= 2*rowThreads && (Elements(in.Shape[axis+1:]) == 1 || rows < 4*rowThreads)
	var w Words
	w.Int(n, kept[1].Offset, in.Strides[axis], kept[0].Offset, out.Strides[axis], kept[0].Rank())
	for _, list := range [][]int{kept[0].Shape, kept[1].Strides, kept[0].Strides} {
		w.Int(append(slices.Clone(list), make([]int, MaxRank-1-len(list))...)...)
	}
	flag := map[bool]string{false: " 0", true: " 1"}
	source := text("softmax.metal", "IN "+in.Type.Stored(), "OUT "+out.Type.Stored(), "KEEP"+flag[out.Type == Float32],
		"LOG"+flag[op == "log_softmax"], "SIMD"+flag[simd])
	threads, group := [3]int{rows, 1, 1}, [3]int{}
	if simd {
		threads, group = [3]int{rows * rowThreads, 1, 1}, [3]int{rowThreads, 1, 1}
	}
	b.Launch(source, "softmax", threads, group, []Operand{out, in}, w)
}

// Variance writes the mean of the squares of the differences to the mean along axes. mean has the
// shape of in with those dimensions 1, as out.
func (b *Builder) Variance(out, in, mean Operand, axes ...int) {
	if b.err != nil {
		return
	}
	squares := b.Temp(Float32, in.Shape...)
	b.Map(squares, []Operand{in, mean},
		Instr{Op: "cast", Type: Float32, Args: []int{0}}, Instr{Op: "cast", Type: Float32, Args: []int{1}},
		Instr{Op: "sub", Type: Float32, Args: []int{2, 3}}, Instr{Op: "square", Type: Float32, Args: []int{4}})
	if out.Type == Float32 {
		b.Reduce("mean", out, squares, axes...)
		return
	}
	wide := b.Temp(Float32, out.Shape...)
	b.Reduce("mean", wide, squares, axes...)
	b.Copy(out, wide)
}

// Norm says how Normalize scales its result.
type Norm struct {
	Epsilon     float32
	Scale, Bias *Operand // broadcast to the shape, nil for none
}

// Normalize writes (x - mean) / sqrt(variance + epsilon) * scale + bias. The operands are broadcast
// to out's shape, so this is batch, layer, instance and group normalization, depending on the axes
// over which mean and variance were taken. With a nil mean it is RMS normalization, and variance is
// the mean of squares.
func (b *Builder) Normalize(out, in Operand, mean *Operand, variance Operand, n Norm) {
	inputs := []Operand{in, variance}
	add := func(o *Operand) int {
		if o == nil {
			return -1
		}
		inputs = append(inputs, *o)
		return len(inputs) - 1
	}
	m, scale, bias := add(mean), add(n.Scale), add(n.Bias)
	var code []Instr
	emit := func(op string, args ...int) int {
		code = append(code, Instr{Op: op, Type: Float32, Args: args})
		return len(inputs) + len(code) - 1
	}
	load := func(i int) int { return emit("cast", i) }
	x := load(0)
	if m >= 0 {
		x = emit("sub", x, load(m))
	}
	v := load(1)
	code = append(code, Instr{Op: "linear", Type: Float32, Args: []int{v}, Scalars: []float32{1, n.Epsilon}})
	x = emit("mul", x, emit("rsqrt", len(inputs)+len(code)-1))
	if scale >= 0 {
		x = emit("mul", x, load(scale))
	}
	if bias >= 0 {
		x = emit("add", x, load(bias))
	}
	code = append(code, Instr{Op: "cast", Type: out.Type, Args: []int{x}})
	b.Map(out, inputs, code...)
}

// LayerNorm normalizes over axes, as layer, instance and group normalization do.
func (b *Builder) LayerNorm(out, in Operand, n Norm, axes ...int) {
	shape, err := ReduceShape("layer_norm", in.Shape, axes)
	if err != nil {
		b.Fail(err)
		return
	}
	wide := b.Temp(Float32, in.Shape...)
	b.Copy(wide, in)
	mean, variance := b.Temp(Float32, shape...), b.Temp(Float32, shape...)
	b.Reduce("mean", mean, wide, axes...)
	b.Variance(variance, wide, mean, axes...)
	b.Normalize(out, wide, &mean, variance, n)
}

package tensorop

import "slices"

// RMSNorm divides by the root of the mean of squares over axes.
func (b *Builder) RMSNorm(out, in Operand, n Norm, axes ...int) {
	shape, err := ReduceShape("rms_norm", in.Shape, axes)
	if err != nil {
		b.Fail(err)
		return
	}
	if step, ok := b.rmsRows(out, in, n, axes); ok {
		b.rmsLaunch(out, in, n, step, nil, nil)
		return
	}
	squares, mean := b.Temp(Float32, in.Shape...), b.Temp(Float32, shape...)
	b.Map(squares, []Operand{in}, Instr{Op: "cast", Type: Float32, Args: []int{0}},
		Instr{Op: "square", Type: Float32, Args: []int{1}})
	b.Reduce("mean", mean, squares, axes...)
	b.Normalize(out, in, nil, mean, n)
}

// AddRMSNorm writes to sum the sum of two operands of its shape and type, and to out what
// [Builder.RMSNorm] makes of it along the last dimension.
func (b *Builder) AddRMSNorm(out, sum, in, add Operand, n Norm) {
	const op = "add rms_norm"
	for _, o := range []Operand{out, sum, add} {
		err := checkShape(op, "operands", o.Shape, in.Shape)
		if err == nil {
			err = checkSameType(op, in, o)
		}
		if err != nil {
			b.Fail(err)
			return
		}
	}
	last := []int{in.Rank() - 1}
	step, ok := b.rmsRows(out, in, n, last)
	if !ok || !sum.IsDense() || !add.IsDense() {
		b.Apply("add", sum, in, add)
		b.RMSNorm(out, sum, n, last...)
		return
	}
	b.rmsLaunch(out, in, n, step, &sum, &add)
}

// rmsRows reports whether rms_norm.metal computes an RMSNorm, and returns the step of its scale. It
// does for dense rows along the last dimension and a scale that is the same for all of them, and
// adds up in the order of Reduce, which takes a simdgroup for a row as well unless rows are short,
// or few and long.
func (b *Builder) rmsRows(out, in Operand, n Norm, axes []int) (step int, ok bool) {
	last := in.Rank() - 1
	if b.err != nil || len(axes) != 1 || axes[0] != last || n.Scale == nil || n.Bias != nil || !in.Type.Float() ||
		out.Type != in.Type || !slices.Equal(out.Shape, in.Shape) || !in.IsDense() || !out.IsDense() {
		return 0, false
	}
	if size := in.Shape[last]; size < 2*rowThreads || size >= longRow {
		return 0, false
	}
	scale, err := n.Scale.Broadcast(in.Shape...)
	if err != nil || !scale.Type.Float() {
		return 0, false
	}
	for d := range last {
		if scale.Strides[d] != 0 && scale.Shape[d] > 1 {
			return 0, false
		}
	}
	return scale.Strides[last], true
}

// rmsLaunch adds the launch of rms_norm.metal, with the sum of two operands if sum is not nil.
func (b *Builder) rmsLaunch(out, in Operand, n Norm, step int, sum, add *Operand) {
	size := in.Shape[in.Rank()-1]
	operands, flag := []Operand{out, in, *n.Scale}, "ADD 0"
	var w Words
	w.Int(size, out.Offset, in.Offset, n.Scale.Offset, step)
	if sum != nil {
		operands, flag = append(operands, *sum, *add), "ADD 1"
		w.Int(sum.Offset, add.Offset)
	} else {
		w.Int(0, 0)
	}
	w.Float(n.Epsilon)
	b.Launch(text("rms_norm.metal", "IN "+in.Type.Stored(), "SCALE "+n.Scale.Type.Stored(), flag), "rms_norm",
		[3]int{in.Elements() / size * rowThreads, 1, 1}, [3]int{rowThreads, 1, 1}, operands, w)
}

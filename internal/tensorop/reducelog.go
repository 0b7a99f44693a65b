package tensorop

import (
	"fmt"
	"math"
)

// L2Norm writes the root of the sum of squares along axes, with out as [Builder.Reduce] has it, for
// floating-point numbers. It is computed in float32 and rounded once. The sum of absolute values is
// the reduction sum_abs.
func (b *Builder) L2Norm(out, in Operand, axes ...int) {
	if !b.checkComposed("l2 norm", out, in, axes) {
		return
	}
	sum := b.Temp(Float32, out.Shape...)
	b.Reduce("sum_squares", sum, b.widen(in), axes...)
	b.Map(out, []Operand{sum}, Instr{Op: "sqrt", Type: Float32, Args: []int{0}},
		Instr{Op: "cast", Type: out.Type, Args: []int{1}})
}

// LogSumExp writes the logarithm of the sum of exp(x) along axes, with out as [Builder.Reduce] has
// it, for floating-point numbers. It is computed in float32 from differences to the maximum, and
// rounded once. Without elements it is minus infinity.
func (b *Builder) LogSumExp(out, in Operand, axes ...int) {
	if !b.checkComposed("log sum exp", out, in, axes) {
		return
	}
	if in.Elements() == 0 {
		b.Fill(out, float32(math.Inf(-1)))
		return
	}
	highest, shift, sum := b.Temp(in.Type, out.Shape...), b.Temp(Float32, out.Shape...), b.Temp(Float32, out.Shape...)
	b.Reduce("max", highest, in, axes...)
	// An infinite maximum would make NaN of a difference.
	b.Map(shift, []Operand{highest}, Instr{Op: "cast", Type: Float32, Args: []int{0}},
		Instr{Op: "is_finite", Type: Bool, Args: []int{1}}, Instr{Op: "fill", Type: Float32, Scalars: []float32{0}},
		Instr{Op: "select", Type: Float32, Args: []int{2, 1, 3}})
	exps := b.Temp(Float32, in.Shape...)
	b.Map(exps, []Operand{in, shift}, Instr{Op: "cast", Type: Float32, Args: []int{0}},
		Instr{Op: "sub", Type: Float32, Args: []int{2, 1}}, Instr{Op: "exp", Type: Float32, Args: []int{3}})
	b.Reduce("sum", sum, exps, axes...)
	b.Map(out, []Operand{sum, shift}, Instr{Op: "log", Type: Float32, Args: []int{0}},
		Instr{Op: "add", Type: Float32, Args: []int{2, 1}}, Instr{Op: "cast", Type: out.Type, Args: []int{3}})
}

func (b *Builder) checkComposed(op string, out, in Operand, axes []int) bool {
	shape, err := ReduceShape(op, in.Shape, axes)
	if err == nil {
		err = checkShape(op, "result", out.Shape, shape)
	}
	if err == nil {
		err = checkFloats(op, out, in)
	}
	if err == nil && out.Type != in.Type {
		err = fmt.Errorf("%s: gives %v and not %v", op, in.Type, out.Type)
	}
	if err != nil {
		b.Fail(err)
	}
	return b.err == nil && out.Elements() > 0
}

// widen returns an operand of floating-point numbers as float32.
func (b *Builder) widen(o Operand) Operand {
	if o.Type == Float32 {
		return o
	}
	w := b.Temp(Float32, o.Shape...)
	b.Copy(w, o)
	return w
}

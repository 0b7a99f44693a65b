package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// layout is Layout of layout.h.
type layout struct {
	Shape   [4]uint32
	Strides [3][4]int32
}

func layoutOf[T any](out Array[T], operands ...Array[T]) (l layout) {
	for i, a := range append([]Array[T]{out}, operands...) {
		shape, strides := a.four()
		for d := range maxDims {
			l.Shape[d] = uint32(shape[d])
			l.Strides[i][d] = int32(strides[d])
		}
	}
	return l
}

// grid is one thread an element, with the first two dimensions along z.
func (l layout) grid() compute.Threads {
	return compute.Threads3D(int(l.Shape[3]), int(l.Shape[2]), int(l.Shape[0]*l.Shape[1]))
}

const elementwiseFile = "elementwise.metal"

// binary launches an operation on two arrays of one shape.
func binary[T Float](ctx context.Context, o *Ops, s *compute.Stream, name string, out, a, b Array[T]) error {
	if err := first(out.result(name+": result"), a.check(name+": first operand"), b.check(name+": second operand"), same(name, out.Shape, a.Shape, b.Shape)); err != nil {
		return err
	}
	if out.flat() && a.flat() && b.flat() {
		k, err := o.kernel(ctx, elementwiseFile, name+"_"+suffix[T]())
		if err != nil {
			return err
		}
		return s.Launch(ctx, k, compute.Threads1D(out.Len()), a.Buffer, b.Buffer, out.Buffer)
	}
	k, err := o.kernel(ctx, elementwiseFile, name+"_strided_"+suffix[T]())
	if err != nil {
		return err
	}
	l := layoutOf(out, a, b)
	return s.Launch(ctx, k, l.grid(), a.Buffer, b.Buffer, out.Buffer, l)
}

// Add computes out = a + b, element by element. The three have one shape; [Array.Broadcast] makes it so.
func Add[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return binary(ctx, o, s, "add", out, a, b)
}

// Sub computes out = a - b, element by element, for arrays of one shape.
func Sub[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return binary(ctx, o, s, "sub", out, a, b)
}

// Mul computes out = a * b, element by element, for arrays of one shape.
func Mul[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return binary(ctx, o, s, "mul", out, a, b)
}

// Div computes out = a / b, element by element, for arrays of one shape.
func Div[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return binary(ctx, o, s, "div", out, a, b)
}

// Function is a function of one number.
type Function uint8

// The functions that [Map] applies.
const (
	ReLU    Function = iota // max(x, 0)
	GELU                    // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the tanh form of Hendrycks and Gimpel
	Sigmoid                 // 1 / (1 + exp(-x))
	Tanh                    // hyperbolic tangent
	SiLU                    // x / (1 + exp(-x))
)

// String returns the function's name.
func (f Function) String() string {
	names := [...]string{"relu", "gelu", "sigmoid", "tanh", "silu"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Function(%d)", uint8(f))
}

// Map computes out = f(in), element by element, for arrays of one shape.
func Map[T Float](ctx context.Context, o *Ops, s *compute.Stream, f Function, out, in Array[T]) error {
	if f > SiLU {
		return fmt.Errorf("ops: %v: %w", f, errKind)
	}
	name := f.String()
	if err := first(out.result(name+": result"), in.check(name+": operand"), same(name, out.Shape, in.Shape)); err != nil {
		return err
	}
	if out.flat() && in.flat() {
		k, err := o.kernel(ctx, elementwiseFile, name+"_"+suffix[T]())
		if err != nil {
			return err
		}
		return s.Launch(ctx, k, compute.Threads1D(out.Len()), in.Buffer, out.Buffer)
	}
	k, err := o.kernel(ctx, elementwiseFile, name+"_strided_"+suffix[T]())
	if err != nil {
		return err
	}
	l := layoutOf(out, in)
	return s.Launch(ctx, k, l.grid(), in.Buffer, out.Buffer, l)
}

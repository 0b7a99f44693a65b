package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// each launches an operation of package tensorop on arrays of the same shape.
func each[T Number](ctx context.Context, o *Ops, s *compute.Stream, name, op string, out Array[T],
	operands ...Array[T]) error {
	if err := out.result(name + ": result"); err != nil {
		return err
	}
	in := make([]operand, 0, 2)
	for i, a := range operands {
		if err := first(a.check(fmt.Sprintf("%s: operand %d", name, i)), same(name, out.Shape, a.Shape)); err != nil {
			return err
		}
		in = append(in, a.operand())
	}
	return o.run(ctx, s, op, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Apply(op, out, in...)
	}, out.operand(), in...)
}

// Add computes out = a + b, element by element. All three arrays have the same shape; see
// [Array.Broadcast].
func Add[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "add", "add", out, a, b)
}

// Sub computes out = a - b, element by element, for arrays of the same shape.
func Sub[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "sub", "sub", out, a, b)
}

// Mul computes out = a * b, element by element, for arrays of the same shape.
func Mul[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "mul", "mul", out, a, b)
}

// Div computes out = a / b, element by element, for arrays of the same shape. Quotients of integers
// are rounded toward zero, and 0 for a division by zero.
func Div[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "div", "div", out, a, b)
}

// Function is an element-wise function of one argument.
type Function uint8

// The functions that [Map] applies.
const (
	ReLU    Function = iota // max(x, 0)
	GELU                    // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), Hendrycks and Gimpel's tanh approximation
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

// Map computes out = f(in), element by element, for arrays of the same shape. For int8 it has
// [ReLU] alone.
func Map[T Number](ctx context.Context, o *Ops, s *compute.Stream, f Function, out, in Array[T]) error {
	if f > SiLU {
		return fmt.Errorf("ops: %v: %w", f, errKind)
	}
	if _, ok := any(*new(T)).(int8); ok && f != ReLU {
		return fmt.Errorf("ops: %v of int8, which has %v alone: %w", f, ReLU, errKind)
	}
	op := f.String()
	if f == GELU {
		op = "gelu_tanh"
	}
	return each(ctx, o, s, f.String(), op, out, in)
}

// Copy computes out = in, element by element, for arrays of the same shape. Use it to make a
// strided or broadcast array contiguous.
func Copy[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	return each(ctx, o, s, "copy", "cast", out, in)
}

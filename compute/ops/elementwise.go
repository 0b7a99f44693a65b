package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// layout mirrors Layout in layout.h.
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

// grid has one thread per element, with the first two dimensions combined into z.
func (l layout) grid() compute.Threads {
	return compute.Threads3D(int(l.Shape[3]), int(l.Shape[2]), int(l.Shape[0]*l.Shape[1]))
}

const elementwiseFile = "elementwise.metal"

// each launches an operation on arrays of the same shape: the flat kernel if none has gaps,
// otherwise the strided one.
func each[T Number](ctx context.Context, o *Ops, s *compute.Stream, name string, out Array[T],
	operands ...Array[T]) error {
	if err := out.result(name + ": result"); err != nil {
		return err
	}
	flat, args := out.flat(), make([]any, 0, len(operands)+2)
	for i, a := range operands {
		if err := first(a.check(fmt.Sprintf("%s: operand %d", name, i)), same(name, out.Shape, a.Shape)); err != nil {
			return err
		}
		flat = flat && a.flat()
		args = append(args, a.Buffer)
	}
	args = append(args, out.Buffer)
	grid := compute.Threads1D(out.Len())
	if !flat {
		l := layoutOf(out, operands...)
		name += "_strided"
		args, grid = append(args, l), l.grid()
	}
	k, err := o.kernel(ctx, elementwiseFile, name+"_"+suffix[T]())
	if err != nil {
		return err
	}
	return s.Launch(ctx, k, grid, args...)
}

// Add computes out = a + b, element by element. All three arrays have the same shape; see
// [Array.Broadcast].
func Add[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "add", out, a, b)
}

// Sub computes out = a - b, element by element, for arrays of the same shape.
func Sub[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "sub", out, a, b)
}

// Mul computes out = a * b, element by element, for arrays of the same shape.
func Mul[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "mul", out, a, b)
}

// Div computes out = a / b, element by element, for arrays of the same shape. Quotients of integers
// are rounded toward zero, and 0 for a division by zero.
func Div[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return each(ctx, o, s, "div", out, a, b)
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
	return each(ctx, o, s, f.String(), out, in)
}

// Copy computes out = in, element by element, for arrays of the same shape. Use it to make a
// strided or broadcast array contiguous.
func Copy[T Number](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	return each(ctx, o, s, "copy", out, in)
}

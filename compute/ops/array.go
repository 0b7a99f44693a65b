package ops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd/float16"
)

// ErrShape: the shapes of the arrays are invalid, or do not match each other or the operation.
var ErrShape = errors.New("incompatible shapes")

// Float is an element type that every operation supports.
type Float interface {
	float32 | float16.Half | float16.BFloat16
}

// Number is an element type of the element-wise operations. Integers wrap around.
type Number interface {
	Float | int8
}

// maxDims is the maximum number of dimensions: a batch of batches of matrices.
const maxDims = 4

// maxElements is the maximum number of elements that an array spans. Kernels use 32-bit indices,
// which are signed.
const maxElements = 1<<31 - 1

// Array is a view of a buffer as an array: element (i, j, ...) is at index i*Strides[0] +
// j*Strides[1] + ... of the buffer. In an array without gaps the last dimension varies fastest.
type Array[T any] struct {
	Buffer *compute.Buffer[T]
	Shape  []int // 1 to 4 dimensions, each at least 1
	// in elements; 0 repeats one element along the dimension, which results must not do: each of their
	// elements needs a place of its own
	Strides []int
}

// Of returns a view of a buffer as an array without gaps. The buffer may be longer than the array.
// Errors wrap [ErrShape].
func Of[T any](b *compute.Buffer[T], shape ...int) (Array[T], error) {
	a := Array[T]{Buffer: b, Shape: shape, Strides: make([]int, len(shape))}
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		a.Strides[i] = stride
		if shape[i] < 1 || shape[i] > maxElements/stride {
			return Array[T]{}, fmt.Errorf("ops: shape %v: want dimensions of at least 1, and at most %d elements: %w", shape,
				maxElements, ErrShape)
		}
		stride *= shape[i]
	}
	if err := a.check("array"); err != nil {
		return Array[T]{}, err
	}
	return a, nil
}

// check reports an invalid array, or one that reaches beyond its buffer.
func (a Array[T]) check(what string) error {
	switch {
	case a.Buffer.Accelerator() == nil: // nil or zero
		return fmt.Errorf("ops: %s: the buffer is nil or was never made: %w", what, ErrShape)
	case len(a.Shape) < 1 || len(a.Shape) > maxDims || len(a.Strides) != len(a.Shape):
		return fmt.Errorf("ops: %s: shape %v with strides %v, want 1 to %d dimensions: %w", what, a.Shape, a.Strides, maxDims,
			ErrShape)
	}
	low, high := 0, 0
	for i, n := range a.Shape {
		if n < 1 || n > maxElements || a.Strides[i] > maxElements || a.Strides[i] < -maxElements {
			return fmt.Errorf("ops: %s: shape %v with strides %v: %w", what, a.Shape, a.Strides, ErrShape)
		}
		if reach := (n - 1) * a.Strides[i]; reach < 0 {
			low += reach
		} else {
			high += reach
		}
		if high > maxElements { // before a sum of four of them could overflow int
			break
		}
	}
	if low < 0 || high >= a.Buffer.Len() || high >= maxElements {
		return fmt.Errorf("ops: %s: shape %v with strides %v reaches from element %d to %d, the buffer has %d: %w", what,
			a.Shape, a.Strides, low, high, a.Buffer.Len(), ErrShape)
	}
	return nil
}

// result is check for an array that is written: no two elements may share a place.
func (a Array[T]) result(what string) error {
	if err := a.check(what); err != nil {
		return err
	}
	var order [maxDims]int
	dims := order[:0]
	for i, n := range a.Shape {
		if n > 1 && a.Strides[i] == 0 {
			return fmt.Errorf("ops: %s: stride 0 in dimension %d would write one element repeatedly: %w", what, i, ErrShape)
		}
		if n > 1 {
			dims = append(dims, i)
		}
	}
	slices.SortFunc(dims, func(i, j int) int { return cmp.Compare(a.Strides[i], a.Strides[j]) })
	reach := 0 // of the dimensions with smaller strides
	for _, i := range dims {
		if a.Strides[i] <= reach {
			return fmt.Errorf("ops: %s: shape %v with strides %v: dimension %d steps by %d into what the others reach, up to %d: elements of a result must not share places: %w", what, a.Shape, a.Strides, i, a.Strides[i], reach, ErrShape)
		}
		reach += (a.Shape[i] - 1) * a.Strides[i]
	}
	return nil
}

// counted is check for an array whose elements a kernel counts with 32 bits. Repetition can give an
// array more elements than its buffer has.
func (a Array[T]) counted(what string) error {
	if err := a.check(what); err != nil {
		return err
	}
	elements := 1
	for _, n := range a.Shape {
		if n > maxElements/elements {
			return fmt.Errorf("ops: %s: shape %v: want at most %d elements: %w", what, a.Shape, maxElements, ErrShape)
		}
		elements *= n
	}
	return nil
}

// Len returns the number of elements.
func (a Array[T]) Len() int {
	n := 1
	for _, s := range a.Shape {
		n *= s
	}
	return n
}

// flat reports whether the elements are contiguous.
func (a Array[T]) flat() bool {
	stride := 1
	for i := len(a.Shape) - 1; i >= 0; i-- {
		if a.Shape[i] > 1 && a.Strides[i] != stride {
			return false
		}
		stride *= a.Shape[i]
	}
	return true
}

// Transposed returns a view of the same memory with the last two dimensions exchanged.
func (a Array[T]) Transposed() Array[T] {
	n := len(a.Shape)
	if n < 2 || len(a.Strides) != n { // which operations reject
		return a
	}
	t := Array[T]{a.Buffer, append([]int(nil), a.Shape...), append([]int(nil), a.Strides...)}
	t.Shape[n-1], t.Shape[n-2] = t.Shape[n-2], t.Shape[n-1]
	t.Strides[n-1], t.Strides[n-2] = t.Strides[n-2], t.Strides[n-1]
	return t
}

// Broadcast returns a view of the same memory that repeats it to a shape, by NumPy's rule:
// dimensions are compared from the last one, and a dimension of size 1, or a missing one, is
// repeated.
func (a Array[T]) Broadcast(shape ...int) (Array[T], error) {
	b := Array[T]{a.Buffer, shape, make([]int, len(shape))}
	missing := len(shape) - len(a.Shape)
	if missing < 0 || len(a.Strides) != len(a.Shape) {
		return b, fmt.Errorf("ops: broadcast of shape %v with strides %v to %v: want as many strides as dimensions, "+
			"and at most %d: %w", a.Shape, a.Strides, shape, len(shape), ErrShape)
	}
	for i, n := range a.Shape {
		switch want := shape[missing+i]; {
		case n == want:
			b.Strides[missing+i] = a.Strides[i]
		case n != 1:
			return b, fmt.Errorf("ops: broadcast of shape %v to %v: dimension %d is %d, want %d or 1: %w",
				a.Shape, shape, i, n, want, ErrShape)
		}
	}
	return b, nil
}

// four returns an array for a plan, padded at the front to four dimensions with dimensions of 1.
func (a Array[T]) four() operand {
	p := operand{layout{typ: typeOf[T](), rank: maxDims}, a.Buffer}
	missing := maxDims - len(a.Shape)
	for i := range missing {
		p.shape[i] = 1
	}
	copy(p.shape[missing:], a.Shape)
	copy(p.strides[missing:], a.Strides)
	return p
}

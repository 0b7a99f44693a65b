package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// matrixLayer collects the operands of a kernel that is a layer of a neural network on matrices:
// windows of matrices, and vectors with an element for each column. The first mistake fails the
// call.
type matrixLayer struct {
	k            *Kernel
	c            *objcsoft.Call
	cb           mtl.CommandBuffer
	start, count int // of the batch
	in, out      []*NDArray
	own          []*NDArray // that are released once they are encoded
}

// none is the number of an operand that is nil.
const none = -1

// newMatrixLayer starts with the command buffer and the matrix that is the result, which says how
// many matrices there are.
func newMatrixLayer(k kernelState, c *objcsoft.Call, result int) (*matrixLayer, *Matrix) {
	l := &matrixLayer{k: k.kernel(), c: c}
	var ok bool
	if l.cb, ok = CommandBufferArg(c, 0); !ok {
		return l, nil
	}
	m := l.matrix(result)
	if m != nil {
		l.start, l.count = l.k.batch(m)
	}
	return l, m
}

func (l *matrixLayer) fail(err error) {
	if err != nil && !l.c.Failed() {
		adapter.Misuse(l.c, "%v", err)
	}
}

// matrix returns a matrix of floating-point numbers, nil after a mistake.
func (l *matrixLayer) matrix(arg int) *Matrix {
	if l.c.Failed() {
		return nil
	}
	m, ok := matrixArg(l.c, arg)
	if !ok {
		return nil
	}
	if !m.Type.Float() {
		l.fail(fmt.Errorf("argument %d has elements of type %v; layers compute with floating-point numbers", arg,
			m.Type))
		return nil
	}
	return m
}

// limit returns a property that limits a size; one that was never set, or that is NSUIntegerMax,
// does not.
func (k *Kernel) limit(name string) int {
	if n := k.number(name, unlimited); n >= 0 {
		return n
	}
	return unlimited
}

// rows and columns return how much of a matrix there is from an origin on, as far as properties
// permit.
func (l *matrixLayer) rows(m *Matrix, origin, limit string) int {
	if m == nil {
		return 0
	}
	return min(l.k.limit(limit), m.rows-l.k.origin(origin).row)
}

func (l *matrixLayer) columns(m *Matrix, origin, limit string) int {
	if m == nil {
		return 0
	}
	return min(l.k.limit(limit), m.columns-l.k.origin(origin).column)
}

func (l *matrixLayer) window(m *Matrix, what, from string, rows, columns int) *NDArray {
	if m == nil || l.c.Failed() {
		return nil
	}
	if rows < 1 || columns < 1 || l.count < 1 {
		l.fail(fmt.Errorf("%s: %d matrices of %d by %d elements; each must be at least 1", what, l.count, rows,
			columns))
		return nil
	}
	a, err := m.window(what, l.k.origin(from), l.start, l.count, rows, columns)
	l.fail(err)
	return a
}

// input and output add a window of a matrix.
func (l *matrixLayer) input(m *Matrix, what, origin string, rows, columns int) {
	l.in = append(l.in, l.window(m, what, origin, rows, columns))
}

func (l *matrixLayer) output(m *Matrix, what, origin string, rows, columns int) {
	l.out = append(l.out, l.window(m, what, origin, rows, columns))
}

// vector returns the elements of a vector argument as matrices of one row, nil if the argument is
// nil. A single vector that is read serves all matrices.
func (l *matrixLayer) vector(arg int, what string, width int, written bool) *NDArray {
	if l.c.Failed() || l.c.ID(arg) == 0 {
		return nil
	}
	v := l.matrix(arg)
	if v == nil {
		return nil
	}
	start, count := l.start, l.count
	if v.matrices == 1 && (!written || count == 1) {
		start, count = 0, 1
	}
	a, err := v.window(what, origin{}, start, count, 1, width)
	l.fail(err)
	return a
}

// inputVector and outputVector add a vector argument and return its number among the inputs or
// outputs, none if the argument is nil.
func (l *matrixLayer) inputVector(arg int, what string, width int) int {
	if a := l.vector(arg, what, width, false); a != nil {
		l.in = append(l.in, a)
		return len(l.in) - 1
	}
	return none
}

func (l *matrixLayer) outputVector(arg int, what string, width int) int {
	if a := l.vector(arg, what, width, true); a != nil {
		l.out = append(l.out, a)
		return len(l.out) - 1
	}
	return none
}

// slopes adds the parameters of a PReLU, one for each column, and returns their number, none for
// other neurons.
func (l *matrixLayer) slopes(width int) int {
	if l.c.Failed() || l.k.slopes == nil {
		return none
	}
	if len(l.k.slopes) < width {
		l.fail(fmt.Errorf("%d parameters of the neuron for %d columns", len(l.k.slopes), width))
		return none
	}
	a, err := newNDArray(l.k.Device, tensorop.Dense(tensorop.Float32, 1, 1, width))
	if err != nil {
		l.c.Fail(err)
		return none
	}
	l.own = append(l.own, a)
	words := make([]uint32, width)
	for i := range words {
		words[i] = math.Float32bits(l.k.slopes[i])
	}
	if err := a.setWords(words); err != nil {
		l.c.Fail(err)
	}
	l.in = append(l.in, a)
	return len(l.in) - 1
}

// encode encodes what build makes of the operands, unless there was a mistake.
func (l *matrixLayer) encode(build func(b *tensorop.Builder, in, out []tensorop.Operand) error) {
	if !l.c.Failed() {
		Encode(l.c, l.k.Device, l.cb, l.in, l.out, func(b *tensorop.Builder, in, out []tensorop.Operand) {
			if err := build(b, in, out); err != nil {
				b.Fail(err)
			}
		})
	}
	for _, a := range l.own {
		a.release()
	}
}

// single returns an operand as float32: itself, or a temporary copy.
func single(b *tensorop.Builder, o tensorop.Operand) tensorop.Operand {
	if o.Type == tensorop.Float32 {
		return o
	}
	wide := b.Temp(tensorop.Float32, o.Shape...)
	b.Copy(wide, o)
	return wide
}

// multiply writes alpha * x * y, computed in float32.
func multiply(b *tensorop.Builder, out, x, y tensorop.Operand, alpha float32) {
	x, y = single(b, x), single(b, y)
	if out.Type == tensorop.Float32 {
		b.MatMul(out, x, y, alpha, 0)
		return
	}
	wide := b.Temp(tensorop.Float32, out.Shape...)
	b.MatMul(wide, x, y, alpha, 0)
	b.Copy(out, wide)
}

// columnSums writes the sum of each column.
func columnSums(b *tensorop.Builder, out, in tensorop.Operand) {
	in = single(b, in)
	if out.Type == tensorop.Float32 {
		b.Reduce("sum", out, in, 1)
		return
	}
	wide := b.Temp(tensorop.Float32, out.Shape...)
	b.Reduce("sum", wide, in, 1)
	b.Copy(out, wide)
}

// turned returns the transposes of matrices.
func turned(o tensorop.Operand) tensorop.Operand { return o.With(o.Transpose(0, 2, 1)) }

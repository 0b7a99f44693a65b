package softmps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// product is the payload of an MPSMatrixMultiplication and of an MPSMatrixVectorMultiplication:
// result = alpha * left * right + beta * result.
type product struct {
	Kernel
	turnLeft, turnRight  bool
	rows, columns, inner int
	alpha, beta          float32
}

// batch returns the first matrix of a batch and how many there are, of those that a result has.
func (k *Kernel) batch(m *Matrix) (start, count int) {
	start = k.number("batchStart", 0)
	return start, max(min(k.number("batchSize", unlimited), m.matrices-start), 0)
}

func (p *product) encode(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	left, ok1 := matrixArg(c, 1)
	right, ok2 := matrixArg(c, 2)
	result, ok3 := matrixArg(c, 3)
	if !ok || !ok1 || !ok2 || !ok3 {
		return
	}
	start, count := p.batch(result)
	size := func(rows, columns int, turned bool) (int, int) {
		if turned {
			return columns, rows
		}
		return rows, columns
	}
	lr, lc := size(p.rows, p.inner, p.turnLeft)
	rr, rc := size(p.inner, p.columns, p.turnRight)
	l, err := left.window("the left matrix", p.origin("leftMatrixOrigin"), start, count, lr, lc)
	if err == nil {
		var r, o *NDArray
		if r, err = right.window("the right matrix", p.origin("rightMatrixOrigin"), start, count, rr, rc); err == nil {
			o, err = result.window("the result", p.origin("resultMatrixOrigin"), start, count, p.rows, p.columns)
		}
		if err == nil {
			p.multiply(c, cb, l, r, o)
			return
		}
	}
	adapter.Misuse(c, "%v", err)
}

// encodeVector multiplies a matrix, transposed or not, by vectors: the rows of matrices of one row.
func (p *product) encodeVector(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	m, ok1 := matrixArg(c, 1)
	x, ok2 := matrixArg(c, 2)
	y, ok3 := matrixArg(c, 3)
	if !ok || !ok1 || !ok2 || !ok3 {
		return
	}
	start, count := p.batch(y)
	rows, columns := p.rows, p.inner
	if p.turnLeft {
		rows, columns = columns, rows
	}
	l, err := m.window("the matrix", p.origin("primarySourceMatrixOrigin"), start, count, rows, columns)
	var in, out *NDArray
	if err == nil { // an origin's X is the place in the vector
		in, err = x.window("the input vector", origin{column: p.origin("secondarySourceMatrixOrigin").row}, start,
			count, 1, p.inner)
	}
	if err == nil {
		out, err = y.window("the result vector", origin{column: p.origin("resultMatrixOrigin").row}, start, count, 1,
			p.rows)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	in.View, out.View = in.Transpose(0, 2, 1), out.Transpose(0, 2, 1)
	p.multiply(c, cb, l, in, out)
}

// multiply encodes the product of windows that fit. Elements of other types than the result's are
// converted first.
func (p *product) multiply(c *objcsoft.Call, cb mtl.CommandBuffer, left, right, result *NDArray) {
	Encode(c, p.Device, cb, []*NDArray{left, right}, []*NDArray{result}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		for i, turned := range []bool{p.turnLeft, p.turnRight} {
			if turned {
				in[i] = in[i].With(in[i].Transpose(0, 2, 1))
			}
		}
		x, y, o := in[0], in[1], out[0]
		if small := x.Type == tensorop.Int8 && y.Type == tensorop.Int8; !small && (x.Type != o.Type ||
			y.Type != o.Type) {
			wide := [2]tensorop.Operand{}
			for i, from := range []tensorop.Operand{x, y} {
				wide[i] = b.Temp(tensorop.Float32, from.Shape...)
				b.Copy(wide[i], from)
			}
			product := b.Temp(tensorop.Float32, o.Shape...)
			if p.beta != 0 {
				b.Copy(product, o)
			}
			b.MatMul(product, wide[0], wide[1], p.alpha, p.beta)
			b.Copy(o, product)
			return
		}
		b.MatMul(o, x, y, p.alpha, p.beta)
	})
}

func initProduct(c *objcsoft.Call, p *product) {
	if p.rows < 1 || p.columns < 1 || p.inner < 1 {
		adapter.Misuse(c, "a product of %d by %d and %d by %d; each size must be at least 1", p.rows, p.inner,
			p.inner, p.columns)
		return
	}
	initKernel(c, p)
}

func multiplicationClasses() []adapter.Class {
	u := func(c *objcsoft.Call, i int) int { return int(c.Uint(i)) }
	batch := map[string]uintptr{"batchSize": unlimited}
	const initScaled = "initWithDevice:transposeLeft:transposeRight:resultRows:resultColumns:interiorColumns:alpha:beta:"
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSMatrixBinaryKernel", Super: "MPSKernel"}, batch),
		withProperties(adapter.Class{Name: "MPSMatrixUnaryKernel", Super: "MPSKernel"}, batch),
		withProperties(adapter.Class{Name: "MPSMatrixMultiplication", Super: "MPSKernel", Methods: adapter.Methods{
			"initWithDevice:resultRows:resultColumns:interiorColumns:": func(c *objcsoft.Call) {
				initProduct(c, &product{rows: u(c, 1), columns: u(c, 2), inner: u(c, 3), alpha: 1})
			},
			initScaled: func(c *objcsoft.Call) {
				initProduct(c, &product{turnLeft: c.Bool(1), turnRight: c.Bool(2), rows: u(c, 3), columns: u(c, 4),
					inner: u(c, 5),
					alpha: float32(c.F64(6)), beta: float32(c.F64(7))})
			},
			"encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:": adapter.Method((*product).encode),
		}}, batch),
		withProperties(adapter.Class{Name: "MPSMatrixVectorMultiplication", Super: "MPSMatrixBinaryKernel",
			Methods: adapter.Methods{
				"initWithDevice:rows:columns:": func(c *objcsoft.Call) {
					initProduct(c, &product{rows: u(c, 1), columns: 1, inner: u(c, 2), alpha: 1})
				},
				"initWithDevice:transpose:rows:columns:alpha:beta:": func(c *objcsoft.Call) {
					initProduct(c, &product{turnLeft: c.Bool(1), rows: u(c, 2), columns: 1, inner: u(c, 3),
						alpha: float32(c.F64(4)),
						beta:  float32(c.F64(5))})
				},
				"encodeToCommandBuffer:inputMatrix:inputVector:resultVector:": adapter.Method((*product).encodeVector),
			}}, nil),
	}
}

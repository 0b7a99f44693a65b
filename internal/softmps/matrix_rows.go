package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// rowKernel encodes an operation on the rows of a matrix: rows and columns name the properties that
// limit the source.
func rowKernel(k kernelState, c *objcsoft.Call, source, result int, rows, columns string,
	build func(b *tensorop.Builder, in, out []tensorop.Operand) error) {
	cb, ok := CommandBufferArg(c, 0)
	m, ok1 := matrixArg(c, source)
	r, ok2 := matrixArg(c, result)
	if !ok || !ok1 || !ok2 {
		return
	}
	p := k.kernel()
	start, count := p.batch(r)
	from := p.origin("sourceMatrixOrigin")
	height, width := min(p.limit(rows), m.rows-from.row), min(p.limit(columns), m.columns-from.column)
	in, err := m.window("the source", from, start, count, height, width)
	if err == nil {
		var out *NDArray
		if out, err = r.window("the result", p.origin("resultMatrixOrigin"), start, count, height, width); err == nil {
			Encode(c, p.Device, cb, []*NDArray{in}, []*NDArray{out},
				func(b *tensorop.Builder, in, out []tensorop.Operand) {
					if err := build(b, in, out); err != nil {
						b.Fail(err)
					}
				})
			return
		}
	}
	adapter.Misuse(c, "%v", err)
}

func rowClasses() []adapter.Class {
	all := map[string]uintptr{"sourceRows": math.MaxUint, "sourceColumns": math.MaxUint}
	plain := func(c *objcsoft.Call) { initKernel(c, &Kernel{}) }
	softmax := func(log bool) objcsoft.Imp {
		return adapter.Method(func(k kernelState, c *objcsoft.Call) {
			rowKernel(k, c, 1, 2, "sourceRows", "sourceColumns", func(b *tensorop.Builder, in,
				out []tensorop.Operand) error {
				if in[0].Type != out[0].Type {
					return fmt.Errorf("softmax of %v to %v; the types must be equal", in[0].Type, out[0].Type)
				}
				if log {
					b.LogSoftmax(out[0], in[0], 2)
				} else {
					b.Softmax(out[0], in[0], 2)
				}
				return nil
			})
		})
	}
	const encodeRows = "encodeToCommandBuffer:inputMatrix:resultMatrix:"
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSMatrixSoftMax", Super: "MPSMatrixUnaryKernel", Methods: adapter.Methods{
			"initWithDevice:": plain, encodeRows: softmax(false)}}, all),
		withProperties(adapter.Class{Name: "MPSMatrixLogSoftMax", Super: "MPSMatrixSoftMax", Methods: adapter.Methods{
			"initWithDevice:": plain, encodeRows: softmax(true)}}, all),
	}
}

package softmps

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// copyDescriptor is the payload of an MPSMatrixCopyDescriptor. It retains the matrices.
type copyDescriptor struct{ list []copyOperation }

type copyOperation struct {
	from, to     *Matrix
	ids          [2]objcsoft.ID
	fromAt, toAt origin
}

// set sets an operation, from the matrices and the four 32-bit offsets in arguments.
func (d *copyDescriptor) set(c *objcsoft.Call, i, arg int) {
	from, ok := matrixArg(c, arg)
	to, ok2 := matrixArg(c, arg+1)
	if !ok || !ok2 {
		return
	}
	w := c.Words(arg + 2)
	half := func(k int) int { return int(uint32(w[k/2] >> (k % 2 * 32))) }
	op := copyOperation{from: from, to: to, ids: [2]objcsoft.ID{c.ID(arg), c.ID(arg + 1)},
		fromAt: origin{row: half(0), column: half(1)}, toAt: origin{row: half(2), column: half(3)}}
	for _, id := range op.ids {
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return
		}
	}
	old := d.list[i].ids
	d.list[i] = op
	for _, id := range old {
		if id != 0 {
			if err := c.RT.Release(id); err != nil {
				c.Fail(err)
			}
		}
	}
}

// copier is the payload of an MPSMatrixCopy.
type copier struct {
	Kernel
	rows, columns int
	// fromTurned and into say that the source and the destination are transposed.
	fromTurned, into bool
}

func (k *copier) encode(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	d, ok2 := adapter.Payload[*copyDescriptor](c, 1)
	if !ok || !ok2 {
		return
	}
	for i, op := range d.list {
		if op.from == nil {
			adapter.Misuse(c, "copy %d of %d is not set", i, len(d.list))
			return
		}
		size := func(turned bool) (int, int) {
			if turned {
				return k.columns, k.rows
			}
			return k.rows, k.columns
		}
		rows, columns := size(k.fromTurned)
		from, err := op.from.window("the source", op.fromAt, 0, op.from.matrices, rows, columns)
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		rows, columns = size(k.into)
		to, err := op.to.window("the destination", op.toAt, 0, op.from.matrices, rows, columns)
		if err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		Encode(c, k.Device, cb, []*NDArray{from}, []*NDArray{to}, func(b *tensorop.Builder, in,
			out []tensorop.Operand) {
			x := in[0]
			if k.fromTurned != k.into {
				x = x.With(x.Transpose(0, 2, 1))
			}
			b.Copy(out[0], x)
		})
	}
}

func copyClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MPSMatrixCopyDescriptor",
			ClassMethods: adapter.Methods{"descriptorWithSourceMatrix:destinationMatrix:offsets:": func(c *objcsoft.Call) {
				d := &copyDescriptor{make([]copyOperation, 1)}
				d.set(c, 0, 0)
				if !c.Failed() {
					c.ReturnAutoreleased(c.RT.NewObject(c.RT.Class("MPSMatrixCopyDescriptor"), d))
				}
			}},
			Methods: adapter.Methods{
				"initWithDevice:count:": func(c *objcsoft.Call) {
					if n := c.Uint(1); n == 0 || n > 1<<16 {
						adapter.Misuse(c, "%d copies; the limits are 1 and %d", n, 1<<16)
						return
					}
					Init(c, &copyDescriptor{make([]copyOperation, c.Uint(1))})
				},
				"setCopyOperationAtIndex:sourceMatrix:destinationMatrix:offsets:": adapter.Method(
					func(d *copyDescriptor, c *objcsoft.Call) {
						if i := c.Uint(0); i < uint64(len(d.list)) {
							d.set(c, int(i), 1)
						} else {
							adapter.Misuse(c, "copy %d of %d", i, len(d.list))
						}
					}),
			},
			Dealloc: adapter.DeallocHook(func(d *copyDescriptor, o *objcsoft.Object) {
				for _, op := range d.list {
					o.Drop(op.ids[:]...)
				}
			})},
		{Name: "MPSMatrixCopy", Super: "MPSKernel", Methods: adapter.Methods{
			"initWithDevice:copyRows:copyColumns:sourcesAreTransposed:destinationsAreTransposed:": func(c *objcsoft.Call) {
				initKernel(c, &copier{rows: int(c.Uint(1)), columns: int(c.Uint(2)), fromTurned: c.Bool(3),
					into: c.Bool(4)})
			},
			"copyRows": adapter.Method(func(k *copier, c *objcsoft.Call) {
				c.ReturnUint(uint64(k.rows))
			}),
			"copyColumns": adapter.Method(func(k *copier, c *objcsoft.Call) {
				c.ReturnUint(uint64(k.columns))
			}),
			"sourcesAreTransposed": adapter.Method(func(k *copier, c *objcsoft.Call) {
				c.ReturnBool(k.fromTurned)
			}),
			"destinationsAreTransposed": adapter.Method(func(k *copier, c *objcsoft.Call) {
				c.ReturnBool(k.into)
			}),
			"encodeToCommandBuffer:copyDescriptor:": adapter.Method((*copier).encode),
		}},
	}
}

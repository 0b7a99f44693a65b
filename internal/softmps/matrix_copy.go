package softmps

import (
	"encoding/binary"
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
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
	d.put(c, i, copyOperation{from: from, to: to, ids: [2]objcsoft.ID{c.ID(arg), c.ID(arg + 1)},
		fromAt: origin{row: half(0), column: half(1)}, toAt: origin{row: half(2), column: half(3)}})
}

// initWithLists reads the matrices from two arrays, and the offsets, four 32-bit words for each
// copy, from a vector that may be nil.
func (d *copyDescriptor) initWithLists(c *objcsoft.Call) {
	from, err := adapter.Payloads[*Matrix](c.RT, c.ID(0))
	var to []*Matrix
	if err == nil {
		to, err = adapter.Payloads[*Matrix](c.RT, c.ID(1))
	}
	if err == nil && (len(from) == 0 || len(from) != len(to)) {
		err = fmt.Errorf("%d source and %d destination matrices; there must be as many of both, and one at least",
			len(from), len(to))
	}
	words := make([]byte, 16*len(from))
	if err == nil && c.ID(2) != 0 {
		v, ok := matrixArg(c, 2)
		if !ok {
			return
		}
		var all []byte
		if all, err = v.Bytes(); err == nil {
			_, end := v.Span()
			all = all[:end*v.Type.Size()]
			if start := c.Uint(3); start > uint64(len(all)) || uint64(len(words)) > uint64(len(all))-start {
				err = fmt.Errorf("%d bytes of offsets from byte %d of a vector of %d", len(words), start, len(all))
			} else {
				copy(words, all[start:])
			}
		}
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	sources, _ := c.RT.ArrayItems(c.ID(0))
	destinations, _ := c.RT.ArrayItems(c.ID(1))
	d.list = make([]copyOperation, len(from))
	Init(c, d)
	for i := range from {
		w := func(k int) int { return int(binary.LittleEndian.Uint32(words[16*i+4*k:])) }
		d.put(c, i, copyOperation{from: from[i], to: to[i], ids: [2]objcsoft.ID{sources[i], destinations[i]},
			fromAt: origin{row: w(0), column: w(1)}, toAt: origin{row: w(2), column: w(3)}})
	}
}

// put sets an operation, whose matrices it retains.
func (d *copyDescriptor) put(c *objcsoft.Call, i int, op copyOperation) {
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

// places returns the elements of a vector in an argument that say where each of n rows or columns
// goes, nil if the argument is. The next argument is the first element.
func places(c *objcsoft.Call, arg, n int) *NDArray {
	if c.Failed() || c.ID(arg) == 0 {
		return nil
	}
	v, ok := matrixArg(c, arg)
	if !ok {
		return nil
	}
	at, err := v.window("the vector of indices", origin{column: int(c.Uint(arg + 1))}, 0, 1, 1, n)
	if err == nil && !v.Type.Integer() {
		err = fmt.Errorf("indices of type %v; they are integers", v.Type)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return nil
	}
	return at
}

// permuteText writes element (r, c) to row rows[r] plus the destination's offset, and to a column
// in the same way. An element whose place is not in the matrix is not written.
const permuteText = `#include <metal_stdlib>
using namespace metal;
struct P { int rows, columns, high, wide, first, matrix, row, rowOffset, columnOffset; };
kernel void permute(device T *out [[buffer(0)]], device const T *in [[buffer(1)]],
                    device const int *rows [[buffer(2)]], device const int *columns [[buffer(3)]],
                    constant P &p [[buffer(4)]], uint3 id [[thread_position_in_grid]]) {
    int r = rows[id.y] + p.rowOffset, c = columns[id.x] + p.columnOffset;
    if (r < 0 || r >= p.high || c < 0 || c >= p.wide) return;
    out[p.first + int(id.z) * p.matrix + r * p.row + c] = in[(int(id.z) * p.rows + int(id.y)) * p.columns + int(id.x)];
}
`

// permuted encodes a copy whose rows and columns go where vectors say.
func (k *copier) permuted(c *objcsoft.Call, cb mtl.CommandBuffer, op copyOperation, from *NDArray, at [2]*NDArray) {
	to := &NDArray{View: op.to.View, Device: op.to.Device, Buffer: op.to.Buffer, Offset: op.to.Offset, reads: op.to.reads}
	inputs := []*NDArray{from}
	for _, a := range at {
		if a != nil {
			inputs = append(inputs, a)
		}
	}
	Encode(c, k.Device, cb, inputs, []*NDArray{to}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		x := in[0]
		if k.fromTurned != k.into {
			x = turned(x)
		}
		elements := b.Temp(out[0].Type, x.Shape...)
		b.Copy(elements, x)
		operands := []tensorop.Operand{out[0], elements}
		next := 1
		for i, a := range at {
			index := b.Temp(tensorop.Int32, x.Shape[1+i])
			if a == nil {
				b.Range(index, 0, 1)
			} else {
				row, _ := in[next].Reshape(x.Shape[1+i]) // a row of a vector has no gaps
				b.Copy(index, in[next].With(row))
				next++
			}
			operands = append(operands, index)
		}
		var w tensorop.Words
		v := out[0].View
		w.Int(x.Shape[1], x.Shape[2], v.Shape[1], v.Shape[2], v.Offset, v.Strides[0], v.Strides[1], op.toAt.row,
			op.toAt.column)
		b.Launch("#define T "+out[0].Type.Stored()+"\n"+permuteText, "permute",
			[3]int{x.Shape[2], x.Shape[1], x.Shape[0]}, [3]int{}, operands, w)
	})
}

func (k *copier) encode(c *objcsoft.Call) { k.encodePermuted(c, false) }

// encodePermuted encodes the copies. With vectors, arguments 2 to 5 say where rows and columns go.
func (k *copier) encodePermuted(c *objcsoft.Call, vectors bool) {
	cb, ok := CommandBufferArg(c, 0)
	d, ok2 := adapter.Payload[*copyDescriptor](c, 1)
	if !ok || !ok2 {
		return
	}
	var at [2]*NDArray
	if vectors {
		high, wide := k.rows, k.columns
		if k.into {
			high, wide = wide, high
		}
		at = [2]*NDArray{places(c, 2, high), places(c, 4, wide)}
		if c.Failed() {
			return
		}
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
		if at[0] != nil || at[1] != nil {
			if k.permuted(c, cb, op, from, at); c.Failed() {
				return
			}
			continue
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
				"initWithSourceMatrices:destinationMatrices:offsetVector:offset:": func(c *objcsoft.Call) {
					(&copyDescriptor{}).initWithLists(c)
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
			"encodeToCommandBuffer:copyDescriptor:rowPermuteIndices:rowPermuteOffset:columnPermuteIndices:" +
				"columnPermuteOffset:": adapter.Method(func(k *copier, c *objcsoft.Call) { k.encodePermuted(c, true) }),
		}},
	}
}

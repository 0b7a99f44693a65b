package softmps

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// setFloat sets element 0 of an array of float32.
func (a *NDArray) setFloat(x float32) error {
	b, err := a.Bytes()
	if err == nil {
		binary.LittleEndian.PutUint32(b, math.Float32bits(x))
	}
	return err
}

// Rows calls f with the position in memory, in bytes, of each run of n elements that have no gaps
// between them: in the array, and in a packed copy of it.
func Rows(v tensorop.View, f func(at, packed, n int)) {
	size := v.Type.Size()
	rank := v.Rank()
	run, inner := 1, rank
	for inner > 0 && (v.Shape[inner-1] == 1 || v.Strides[inner-1] == run) {
		run *= v.Shape[inner-1]
		inner--
	}
	index := make([]int, inner)
	for packed := 0; packed < v.Elements()*size; packed += run * size {
		at := v.Offset
		for d, i := range index {
			at += i * v.Strides[d]
		}
		f(at*size, packed, run*size)
		for d := inner - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
}

// transfer copies between the array and the caller's memory: the address is argument 0 and the
// strides in bytes, one for each dimension with the fastest first, are argument 1.
func (a *NDArray) transfer(c *objcsoft.Call, write bool) {
	size := a.Type.Size()
	host := tensorop.Dense(tensorop.Uint8, append(append([]int(nil), a.Shape...), size)...)
	if c.Word(1) != 0 {
		for i, stride := range sizesArg(c, 1, uint64(a.Rank())) {
			host.Strides[a.Rank()-1-i] = stride
		}
	}
	first, end := host.Span()
	if first < 0 {
		adapter.Misuse(c, "strides %v reach before the start of the memory", host.Strides)
		return
	}
	own, err := a.Bytes()
	if err != nil {
		c.Fail(err)
		return
	}
	packed := make([]byte, a.Elements()*size)
	if write {
		memory := c.Bytes(0, uint64(end))
		if c.Failed() {
			return
		}
		Rows(host, func(at, p, n int) { copy(packed[p:p+n], memory[at:]) })
		Rows(a.View, func(at, p, n int) { copy(own[at:at+n], packed[p:]) })
		return
	}
	Rows(a.View, func(at, p, n int) { copy(packed[p:p+n], own[at:]) })
	Rows(host, func(at, p, n int) {
		if err == nil {
			err = objcsoft.WriteMemory(c.Word(0)+uintptr(at), packed[p:p+n])
		}
	})
	if err != nil {
		c.Fail(err)
	}
}

// copyBuffer encodes a copy between the array and a buffer whose elements may have another type.
// The arguments are a command buffer, the buffer, the type, an offset in bytes and, for each
// dimension with the fastest first, the distance between rows in bytes, or none.
func (a *NDArray) copyBuffer(c *objcsoft.Call, export bool) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok || c.ID(1) == 0 {
		return
	}
	t, err := TypeOf(c.Uint(2))
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	other := &NDArray{View: tensorop.Dense(t, a.Shape...), Buffer: mtl.BufferFrom(objc.ID(c.ID(1))),
		Offset: uint(c.Uint(3))}
	if c.Word(4) != 0 {
		for i, stride := range sizesArg(c, 4, uint64(a.Rank()-1)) {
			if stride%t.Size() != 0 {
				adapter.Misuse(c, "row stride %d is not a multiple of the %d bytes of an element", stride, t.Size())
				return
			}
			other.Strides[a.Rank()-2-i] = stride / t.Size()
		}
	}
	if _, end := other.Span(); other.Offset+uint(end*t.Size()) > other.Buffer.Length() {
		adapter.Misuse(c, "the array's elements end at byte %d of the buffer, which has %d",
			other.Offset+uint(end*t.Size()), other.Buffer.Length())
		return
	}
	from, to := other, a
	if export {
		from, to = a, other
	}
	Encode(c, a.Device, cb, []*NDArray{from}, []*NDArray{to}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		b.Copy(out[0], in[0])
	})
}

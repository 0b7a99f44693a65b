// Package optest runs plans of package tensorop on the default device, for tests: inputs and
// results are float64 values, which are stored in the types of the views.
package optest

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/internal/tensorop/encode"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// Device is a device with an encoder.
type Device struct {
	t       testing.TB
	device  mtl.Device
	queue   mtl.CommandQueue
	encoder *encode.Encoder
}

// Open opens the default device until the test ends.
func Open(t testing.TB) *Device {
	t.Helper()
	device, err := mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(device.Release)
	queue, err := device.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(queue.Release)
	e := encode.New(device, nil)
	t.Cleanup(e.Close)
	return &Device{t, device, queue, e}
}

// Run runs a plan. There is a slice of bytes for each input and each output: a buffer's contents
// before the plan runs. It returns the contents of the outputs afterward.
func (d *Device) Run(p *tensorop.Plan, memory ...[]byte) [][]byte {
	d.t.Helper()
	var out [][]byte
	objc.Pool(func() {
		var buffers []encode.Buffer
		for _, m := range memory {
			b, err := d.device.NewBuffer(uint(max(len(m), 16)), mtl.ResourceStorageModeShared)
			require.NoError(d.t, err)
			defer b.Release()
			contents, err := b.Bytes()
			require.NoError(d.t, err)
			copy(contents, m)
			buffers = append(buffers, encode.Buffer{Buffer: b})
		}
		cb, err := d.queue.CommandBuffer()
		require.NoError(d.t, err)
		require.NoError(d.t, d.encoder.Encode(cb, p, buffers))
		require.NoError(d.t, cb.Commit())
		require.NoError(d.t, cb.WaitUntilCompleted())
		require.NoError(d.t, cb.Err())
		for i := p.Inputs; i < len(memory); i++ {
			contents, err := buffers[i].Bytes()
			require.NoError(d.t, err)
			out = append(out, append([]byte(nil), contents[:len(memory[i])]...))
		}
	})
	return out
}

// Do builds a plan with one output and runs it: inputs are packed in row-major order. It returns
// the output's elements.
func (d *Device) Do(out tensorop.View, build func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand),
	inputs ...Tensor) []float64 {
	d.t.Helper()
	var views []tensorop.View
	var memory [][]byte
	for _, in := range inputs {
		views = append(views, in.View)
		memory = append(memory, in.Bytes)
	}
	b, in, o := tensorop.NewBuilder(views, []tensorop.View{out})
	build(b, o[0], in)
	p, err := b.Plan()
	require.NoError(d.t, err)
	_, end := out.Span()
	memory = append(memory, make([]byte, max(end, 1)*out.Type.Size()))
	return Values(out, d.Run(p, memory...)[0])
}

// Tensor is a view of memory.
type Tensor struct {
	tensorop.View
	Bytes []byte
}

// Of stores values as a dense tensor.
func Of(t tensorop.Type, values []float64, shape ...int) Tensor {
	v := Tensor{tensorop.Dense(t, shape...), make([]byte, len(values)*t.Size())}
	for i, x := range values {
		put(t, v.Bytes[i*t.Size():], x)
	}
	return v
}

// Values returns the elements of a view of memory in row-major order.
func Values(v tensorop.View, memory []byte) []float64 {
	out := make([]float64, 0, v.Elements())
	index := make([]int, v.Rank())
	for range v.Elements() {
		at := v.Offset
		for d, i := range index {
			at += i * v.Strides[d]
		}
		out = append(out, get(v.Type, memory[at*v.Type.Size():]))
		for d := v.Rank() - 1; d >= 0; d-- {
			if index[d]++; index[d] < v.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// Round returns what is left of a value in an element of a type.
func Round(t tensorop.Type, x float64) float64 {
	var b [8]byte
	put(t, b[:], x)
	return get(t, b[:])
}

func put(t tensorop.Type, b []byte, x float64) {
	le := binary.LittleEndian
	switch t {
	case tensorop.Float32:
		le.PutUint32(b, math.Float32bits(float32(x)))
	case tensorop.Float16:
		le.PutUint16(b, halfBits(x))
	case tensorop.BFloat16:
		bits := math.Float32bits(float32(x))
		if x == x {
			bits += 0x7fff + bits>>16&1
		}
		le.PutUint16(b, uint16(bits>>16))
	case tensorop.Uint64:
		le.PutUint64(b, uint64(x))
	default:
		var all [8]byte
		le.PutUint64(all[:], uint64(int64(x)))
		copy(b[:t.Size()], all[:])
	}
}

func get(t tensorop.Type, b []byte) float64 {
	le := binary.LittleEndian
	switch t {
	case tensorop.Float32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case tensorop.Float16:
		return halfValue(le.Uint16(b))
	case tensorop.BFloat16:
		return float64(math.Float32frombits(uint32(le.Uint16(b)) << 16))
	case tensorop.Int8:
		return float64(int8(b[0]))
	case tensorop.Int16:
		return float64(int16(le.Uint16(b)))
	case tensorop.Int32:
		return float64(int32(le.Uint32(b)))
	case tensorop.Int64:
		return float64(int64(le.Uint64(b)))
	case tensorop.Uint16:
		return float64(le.Uint16(b))
	case tensorop.Uint32:
		return float64(le.Uint32(b))
	case tensorop.Uint64:
		return float64(le.Uint64(b))
	}
	return float64(b[0])
}

func halfValue(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	exp, frac := int(h>>10&31), float64(h&1023)
	switch exp {
	case 0:
		return sign * math.Ldexp(frac, -24)
	case 31:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

// halfBits rounds to nearest, ties to even.
func halfBits(x float64) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign = 0x8000
	}
	a := math.Abs(x)
	switch {
	case x != x:
		return 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 0x1p-14:
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	_, exp := math.Frexp(a)
	m := math.RoundToEven(math.Ldexp(a, 11-exp)) // 1024 to 2048
	return sign | uint16((exp+13)<<10+int(m))
}

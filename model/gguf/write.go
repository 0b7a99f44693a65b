package gguf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// NewValue returns a value of the metadata: of an integer of a stated size, a float, a bool or a
// string, of a slice of them, or of a []any of such slices, which is an array of arrays.
func NewValue(x any) (v Value, err error) {
	le := binary.LittleEndian
	switch x := x.(type) {
	case uint8:
		return Value{kind: Uint8, raw: []byte{x}}, nil
	case int8:
		return Value{kind: Int8, raw: []byte{byte(x)}}, nil
	case uint16:
		return Value{kind: Uint16, raw: le.AppendUint16(nil, x)}, nil
	case int16:
		return Value{kind: Int16, raw: le.AppendUint16(nil, uint16(x))}, nil
	case uint32:
		return Value{kind: Uint32, raw: le.AppendUint32(nil, x)}, nil
	case int32:
		return Value{kind: Int32, raw: le.AppendUint32(nil, uint32(x))}, nil
	case uint64:
		return Value{kind: Uint64, raw: le.AppendUint64(nil, x)}, nil
	case int64:
		return Value{kind: Int64, raw: le.AppendUint64(nil, uint64(x))}, nil
	case float32:
		return Value{kind: Float32, raw: le.AppendUint32(nil, math.Float32bits(x))}, nil
	case float64:
		return Value{kind: Float64, raw: le.AppendUint64(nil, math.Float64bits(x))}, nil
	case bool:
		if x {
			return Value{kind: Bool, raw: []byte{1}}, nil
		}
		return Value{kind: Bool, raw: []byte{0}}, nil
	case string:
		return Value{kind: String, raw: []byte(x)}, nil
	case []uint8:
		return arrayOf(Uint8, x)
	case []int8:
		return arrayOf(Int8, x)
	case []uint16:
		return arrayOf(Uint16, x)
	case []int16:
		return arrayOf(Int16, x)
	case []uint32:
		return arrayOf(Uint32, x)
	case []int32:
		return arrayOf(Int32, x)
	case []uint64:
		return arrayOf(Uint64, x)
	case []int64:
		return arrayOf(Int64, x)
	case []float32:
		return arrayOf(Float32, x)
	case []float64:
		return arrayOf(Float64, x)
	case []bool:
		return arrayOf(Bool, x)
	case []string:
		return arrayOf(String, x)
	case []any:
		return arrayOf(Array, x)
	}
	return Value{}, fmt.Errorf("gguf: a %T is no value of the format", x)
}

func arrayOf[T any](elem Kind, list []T) (Value, error) {
	v := Value{kind: Array, elem: elem, n: len(list)}
	for _, x := range list {
		e, err := NewValue(x)
		if err == nil && e.kind != elem {
			err = fmt.Errorf("gguf: a %T in an array of arrays", x)
		}
		if err != nil {
			return Value{}, err
		}
		v.raw = e.append(v.raw)
	}
	return v, nil
}

// append appends the value as files have it, without its kind.
func (v Value) append(b []byte) []byte {
	switch v.kind {
	case String:
		b = binary.LittleEndian.AppendUint64(b, uint64(len(v.raw)))
	case Array:
		b = binary.LittleEndian.AppendUint32(b, uint32(v.elem))
		b = binary.LittleEndian.AppendUint64(b, uint64(v.n))
	}
	return append(b, v.raw...)
}

// NewTensor is a tensor to write: its elements as the format has them. The name has at most 64
// bytes, and the size of data follows from the type and the shape.
type NewTensor struct {
	Name  string
	Type  Type
	Shape []int // the outermost dimension first
	Data  []byte
	// Make returns what Data is, when it is written: so not all tensors have to be in memory. It is
	// called if Data is nil.
	Make func() ([]byte, error)
}

// data returns the tensor's elements, which have a size.
func (t *NewTensor) data(size int64) (data []byte, err error) {
	if data = t.Data; data == nil && t.Make != nil {
		if data, err = t.Make(); err != nil {
			return nil, fmt.Errorf("gguf: tensor %q: %w", t.Name, err)
		}
	}
	if size != int64(len(data)) {
		return nil, fmt.Errorf("gguf: tensor %q has %d bytes of data, want %d for %v %v", t.Name, len(data), size, t.Type,
			t.Shape)
	}
	return data, nil
}

// Write writes a file of version 3. The data are aligned to what the key general.alignment says, 32
// bytes without it. What [Open] would refuse is an error, and then nothing is written; errors of
// Make come later.
func Write(w io.Writer, metadata []Pair, tensors []NewTensor) error {
	le := binary.LittleEndian
	h := le.AppendUint32([]byte("GGUF"), 3)
	h = le.AppendUint64(h, uint64(len(tensors)))
	h = le.AppendUint64(h, uint64(len(metadata)))
	align := int64(32)
	for _, p := range metadata {
		if p.Value.none() {
			return fmt.Errorf("gguf: key %q has no value", p.Key)
		}
		if a, ok := p.Value.Uint(); ok && p.Key == alignmentKey && a > 0 {
			align = int64(min(a, maxAlignment))
		}
		h = le.AppendUint64(h, uint64(len(p.Key)))
		h = append(h, p.Key...)
		h = le.AppendUint32(h, uint32(p.Value.kind))
		h = p.Value.append(h)
	}
	padded := func(n int64) int64 { return (n + align - 1) / align * align }
	offset := int64(0)
	for _, t := range tensors {
		size, err := t.Type.Size(t.Shape...)
		if err != nil {
			return fmt.Errorf("gguf: tensor %q: %w", t.Name, err)
		}
		if t.Data != nil || t.Make == nil {
			if _, err := t.data(size); err != nil {
				return err
			}
		}
		h = le.AppendUint64(h, uint64(len(t.Name)))
		h = append(h, t.Name...)
		h = le.AppendUint32(h, uint32(len(t.Shape)))
		for _, n := range slices.Backward(t.Shape) {
			h = le.AppendUint64(h, uint64(n))
		}
		h = le.AppendUint32(h, uint32(t.Type))
		h = le.AppendUint64(h, uint64(offset))
		offset = padded(offset + size)
	}
	begin := padded(int64(len(h)))
	if x, err := parseHeader(h, maxHeader); err != nil {
		return fmt.Errorf("gguf: %w", err)
	} else if err := x.place(int64(len(h)), begin+offset); err != nil {
		return fmt.Errorf("gguf: %w", err)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	out.Write(h) // a bufio.Writer keeps the first error, which Flush returns
	at := int64(len(h))
	pad := func(to int64) {
		for ; at < to; at++ {
			out.WriteByte(0)
		}
	}
	pad(begin)
	for _, t := range tensors {
		size, _ := t.Type.Size(t.Shape...) // which was computed before
		data, err := t.data(size)
		if err != nil {
			return err
		}
		out.Write(data)
		at += size
		pad(begin + padded(at-begin))
	}
	return out.Flush()
}

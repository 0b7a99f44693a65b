package onnxjudge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// field is one field of a protobuf message: a number, or bytes.
type field struct {
	number int
	wire   int // the wire type
	value  uint64
	bytes  []byte
}

var errTruncated = errors.New("the message ends within a field")

// eachField calls f for the fields of a message in order.
func eachField(b []byte, f func(field) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errTruncated
		}
		b = b[n:]
		d := field{number: int(tag >> 3), wire: int(tag & 7)}
		size := 0
		switch d.wire {
		case 0:
			if d.value, size = binary.Uvarint(b); size <= 0 {
				return errTruncated
			}
		case 1, 5:
			if size = 4; d.wire == 1 {
				size = 8
			}
			if len(b) < size {
				return errTruncated
			}
			for i := size - 1; i >= 0; i-- {
				d.value = d.value<<8 | uint64(b[i])
			}
		case 2:
			length, n := binary.Uvarint(b)
			if n <= 0 || uint64(len(b)-n) < length {
				return errTruncated
			}
			size = n + int(length)
			d.bytes = b[n:size]
		default:
			return fmt.Errorf("field %d has wire type %d", d.number, d.wire)
		}
		b = b[size:]
		if err := f(d); err != nil {
			return err
		}
	}
	return nil
}

// integers returns the elements of a repeated integer field, packed or not.
func (d field) integers() ([]int64, error) {
	if d.wire != 2 {
		return []int64{int64(d.value)}, nil
	}
	var out []int64
	for b := d.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errTruncated
		}
		out, b = append(out, int64(v)), b[n:]
	}
	return out, nil
}

// fixed returns the elements of a repeated field of numbers of a fixed size, packed or not.
func (d field) fixed(size int) ([]uint64, error) {
	if d.wire != 2 {
		return []uint64{d.value}, nil
	}
	if len(d.bytes)%size != 0 {
		return nil, errTruncated
	}
	var out []uint64
	for b := d.bytes; len(b) > 0; b = b[size:] {
		if size == 4 {
			out = append(out, uint64(binary.LittleEndian.Uint32(b)))
		} else {
			out = append(out, binary.LittleEndian.Uint64(b))
		}
	}
	return out, nil
}

// floats returns the elements of a repeated float field.
func (d field) floats() ([]float32, error) {
	bits, err := d.fixed(4)
	out := make([]float32, len(bits))
	for i, v := range bits {
		out[i] = math.Float32frombits(uint32(v))
	}
	return out, err
}

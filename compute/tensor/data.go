package tensor

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/simd/float16"
)

// Of returns a tensor with a copy of data, whose elements are in row-major order. Without a shape
// it has one dimension. The tensor belongs to the scope.
func Of[T Element](s *Scope, data []T, shape ...int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	return s.upload("of", TypeFor[T](), bytesOf(data), shape)
}

// FromFloat64 is [Of] for float64, which Metal does not have: the elements are rounded to the given
// type, which is a floating-point type.
func FromFloat64(s *Scope, typ Type, data []float64, shape ...int) *Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	if f, ok := s.begin("from float64"); !ok {
		return f
	}
	if !typ.IsFloat() {
		return s.fail("from float64", nil, fmt.Errorf("to %v, which is not a floating-point type: %w", typ, ErrType))
	}
	raw := make([]byte, 0, len(data)*typ.Size())
	for _, x := range data {
		raw = appendFloat(raw, typ, x)
	}
	return s.upload("from float64", typ, raw, shape)
}

// upload returns a tensor with a copy of elements.
func (s *Scope) upload(op string, typ Type, raw []byte, shape []int) *Tensor {
	if f, ok := s.begin(op); !ok {
		return f
	}
	t, err := s.put(typ, raw, shape)
	if err != nil {
		return s.fail(op, nil, err)
	}
	return t
}

// put makes a tensor of the scope with a copy of elements. It does not record its error.
func (s *Scope) put(typ Type, raw []byte, shape []int) (*Tensor, error) {
	// Spare memory may be in use by work before.
	t, err := s.makeOf(typ, shape, func(int) *memory { return nil })
	if err != nil {
		return nil, err
	}
	if have := len(raw) / typ.Size(); have != t.Len() {
		err = fmt.Errorf("%d elements for the shape %v, which has %d: %w", have, shape, t.Len(), ErrShape)
	} else if have > 0 {
		err = t.owner.mem.buffer.Upload(s.ctx, raw)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, s.own(t)
}

// appendFloat appends a number as an element of a floating-point type.
func appendFloat(raw []byte, typ Type, x float64) []byte {
	bits, _ := number{x}.bits(typ) // no error for floating-point types
	return append(raw, bits[:typ.Size()]...)
}

// Adopt returns a tensor on the program's own memory, without a copy; see [compute.Adopt] for what
// memory that can be: whole pages outside of Go's heap. free is called when the tensor, those that
// share its memory, and the work on them have ended. Element (i, j, ...) is data[i*strides[0] +
// j*strides[1] + ...]; nil strides mean row-major order. For matrices of gonum see [AdoptMatrix32].
//
// The program must not access data until [Engine.Sync] has returned after the last operation on it.
// If Adopt fails, free is not called.
func Adopt[T Element](s *Scope, data []T, free func(), shape, strides []int) *Tensor {
	if f, ok := s.begin("adopt"); !ok {
		return f
	}
	t, err := adopt(s, TypeFor[T](), bytesOf(data), free, shape, strides)
	if err != nil {
		return s.fail("adopt", nil, err)
	}
	if err := s.own(t); err != nil {
		return s.fail("adopt", nil, err)
	}
	return t
}

func adopt(s *Scope, typ Type, raw []byte, free func(), shape, strides []int) (*Tensor, error) {
	if err := checkShape(typ, shape); err != nil {
		return nil, err
	}
	v := tensorop.Dense(typ.op(), shape...)
	if strides != nil {
		v.Strides = append([]int(nil), strides...)
	}
	if err := v.Check(); err != nil {
		return nil, shapeError(err)
	}
	if _, end := v.Span(); end > len(raw)/typ.Size() {
		return nil, fmt.Errorf("shape %v with strides %v reaches to element %d of %d: %w", shape, v.Strides, end,
			len(raw)/typ.Size(), ErrShape)
	}
	b, err := compute.Adopt(s.engine.acc, raw, compute.BufferOptions{Label: "tensor"}, free)
	if err != nil {
		return nil, err
	}
	m := memoryOf(b)
	m.adopted = true
	return &Tensor{engine: s.engine, view: v, owner: &owner{mem: m}}, nil
}

// Data waits for the tensor's elements and returns a copy of them in row-major order. T must be the
// Go type of the element type; see [Type]. If t failed, or the work that wrote it failed on the
// device, Data returns that error.
func Data[T Element](ctx context.Context, t *Tensor) ([]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if want := TypeFor[T](); t.Type() != want {
		return nil, t.failure("data", fmt.Errorf("as %v; convert with Cast first: %w", want, ErrType))
	}
	out := make([]T, t.Len())
	if err := t.download(ctx, bytesOf(out)); err != nil {
		return nil, t.failure("data", err)
	}
	return out, nil
}

// Item is [Data] for a tensor with one element.
func Item[T Element](ctx context.Context, t *Tensor) (T, error) {
	if ctx != nil && t.Err() == nil && t.number == nil && t.Len() != 1 {
		return *new(T), t.failure("item", fmt.Errorf("%d elements and not 1: %w", t.Len(), ErrShape))
	}
	v, err := Data[T](ctx, t)
	if err != nil {
		return *new(T), err
	}
	return v[0], nil
}

// ToFloat64 is [Data] for elements of any type, converted to float64. Integers beyond 2^53 are
// rounded; a true Bool is 1.
func ToFloat64(ctx context.Context, t *Tensor) ([]float64, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if t.number != nil {
		return []float64{t.number.value}, nil
	}
	raw := make([]byte, t.Len()*t.Type().Size())
	if err := t.download(ctx, raw); err != nil {
		return nil, t.failure("data", err)
	}
	out := make([]float64, t.Len())
	for i := range out {
		out[i] = toFloat64(t.Type(), raw[i*t.Type().Size():])
	}
	return out, nil
}

// download copies the elements in row-major order.
func (t *Tensor) download(ctx context.Context, raw []byte) error {
	if t.view.IsDense() {
		m, err := t.owner.hold()
		if err != nil || len(raw) == 0 {
			if err == nil {
				m.release()
			}
			return err
		}
		defer m.release()
		at := t.view.Offset * t.Type().Size()
		part, err := m.buffer.Slice(at, at+len(raw))
		if err != nil {
			return err
		}
		return part.Download(ctx, raw)
	}
	s := t.engine.Scope(ctx)
	defer s.Close()
	c := s.Contiguous(t)
	if c.err != nil {
		return c.err
	}
	return c.download(ctx, raw)
}

// number is the value of a Scalar.
type number struct{ value float64 }

func (n number) String() string { return strconv.FormatFloat(n.value, 'g', -1, 64) }

// Scalar returns a number as an operand: it takes the element type of the operation's other
// operands and is broadcast to their shape. For an integer type it must be a whole number in the
// type's range, and for Bool 0 or 1. It needs no Close.
//
//	y := s.Mul(x, tensor.Scalar(0.5))
func Scalar(value float64) *Tensor { return &Tensor{number: &number{value}} }

// bits returns the number as an element.
func (n number) bits(t Type) (bits [8]byte, err error) {
	le, x := binary.LittleEndian, n.value
	if !t.IsFloat() && (x != math.Trunc(x) || !inRange(t, x)) {
		return bits, fmt.Errorf("scalar %v is not a value of %v: %w", n, t, ErrType)
	}
	switch t {
	case Float32:
		le.PutUint32(bits[:], math.Float32bits(float32(x)))
	case Float16:
		le.PutUint16(bits[:], uint16(float16.HalfOf(float32(x))))
	case BFloat16:
		le.PutUint16(bits[:], uint16(float16.BFloat16Of(float32(x))))
	case Uint64:
		le.PutUint64(bits[:], uint64(x))
	default:
		le.PutUint64(bits[:], uint64(int64(x)))
	}
	return bits, nil
}

// inRange reports whether an integer type, or Bool, has a whole number.
func inRange(t Type, x float64) bool {
	bits := 8 * t.Size()
	switch {
	case t == Bool:
		return x == 0 || x == 1
	case t.op().Signed():
		limit := math.Ldexp(1, bits-1)
		return -limit <= x && x < limit
	}
	return 0 <= x && x < math.Ldexp(1, bits)
}

// toFloat64 returns the first element of raw.
func toFloat64(t Type, raw []byte) float64 {
	le := binary.LittleEndian
	switch t {
	case Float32:
		return float64(math.Float32frombits(le.Uint32(raw)))
	case Float16:
		return float64(float16.Half(le.Uint16(raw)).Float32())
	case BFloat16:
		return float64(float16.BFloat16(le.Uint16(raw)).Float32())
	case Int8:
		return float64(int8(raw[0]))
	case Int16:
		return float64(int16(le.Uint16(raw)))
	case Int32:
		return float64(int32(le.Uint32(raw)))
	case Int64:
		return float64(int64(le.Uint64(raw)))
	case Uint16:
		return float64(le.Uint16(raw))
	case Uint32:
		return float64(le.Uint32(raw))
	case Uint64:
		return float64(le.Uint64(raw))
	}
	return float64(raw[0]) // Uint8, Bool
}

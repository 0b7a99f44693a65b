package value

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/npy"
	"github.com/puremetal/puremetal/simd/float16"
)

// convert fills the value with an array's numbers, converted to its type. Floating-point numbers
// are rounded but must not overflow; integers must be exact.
func (v *Value) convert(a *npy.Array) error {
	s, size := v.Type.Scalar, a.Type.Size()
	v.data = make([]byte, 0, a.Len()*s.Size())
	for i := range a.Len() {
		f, n, negative := element(a.Type, a.Data[i*size:])
		if s.Floating() {
			bits, back := narrow(s, f)
			if math.IsInf(back, 0) && !math.IsInf(f, 0) {
				return bad("element %d of the array is %v, out of range for %v, whose largest value is %s", i, f, s, largest(s))
			}
			v.data = appendBits(v.data, s.Size(), bits)
			continue
		}
		if a.Type[0] == 'f' {
			if f != math.Trunc(f) || f < -(1<<63) || f >= 1<<64 {
				return bad("element %d of the array is %v, not a valid %v", i, f, s)
			}
			if negative = f < 0; negative {
				n = uint64(int64(f))
			} else {
				n = uint64(f)
			}
		}
		if !holds(s, n, negative) {
			return bad("element %d of the array is %v, not a valid %v", i, f, s)
		}
		v.data = appendBits(v.data, s.Size(), n)
	}
	return nil
}

// element returns a number of an array as a float64, and, for integer types, its exact bits and
// sign.
func element(t npy.Type, b []byte) (f float64, n uint64, negative bool) {
	var w [8]byte
	copy(w[:], b[:t.Size()])
	n = binary.LittleEndian.Uint64(w[:])
	switch t {
	case npy.Float16:
		return float64(float16.Half(n).Float32()), 0, false
	case npy.Float32:
		return float64(math.Float32frombits(uint32(n))), 0, false
	case npy.Float64:
		return math.Float64frombits(n), 0, false
	case npy.Int8, npy.Int16, npy.Int32, npy.Int64:
		shift := 64 - 8*t.Size()
		i := int64(n<<shift) >> shift
		return float64(i), uint64(i), i < 0
	}
	return float64(n), n, false
}

// holds reports whether the type can represent an integer. A negative n is in two's complement.
func holds(s Scalar, n uint64, negative bool) bool {
	switch {
	case s == Bool:
		return n <= 1
	case s.Signed():
		least, most := int64(math.MinInt64)>>(64-s.Bits()), uint64(math.MaxInt64)>>(64-s.Bits())
		return negative && int64(n) >= least || !negative && n <= most
	}
	return !negative && n <= uint64(math.MaxUint64)>>(64-s.Bits())
}

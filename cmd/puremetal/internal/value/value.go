package value

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/puremetal/puremetal/simd/float16"
)

// source says how the bytes of a value are made.
type source uint8

const (
	fromZeros source = iota
	fromRamp
	fromRandom
	fromData
	fromMemory
)

// Value is an argument or a function constant.
type Value struct {
	Type  Type
	Shape []int // nil for one element; row-major
	Image bool  // from an image: Shape is rows and columns
	// Struct marks a structure. It has no element type: Type is uchar and Shape its size.
	Struct bool

	structAlign int
	members     []member // of a structure, or the structures of an array of them
	array       bool     // an array of structures
	source      source
	// for fromData, the numbers without padding, or one number to repeat; for fromMemory, all bytes
	data []byte
}

// Len returns the number of elements.
func (v *Value) Len() int {
	n := 1
	for _, d := range v.Shape {
		n *= d
	}
	return n
}

// Size returns the size in memory in bytes.
func (v *Value) Size() int { return v.Len() * v.Type.Size() }

// Describe returns the type and shape, such as "float4[64,64]".
func (v *Value) Describe() string {
	switch {
	case v.array:
		return fmt.Sprintf("%d structures of %d bytes", len(v.members), v.members[0].value.Size())
	case v.Struct:
		return fmt.Sprintf("a structure of %d bytes", v.Size())
	}
	return v.Type.String() + dimensions(v.Shape)
}

func dimensions(shape []int) string {
	if len(shape) == 0 {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprint(shape), " ", ",")
}

// Fill writes the value to memory of Size bytes. Random numbers depend only on the seed.
func (v *Value) Fill(to []byte, seed uint64) {
	clear(to)
	v.fill(to, rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)))
}

// fill writes the value to zeroed memory.
func (v *Value) fill(to []byte, r *rand.Rand) {
	for _, m := range v.members {
		m.value.fill(to[m.at:][:m.value.Size()], r)
	}
	switch v.source {
	case fromRamp:
		v.each(to, func(i int, at []byte) { put(at, v.Type.Scalar, float64(i), uint64(i)) })
	case fromRandom:
		v.each(to, func(_ int, at []byte) {
			if v.Type.Scalar.Floating() { // as many bits as the significand has, so that none rounds up to 1
				bits := [...]uint{Half: 11, BFloat: 8, Float: 24}[v.Type.Scalar]
				put(at, v.Type.Scalar, float64(r.Uint32()>>(32-bits))/float64(uint32(1)<<bits), 0)
				return
			}
			put(at, v.Type.Scalar, 0, r.Uint64N(100))
		})
	case fromMemory:
		copy(to, v.data)
	case fromData:
		size := v.Type.Scalar.Size()
		v.each(to, func(i int, at []byte) {
			copy(at, v.data[i*size%len(v.data):][:size])
		})
	}
}

// each calls fn with the memory of each number in turn.
func (v *Value) each(to []byte, fn func(i int, at []byte)) {
	size, step := v.Type.Scalar.Size(), v.Type.Size()
	for e := range v.Len() {
		for l := range v.Type.Lanes {
			from := e*step + l*size
			fn(e*v.Type.Lanes+l, to[from:from+size])
		}
	}
}

// put writes a number: f, rounded, for floating-point types; the low bits of n for integers; and
// whether n is odd for bool.
func put(to []byte, s Scalar, f float64, n uint64) {
	switch {
	case s == Bool:
		to[0] = byte(n & 1)
		return
	case s.Floating():
		n, _ = narrow(s, f)
	}
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], n)
	copy(to, w[:])
}

// Number returns a number as a float64 and as text. The text of an integer is exact.
func Number(s Scalar, b []byte) (f float64, text string) {
	var w [8]byte
	copy(w[:], b[:s.Size()])
	n := binary.LittleEndian.Uint64(w[:])
	switch s {
	case Bool:
		return float64(n & 1), fmt.Sprint(n != 0)
	case Half:
		f = float64(float16.Half(n).Float32())
	case BFloat:
		f = float64(float16.BFloat16(n).Float32())
	case Float:
		f = float64(math.Float32frombits(uint32(n)))
	default:
		if s.Signed() {
			i := int64(n<<(64-s.Bits())) >> (64 - s.Bits())
			return float64(i), fmt.Sprint(i)
		}
		return float64(n), fmt.Sprint(n)
	}
	return f, fmt.Sprint(float32(f))
}

// Compare calls differ with each number that two contents of the value do not have in common, and
// with the contents as text. Of structures, it compares bytes.
func (v *Value) Compare(a, b []byte, differ func(i int, a, b string)) {
	if v.Struct || v.array {
		for i := range a {
			if a[i] != b[i] {
				differ(i, fmt.Sprintf("%#02x", a[i]), fmt.Sprintf("%#02x", b[i]))
			}
		}
		return
	}
	size, step := v.Type.Scalar.Size(), v.Type.Size()
	v.each(a, func(i int, x []byte) {
		y := b[i/v.Type.Lanes*step+i%v.Type.Lanes*size:][:size]
		if bytes.Equal(x, y) {
			return
		}
		_, was := Number(v.Type.Scalar, x)
		_, is := Number(v.Type.Scalar, y)
		if was == is { // floating-point numbers with other bits, such as NaNs
			was, is = fmt.Sprintf("%s (%x)", was, x), fmt.Sprintf("%s (%x)", is, y)
		}
		differ(i, was, is)
	})
}

package value

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/simd/float16"
)

const (
	maxDims    = 8    // dimensions of an array
	maxNumbers = 4096 // written out in one value; more need a file
	maxMembers = 256  // of a structure
	maxDepth   = 8    // of structures in structures
)

// Parse parses a VALUE. Relative file names are relative to dir; "" is the current directory.
func Parse(text, dir string) (*Value, error) { return parse(text, dir, 0) }

func parse(text, dir string, depth int) (*Value, error) {
	switch {
	case strings.HasPrefix(text, "{"):
		return structure(text, dir, depth)
	case strings.HasPrefix(text, "["):
		return structures(text, dir, depth)
	}
	if isFile(text) {
		name, file, _ := strings.Cut(text, "@")
		return readFile(name, file, dir)
	}
	word, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil, bad("%q; want TYPE:NUMBER[,NUMBER...], TYPE[N,...]:NUMBERS, zeros:TYPE[N,...], ramp:TYPE[N,...], random:TYPE[N,...], @file.npy, @file.png, @file.jpg or @file.raw", clip(text))
	}
	switch word {
	case "zeros", "ramp", "random":
		v, err := declared(rest)
		if err != nil {
			return nil, err
		}
		v.source = map[string]source{"zeros": fromZeros, "ramp": fromRamp, "random": fromRandom}[word]
		return v, nil
	}
	v, err := declared(word)
	if err != nil {
		return nil, err
	}
	v.source = fromData
	if err := v.numbers(rest); err != nil {
		return nil, err
	}
	return v, nil
}

// Untyped reports whether a value is numbers without a type, such as 2, -1.5, true or 1,2,3.
func Untyped(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	first = strings.TrimLeft(strings.TrimSpace(first), "+-")
	switch strings.ToLower(first) {
	case "true", "false", "inf", "infinity", "nan":
		return true
	}
	return first != "" && strings.ContainsAny(first[:1], "0123456789.") && !strings.ContainsAny(text, ":@{[")
}

// isFile reports whether a value is @FILE or TYPE@FILE.
func isFile(text string) bool {
	name, _, ok := strings.Cut(text, "@")
	return ok && !strings.ContainsAny(name, ":{")
}

// declared parses TYPE or TYPE[N,...].
func declared(text string) (*Value, error) {
	name, dims, isArray := strings.Cut(text, "[")
	t, err := ParseType(name)
	if err != nil {
		return nil, err
	}
	v := &Value{Type: t}
	if isArray {
		inner, ok := strings.CutSuffix(dims, "]")
		if !ok {
			return nil, bad("%q must end in ]", clip(text))
		}
		if v.Shape, err = shape(inner); err != nil {
			return nil, err
		}
	}
	if err := v.fits(); err != nil {
		return nil, err
	}
	return v, nil
}

// shape parses the sizes of an array.
func shape(text string) ([]int, error) {
	parts := strings.Split(text, ",")
	if len(parts) > maxDims {
		return nil, bad("%d dimensions; at most %d are allowed", len(parts), maxDims)
	}
	out := make([]int, len(parts))
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || n < 1 {
			return nil, bad("array size %q; want a positive integer", clip(p))
		}
		out[i] = n
	}
	return out, nil
}

// fits checks that the value's size in bytes does not overflow.
func (v *Value) fits() error {
	size := v.Type.Size()
	for _, d := range v.Shape {
		if size > math.MaxInt/d {
			return bad("%v%s exceeds the address space", v.Type, dimensions(v.Shape))
		}
		size *= d
	}
	return nil
}

// numbers parses the numbers of a value: all of them, or one that fills it.
func (v *Value) numbers(text string) error {
	if len(v.Shape) == 0 && v.Type.Lanes == 1 && strings.Contains(text, ",") {
		return bad("%q has more than one number for a single %v; for an array use %v[N]:...", clip(text), v.Type, v.Type)
	}
	if n := strings.Count(text, ",") + 1; n > maxNumbers {
		return bad("%d numbers; at most %d may be written out, use a .npy file for more", n, maxNumbers)
	}
	parts := strings.Split(text, ",")
	want := v.Len() * v.Type.Lanes
	if len(parts) != want && len(parts) != 1 {
		return bad("%d numbers for %s; want %d, or one to fill it", len(parts), v.Describe(), want)
	}
	for _, p := range parts {
		var err error
		if v.data, err = appendNumber(v.data, v.Type.Scalar, strings.TrimSpace(p)); err != nil {
			return err
		}
	}
	return nil
}

// appendNumber parses one number and appends its bytes.
func appendNumber(b []byte, s Scalar, text string) ([]byte, error) {
	switch {
	case s == Bool:
		switch text {
		case "true", "1":
			return append(b, 1), nil
		case "false", "0":
			return append(b, 0), nil
		}
		return b, bad("%q is not a valid bool; want true or false", clip(text))
	case s.Floating():
		f, err := strconv.ParseFloat(text, 32)
		if err != nil && !isRange(err) {
			return b, bad("%q is not a valid %v; want a number such as 1.5, 1e-3, inf or nan", clip(text), s)
		}
		return appendFloat(b, s, text, f)
	case s.Signed():
		n, err := strconv.ParseInt(text, 0, s.Bits())
		if err != nil {
			top := int64(math.MaxInt64) >> (64 - s.Bits())
			return b, bad("%q is not a valid %v; want an integer from %d to %d", clip(text), s, -top-1, top)
		}
		return appendBits(b, s.Size(), uint64(n)), nil
	}
	n, err := strconv.ParseUint(text, 0, s.Bits())
	if err != nil {
		return b, bad("%q is not a valid %v; want an integer from 0 to %d", clip(text), s,
			uint64(math.MaxUint64)>>(64-s.Bits()))
	}
	return appendBits(b, s.Size(), n), nil
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// appendFloat appends a floating-point number. A finite number that overflows the type is an error.
func appendFloat(b []byte, s Scalar, text string, f float64) ([]byte, error) {
	bits, back := narrow(s, f)
	if word := strings.ToLower(strings.TrimLeft(text, "+-")); math.IsInf(back, 0) && !strings.HasPrefix(word, "inf") {
		return b, bad("%q is out of range for %v, whose largest value is %s", clip(text), s, largest(s))
	}
	return appendBits(b, s.Size(), bits), nil
}

// largest returns the largest finite number of a floating-point type.
func largest(s Scalar) string {
	return map[Scalar]string{Half: "65504", BFloat: "3.3895314e+38", Float: "3.4028235e+38"}[s]
}

// narrow returns the bits of the nearest number of a floating-point type, and that number.
func narrow(s Scalar, f float64) (bits uint64, back float64) {
	switch s {
	case Half:
		h := float16.HalfOf(float32(f))
		return uint64(h), float64(h.Float32())
	case BFloat:
		h := float16.BFloat16Of(float32(f))
		return uint64(h), float64(h.Float32())
	}
	return uint64(math.Float32bits(float32(f))), float64(float32(f))
}

// appendBits appends the low bytes of a word.
func appendBits(b []byte, size int, bits uint64) []byte {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], bits)
	return append(b, w[:size]...)
}

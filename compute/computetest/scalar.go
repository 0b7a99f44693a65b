package computetest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/puremetal/puremetal/simd"
)

// scalar is a number or bool in an element: the element itself, a component of a vector, a field of
// a structure or an element of an array.
type scalar struct {
	path  string // ".X", "" for the element itself
	typ   reflect.Type
	steps []int // indices of fields and elements, from the outermost
}

// scalarsOf returns the scalars of an element type. Padding, which has the name _, is left out.
func scalarsOf(t reflect.Type) ([]scalar, error) {
	return appendScalars(nil, scalar{typ: t})
}

func appendScalars(list []scalar, s scalar) (_ []scalar, err error) {
	part := func(name string, t reflect.Type, i int) {
		if err == nil {
			list, err = appendScalars(list, scalar{s.path + name, t, append(s.steps[:len(s.steps):len(s.steps)], i)})
		}
	}
	switch s.typ.Kind() {
	case reflect.Struct:
		for i := range s.typ.NumField() {
			if f := s.typ.Field(i); f.Name != "_" {
				part("."+f.Name, f.Type, i)
			}
		}
	case reflect.Array:
		for i := range s.typ.Len() {
			part(fmt.Sprintf("[%d]", i), s.typ.Elem(), i)
		}
	default:
		if !isNumber(s.typ) && s.typ.Kind() != reflect.Bool {
			return nil, errors.New("the type " + s.typ.String() + " is neither a number nor made of numbers")
		}
		list = append(list, s)
	}
	return list, err
}

// in returns the scalar of an element.
func (s scalar) in(element reflect.Value) reflect.Value {
	for _, i := range s.steps {
		if element.Kind() == reflect.Struct {
			element = element.Field(i)
		} else {
			element = element.Index(i)
		}
	}
	return element
}

// isNumber reports whether a type is one of numbers.
func isNumber(t reflect.Type) bool {
	return formatOf(t) != nil || t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
}

// format is a binary floating-point format.
type format struct {
	precision int // bits of the significand, with the leading one
	least     int // exponent of the smallest normal number
}

// formatOf returns the format of a floating-point type, nil of others.
func formatOf(t reflect.Type) *format {
	switch {
	case t == reflect.TypeFor[simd.Half]():
		return &format{11, -14}
	case t == reflect.TypeFor[simd.BFloat16]():
		return &format{8, -126}
	case t.Kind() == reflect.Float32:
		return &format{24, -126}
	case t.Kind() == reflect.Float64:
		return &format{53, -1022}
	}
	return nil
}

// ulp returns the unit in the last place of a finite number, as the Metal Shading Language
// Specification defines it: the distance of the two numbers of the format that x is between, or if
// x is one, of the nearest two.
func (f *format) ulp(x float64) float64 {
	exponent := f.least
	if x != 0 {
		fraction, e := math.Frexp(math.Abs(x)) // 0.5 <= fraction < 1
		if fraction == 0.5 {
			e-- // below a power of two, numbers are half as far apart
		}
		exponent = max(exponent, e-1)
	}
	return math.Ldexp(1, exponent-f.precision+1)
}

// ulps returns the distance of a number of the format, or an infinity, from a finite number. Beyond
// the largest number of the format all numbers round to infinity.
func (f *format) ulps(x, want float64) float64 {
	if f == nil {
		return math.NaN()
	}
	end := math.Ldexp(1, 2-f.least)
	x, want = max(-end, min(x, end)), max(-end, min(want, end))
	return math.Abs(x-want) / f.ulp(want)
}

// textOf formats a scalar, floating-point numbers with as many digits as tell them apart.
func textOf(v reflect.Value) string {
	f := formatOf(v.Type())
	switch {
	case f == nil:
		return fmt.Sprint(v)
	case f.precision > 24:
		return strconv.FormatFloat(number(v), 'g', -1, 64)
	}
	return strconv.FormatFloat(number(v), 'g', -1, 32)
}

// number returns a number as float64.
func number(v reflect.Value) float64 {
	switch t := v.Type(); {
	case t == reflect.TypeFor[simd.Half]():
		return float64(simd.Half(v.Uint()).Float32())
	case t == reflect.TypeFor[simd.BFloat16]():
		return float64(simd.BFloat16(v.Uint()).Float32())
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// setNumber sets a floating-point number, rounded to its type.
func setNumber(v reflect.Value, x float64) {
	switch v.Type() {
	case reflect.TypeFor[simd.Half]():
		v.SetUint(uint64(simd.HalfOf(float32(x))))
	case reflect.TypeFor[simd.BFloat16]():
		v.SetUint(uint64(simd.BFloat16Of(float32(x))))
	default:
		v.SetFloat(x)
	}
}

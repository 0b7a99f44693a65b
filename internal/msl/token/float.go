package token

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// FloatLit is the value of a Float. It is kept exactly and rounded once, to the type required.
type FloatLit struct {
	Suffix Suffix // NoSuffix, SuffixF, SuffixH, SuffixBF, or SuffixL for long double, which Metal does not have
	digits string // in the syntax of strconv
}

// ParseFloat reads a floating-point literal.
func ParseFloat(text string) (FloatLit, error) {
	var lit FloatLit
	hex := hasPrefixFold(text, "0x")
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' || hex && digitValue(c) < 16 }
	i := 0
	if hex {
		i = 2
	}
	run := func() (n int, ok bool) { // digits with separators
		start := i
		for i < len(text) && (isDigit(text[i]) || text[i] == '\'') {
			i++
		}
		return i - start, separated(text[start:i])
	}
	whole, ok1 := run()
	frac, ok2 := 0, true
	if i < len(text) && text[i] == '.' {
		i++
		frac, ok2 = run()
	}
	ok3, exponent := true, false
	if i < len(text) && (!hex && text[i]|0x20 == 'e' || hex && text[i]|0x20 == 'p') {
		exponent = true
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		hex = false // the exponent is decimal
		var n int
		if n, ok3 = run(); n == 0 {
			return lit, fmt.Errorf("%w: exponent has no digits", ErrBadNumber)
		}
	}
	switch {
	case whole+frac == 0:
		return lit, fmt.Errorf("%w: no digits", ErrBadNumber)
	case !ok1 || !ok2 || !ok3:
		return lit, fmt.Errorf("%w: digit separator must be between digits", ErrBadNumber)
	case hasPrefixFold(text, "0x") && !exponent:
		return lit, fmt.Errorf("%w: hexadecimal floating literal requires an exponent", ErrBadNumber)
	}
	switch suffix := text[i:]; suffix {
	case "":
	case "f", "F":
		lit.Suffix = SuffixF
	case "h", "H":
		lit.Suffix = SuffixH
	case "bf", "BF":
		lit.Suffix = SuffixBF
	case "l", "L":
		lit.Suffix = SuffixL
	default:
		return lit, fmt.Errorf("%w: suffix '%s' on floating literal", ErrBadNumber, suffix)
	}
	lit.digits = strings.ReplaceAll(text[:i], "'", "")
	return lit, nil
}

// Float64 returns the literal rounded to double.
func (l FloatLit) Float64() float64 {
	v, _ := strconv.ParseFloat(l.digits, 64) // out of range gives infinity, as it should
	return v
}

// Float32 returns the literal rounded to float.
func (l FloatLit) Float32() float32 {
	v, _ := strconv.ParseFloat(l.digits, 32)
	return float32(v)
}

// Half returns the literal rounded to half.
func (l FloatLit) Half() float64 { return l.round(11, -14, 15) }

// BFloat returns the literal rounded to bfloat.
func (l FloatLit) BFloat() float64 { return l.round(8, -126, 127) }

// round rounds to nearest, ties to even, to a type with the given precision in bits and exponent
// range. Going through the nearest double would round twice, so an inexact double is first rounded
// to odd, which keeps it off every tie.
func (l FloatLit) round(precision, emin, emax int) float64 {
	v := l.Float64()
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	if exact, ok := new(big.Rat).SetString(l.digits); ok {
		switch c := exact.Cmp(new(big.Rat).SetFloat64(v)); {
		case c == 0 || math.Float64bits(v)&1 == 1:
		case c > 0:
			v = math.Nextafter(v, math.Inf(1))
		default:
			v = math.Nextafter(v, math.Inf(-1))
		}
	}
	_, e := math.Frexp(v)
	ulp := math.Ldexp(1, max(e-1, emin)-precision+1)
	r := math.RoundToEven(v/ulp) * ulp
	if r >= math.Ldexp(1, emax+1) {
		return math.Inf(1)
	}
	return r
}

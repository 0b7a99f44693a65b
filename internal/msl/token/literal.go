package token

import (
	"errors"
)

// Suffix is the type that a literal's suffix asks for.
type Suffix uint8

// The suffixes of literals.
const (
	NoSuffix Suffix = iota
	SuffixU         // unsigned
	SuffixL         // long
	SuffixUL        // unsigned long
	SuffixF         // float
	SuffixH         // half
	SuffixBF        // bfloat
)

// Errors of literals. They are wrapped with what is wrong.
var (
	ErrBadNumber = errors.New("invalid number")
	ErrTooLarge  = errors.New("integer literal is too large")
	ErrBadEscape = errors.New("invalid escape sequence")
)

// IntLit is the value of an Int.
type IntLit struct {
	Value  uint64
	Suffix Suffix // NoSuffix, SuffixU, SuffixL or SuffixUL
	Base   int    // 2, 8, 10 or 16: a literal that is not decimal may become unsigned without being asked
}

// FloatLit is a Float, kept exactly, to be rounded once to the type it has.
type FloatLit struct {
	Suffix Suffix // NoSuffix, SuffixF, SuffixH, SuffixBF, or SuffixL for long double, which Metal does not have
	digits string // as strconv reads them
}

package token

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// Suffix is the type requested by a literal's suffix.
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

// Errors in literals, wrapped with details.
var (
	ErrBadNumber = errors.New("invalid number")
	ErrTooLarge  = errors.New("integer literal is too large")
	ErrBadEscape = errors.New("invalid escape sequence")
)

// IntLit is the value of an Int.
type IntLit struct {
	Value  uint64
	Suffix Suffix // NoSuffix, SuffixU, SuffixL or SuffixUL
	Base   int    // 2, 8, 10 or 16; a non-decimal literal can become unsigned without a suffix
}

// ParseInt returns the value of an integer literal. For ErrTooLarge the literal is well formed, and
// its low 64 bits are returned.
func ParseInt(text string) (IntLit, error) {
	lit := IntLit{Base: 10}
	digits := text
	switch {
	case hasPrefixFold(digits, "0x"):
		lit.Base, digits = 16, digits[2:]
	case hasPrefixFold(digits, "0b"):
		lit.Base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		lit.Base = 8
	}
	n := 0 // end of the digits
	for n < len(digits) && (digitValue(digits[n]) < max(10, lit.Base) || digits[n] == '\'') {
		n++
	}
	switch suffix := digits[n:]; strings.ToLower(suffix) {
	case "":
	case "u":
		lit.Suffix = SuffixU
	case "l":
		lit.Suffix = SuffixL
	case "ll": // in Metal, long is just as long
		lit.Suffix = SuffixL
		if suffix != "ll" && suffix != "LL" {
			return lit, fmt.Errorf("%w: suffix '%s' on integer literal", ErrBadNumber, suffix)
		}
	case "ul", "lu", "ull", "llu":
		lit.Suffix = SuffixUL
	default:
		return lit, fmt.Errorf("%w: suffix '%s' on integer literal", ErrBadNumber, suffix)
	}
	digits = digits[:n]
	if !separated(digits) {
		return lit, fmt.Errorf("%w: digit separator must be between digits", ErrBadNumber)
	}
	if digits == "" {
		return lit, fmt.Errorf("%w: no digits after '%s'", ErrBadNumber, text[:min(len(text), 2)])
	}
	overflow := false
	for i := range len(digits) {
		c := digits[i]
		if c == '\'' {
			continue
		}
		d := digitValue(c)
		if d >= lit.Base {
			return lit, fmt.Errorf("%w: digit '%c' in a literal of base %d", ErrBadNumber, c, lit.Base)
		}
		hi, lo := bits.Mul64(lit.Value, uint64(lit.Base))
		sum, carry := bits.Add64(lo, uint64(d), 0)
		overflow = overflow || hi != 0 || carry != 0
		lit.Value = sum
	}
	if overflow {
		return lit, ErrTooLarge
	}
	return lit, nil
}

// separated reports whether every ' is between two digits.
func separated(digits string) bool {
	return !strings.HasPrefix(digits, "'") && !strings.HasSuffix(digits, "'") && !strings.Contains(digits, "''")
}

func hasPrefixFold(s, lower string) bool {
	return len(s) >= len(lower) && strings.EqualFold(s[:len(lower)], lower)
}

// digitValue returns the value of a digit in any base up to 16, or 99.
func digitValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

package types

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxLiteral is the maximum length of a floating-point literal: correct rounding never needs more
// digits.
const maxLiteral = 4096

// ParseFloat returns the constant of a floating-point type that is nearest to a literal, decimal or
// hexadecimal, without a suffix. It rounds once. A value out of range becomes infinite; Metal's
// compiler warns about it.
func ParseFloat(t *Basic, text string) (Value, error) {
	if !t.IsFloat() {
		return Value{}, fmt.Errorf("%s is not a floating-point type", t)
	}
	if len(text) > maxLiteral {
		return Value{}, fmt.Errorf("literal of %d characters, limit %d", len(text), maxLiteral)
	}
	text = strings.ReplaceAll(text, "'", "")
	if lower := strings.ToLower(text); strings.HasPrefix(lower, "0x") && !strings.Contains(lower, "p") {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, fmt.Errorf("%q is not a floating-point literal", text)
	}
	if f == 0 || math.IsInf(f, 0) {
		return FloatValue(t, f), nil // out of float64 range, or exact
	}
	// f is already rounded. If it is inexact, the direction of its error must decide ties in the
	// narrow format: rounding to odd preserves it.
	if exact, _, err := big.ParseFloat(text, 0, 4*uint(len(text))+64, big.ToNearestEven); err == nil {
		if c := exact.Cmp(new(big.Float).SetFloat64(f)); c != 0 && math.Float64bits(f)&1 == 0 {
			f = math.Nextafter(f, math.Inf(c))
		}
	}
	return FloatValue(t, f), nil
}

package types

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxLiteral is the length beyond which a floating-point literal is refused: no rounding needs more
// digits.
const maxLiteral = 4096

// ParseFloat returns the constant of a floating-point type nearest to a literal's value, decimal or
// hexadecimal, without a suffix. It rounds once. A value out of range becomes infinite, as Metal's
// compiler warns.
func ParseFloat(t *Basic, text string) (Value, error) {
	if !t.IsFloat() {
		return Value{}, fmt.Errorf("%s is no floating-point type", t)
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
		return Value{}, fmt.Errorf("%q is no floating-point literal", text)
	}
	if f == 0 || math.IsInf(f, 0) {
		return FloatValue(t, f), nil // out of the range of float64, or exact
	}
	// f is rounded already. Where it is not exact, the direction of the error decides what a tie of
	// the narrow format is: round to odd keeps it.
	if exact, _, err := big.ParseFloat(text, 0, 4*uint(len(text))+64, big.ToNearestEven); err == nil {
		if c := exact.Cmp(new(big.Float).SetFloat64(f)); c != 0 && math.Float64bits(f)&1 == 0 {
			f = math.Nextafter(f, math.Inf(c))
		}
	}
	return FloatValue(t, f), nil
}

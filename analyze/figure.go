package analyze

import (
	"fmt"
	"math"
	"strconv"
)

// Certainty says how a figure is known.
type Certainty string

// The certainties.
const (
	Exact    Certainty = "exact"    // it follows from the program
	Bound    Certainty = "bound"    // it is between Low and High
	Estimate Certainty = "estimate" // Value comes from a model that is named in Reason
	Unknown  Certainty = "unknown"  // for the reason in Reason; the numbers are meaningless
)

// Figure is a number and how it is known.
type Figure struct {
	Certainty Certainty `json:"certainty"`
	Value     float64   `json:"value"` // if it is exact or an estimate
	Low       float64   `json:"low"`   // both are Value if it is exact
	High      float64   `json:"high"`
	Reason    string    `json:"reason,omitempty"`
}

func exact(x float64) Figure { return Figure{Certainty: Exact, Value: x, Low: x, High: x} }

func between(low, high float64, reason string) Figure {
	if low == high {
		return exact(low)
	}
	return Figure{Certainty: Bound, Low: low, High: high, Reason: reason}
}

func estimate(x float64, reason string) Figure {
	return Figure{Certainty: Estimate, Value: x, Low: x, High: x, Reason: reason}
}

func unknown(reason string) Figure { return Figure{Certainty: Unknown, Reason: reason} }

// String returns the number with its certainty, unless it is exact.
func (f Figure) String() string {
	switch f.Certainty {
	case Exact:
		return number(f.Value)
	case Estimate:
		return "about " + number(f.Value)
	case Bound:
		return number(f.Low) + " to " + number(f.High)
	}
	return "unknown"
}

// number writes a number with four digits, or all that are before the point, with commas from
// 10,000 on.
func number(x float64) string {
	if math.Abs(x) < 1000 || math.Abs(x) >= 1e15 {
		return fmt.Sprintf("%.4g", x)
	}
	text := strconv.FormatFloat(math.Abs(math.Round(x)), 'f', 0, 64)
	if len(text) > 4 {
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
	}
	if x < 0 {
		text = "-" + text
	}
	return text
}

// Percent returns a share as String does, in percent.
func (f Figure) Percent() string {
	if f.Certainty == Unknown {
		return f.String()
	}
	f.Value, f.Low, f.High = 100*f.Value, 100*f.Low, 100*f.High
	return f.String() + "%"
}

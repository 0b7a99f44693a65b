package analyze

import "fmt"

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
		return fmt.Sprintf("%.4g", f.Value)
	case Estimate:
		return fmt.Sprintf("about %.4g", f.Value)
	case Bound:
		return fmt.Sprintf("%.4g to %.4g", f.Low, f.High)
	}
	return "unknown"
}

// Percent returns a share as String does, in percent.
func (f Figure) Percent() string {
	if f.Certainty == Unknown {
		return f.String()
	}
	f.Value, f.Low, f.High = 100*f.Value, 100*f.Low, 100*f.High
	return f.String() + "%"
}

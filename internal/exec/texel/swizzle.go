package texel

import (
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// Channel is the source of one of the four components that a program sees.
type Channel uint8

// The channels: a component of the format, or a constant.
const (
	Red Channel = iota
	Green
	Blue
	Alpha
	Zero
	One
)

// Swizzle selects the source of each component when a program reads, samples or gathers. Writes,
// atomic operations and border colors use the format's own components.
type Swizzle [4]Channel

// bits swizzles the components of a texel, given as numbers of kind k.
func (s *Swizzle) bits(k ir.Kind, v [4]uint64) (out [4]uint64) {
	for i, c := range s {
		switch c {
		case Zero:
		case One:
			if out[i] = 1; k.IsFloat() {
				out[i] = num.Round(k, 1)
			}
		default:
			out[i] = v[c]
		}
	}
	return out
}

// numbers is bits for floats that are being filtered.
func (s *Swizzle) numbers(v [4]float64) (out [4]float64) {
	for i, c := range s {
		switch c {
		case Zero:
		case One:
			out[i] = 1
		default:
			out[i] = v[c]
		}
	}
	return out
}

package kernel

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// Sampler says what [Texture2D.Sample] takes from a texture. The zero Sampler takes the nearest
// texel, also beyond the edges, and positions from 0 to 1. A kernel's sampler is a composite
// literal of constants: a variable of the kernel or of the package that nothing assigns.
type Sampler struct {
	Filter Filter
	S, T   Address // beyond the edges in x and in y
	Border Border  // for [ClampToBorder]
	// Texels makes positions count texels instead of going from 0 to 1. S and T cannot be [Repeat] or
	// [MirroredRepeat] then.
	Texels bool
}

// Filter is which texels count.
type Filter uint8

// The filters.
const (
	Nearest Filter = iota // the texel in which the position is
	Linear                // the average of the four around it, weighted by the distance
	numFilters
)

// Address is what a position beyond the edge of a texture has.
type Address uint8

// The address modes.
const (
	ClampToEdge    Address = iota // the texel at the edge
	ClampToZero                   // zeros
	ClampToBorder                 // the border's color
	Repeat                        // the texture again
	MirroredRepeat                // the texture again, every second time mirrored
	numAddresses
)

// Border is a color beyond the edges.
type Border uint8

// The borders.
const (
	TransparentBlack Border = iota // 0 in all components
	OpaqueBlack                    // (0, 0, 0, 1)
	OpaqueWhite                    // 1 in all components
	numBorders
)

// number returns a number for each valid sampler, which is less than numSamplers.
func (s Sampler) number() int {
	n := ((int(s.Filter)*int(numAddresses)+int(s.S))*int(numAddresses)+int(s.T))*int(numBorders) + int(s.Border)
	if s.Texels {
		return 2*n + 1
	}
	return 2 * n
}

const numSamplers = int(numFilters) * int(numAddresses) * int(numAddresses) * int(numBorders) * 2

// samplers are all samplers by their numbers: threads need theirs for each texel.
var samplers = sync.OnceValue(func() *[numSamplers]*texel.Sampler {
	var all [numSamplers]*texel.Sampler
	addresses := [numAddresses]string{"clamp_to_edge", "clamp_to_zero", "clamp_to_border", "repeat", "mirrored_repeat"}
	borders := [numBorders]string{"transparent_black", "opaque_black", "opaque_white"}
	for i := range all {
		n := i / 2
		border, n := n%int(numBorders), n/int(numBorders)
		t, n := n%int(numAddresses), n/int(numAddresses)
		linear := Filter(n/int(numAddresses)) == Linear
		all[i] = texel.NewSampler(&ir.SamplerState{Unnormalized: i%2 == 1, MagLinear: linear, MinLinear: linear,
			Address: [3]string{addresses[n%int(numAddresses)], addresses[t]}, Border: borders[border]})
	}
	return &all
})

// state returns the sampler for package texel.
func (s Sampler) state() *texel.Sampler {
	if s.Filter >= numFilters || s.S >= numAddresses || s.T >= numAddresses || s.Border >= numBorders ||
		s.Texels && max(s.S, s.T) >= Repeat {
		panic(fmt.Errorf("kernel: Sample: %+v is no valid sampler", s))
	}
	return samplers()[s.number()]
}

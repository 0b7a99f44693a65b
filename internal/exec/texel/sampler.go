package texel

import "github.com/puremetal/puremetal/internal/ir"

// Sampler is the state of a sampler. The zero value is Metal's default.
type Sampler struct {
	unnormalized         bool
	magLinear, minLinear bool
	clamped              bool // clamp is in effect
	address              [3]addressing
	mip                  filter
	border               border
	reduction            reduction
	compare              comparison
	clamp                [2]float64
	bias                 float64
	anisotropy           int
}

type addressing uint8

const (
	clampToEdge addressing = iota
	clampToZero
	clampToBorder
	repeated
	mirrored
)

type filter uint8

const (
	noFilter filter = iota
	nearest
	linear
)

type border uint8

const (
	transparentBlack border = iota
	opaqueBlack
	opaqueWhite
)

type reduction uint8

const (
	weightedAverage reduction = iota
	minimum
	maximum
)

type comparison uint8

const (
	never comparison = iota
	less
	lessEqual
	greater
	greaterEqual
	equal
	notEqual
	always
)

// NewSampler returns the sampler described by a state.
func NewSampler(s *ir.SamplerState) *Sampler {
	c := [2]float64{float64(s.LODClamp[0]), float64(s.LODClamp[1])}
	out := &Sampler{unnormalized: s.Unnormalized, magLinear: s.MagLinear, minLinear: s.MinLinear, clamp: c,
		clamped: s.LODClamp != [2]float32{},
		bias:    float64(s.LODBias), anisotropy: s.Anisotropy, compare: comparisonOf(s.Compare)}
	for i, word := range s.Address {
		switch word {
		case "repeat":
			out.address[i] = repeated
		case "mirrored_repeat":
			out.address[i] = mirrored
		case "clamp_to_zero":
			out.address[i] = clampToZero
		case "clamp_to_border":
			out.address[i] = clampToBorder
		}
	}
	switch s.Mip {
	case "nearest":
		out.mip = nearest
	case "linear":
		out.mip = linear
	}
	switch s.Border {
	case "opaque_white":
		out.border = opaqueWhite
	case "opaque_black":
		out.border = opaqueBlack
	}
	switch s.Reduction {
	case "minimum":
		out.reduction = minimum
	case "maximum":
		out.reduction = maximum
	}
	return out
}

func comparisonOf(word string) comparison {
	switch word {
	case "less":
		return less
	case "less_equal":
		return lessEqual
	case "greater":
		return greater
	case "greater_equal":
		return greaterEqual
	case "equal":
		return equal
	case "not_equal":
		return notEqual
	case "always":
		return always
	}
	return never
}

// holds reports whether the comparison of a reference with a depth is true.
func (c comparison) holds(ref, depth float64) bool {
	switch c {
	case less:
		return ref < depth
	case lessEqual:
		return ref <= depth
	case greater:
		return ref > depth
	case greaterEqual:
		return ref >= depth
	case equal:
		return ref == depth
	case notEqual:
		return ref != depth
	}
	return c == always
}

// wrap maps a texel index to 0 to n-1, or returns false for the border.
func (a addressing) wrap(i int64, n int) (uint32, bool) {
	size := int64(n)
	switch a {
	case repeated:
		i = (i%size + size) % size
	case mirrored:
		i = (i%(2*size) + 2*size) % (2 * size)
		i = min(i, 2*size-1-i)
	case clampToZero, clampToBorder:
		return uint32(i), i >= 0 && i < size
	}
	return uint32(min(max(i, 0), size-1)), true
}

// outside returns the value outside the image along an axis with this addressing mode.
func (s *Sampler) outside(a addressing) [4]float64 {
	switch {
	case a == clampToZero:
	case s.border == opaqueWhite:
		return [4]float64{1, 1, 1, 1}
	case s.border == opaqueBlack:
		return [4]float64{3: 1}
	}
	return [4]float64{}
}

// reduce combines a weighted value into a sum, minimum or maximum.
func (s *Sampler) reduce(sum *[4]float64, v [4]float64, weight float64, first bool) {
	switch {
	case s.reduction != weightedAverage && first, s.reduction == weightedAverage && weight == 1:
		*sum = v
	case s.reduction == minimum:
		for i := range sum {
			sum[i] = min(sum[i], v[i])
		}
	case s.reduction == maximum:
		for i := range sum {
			sum[i] = max(sum[i], v[i])
		}
	default:
		for i := range sum {
			sum[i] += float64(weight * v[i])
		}
	}
}

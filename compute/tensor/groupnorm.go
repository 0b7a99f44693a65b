package tensor

import "fmt"

// GroupNorm normalizes groups of channels as LayerNorm does: x is batch, channels and any other
// dimensions, mean and variance are those of an element of the batch over the channels of a group
// and the other dimensions. scale and bias have an element for each channel and may be nil. groups
// is 1 for layer normalization of all channels, and the number of channels for instance
// normalization. The error wraps [ErrShape] if groups does not divide the channels.
func (s *Scope) GroupNorm(x, scale, bias *Tensor, groups int, epsilon float32) *Tensor {
	const op = "group norm"
	in := []*Tensor{x}
	for _, t := range []*Tensor{scale, bias} {
		if t != nil {
			in = append(in, t)
		}
	}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	shape := x.Shape()
	if len(shape) < 2 || len(shape) >= MaxRank || groups < 1 || shape[1]%groups != 0 {
		return s.fail(op, in,
			fmt.Errorf("%d groups of shape %v; want batch, channels and at most %d other dimensions, "+
				"and groups that divide the channels: %w", groups, shape, MaxRank-3, ErrShape))
	}
	split := append([]int{shape[0], groups, shape[1] / groups}, shape[2:]...)
	channels := []int{groups, shape[1] / groups}
	axes := []int{2}
	for d := 3; d < len(split); d++ {
		channels, axes = append(channels, 1), append(axes, d)
	}
	for i, t := range in[1:] {
		if t.Rank() != 1 || t.Len() != shape[1] {
			return s.fail(op, in, fmt.Errorf("operand %d of shape %v; scale and bias want shape [%d]: %w",
				i+1, t.view.Shape, shape[1], ErrShape))
		}
	}
	wide := func(t *Tensor) *Tensor {
		if t == nil {
			return nil
		}
		return s.Reshape(t, channels...)
	}
	return s.Reshape(s.LayerNorm(s.Reshape(x, split...), wide(scale), wide(bias), epsilon, axes...), shape...)
}

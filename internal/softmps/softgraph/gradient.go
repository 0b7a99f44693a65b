package softgraph

// gradientOf returns the gradient of an elementwise operation, nil if it has none.
func gradientOf(op string) gradientFunc {
	_ = op
	return nil
}

// sumTo sums a gradient over the dimensions in which a tensor was broadcast.
func (g *graph) sumTo(dy, x *tensor) (*tensor, error) { return dy, nil }

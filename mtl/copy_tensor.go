package mtl

// tensorPart is a part of a tensor.
type tensorPart struct {
	tensor             Tensor
	origin, dimensions TensorExtents
}

// copyTensor checks a copy between tensors: both parts must have the same dimensions and be within
// their tensors.
func (c check) copyTensor(from, to tensorPart) error {
	s, err := c.tensorSpan("source", from)
	if err != nil {
		return err
	}
	t, err := c.tensorSpan("destination", to)
	if err != nil {
		return err
	}
	return c.tensorRanges(s, t)
}

// extents returns the values of extents that are not nil.
func (o TensorExtents) extents() []int {
	n := make([]int, o.Rank())
	for i := range n {
		n[i] = int(zmethods[mTensorExtentsExtentAtDimensionIndex].Call(o.ID(), uintptr(i)))
	}
	return n
}

// tensorSpan holds the values of a tensorPart.
type tensorSpan struct{ origin, dimensions, size []int }

func (c check) tensorSpan(what string, p tensorPart) (tensorSpan, error) {
	if err := c.object(what+" tensor", p.tensor.ID()); err != nil {
		return tensorSpan{}, err
	}
	if err := c.object(what+" origin", p.origin.ID()); err != nil {
		return tensorSpan{}, err
	}
	if err := c.object(what+" dimensions", p.dimensions.ID()); err != nil {
		return tensorSpan{}, err
	}
	s := tensorSpan{p.origin.extents(), p.dimensions.extents(), p.tensor.Dimensions().extents()}
	return s, c.tensorRange(what, s)
}

// tensorRange checks a part against its tensor.
func (c check) tensorRange(what string, s tensorSpan) error {
	if err := c.same("dimensions of the "+what+" origin", len(s.origin), len(s.size)); err != nil {
		return err
	}
	if err := c.same("dimensions of the "+what, len(s.dimensions), len(s.size)); err != nil {
		return err
	}
	for i, n := range s.dimensions {
		if at, all := s.origin[i], s.size[i]; n < 1 || at < 0 || at > all || n > all-at {
			return c.fail(ErrRegion, "%s: %d elements from %d on in dimension %d, the tensor has %d", what, n, at, i, all)
		}
	}
	return nil
}

// tensorRanges checks that two parts have the same dimensions.
func (c check) tensorRanges(s, t tensorSpan) error {
	if err := c.same("dimensions of the destination", len(t.dimensions), len(s.dimensions)); err != nil {
		return err
	}
	for i, n := range s.dimensions {
		if t.dimensions[i] != n {
			return c.fail(ErrRegion, "%d elements of dimension %d are copied to %d", n, i, t.dimensions[i])
		}
	}
	return nil
}

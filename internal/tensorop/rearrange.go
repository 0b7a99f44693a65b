package tensorop

import (
	"fmt"
	"slices"
)

// Split returns the view with a dimension split into two: the last one of the two has inner
// elements, which must divide the dimension.
func (v View) Split(dim, inner int) (View, error) {
	if dim < 0 || dim >= len(v.Shape) || inner < 1 || v.Shape[dim]%inner != 0 {
		return v, fmt.Errorf("tensorop: dimension %d of shape %v cannot be split into parts of %d", dim, v.Shape, inner)
	}
	out := v
	out.Shape, out.Strides = slices.Clone(v.Shape), slices.Clone(v.Strides)
	out.Shape[dim] /= inner
	out.Strides[dim] *= inner
	out.Shape = slices.Insert(out.Shape, dim+1, inner)
	out.Strides = slices.Insert(out.Strides, dim+1, v.Strides[dim])
	return out, nil
}

// Reinterpret returns a view of the same bytes as elements of another type. If the sizes differ,
// the last dimension must be without gaps; it shrinks or grows, and all else must fit.
func (v View) Reinterpret(t Type) (View, error) {
	out := v
	out.Type, out.Shape, out.Strides = t, slices.Clone(v.Shape), slices.Clone(v.Strides)
	from, to, last := v.Type.Size(), t.Size(), len(v.Shape)-1
	if !t.Valid() {
		return v, fmt.Errorf("reinterpret: %v is no type of elements", t)
	}
	if from == to {
		return out, nil
	}
	fail := func(rule string) (View, error) {
		return v, fmt.Errorf("reinterpret: shape %v with strides %v of %v as %v: %s", v.Shape, v.Strides, v.Type, t, rule)
	}
	if last < 0 || v.Strides[last] != 1 && v.Shape[last] != 1 {
		return fail("the last dimension must be without gaps")
	}
	if v.Shape[last]*from%to != 0 || v.Offset*from%to != 0 {
		return fail("the last dimension and the offset must be whole elements")
	}
	out.Shape[last], out.Strides[last], out.Offset = v.Shape[last]*from/to, 1, v.Offset*from/to
	for d := range last {
		if v.Strides[d]*from%to != 0 {
			return fail("the strides must be whole elements")
		}
		out.Strides[d] = v.Strides[d] * from / to
	}
	return out, nil
}

// Blocks describes how blocks of spatial dimensions become channels.
type Blocks struct {
	Spatial []int // the dimensions, the slowest of a block first
	Depth   int   // the dimension of channels
	Size    []int // of a block, for each spatial dimension
	// ChannelsFirst orders the deep tensor's channels by the channel and then by the place in the
	// block, as a pixel shuffle does, instead of by the place and then by the channel.
	ChannelsFirst bool
}

// DeepShape returns the shape of a tensor after its blocks became channels.
func (s Blocks) DeepShape(shallow []int) ([]int, error) {
	if err := s.check(shallow); err != nil {
		return nil, err
	}
	out := slices.Clone(shallow)
	for i, d := range s.Spatial {
		if shallow[d]%s.Size[i] != 0 {
			return nil, fmt.Errorf("space to depth: dimension %d of shape %v; it must be a multiple of the block's size, %d",
				d, shallow, s.Size[i])
		}
		out[d] /= s.Size[i]
		out[s.Depth] *= s.Size[i]
	}
	return out, nil
}

// ShallowShape returns the shape of a tensor after channels became blocks.
func (s Blocks) ShallowShape(deep []int) ([]int, error) {
	if err := s.check(deep); err != nil {
		return nil, err
	}
	out := slices.Clone(deep)
	block := Elements(s.Size)
	if deep[s.Depth]%block != 0 {
		return nil, fmt.Errorf("depth to space: dimension %d of shape %v; it must be a multiple of a block's elements, %d",
			s.Depth, deep, block)
	}
	out[s.Depth] /= block
	for i, d := range s.Spatial {
		out[d] *= s.Size[i]
	}
	return out, nil
}

func (s Blocks) check(shape []int) error {
	if len(s.Spatial) == 0 || len(s.Spatial) != len(s.Size) {
		return fmt.Errorf("space to depth: %d spatial dimensions and a block of %d", len(s.Spatial), len(s.Size))
	}
	seen := make([]bool, len(shape))
	for _, d := range append(slices.Clone(s.Spatial), s.Depth) {
		if d < 0 || d >= len(shape) || seen[d] {
			return fmt.Errorf("space to depth: spatial dimensions %v and dimension of channels %d of shape %v; "+
				"they must be different ones of the shape", s.Spatial, s.Depth, shape)
		}
		seen[d] = true
	}
	for _, n := range s.Size {
		if n < 1 {
			return fmt.Errorf("space to depth: a block of size %v; each must be at least 1", s.Size)
		}
	}
	return nil
}

// views returns views of one shape of both tensors: the dimensions of the deep one without that of
// channels, then the block's, then the channels.
func (s Blocks) views(shallow, deep View) (View, View, error) {
	var err error
	rank := len(shallow.Shape)
	order := make([]int, rank) // where a dimension begins in the split view
	at := 0
	for d := range rank {
		order[d] = at
		at++
		if i := slices.Index(s.Spatial, d); i >= 0 {
			if shallow, err = shallow.Split(order[d], s.Size[i]); err != nil {
				return shallow, deep, err
			}
			at++
		}
	}
	var lead, block []int
	for d := range rank {
		if d != s.Depth {
			lead = append(lead, order[d])
		}
	}
	for _, d := range s.Spatial {
		block = append(block, order[d]+1)
	}
	shallow = shallow.Transpose(append(append(lead, block...), order[s.Depth])...)

	// Split the deep tensor's channels from the fastest part to the slowest.
	channels := shallow.Shape[len(shallow.Shape)-1]
	parts := append(slices.Clone(s.Size), channels)
	if s.ChannelsFirst {
		parts = append([]int{channels}, s.Size...)
	}
	for i := len(parts) - 1; i > 0; i-- {
		if deep, err = deep.Split(s.Depth, max(parts[i], 1)); err != nil {
			return shallow, deep, err
		}
	}
	var front, back []int
	for d := range rank {
		switch {
		case d < s.Depth:
			front = append(front, d)
		case d > s.Depth:
			front = append(front, d+len(s.Size))
		}
	}
	for i := range parts {
		back = append(back, s.Depth+i)
	}
	if s.ChannelsFirst {
		back = append(back[1:], back[0])
	}
	return shallow, deep.Transpose(append(front, back...)...), nil
}

// SpaceToDepth writes in to out with blocks of spatial dimensions as channels. The shape of out is
// that of [Blocks.DeepShape].
func (b *Builder) SpaceToDepth(out, in Operand, s Blocks) {
	b.blocks("space to depth", out, in, out, in, s)
}

// DepthToSpace writes in to out with channels as blocks of spatial dimensions, which undoes
// [Builder.SpaceToDepth]. The shape of out is that of [Blocks.ShallowShape].
func (b *Builder) DepthToSpace(out, in Operand, s Blocks) {
	b.blocks("depth to space", in, out, out, in, s)
}

func (b *Builder) blocks(op string, deep, shallow, out, in Operand, s Blocks) {
	if b.err != nil {
		return
	}
	shape, err := s.DeepShape(shallow.Shape)
	if err == nil {
		err = checkShape(op, "deep tensor", deep.Shape, shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	if out.Elements() == 0 {
		return
	}
	sv, dv, err := s.views(shallow.View, deep.View)
	if err != nil {
		b.Fail(err)
		return
	}
	if deep.buffer == out.buffer {
		b.Copy(out.With(dv), in.With(sv))
	} else {
		b.Copy(out.With(sv), in.With(dv))
	}
}

// ColumnsShape returns the shape of the columns of a tensor of batch, channels and 1 to 3 spatial
// dimensions: batch, channels times the kernel's elements, positions of the window.
func ColumnsShape(in []int, w Window) ([]int, error) {
	full, err := columns(in, w)
	if err != nil {
		return nil, err
	}
	k := len(w.Size)
	return []int{full[0], Elements(full[1 : 2+k]), Elements(full[2+k:])}, nil
}

// columns returns the shape of columns with all dimensions.
func columns(in []int, w Window) ([]int, error) {
	w, err := w.fill("columns")
	if err != nil {
		return nil, err
	}
	if len(w.Size) < 1 || len(w.Size) > convRank || len(in) != 2+len(w.Size) {
		return nil, fmt.Errorf("columns: a window of %d dimensions over shape %v; the shape must be batch, channels "+
			"and 1 to %d spatial dimensions", len(w.Size), in, convRank)
	}
	positions, err := w.positions("columns", in[2:], false)
	if err != nil {
		return nil, err
	}
	return slices.Concat(in[:2], w.Size, positions), nil
}

// splitColumns returns the columns as a view of the shape of columns. Splitting always works.
func splitColumns(cols View, in []int, w Window) (View, error) {
	full, err := columns(in, w)
	if err != nil {
		return cols, err
	}
	shape, _ := ColumnsShape(in, w)
	if err := checkShape("columns", "tensor of columns", cols.Shape, shape); err != nil {
		return cols, err
	}
	if cols.Elements() == 0 {
		return Dense(cols.Type, full...), nil
	}
	k := len(w.Size)
	for d := k - 1; d > 0; d-- {
		if cols, err = cols.Split(2, full[2+k+d]); err != nil {
			return cols, err
		}
	}
	for d := k - 1; d >= 0; d-- {
		if cols, err = cols.Split(1, full[2+d]); err != nil {
			return cols, err
		}
	}
	return cols, nil
}

// Columns writes to out the elements under the window at each of its positions (im2col): with
// weights as a matrix, their product is a convolution. Padding is zeros. The shape of out is that
// of [ColumnsShape].
func (b *Builder) Columns(out, in Operand, w Window) {
	if b.err != nil {
		return
	}
	cols, err := splitColumns(out.View, in.Shape, w)
	if err == nil && (out.Type != in.Type || in.Type.Complex()) {
		err = fmt.Errorf("columns: %v to %v; both must be one real type", in.Type, out.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w, _ = w.fill("columns")
	k := len(w.Size)
	t := newWriter(1, out.With(cols), in)
	i := t.threads("i", cols.Shape)
	at, inside := slices.Clone(i[:2]), ""
	for d := range k {
		t.line("int x%d = %s * %s + %s * %s - %s;", d, i[2+k+d], t.int(w.Strides[d]), i[2+d], t.int(w.Dilations[d]),
			t.int(w.Before[d]))
		at = append(at, fmt.Sprintf("x%d", d))
		if d > 0 {
			inside += " && "
		}
		inside += fmt.Sprintf("uint(x%d) < uint(%s)", d, t.size(1, 2+d))
	}
	t.line("%s v = 0;", in.Type.Value())
	t.line("if (%s) v = %s;", inside, t.load(1, at...))
	t.line("%s", t.store(0, "v", i...))
	t.launch(b, "columns")
}

// FromColumns writes to out the sum of the elements of columns that [Builder.Columns] takes from
// each place (col2im), in row-major order of the window. It is the gradient of Columns.
func (b *Builder) FromColumns(out, in Operand, w Window) {
	if b.err != nil {
		return
	}
	cols, err := splitColumns(in.View, out.Shape, w)
	if err == nil {
		err = checkFloats("columns", out, in)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w, _ = w.fill("columns")
	k := len(w.Size)
	t := Pool{}.writer(newWriter(1, out, in.With(cols)), w, 2+k)
	i := t.threads("i", out.Shape)
	t.line("float s = 0.0f;")
	for d := range k {
		t.size[d] = t.writer.size(1, 2+d)
	}
	at := slices.Clone(i[:2])
	for d := range k {
		at = append(at, fmt.Sprintf("k%d", d))
	}
	at = append(at, t.tapIndex(i)[2:]...)
	t.resultDim = 2 + k
	t.windows(i, 1)
	t.line("s += %s;", t.load(1, at...))
	t.close()
	t.line("%s", t.store(0, "s", i...))
	t.launch(b, "from_columns")
}

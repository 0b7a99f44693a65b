package native

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/ir"
)

// conv computes the convolutions of package tensorop and their gradients as products of matrices
// for each group of channels, in package gemm's order of operations. The patches of the image are
// laid out while the product is packed.
type conv struct {
	types     [3]gemm.Type // of the operands
	tile      int          // a thread computes that many channels
	backward  bool         // the image is the result's gradient: the input's gradient is computed
	byWeights bool         // the weights' gradient is computed
}

// newConv returns the body for a kernel's arguments, or nil if package gemm does not support their
// types.
func newConv(name string, args []ir.Arg) exec.Native {
	kind, tile, _ := strings.Cut(strings.TrimPrefix(name, "convolution_"), "gradient_")
	if tile == "" {
		kind, tile = "", kind
	}
	c := conv{tile: int(tile[0] - '0'), backward: kind == "input_", byWeights: kind == "weights_"}
	for i := range c.types {
		switch c.types[i] = typeOf(args[i].Type); c.types[i] {
		case gemm.F32, gemm.F16, gemm.BF16:
		default:
			return nil
		}
	}
	return c
}

// convArgs mirrors the structure P of the kernels.
type convArgs struct {
	// Operands are the result, and then the input and the weights; or the result's gradient and the
	// weights; or the result's gradient and the input.
	Operands [3]struct {
		Offset int32
		Dims   [5]struct{ Size, Stride int32 }
	}
	Threads [2]int32 // two of the sizes along z of the grid, the inner one first
	// Channels is the number of channels of a group in the result, Each the number of their tiles,
	// and Other and Last numbers of channels of a group in the other operands.
	Channels, Each, Other      int32
	Strides, Dilations, Before [3]int32
	Last                       int32
}

// far limits coordinates, so that those of a kernel do not overflow.
const far = 1 << 29

// Prepare implements exec.Native.
func (c conv) Prepare(l *exec.Launch, g *exec.Geometry) *exec.NativeLaunch {
	var a convArgs
	if l.Space == nil || len(l.Buffers) < 4 {
		return nil
	}
	if _, err := binary.Decode(l.Space.Bytes(l.Buffers[3]), binary.NativeEndian, &a); err != nil {
		return nil
	}
	shape, ok := c.shape(&a, g)
	if !ok {
		return nil
	}
	v, ok := c.views(l, &a, shape)
	if !ok {
		return nil
	}
	p := v.product(c, &a, shape, 0)
	whole := p // all groups: no two write the same element
	whole.C.Rows *= shape.groups
	whole.A = gemm.Matrix{Type: gemm.F32, Rows: whole.C.Rows, Columns: p.A.Columns, Packer: byTap{v.image}}
	whole.C.Data = v.memory[0]
	if p.Check() != nil || whole.Check() != nil {
		return nil
	}
	work := float64(whole.C.Rows) * float64(p.C.Columns) * float64(p.A.Columns) * float64(p.Batches)
	return &exec.NativeLaunch{Work: int64(min(work, math.MaxInt64/2)), Scratch: gemm.Scratch, Run: func(t *exec.Tasks) {
		r := runner(t)
		if shape.groups < 2*t.Workers() {
			for i := 0; i < shape.groups && !t.Stopped(); i++ {
				_ = gemm.Multiply(r, v.product(c, &a, shape, i)) // checked above
			}
			return
		}
		r.Workers, r.Run = 1, nil
		t.Each(shape.groups, func(i int) { _ = gemm.Multiply(r, v.product(c, &a, shape, i)) })
	}}
}

// convShape is the shape of a convolution.
type convShape struct {
	batch, groups    int
	channels, others int    // of a group, in the result and in what is summed
	positions, taps  [3]int // of the image's patches
	columns, depth   int    // of a group's product
}

// shape returns the shape of a launch that computes every element of the result. It returns false
// if the launch does something else.
func (c conv) shape(a *convArgs, g *exec.Geometry) (s convShape, ok bool) {
	for _, n := range []int32{a.Threads[0], a.Threads[1], a.Channels, a.Each, a.Other, a.Last} {
		if n < 1 {
			return s, false
		}
	}
	for d := range 3 {
		if a.Strides[d] < 1 || a.Strides[d] > far || a.Dilations[d] < 1 || a.Dilations[d] > far || a.Before[d] > far ||
			a.Before[d] < -far {
			return s, false
		}
		for _, o := range a.Operands[1:] {
			if o.Dims[2+d].Size < 1 {
				return s, false
			}
		}
	}
	inner, outer := int(a.Threads[0]), int(a.Threads[1])
	z := g.Grid[2] / inner / outer
	ok = g.Grid[0] <= math.MaxInt32 && g.Grid[1] <= math.MaxInt32 && g.Grid[2] <= math.MaxInt32 &&
		g.Grid[2] == z*inner*outer && int64(a.Each)*int64(c.tile) >= int64(a.Channels)
	s.channels, s.others = int(a.Channels), int(a.Other)
	tiles := outer
	if c.byWeights {
		tiles = z
		s.batch, s.taps = int(a.Operands[1].Dims[0].Size), [3]int{outer, inner, g.Grid[1]}
		s.positions = a.sizes(1)
		ok = ok && s.batch >= 1 && a.Other == a.Channels && int(a.Last) == g.Grid[0]
		s.others = int(a.Last)
	} else {
		s.batch, s.positions = z, [3]int{inner, g.Grid[1], g.Grid[0]}
		s.taps = a.sizes(2)
		ok = ok && a.Last == a.Channels
	}
	s.groups = tiles / int(a.Each)
	positions, fits := count(s.positions[:]...)
	taps, fit := count(s.others, s.taps[0], s.taps[1], s.taps[2])
	s.columns, s.depth = positions, taps
	if c.byWeights {
		s.columns = taps
		s.depth, fits = count(s.batch, s.positions[0], s.positions[1], s.positions[2])
	}
	for d := range 3 {
		reach := float64(s.positions[d])*float64(a.Strides[d]) + float64(s.taps[d])*float64(a.Dilations[d])
		ok = ok && reach <= far
	}
	return s, ok && fits && fit && s.groups*int(a.Each) == tiles
}

// sizes returns the spatial sizes of an operand.
func (a *convArgs) sizes(operand int) (n [3]int) {
	for d := range n {
		n[d] = int(a.Operands[operand].Dims[2+d].Size)
	}
	return n
}

// strides returns the strides of an operand.
func (a *convArgs) strides(operand int) (n [5]int) {
	for d := range n {
		n[d] = int(a.Operands[operand].Dims[d].Stride)
	}
	return n
}

// count returns the product of sizes, and false if it is more than an int32 or less than 1.
func count(sizes ...int) (int, bool) {
	n := 1
	for _, s := range sizes {
		if s < 1 || s > math.MaxInt32/n {
			return 0, false
		}
		n *= s
	}
	return n, true
}

// convViews are the operands of a convolution.
type convViews struct {
	memory  [3][]byte // starting at the first element
	image   *patches
	column  int      // the stride between columns of the result's matrix
	factors []extent // of what the patches are multiplied with, but for its channels: along the sum
	factor  int      // the stride between its channels
	group   int      // the stride between its groups
}

// views finds the operands. It returns false if the kernel must handle the access itself.
func (c conv) views(l *exec.Launch, a *convArgs, s convShape) (v convViews, ok bool) {
	all, sources := s.groups*s.channels, s.groups*s.others
	result := [5]int{s.batch, all, s.positions[0], s.positions[1], s.positions[2]}
	image := 1
	n := a.sizes(1)
	first, second := [5]int{s.batch, sources, n[0], n[1], n[2]}, [5]int{all, s.others, s.taps[0], s.taps[1], s.taps[2]}
	switch {
	case c.backward:
		second[0], second[1] = sources, s.channels
	case c.byWeights:
		image, n = 2, a.sizes(2)
		result, first, second = second, result, [5]int{s.batch, sources, n[0], n[1], n[2]}
	}
	for i, sizes := range [][5]int{result, first, second} {
		strides := a.strides(i)
		dims := make([]extent, len(sizes))
		for d := range sizes {
			dims[d] = extent{sizes[d], strides[d]}
		}
		if v.memory[i], ok = find(l, i, c.types[i], i == 0, int(a.Operands[i].Offset), dims...); !ok {
			return v, false
		}
	}
	if overlap(v.memory[0], v.memory[1]) || overlap(v.memory[0], v.memory[2]) {
		return v, false
	}
	strides := a.strides(image)
	v.image = &patches{memory: v.memory[image], typ: c.types[image], batch: strides[0], channel: strides[1],
		strides: [3]int(strides[2:]), sizes: n, positions: s.positions, taps: s.taps, backward: c.backward}
	for d := range 3 {
		v.image.step[d], v.image.dilation[d] = int(a.Strides[d]), int(a.Dilations[d])
		v.image.before[d] = int(a.Before[d])
	}
	columns, w := a.strides(0), a.strides(2)
	v.column, ok = merge(extents(s.positions, columns)...)
	v.factors = append([]extent{{s.others, w[1]}}, extents(s.taps, w)...)
	v.factor, v.group = w[0], w[0]*s.channels
	switch {
	case c.backward:
		v.factors[0].stride, v.factor, v.group = w[0], w[1], w[0]*s.others
	case c.byWeights:
		v.column, ok = merge(append([]extent{{s.others, columns[1]}}, extents(s.taps, columns)...)...)
		w = a.strides(1)
		v.factors = append([]extent{{s.batch, w[0]}}, extents(s.positions, w)...)
		v.factor, v.group = w[1], w[1]*s.channels
	}
	return v, ok
}

// extents returns the spatial dimensions of an operand.
func extents(sizes [3]int, strides [5]int) []extent {
	return []extent{{sizes[0], strides[2]}, {sizes[1], strides[3]}, {sizes[2], strides[4]}}
}

// merge returns the stride between neighbors in the order of dimensions, the last of which is the
// innermost. It returns false if there is no such stride.
func merge(dims ...extent) (stride int, ok bool) {
	size := 1
	for d := len(dims) - 1; d >= 0; d-- {
		switch {
		case dims[d].size == 1:
			continue
		case size == 1:
			stride = dims[d].stride
		case dims[d].stride != stride*size:
			return 0, false
		}
		size *= dims[d].size
	}
	return stride, true
}

// product returns the product of a group.
func (v *convViews) product(c conv, a *convArgs, s convShape, group int) gemm.Product {
	strides, image := a.strides(0), *v.image
	row, batch, other := strides[1], strides[0], 2
	p := gemm.Product{Alpha: 1, Batches: s.batch}
	image.first = group * s.others * image.channel
	p.B = gemm.Matrix{Type: gemm.F32, Rows: s.depth, Columns: s.columns, Packer: byTap{&image}}
	if c.byWeights {
		row, batch, other, p.Batches = strides[0], 0, 1, 1
		p.B.Packer = byPosition{&image}
	}
	p.C = gemm.Matrix{Data: v.memory[0][group*s.channels*row*c.types[0].Size():], Type: c.types[0], Rows: s.channels,
		Columns: s.columns, RowStride: row, ColumnStride: v.column, BatchStride: batch}
	p.A = gemm.Matrix{Data: v.memory[other][group*v.group*c.types[other].Size():], Type: c.types[other],
		Rows: s.channels, Columns: s.depth, RowStride: v.factor}
	var ok bool
	if p.A.ColumnStride, ok = merge(v.factors...); !ok {
		p.A.Packer = factors{p.A.Data, p.A.Type, v.factor, v.factors}
		p.A.Type, p.A.Data = gemm.F32, nil
	}
	return p
}

package tensorop

import "fmt"

// convRank is the number of spatial dimensions that kernels of convolutions have.
const convRank = 3

// ConvShape returns the shape of a convolution: in is batch, channels and 1 to 3 spatial
// dimensions; weights are output channels, input channels of a group and the kernel's size. A
// depthwise convolution has a group for each input channel. The window's size may be nil.
func ConvShape(in, weights []int, w Window, groups int) ([]int, error) {
	w, err := convWindow(in, weights, w, groups)
	if err != nil {
		return nil, err
	}
	spatial, err := w.positions("convolution", in[2:], false)
	if err != nil {
		return nil, err
	}
	return append([]int{in[0], weights[0]}, spatial...), nil
}

// ConvTransposeShape returns the shape of a transpose convolution of in by weights: the input of
// the convolution with these weights and this window whose result is in, the smallest one that
// there is if extra is nil, and else larger by extra, each less than the stride.
func ConvTransposeShape(in, weights []int, w Window, groups int, extra []int) ([]int, error) {
	if len(in) < 3 || len(in) != len(weights) || groups < 1 || in[1] != weights[0] {
		return nil, fmt.Errorf("transpose convolution: input %v, weights %v, %d groups; "+
			"the input's channels and the weights' first dimension must be equal", in, weights, groups)
	}
	w.Size = weights[2:]
	w, err := w.fill("transpose convolution")
	if err != nil {
		return nil, err
	}
	if extra != nil && len(extra) != len(w.Size) {
		return nil, fmt.Errorf("transpose convolution: %d output paddings for %d spatial dimensions",
			len(extra), len(w.Size))
	}
	out := []int{in[0], weights[1] * groups}
	for i, n := range in[2:] {
		size := (n-1)*w.Strides[i] + w.reach(i) - w.Before[i] - w.After[i]
		if extra != nil {
			if extra[i] < 0 || extra[i] >= w.Strides[i] {
				return nil, fmt.Errorf("transpose convolution: output padding %v; each must be from 0 to "+
					"below the stride, which is %v", extra, w.Strides)
			}
			size += extra[i]
		}
		if size < 0 {
			return nil, fmt.Errorf("transpose convolution: input %v, weights %v and padding %v and %v leave %d "+
				"elements of spatial dimension %d", in, weights, w.Before, w.After, size, i)
		}
		out = append(out, size)
	}
	return out, nil
}

func convWindow(in, weights []int, w Window, groups int) (Window, error) {
	if len(in) < 3 || len(in) > 2+convRank || len(in) != len(weights) {
		return w, fmt.Errorf("convolution: input %v and weights %v; both need 3 to %d dimensions",
			in, weights, 2+convRank)
	}
	if groups < 1 || in[1] != weights[1]*groups || weights[0]%groups != 0 {
		return w, fmt.Errorf("convolution: input %v, weights %v, %d groups; the input's channels must be the weights' "+
			"second dimension times the groups, which must divide the first", in, weights, groups)
	}
	w.Size = weights[2:]
	return w.fill("convolution")
}

// conv is a convolution whose operands have three spatial dimensions.
type conv struct {
	out, in, weights Operand
	window           Window
	groups           int
}

func (b *Builder) conv(out, in, weights Operand, w Window, groups int) (conv, bool) {
	c := conv{groups: groups}
	if b.err != nil {
		return c, false
	}
	shape, err := ConvShape(in.Shape, weights.Shape, w, groups)
	if err == nil {
		err = checkShape("convolution", "result", out.Shape, shape)
	}
	if err == nil {
		err = checkFloats("convolution", out, in, weights)
	}
	if err != nil {
		b.Fail(err)
		return c, false
	}
	w, _ = convWindow(in.Shape, weights.Shape, w, groups)
	c.window = w.pad(convRank)
	lead := 2 + convRank - in.Rank()
	c.out, c.in, c.weights = insertOnes(out, 2, lead), insertOnes(in, 2, lead), insertOnes(weights, 2, lead)
	return c, true
}

// Conv writes the convolution of in with weights to out, whose shape is that of [ConvShape]. Any
// layout is a transposed view: in and out are batch, channels and spatial dimensions, weights are
// output channels, input channels of a group and the kernel's dimensions.
//
// The sum is taken in float32 by one fused multiply-add for each tap, starting at 0, in ascending
// order of the input channel of the group, then of the kernel's dimensions. Padding is multiplied
// as zeros. A NaN in the result is the plain quiet one.
func (b *Builder) Conv(out, in, weights Operand, w Window, groups int) {
	if c, ok := b.conv(out, in, weights, w, groups); ok {
		c.forward(b)
	}
}

// ConvInputGradient writes to gin the gradient of a convolution with respect to its input: gout is
// the gradient with respect to its result. It is also the transpose convolution of gout. The order
// of the sum: ascending output channel of the group, then the kernel's dimensions; positions that
// no output has are multiplied as zeros.
func (b *Builder) ConvInputGradient(gin, gout, weights Operand, w Window, groups int) {
	if c, ok := b.conv(gout, gin, weights, w, groups); ok {
		c.inputGradient(b)
	}
}

// ConvWeightsGradient writes to gweights the gradient of a convolution with respect to its weights:
// gout is the gradient with respect to its result. The order of the sum: ascending batch, then the
// result's spatial dimensions; padding is multiplied as zeros.
func (b *Builder) ConvWeightsGradient(gweights, gout, in Operand, w Window, groups int) {
	if c, ok := b.conv(gout, in, gweights, w, groups); ok {
		c.weightsGradient(b)
	}
}

// tile returns how many channels of a group a thread computes: one value of its own operand serves
// for all of them, and the values of the other one are the same for threads along x.
func tile(channels int) int {
	for _, t := range []int{8, 4, 2} {
		if channels >= t {
			return t
		}
	}
	return 1
}

// tiles begins a kernel whose threads have count neighboring channels of a group each: it declares
// g, the group, and t0, t1, ..., the channels inside it, repeating the last one at the end. The
// kernels' arguments in order, which their native bodies read as well: the operands, two of the
// grid's sizes, the channels, the tiles of a group, the channels that are summed, strides,
// dilations, padding, and the channels of the group of another operand.
func (c conv) tiles(w *writer, name, index string, channels, count int) {
	w.native = fmt.Sprintf("%s_%d", name, count)
	each := (channels + count - 1) / count
	n, k := w.int(channels), w.int(each)
	w.line("int g = %s / %s;", index, k)
	for j := range count {
		w.line("int t%d = min(%s %% %s * %d + %d, %s - 1);", j, index, k, count, j, n)
		w.line("float c%d = 0.0f;", j)
	}
}

// bases declares b0, b1, ..., where the channels of a tile begin in an operand. index is the number
// of the channel in the operand, of which %d is the channel in the tile.
func (w *writer) bases(operand, dim, count int, index string) {
	for j := range count {
		w.line("int b%d = p.o%d + (%s) * p.s%d_%d;", j, operand, fmt.Sprintf(index, j), operand, dim)
	}
}

// fma adds a tap to all channels: value times the elements at place after the bases.
func (w *writer) fma(value string, count, operand int, place string) {
	w.line("float v = %s;", value)
	w.line("int q = %s;", place)
	for j := range count {
		factor := w.operands[operand].Type.load(fmt.Sprintf("a%d[b%d + q]", operand, j))
		w.line("c%d = fma(v, %s, c%d);", j, factor, j)
	}
}

// sum writes the sum of a tile's channel.
func (w *writer) sum(channel int, index ...string) {
	w.line("%s", w.store(0, fmt.Sprintf("(c%d != c%d ? NAN : c%d)", channel, channel, channel), index...))
}

// kernelPlace is the place of a tap in the weights after the channels.
const kernelPlace = "k0 * p.s2_2 + k1 * p.s2_3 + k2 * p.s2_4"

func (c conv) forward(b *Builder) {
	w := newWriter(1, c.out, c.in, c.weights)
	inner, outer := c.weights.Shape[1], c.out.Shape[1]/c.groups
	count := tile(outer)
	shape := append([]int{c.out.Shape[0], c.groups * ((outer + count - 1) / count)}, c.out.Shape[2:]...)
	i := w.threads("i", shape)
	c.tiles(w, "convolution", i[1], outer, count)
	channels := w.int(inner)
	stride, dilation := w.ints(c.window.Strides), w.ints(c.window.Dilations)
	before := w.ints(c.window.Before)
	results := w.int(outer)
	w.bases(2, 0, count, "g * "+results+" + t%d")
	w.line("for (int c = 0; c < %s; c++)", channels)
	for d := range convRank {
		w.line("for (int k%d = 0; k%d < %s; k%d++) {", d, d, w.size(2, 2+d), d)
		w.line("int x%d = %s * %s + k%d * %s - %s;", d, i[2+d], stride[d], d, dilation[d], before[d])
		inside := fmt.Sprintf("uint(x%d) < uint(%s)", d, w.size(1, 2+d))
		if d > 0 {
			inside = fmt.Sprintf("y%d && %s", d-1, inside)
		}
		w.line("bool y%d = %s;", d, inside)
	}
	value := w.load(1, i[0], "g * "+channels+" + c", "x0", "x1", "x2")
	w.fma("y2 ? "+value+" : 0.0f", count, 2, "c * p.s2_1 + "+kernelPlace)
	w.line("} } }")
	for j := range count {
		w.sum(j, i[0], fmt.Sprintf("g * %s + t%d", results, j), i[2], i[3], i[4])
	}
	w.launch(b, "convolution")
}

func (c conv) inputGradient(b *Builder) {
	w := newWriter(1, c.in, c.out, c.weights)
	inner, outer := c.weights.Shape[1], c.out.Shape[1]/c.groups
	count := tile(inner)
	shape := append([]int{c.in.Shape[0], c.groups * ((inner + count - 1) / count)}, c.in.Shape[2:]...)
	i := w.threads("i", shape)
	c.tiles(w, "convolution_input_gradient", i[1], inner, count)
	channels := w.int(outer)
	stride, dilation := w.ints(c.window.Strides), w.ints(c.window.Dilations)
	before := w.ints(c.window.Before)
	w.bases(2, 1, count, "t%d")
	w.line("for (int o = 0; o < %s; o++)", channels)
	for d := range convRank {
		w.line("for (int k%d = 0; k%d < %s; k%d++) {", d, d, w.size(2, 2+d), d)
		w.line("int z%d = %s + %s - k%d * %s;", d, i[2+d], before[d], d, dilation[d])
		w.line("int x%d = z%d / %s;", d, d, stride[d])
		inside := fmt.Sprintf("z%d >= 0 && x%d < %s && x%d * %s == z%d", d, d, w.size(1, 2+d), d, stride[d], d)
		if d > 0 {
			inside = fmt.Sprintf("y%d && %s", d-1, inside)
		}
		w.line("bool y%d = %s;", d, inside)
	}
	value := w.load(1, i[0], "g * "+channels+" + o", "x0", "x1", "x2")
	w.fma("y2 ? "+value+" : 0.0f", count, 2, "(g * "+channels+" + o) * p.s2_0 + "+kernelPlace)
	w.line("} } }")
	n := w.int(inner)
	for j := range count {
		w.sum(j, i[0], fmt.Sprintf("g * %s + t%d", n, j), i[2], i[3], i[4])
	}
	w.launch(b, "convolution_input_gradient")
}

func (c conv) weightsGradient(b *Builder) {
	w := newWriter(1, c.weights, c.out, c.in)
	inner, outer := c.weights.Shape[1], c.out.Shape[1]/c.groups
	count := tile(outer)
	shape := append([]int{c.groups * ((outer + count - 1) / count)}, c.weights.Shape[2:]...)
	i := w.threads("i", append(shape, inner)) // input channels along x: the gradient's values are uniform
	c.tiles(w, "convolution_weights_gradient", i[0], outer, count)
	channels := w.int(outer)
	stride, dilation := w.ints(c.window.Strides), w.ints(c.window.Dilations)
	before := w.ints(c.window.Before)
	others := w.int(inner)
	w.bases(1, 1, count, "g * "+channels+" + t%d")
	w.line("for (int n = 0; n < %s; n++)", w.size(1, 0))
	for d := range convRank {
		w.line("for (int k%d = 0; k%d < %s; k%d++) {", d, d, w.size(1, 2+d), d)
		w.line("int x%d = k%d * %s + %s * %s - %s;", d, d, stride[d], i[1+d], dilation[d], before[d])
		inside := fmt.Sprintf("uint(x%d) < uint(%s)", d, w.size(2, 2+d))
		if d > 0 {
			inside = fmt.Sprintf("y%d && %s", d-1, inside)
		}
		w.line("bool y%d = %s;", d, inside)
	}
	value := w.load(2, "n", fmt.Sprintf("g * %s + %s", others, i[4]), "x0", "x1", "x2")
	w.fma("y2 ? "+value+" : 0.0f", count, 1, "n * p.s1_0 + k0 * p.s1_2 + k1 * p.s1_3 + k2 * p.s1_4")
	w.line("} } }")
	for j := range count {
		w.sum(j, fmt.Sprintf("g * %s + t%d", channels, j), i[4], i[1], i[2], i[3])
	}
	w.launch(b, "convolution_weights_gradient")
}

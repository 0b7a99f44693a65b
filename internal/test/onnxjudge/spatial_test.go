package onnxjudge

import (
	"math"
	"slices"

	"github.com/puremetal/puremetal/mps/graph"
)

// listOr is list with a default: count times a value.
func (n *node) listOr(name string, count, value int) []int {
	if v := n.list(name); v != nil {
		return v
	}
	return slices.Repeat([]int{value}, count)
}

// numbers adds a constant of float32.
func (m *mapper) numbers(v ...float64) graph.Tensor {
	return m.constant(floatTensor(v))
}

// window is a convolution's or a pooling's: three spatial dimensions, of which the first ones may
// be of size 1.
type window struct {
	size, stride, dilation, before, after []int
}

// window reads the attributes for space, whose sizes are the last dimensions of an input.
func (n *node) window(space, size []int) window {
	k := len(space)
	w := window{size: size, stride: n.listOr("strides", k, 1), dilation: n.listOr("dilations", k, 1)}
	pads := n.listOr("pads", 2*k, 0)
	w.before, w.after = pads[:k], pads[k:]
	mode := n.text("auto_pad", "NOTSET")
	for d := 0; d < k && (mode == "SAME_UPPER" || mode == "SAME_LOWER"); d++ {
		out := (space[d] + w.stride[d] - 1) / w.stride[d]
		total := max((out-1)*w.stride[d]+(size[d]-1)*w.dilation[d]+1-space[d], 0)
		w.before[d], w.after[d] = total/2, total-total/2
		if mode == "SAME_LOWER" {
			w.before[d], w.after[d] = w.after[d], w.before[d]
		}
	}
	lead := slices.Repeat([]int{1}, 3-k)
	none := make([]int, 3-k)
	return window{slices.Concat(lead, size), slices.Concat(lead, w.stride), slices.Concat(lead, w.dilation),
		slices.Concat(none, w.before), slices.Concat(none, w.after)}
}

// deep reshapes [a b space...] to [a b z y x].
func (n *node) deep(x graph.Tensor) graph.Tensor {
	s := x.Shape()
	return n.reshape(x, slices.Concat(s[:2], slices.Repeat([]int{1}, 5-len(s)), s[2:])...)
}

func u(v int) uint { return uint(v) }

// volume describes a convolution with three spatial dimensions.
func (w window) volume(groups int) graph.Convolution3DOpDescriptor {
	d := sure(graph.Convolution3DOpDescriptorWithStrideInX(u(w.stride[2]), u(w.stride[1]), u(w.stride[0]),
		u(w.dilation[2]), u(w.dilation[1]), u(w.dilation[0]), u(groups), graph.PaddingStyleExplicit,
		graph.TensorNamedDataLayoutNCDHW, graph.TensorNamedDataLayoutOIDHW))
	d.SetExplicitPaddingWithPaddingLeft(u(w.before[2]), u(w.after[2]), u(w.before[1]), u(w.after[1]), u(w.before[0]),
		u(w.after[0]))
	return d
}

// plane describes a convolution with two.
func (w window) plane(groups int) graph.Convolution2DOpDescriptor {
	return sure(graph.Convolution2DOpDescriptorWithStrideInXStrideInYDilationRateInXDilationRateInYGroupsPaddingLeft(
		u(w.stride[2]), u(w.stride[1]), u(w.dilation[2]), u(w.dilation[1]), u(groups), u(w.before[2]), u(w.after[2]),
		u(w.before[1]), u(w.after[1]), graph.PaddingStyleExplicit, graph.TensorNamedDataLayoutNCHW,
		graph.TensorNamedDataLayoutOIHW))
}

// channelled gives a vector the shape of a channel dimension.
func (n *node) channelled(b graph.Tensor, rank int) graph.Tensor {
	return n.reshape(b, slices.Concat([]int{1, -1}, slices.Repeat([]int{1}, rank-2))...)
}

// flat is a tensor of rank 3 with a height of 1; others are as they are.
func (n *node) flat(x graph.Tensor) graph.Tensor {
	if s := x.Shape(); len(s) == 3 {
		return n.reshape(x, s[0], s[1], 1, s[2])
	}
	return x
}

func convolution(n *node) []graph.Tensor {
	return one(n.convolved(n.in[0], n.in[1]))
}

// convolved convolves and adds the bias, which is input 2.
func (n *node) convolved(x, weights graph.Tensor) graph.Tensor {
	rank := len(x.Shape())
	w := n.window(x.Shape()[2:], weights.Shape()[2:])
	var y graph.Tensor
	if rank == 5 {
		y = sure(n.g.Convolution3DWithSourceTensor(x, weights, w.volume(n.int("group", 1)), ""))
	} else {
		y = n.g.Convolution2DWithSourceTensor(n.flat(x), n.flat(weights), w.plane(n.int("group", 1)), "")
	}
	if s := y.Shape(); rank == 3 {
		y = n.reshape(y, s[0], s[1], s[3])
	}
	if n.Op == "Conv" && n.has(2) {
		y = n.add(y, n.channelled(n.in[2], rank))
	}
	return y
}

func transposed(n *node) []graph.Tensor {
	x, weights := n.in[0], n.in[1]
	s, k := x.Shape(), len(x.Shape())-2
	groups := n.int("group", 1)
	size := weights.Shape()[2:]
	stride, dilation := n.listOr("strides", k, 1), n.listOr("dilations", k, 1)
	extra, pads := n.listOr("output_padding", k, 0), n.listOr("pads", 2*k, 0)
	wanted := n.list("output_shape")
	if len(wanted) > k {
		wanted = wanted[len(wanted)-k:]
	}
	mode := n.text("auto_pad", "NOTSET")
	shape := []int{s[0], weights.Shape()[1] * groups}
	for d := range k {
		full := stride[d]*(s[2+d]-1) + extra[d] + (size[d]-1)*dilation[d] + 1
		out := full - pads[d] - pads[k+d]
		if mode == "SAME_UPPER" || mode == "SAME_LOWER" {
			out = s[2+d] * stride[d]
		}
		if wanted != nil {
			out = wanted[d]
		}
		if wanted != nil || mode == "SAME_UPPER" || mode == "SAME_LOWER" {
			total := max(full-out, 0)
			pads[d], pads[k+d] = total-total/2, total/2
			if mode == "SAME_UPPER" {
				pads[d], pads[k+d] = pads[k+d], pads[d]
			}
		}
		shape = append(shape, out)
	}
	lead, none := slices.Repeat([]int{1}, 3-k), make([]int, 3-k)
	w := window{stride: slices.Concat(lead, stride), dilation: slices.Concat(lead, dilation),
		before: slices.Concat(none, pads[:k]), after: slices.Concat(none, pads[k:])}
	var y graph.Tensor
	if k == 3 {
		y = sure(n.g.Convolution3DDataGradientWithIncomingGradientTensor(x, weights, shape, w.volume(groups), ""))
	} else {
		full := shape
		if k == 1 {
			full = []int{shape[0], shape[1], 1, shape[2]}
		}
		y = n.reshape(n.g.ConvolutionTranspose2DWithSourceTensor(n.flat(x), n.flat(weights), full, w.plane(groups), ""),
			shape...)
	}
	if n.has(2) {
		y = n.add(y, n.channelled(n.in[2], len(s)))
	}
	return one(y)
}

// pooling describes the pooling of [n*c z y x].
func (n *node) pooling(w window) graph.Pooling4DOpDescriptor {
	padding := []int{0, 0}
	for d := range 3 {
		padding = append(padding, w.before[d], w.after[d])
	}
	one := []int{1}
	d := sure(graph.Pooling4DOpDescriptorWithKernelSizesStrides(slices.Concat(one, w.size), slices.Concat(one, w.stride),
		slices.Concat(one, w.dilation), padding, graph.PaddingStyleExplicit))
	d.SetCeilMode(n.int("ceil_mode", 0) != 0)
	d.SetIncludeZeroPadToAverage(n.int("count_include_pad", 0) != 0)
	return d
}

// pooled maps a pooling: f pools [n*c z y x].
func pooled(f func(n *node, x graph.Tensor, d graph.Pooling4DOpDescriptor) []graph.Tensor) operator {
	return func(n *node) []graph.Tensor {
		s := n.in[0].Shape()
		five := n.deep(n.in[0])
		x := n.reshape(five, append([]int{s[0] * s[1]}, five.Shape()[2:]...)...)
		out := f(n, x, n.pooling(n.window(s[2:], n.list("kernel_shape"))))
		for i, y := range out {
			out[i] = n.reshape(y, append(slices.Clone(s[:2]), y.Shape()[1+5-len(s):]...)...)
		}
		return out
	}
}

func globally(f func(g graph.Graph, x graph.Tensor, axes []int, name string) graph.Tensor) operator {
	return func(n *node) []graph.Tensor { return one(f(n.g, n.in[0], spaceOf(n.in[0]), "")) }
}

// spaceOf returns the spatial dimensions.
func spaceOf(x graph.Tensor) []int {
	var axes []int
	for d := range x.Shape() {
		if d > 1 {
			axes = append(axes, d)
		}
	}
	return axes
}

func spatialOperators() map[string]operator {
	return map[string]operator{
		"Conv": convolution, "ConvTranspose": transposed,
		"ConvInteger": func(n *node) []graph.Tensor {
			if n.has(3) && len(n.in[3].Shape()) == 1 { // of each output channel
				n.in[3] = n.reshape(n.in[3], -1, 1, 1, 1)
			}
			return one(n.cast(n.convolved(n.centered(0, 2), n.centered(1, 3)), Int32))
		},
		"MaxPool": pooled(func(n *node, x graph.Tensor, d graph.Pooling4DOpDescriptor) []graph.Tensor {
			if len(n.Outputs) < 2 {
				return one(n.g.MaxPooling4DWithSourceTensor(x, d, ""))
			}
			if n.int("storage_order", 0) != 0 {
				noMethod("indices in column order")
			}
			d.SetReturnIndicesMode(graph.PoolingReturnIndicesGlobalFlatten4D)
			out := n.g.MaxPooling4DReturnIndicesWithSourceTensor(x, d, "")
			out[1] = n.cast(out[1], Int64)
			return out
		}),
		"AveragePool": pooled(func(n *node, x graph.Tensor, d graph.Pooling4DOpDescriptor) []graph.Tensor {
			return one(n.g.AvgPooling4DWithSourceTensor(x, d, ""))
		}),
		"LpPool": pooled(func(n *node, x graph.Tensor, d graph.Pooling4DOpDescriptor) []graph.Tensor {
			if p := n.int("p", 2); p != 2 {
				noMethod("LpPool with p %d", p)
			}
			return one(n.g.L2NormPooling4DWithSourceTensor(x, d, ""))
		}),
		"GlobalAveragePool": globally(graph.Graph.MeanOfTensor),
		"GlobalMaxPool":     globally(graph.Graph.ReductionMaximumWithTensor),
		"LRN": func(n *node) []graph.Tensor {
			x, size := n.in[0], n.int("size", 1)
			s := x.Shape()
			four := n.reshape(x, s[0], s[1], s[2], -1)
			low := (size - 1) / 2
			d := sure(graph.Pooling4DOpDescriptorWithKernelSizesStrides([]int{1, size, 1, 1}, []int{1, 1, 1, 1},
				[]int{1, 1, 1, 1}, []int{0, 0, low, size - 1 - low, 0, 0, 0, 0}, graph.PaddingStyleExplicit))
			d.SetIncludeZeroPadToAverage(true)
			mean := n.g.AvgPooling4DWithSourceTensor(n.square(four), d, "")
			base := n.add(n.scaled(mean, n.float("alpha", 1e-4)), n.scalar(n.float("bias", 1), mean))
			y := n.div(four, n.g.PowerWithPrimaryTensor(base, n.scalar(n.float("beta", 0.75), base), ""))
			return one(n.reshape(y, s...))
		},
		"Resize": resized,
	}
}

// resized maps Resize: element i of the result is at (i - offset) / scale of the input.
func resized(n *node) []graph.Tensor {
	x := n.in[0]
	s := x.Shape()
	coordinates, mode := n.text("coordinate_transformation_mode", "half_pixel"), n.text("mode", "nearest")
	if mode == "cubic" {
		noMethod("cubic Resize")
	}
	if coordinates == "tf_crop_and_resize" {
		noMethod("Resize of a crop")
	}
	axes := n.list("axes")
	for d := 0; d < len(s) && n.Attributes["axes"] == nil; d++ {
		axes = append(axes, d)
	}
	scale, size := slices.Repeat([]float64{1}, len(s)), slices.Clone(s)
	if n.has(3) {
		wanted := n.ints(n.in[3])
		ratio := 0.0
		policy := n.text("keep_aspect_ratio_policy", "stretch")
		for i, a := range axes {
			a = n.axis(x, a)
			size[a], scale[a] = wanted[i], float64(wanted[i])/float64(s[a])
			if i == 0 || policy == "not_larger" && scale[a] < ratio || policy == "not_smaller" && scale[a] > ratio {
				ratio = scale[a]
			}
		}
		for _, a := range axes {
			if a = n.axis(x, a); policy != "stretch" {
				scale[a], size[a] = ratio, int(math.Round(ratio*float64(s[a])))
			}
		}
	} else {
		for i, v := range n.floats(n.in[2]) {
			a := n.axis(x, axes[i])
			scale[a], size[a] = v, int(math.Floor(v*float64(s[a])))
		}
	}
	if n.int("antialias", 0) != 0 && slices.Min(scale) < 1 {
		noMethod("Resize with a filter against aliases")
	}
	offset := make([]float64, len(s))
	for d, k := range scale {
		in, out := float64(s[d]), float64(size[d])
		switch coordinates {
		case "half_pixel":
			offset[d] = k/2 - 0.5
		case "pytorch_half_pixel":
			if offset[d] = k/2 - 0.5; size[d] == 1 {
				offset[d] = 0
			}
		case "half_pixel_symmetric":
			offset[d] = (0.5-in/2*(1-out/(in*k)))*k - 0.5
		case "align_corners":
			if scale[d] = 1; s[d] > 1 && size[d] > 1 {
				scale[d] = (in*k - 1) / (in - 1) // the size before it is rounded
			}
		case "asymmetric":
		default:
			noMethod("Resize with coordinates %s", coordinates)
		}
	}
	sizes, scales, offsets := n.integers(size...), n.numbers(scale...), n.numbers(offset...)
	if mode == "linear" {
		return one(sure(n.g.ResizeBilinearWithTensorScaleTensor(x, sizes, scales, offsets, "")))
	}
	rounding := graph.ResizeNearestRoundingModeRoundPreferFloor
	switch n.text("nearest_mode", "round_prefer_floor") {
	case "round_prefer_ceil":
		rounding = graph.ResizeNearestRoundingModeRoundPreferCeil
	case "floor":
		rounding = graph.ResizeNearestRoundingModeFloor
	case "ceil":
		rounding = graph.ResizeNearestRoundingModeCeil
	}
	return one(sure(n.g.ResizeNearestWithTensorScaleTensor(x, sizes, scales, offsets, rounding, "")))
}

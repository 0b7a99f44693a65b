package onnxjudge

import (
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
)

func (m *mapper) reshape(x graph.Tensor, shape ...int) graph.Tensor {
	return m.g.ReshapeTensor(x, append([]int{}, shape...), "")
}

func (m *mapper) permute(x graph.Tensor, order ...int) graph.Tensor {
	return m.g.TransposeTensorPermutation(x, order, "")
}

// matmul is numpy's: a vector is a row on the left and a column on the right.
func (m *mapper) matmul(a, b graph.Tensor) graph.Tensor {
	x, y := a.Shape(), b.Shape()
	if len(x) == 1 {
		a = m.reshape(a, 1, x[0])
	}
	if len(y) == 1 {
		b = m.reshape(b, y[0], 1)
	}
	c := m.g.MatrixMultiplicationWithPrimaryTensor(a, b, "")
	if shape := c.Shape(); len(y) == 1 {
		c = m.reshape(c, shape[:len(shape)-1]...)
	}
	if shape := c.Shape(); len(x) == 1 {
		cut := len(shape) - 1
		if len(y) != 1 {
			cut--
		}
		c = m.reshape(c, slices.Delete(shape, cut, cut+1)...)
	}
	return c
}

func linearOperators() map[string]operator {
	return map[string]operator{
		"MatMul": func(n *node) []graph.Tensor { return one(n.matmul(n.in[0], n.in[1])) },
		"MatMulInteger": func(n *node) []graph.Tensor {
			return one(n.cast(n.matmul(n.centered(0, 2), n.centered(1, 3)), Int32))
		},
		"Gemm": func(n *node) []graph.Tensor {
			a, b := n.in[0], n.in[1]
			if n.int("transA", 0) != 0 {
				a = n.g.TransposeTensor(a, 0, 1, "")
			}
			if n.int("transB", 0) != 0 {
				b = n.g.TransposeTensor(b, 0, 1, "")
			}
			y := n.scaled(n.matmul(a, b), n.float("alpha", 1))
			if n.has(2) {
				y = n.add(y, n.scaled(n.in[2], n.float("beta", 1)))
			}
			return one(y)
		},
		"Einsum":          einsum,
		"Attention":       attention,
		"RotaryEmbedding": rotary,
	}
}

// centered is an integer input minus its zero point, as float32, which is exact for 8 bits.
func (n *node) centered(i, zero int) graph.Tensor {
	x := n.cast(n.in[i], Float)
	if n.has(zero) {
		x = n.sub(x, n.cast(n.in[zero], Float))
	}
	return x
}

// einsum multiplies operands whose dimensions are those of all labels, and sums.
func einsum(n *node) []graph.Tensor {
	text := strings.ReplaceAll(n.text("equation", ""), " ", "")
	left, right, explicit := strings.Cut(text, "->")
	terms := strings.Split(left, ",")
	if !explicit { // the labels that occur once, in order
		var once []string
		for _, c := range strings.Split(strings.ReplaceAll(left, ",", ""), "") {
			if strings.Count(left, c) == 1 {
				once = append(once, c)
			}
		}
		slices.Sort(once)
		right = strings.Join(once, "")
	}
	// An ellipsis is one dimension for each that no letter names: upper-case letters here.
	dots := 0
	for i, t := range terms {
		if strings.Contains(t, "...") {
			dots = max(dots, len(n.in[i].Shape())-(len(t)-3))
		}
	}
	letters := "ABCDEFGH"[:dots]
	labels := strings.ReplaceAll(right, "...", letters)
	for i, t := range terms {
		if strings.Contains(t, "...") {
			terms[i] = strings.Replace(t, "...", letters[dots-(len(n.in[i].Shape())-(len(t)-3)):], 1)
		}
		for _, c := range strings.Split(terms[i], "") {
			if !strings.Contains(labels, c) {
				labels += c
			}
		}
	}
	kept := len(strings.ReplaceAll(right, "...", letters))
	var y graph.Tensor
	for i, t := range terms {
		x := n.in[i]
		for k := 0; k < len(t); k++ { // a label that occurs twice: the diagonal
			for l := len(t) - 1; l > k; l-- {
				if t[k] != t[l] {
					continue
				}
				shape := x.Shape()
				same := n.g.EqualWithPrimaryTensor(n.g.CoordinateAlongAxis(k, shape, ""),
					n.g.CoordinateAlongAxis(l, shape, ""), "")
				x = n.where(same, x, n.scalar(0, x))
				x = n.g.SqueezeTensorAxes(n.g.ReductionSumWithTensor(x, []int{l}, ""), []int{l}, "")
				t = t[:l] + t[l+1:]
			}
		}
		var order, shape []int
		for _, c := range strings.Split(labels, "") {
			d := 1
			if k := strings.Index(t, c); k >= 0 {
				order = append(order, k)
				d = x.Shape()[k]
			}
			shape = append(shape, d)
		}
		if len(order) > 0 {
			x = n.permute(x, order...)
		}
		x = n.reshape(x, shape...)
		if y.IsNil() {
			y = x
		} else {
			y = n.mul(y, x)
		}
	}
	var axes []int
	for d := kept; d < len(labels); d++ {
		axes = append(axes, d)
	}
	if y = n.g.IdentityWithTensor(y, ""); axes != nil {
		y = n.g.SqueezeTensorAxes(n.g.ReductionSumWithTensor(y, axes, ""), axes, "")
	}
	return one(y)
}

// heads returns [batch heads times size] of an input that may have the heads in its last dimension.
func (n *node) heads(x graph.Tensor, count int) graph.Tensor {
	s := x.Shape()
	if len(s) == 4 {
		return x
	}
	return n.permute(n.reshape(x, s[0], s[1], count, s[2]/count), 0, 2, 1, 3)
}

// repeated repeats each head.
func (n *node) repeated(x graph.Tensor, times int) graph.Tensor {
	s := x.Shape()
	if times <= 1 {
		return x
	}
	x = n.g.BroadcastTensor(n.reshape(x, s[0], s[1], 1, s[2], s[3]), []int{s[0], s[1], times, s[2], s[3]}, "")
	return n.reshape(x, s[0], s[1]*times, s[2], s[3])
}

// mask returns what is added to the products of queries and keys; nil without anything.
func (n *node) mask(q, k graph.Tensor, past int) graph.Tensor {
	times, keys := q.Shape()[2], k.Shape()[2]
	zero, never := n.scalar(0, q), n.scalar(math.Inf(-1), q)
	var bias graph.Tensor
	if n.has(3) {
		bias = n.in[3]
		if bias.DataType() == mps.DataTypeBool {
			bias = n.where(bias, zero, never)
		}
		if s := bias.Shape(); s[len(s)-1] < keys {
			after := make([]int, len(s))
			after[len(s)-1] = keys - s[len(s)-1]
			bias = n.g.PadTensor(bias, graph.PaddingModeConstant, make([]int, len(s)), after, math.Inf(-1), "")
		}
	}
	join := func(allowed graph.Tensor) {
		b := n.where(allowed, zero, never)
		if !bias.IsNil() {
			b = n.add(bias, b)
		}
		bias = b
	}
	shape := []int{1, 1, times, keys}
	row, column := n.g.CoordinateAlongAxis(2, shape, ""), n.g.CoordinateAlongAxis(3, shape, "")
	var lengths graph.Tensor
	if n.has(6) {
		lengths = n.reshape(n.g.CastTensor(n.in[6], row.DataType(), ""), n.in[6].Shape()[0], 1, 1, 1)
	}
	if n.int("is_causal", 0) != 0 {
		offset := n.scalar(float64(past), row)
		if n.has(6) && !n.has(4) {
			offset = n.sub(lengths, n.scalar(float64(times), row))
		}
		join(n.g.LessThanOrEqualToWithPrimaryTensor(column, n.add(row, offset), ""))
	}
	if n.has(6) {
		join(n.g.LessThanWithPrimaryTensor(column, lengths, ""))
	}
	return bias
}

// attention maps Attention to its products; rows without a key that they may see are zero.
func attention(n *node) []graph.Tensor {
	rank := len(n.in[0].Shape())
	q, k, v := n.heads(n.in[0], n.int("q_num_heads", 1)), n.heads(n.in[1], n.int("kv_num_heads", 1)),
		n.heads(n.in[2], n.int("kv_num_heads", 1))
	past := 0
	if n.has(4) {
		past = n.in[4].Shape()[2]
		k = n.g.ConcatTensor(n.in[4], k, 2, "")
	}
	if n.has(5) {
		v = n.g.ConcatTensor(n.in[5], v, 2, "")
	}
	presentK, presentV := n.g.IdentityWithTensor(k, ""), n.g.IdentityWithTensor(v, "")
	groups := q.Shape()[1] / k.Shape()[1]
	k, v = n.repeated(k, groups), n.repeated(v, groups)
	scale := math.Sqrt(n.float("scale", 1/math.Sqrt(float64(q.Shape()[3]))))
	products := n.matmul(n.scaled(q, scale), n.permute(n.scaled(k, scale), 0, 1, 3, 2))
	if limit := n.float("softcap", 0); limit > 0 {
		products = n.scaled(n.g.TanhWithTensor(n.scaled(products, 1/limit), ""), limit)
	}
	bias := n.mask(q, k, past)
	biased := products
	if !bias.IsNil() {
		biased = n.add(products, bias)
	}
	weights := biased
	if t := n.int("softmax_precision", 0); t != 0 {
		weights = n.cast(weights, Type(t))
	}
	weights = n.g.CastTensor(n.g.SoftMaxWithTensor(weights, 3, ""), q.DataType(), "")
	if !bias.IsNil() {
		best := n.g.ReductionMaximumWithTensorAxis(bias, len(bias.Shape())-1, "")
		none := n.g.EqualWithPrimaryTensor(best, n.scalar(math.Inf(-1), best), "")
		weights = n.where(none, n.scalar(0, weights), weights)
	}
	shown := products
	switch n.int("qk_matmul_output_mode", 0) {
	case 2:
		shown = biased
	case 3:
		shown = weights
	}
	y := n.matmul(weights, v)
	if s := y.Shape(); rank == 3 {
		y = n.reshape(n.permute(y, 0, 2, 1, 3), s[0], s[2], s[1]*s[3])
	}
	return []graph.Tensor{y, presentK, presentV, shown}
}

// rotary turns pairs of elements by angles.
func rotary(n *node) []graph.Tensor {
	x := n.in[0]
	was := x.Shape()
	if len(was) == 4 {
		x = n.permute(x, 0, 2, 1, 3)
	} else {
		count := n.int("num_heads", 1)
		x = n.reshape(x, was[0], was[1], count, was[2]/count)
	}
	s := x.Shape()
	dim := n.int("rotary_embedding_dim", 0)
	if dim == 0 {
		dim = s[3]
	}
	part := func(t graph.Tensor, from, to, step int) graph.Tensor {
		return n.g.SliceTensorStarts(t, []int{0, 0, 0, from}, []int{s[0], s[1], s[2], to}, []int{1, 1, 1, step}, "")
	}
	angles := func(t graph.Tensor) graph.Tensor {
		if n.has(3) {
			t = n.g.GatherWithUpdatesTensor(t, n.in[3], 0, 0, "")
		}
		return n.reshape(t, s[0], s[1], 1, dim/2)
	}
	c, sine := angles(n.in[1]), angles(n.in[2])
	a, b := part(x, 0, dim/2, 1), part(x, dim/2, dim, 1)
	if n.int("interleaved", 0) != 0 {
		a, b = part(x, 0, dim, 2), part(x, 1, dim, 2)
	}
	even := n.sub(n.mul(c, a), n.mul(sine, b))
	odd := n.add(n.mul(sine, a), n.mul(c, b))
	y := n.g.ConcatTensorsInterleave([]graph.Tensor{even, odd}, 3, n.int("interleaved", 0) != 0, "")
	if dim < s[3] {
		y = n.g.ConcatTensor(y, part(x, dim, s[3], 1), 3, "")
	}
	if len(was) == 4 {
		return one(n.permute(y, 0, 2, 1, 3))
	}
	return one(n.reshape(y, was...))
}

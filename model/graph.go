package model

import (
	"context"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute/tensor"
)

// part is the new tokens of a sequence.
type part struct {
	cache *cache
	ids   []int32
}

// cache is the place of a sequence's keys and values so far.
type cache struct {
	*slab
	slot, used int
}

// pass computes a model's layers for the new tokens of some sequences, whose rows follow each
// other.
type pass struct {
	*Model
	ctx       context.Context
	s         *tensor.Scope
	rows      int
	ids       *tensor.Tensor
	positions *tensor.Tensor
	slabs     []*slab
	places    []*tensor.Tensor // of the tokens, for each slab
}

func (m *Model) newPass(ctx context.Context, s *tensor.Scope, parts []part) *pass {
	p := &pass{Model: m, ctx: ctx, s: s}
	var ids, positions []int32
	var places [][]int32
	for _, x := range parts {
		at := slices.Index(p.slabs, x.cache.slab)
		if at < 0 {
			at = len(p.slabs)
			p.slabs, places = append(p.slabs, x.cache.slab), append(places, nil)
		}
		for i := range x.ids {
			row, position := int32(len(ids)+i), int32(x.cache.used+i)
			sees := position + 1
			if m.arch.encoder {
				sees = int32(x.cache.used + len(x.ids))
			}
			positions = append(positions, position)
			places[at] = append(places[at], row, int32(x.cache.slot), position, sees)
		}
		ids = append(ids, x.ids...)
	}
	p.rows = len(ids)
	all := append(ids, positions...)
	for _, list := range places {
		all = append(all, list...)
	}
	t := tensor.Of(s, all) // at once
	p.ids, p.positions = t.Slice(0, 0, p.rows), t.Slice(0, p.rows, 2*p.rows)
	at := 2 * p.rows
	for _, list := range places {
		p.places = append(p.places, t.Slice(0, at, at+len(list)).Reshape(-1, 4))
		at += len(list)
	}
	return p
}

// caches returns the caches of a layer with the places of the tokens.
func (p *pass) caches(layer int) []tensor.CacheRows {
	parts := make([]tensor.CacheRows, len(p.slabs))
	for i, x := range p.slabs {
		parts[i] = x.caches[layer]
		parts[i].Places = p.places[i]
	}
	return parts
}

// linear multiplies rows with weights.
func (p *pass) linear(x *tensor.Tensor, l linear) *tensor.Tensor {
	var y *tensor.Tensor
	if p.options.Int8Activations && l.w.Format().IsTernary() {
		y = p.s.MatMulTernary(x, l.w)
	} else {
		y = p.s.MatMulPacked(x, l.w)
	}
	if l.scale != nil {
		y = p.s.Mul(y, l.scale)
	}
	if l.bias != nil {
		y = p.s.Add(y, l.bias)
	}
	return y
}

// norm normalizes rows, if the model does.
func (p *pass) norm(x *tensor.Tensor, n norm) *tensor.Tensor {
	switch {
	case n.scale == nil:
		return x
	case p.arch.layerNorm:
		return p.s.LayerNorm(x, n.scale, n.bias, float32(p.config.Epsilon))
	}
	return p.s.RMSNorm(x, n.scale, float32(p.config.Epsilon))
}

// addNorm adds rows, and returns the sum and what norm makes of it.
func (p *pass) addNorm(x, y *tensor.Tensor, n norm) (sum, normal *tensor.Tensor) {
	if n.scale != nil && !p.arch.layerNorm {
		return p.s.AddRMSNorm(x, y, n.scale, float32(p.config.Epsilon))
	}
	sum = p.s.Add(x, y)
	return sum, p.norm(sum, n)
}

// gated multiplies rows with the activation of others.
func (p *pass) gated(gate, up *tensor.Tensor) *tensor.Tensor {
	switch {
	case p.arch.activation == gelu && !p.arch.encoder:
		return p.s.GeGLU(gate, up)
	case p.arch.activation == silu:
		return p.s.SwiGLU(gate, up)
	}
	return p.s.Mul(p.activate(gate), up)
}

func (p *pass) activate(x *tensor.Tensor) *tensor.Tensor {
	switch p.arch.activation {
	case gelu:
		if p.arch.encoder {
			return p.s.GELU(x)
		}
		return p.s.GELUTanh(x)
	case relu2:
		return p.s.Square(p.s.ReLU(x))
	}
	return p.s.SiLU(x)
}

// hidden returns the rows behind the last layer.
func (p *pass) hidden() *tensor.Tensor {
	s, w := p.s, &p.weights
	x := s.Embed(w.embedding, p.ids, tensor.Float32)
	if p.arch.scaleInput {
		x = s.Mul(x, tensor.Scalar(math.Sqrt(float64(p.config.Embedding))))
	}
	if w.types != nil {
		x = s.Add(x, s.Embed(w.types, tensor.Of(s, []int32{0}), tensor.Float32))
	}
	if w.positions != nil {
		x = s.Add(x, s.Embed(w.positions, p.positions, tensor.Float32))
	}
	x = p.norm(x, w.inputNorm)
	if p.arch.encoder { // normalizes behind sums
		rows := s
		for i := range w.layers {
			l := &w.layers[i]
			_, x, rows = p.block(x, rows, func() *tensor.Tensor { return p.attention(x, l, i) }, l.attnPostNorm, false)
			_, x, rows = p.block(x, rows, func() *tensor.Tensor { return p.feedForward(x, l) }, l.ffnPostNorm,
				i+1 == len(w.layers))
		}
		return p.norm(x, w.outputNorm)
	}
	normal, rows := p.norm(x, w.layers[0].attnNorm), s
	for i := range w.layers {
		l, next, last := &w.layers[i], w.outputNorm, i+1 == len(w.layers)
		if !last {
			next = w.layers[i+1].attnNorm
		}
		x, normal, rows = p.block(x, rows, func() *tensor.Tensor {
			return p.norm(p.attention(normal, l, i), l.attnPostNorm)
		}, l.ffnNorm, false)
		x, normal, rows = p.block(x, rows, func() *tensor.Tensor {
			return p.norm(p.feedForward(normal, l), l.ffnPostNorm)
		}, next, last)
	}
	return normal
}

// block adds to rows what a function makes of them, and returns the sum, what norm makes of it, and
// the scope of both. The memory of the function's work, and of the rows before, which belong to a
// scope that may be the pass's, is that of later blocks.
func (p *pass) block(x *tensor.Tensor, rows *tensor.Scope, of func() *tensor.Tensor, n norm,
	last bool) (sum, normal *tensor.Tensor, scope *tensor.Scope) {
	s := p.s
	work := s.Inner()
	p.s = work
	y := of()
	if scope = s; !last {
		scope = s.Inner()
	}
	p.s = scope
	sum, normal = p.addNorm(x, y, n)
	p.s = s
	work.Close()
	if rows != s {
		rows.Close()
	}
	return sum, normal, scope
}

// attention computes the attention of a layer for normalized rows.
func (p *pass) attention(x *tensor.Tensor, l *layer, n int) *tensor.Tensor {
	s, c := p.s, &p.config
	var q, k, v *tensor.Tensor
	if l.qkv.w != nil {
		all := p.linear(x, l.qkv).Split(1, c.Heads*c.HeadSize, c.KVHeads*c.HeadSize, c.KVHeads*c.ValueSize)
		q, k, v = all[0], all[1], all[2]
	} else {
		q, k, v = p.linear(x, l.q), p.linear(x, l.k), p.linear(x, l.v)
	}
	q, k = q.Reshape(p.rows, c.Heads, c.HeadSize), k.Reshape(p.rows, c.KVHeads, c.HeadSize)
	v = v.Reshape(p.rows, c.KVHeads, c.ValueSize)
	caches := p.caches(n)
	q = s.AppendCache(p.norm(q, l.qNorm), p.norm(k, l.kNorm), v, l.rope, caches...)
	y := s.CachedAttention(q, tensor.GroupedAttention{Window: l.window, Sinks: l.sinks, Softcap: float32(c.AttnSoftcap)},
		caches...)
	return p.linear(p.norm(y.Reshape(p.rows, c.Heads*c.ValueSize), l.attnSubNorm), l.out)
}

func (p *pass) feedForward(x *tensor.Tensor, l *layer) *tensor.Tensor {
	switch {
	case l.experts != nil:
		return p.mixture(x, l)
	case l.gateUp.w != nil:
		both := p.linear(x, l.gateUp).Split(1, p.config.FeedForward, p.config.FeedForward)
		return p.linear(p.norm(p.gated(both[0], both[1]), l.ffnSubNorm), l.down)
	case l.gate.w == nil:
		return p.linear(p.norm(p.activate(p.linear(x, l.up)), l.ffnSubNorm), l.down)
	}
	return p.linear(p.norm(p.gated(p.linear(x, l.gate), p.linear(x, l.up)), l.ffnSubNorm), l.down)
}

// expert computes what one expert does with rows.
func (p *pass) expert(x *tensor.Tensor, e *expert) *tensor.Tensor {
	return p.linear(p.gated(p.linear(x, e.gate), p.linear(x, e.up)), e.down)
}

// logits returns the scores of all tokens behind rows.
func (p *pass) logits(x *tensor.Tensor) *tensor.Tensor {
	y := p.linear(x, p.weights.output)
	if c := p.config.FinalSoftcap; c > 0 {
		y = p.s.Mul(p.s.Tanh(p.s.Mul(y, tensor.Scalar(1/c))), tensor.Scalar(c))
	}
	return y
}

// mixture computes a mixture of experts: for each row, the sum of what the experts with the largest
// scores make of it, weighed by their probabilities. Which experts these are is read back, so that
// only they are computed, and only for their rows.
func (p *pass) mixture(x *tensor.Tensor, l *layer) *tensor.Tensor {
	s, used := p.s, p.config.ExpertsUsed
	weights, chosen := s.TopK(s.Softmax(p.linear(x, l.router), 1), 1, used)
	if p.arch.normExperts {
		weights = s.Div(weights, s.Sum(weights, 1).Unsqueeze(1))
	}
	y := s.Full(tensor.Float32, 0, p.rows, p.config.Embedding)
	list, err := tensor.Data[int32](p.ctx, chosen)
	if err != nil {
		return y // the scope has the error, or the next wait returns it
	}
	for e := range l.experts {
		var rows, places []int32 // of x, and of the flattened weights
		for i, c := range list {
			if int(c) == e {
				rows, places = append(rows, int32(i/used)), append(places, int32(i))
			}
		}
		if len(rows) == 0 {
			continue
		}
		at := tensor.Of(s, rows)
		part := p.expert(s.Gather(x, at, 0), &l.experts[e])
		part = s.Mul(part, s.Gather(weights.Reshape(-1), tensor.Of(s, places), 0).Unsqueeze(1))
		y = s.Scatter(y, at, part, 0, "add")
	}
	if l.shared != nil {
		z := p.expert(x, l.shared)
		if l.sharedGate.w != nil {
			z = s.Mul(z, s.Sigmoid(p.linear(x, l.sharedGate)))
		}
		y = s.Add(y, z)
	}
	return y
}

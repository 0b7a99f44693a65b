package model

import (
	"context"
	"math"

	"github.com/puremetal/puremetal/compute/tensor"
)

// part is the new tokens of a sequence.
type part struct {
	cache *cache
	ids   []int32
}

// cache is the keys and values of a sequence's tokens so far.
type cache struct {
	keys, values []*tensor.Tensor // by layer: [1, groups, context, features]
	used         int
}

// pass computes a model's layers for the new tokens of some sequences, whose rows follow each
// other.
type pass struct {
	*Model
	ctx       context.Context
	s         *tensor.Scope
	parts     []part
	rows      int
	ids       *tensor.Tensor
	positions *tensor.Tensor
}

func (m *Model) newPass(ctx context.Context, s *tensor.Scope, parts []part) *pass {
	p := &pass{Model: m, ctx: ctx, s: s, parts: parts}
	var ids, positions []int32
	for _, x := range parts {
		ids = append(ids, x.ids...)
		for i := range x.ids {
			positions = append(positions, int32(x.cache.used+i))
		}
	}
	p.rows = len(ids)
	p.ids, p.positions = tensor.Of(s, ids), tensor.Of(s, positions)
	return p
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
		for i := range w.layers {
			l := &w.layers[i]
			_, x = p.addNorm(x, p.attention(x, l, i), l.attnPostNorm)
			_, x = p.addNorm(x, p.feedForward(x, l), l.ffnPostNorm)
		}
		return p.norm(x, w.outputNorm)
	}
	normal := p.norm(x, w.layers[0].attnNorm)
	for i := range w.layers {
		l, next := &w.layers[i], w.outputNorm
		if i+1 < len(w.layers) {
			next = w.layers[i+1].attnNorm
		}
		x, normal = p.addNorm(x, p.norm(p.attention(normal, l, i), l.attnPostNorm), l.ffnNorm)
		x, normal = p.addNorm(x, p.norm(p.feedForward(normal, l), l.ffnPostNorm), next)
	}
	return normal
}

// attention computes the attention of a layer for normalized rows.
func (p *pass) attention(x *tensor.Tensor, l *layer, n int) *tensor.Tensor {
	s, c := p.s, &p.config
	var q, k, v *tensor.Tensor
	if l.qkv.w != nil {
		all := p.linear(x, l.qkv).Split(1, c.Heads*c.HeadSize, c.KVHeads*c.HeadSize, c.KVHeads*c.ValueSize)
		q, k, v = s.Contiguous(all[0]), s.Contiguous(all[1]), s.Contiguous(all[2])
	} else {
		q, k, v = p.linear(x, l.q), p.linear(x, l.k), p.linear(x, l.v)
	}
	q, k = q.Reshape(1, p.rows, c.Heads, c.HeadSize), k.Reshape(1, p.rows, c.KVHeads, c.HeadSize)
	v = v.Reshape(1, p.rows, c.KVHeads, c.ValueSize)
	q, k = p.norm(q, l.qNorm), p.norm(k, l.kNorm)
	if l.rope != nil {
		q, k = s.Rope(q, p.positions, l.rope), s.Rope(k, p.positions, l.rope)
	}
	// Heads before positions.
	q, k, v = q.Transpose(0, 2, 1, 3), k.Transpose(0, 2, 1, 3), v.Transpose(0, 2, 1, 3)
	results := make([]*tensor.Tensor, len(p.parts))
	at := 0
	for i, x := range p.parts {
		end, from, to := at+len(x.ids), x.cache.used, x.cache.used+len(x.ids)
		keys, values := x.cache.keys[n], x.cache.values[n]
		s.Assign(keys.Slice(2, from, to), p.cast(k.Slice(2, at, end)))
		s.Assign(values.Slice(2, from, to), p.cast(v.Slice(2, at, end)))
		results[i] = s.GroupedAttention(q.Slice(2, at, end), keys.Slice(2, 0, to), values.Slice(2, 0, to),
			tensor.GroupedAttention{Causal: !p.arch.encoder, Start: from, Window: l.window, Sinks: l.sinks,
				Softcap: float32(c.AttnSoftcap)})
		at = end
	}
	y := results[0]
	if len(results) > 1 {
		y = s.Concat(2, results...)
	}
	y = s.Reshape(y.Transpose(0, 2, 1, 3), p.rows, c.Heads*c.ValueSize)
	return p.linear(p.norm(y, l.attnSubNorm), l.out)
}

// cast gives keys and values the type of the cache.
func (p *pass) cast(x *tensor.Tensor) *tensor.Tensor {
	if p.options.CacheType == x.Type() {
		return x
	}
	return p.s.Cast(x, p.options.CacheType)
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

package model

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/puremetal/puremetal/compute/tensor"
)

// linear is a product with packed weights, a bias and a scale, which may be nil.
type linear struct {
	w           *tensor.Packed
	bias, scale *tensor.Tensor
}

// norm is an RMSNorm or a LayerNorm.
type norm struct {
	scale, bias *tensor.Tensor
}

// layer is the weights of one of a model's blocks. Those that its architecture does not have are
// zero.
type layer struct {
	attnNorm, qNorm, kNorm, attnSubNorm, attnPostNorm norm
	ffnNorm, ffnSubNorm, ffnPostNorm                  norm
	q, k, v, qkv, out                                 linear
	gate, up, gateUp, down                            linear
	router                                            linear
	experts                                           []expert
	shared                                            *expert
	sharedGate                                        linear
	sinks                                             *tensor.Tensor
	rope                                              *tensor.RotaryTable
	window                                            int
}

// expert is the feed-forward layers of one expert of a mixture.
type expert struct{ gate, up, down linear }

// weights are all of a model's.
type weights struct {
	embedding             *tensor.Packed
	positions, types      *tensor.Packed
	inputNorm, outputNorm norm
	layers                []layer
	output                linear
}

// linear reads weights of a shape with their bias and scale.
func (l *loader) linear(name string, rows, columns int, needed bool) linear {
	x := linear{w: l.matrix(name, rows, columns, needed)}
	if x.w != nil {
		x.bias = l.vector(name+".bias", rows, false)
		x.scale = l.vector(name+".scale", 0, false)
	}
	return x
}

func (l *loader) norm(name string, n int, needed bool) norm {
	return norm{l.vector(name+".weight", n, needed), l.vector(name+".bias", n, false)}
}

// load reads a model's weights.
func (l *loader) load(c Config, a architecture) (w weights) {
	w.embedding = l.matrix("token_embd", c.Vocabulary, c.Embedding, true)
	if l.err != nil {
		return w
	}
	if a.positions {
		w.positions = l.matrix("position_embd", 0, c.Embedding, true)
	}
	w.types = l.matrix("token_types", 0, c.Embedding, false)
	w.inputNorm = l.norm("token_embd_norm", c.Embedding, a.encoder)
	vocabulary, _ := w.embedding.Shape()
	if !a.encoder {
		w.outputNorm = l.norm("output_norm", c.Embedding, true)
		if w.output = l.linear("output", vocabulary, c.Embedding, false); w.output.w == nil {
			w.output.w = w.embedding
		}
	}
	factors := c.ropeFactors
	if x, ok := l.find("rope_freqs.weight"); ok {
		factors = l.numbers(x, c.RopeFeatures/2)
	}
	tables := map[bool]*tensor.RotaryTable{}
	for i := range c.Layers {
		if l.err != nil {
			return w
		}
		x := l.layer("blk."+strconv.Itoa(i)+".", c, a)
		local := c.Window > 0 && (a.localPeriod == 0 || i%a.localPeriod < a.localPeriod-1)
		if local {
			x.window = c.Window
		}
		if !a.positions {
			if tables[local] == nil {
				tables[local] = l.s.RotaryTable(c.rotary(a, local, factors))
			}
			x.rope = tables[local]
		}
		w.layers = append(w.layers, x)
	}
	return w
}

func (l *loader) layer(p string, c Config, a architecture) (x layer) {
	q, kv := c.Heads*c.HeadSize, c.KVHeads*c.HeadSize
	v := c.KVHeads * c.ValueSize
	x.attnNorm = l.norm(p+"attn_norm", c.Embedding, !a.encoder)
	if x.qkv = l.linear(p+"attn_qkv", q+kv+v, c.Embedding, false); x.qkv.w == nil {
		x.q = l.linear(p+"attn_q", q, c.Embedding, true)
		x.k = l.linear(p+"attn_k", kv, c.Embedding, true)
		x.v = l.linear(p+"attn_v", v, c.Embedding, true)
	}
	x.qNorm, x.kNorm = l.norm(p+"attn_q_norm", c.HeadSize, false), l.norm(p+"attn_k_norm", c.HeadSize, false)
	x.attnSubNorm = l.norm(p+"attn_sub_norm", c.Heads*c.ValueSize, false)
	x.out = l.linear(p+"attn_output", c.Embedding, c.Heads*c.ValueSize, true)
	x.sinks = l.vector(p+"attn_sinks.weight", c.Heads, false)
	x.attnPostNorm = l.norm(p+"post_attention_norm", c.Embedding, false)
	if a.encoder {
		x.attnPostNorm = l.norm(p+"attn_output_norm", c.Embedding, true)
		x.ffnPostNorm = l.norm(p+"layer_output_norm", c.Embedding, true)
	} else {
		x.ffnNorm = l.norm(p+"ffn_norm", c.Embedding, true)
		x.ffnPostNorm = l.norm(p+"post_ffw_norm", c.Embedding, false)
	}
	if c.Experts > 0 {
		l.experts(&x, p, c)
		return x
	}
	x.ffnSubNorm = l.norm(p+"ffn_sub_norm", c.FeedForward, false)
	x.down = l.linear(p+"ffn_down", c.Embedding, c.FeedForward, true)
	if x.gate = l.linear(p+"ffn_gate", c.FeedForward, c.Embedding, false); x.gate.w != nil {
		x.up = l.linear(p+"ffn_up", c.FeedForward, c.Embedding, true)
		return x
	}
	if x.up = l.linear(p+"ffn_up", 0, c.Embedding, true); x.up.w != nil {
		if rows, _ := x.up.w.Shape(); rows == 2*c.FeedForward { // gate and up in one, as phi3 has them
			x.gateUp, x.up = x.up, linear{}
		} else if rows != c.FeedForward {
			l.fail("tensor %q has %d rows, want %d", p+"ffn_up.weight", rows, c.FeedForward)
		}
	}
	return x
}

// experts reads the weights of a mixture: tensors of three dimensions, the first of which is the
// expert.
func (l *loader) experts(x *layer, p string, c Config) {
	x.router = l.linear(p+"ffn_gate_inp", c.Experts, c.Embedding, true)
	x.experts = make([]expert, c.Experts)
	stack := func(name string, at func(*expert) *linear) {
		t, ok := l.find(p + name + ".weight")
		if !ok || len(t.shape) != 3 || t.shape[0] != c.Experts {
			l.fail("tensor %q with a first dimension of %d experts is missing", p+name+".weight", c.Experts)
			return
		}
		size := len(t.bytes) / c.Experts
		for i := range x.experts {
			at(&x.experts[i]).w = l.packed(t, t.shape[1:], 0, 0, i*size, (i+1)*size)
		}
	}
	stack("ffn_gate_exps", func(e *expert) *linear { return &e.gate })
	stack("ffn_up_exps", func(e *expert) *linear { return &e.up })
	stack("ffn_down_exps", func(e *expert) *linear { return &e.down })
	if gate := l.linear(p+"ffn_gate_shexp", 0, c.Embedding, false); gate.w != nil {
		x.shared = &expert{gate: gate, up: l.linear(p+"ffn_up_shexp", 0, c.Embedding, true),
			down: l.linear(p+"ffn_down_shexp", c.Embedding, 0, true)}
		if t, ok := l.find(p + "ffn_gate_inp_shexp.weight"); ok {
			x.sharedGate.w = l.packed(t, []int{1, c.Embedding}, 0, 0, 0, len(t.bytes))
		}
	}
}

// numbers returns n numbers of a tensor of float32.
func (l *loader) numbers(x stored, n int) []float32 {
	if x.format != tensor.PackedF32 || len(x.bytes) != 4*n {
		l.fail("tensor %q has type %s and shape %v, want f32 and [%d]", x.name, x.kind, x.shape, n)
		return nil
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(x.bytes[4*i:]))
	}
	return list
}

package tensor

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// GroupedAttention is attention as language models have it. The zero value is attention of all
// queries to all keys, unscaled.
type GroupedAttention struct {
	Scale   float32 // of the products of queries and keys; 0 stands for 1/sqrt(features)
	Causal  bool    // a query sees no key after its own position
	Start   int     // the position of the first query; that of a key is its index
	Window  int     // a query sees so many positions up to its own; 0: all
	Softcap float32 // scores become softcap*tanh(score/softcap); 0: they do not
	Mask    *Tensor // added to scores after the softcap, broadcast to [batches, heads, queries, keys]; may be nil
	Sinks   *Tensor // Float32, a score for each head that takes part in the sum of weights; may be nil
}

// GroupedAttention computes the attention of queries [batches, heads, queries, features] to keys
// and values [batches, groups, keys, features]: heads/groups consecutive heads share a group. The
// result has the shape and the type of the queries, with the features of the values, at most 512.
// Keys and values may have another floating-point type, such as those of a cache, and all may be
// views with any strides. Numbers are computed in float32; the error is at most 2e-5 of the largest
// value. A query that sees no key gives zeros; NaN gives NaN. The errors are [ErrShape] and
// [ErrType].
func (s *Scope) GroupedAttention(query, key, value *Tensor, a GroupedAttention) *Tensor {
	const op = "grouped attention"
	in := []*Tensor{query, key, value}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	if !query.Type().IsFloat() || !key.Type().IsFloat() || key.Type() != value.Type() {
		return s.fail(op, in, fmt.Errorf("takes floating-point numbers, keys and values of one type: %w", ErrType))
	}
	shape, err := tensorop.GroupedAttentionShape(query.view.Shape, key.view.Shape, value.view.Shape)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	if a.Start < 0 || a.Window < 0 || a.Start > math.MaxInt32-shape[2] {
		return s.fail(op, in,
			fmt.Errorf("start %d and window %d; neither is negative, and positions are below 2^31: %w",
				a.Start, a.Window, ErrShape))
	}
	at := [2]int{} // the indices of mask and sinks among the operands, 0 for none
	for i, t := range []*Tensor{a.Mask, a.Sinks} {
		if t == nil {
			continue
		}
		if f, ok := s.tensors(op, t); !ok {
			return f
		}
		at[i] = len(in)
		in = append(in, t)
	}
	switch {
	case a.Mask != nil && !a.Mask.Type().IsFloat():
		return s.fail(op, in, fmt.Errorf("a mask %v; it is added, and must have floating-point numbers: %w", a.Mask,
			ErrType))
	case a.Sinks != nil && a.Sinks.Type() != Float32:
		return s.fail(op, in, fmt.Errorf("sinks %v; they must be float32: %w", a.Sinks, ErrType))
	}
	o := tensorop.GroupedAttention{Scale: a.Scale, Causal: a.Causal, Start: a.Start, Window: min(a.Window,
		math.MaxInt32),
		Softcap: a.Softcap}
	if o.Scale == 0 && query.view.Shape[3] > 0 {
		o.Scale = float32(1 / math.Sqrt(float64(query.view.Shape[3])))
	}
	flops := 2 * float64(tensorop.Elements(shape[:3])) * float64(key.view.Shape[2]) *
		float64(query.view.Shape[3]+value.view.Shape[3])
	return s.one(op, flops, query.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			o := o
			if at[0] > 0 {
				o.Mask = &in[at[0]]
			}
			if at[1] > 0 {
				o.Sinks = &in[at[1]]
			}
			b.GroupedAttention(out, in[0], in[1], in[2], o)
		})
}

// Rotary says how rotary position embeddings turn pairs of features: feature pair i by
// position * Base^(-2i/Features) radians.
type Rotary struct {
	Features int     // that are turned, the first ones: even
	NeoX     bool    // pairs are i and i+Features/2, as in GPT-NeoX; otherwise 2i and 2i+1
	Base     float64 // 0 stands for 10000
	Scale    float64 // of positions, for linear scaling; 0 stands for 1
	// Factors divide the frequencies, one for each pair; nil for none. Llama 3 and LongRoPE have
	// them.
	Factors []float32
	YaRN    *YaRN // nil for none
	// Magnitude multiplies the turned features; 0 stands for 1.
	Magnitude float64
}

// YaRN is the scaling of https://arxiv.org/abs/2309.00071, as llama.cpp has it: pairs that make
// many turns in the original context keep their frequency, those that make few have it multiplied
// with Rotary.Scale, and others are between. Features are multiplied with Attention * (1 +
// ln(1/Scale)/10).
type YaRN struct {
	Context            int     // the original number of positions
	BetaFast, BetaSlow float64 // turns in it; 0 stand for 32 and 1
	Attention          float64 // 0 stands for 1
	Extrapolation      float64 // how much of the mix is used; 0 stands for 1
}

// frequencies returns how many turns each pair makes a position, and the magnitude of the result.
func (r Rotary) frequencies() (turns []float64, magnitude float64, err error) {
	base, scale, magnitude := r.Base, r.Scale, r.Magnitude
	for _, d := range []struct {
		at    *float64
		value float64
	}{{&base, 10000}, {&scale, 1}, {&magnitude, 1}} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
	n := r.Features / 2
	switch {
	case r.Features <= 0 || r.Features%2 != 0:
		return nil, 0, fmt.Errorf("%d features are turned, want an even number: %w", r.Features, ErrShape)
	case !(base > 0) || !(scale > 0):
		return nil, 0, fmt.Errorf("base %g and scale %g, want positive numbers: %w", base, scale, ErrShape)
	case r.Factors != nil && len(r.Factors) != n:
		return nil, 0, fmt.Errorf("%d factors for %d pairs: %w", len(r.Factors), n, ErrShape)
	case r.YaRN != nil && (base == 1 || r.YaRN.Context <= 0):
		return nil, 0,
			fmt.Errorf("YaRN with a base of %g and a context of %d positions, want another base than 1, and "+
				"positions: %w", base, r.YaRN.Context, ErrShape)
	}
	for _, f := range r.Factors {
		if !(f > 0) {
			return nil, 0, fmt.Errorf("a factor of %g, want positive ones: %w", f, ErrShape)
		}
	}
	turns = make([]float64, n)
	var low, high, mix float64
	if y := r.YaRN; y != nil {
		fast, slow, mixes, attention := y.BetaFast, y.BetaSlow, y.Extrapolation, y.Attention
		if fast == 0 {
			fast = 32
		}
		if slow == 0 {
			slow = 1
		}
		if mixes == 0 {
			mixes = 1
		}
		if attention == 0 {
			attention = 1
		}
		// The pair that makes so many turns in the original context.
		pair := func(turns float64) float64 {
			return float64(r.Features) * math.Log(float64(y.Context)/(turns*2*math.Pi)) / (2 * math.Log(base))
		}
		low = max(0, math.Floor(pair(fast)))
		high = min(float64(r.Features-1), math.Ceil(pair(slow)))
		mix = mixes
		magnitude *= attention * (1 + 0.1*math.Log(1/scale))
	}
	for i := range turns {
		f := math.Pow(base, -2*float64(i)/float64(r.Features))
		if r.Factors != nil {
			f /= float64(r.Factors[i])
		}
		scaled := f * scale
		if mix > 0 {
			ramp := 1 - min(1, max(0, (float64(i)-low)/max(0.001, high-low)))
			scaled = scaled*(1-ramp*mix) + f*ramp*mix
		}
		turns[i] = scaled / (2 * math.Pi)
	}
	return turns, magnitude, nil
}

// RotaryTable is a [Rotary] with its frequencies in device memory.
type RotaryTable struct {
	rotary    Rotary
	table     *Tensor
	magnitude float32
}

// RotaryTable makes the table that [Scope.Rope] needs. It belongs to the scope. If it fails, so
// does Rope, with the scope's error: [ErrShape] for numbers that make no table.
func (s *Scope) RotaryTable(r Rotary) *RotaryTable {
	if f, ok := s.begin("rope"); !ok {
		return &RotaryTable{table: f}
	}
	turns, magnitude, err := r.frequencies()
	if err != nil {
		return &RotaryTable{table: s.fail("rope", nil, err)}
	}
	data := make([]float32, 0, 2*len(turns))
	for _, t := range turns {
		high := float32(t)
		data = append(data, high, float32(t-float64(high)))
	}
	return &RotaryTable{rotary: r, table: Of(s, data, len(turns), 2), magnitude: float32(magnitude)}
}

// Rope turns features by rotary position embeddings. x is [batches, rows, heads, features] and has
// floating-point numbers; positions are integers of shape [rows] or [batches, rows]. The result has
// the shape and the type of x. Up to position 2^24 the error does not grow with the position: for
// float32 it is below 1e-6 of the largest feature. The errors are [ErrShape] and [ErrType].
func (s *Scope) Rope(x, positions *Tensor, r *RotaryTable) *Tensor {
	const op = "rope"
	if f, ok := s.begin(op); !ok {
		return f
	}
	if r == nil || r.table == nil {
		return s.fail(op, []*Tensor{x}, fmt.Errorf("no table: %w", compute.ErrNil))
	}
	in := []*Tensor{x, positions, r.table}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	if !x.Type().IsFloat() || !positions.Type().IsInteger() {
		return s.fail(op, in, fmt.Errorf("takes floating-point numbers at integer positions: %w", ErrType))
	}
	if x.Rank() != 4 || r.rotary.Features > x.view.Shape[3] {
		return s.fail(op, in, fmt.Errorf("turns %d features of [batches, rows, heads, features]: %w", r.rotary.Features,
			ErrShape))
	}
	if _, err := positions.view.Broadcast(x.view.Shape[:2]...); err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 4*float64(x.Len()), x.Type(), x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Rope(out, in[0], in[1], in[2], r.rotary.NeoX, r.magnitude)
		})
}

// SwiGLU computes silu(gate) * up, the gated activation of llama-like models, for floating-point
// tensors of one type, whose shapes are broadcast as those of [Scope.Mul] are.
func (s *Scope) SwiGLU(gate, up *Tensor) *Tensor { return s.gated("swiglu", "silu", gate, up) }

// GeGLU is [Scope.SwiGLU] with [Scope.GELUTanh] in place of silu, as gemma has it.
func (s *Scope) GeGLU(gate, up *Tensor) *Tensor { return s.gated("geglu", "gelu_tanh", gate, up) }

// gated computes activation(gate) * up in one pass, with the bits of two.
func (s *Scope) gated(op, activation string, gate, up *Tensor) *Tensor {
	in := []*Tensor{gate, up}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	shape, err := tensorop.BroadcastShapes(op, gate.view.Shape, up.view.Shape)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	typ := gate.view.Type
	return s.one(op, 2*float64(tensorop.Elements(shape)), gate.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Map(out, in, tensorop.Instr{Op: activation, Type: typ, Args: []int{0}},
				tensorop.Instr{Op: "mul", Type: typ, Args: []int{2, 1}})
		})
}

// Sampling chooses a token by its probability. The zero value chooses the likeliest one.
type Sampling struct {
	Temperature float64 // divides logits; 0 chooses the greatest, of equal ones the first
	TopK        int     // only so many of the likeliest tokens; 0: all
	TopP        float64 // of these the likeliest that have this probability together; 0: all
	MinP        float64 // of these those with this part of the likeliest one's probability; 0: all
}

// Sample chooses a token for each row of logits, [rows, vocabulary] of a floating-point type, by a
// random number from 0 to 1 for each row, a Float32, which may be nil at temperature 0. Of the
// tokens that the sampling leaves, it takes the first whose cumulative probability, the likeliest
// first and of equal ones that with the lower number, exceeds the random number; if none does, it
// takes the last one that has a probability. The result is an Int32 of shape [rows]. NaN among the
// logits gives some token of the vocabulary. The errors are [ErrShape] for shapes and numbers that
// make no sense, and [ErrType].
func (s *Scope) Sample(logits, random *Tensor, o Sampling) *Tensor {
	const op = "sample"
	in := []*Tensor{logits}
	if random != nil || o.Temperature != 0 {
		in = append(in, random)
	}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	switch {
	case !logits.Type().IsFloat():
		return s.fail(op, in, fmt.Errorf("takes floating-point numbers: %w", ErrType))
	case logits.Rank() != 2 || logits.view.Shape[1] == 0:
		return s.fail(op, in, fmt.Errorf("takes logits of shape [rows, vocabulary]: %w", ErrShape))
	case !(o.Temperature >= 0) || o.TopK < 0 || !(o.TopP >= 0) || !(o.MinP >= 0) || o.MinP > 1:
		return s.fail(op, in,
			fmt.Errorf("temperature %g, top-k %d, top-p %g, min-p %g; none is negative, and min-p is at "+
				"most 1: %w", o.Temperature, o.TopK, o.TopP, o.MinP, ErrShape))
	}
	if float32(o.Temperature) == 0 { // or so small that it would be 0
		return s.ArgMax(logits, 1)
	}
	rows, n := logits.view.Shape[0], logits.view.Shape[1]
	if random.Type() != Float32 || random.Rank() != 1 || random.Len() != rows {
		return s.fail(op, in, fmt.Errorf("takes a Float32 of %d random numbers and not %v: %w", rows, random, ErrShape))
	}
	var sorted, ids *Tensor
	if o.TopK > 0 && o.TopK < n {
		sorted, ids = s.TopK(logits, 1, o.TopK)
	} else {
		ids = s.ArgSort(logits, 1, true)
		sorted = s.TakeAlong(logits, ids, 1)
	}
	if o.TopP == 0 {
		o.TopP = 1
	}
	in = []*Tensor{sorted, ids, random}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	return s.one(op, 0, Int32, []int{rows}, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Sample(out, in[0], in[1], in[2], tensorop.Sampling{Temperature: float32(o.Temperature),
				TopP: float32(o.TopP),
				MinP: float32(o.MinP)})
		})
}

// PenalizeRepetition returns logits, [rows, vocabulary], in which those of the given tokens, an
// integer tensor of one dimension, are divided by a penalty if they are positive, and multiplied
// with it otherwise.
func (s *Scope) PenalizeRepetition(logits, tokens *Tensor, penalty float64) *Tensor {
	const op = "penalize repetition"
	in := []*Tensor{logits, tokens}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	if logits.Rank() != 2 || tokens.Rank() != 1 || !(penalty > 0) {
		return s.fail(op, in, fmt.Errorf("takes [rows, vocabulary], [tokens], and a positive penalty and not %g: %w",
			penalty,
			ErrShape))
	}
	if tokens.Len() == 0 {
		return logits
	}
	x := s.Gather(logits, tokens, 1)
	y := s.Where(s.Greater(x, Scalar(0)), s.Div(x, Scalar(penalty)), s.Mul(x, Scalar(penalty)))
	return s.Scatter(logits, tokens, y, 1, "set")
}

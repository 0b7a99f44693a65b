package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attentionCase is a call of GroupedAttention with operands of the host.
type attentionCase struct {
	batches, heads, groups, queries, keys, depth, width int
	kv                                                  tensor.Type
	o                                                   tensor.GroupedAttention
	mask                                                []int // its shape; nil for none
	sinks                                               bool
}

// attentionReference computes attention in float64, with whole matrices of scores.
func attentionReference(c attentionCase, q, k, v, mask array, sinks []float64) (y []float64) {
	scale := float64(c.o.Scale)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(c.depth))
	}
	maskAt := func(index ...int) float64 {
		if c.mask == nil {
			return 0
		}
		index = index[4-len(c.mask):]
		for d, n := range c.mask {
			index[d] = min(index[d], n-1)
		}
		return mask.at(index)
	}
	each([]int{c.batches, c.heads, c.queries}, func(at []int) {
		b, h, t := at[0], at[1], at[2]
		g, i := h*c.groups/c.heads, c.o.Start+t
		weights, total := make([]float64, c.keys), 0.0
		for j := range c.keys {
			if c.o.Causal && j > i || c.o.Window > 0 && i-j >= c.o.Window {
				continue
			}
			var score float64
			for e := range c.depth {
				score += q.at([]int{b, h, t, e}) * k.at([]int{b, g, j, e})
			}
			if score *= scale; c.o.Softcap > 0 {
				score = float64(c.o.Softcap) * math.Tanh(score/float64(c.o.Softcap))
			}
			weights[j] = math.Exp(score + maskAt(b, h, t, j))
			total += weights[j]
		}
		if sinks != nil && total > 0 {
			total += math.Exp(sinks[h])
		}
		for e := range c.width {
			var sum float64
			for j, w := range weights {
				if w > 0 {
					sum += w / total * v.at([]int{b, g, j, e})
				}
			}
			y = append(y, sum)
		}
	})
	return y
}

// TestGroupedAttention compares attention with the reference. Keys and values are slices of a
// longer cache, and queries a view of [batches, queries, heads, features].
func TestGroupedAttention(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	r := rand.New(rand.NewPCG(15, 16))
	f32, f16, bf16 := tensor.Float32, tensor.Float16, tensor.BFloat16
	for i, c := range []attentionCase{
		{1, 1, 1, 1, 1, 1, 1, f32, tensor.GroupedAttention{}, nil, false},
		{2, 4, 2, 5, 33, 8, 8, f32, tensor.GroupedAttention{Causal: true, Start: 28}, nil, false},
		{1, 6, 2, 40, 40, 64, 64, f16, tensor.GroupedAttention{Causal: true}, nil, false},
		{1, 2, 1, 3, 100, 512, 512, f32, tensor.GroupedAttention{Scale: 0.03}, nil, false},
		{1, 8, 1, 7, 70, 20, 33, bf16, tensor.GroupedAttention{Causal: true, Start: 63, Window: 9}, nil, true},
		{2, 3, 3, 4, 65, 16, 40, f32, tensor.GroupedAttention{Softcap: 1.5}, []int{4, 65}, false},
		{2, 4, 4, 4, 31, 16, 1, f32, tensor.GroupedAttention{Causal: true, Start: 20}, []int{2, 1, 1, 31}, true},
		{2, 4, 4, 2, 32, 3, 7, f16, tensor.GroupedAttention{Window: 6, Start: 8}, []int{4, 1, 32}, false},
		{1, 2, 2, 5, 12, 4, 4, f32, tensor.GroupedAttention{Window: 3, Start: 10}, nil, false}, // the last see no key
		{1, 2, 2, 5, 12, 4, 4, f32, tensor.GroupedAttention{Window: 1, Causal: true, Start: 11}, nil, true},
		{1, 2, 1, 1, 64, 128, 128, f32, tensor.GroupedAttention{Causal: true, Start: 63}, []int{64}, false},
		{1, 2, 1, 2, 10, 4, 4, f32, tensor.GroupedAttention{Causal: true, Start: 1 << 30, Window: 1<<30 - 4}, nil, false},
		{1, 2, 1, 2, 10, 4, 4, f32, tensor.GroupedAttention{Causal: true, Start: 3, Window: math.MaxInt}, nil, false},
	} {
		q, k, v := normalArray(r, c.batches, c.queries, c.heads, c.depth),
			normalArray(r, c.batches, c.groups, c.keys+3, c.depth), normalArray(r, c.batches, c.groups, c.keys+3, c.width)
		qt, kt, vt := q.of(s, f32).Transpose(0, 2, 1, 3), k.of(s, c.kv).Slice(2, 2, 2+c.keys),
			v.of(s, c.kv).Slice(2, 2, 2+c.keys)
		for a, x := range map[*array]*tensor.Tensor{&q: qt, &k: kt, &v: vt} {
			*a = array{x.Shape(), values(t, s.Contiguous(x))}
		}
		var mask array
		if c.mask != nil {
			mask = normalArray(r, c.mask...)
			for i := range mask.data {
				if r.IntN(4) == 0 {
					mask.data[i] = math.Inf(-1)
				}
			}
			c.o.Mask = mask.of(s, f32)
		}
		var sinks []float64
		if c.sinks {
			sinks = normalArray(r, c.heads).data
			c.o.Sinks = tensor.FromFloat64(s, f32, sinks)
			sinks = values(t, c.o.Sinks)
		}
		y := s.GroupedAttention(qt, kt, vt, c.o)
		require.NoError(t, s.Err(), "%d", i)
		assert.Equal(t, []int{c.batches, c.heads, c.queries, c.width}, y.Shape())
		within(t, attentionReference(c, q, k, v, mask, sinks), values(t, y), 2e-5, "attention")
	}
}

func normalArray(r *rand.Rand, shape ...int) array {
	n := 1
	for _, d := range shape {
		n *= d
	}
	a := array{shape: shape, data: normals(r, n)}
	for i, x := range a.data {
		a.data[i] = float64(float32(x))
	}
	return a
}

// TestGroupedAttentionEdges: masks that leave no key, sinks alone, NaN and scores far apart.
func TestGroupedAttentionEdges(t *testing.T) {
	_, s := open(t)
	ones := func(shape ...int) *tensor.Tensor { return s.Full(tensor.Float32, 1, shape...) }
	attend := func(q *tensor.Tensor, o tensor.GroupedAttention) []float64 {
		y := values(t, s.GroupedAttention(q, ones(1, 1, 40, 2), ones(1, 1, 40, 3), o))
		require.NoError(t, s.Err())
		return y
	}
	q := ones(1, 1, 1, 2)
	none := s.Full(tensor.Float32, math.Inf(-1), 40)
	assert.Equal(t, []float64{0, 0, 0}, attend(q, tensor.GroupedAttention{Mask: none}), "the mask leaves no key")
	assert.Equal(t, []float64{0, 0, 0}, attend(q, tensor.GroupedAttention{Mask: none, Sinks: ones(1)}))
	assert.Equal(t, []float64{1, 1, 1}, attend(q, tensor.GroupedAttention{Sinks: s.Full(tensor.Float32, math.Inf(-1),
		1)}))
	for _, y := range attend(s.Full(tensor.Float32, math.NaN(), 1, 1, 1, 2), tensor.GroupedAttention{}) {
		assert.True(t, math.IsNaN(y), "NaN does not become a number")
	}
	far := values(t, s.GroupedAttention(s.Full(tensor.Float32, 1e4, 1, 1, 1, 2), tensor.Of(s, []float32{-1, -1, 1, 1},
		1, 1, 2, 2),
		tensor.Of(s, []float32{5, 7}, 1, 1, 2, 1), tensor.GroupedAttention{}))
	assert.Equal(t, []float64{7}, far)
	empty := s.GroupedAttention(q, ones(1, 1, 0, 2), ones(1, 1, 0, 3), tensor.GroupedAttention{Causal: true})
	assert.Equal(t, []float64{0, 0, 0}, values(t, empty), "no keys")
	assert.Empty(t, values(t, s.GroupedAttention(ones(1, 2, 0, 2), ones(1, 1, 4, 2), ones(1, 1, 4, 3),
		tensor.GroupedAttention{})))
	assert.Empty(t, values(t, s.GroupedAttention(ones(0, 2, 1, 2), ones(0, 1, 4, 2), ones(0, 1, 4, 3),
		tensor.GroupedAttention{})))
	flat := s.GroupedAttention(ones(1, 1, 1, 0), ones(1, 1, 4, 0), tensor.Of(s, []float32{1, 2, 3, 6}, 1, 1, 4, 1),
		tensor.GroupedAttention{})
	assert.Equal(t, []float64{3}, values(t, flat), "without features all keys have one weight")
	require.NoError(t, s.Err())
}

// ropeReference turns x, [batches, rows, heads, features], in float64.
func ropeReference(x array, positions []int64, r tensor.Rotary) []float64 {
	base, scale, magnitude := r.Base, r.Scale, 1.0
	if base == 0 {
		base = 10000
	}
	if scale == 0 {
		scale = 1
	}
	n := r.Features / 2
	frequency := make([]float64, n)
	for i := range frequency {
		f := math.Pow(base, -float64(2*i)/float64(r.Features))
		if r.Factors != nil {
			f /= float64(r.Factors[i])
		}
		frequency[i] = f * scale
		if y := r.YaRN; y != nil {
			// Section 3.2 of the paper, with the ramp over whole pairs that implementations have.
			at := func(turns float64) float64 {
				return float64(r.Features) * math.Log(float64(y.Context)/(2*math.Pi*turns)) / 2 / math.Log(base)
			}
			low, high := max(0, math.Floor(at(32))), min(float64(r.Features-1), math.Ceil(at(1)))
			gamma := min(1, max(0, (float64(i)-low)/max(0.001, high-low)))
			frequency[i] = gamma*f*scale + (1-gamma)*f
			magnitude = 1 + 0.1*math.Log(1/scale)
		}
	}
	out := append([]float64(nil), x.data...)
	rows, heads, d := x.shape[1], x.shape[2], x.shape[3]
	for b := range x.shape[0] {
		for t := range rows {
			at := float64(positions[(b*rows+t)%len(positions)])
			for h := range heads {
				o := ((b*rows+t)*heads + h) * d
				for i, f := range frequency {
					p, q := o+2*i, o+2*i+1
					if r.NeoX {
						p, q = o+i, o+n+i
					}
					sin, cos := math.Sincos(at * f)
					out[p] = (x.data[p]*cos - x.data[q]*sin) * magnitude
					out[q] = (x.data[p]*sin + x.data[q]*cos) * magnitude
				}
			}
		}
	}
	return out
}

// TestRope compares rotary embeddings with the reference, at positions near and far.
func TestRope(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(17, 18))
	positions := []int64{0, 1, 2, 17, 4095, 8191, 131071, 1e6}
	factors := make([]float32, 8)
	for i := range factors {
		factors[i] = 1 + float32(i)*0.7
	}
	for _, r := range []tensor.Rotary{
		{Features: 16}, {Features: 16, NeoX: true}, {Features: 10}, {Features: 10, NeoX: true}, {Features: 2},
		{Features: 16, Base: 500000, Scale: 0.25}, {Features: 16, Factors: factors, NeoX: true},
		{Features: 16, Scale: 1. / 16, YaRN: &tensor.YaRN{Context: 4096}},
		{Features: 16, Scale: 1. / 4, NeoX: true, Base: 1e6, Factors: factors, YaRN: &tensor.YaRN{Context: 32768}},
	} {
		x := normalArray(rng, 2, 8, 3, 16)
		table := s.RotaryTable(r)
		want := ropeReference(x, positions, r)
		for _, p := range []*tensor.Tensor{tensor.Of(s, positions), s.Cast(tensor.Of(s, positions), tensor.Int32),
			s.Cast(tensor.Of(s, positions), tensor.Uint32).Reshape(1, 8)} {
			y := s.Rope(x.of(s, tensor.Float32), p, table)
			require.NoError(t, s.Err())
			within(t, want, values(t, y), 1e-6, "rope")
		}
		view := s.Contiguous(x.of(s, tensor.Float32).Transpose(0, 2, 1, 3)).Transpose(0, 2, 1, 3)
		within(t, want, values(t, s.Rope(view, tensor.Of(s, positions), table)), 1e-6, "rope of a view")
		half := s.Rope(s.Cast(view, tensor.Float16), tensor.Of(s, positions), table)
		assert.Equal(t, tensor.Float16, half.Type())
		within(t, want, values(t, half), 2e-3, "rope of float16")
		two := append(append([]int64(nil), positions...), 9, 8, 7, 6, 5, 4, 3, -2)
		within(t, ropeReference(x, two, r), values(t, s.Rope(view, tensor.Of(s, two, 2, 8), table)), 1e-6, "two batches")
	}
	require.NoError(t, s.Err())
}

// TestSwiGLU compares the gated activation with float64.
func TestSwiGLU(t *testing.T) {
	_, s := open(t)
	gate, up := []float64{-90, -3, -0.5, 0, 0.5, 3, 90}, []float64{1, 2, -3, 4, 5, -6, 7}
	want := make([]float64, len(gate))
	for i, g := range gate {
		want[i] = g / (1 + math.Exp(-g)) * up[i]
	}
	y := s.SwiGLU(tensor.FromFloat64(s, tensor.Float32, gate), tensor.FromFloat64(s, tensor.Float32, up))
	within(t, want, values(t, y), 1e-6, "swiglu")
}

// sampleReference chooses a token in float64.
func sampleReference(logits []float64, o tensor.Sampling, u float64) int32 {
	type token struct {
		id     int
		weight float64
	}
	var all []token
	best := math.Inf(-1)
	for _, x := range logits {
		best = max(best, x)
	}
	for i, x := range logits {
		all = append(all, token{i, math.Exp((x - best) / o.Temperature)})
	}
	for i := range all { // insertion sort: equal ones stay in order
		for j := i; j > 0 && all[j].weight > all[j-1].weight; j-- {
			all[j], all[j-1] = all[j-1], all[j]
		}
	}
	if o.TopK > 0 && o.TopK < len(all) {
		all = all[:o.TopK]
	}
	sum := func() (total float64) {
		for _, x := range all {
			total += x.weight
		}
		return total
	}
	if o.TopP > 0 && o.TopP < 1 {
		want, so := o.TopP*sum(), 0.0
		for i, x := range all {
			if so += x.weight; so >= want {
				all = all[:i+1]
				break
			}
		}
	}
	for i, x := range all {
		if x.weight < o.MinP {
			all = all[:i]
			break
		}
	}
	want, so := u*sum(), 0.0
	last := 0
	for i, x := range all {
		if x.weight > 1e-45 { // of float32
			last = i
		}
		if so += x.weight; so > want {
			return int32(x.id)
		}
	}
	return int32(all[last].id)
}

// TestSample compares the tokens chosen with the reference, for random numbers all over.
func TestSample(t *testing.T) {
	_, s := open(t)
	rng := rand.New(rand.NewPCG(19, 20))
	const rows, n = 40, 300
	logits := make([]float64, n)
	for i := range logits {
		logits[i] = float64(float32(rng.NormFloat64() * 3))
	}
	logits[7], logits[100] = logits[250], logits[250] // ties
	for i := 30; i < 40; i++ {
		logits[i] = math.Inf(-1)
	}
	random := make([]float32, rows)
	for i := range random {
		random[i] = rng.Float32()
	}
	random[0], random[1], random[2] = 0, math.Nextafter32(1, 0), 1
	x := s.Contiguous(tensor.FromFloat64(s, tensor.Float32, logits).Reshape(1, n).Broadcast(rows, n))
	for _, o := range []tensor.Sampling{{Temperature: 1}, {Temperature: 0.2}, {Temperature: 5}, {Temperature: 1,
		TopK: 1},
		{Temperature: 1, TopK: 20}, {Temperature: 1, TopK: 1000}, {Temperature: 1, TopP: 0.7}, {Temperature: 1, TopP: 1e-9},
		{Temperature: 1, TopP: 1}, {Temperature: 1, MinP: 0.1}, {Temperature: 2, MinP: 1},
		{Temperature: 1.5, TopK: 50, TopP: 0.8, MinP: 0.05}, {Temperature: 1e-3}, {Temperature: 1e9}} {
		ids, err := tensor.Data[int32](t.Context(), s.Sample(x, tensor.Of(s, random), o))
		require.NoError(t, err)
		for row, id := range ids {
			assert.Equal(t, sampleReference(logits, o, float64(random[row])), id, "%+v, %g", o, random[row])
		}
	}
	greedy, err := tensor.Data[int32](t.Context(), s.Sample(tensor.Of(s, []float32{1, 3, 3, 2}, 1, 4), nil,
		tensor.Sampling{}))
	require.NoError(t, err)
	assert.Equal(t, []int32{1}, greedy, "the first of equal ones")
}

// TestSampleSpecial: equal logits, infinities and NaN, at all random numbers.
func TestSampleSpecial(t *testing.T) {
	_, s := open(t)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		logits []float32
		u      float32
		o      tensor.Sampling
		want   int32 // -1: any
	}{
		{[]float32{2, 2, 2, 2}, 0, tensor.Sampling{Temperature: 1}, 0},
		{[]float32{2, 2, 2, 2}, 0.25, tensor.Sampling{Temperature: 1}, 1},
		{[]float32{2, 2, 2, 2}, 0.99, tensor.Sampling{Temperature: 1}, 3},
		{[]float32{2, 2, 2, 2}, 0.99, tensor.Sampling{Temperature: 1, TopK: 2}, 1},
		{[]float32{2, 2, 2, 2}, 0.99, tensor.Sampling{Temperature: 1, TopP: 0.5}, 1},
		{[]float32{-inf, 1, -inf, 0}, 1, tensor.Sampling{Temperature: 1}, 3},
		{[]float32{-inf, 1, -inf, 0}, 0.99999, tensor.Sampling{Temperature: 1}, 3},
		{[]float32{-inf, -inf, 5, -inf}, 1, tensor.Sampling{Temperature: 1}, 2},
		{[]float32{0, inf, 0, 0}, 1, tensor.Sampling{Temperature: 1}, 1},
		{[]float32{0, inf, 0, inf}, 0.7, tensor.Sampling{Temperature: 1}, 3},
		{[]float32{-inf, -inf}, 0.4, tensor.Sampling{Temperature: 1}, 0},
		{[]float32{1, 2, 3}, 0.9, tensor.Sampling{Temperature: 1e-60}, 2},
		{[]float32{1, 2, 3}, 0.9, tensor.Sampling{Temperature: 1e-44}, 2},
		{[]float32{7}, 1, tensor.Sampling{Temperature: 1}, 0},
		{[]float32{nan, nan, nan}, 0.5, tensor.Sampling{Temperature: 1}, -1},
		{[]float32{1, nan, 3}, 0.5, tensor.Sampling{Temperature: 1, TopP: 0.5, MinP: 0.5}, -1},
		{[]float32{1, nan, 3}, nan, tensor.Sampling{Temperature: 1, TopK: 2}, -1},
		{[]float32{1, nan, 3}, 0, tensor.Sampling{}, -1},
		{[]float32{nan, nan}, 0, tensor.Sampling{}, -1},
		{[]float32{-inf, -inf}, 0, tensor.Sampling{}, 0},
		{[]float32{1, 2}, 7, tensor.Sampling{Temperature: 1}, 0}, // above 1 is as 1
		{[]float32{1, 2}, -7, tensor.Sampling{Temperature: 1}, 1},
	} {
		ids, err := tensor.Data[int32](t.Context(), s.Sample(tensor.Of(s, c.logits, 1, len(c.logits)), tensor.Of(s,
			[]float32{c.u}), c.o))
		require.NoError(t, err)
		require.Len(t, ids, 1)
		assert.GreaterOrEqual(t, ids[0], int32(0), "%+v", c)
		assert.Less(t, ids[0], int32(len(c.logits)), "%+v", c)
		if c.want >= 0 {
			assert.Equal(t, c.want, ids[0], "%+v", c)
		}
	}
	assert.Empty(t, values(t, s.Sample(s.Full(tensor.Float32, 0, 0, 5), s.Full(tensor.Float32, 0, 0),
		tensor.Sampling{Temperature: 1})))
	require.NoError(t, s.Err())
}

// TestLanguageWrong: each error says what is wrong.
func TestLanguageWrong(t *testing.T) {
	e, s := open(t)
	other, err := tensor.New(e.Accelerator())
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(t.Context())) }()
	foreign := other.Scope(t.Context())
	defer foreign.Close()
	x := func(shape ...int) *tensor.Tensor { return s.Full(tensor.Float32, 1, shape...) }
	q, ids, at := x(1, 2, 3, 4), s.Full(tensor.Int32, 1, 3), s.Full(tensor.Int32, 1, 2)
	alien := foreign.Full(tensor.Float32, 1, 1, 2, 3, 4)
	closed := x(1, 2, 3, 4)
	closed.Close()
	type scope = tensor.Scope
	type result = tensor.Tensor
	type attention = tensor.GroupedAttention
	table := s.RotaryTable(tensor.Rotary{Features: 4})
	for _, c := range []struct {
		do   func(s *scope) *result
		kind error
		text string
	}{
		{func(s *scope) *result { return s.GroupedAttention(x(2, 3, 4), q, q, attention{}) }, tensor.ErrShape,
			"four dimensions"},
		{func(s *scope) *result { return s.GroupedAttention(q, x(2, 2, 3, 4), x(2, 2, 3, 4), attention{}) },
			tensor.ErrShape,
			"batches and features"},
		{func(s *scope) *result { return s.GroupedAttention(q, x(1, 2, 3, 5), q, attention{}) }, tensor.ErrShape,
			"features"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, x(1, 2, 4, 4), attention{}) }, tensor.ErrShape,
			"one shape"},
		{func(s *scope) *result { return s.GroupedAttention(x(1, 3, 3, 4), q, q, attention{}) }, tensor.ErrShape,
			"multiple"},
		{func(s *scope) *result { return s.GroupedAttention(q, x(1, 0, 3, 4), x(1, 0, 3, 4), attention{}) },
			tensor.ErrShape,
			"0 groups"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, x(1, 2, 3, 513), attention{}) }, tensor.ErrShape,
			"limit is 512"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, s.Cast(q, tensor.Float16), attention{}) }, tensor.ErrType,
			"one type"},
		{func(s *scope) *result { return s.GroupedAttention(s.Cast(q, tensor.Int32), q, q, attention{}) }, tensor.ErrType,
			"floating-point"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Start: -1}) }, tensor.ErrShape, "start -1"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Start: math.MaxInt32}) }, tensor.ErrShape,
			"start"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Start: 1 << 40}) }, tensor.ErrShape,
			"start"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Window: -1}) }, tensor.ErrShape,
			"window -1"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Mask: x(5)}) }, tensor.ErrShape, "mask"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Mask: ids}) }, tensor.ErrType, "mask"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Mask: alien}) }, tensor.ErrEngine,
			"another engine"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Sinks: x(3)}) }, tensor.ErrShape, "sinks"},
		{func(s *scope) *result {
			return s.GroupedAttention(q, q, q, attention{Sinks: s.Full(tensor.Float16, 1, 2)})
		},
			tensor.ErrType, "sinks"},
		{func(s *scope) *result { return s.GroupedAttention(alien, q, q, attention{}) }, tensor.ErrEngine,
			"another engine"},
		{func(s *scope) *result { return s.GroupedAttention(q, closed, q, attention{}) }, compute.ErrClosed, "closed"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, nil, attention{}) }, compute.ErrNil, "no tensor"},
		{func(s *scope) *result { return s.GroupedAttention(q, q, q, attention{Sinks: &tensor.Tensor{}}) }, compute.ErrNil,
			"no tensor"},
		{func(s *scope) *result { return s.Rope(q, at, nil) }, compute.ErrNil, "no table"},
		{func(s *scope) *result { return s.Rope(q, at, &tensor.RotaryTable{}) }, compute.ErrNil, "no table"},
		{func(s *scope) *result { return s.Rope(q, x(2), table) }, tensor.ErrType, "integer positions"},
		{func(s *scope) *result { return s.Rope(q, ids, table) }, tensor.ErrShape, "broadcast"},
		{func(s *scope) *result { return s.Rope(x(2, 3, 4), ids, table) }, tensor.ErrShape,
			"[batches, rows, heads, features]"},
		{func(s *scope) *result { return s.Rope(x(1, 3, 1, 3), ids, table) }, tensor.ErrShape, "4 features"},
		{func(s *scope) *result { return s.Rope(nil, ids, table) }, compute.ErrNil, "no tensor"},
		{func(s *scope) *result { return s.Rope(alien, ids, table) }, tensor.ErrEngine, "another engine"},
		{func(s *scope) *result { return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 3})) }, tensor.ErrShape,
			"3 features"},
		{func(s *scope) *result { return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 4, Base: -1})) },
			tensor.ErrShape,
			"base -1"},
		{func(s *scope) *result {
			return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 4, Scale: math.NaN()}))
		},
			tensor.ErrShape, "scale NaN"},
		{func(s *scope) *result {
			return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 4, Factors: []float32{1}}))
		},
			tensor.ErrShape, "1 factors"},
		{func(s *scope) *result {
			return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 4, Factors: []float32{1, 0}}))
		},
			tensor.ErrShape, "factor"},
		{func(s *scope) *result {
			return s.Rope(q, at, s.RotaryTable(tensor.Rotary{Features: 4, YaRN: &tensor.YaRN{}}))
		},
			tensor.ErrShape, "0 positions"},
		{func(s *scope) *result { return s.Sample(x(4), x(1), tensor.Sampling{Temperature: 1}) }, tensor.ErrShape,
			"vocabulary"},
		{func(s *scope) *result { return s.Sample(x(1, 0), x(1), tensor.Sampling{Temperature: 1}) }, tensor.ErrShape,
			"vocabulary"},
		{func(s *scope) *result { return s.Sample(x(1, 4), x(2), tensor.Sampling{Temperature: 1}) }, tensor.ErrShape,
			"random numbers"},
		{func(s *scope) *result { return s.Sample(x(1, 4), nil, tensor.Sampling{Temperature: 1}) }, compute.ErrNil,
			"no tensor"},
		{func(s *scope) *result { return s.Sample(ids.Reshape(1, 3), x(1), tensor.Sampling{Temperature: 1}) },
			tensor.ErrType, "int32"},
		{func(s *scope) *result { return s.Sample(ids.Reshape(1, 3), x(1), tensor.Sampling{}) }, tensor.ErrType, "int32"},
		{func(s *scope) *result { return s.Sample(x(1, 4), x(1), tensor.Sampling{Temperature: -1}) }, tensor.ErrShape,
			"temperature -1"},
		{func(s *scope) *result { return s.Sample(x(1, 4), x(1), tensor.Sampling{Temperature: 1, TopK: -1}) },
			tensor.ErrShape, "top-k -1"},
		{func(s *scope) *result {
			return s.Sample(x(1, 4), x(1), tensor.Sampling{Temperature: 1, TopP: math.NaN()})
		}, tensor.ErrShape,
			"top-p NaN"},
		{func(s *scope) *result { return s.Sample(x(1, 4), x(1), tensor.Sampling{Temperature: 1, MinP: 2}) },
			tensor.ErrShape, "min-p 2"},
		{func(s *scope) *result { return s.SwiGLU(x(2), nil) }, compute.ErrNil, "no tensor"},
	} {
		inner := e.Scope(t.Context())
		y := c.do(inner)
		assert.ErrorIs(t, y.Err(), c.kind, c.text)
		assert.ErrorContains(t, y.Err(), c.text)
		inner.Close()
	}
	var nobody *tensor.Scope
	assert.ErrorIs(t, nobody.Rope(q, ids, nil).Err(), compute.ErrNil)
	assert.NotNil(t, nobody.RotaryTable(tensor.Rotary{}))
	assert.ErrorIs(t, nobody.GroupedAttention(q, q, q, attention{}).Err(), compute.ErrNil)
	assert.ErrorIs(t, nobody.Sample(q, q, tensor.Sampling{}).Err(), compute.ErrNil)
}

// useAttentionSanitized runs the other kernels of language models once.
func useAttentionSanitized(t *testing.T, s *tensor.Scope) {
	t.Helper()
	x := s.Full(tensor.Float32, 1, 1, 4, 3, 40)
	kv := s.Full(tensor.Float16, 1, 1, 2, 37, 40)
	values(t, s.GroupedAttention(x, kv, kv, tensor.GroupedAttention{Causal: true, Start: 34, Window: 33, Softcap: 2,
		Mask: s.Full(tensor.Float32, 0, 3, 37), Sinks: s.Full(tensor.Float32, 0, 4)}))
	values(t, s.GroupedAttention(x, kv, kv.Slice(3, 0, 1), tensor.GroupedAttention{}))
	values(t, s.Rope(x, tensor.Of(s, []int64{0, 1, 2, 8191}), s.RotaryTable(tensor.Rotary{Features: 12})))
	logits := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	u := tensor.Of(s, []float32{0, 1})
	values(t, s.Sample(logits, u, tensor.Sampling{Temperature: 1, TopP: 0.5, MinP: 0.1}))
	values(t, s.Sample(logits, u, tensor.Sampling{Temperature: 1, TopK: 2}))
	rows := s.Full(tensor.Float32, 1, 3, 100)
	kv = s.Full(tensor.Float16, 1, 2, 2, 37, 10)
	caches := tensor.CacheRows{Keys: kv, Values: s.Copy(kv),
		Places: tensor.Of(s, []int32{1, 0, 36, 37, 3, 1, 2, 99, 0, 2, 0, 1}, 3, 4)}
	some := s.Full(tensor.Float32, 1, 3, 4, 10)
	q := s.AppendCache(some, some.Slice(1, 0, 2), some.Slice(1, 1, 3), s.RotaryTable(tensor.Rotary{Features: 6}), caches)
	s.AppendCache(nil, some.Slice(1, 0, 2), some.Slice(1, 1, 3), nil, caches)
	s.CachedAttention(q, tensor.GroupedAttention{Sinks: s.Full(tensor.Float32, 0, 4)}, caches)
	packed := q8Cache(s, true, 2, 2, 37, 64, 96)
	packed.Places = caches.Places
	some = s.Full(tensor.Float32, 1, 3, 4, 96)
	q = s.AppendCache(some.Slice(2, 0, 64), some.Slice(1, 0, 2).Slice(2, 0, 64), some.Slice(1, 1, 3),
		s.RotaryTable(tensor.Rotary{Features: 60}), packed)
	s.AppendCache(nil, some.Slice(1, 0, 2).Slice(2, 0, 64), some.Slice(1, 1, 3), nil, packed)
	values(t, s.CachedAttention(q, tensor.GroupedAttention{}, packed))
	sum, normal := s.AddRMSNorm(rows, rows, rows.Index(0, 0), 1e-5)
	values(t, s.RMSNorm(sum, normal, 1e-5))
	values(t, s.GeGLU(sum, normal))
	require.NoError(t, s.Err())
}

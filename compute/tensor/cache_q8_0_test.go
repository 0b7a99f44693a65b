package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// q8Cache makes a cache of q8_0. Keys lie as in a model, feature by feature, or in the order of
// their dimensions.
func q8Cache(s *tensor.Scope, transposed bool, slots, groups, positions, depth, width int) tensor.CacheRows {
	keys := func(typ tensor.Type, n int) *tensor.Tensor {
		if transposed {
			return s.Full(typ, 0, slots, groups, n, positions).Transpose(0, 1, 3, 2)
		}
		return s.Full(typ, 0, slots, groups, positions, n)
	}
	return tensor.CacheRows{Keys: keys(tensor.Int8, depth), KeyScales: keys(tensor.Float16, depth/32),
		Values:      s.Full(tensor.Int8, 0, slots, groups, positions, width),
		ValueScales: s.Full(tensor.Float16, 0, slots, groups, positions, width/32)}
}

// q8 packs numbers as ggml's quantize_row_q8_0_ref does, and returns the integers, the scales and
// the numbers that they stand for.
func q8(t *testing.T, s *tensor.Scope, x []float64) (integers, scales, back []float64) {
	t.Helper()
	for at := 0; at < len(x); at += 32 {
		var most float32
		for _, v := range x[at : at+32] {
			most = max(most, float32(math.Abs(v)))
		}
		d, by := most/127, float32(0)
		if d != 0 {
			by = 1 / d
		}
		scales = append(scales, float64(d))
		for _, v := range x[at : at+32] {
			integers = append(integers, math.Round(float64(float32(v)*by)))
		}
	}
	scales = values(t, tensor.FromFloat64(s, tensor.Float16, scales, len(scales)))
	for i, n := range integers {
		back = append(back, n*scales[i/32])
	}
	return integers, scales, back
}

// TestQuantizedCache stores and attends to the tokens of three sequences in two caches of q8_0. It
// packs keys and values itself, and compares what is stored with that, number by number, and
// attention with float64. One token at a time must give the same bits.
func TestQuantizedCache(t *testing.T) {
	_, s := open(t)
	const heads, groups, positions, rows = 4, 2, 40, 43
	texts := []cachedText{{0, 1, 0, 36}, {1, 0, 0, 2}, {0, 0, 0, 5}}
	for _, c := range []struct {
		name         string
		typ          tensor.Type
		depth, width int
		transposed   bool
		rope         tensor.Rotary
		a            tensor.GroupedAttention
	}{
		{name: "as in a model", typ: tensor.Float32, depth: 64, width: 64, transposed: true,
			rope: tensor.Rotary{Features: 64, NeoX: true}},
		{name: "in order", typ: tensor.Float32, depth: 32, width: 96, rope: tensor.Rotary{Features: 20, Magnitude: 1.5},
			a: tensor.GroupedAttention{Window: 34, Softcap: 3, Scale: 0.5, Sinks: tensor.Of(s, []float32{1, -1, 0, 2})}},
		{name: "not turned", typ: tensor.Float32, depth: 288, width: 320, transposed: true},
		{name: "float16", typ: tensor.Float16, depth: 64, width: 32, rope: tensor.Rotary{Features: 48}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(c.width)))
			q, kv := heads*c.depth, groups*c.depth
			n := q + kv + groups*c.width
			all := tensor.FromFloat64(s, c.typ, normals(r, rows*n), rows, n).Split(1, q, kv, groups*c.width)
			query, key := all[0].Reshape(rows, heads, c.depth), all[1].Reshape(rows, groups, c.depth)
			value := all[2].Reshape(rows, groups, c.width)
			var table *tensor.RotaryTable
			if c.rope.Features > 0 {
				table = s.RotaryTable(c.rope)
			}
			newCaches := func() (parts [2]tensor.CacheRows) {
				for i := range parts {
					parts[i] = q8Cache(s, c.transposed, 2, groups, positions, c.depth, c.width)
				}
				return parts
			}
			// place returns places that list a token, and one that no cache has.
			place := func(x cachedText, row, i int) []int32 {
				return []int32{int32(row), int32(x.slot), int32(x.used + i), int32(x.used + i + 1), -1, 5, 0, 1}
			}
			parts := newCaches()
			var places [2][]int32
			row := 0
			for _, x := range texts {
				for i := range x.fresh {
					places[x.part] = append(places[x.part], place(x, row+i, i)...)
				}
				row += x.fresh
			}
			require.Equal(t, rows, row)
			for i := range parts {
				parts[i].Places = tensor.Of(s, places[i], len(places[i])/4, 4)
			}
			turned := s.AppendCache(query, key, value, table, parts[:]...)
			got := s.CachedAttention(turned, c.a, parts[:]...)
			require.NoError(t, s.Err())

			one, row := newCaches(), 0
			for n, x := range texts {
				at := make([]int32, x.fresh)
				for i := range at {
					at[i] = int32(i)
				}
				rotated := func(y *tensor.Tensor) *tensor.Tensor {
					y = y.Slice(0, row, row+x.fresh).Unsqueeze(0)
					if table != nil {
						y = s.Rope(y, tensor.Of(s, at), table)
					}
					return y.Squeeze(0)
				}
				queries := rotated(query)
				assert.Equal(t, values(t, queries), values(t, turned.Slice(0, row, row+x.fresh)), "text %d: queries", n)
				part := parts[x.part]
				var back [2][]float64 // [positions, groups, features]
				for i, y := range []struct {
					want, integers, scales *tensor.Tensor
				}{{rotated(key), part.Keys, part.KeyScales},
					{value.Slice(0, row, row+x.fresh), part.Values, part.ValueScales}} {
					stored := func(z *tensor.Tensor) []float64 {
						return values(t, z.Index(0, x.slot).Slice(1, 0, x.fresh).Transpose(1, 0, 2))
					}
					var integers, scales []float64
					integers, scales, back[i] = q8(t, s, values(t, y.want))
					assert.Equal(t, integers, stored(y.integers), "text %d: integers %d", n, i)
					assert.Equal(t, scales, stored(y.scales), "text %d: scales %d", n, i)
				}
				result := values(t, got.Slice(0, row, row+x.fresh))
				if c.typ == tensor.Float32 {
					var sinks []float64
					if c.a.Sinks != nil {
						sinks = values(t, c.a.Sinks)
					}
					want := cachedReference(values(t, queries), back[0], back[1], heads, groups, c.depth, c.width, c.a, sinks)
					worst, most := 0.0, 0.0
					for i, v := range want {
						worst, most = max(worst, math.Abs(v-result[i])), max(most, math.Abs(v))
					}
					assert.LessOrEqual(t, worst, 2e-5*most, "text %d: the largest number is %g", n, most)
					t.Logf("text %d: the largest error is %.1e of the largest number", n, worst/most)
				}
				for i := range x.fresh {
					p := one[x.part]
					p.Places = tensor.Of(s, place(x, row+i, i), 2, 4)
					y := s.AppendCache(query, key, value, table, p)
					y = s.CachedAttention(y, c.a, p).Index(0, row+i)
					require.Equal(t, result[i*heads*c.width:(i+1)*heads*c.width], values(t, y), "text %d: token %d alone", n, i)
				}
				row += x.fresh
			}
		})
	}
	require.NoError(t, s.Err())
}

// cachedReference computes causal attention to [positions, groups, features] in float64.
func cachedReference(q, k, v []float64, heads, groups, depth, width int, a tensor.GroupedAttention,
	sinks []float64) []float64 {
	scale := float64(a.Scale)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(depth))
	}
	n := len(q) / heads / depth
	out := make([]float64, n*heads*width)
	for t := range n {
		for h := range heads {
			g, total := h/(heads/groups), 0.0
			if sinks != nil {
				total = math.Exp(sinks[h])
			}
			y := out[(t*heads+h)*width:][:width]
			for j := range t + 1 {
				if a.Window > 0 && j <= t-a.Window {
					continue
				}
				score := 0.0
				for i := range depth {
					score += q[(t*heads+h)*depth+i] * k[(j*groups+g)*depth+i]
				}
				if score *= scale; a.Softcap > 0 {
					score = float64(a.Softcap) * math.Tanh(score/float64(a.Softcap))
				}
				w := math.Exp(score)
				total += w
				for i := range width {
					y[i] += w * v[(j*groups+g)*width+i]
				}
			}
			for i := range y {
				y[i] /= total
			}
		}
	}
	return out
}

// TestQuantizedCacheNumbers stores zeros, tiny and huge numbers and NaN.
func TestQuantizedCacheNumbers(t *testing.T) {
	_, s := open(t)
	x := make([]float64, 4*32)
	x[0], x[1] = 1e-12, -1e-12 // below the least scale
	x[32], x[33] = 8e6, -3e6
	x[64], x[65] = math.NaN(), 1
	cache := q8Cache(s, false, 1, 1, 2, 128, 128)
	cache.Places = tensor.Of(s, []int32{0, 0, 0, 1}, 1, 4)
	row := tensor.FromFloat64(s, tensor.Float32, x, 1, 1, 128)
	s.AppendCache(nil, row, row, nil, cache)
	scales := values(t, cache.KeyScales)
	assert.Equal(t, []float64{0, 63008}, scales[:2])
	assert.True(t, math.IsNaN(scales[2]), scales[2])
	assert.Zero(t, scales[3])
	assert.Equal(t, []float64{127, -48}, values(t, cache.Keys.Reshape(-1))[32:34])
	q := s.Full(tensor.Float32, 1, 1, 1, 128)
	for _, v := range values(t, s.CachedAttention(q, tensor.GroupedAttention{}, cache)) {
		assert.True(t, math.IsNaN(v), v)
	}
	require.NoError(t, s.Err())
}

// TestQuantizedCacheErrors tests caches that are refused.
func TestQuantizedCacheErrors(t *testing.T) {
	e, s := open(t)
	full := func(typ tensor.Type, shape ...int) *tensor.Tensor { return s.Full(typ, 1, shape...) }
	for _, c := range []struct {
		change func(c *tensor.CacheRows)
		err    error
		text   string
	}{
		{func(c *tensor.CacheRows) { c.KeyScales, c.ValueScales = nil, nil }, tensor.ErrType, "without scales"},
		{func(c *tensor.CacheRows) { c.KeyScales = nil }, compute.ErrNil, "no tensor"},
		{func(c *tensor.CacheRows) { c.ValueScales = nil }, compute.ErrNil, "no tensor"},
		{func(c *tensor.CacheRows) { c.ValueScales = full(tensor.Float32, 1, 2, 8, 1) }, tensor.ErrType,
			"a cache of q8_0 has Int8 and Float16"},
		{func(c *tensor.CacheRows) { c.Keys = full(tensor.Float32, 1, 2, 8, 64) }, tensor.ErrType,
			"keys and values of one floating-point type or Int8"},
		{func(c *tensor.CacheRows) {
			c.Keys, c.Values = full(tensor.Float32, 1, 2, 8, 64), full(tensor.Float32, 1, 2, 8, 32)
		}, tensor.ErrType, "keys of float32 with scales"},
		{func(c *tensor.CacheRows) {
			c.Keys, c.Values = full(tensor.Uint8, 1, 2, 8, 64), full(tensor.Uint8, 1, 2, 8, 32)
		},
			tensor.ErrType, "keys and values of one floating-point type or Int8"},
		{func(c *tensor.CacheRows) { c.KeyScales = full(tensor.Float16, 1, 2, 8, 1) }, tensor.ErrShape,
			"the shape of the scales of keys is [1 2 8 1]; it must be [1 2 8 2]"},
		{func(c *tensor.CacheRows) {
			c.Values, c.ValueScales = full(tensor.Int8, 1, 2, 8, 33), full(tensor.Float16, 1, 2, 8, 1)
		}, tensor.ErrShape, "values of 33 features; q8_0 takes a multiple of 32"},
	} {
		cache := q8Cache(s, false, 1, 2, 8, 64, 32)
		cache.Places = tensor.Of(s, []int32{0, 0, 0, 1}, 1, 4)
		c.change(&cache)
		for _, do := range []func(s *tensor.Scope) *tensor.Tensor{
			func(s *tensor.Scope) *tensor.Tensor {
				n := 32
				if cache.Values.Shape()[3] == 33 {
					n = 33
				}
				return s.AppendCache(full(tensor.Float32, 1, 4, 64), full(tensor.Float32, 1, 2, 64),
					full(tensor.Float32, 1, 2, n), s.RotaryTable(tensor.Rotary{Features: 64}), cache)
			},
			func(s *tensor.Scope) *tensor.Tensor {
				return s.CachedAttention(full(tensor.Float32, 1, 4, 64), tensor.GroupedAttention{}, cache)
			},
		} {
			inner := e.Scope(t.Context())
			err := do(inner).Err()
			assert.ErrorIs(t, err, c.err, c.text)
			assert.ErrorContains(t, err, c.text)
			inner.Close()
		}
	}
	cache := q8Cache(s, false, 1, 2, 8, 64, 32)
	cache.Places = tensor.Of(s, []int32{0, 0, 0, 1}, 1, 4)
	cache.KeyScales = full(tensor.Float16, 1, 2, 1, 2).Broadcast(1, 2, 8, 2)
	inner := e.Scope(t.Context())
	defer inner.Close()
	err := inner.AppendCache(nil, full(tensor.Float32, 1, 2, 64), full(tensor.Float32, 1, 2, 32), nil, cache).Err()
	assert.ErrorIs(t, err, tensor.ErrShape)
	assert.ErrorContains(t, err, "repeats elements")
	require.NoError(t, s.Err(), "the scope of the arguments")
}

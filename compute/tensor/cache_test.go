package tensor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// cachedText is a sequence of TestCachedAttention.
type cachedText struct {
	part, slot, used, fresh int // fresh: new tokens
}

// TestCachedAttention computes the attention of several sequences in two caches at once, and
// compares what is stored, the turned queries and the results, bit by bit, with those of each
// sequence alone by other operations, which other tests compare with float64.
func TestCachedAttention(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(7, 8))
	const heads, groups, depth, width, positions, rows = 4, 2, 12, 20, 40, 9
	texts := []cachedText{{0, 2, 0, 1}, {1, 1, 33, 3}, {0, 0, 35, 1}, {1, 0, 0, 4}}
	table := s.RotaryTable(tensor.Rotary{Features: 8})
	for _, c := range []struct {
		typ, cache tensor.Type
		a          tensor.GroupedAttention
		rope       *tensor.RotaryTable
		all        bool // a token sees those after it
	}{
		{tensor.Float32, tensor.Float32, tensor.GroupedAttention{}, table, false},
		{tensor.Float32, tensor.Float16, tensor.GroupedAttention{Window: 5, Softcap: 3, Scale: 0.5,
			Sinks: tensor.Of(s, []float32{1, -1, 0, 2})}, s.RotaryTable(tensor.Rotary{Features: 12, NeoX: true, Magnitude: 1.5}),
			false},
		{tensor.Float16, tensor.BFloat16, tensor.GroupedAttention{Window: 1}, nil, false},
		{tensor.Float32, tensor.Float32, tensor.GroupedAttention{}, nil, true},
	} {
		t.Run(fmt.Sprint(c.typ, c.cache), func(t *testing.T) {
			random := func(typ tensor.Type, shape ...int) *tensor.Tensor {
				n := 1
				for _, d := range shape {
					n *= d
				}
				return tensor.FromFloat64(s, typ, normals(r, n), shape...)
			}
			// Queries, keys and values are parts of one product's rows.
			q, kv := heads*depth, groups*depth
			all := random(c.typ, rows, q+kv+groups*width).Split(1, q, kv, groups*width)
			query, key := all[0].Reshape(rows, heads, depth), all[1].Reshape(rows, groups, depth)
			value := all[2].Reshape(rows, groups, width)
			var parts, before [2]tensor.CacheRows
			var places [2][]int32
			for i := range parts {
				before[i] = tensor.CacheRows{Keys: random(c.cache, 3, groups, positions, depth),
					Values: random(c.cache, 3, groups, positions, width)}
			}
			row := 0
			for _, x := range texts {
				for i := range x.fresh {
					sees := x.used + i + 1
					if c.all {
						sees = x.used + x.fresh
					}
					places[x.part] = append(places[x.part], int32(row), int32(x.slot), int32(x.used+i), int32(sees))
					row++
				}
			}
			require.Equal(t, rows, row)
			for i := range parts {
				// A slot, a row and a position that are not there.
				places[i] = append(places[i], 0, 3, 0, 1, 9, 0, 0, 1, 0, 0, 40, 0, -1, -1, -1, -1)
				parts[i] = tensor.CacheRows{Keys: s.Copy(before[i].Keys), Values: s.Copy(before[i].Values),
					Places: tensor.Of(s, places[i], len(places[i])/4, 4)}
			}
			turned := s.AppendCache(query, key, value, c.rope, parts[:]...)
			for i := range parts { // without the position, where attention would find a query that sees no key
				n := len(places[i])/4 - 2
				parts[i].Places = s.Concat(0, parts[i].Places.Slice(0, 0, n), parts[i].Places.Slice(0, n+1, n+2))
			}
			got := s.CachedAttention(turned, c.a, parts[:]...)
			require.NoError(t, s.Err())

			row = 0
			for n, x := range texts {
				end := row + x.fresh
				one := func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(0, row, end).Unsqueeze(0) }
				q, k, v := one(query), one(key), one(value)
				if c.rope != nil {
					at := make([]int32, x.fresh)
					for i := range at {
						at[i] = int32(x.used + i)
					}
					q, k = s.Rope(q, tensor.Of(s, at), c.rope), s.Rope(k, tensor.Of(s, at), c.rope)
				}
				assert.Equal(t, values(t, q), values(t, one(turned)), "text %d: queries", n)
				used := x.used + x.fresh
				keys, vals := before[x.part].Keys.Slice(0, x.slot, x.slot+1), before[x.part].Values.Slice(0, x.slot, x.slot+1)
				s.Assign(keys.Slice(2, x.used, used), s.Cast(k, c.cache).Transpose(0, 2, 1, 3))
				s.Assign(vals.Slice(2, x.used, used), s.Cast(v, c.cache).Transpose(0, 2, 1, 3))
				a := c.a
				a.Causal, a.Start = !c.all, x.used
				y := s.GroupedAttention(q.Transpose(0, 2, 1, 3), keys.Slice(2, 0, used), vals.Slice(2, 0, used), a)
				assert.Equal(t, values(t, y.Transpose(0, 2, 1, 3)), values(t, one(got)), "text %d", n)
				row = end
			}
			for i := range parts {
				assert.Equal(t, values(t, before[i].Keys), values(t, parts[i].Keys), "keys")
				assert.Equal(t, values(t, before[i].Values), values(t, parts[i].Values), "values")
			}
		})
	}
	require.NoError(t, s.Err())
}

// TestCachedAttentionErrors tests arguments that are refused.
func TestCachedAttentionErrors(t *testing.T) {
	e, s := open(t)
	x := func(shape ...int) *tensor.Tensor { return s.Full(tensor.Float32, 1, shape...) }
	places := tensor.Of(s, []int32{0, 0, 0, 1}, 1, 4)
	cache := tensor.CacheRows{Keys: x(1, 2, 8, 4), Values: x(1, 2, 8, 4), Places: places}
	change := func(f func(c *tensor.CacheRows)) tensor.CacheRows {
		c := cache
		f(&c)
		return c
	}
	table := s.RotaryTable(tensor.Rotary{Features: 4})
	require.NoError(t, s.Err())
	for n, c := range []struct {
		err error
		do  func(s *tensor.Scope) *tensor.Tensor
	}{
		{compute.ErrNil, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{})
		}},
		{compute.ErrNil, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), x(1, 2, 4), table, cache)
		}},
		{compute.ErrNil, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), x(1, 2, 4), nil, tensor.CacheRows{})
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 3, 4), tensor.GroupedAttention{}, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{Mask: x(1)}, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{Window: -1}, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{Sinks: x(3)}, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 5), tensor.GroupedAttention{}, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4, 1), tensor.GroupedAttention{}, cache)
		}},
		{tensor.ErrType, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{},
				change(func(c *tensor.CacheRows) { c.Places = x(1, 4) }))
		}},
		{tensor.ErrType, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{},
				change(func(c *tensor.CacheRows) { c.Values = s.Cast(c.Values, tensor.Float16) }))
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{},
				change(func(c *tensor.CacheRows) { c.Places = places.Reshape(4) }))
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.CachedAttention(x(1, 2, 4), tensor.GroupedAttention{},
				change(func(c *tensor.CacheRows) { c.Values = x(1, 2, 8, 513) }))
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), x(1, 2, 5), nil, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), x(2, 2, 4), nil, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(x(2, 2, 4), x(1, 2, 4), x(1, 2, 4), table, cache)
		}},
		{tensor.ErrShape, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), x(1, 2, 4), nil, change(func(c *tensor.CacheRows) {
				c.Keys = x(1, 2, 1, 4).Broadcast(1, 2, 8, 4)
			}))
		}},
		{tensor.ErrType, func(s *tensor.Scope) *tensor.Tensor {
			return s.AppendCache(nil, x(1, 2, 4), s.Full(tensor.Float16, 1, 1, 2, 4), nil, cache)
		}},
	} {
		inner := e.Scope(t.Context())
		assert.ErrorIs(t, c.do(inner).Err(), c.err, "case %d", n)
		inner.Close()
	}
}

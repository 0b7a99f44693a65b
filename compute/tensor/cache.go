package tensor

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// CacheRows are new tokens of sequences whose keys and values are kept in one cache. Many sequences
// with slots of one cache take as many launches as one sequence does.
type CacheRows struct {
	// Keys and Values are the cache: [slots, groups, positions, features], with one floating-point
	// type, or Int8 in a cache of q8_0, and sizes that differ in the features alone, which are at most
	// 512 for values.
	Keys, Values *Tensor
	// KeyScales and ValueScales make a cache of q8_0, which takes 34 bytes for 32 elements: Float16
	// tensors of shape [slots, groups, positions, features/32], with a scale for every 32 features of
	// Keys and Values. The features are multiples of 32. In a cache of another type they are nil.
	KeyScales, ValueScales *Tensor
	// Places is a contiguous Int32 of shape [tokens, 4]: each token's row in the queries, its slot,
	// its position, and how many keys it sees: position+1 of causal attention. Numbers that the cache
	// or the queries do not have are not followed: such a token is not stored, and has no result.
	Places *Tensor
}

// tensors returns what the cache consists of.
func (c *CacheRows) tensors() []*Tensor {
	if c.KeyScales == nil && c.ValueScales == nil {
		return []*Tensor{c.Keys, c.Values}
	}
	return []*Tensor{c.Keys, c.Values, c.KeyScales, c.ValueScales}
}

// caches returns the places and the tensors of parts after others, or a failed tensor.
func (s *Scope) caches(op string, in []*Tensor, parts []CacheRows) (all []*Tensor, f *Tensor, ok bool) {
	for _, c := range parts {
		in = append(append(in, c.Places), c.tensors()...)
	}
	if f, ok = s.tensors(op, in...); !ok {
		return in, f, ok
	}
	for _, c := range parts {
		var err error
		typ := c.Keys.Type()
		switch scales := c.KeyScales != nil; {
		case typ != c.Values.Type() || c.Places.Type() != Int32 || !typ.IsFloat() && typ != Int8:
			err = fmt.Errorf("takes keys and values of one floating-point type or Int8, and places of Int32: %w", ErrType)
		case scales && (typ != Int8 || c.KeyScales.Type() != Float16 || c.ValueScales.Type() != Float16):
			err = fmt.Errorf("keys of %v with scales of %v and %v; a cache of q8_0 has Int8 and Float16: %w", typ,
				c.KeyScales.Type(), c.ValueScales.Type(), ErrType)
		case !scales && typ == Int8:
			err = fmt.Errorf("keys and values of Int8 without scales: %w", ErrType)
		}
		if err != nil {
			return in, s.fail(op, in, err), false
		}
	}
	return in, nil, true
}

// cacheRows returns a part for operands that begin with those of its tensors, and the others.
func (c *CacheRows) cacheRows(in []tensorop.Operand) (tensorop.CacheRows, []tensorop.Operand) {
	x := tensorop.CacheRows{Keys: in[0], Values: in[1]}
	if c.KeyScales == nil {
		return x, in[2:]
	}
	x.KeyScales, x.ValueScales = in[2], in[3]
	return x, in[4:]
}

// AppendCache stores the keys and values of new tokens, [rows, groups, features], at their places
// in caches. With a table it turns keys and queries, [rows, heads, features], by their positions
// first, as [Scope.Rope] does, and returns the turned queries; otherwise it returns the queries,
// which may be nil. Queries, keys and values have one floating-point type, from which what is
// stored is converted to that of the cache, and none shares memory with it. In a cache of q8_0 each
// 32 features of a head have the scale d = max(|x|)/127 and the integers round(x/d), as ggml has
// them; NaN among them, and magnitudes above 8e6, give numbers that are not finite. The errors are
// [ErrShape] and [ErrType].
func (s *Scope) AppendCache(query, key, value *Tensor, r *RotaryTable, parts ...CacheRows) *Tensor {
	const op = "append cache"
	in := []*Tensor{key, value}
	if r != nil {
		in = append(in, query)
	}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	if r != nil {
		in = append(in, r.table)
	}
	fixed := len(in)
	in, f, ok := s.caches(op, in, parts)
	if !ok {
		return f
	}
	var out []*Tensor // of the operation: the caches, and the turned queries
	for i, c := range parts {
		for _, t := range c.tensors() {
			for d, stride := range t.view.Strides {
				if stride == 0 && t.view.Shape[d] > 1 {
					return s.fail(op, in,
						fmt.Errorf("dimension %d of a cache repeats elements, so it cannot be written: %w", d, ErrShape))
				}
			}
			out = append(out, t)
		}
		in[fixed+i] = c.Places
	}
	in = in[:fixed+len(parts)]
	if len(parts) == 0 {
		return query
	}
	turned := query
	if r != nil {
		t, err := s.make(query.Type(), query.view.Shape)
		if err == nil {
			err = s.own(t)
		}
		if err != nil {
			return s.fail(op, in, err)
		}
		turned, out = t, append(out, t)
	}
	o := &operation{name: op, flops: 4 * float64(key.Len()), trial: s.trial,
		build: func(b *tensorop.Builder, out, in []tensorop.Operand) {
			list := make([]tensorop.CacheRows, len(parts))
			for i := range list {
				list[i], out = parts[i].cacheRows(out)
				list[i].Places = in[fixed+i]
			}
			var rope *tensorop.CachedRope
			if r != nil {
				rope = &tensorop.CachedRope{Out: out[0], Query: in[2], Frequencies: in[3], NeoX: r.rotary.NeoX,
					Magnitude: r.magnitude}
			}
			b.CacheRows(in[0], in[1], rope, list)
		}}
	if err := s.enqueue(o, out, in); err != nil {
		return s.fail(op, in, err)
	}
	return turned
}

// CachedAttention is [Scope.GroupedAttention] for queries [rows, heads, features] of tokens whose
// sequences have caches, in which their own keys and values are as well. The places of the tokens
// say what each sees; Causal, Start and Mask are not used. The result is [rows, heads, features of
// values]; rows without a place are undefined. Its accuracy is that of GroupedAttention, and its
// bits do not depend on which sequences are computed at once. The errors are [ErrShape] and
// [ErrType].
func (s *Scope) CachedAttention(query *Tensor, a GroupedAttention, parts ...CacheRows) *Tensor {
	const op = "cached attention"
	in := []*Tensor{query}
	if a.Sinks != nil {
		in = append(in, a.Sinks)
	}
	fixed := len(in)
	in, f, ok := s.caches(op, in, parts)
	if !ok {
		return f
	}
	switch {
	case len(parts) == 0:
		return s.fail(op, in, fmt.Errorf("no cache: %w", compute.ErrNil))
	case query.Rank() != 3 || parts[0].Values.Rank() != 4:
		return s.fail(op, in,
			fmt.Errorf("takes queries of shape [rows, heads, features], and caches of four dimensions: %w", ErrShape))
	case !query.Type().IsFloat():
		return s.fail(op, in, fmt.Errorf("takes floating-point numbers: %w", ErrType))
	case a.Mask != nil || a.Window < 0:
		return s.fail(op, in, fmt.Errorf("a mask, or a window of %d: %w", a.Window, ErrShape))
	}
	o := tensorop.GroupedAttention{Scale: a.Scale, Window: min(a.Window, math.MaxInt32), Softcap: a.Softcap}
	if o.Scale == 0 && query.view.Shape[2] > 0 {
		o.Scale = float32(1 / math.Sqrt(float64(query.view.Shape[2])))
	}
	shape := []int{query.view.Shape[0], query.view.Shape[1], parts[0].Values.view.Shape[3]}
	flops := 2 * float64(tensorop.Elements(shape[:2])) * float64(parts[0].Keys.view.Shape[2]) *
		float64(query.view.Shape[2]+shape[2])
	return s.one(op, flops, query.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			o, query := o, in[0]
			if fixed > 1 {
				o.Sinks = &in[1]
			}
			list, in := make([]tensorop.CacheRows, len(parts)), in[fixed:]
			for i := range list {
				places := in[0]
				list[i], in = parts[i].cacheRows(in[1:])
				list[i].Places = places
			}
			b.CachedAttention(out, query, o, list)
		})
}

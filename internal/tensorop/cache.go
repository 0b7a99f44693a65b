package tensorop

import (
	"fmt"
	"math"
	"slices"
)

// CacheRows are tokens of sequences with a cache of their keys and values.
type CacheRows struct {
	Keys, Values Operand // [slots, groups, positions, features], of one floating-point type, or Int8
	// KeyScales and ValueScales are Float16 scales of Int8, one for every blockFeatures features of a
	// head, which are multiples of that: [slots, groups, positions, blocks].
	KeyScales, ValueScales Operand
	// Places is a dense Int32 of shape [tokens, 4]: for each token its row in the queries, its slot,
	// its position, and how many keys it sees, those before its own position at most.
	Places Operand
}

// blockFeatures is how many elements have a scale in q8_0.
const blockFeatures = 32

// packed tells whether the cache is one of q8_0.
func (c *CacheRows) packed() bool { return c.Keys.Type == Int8 }

// operands returns what the cache consists of.
func (c *CacheRows) operands() []Operand {
	if c.packed() {
		return []Operand{c.Keys, c.Values, c.KeyScales, c.ValueScales}
	}
	return []Operand{c.Keys, c.Values}
}

// checkScales returns an error unless keys or values of Int8 have scales.
func checkScales(op, name string, x, scales Operand) error {
	n := len(x.Shape) - 1
	if x.Shape[n]%blockFeatures != 0 {
		return fmt.Errorf("%s: %s of %d features; q8_0 takes a multiple of %d", op, name, x.Shape[n], blockFeatures)
	}
	want := append(slices.Clone(x.Shape[:n]), x.Shape[n]/blockFeatures)
	if err := checkShape(op, "scales of "+name, scales.Shape, want); err != nil {
		return err
	}
	if scales.Type != Float16 {
		return fmt.Errorf("%s: scales of type %v; they are float16", op, scales.Type)
	}
	return nil
}

// check returns an error unless the tokens go with queries of a shape, [rows, heads, features].
func (c *CacheRows) check(op string, query []int) error {
	k, v := c.Keys.Shape, c.Values.Shape
	switch {
	case len(query) != 3 || len(k) != 4 || len(v) != 4:
		return fmt.Errorf("%s: queries %v, keys %v, values %v; they have three and four dimensions", op, query, k, v)
	case !slices.Equal(k[:3], v[:3]) || k[3] != query[2]:
		return fmt.Errorf("%s: queries %v, keys %v, values %v; keys and values have one shape but for the last dimension, "+
			"which is that of the queries for the keys", op, query, k, v)
	case k[1] == 0 || query[1]%k[1] != 0:
		return fmt.Errorf("%s: %d heads for %d groups; it must be a multiple", op, query[1], k[1])
	case v[3] > maxFeatures:
		return fmt.Errorf("%s: values of %d features; the limit is %d", op, v[3], maxFeatures)
	case c.Places.Rank() != 2 || c.Places.Shape[1] != 4 || !c.Places.IsDense() || c.Places.Type != Int32:
		return fmt.Errorf("%s: places %v of type %v; they are a dense int32 of four numbers a token", op, c.Places.Shape,
			c.Places.Type)
	}
	if err := checkSameType(op, c.Keys, c.Values); err != nil {
		return err
	}
	if !c.packed() {
		return checkFloats(op, c.Keys)
	}
	if err := checkScales(op, "keys", c.Keys, c.KeyScales); err != nil {
		return err
	}
	return checkScales(op, "values", c.Values, c.ValueScales)
}

// CachedAttention is [Builder.GroupedAttention] for queries [rows, heads, features], whose keys and
// values are in caches: a query sees as many keys of its slot as its place says, or within the
// window before its position. Rows that have no place are left as they are. Causal, Start and Mask
// are not used.
func (b *Builder) CachedAttention(out, query Operand, a GroupedAttention, parts []CacheRows) {
	const op = "cached attention"
	if b.err != nil {
		return
	}
	err := checkSameType(op, out, query)
	if err == nil {
		err = checkFloats(op, out)
	}
	if err == nil && (a.Window < 0 || a.Window > math.MaxInt32) {
		err = fmt.Errorf("%s: window %d", op, a.Window)
	}
	sinks := out // unused
	if err == nil && a.Sinks != nil {
		sinks = *a.Sinks
		if err = checkShape(op, "sinks", sinks.Shape, query.Shape[1:2]); err == nil && sinks.Type != Float32 {
			err = fmt.Errorf("%s: sinks of type %v; it must be float32", op, sinks.Type)
		}
	}
	for i := range parts {
		c := &parts[i]
		if err == nil {
			err = c.check(op, query.Shape)
		}
		if err == nil {
			err = checkShape(op, "result", out.Shape, []int{query.Shape[0], query.Shape[1], c.Values.Shape[3]})
		}
		if err != nil {
			b.Fail(err)
			return
		}
		var w Words
		w.Int(query.Shape[1], c.Keys.Shape[1], query.Shape[0], c.Keys.Shape[2], query.Shape[2], out.Shape[2])
		for _, o := range []Operand{out, query} { // as [1, heads, rows, features]
			w.Int(o.Offset, 0, o.Strides[1], o.Strides[0], o.Strides[2])
		}
		for _, o := range c.operands() {
			w.Int(o.Offset)
			w.Int(o.Strides...)
		}
		w.Int(c.Keys.Shape[0], c.Places.Offset)
		a.end(&w)
		operands, packed := []Operand{out, query, c.Keys, c.Values, c.Places, sinks}, "PACKED 0"
		keyStep := c.Keys.Strides[2]
		if c.packed() {
			operands, packed = append(operands, c.KeyScales, c.ValueScales), "PACKED 1"
			if c.KeyScales.Strides[2] != 1 {
				keyStep = 0
			}
		}
		macros := append(attentionMacros(out, keyStep, c.Keys, c.Values), "CACHED 1", packed, "MASK float")
		// The software device takes longer to begin a threadgroup than to go on with another head.
		tokens, heads := c.Places.Shape[0], query.Shape[1]
		step := Step{Source: text("grouped_attention.metal", macros...), Kernel: "grouped_attention",
			Threads: [3]int{32 * tokens, min(heads, max(1, 16/max(tokens, 1))), 1}, Group: [3]int{32, 1, 1}}
		b.Launch(step.Source, step.Kernel, step.Threads, step.Group, operands, w)
		if tokens > 0 {
			step.Threads[1] = heads
			b.onGPU(step)
		}
	}
	if err != nil {
		b.Fail(err)
	}
}

// CachedRope is how [Builder.CacheRows] turns queries and keys.
type CachedRope struct {
	Out, Query, Frequencies Operand // as those of Rope; Out and Query are [rows, heads, features]
	NeoX                    bool
	Magnitude               float32
}

// CacheRows stores keys [rows, groups, features] and values [rows, groups, features] at their
// tokens' places in caches, and with a rope turns keys and queries as [Builder.Rope] does, by their
// positions. A place that its cache does not have is left out.
func (b *Builder) CacheRows(key, value Operand, r *CachedRope, parts []CacheRows) {
	const op = "cache rows"
	if b.err != nil {
		return
	}
	query := key
	err := checkSameType(op, key, value)
	if err == nil {
		err = checkFloats(op, key)
	}
	if err == nil && (key.Rank() != 3 || value.Rank() != 3 || !slices.Equal(key.Shape[:2], value.Shape[:2])) {
		err = fmt.Errorf("%s: keys %v and values %v; they have three dimensions, of which two are equal", op, key.Shape,
			value.Shape)
	}
	if err == nil && r != nil {
		query = r.Query
		if err = checkSameType(op, key, query, r.Out); err == nil {
			err = checkShape(op, "result", r.Out.Shape, query.Shape)
		}
		f := r.Frequencies
		if err == nil && (query.Rank() != 3 || query.Shape[0] != key.Shape[0] || f.Rank() != 2 || f.Shape[1] != 2 ||
			!f.IsDense() || f.Type != Float32 || 2*f.Shape[0] > key.Shape[2]) {
			err = fmt.Errorf("%s: queries %v and frequencies %v for keys %v", op, query.Shape, f.Shape, key.Shape)
		}
	}
	for i := range parts {
		c := &parts[i]
		if err == nil {
			err = c.check(op, query.Shape)
		}
		if err == nil && (c.Keys.Shape[1] != key.Shape[1] || c.Values.Shape[3] != value.Shape[2]) {
			err = fmt.Errorf("%s: keys %v and values %v for caches %v and %v", op, key.Shape, value.Shape, c.Keys.Shape,
				c.Values.Shape)
		}
		if err != nil {
			break
		}
		b.cacheRows(key, value, r, c)
	}
	if err != nil {
		b.Fail(err)
	}
}

// cacheRows adds the launch for one cache. The operands have been checked.
func (b *Builder) cacheRows(key, value Operand, r *CachedRope, c *CacheRows) {
	heads, threads, flag := 0, max(key.Shape[2], value.Shape[2]), "ROPE 0"
	operands := append(c.operands(), key, value, c.Places)
	out, query := key, key
	pairs, neox, frequency, magnitude := 0, 0, 0, float32(0)
	if r != nil {
		out, query, flag = r.Out, r.Query, "ROPE 1"
		operands = append(operands, out, query, r.Frequencies)
		heads, pairs, frequency, magnitude = query.Shape[1], r.Frequencies.Shape[0], r.Frequencies.Offset, r.Magnitude
		threads = max(key.Shape[2]-pairs, value.Shape[2])
		if r.NeoX {
			neox = 1
		}
	}
	var w Words
	w.Int(heads, key.Shape[1], key.Shape[2], value.Shape[2], key.Shape[0], c.Keys.Shape[0], c.Keys.Shape[2],
		c.Places.Offset)
	for _, o := range append([]Operand{out, query, key, value}, c.operands()...) {
		w.Int(o.Offset)
		w.Int(o.Strides...)
	}
	w.Int(pairs, neox, frequency)
	w.Float(magnitude)
	dense := "DENSE 1"
	for _, stride := range []int{key.Strides[2], value.Strides[2], query.Strides[2], out.Strides[2], c.Values.Strides[3]} {
		if stride != 1 {
			dense = "DENSE 0"
		}
	}
	step := Step{Kernel: "cache_rows"}
	if c.packed() {
		step.Kernel = "cache_rows_q8_0"
		step.Source = text("cache_rows_q8_0.metal", "IN "+key.Type.Stored(), flag, dense)
		threads = max(key.Shape[2], value.Shape[2]) // whole simdgroups
	} else {
		step.Source = text("cache_rows.metal", "IN "+key.Type.Stored(), "KV "+c.Keys.Type.Stored(), flag, dense)
	}
	step.Threads = [3]int{threads, 1, c.Places.Shape[0]}
	step.Group = [3]int{min(threads, 256), 1, 1} // of one token, whose place is the same for all lanes
	b.Launch(step.Source, step.Kernel, step.Threads, step.Group, operands, w)
	if c.Places.Shape[0] > 0 {
		step.Threads[1] = key.Shape[1] // GPUs take more threads
		b.onGPU(step)
	}
}

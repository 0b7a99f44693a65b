package tensorop

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// GroupedAttention is how [Builder.GroupedAttention] weighs keys.
type GroupedAttention struct {
	Scale   float32
	Causal  bool // a query does not see the keys after it
	Start   int  // the position of the first query; that of a key is its index
	Window  int  // a query sees only so many positions up to its own; 0: all
	Softcap float32
	Mask    *Operand // added to scores; broadcast to [batches, heads, queries, keys]
	Sinks   *Operand // Float32: a score for each head that takes part in the sum of weights
}

// maxFeatures is the most features of a value, as grouped_attention.metal has room for.
const maxFeatures = 512

// GroupedAttention computes the attention of queries [batches, heads, queries, features] to keys
// and values [batches, groups, keys, features] and writes it to out, of the queries' shape with the
// values' features. Consecutive heads share a group: their number is a multiple of the groups'. out
// and the queries have one floating-point type, keys and values another one. A query that sees no
// key gives zeros.
func (b *Builder) GroupedAttention(out, query, key, value Operand, a GroupedAttention) {
	const op = "grouped attention"
	if b.err != nil {
		return
	}
	shape, err := GroupedAttentionShape(query.Shape, key.Shape, value.Shape)
	if err == nil {
		err = checkShape(op, "result", out.Shape, shape)
	}
	if err == nil {
		err = checkSameType(op, out, query)
	}
	if err == nil {
		err = checkSameType(op, key, value)
	}
	if err == nil {
		err = checkFloats(op, out, key)
	}
	if err == nil && (a.Start < 0 || a.Window < 0 || a.Start > math.MaxInt32-shape[2] || a.Window > math.MaxInt32) {
		err = fmt.Errorf("%s: start %d and window %d; neither is negative, and positions are below 2^31", op, a.Start,
			a.Window)
	}
	mask, sinks := out, out // unused
	if err == nil && a.Mask != nil {
		var v View
		if v, err = a.Mask.Broadcast(shape[0], shape[1], shape[2], key.Shape[2]); err != nil {
			err = fmt.Errorf("%s: a mask of %v for %v", op, a.Mask.Shape, []int{shape[0], shape[1], shape[2], key.Shape[2]})
		} else if mask = a.Mask.With(v); !mask.Type.Float() {
			err = fmt.Errorf("%s: a mask of type %v; it must have floating-point numbers", op, mask.Type)
		}
	}
	if err == nil && a.Sinks != nil {
		sinks = *a.Sinks
		if err = checkShape(op, "sinks", sinks.Shape, []int{shape[1]}); err == nil && sinks.Type != Float32 {
			err = fmt.Errorf("%s: sinks of type %v; it must be float32", op, sinks.Type)
		}
	}
	if err != nil {
		b.Fail(err)
		return
	}
	flag := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	var w Words
	w.Int(shape[1], key.Shape[1], shape[2], key.Shape[2], query.Shape[3], shape[3])
	for _, o := range []Operand{out, query, key, value} {
		w.Int(o.Offset)
		w.Int(o.Strides...)
	}
	if a.Mask != nil {
		w.Int(mask.Offset)
		w.Int(mask.Strides...)
	} else {
		w.Int(0, 0, 0, 0, 0)
	}
	w.Int(flag(a.Causal), a.Start, flag(a.Mask != nil))
	a.end(&w)
	macros := append(attentionMacros(out, key.Strides[2], key, value), "CACHED 0", "PACKED 0", "MASK "+mask.Type.Stored())
	b.Launch(text("grouped_attention.metal", macros...), "grouped_attention",
		[3]int{32 * shape[2], shape[1], shape[0]}, [3]int{32, 1, 1},
		[]Operand{out, query, key, value, mask, sinks}, w)
}

// attentionMacros returns macros of grouped_attention.metal: with strides of 1 in its text, lanes
// that read next to each other cost less on the software device. keyStep is the stride of keys'
// positions.
func attentionMacros(out Operand, keyStep int, key, value Operand) []string {
	step := [2]string{"0", "0"}
	for i, stride := range []int{keyStep, value.Strides[3]} {
		if stride == 1 {
			step[i] = "1"
		}
	}
	most := 1
	for 32*most < value.Shape[3] {
		most *= 2 // for few kernels
	}
	whole := "0"
	if 32*most == value.Shape[3] {
		whole = "1"
	}
	return []string{"WHOLE " + whole, "IN " + out.Type.Stored(),
		"KV " + key.Type.Stored(), "MOST " + strconv.Itoa(most),
		"KEY_STEP " + step[0], "VALUE_STEP " + step[1]}
}

// end adds the members that end the kernel's arguments.
func (a *GroupedAttention) end(w *Words) {
	w.Int(a.Window)
	if a.Sinks != nil {
		w.Int(a.Sinks.Offset, a.Sinks.Strides[0], 1)
	} else {
		w.Int(0, 0, 0)
	}
	w.Float(a.Scale, a.Softcap)
}

// GroupedAttentionShape returns the shape of [Builder.GroupedAttention]'s result.
func GroupedAttentionShape(query, key, value []int) ([]int, error) {
	const op = "grouped attention"
	if len(query) != 4 || len(key) != 4 || len(value) != 4 {
		return nil, fmt.Errorf("%s: queries %v, keys %v, values %v; each has four dimensions", op, query, key, value)
	}
	if query[0] != key[0] || !slices.Equal(key[:3], value[:3]) || query[3] != key[3] {
		return nil, fmt.Errorf("%s: queries %v, keys %v, values %v; batches and features must be equal, and keys and "+
			"values have one shape but for the last dimension", op, query, key, value)
	}
	if key[1] == 0 || query[1]%key[1] != 0 {
		return nil, fmt.Errorf("%s: %d heads for %d groups; it must be a multiple", op, query[1], key[1])
	}
	if value[3] > maxFeatures {
		return nil, fmt.Errorf("%s: values of %d features; the limit is %d", op, value[3], maxFeatures)
	}
	return []int{query[0], query[1], query[2], value[3]}, nil
}

// Rope writes to out the elements of in, [batches, rows, heads, features], of which the first
// 2*pairs features are turned: feature i together with i + pairs if neox is set, and else features
// 2i and 2i+1. frequencies is a dense Float32 of two numbers a pair, whose sum is how many turns it
// makes a position. Positions are integers of shape [rows] or [batches, rows]. The turned features
// are multiplied with a magnitude.
func (b *Builder) Rope(out, in, positions, frequencies Operand, neox bool, magnitude float32) {
	const op = "rope"
	if b.err != nil {
		return
	}
	var err error
	switch {
	case in.Rank() != 4:
		err = fmt.Errorf("%s: shape %v; it has four dimensions", op, in.Shape)
	case !slices.Equal(out.Shape, in.Shape):
		err = checkShape(op, "result", out.Shape, in.Shape)
	case frequencies.Rank() != 2 || frequencies.Shape[1] != 2 || !frequencies.IsDense() || frequencies.Type != Float32:
		err = fmt.Errorf("%s: frequencies %v; they are a dense float32 of two numbers a pair", op, frequencies.Shape)
	case 2*frequencies.Shape[0] > in.Shape[3]:
		err = fmt.Errorf("%s: %d pairs of %d features", op, frequencies.Shape[0], in.Shape[3])
	}
	if err == nil {
		err = checkSameType(op, out, in)
	}
	if err == nil {
		err = checkFloats(op, in)
	}
	if err == nil {
		err = checkIndexType(op, positions)
	}
	var at View
	if err == nil {
		if at, err = positions.Broadcast(in.Shape[0], in.Shape[1]); err != nil {
			err = fmt.Errorf("%s: positions %v for %v", op, positions.Shape, in.Shape)
		}
	}
	if err != nil {
		b.Fail(err)
		return
	}
	pairs := frequencies.Shape[0]
	var w Words
	n := 0
	if neox {
		n = 1
	}
	w.Int(pairs, n, in.Shape[0], in.Shape[1], in.Shape[2], in.Shape[3])
	for _, v := range []View{out.View, in.View, at} {
		w.Int(v.Offset)
		w.Int(v.Strides...)
	}
	w.Int(frequencies.Offset)
	w.Float(magnitude)
	b.Launch(text("rope.metal", "IN "+in.Type.Stored(), "AT "+positions.Type.Stored()), "rope",
		[3]int{in.Shape[3] - pairs, in.Shape[2], in.Shape[0] * in.Shape[1]}, [3]int{},
		[]Operand{out, in, positions, frequencies}, w)
}

// Sampling is how [Builder.Sample] chooses.
type Sampling struct {
	Temperature, TopP, MinP float32
}

// Sample writes to out, Int32 of shape [rows], a token of each row of logits [rows, n], which are
// in descending order, with their ids as an Int32 of the same shape, by random numbers from 0 to 1,
// a Float32 of shape [rows].
func (b *Builder) Sample(out, logits, ids, random Operand, s Sampling) {
	const op = "sample"
	if b.err != nil {
		return
	}
	var err error
	switch {
	case logits.Rank() != 2 || logits.Shape[1] == 0 || !slices.Equal(logits.Shape, ids.Shape):
		err = fmt.Errorf("%s: logits %v and ids %v; they have one shape of two dimensions", op, logits.Shape, ids.Shape)
	case !slices.Equal(out.Shape, logits.Shape[:1]) || !slices.Equal(random.Shape, out.Shape):
		err = fmt.Errorf("%s: results %v and random numbers %v for logits %v", op, out.Shape, random.Shape, logits.Shape)
	case out.Type != Int32 || ids.Type != Int32 || random.Type != Float32 || !logits.Type.Float():
		err = fmt.Errorf("%s: types %v, %v, %v, %v", op, out.Type, logits.Type, ids.Type, random.Type)
	case logits.Strides[1] != 1 || ids.Strides[1] != 1:
		err = fmt.Errorf("%s: rows with gaps", op)
	case !(s.Temperature > 0):
		err = fmt.Errorf("%s: temperature %g; it must be positive", op, s.Temperature)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	var w Words
	w.Int(logits.Shape[1], out.Offset, out.Strides[0], logits.Offset, logits.Strides[0], ids.Offset, ids.Strides[0],
		random.Offset, random.Strides[0])
	w.Float(s.Temperature, s.TopP, s.MinP)
	b.Launch(text("sample.metal", "IN "+logits.Type.Stored()), "sample", [3]int{out.Shape[0], 1, 1}, [3]int{},
		[]Operand{out, logits, ids, random}, w)
}

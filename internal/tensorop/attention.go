package tensorop

import (
	"fmt"
	"math"
	"slices"
)

// AttentionShape returns the shape of the attention of queries [..., l, e] to keys [..., s, e] and
// values [..., s, f]: [..., l, f], with the dimensions before these broadcast.
func AttentionShape(query, key, value []int) ([]int, error) {
	lq, lk, lv := len(query), len(key), len(value)
	if lq < 2 || lk < 2 || lv < 2 {
		return nil, fmt.Errorf("attention: queries %v, keys %v, values %v; each must have at least two dimensions",
			query, key, value)
	}
	if query[lq-1] != key[lk-1] || key[lk-2] != value[lv-2] {
		return nil,
			fmt.Errorf("attention: queries %v, keys %v, values %v; the last dimensions of the first two must be "+
				"equal, and the ones before the last of the other two", query, key, value)
	}
	batch, err := BroadcastShapes("attention", query[:lq-2], key[:lk-2], value[:lv-2])
	if err != nil {
		return nil, err
	}
	return append(batch, query[lq-2], value[lv-1]), nil
}

// Attention writes softmax(scale * query * transposed key + mask) * value to out, with the shape of
// [AttentionShape], for floating-point numbers of one type. All of it is computed in float32 and
// rounded once. The mask may be nil; it is broadcast to [..., l, s], and has out's type or is of
// float32, which is added, or is a Bool, which is false for the keys that take no part. A query to
// which no key is left has NaN as its result.
func (b *Builder) Attention(out, query, key, value Operand, mask *Operand, scale float32) {
	shape, err := AttentionShape(query.Shape, key.Shape, value.Shape)
	if err == nil {
		err = checkShape("attention", "result", out.Shape, shape)
	}
	if err == nil {
		err = checkSameType("attention", out, query, key, value)
	}
	if err == nil {
		err = checkFloats("attention", out)
	}
	if err == nil && mask != nil && mask.Type != out.Type && mask.Type != Bool && mask.Type != Float32 {
		err = fmt.Errorf("attention: a mask of type %v for %v; it must be that, float32 or bool", mask.Type, out.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	rank := key.Rank()
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	order[rank-2], order[rank-1] = rank-1, rank-2
	key = b.widen(key)
	scores := b.Temp(Float32, append(slices.Clone(shape[:len(shape)-1]), value.Shape[value.Rank()-2])...)
	b.MatMul(scores, b.widen(query), key.With(key.Transpose(order...)), scale, 0)
	if mask != nil && mask.Type == Bool {
		b.Map(scores, []Operand{*mask, scores}, Instr{Op: "fill", Type: Float32,
			Scalars: []float32{float32(math.Inf(-1))}},
			Instr{Op: "select", Type: Float32, Args: []int{0, 1, 2}})
	} else if mask != nil {
		b.Map(scores, []Operand{scores, *mask}, Instr{Op: "cast", Type: Float32, Args: []int{1}},
			Instr{Op: "add", Type: Float32, Args: []int{0, 2}})
	}
	b.Softmax(scores, scores, scores.Rank()-1)
	result := out
	if out.Type != Float32 {
		result = b.Temp(Float32, out.Shape...)
	}
	b.MatMul(result, scores, b.widen(value), 1, 0)
	if out.Type != Float32 {
		b.Copy(out, result)
	}
}

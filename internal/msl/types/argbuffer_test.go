package types

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestArgumentIDs checks the numbering of argument buffers on the cases in Metal's documentation:
// consecutive ids, ids of arrays, of structs in arrays, and ids with gaps.
func TestArgumentIDs(t *testing.T) {
	u := NewUniverse()
	tex := u.Texture(Texture2D, Float, AccessSample, false)
	record := func(fields ...Field) *Struct {
		s := &Struct{Name: "S"}
		s.Complete(fields)
		return s
	}
	field := func(t Type, id int) Field { return Field{Name: "f", Type: Q(t), ID: id + 1} }
	ids := func(s *Struct) (list []int) {
		for i := range s.Fields {
			list = append(list, s.ArgumentID(i))
		}
		return list
	}

	pair := record(field(tex, -1), field(u.Vector(Float, 4), -1))
	assert.Equal(t, []int{0, 1}, ids(pair))
	assert.Equal(t, 2, ArgumentIDs(pair))

	arrays := record(field(u.Vector(Float, 4), -1), field(u.Array(tex, 3), -1), field(u.Array(pair, 3), -1),
		field(u.Array(Int, 4), 20), field(Int, -1))
	assert.Equal(t, []int{0, 1, 4, 20, 24}, ids(arrays))
	assert.Equal(t, 25, ArgumentIDs(arrays))

	gaps := record(field(tex, 1), field(tex, 3))
	assert.Equal(t, []int{1, 3}, ids(gaps))
	assert.Equal(t, []int{0, 4}, ids(record(field(gaps, -1), field(gaps, -1))))

	union := &Struct{Kind: UnionRecord}
	union.Complete([]Field{field(Int, -1), field(u.Array(Int, 3), -1)})
	assert.Equal(t, []int{0, 0}, ids(union))
	assert.Equal(t, 3, ArgumentIDs(union))

	plain := record(field(Int, -1))
	assert.False(t, plain.IsArgumentBuffer())
	assert.True(t, record(field(Int, 0)).IsArgumentBuffer())
	assert.True(t, record(field(u.Array(record(field(u.Pointer(Q(Int)), -1)), 2), -1)).IsArgumentBuffer())

	huge := u.Array(u.Array(Char, 1<<40), 1<<40)
	assert.Equal(t, MaxSize, ArgumentIDs(huge))
}

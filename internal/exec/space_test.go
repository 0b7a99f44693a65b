package exec

import (
	"testing"

	"github.com/puremetal/puremetal/internal/exec/texel"

	"github.com/stretchr/testify/assert"
)

// pagesHeld returns the number of pages that a Space holds.
func (s *Space) pagesHeld() (n int) {
	if pages := s.pages.Load(); pages != nil {
		for i := range *pages {
			if (*pages)[i].Load() != nil {
				n++
			}
		}
	}
	return n
}

// TestSpaceGivesPagesUp uses ever new numbers, as a long-running device does: the memory held
// depends on the number of live objects, not on the numbers used.
func TestSpaceGivesPagesUp(t *testing.T) {
	var s Space
	s.Set(70_000, Object{}) // nothing to free
	assert.Zero(t, s.pagesHeld())
	const live = 10
	for id := uint32(MinObject); id < 100_000; id++ {
		s.Set(id, Object{Data: []byte{byte(id)}})
		if id > live {
			s.Set(id-live, Object{})
			s.Set(id-live, Object{}) // freeing again does nothing
		}
		if id%1000 == 0 {
			s.Set(id, Object{Data: []byte{1, byte(id)}}) // different memory, same number
			assert.Equal(t, []byte{1, byte(id)}, s.Object(uint64(id)).Data)
			assert.LessOrEqual(t, s.pagesHeld(), 2)
		}
	}
	for id := uint32(100_000 - live); id < 100_000; id++ {
		assert.Len(t, s.Object(uint64(id)).Data, 1)
		s.Set(id, Object{})
		assert.Empty(t, s.Object(uint64(id)).Data)
	}
	assert.Zero(t, s.pagesHeld())
}

// TestPart: a part of a Space contains the given objects and textures, writable only if both allow
// it, and all samplers.
func TestPart(t *testing.T) {
	var s Space
	for id := uint32(1); id <= 600; id++ {
		s.Set(id, Object{Data: []byte{byte(id)}, ReadOnly: id == 3})
	}
	image, sampler := &texel.Image{Width: 7}, &texel.Sampler{}
	s.SetTexture(1, image)
	s.SetTexture(2, image)
	s.SetTexture(3, image)
	s.SetSampler(9, sampler)
	p := s.Part(map[uint32]bool{0: true, 1: true, 2: false, 3: true, 600: true, 601: true, MaxObject + 1: true},
		map[uint32]bool{0: true, 1: true, 2: false, 9: true})
	for id := range uint64(700) {
		want := noObject
		if id == 1 || id == 2 || id == 3 || id == 600 {
			want = Object{Data: []byte{byte(id)}, ReadOnly: id == 2 || id == 3}
		}
		assert.Equal(t, want, *p.Object(id), "object %d", id)
	}
	assert.Same(t, image, p.Texture(1))
	assert.Equal(t, &texel.Image{Width: 7, ReadOnly: true}, p.Texture(2))
	assert.False(t, image.ReadOnly)
	assert.Nil(t, p.Texture(3))
	assert.Same(t, sampler, p.Sampler(9))

	s.Set(1, Object{})
	assert.Equal(t, []byte{1}, p.Object(1).Data, "a part is what it was when it was made")
}

package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// pagesHeld is how many pages a Space keeps.
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

// TestSpaceGivesPagesUp goes through numbers as a device does that runs for long: what is held
// follows the objects there are, not the numbers used.
func TestSpaceGivesPagesUp(t *testing.T) {
	var s Space
	s.Set(70_000, Object{}) // nothing to free
	assert.Zero(t, s.pagesHeld())
	const live = 10
	for id := uint32(MinObject); id < 100_000; id++ {
		s.Set(id, Object{Data: []byte{byte(id)}})
		if id > live {
			s.Set(id-live, Object{})
			s.Set(id-live, Object{}) // once more does nothing
		}
		if id%1000 == 0 {
			s.Set(id, Object{Data: []byte{1, byte(id)}}) // other memory, the same number
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

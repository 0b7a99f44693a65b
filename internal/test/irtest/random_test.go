package irtest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestText: parsing the text of a random kernel gives the same kernel, also after dropping unused
// instructions.
func TestText(t *testing.T) {
	for seed := range uint64(300) {
		m := Kernel(rand.New(rand.NewPCG(seed, 7)), Config{Size: 100, Approx: seed%2 == 0})
		for range 2 {
			require.NoError(t, m.Verify(), "seed %d", seed)
			text := m.String()
			again, err := ir.Parse(text)
			require.NoError(t, err, "seed %d\n%s", seed, text)
			require.NoError(t, again.Verify(), "seed %d", seed)
			require.Equal(t, text, again.String(), "seed %d", seed)
			m.Funcs[0].DropUnused()
		}
		n := 0
		m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
			n++
			return true
		})
		m.Funcs[0].DropUnused()
		m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
			n--
			return true
		})
		assert.Zero(t, n, "seed %d: dropping twice drops more", seed)
	}
}

// TestSource: the same bytes make the same kernel, a different byte makes a different one, and any
// number of bytes suffices.
func TestSource(t *testing.T) {
	kernel := func(data ...byte) string {
		m := Kernel(rand.New(Source(data)), Config{Size: 40, Constants: 5, Pieces: 25})
		require.NoError(t, m.Verify())
		return m.String()
	}
	assert.Equal(t, kernel(1, 2, 3), kernel(1, 2, 3))
	assert.NotEqual(t, kernel(1, 2, 3), kernel(1, 2, 4))
	assert.NotEqual(t, kernel(), kernel(0))
	for b := range 64 {
		kernel(byte(b), byte(5*b), byte(b), byte(7*b), 255, byte(b))
	}
	s := Source([]byte{0xa5})
	assert.EqualValues(t, 0xa5, s.Uint64()>>56)
	s = Source([]byte{0xa5})
	assert.EqualValues(t, 0xa5, s.Uint64()&0xff)
}

package irtest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// TestText: the text of a random kernel is read as the same kernel, also when what is not used has been dropped.
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

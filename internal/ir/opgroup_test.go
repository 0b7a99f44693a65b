package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOpGroups checks that every operation has a group, that every group has operations, and that
// groups agree with the operations' names.
func TestOpGroups(t *testing.T) {
	prefixes := map[string]OpGroup{"atomic.": AtomicOps, "quad.": QuadOps, "mat.": MatrixOps, "tex.": TextureOps,
		"command.": CommandOps}
	has := map[OpGroup]bool{}
	for op := OpInvalid + 1; op < numOps; op++ {
		g := op.Group()
		assert.True(t, g > NoGroup && g < numOpGroups, "%v has group %d", op, g)
		has[g] = true
		for prefix, want := range prefixes {
			named := strings.HasPrefix(op.String(), prefix) || op == OpFence && want == AtomicOps
			assert.Equal(t, named, g == want, "%v in group %d", op, want)
		}
		assert.Equal(t, strings.HasPrefix(op.String(), "simd.") && op != OpSimdBarrier, g == SimdOps, "%v among simdgroups",
			op)
		assert.Equal(t, g == SimdOps || g == QuadOps, op.AmongLanes(), op)
		if g == ControlOps {
			assert.True(t, op.Info().Has(Terminator) || op == OpIf || op == OpLoop || op == OpBlock, op)
		} else {
			assert.False(t, op.Info().Has(Terminator), op)
		}
	}
	assert.Len(t, has, int(numOpGroups)-1)
	assert.Equal(t, NoGroup, OpInvalid.Group())
	assert.Equal(t, NoGroup, numOps.Group())
}

// TestOfSimdgroup checks that each quad operation maps to the simdgroup operation of the same name,
// and that other operations are unchanged.
func TestOfSimdgroup(t *testing.T) {
	for op := range numOps + 1 {
		want := op
		if name, ok := strings.CutPrefix(op.String(), "quad."); ok {
			want = OpByName("simd." + name)
		}
		assert.Equal(t, want, op.OfSimdgroup(), op)
	}
}

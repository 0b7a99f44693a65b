package amd64

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetsMask: comparisons, moves to mask registers, gathers and scatters change a mask register,
// and instructions that only read one change none.
func TestSetsMask(t *testing.T) {
	for _, c := range []struct {
		op   Op
		x    Args
		k    uint8
		sets bool
	}{
		{VPCMPUD, Args{D: 3, X: 1, Y: V(2), K: 1}, 3, true},
		{VPTESTMD, Args{D: 1, X: 1, Y: V(1)}, 1, true},
		{KMOVWLoad, Args{D: 2, Y: At(RAX, 0)}, 2, true},
		{KMOVWFromReg, Args{D: 1, Y: G(RAX)}, 1, true},
		{KANDNW, Args{D: 1, X: 2, Y: K(1)}, 1, true},
		{VPMOVD2M, Args{D: 2, Y: V(1)}, 2, true},
		{VPGATHERDD, Args{D: 1, Y: VIndex(RAX, 2, 4, 0), K: 1}, 1, true},
		{VPSCATTERQD, Args{X: 1, Y: VIndex(RAX, 2, 1, 0), K: 2}, 2, true},
		{KMOVWStore, Args{X: 1, Y: At(RAX, 0)}, 0, false},
		{KMOVWToReg, Args{D: 1, Y: K(1)}, 0, false},
		{KORTESTW, Args{X: 1, Y: K(1)}, 0, false},
		{VMOVUPS, Args{D: 1, Y: At(RAX, 0), K: 1}, 0, false},
		{VMOVUPSStore, Args{X: 1, Y: At(RAX, 0), K: 1}, 0, false},
		{MOV64, Args{D: 1, Y: At(RAX, 0)}, 0, false},
	} {
		k, sets := c.op.SetsMask(c.x)
		require.Equal(t, c.sets, sets, "%v", c.op)
		if sets {
			require.Equal(t, c.k, k, "%v", c.op)
		}
	}
}

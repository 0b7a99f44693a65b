package compute

import (
	"os"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/stretchr/testify/require"
)

// TestGroupOperationsWork: kernels that use groups execute no more instructions than the same
// written by hand, weighted by what they cost in the interpreter: at most 2 percent more for the
// whole threadgroup, whose size the kernel by hand takes for granted.
func TestGroupOperationsWork(t *testing.T) {
	softwareOnly(t, "counts work")
	a := accelerator(t)
	if strings.HasPrefix(os.Getenv("PUREMETAL_SOFTWARE_ENGINE"), "jit") {
		t.Skip("machine code counts instructions that it jumps over")
	}
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("the sanitizer runs kernels without optimization")
	}
	kernel, s := kernels(t, a, groupPairs), newStream(t, a)
	const n = 256 // too few threads for machine code
	out := bufferOf(t, a, make([]float32, n)...)
	input := make([]float32, n)
	for i := range input {
		input[i] = float32(i%17) * 2
	}
	in := bufferOf(t, a, input...)
	most := map[string]int64{"block": 102} // percent
	for _, name := range groupPairNames {
		work := func(name string) int64 {
			before, _ := softmetal.Work()
			require.NoError(t, s.Launch(t.Context(), kernel(name), Threads1D(n).In(Extent{X: n}), in, out))
			require.NoError(t, s.Sync(t.Context()))
			after, _ := softmetal.Work()
			return after - before
		}
		groups, hand := work(name), work(name+"_hand")
		t.Logf("%s: %d, %.3f of by hand", name, groups, float64(groups)/float64(hand))
		require.Greater(t, hand, int64(64*n), name)
		require.LessOrEqual(t, 100*groups, max(most[name], 100)*hand, name)
	}
}

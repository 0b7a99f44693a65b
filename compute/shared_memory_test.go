package compute

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThreadgroupMemoryOfOthers: the threadgroup memory of one launch is none of the next, which
// may need all that there is.
func TestThreadgroupMemoryOfOthers(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour})) // so that one encoder has all three
	most := int(a.Info().Limits.MaxThreadgroupMemoryLength)
	load := kernels(t, a, fmt.Sprintf(`
kernel void given(device int *out [[buffer(0)]],
	threadgroup int *shared [[threadgroup(0)]]) { shared[0] = 1; out[0] += shared[0]; }
kernel void second(device int *out [[buffer(0)]],
	threadgroup int *shared [[threadgroup(1)]]) { shared[0] = 10; out[0] += shared[0]; }
kernel void own(device int *out [[buffer(0)]]) { threadgroup int shared[%d]; shared[1] = 100; out[0] += shared[1]; }`, most/4))
	out, s := bufferOf[int32](t, a, 0), newStream(t, a)
	all := ThreadgroupMemory(most)
	require.NoError(t, s.Launch(t.Context(), load("given"), Threads1D(1), out, all))
	require.NoError(t, s.Launch(t.Context(), load("own"), Threads1D(1), out))
	require.NoError(t, s.Launch(t.Context(), load("second"), Threads1D(1), out, all))
	require.NoError(t, s.Sync(t.Context()))
	got, err := out.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{111}, got)
	assert.EqualValues(t, 2, s.Stats().Encoders)

	few, given := ThreadgroupMemory(16), load("given") // of which all have enough
	for range 4 {
		require.NoError(t, s.Launch(t.Context(), given, Threads1D(1), out, few))
	}
	require.NoError(t, s.Sync(t.Context()))
	assert.EqualValues(t, 3, s.Stats().Encoders)
}

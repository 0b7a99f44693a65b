package vm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNarrowRegions: the iterations of the tree are a region in which strips are shorter.
func TestNarrowRegions(t *testing.T) {
	for name, k := range kernelsOf(t, `
kernel void rounds(device uint *out [[buffer(0)]], device const uint *n [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  uint sum = 0;
  for (uint k = 0; k < n[i]; k++) {
    if ((k + i) % 3 == 0) continue;
    sum += k;
  }
  out[i] = sum;
}
kernel void tree(device uint *out [[buffer(0)]], device const uint *n [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                 uint all [[threads_per_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  threadgroup uint s[1024];
  s[t] = n[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 512; d > 0; d >>= 1) {
    if (t < d && t + d < all) s[t] += s[t + d];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = s[0] + t * g;
}
`) {
		p, err := compiled(k, [3]int{256, 1, 1})
		require.NoError(t, err)
		require.Greater(t, p.regions, 1, name)
		widens := 0
		for i := range p.ops {
			if p.ops[i].code == opWiden {
				widens++
			}
		}
		require.NotZero(t, widens, name)
	}
}

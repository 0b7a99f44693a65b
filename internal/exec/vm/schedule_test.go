package vm

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/schedule"
)

// TestSchedule: a kernel whose result depends on the order of simdgroups, or of threadgroups, has
// several results, each the same for the same seed; a correct one has one.
func TestSchedule(t *testing.T) {
	ks := kernelsOf(t, `kernel void simdgroups(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
    uint g [[threadgroup_position_in_grid]]) {
  threadgroup uint s;
  s = t / 32;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (t == 0) out[g] = s;
}
kernel void threadgroups(device uint *out [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) {
  out[0] = g;
}
kernel void right(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
    uint i [[thread_position_in_grid]]) {
  threadgroup uint s[256];
  s[t] = i;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = s[255 - t];
}`)
	e := exec.NewEngine(2)
	defer e.Close()
	run := func(name string, s exec.Schedule) string {
		sp := &exec.Space{}
		data := make([]byte, 1024*4)
		sp.Set(1, exec.Object{Data: data})
		require.NoError(t, e.Run(context.Background(), ks[name], &exec.Launch{Schedule: s, Grid: [3]int{1024},
			Group: [3]int{256}, Space: sp, Buffers: []uint64{exec.Address(1, 0)}}))
		return string(data)
	}
	for name, several := range map[string]bool{"simdgroups": true, "threadgroups": true, "right": false} {
		results := map[string]bool{}
		for seed := range schedule.Seed(12) {
			result := run(name, seed+1)
			results[result] = true
			assert.Equal(t, result, run(name, seed+1), "%s, seed %d", name, seed+1)
		}
		assert.Equal(t, several, len(results) > 1, name)
		if name == "right" {
			assert.True(t, results[run(name, schedule.Seed(0))])
			want := binary.LittleEndian.AppendUint32(nil, 255)
			assert.Equal(t, string(want), run(name, schedule.Seed(7))[:4])
		}
	}
}

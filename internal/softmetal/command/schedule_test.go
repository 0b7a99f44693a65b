package command

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/schedule"
)

// TestSchedule: dispatches have the order of the limits.
func TestSchedule(t *testing.T) {
	last := func(s exec.Schedule) uint32 {
		r := newRig(t, Limits{Schedule: s})
		m, diags := msl.Compile(context.Background(), msl.Source{Text: `#include <metal_stdlib>
using namespace metal;
kernel void last(device uint *out [[buffer(0)]], uint g [[threadgroup_position_in_grid]]) { out[0] = g; }`},
			msl.Options{})
		require.Empty(t, diags)
		r.module = m.IR
		x, mem := r.words(99)
		b := r.gpu.NewQueue(0).NewBuffer()
		r.encode(b, r.kernel("last"), 64*50, x)
		require.True(t, b.Commit("commit"))
		b.WaitCompleted()
		require.NoError(t, b.Err())
		return read(mem)[0]
	}
	seen := map[uint32]bool{}
	for s := range schedule.Seed(8) {
		g := last(s + 1)
		assert.Equal(t, g, last(s+1), "seed %d", s+1)
		seen[g] = true
	}
	assert.Greater(t, len(seen), 3)
}

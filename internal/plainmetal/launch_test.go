//go:build !puremetal_nosoftware

package plainmetal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/plainmetal"
)

// TestLaunches: kernels that launch others become plain source that compiles.
func TestLaunches(t *testing.T) {
	p, err := plainmetal.Source(context.Background(), plainmetal.Options{Name: "launch.metal", Language: 320, Text: `
#include <metal_stdlib>
#include <puremetal/cooperative>
struct Range { uint from, to; };
kernel void split(device uint *data [[buffer(0)]], constant Range &range [[buffer(1)]],
                  device puremetal::launcher &launcher [[buffer(30)]], uint i [[thread_position_in_grid]]) {
    uint n = range.to - range.from;
    if (n < 2 || i > 1) return;
    Range half = {range.from + i * n / 2, range.from + (i + 1) * n / 2};
    auto first = puremetal::launch(launcher, 0, 2, 32, data, half);
    puremetal::launch_after(launcher, first, 1, uint2(n, 1), uint3(8, 1, 1), data + half.from, data + 1,
                             half.to, n, float4(n));
    puremetal::continue_with(launcher, 1, n, 64, (constant Range *)&range, half);
}`})
	require.NoError(t, err)
	m, diags := msl.Compile(context.Background(), msl.Source{Text: p.Text}, msl.Options{Math: "safe", Verify: true})
	require.Empty(t, diags, p.Text)
	require.NotNil(t, m.IR.Func("split"))
}

// TestLauncherIndex: a kernel that launches without a launcher cannot use its buffer index.
func TestLauncherIndex(t *testing.T) {
	_, err := plainmetal.Source(context.Background(), plainmetal.Options{Name: "launch.metal", Language: 320, Text: `
#include <puremetal/launch>
kernel void k(device uint *data [[buffer(30)]]) { puremetal::launch(0, 1, 1, data); }`})
	require.ErrorContains(t, err, "a launch without a launcher, which takes buffer index 30, "+
		"in a kernel that uses it for 'data'")
}

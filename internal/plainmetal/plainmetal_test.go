//go:build !puremetal_nosoftware

package plainmetal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/plainmetal"
)

// TestSource: a kernel that synchronizes the grid becomes plain source that compiles.
func TestSource(t *testing.T) {
	p, err := plainmetal.Source(context.Background(), plainmetal.Options{Name: "grid.metal", Language: 320, Text: `
#include <metal_stdlib>
#include <puremetal/cooperative>
kernel void shifted(device uint *data [[buffer(0)]], constant uint &by [[buffer(3)]],
                    uint i [[thread_position_in_grid]], uint n [[threads_per_grid]],
                    uint j [[thread_index_in_threadgroup]]) {
    threadgroup uint ids[64];
    ids[j] = i;
    uint mine = data[i];
    if (i == 5) return;
    puremetal::this_grid().sync();
    uint other = data[(i + by) % n];
    puremetal::this_grid().sync();
    data[i] = mine * 1000 + other + ids[j];
}`})
	require.NoError(t, err)
	require.Equal(t, 3, p.Phased["shifted"].Phases)
	m, diags := msl.Compile(context.Background(), msl.Source{Text: p.Text}, msl.Options{Math: "safe", Verify: true})
	require.Empty(t, diags, p.Text)
	require.NotNil(t, m.IR.Func("shifted"))
}

// TestWarnings: a source that the compiler warns about is translated; only errors are mistakes.
func TestWarnings(t *testing.T) {
	_, err := plainmetal.Source(context.Background(), plainmetal.Options{Name: "grid.metal", Language: 320, Text: `
#include <metal_stdlib>
#include <puremetal/cooperative>
kernel void k(device uint *data [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i < i) data[i] = 1;
    puremetal::this_grid().sync();
    data[i] = 2;
}`})
	require.NoError(t, err)
}

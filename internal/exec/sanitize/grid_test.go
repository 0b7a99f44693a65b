package sanitize_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

// TestGridBarriers: a grid barrier orders accesses of different threadgroups; without it they race.
func TestGridBarriers(t *testing.T) {
	for _, c := range []struct {
		name, body string
		races      int
	}{
		{"ordered", "a[i] = i; grid.sync(); uint x = a[(i + 70) % 256]; grid.sync(); a[i] = x;", 0},
		{"many readers", "a[i] = i; grid.sync(); uint x = a[0]; grid.sync(); a[i] = x;", 0},
		{"returned", "a[i] = i; if (i < 128) return; grid.sync(); a[i - 128] = a[i];", 0},
		{"in a loop", "for (uint k = 0; k < 4; k++) { a[(i + k) % 256] = i; grid.sync(); }", 0},
		{"atomic, then plain", "atomic_fetch_add_explicit((device atomic_uint *)a, 1, memory_order_relaxed); grid.sync(); " +
			"if (i == 200) a[0] = 1;", 0},
		{"too early", "a[i] = i; uint x = a[(i + 70) % 256]; grid.sync(); a[i] = x;", 1},
		{"too late", "a[i] = i; grid.sync(); uint x = a[(i + 70) % 256]; a[i] = x;", 1},
		{"none after", "grid.sync(); a[0] = i;", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raceDetector && c.races > 0 {
				t.Skip("the race detector fails the test for the kernel's race")
			}
			m, diags := msl.Compile(context.Background(), msl.Source{Name: "grid.metal", Text: `#include <puremetal/cooperative>
using namespace metal;
kernel void k(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  auto grid = puremetal::this_grid();
  ` + c.body + "\n}\n"}, msl.Options{KeepUninitialized: true, NoWarnings: true})
			require.Empty(t, diags)
			s := sanitize.New(sanitizer.All, nil)
			require.NoError(t, run(t, m.IR.Func("k"), 1024, "", 256, 64, s))
			races := 0
			for _, f := range s.Findings() {
				require.Equal(t, sanitizer.Race, f.Kind, f)
				races = 1
			}
			require.Equal(t, c.races, races)
		})
	}
}

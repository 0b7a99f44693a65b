package affine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
	"github.com/puremetal/puremetal/internal/msl"
)

func compile(t *testing.T, source string) *ir.Func {
	t.Helper()
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "k.metal",
		Text: "#include <metal_stdlib>\nusing namespace metal;\n" + source}, msl.Options{NoWarnings: true})
	require.Empty(t, diags, source)
	require.Len(t, m.IR.Funcs, 1)
	return m.IR.Funcs[0]
}

// TestDataDependent: what depends on data is not claimed.
func TestDataDependent(t *testing.T) {
	for _, c := range []struct {
		index   string
		claimed bool
	}{
		{"i", true}, {"n", true}, {"b[0]", true}, {"b[n] + i * n", true}, {"i * i", true},
		{"b[i]", false}, {"b[i] + i", false}, {"i < n ? i : 0", false}, {"i / n", false}, {"i & n", false},
		{"min(i, n)", false}, {"min(i, 9u)", true}, {"max(int(i) - 3, 0)", true}, {"clamp(int(i), -4, 50)", true},
		{"min(i - 1, 9u)", false}, // wraps for i = 0
		{"uint(float(i))", false}, {"simd_sum(i)", true}, {"simd_shuffle(i, 3)", false},
		{"i * i * i * i", false}, {"~i", false}, {"uchar(i)", true}, {"popcount(i)", false},
	} {
		f := compile(t, `kernel void k(device uint *a [[buffer(0)]], device const uint *b [[buffer(1)]],
			constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) { a[`+c.index+`] = 1; }`)
		k := affine.Of(f)
		last := k.Accesses[len(k.Accesses)-1]
		require.Equal(t, ir.OpStore, last.Instr.Op)
		assert.Equal(t, c.claimed, last.Address != nil, c.index)
	}
}

// TestNesting: functions of functions do not make the analysis slow. Without a limit, each line
// would double the work.
func TestNesting(t *testing.T) {
	f := compile(t, `kernel void k(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		uint x = i;
		`+strings.Repeat("x = (x ^ 5) + (x >> 1) + (x / 3) + (x & 6);\n", 300)+`
		a[x] = 1;
		a[((i ^ 1) >> 1) % 8] = 2;
	}`)
	k := affine.Of(f)
	require.Len(t, k.Accesses, 2)
	assert.Nil(t, k.Accesses[0].Address)
	require.NotNil(t, k.Accesses[1].Address)
	_, ok := k.Accesses[1].Address.Lanes([3]int{64, 1, 1}, 0)
	assert.True(t, ok)
}

// TestTrips: trip counts by hand.
func TestTrips(t *testing.T) {
	for _, c := range []struct {
		loop  string
		n     int64
		exact bool
		ok    bool
	}{
		{"for (int k = 0; k < 10; k++) a[k] = 1;", 10, true, true},
		{"for (int k = 0; k <= 10; k += 3) a[k] = 1;", 4, true, true},
		{"for (int k = 10; k >= 0; k--) a[k] = 1;", 11, true, true},
		{"for (uint k = 64; k > 0; k -= 16) a[k] = 1;", 4, true, true},
		{"for (uint k = 3; k != 9; k += 2) a[k] = 1;", 3, true, true},
		{"for (uint k = 3; k != 8; k += 2) a[k] = 1;", 0, false, false},
		{"for (int k = 5; k < 5; k++) a[k] = 1;", 0, true, true},
		{"for (uint k = 0; k < n; k++) a[k] = 1;", 0, false, false},
		{"for (uint k = 64; k > 0; k /= 2) a[k] = 1;", 0, false, false},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) break; a[k] = 1; }", 10, false, true},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) return; a[k] = 1; }", 10, false, true},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) continue; a[k] = 1; }", 10, true, true},
		{"uint k = 0; do { a[k] = 1; k++; } while (k < 6);", 6, true, true},
		{"while (a[0] < 3) a[0] += 1;", 0, false, false},
	} {
		f := compile(t, "kernel void k(device float *a [[buffer(0)]], constant uint &n [[buffer(1)]]) {"+c.loop+"}")
		k := affine.Of(f)
		found := false
		f.Body.Walk(func(in *ir.Instr) bool {
			if in.Op == ir.OpLoop {
				found = true
				n, exact, ok := k.Trips(in)
				assert.Equal(t, c.ok, ok, c.loop)
				if ok {
					assert.Equal(t, c.n, n, c.loop)
					assert.Equal(t, c.exact, exact, c.loop)
				}
			}
			return true
		})
		assert.True(t, found, c.loop)
	}
}

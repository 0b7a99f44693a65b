package exectest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestRaces: accesses by two threads to one place are reported if and only if nothing orders them.
func TestRaces(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"own places", "out[i] = out[i] + 1;", ""},
		{"one place", "out[0] = i;",
			"threadgroup 0, thread 1 writes device memory that thread 0 of threadgroup 0 has written"},
		{"one value", "out[0] = 7;", ""},
		{"neighbors", "out[i] = out[i + 1] + 1;", "has read"},
		{"only reads", "out[128 + i] = out[0] + out[i ^ 1] + 1;", ""},
		{"read behind a write", "out[i] = i + 1; out[128 + i] = out[i ^ 1];",
			"reads device memory that thread 1 of threadgroup 0 has written"},
		{"barrier", "out[i] = i; threadgroup_barrier(mem_flags::mem_device); out[128 + i] = out[i ^ 1];", ""},
		{"barrier and another threadgroup",
			"out[i] = i; threadgroup_barrier(mem_flags::mem_device); out[128 + i] = out[(i + 64) & 127];",
			"of threadgroup 0 has"},
		{"threadgroup memory", "s[t] = i; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[63 - t];", ""},
		{"threadgroup memory without barrier", "s[t] = i; out[i] = s[63 - t];", "threadgroup memory"},
		{"threadgroup memory again",
			"for (uint k = 0; k < 2; k++) { s[t] = i + k; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] += s[63 - t]; }", "has read"},
		{"simdgroup", "s[t] = i; simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[t ^ 1]; simdgroup_barrier(mem_flags::mem_threadgroup); s[t] = 5;", ""},
		{"among lanes", "s[t] = i; uint all = simd_sum(s[t ^ 1]); s[t] = all;", "thread 1 of threadgroup 0 has written"},
		{"among lanes in between", "s[t] = i; uint x = simd_sum(i); s[t ^ 1] = simd_sum(s[t ^ 2] + x);", ""},
		{"two simdgroups in turn", "s[t] = i; threadgroup_barrier(mem_flags::mem_threadgroup); uint x = simd_sum(s[t & 31]); s[t] = x;", "and others of its threadgroup have read"},
		{"passed over by a barrier",
			"if (t != 3) { threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[3]; } else s[3] = 7;",
			"thread 3 writes threadgroup memory that thread 0"},
		{"passed over and on", "if (t != 3) { s[t] = i; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[t ^ 63]; } out[i + 128] = 1;", ""},
		{"passed over and back", "if (t != 3) threadgroup_barrier(mem_flags::mem_threadgroup); s[t] = i; out[i] = s[t ^ 4];",
			"has written"},
		{"two simdgroups", "s[t] = i; simdgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[t ^ 32];",
			"thread 32 of threadgroup 0 has written"},
		{"atomic", "atomic_fetch_add_explicit((device atomic_uint *)out, 1u, memory_order_relaxed);", "has written"},
		{"bytes", "((device uchar *)out)[i] = i;", ""},
		{"word and byte", "if (i == 0) out[0] = 0x01020304; else if (i < 8) ((device uchar *)out)[i] = 9;", "has written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, diags := msl.Compile(context.Background(),
				msl.Source{Name: "races.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" +
					"kernel void k(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) { threadgroup uint s[64]; " + c.body + "}"},
				msl.Options{NoWarnings: true})
			require.Empty(t, diags)
			r := &Races{}
			l := testlaunch.Launch{Grid: [3]int{128}, Group: [3]int{64},
				Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 2048)}}}
			l.Hook = r
			require.NoError(t, Quick.Run(m.IR.Funcs[0], &l))
			if c.want == "" {
				assert.Empty(t, r.Found)
			} else {
				assert.Contains(t, r.Found, c.want)
			}
		})
	}
}

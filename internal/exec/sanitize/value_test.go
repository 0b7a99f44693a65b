package sanitize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/sanitizer"
)

// TestValues: findings have the values of both accesses. Word i of the buffer is 7*i+1 before. The
// later access of a race is that of a higher lane or a later line.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		name, body, value, other string
	}{
		{"write and write", "a[0] = t + 5;", "int 6", "int 5"},
		{"write and write below 0", "((device short *)a)[0] = -1 - short(t);", "short -2 (0xfffe)", "short -1 (0xffff)"},
		{"write and read", "a[t] = t + 5; uint x = a[(t + 1) % 64]; a[t + 100] = x;", "int 6", "int 6"},
		{"read and write", "uint x = a[(t + 1) % 64]; a[t] = x + 1;", "int 9", "int 1"},
		{"float", "device float *f = (device float *)a; f[t] = t * 0.5f; f[t + 200] = f[(t + 3) % 64];",
			"float 1.5", "float 1.5"},
		{"not a number", "((device float *)a)[0] = t == 0 ? NAN : -INFINITY;", "float -Inf", "float NaN"},
		{"half", "((device half *)a)[3] = t + 0.5h;", "half 1.5", "half 0.5"},
		{"bfloat", "((device bfloat *)a)[3] = bfloat(t) + 2.0bf;", "bfloat 3", "bfloat 2"},
		{"bool, what memory held before", "((device bool *)a)[9] = t % 2 == 0;", "bool false", "bool true"},
		{"long", "((device long *)a)[1] = long(t) << 33;", "long 8589934592", "long 0"},
		{"component of a vector", "((device float4 *)a)[2] = float4(9, 9, t, 9);", "float 1", "float 0"},
		{"byte of a word", "if (t == 0) a[1] = 0x04030201; if (t == 1) ((device uchar *)a)[6] = 9;",
			"char 9", "int 67305985"},
		{"word over bytes", "if (t == 0) ((device uchar *)a)[6] = 9; if (t == 1) a[1] = 5;", "int 5", "char 9"},
		{"atomic change of what is plainly written", "if (t == 3) a[2] = 40; if (t == 4) atomic_fetch_add_explicit(" +
			"(device atomic_uint *)a + 2, 2, memory_order_relaxed);", "int 40", "int 40"},
		{"read of what is changed atomically", "if (t == 3) atomic_fetch_add_explicit((device atomic_uint *)a + 2, 2, " +
			"memory_order_relaxed); if (t == 4) a[200] = a[2];", "int 17", "int 17"},
		{"plain write of what is written atomically", "if (t == 3) atomic_store_explicit((device atomic_uint *)a + 2, 2, " +
			"memory_order_relaxed); if (t == 4) a[2] = 9;", "int 9", "int 2"},
		{"atomic write of what is written plainly", "if (t == 3) a[2] = 9; if (t == 4) atomic_store_explicit(" +
			"(device atomic_uint *)a + 2, 2, memory_order_relaxed);", "int 2", ""},
		{"threadgroup memory", "threadgroup float s[64]; s[t] = t + 0.25; ((device float *)a)[t] = s[63 - t];",
			"float 63.25", "float 63.25"},
		{"texels", "tex.write(uint4(t + 1, 2, 3, 4), uint2(0));", "int4 (2, 2, 3, 4)", "int4 (1, 2, 3, 4)"},
		{"texel read", "tex.write(uint4(t + 1, 2, 3, 4), uint2(t % 16, t / 16)); " +
			"a[t] = tex.read(uint2(t % 16, 3 - t / 16)).x;",
			"int4 (49, 2, 3, 4)", "int4 (49, 2, 3, 4)"},
		{"copy of a structure", "struct S { uint x[4]; }; device S *s = (device S *)a; if (t == 0) a[1] = 5; " +
			"if (t == 1) s[7] = s[0];",
			"", "int 5"},
		{"outside, a write", "a[t + 1000] = t + 7;", "int 31", ""},
		{"outside, a read", "uint x = a[t * 100000]; a[t] = x;", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raceDetector {
				t.Skip("the race detector fails the test for the kernel's race")
			}
			m, diags := msl.Compile(t.Context(), msl.Source{Name: "k.metal", Text: `#include <metal_stdlib>
using namespace metal;
kernel void k(device uint *a [[buffer(0)]], texture2d<uint, access::read_write> tex [[texture(0)]],
              uint t [[thread_index_in_threadgroup]]) {
  ` + c.body + "\n}\n"}, msl.Options{KeepUninitialized: true, NoWarnings: true})
			require.Empty(t, diags)
			s := sanitize.New(sanitizer.All, nil)
			require.NoError(t, run(t, m.IR.Func("k"), 4096, "RGBA32Uint", 64, 64, s))
			list := s.Findings()
			require.NotEmpty(t, list)
			f, text := list[0], func(v sanitizer.Value) string {
				if v == (sanitizer.Value{}) {
					return ""
				}
				return v.String()
			}
			assert.Equal(t, c.value, text(f.Value), f)
			if f.Other != nil {
				assert.Equal(t, c.other, text(f.Other.Value), f)
			} else {
				assert.Empty(t, c.other)
			}
		})
	}
}

package translate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/translate"
)

// TestRefusedTogether translates a file whose kernels are refused one by one: the report names
// each, and the kernel without a fault is written.
func TestRefusedTogether(t *testing.T) {
	r, err := translate.Source(t.Context(), `int f(int x) { return x < 2 ? 1 : f(x - 1); }
__kernel void calls(__global int *x) { x[0] = f(x[1]); }
__kernel void good(__global int *x) { x[get_global_id(0)] += 1; }
__kernel void jumps(__global int *x) { again: if (x[0]++ < 5) goto again; }
__kernel void wide(__global double *x) { x[0] = 1; }
__kernel void points(__global int *x, float4 v) { x[0] = ((int4)(v)).x; }
__kernel void adds(__global ulong *x) { atom_add(x, 1UL); }
__kernel void sends(__global int *x) { enqueue_kernel(get_default_queue(), 0, x); }
`, translate.Options{Name: "many.cl"})
	require.NoError(t, err)
	require.Len(t, r.Kernels, 1)
	assert.Equal(t, "good", r.Kernels[0].Name)
	codes := map[string]string{}
	for _, m := range r.Refused {
		assert.Equal(t, "many.cl", m.File)
		assert.NotZero(t, m.Column)
		if codes[m.Kernel] == "" {
			codes[m.Kernel] = m.Code
		}
	}
	assert.Equal(t, map[string]string{"calls": translate.CodeUnsupported, "jumps": translate.CodeUnsupported,
		"wide": "T0001", "points": translate.CodeError, "adds": "T0002", "sends": "T0003"}, codes)
}

package msl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestForeign: names of CUDA, OpenCL and C are answered with what Metal has.
func TestForeign(t *testing.T) {
	for body, want := range map[string]string{
		"__syncthreads();":      "Metal has 'threadgroup_barrier(mem_flags::mem_threadgroup)'",
		"x[threadIdx.x] = 1;":   "Metal has '[[thread_position_in_threadgroup]]'",
		`printf("%f\n", x[0]);`: `Metal has 'os_log_default.log("...", values)' in <metal_logging>`,
	} {
		_, diags := Compile(t.Context(), Source{Text: "kernel void f(device float *x) { " + body + " }"}, Options{})
		require.Len(t, diags, 1, body)
		assert.Contains(t, diags[0].Message, want)
	}
}

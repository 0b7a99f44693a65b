package ops

import (
	"context"
	"errors"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMatMulMethod: the method depends on shape, family and pipeline; the product does not.
func TestMatMulMethod(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		name     string
		matrices bool
		unfit    error // of the pipeline
		m, n, k  int
		want     Method
	}{
		{"large on Apple7", true, nil, 32, 32, 16, SimdgroupMatrices},
		{"few rows", true, nil, 31, 32, 16, Tiled},
		{"few columns", true, nil, 32, 31, 16, Tiled},
		{"short sums", true, nil, 32, 32, 15, Tiled},
		{"large on another family", false, nil, 64, 64, 64, Tiled},
		{"no pipeline", true, errors.New("the compiler failed"), 64, 64, 64, Tiled},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := New(r.acc)
			defer o.Close()
			o.matrices = c.matrices
			if c.unfit != nil {
				o.unfit[simdgroupKernel[float32]()] = c.unfit
			}
			got, err := MatMulMethod[float32](t.Context(), o, c.m, c.n, c.k)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)

			a, av := random(r, singles(), c.m, c.k)
			b, bv := random(r, singles(), c.k, c.n)
			out, _ := random(r, singles(), c.m, c.n)
			before := r.acc.Stats().Launches
			require.NoError(t, MatMul(t.Context(), o, r.s, out, a, b))
			require.NoError(t, r.s.Sync(t.Context()))
			assert.Equal(t, before+1, r.acc.Stats().Launches)
			product, err := out.Buffer.Data()
			require.NoError(t, err)
			want := make([]float64, c.m*c.n)
			for i := range c.m {
				for j := range c.n {
					for k := range c.k {
						want[i*c.n+j] += av[i*c.k+k] * bv[k*c.n+j]
					}
				}
			}
			computetest.AllClose(t, product, want, computetest.Tolerance{Abs: 1e-3}, c.m, c.n)
		})
	}
}

// TestSimdgroupsFit: a pipeline does not fit if its simdgroups have another size, or if it allows
// fewer threads than the kernel is launched with.
func TestSimdgroupsFit(t *testing.T) {
	assert.NoError(t, simdgroupsFit(32, 128))
	assert.NoError(t, simdgroupsFit(32, 1024))
	assert.ErrorContains(t, simdgroupsFit(64, 1024), "simdgroups of 64")
	assert.ErrorContains(t, simdgroupsFit(16, 1024), "want 32")
	assert.ErrorContains(t, simdgroupsFit(32, 96), "at most 96 threads")
}

// TestSimdgroupsAsked: a device whose compiler refuses the kernel is asked once and uses the tiled
// one; a canceled call says nothing about the device.
func TestSimdgroupsAsked(t *testing.T) {
	r := newRig(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.o.simdgroups(ended, simdgroupKernel[float32]())
	require.Error(t, err)
	require.Empty(t, r.o.unfit)

	const refused = "matmul_simdgroup_none" // no pipeline comes of it
	unfit, err := r.o.simdgroups(t.Context(), refused)
	require.NoError(t, err)
	require.ErrorIs(t, unfit, compute.ErrNoKernel)
	misses := r.acc.CacheStats().KernelMisses
	again, err := r.o.simdgroups(t.Context(), refused)
	require.NoError(t, err)
	assert.Equal(t, unfit, again)
	assert.Equal(t, misses, r.acc.CacheStats().KernelMisses)

	r.o.Close()
	_, err = r.o.simdgroups(t.Context(), simdgroupKernel[float32]())
	require.ErrorIs(t, err, compute.ErrClosed)
	assert.Equal(t, []string{"tiled", "simdgroup matrices", "Method(2)"}, []string{Tiled.String(),
		SimdgroupMatrices.String(), Method(2).String()})
}

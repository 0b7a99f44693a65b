package ops

import (
	"testing"

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
		m, n, k  int
		want     Method
	}{
		{"large on Apple7", true, 32, 32, 16, SimdgroupMatrices},
		{"few rows", true, 31, 32, 16, Tiled},
		{"few columns", true, 32, 31, 16, Tiled},
		{"short sums", true, 32, 32, 15, Tiled},
		{"large on another family", false, 64, 64, 64, Tiled},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := New(r.acc)
			defer o.Close()
			o.own.GPU, o.own.Matrices = true, c.matrices
			a, av := random(r, singles(), c.m, c.k)
			b, bv := random(r, singles(), c.k, c.n)
			out, _ := random(r, singles(), c.m, c.n)
			got, err := MatMulMethod(t.Context(), o, out, a, b)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
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

// TestMethodRefused: the method of a product that cannot be computed is that product's error.
func TestMethodRefused(t *testing.T) {
	r := newRig(t)
	a := empty[float32](r, 4, 6)
	_, err := MatMulMethod(t.Context(), r.o, a, a, a)
	require.ErrorIs(t, err, ErrShape)
	assert.Equal(t, []string{"tiled", "simdgroup matrices", "MPS", "Method(3)"}, []string{Tiled.String(),
		SimdgroupMatrices.String(), MPS.String(), Method(3).String()})
}

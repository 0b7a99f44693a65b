package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// TestPack packs weights and unpacks them: the errors are at most what the formats allow, blocks of
// zeros stay zeros, and what is unpacked is packed to the same again where the format keeps it.
func TestPack(t *testing.T) {
	acc, err := compute.Open()
	require.NoError(t, err)
	defer func() { assert.NoError(t, acc.Close(t.Context())) }()
	e, err := tensor.New(acc)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close(t.Context())) }()
	random := rand.New(rand.NewPCG(3, 4))
	const rows, columns = 5, 512
	x, ternary := make([]float32, rows*columns), make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(random.NormFloat64()) * float32(math.Exp2(float64(i/256%5-2)))
		ternary[i] = float32(random.IntN(3)-1) * 0.75
	}
	clear(x[256:512])
	for _, c := range []struct {
		format      tensor.Format
		bits, group int
		// most is the largest error, as a part of the largest magnitude of a block of so many elements.
		block int
		most  float64
		// mean is the largest mean square of errors, as a part of that of the weights.
		mean float64
	}{
		{tensor.Q8_0, 0, 0, 32, 0.5/127 + 1e-3, 1e-4},
		{tensor.Q4_0, 0, 0, 32, 1.0/8 + 1e-3, 0.01},
		{tensor.Q4_K, 0, 0, 32, 0.15, 0.006},
		{tensor.MXFP4, 0, 0, 32, 0.26, 0.02},
		{tensor.MLXAffine, 2, 32, 32, 0.7, 0.2},
		{tensor.MLXAffine, 3, 64, 64, 0.3, 0.05},
		{tensor.MLXAffine, 4, 64, 64, 0.14, 0.01},
		{tensor.MLXAffine, 5, 128, 128, 0.07, 0.005},
		{tensor.MLXAffine, 6, 32, 32, 0.035, 0.001},
		{tensor.MLXAffine, 8, 64, 64, 0.01, 1e-4},
	} {
		what := fmt.Sprint(c.format, c.bits, c.group)
		s := e.Scope(t.Context())
		p, err := s.Pack(tensor.Of(s, x, rows, columns), c.format, c.bits, c.group)
		require.NoError(t, err, what)
		u := s.Unpack(p, tensor.Float32)
		y, err := tensor.Data[float32](t.Context(), u)
		require.NoError(t, err, what)
		var squares, errors float64
		for at := 0; at < len(x); at += c.block {
			most, worst := 0.0, 0.0
			for i := at; i < at+c.block; i++ {
				d := float64(x[i] - y[i])
				most, worst = max(most, math.Abs(float64(x[i]))), max(worst, math.Abs(d))
				squares, errors = squares+float64(x[i])*float64(x[i]), errors+d*d
			}
			assert.LessOrEqual(t, worst, c.most*most, "%s: elements from %d", what, at)
		}
		assert.Less(t, errors, c.mean*squares, what)
		s.Close()
	}
	for _, f := range []tensor.Format{tensor.TQ2_0, tensor.I2_S} {
		s := e.Scope(t.Context())
		p, err := s.Pack(tensor.Of(s, ternary, rows, columns), f, 0, 0)
		require.NoError(t, err)
		y, err := tensor.Data[float32](t.Context(), s.Unpack(p, tensor.Float32))
		require.NoError(t, err)
		assert.Equal(t, ternary, y, "%v keeps ternary weights", f)
		s.Close()
	}
	s := e.Scope(t.Context())
	defer s.Close()
	_, err = s.Pack(tensor.Of(s, x[:100], 1, 100), tensor.Q8_0, 0, 0)
	assert.ErrorIs(t, err, tensor.ErrShape)
	s = e.Scope(t.Context())
	defer s.Close()
	_, err = s.Pack(tensor.Of(s, x, rows, columns), tensor.Q6_K, 0, 0)
	assert.ErrorIs(t, err, tensor.ErrType)
}

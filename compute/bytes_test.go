package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBytes: a structure's bytes are an argument; their number is checked.
func TestBytes(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, `
struct P { int n; float x; };
kernel void f(device float *out, constant P &p) { out[0] = p.x * float(p.n); }`)("f")
	s, out := newStream(t, a), bufferOf[float32](t, a, 0)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), out, Bytes{3, 0, 0, 0, 0, 0, 0, 0x40}))
	require.NoError(t, s.Sync(t.Context()))
	data, err := out.Data()
	require.NoError(t, err)
	assert.EqualValues(t, 6, data[0])

	for text, args := range map[string][]any{
		"4 bytes, but Metal's struct has 8":             {out, Bytes{1, 2, 3, 4}},
		"0 bytes; arguments by value have 1 to 4096":    {out, Bytes{}},
		"the kernel writes the argument":                {Bytes{1, 2, 3, 4}, out},
		"5000 bytes; arguments by value have 1 to 4096": {out, make(Bytes, 5000)},
	} {
		_, err := k.Bind(Threads1D(1), args...)
		assert.ErrorIs(t, err, ErrInvalidLaunch)
		assert.ErrorContains(t, err, text)
	}
}

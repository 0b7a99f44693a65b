package vm

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// TestAffineWraps: a number that a loop adds to wraps in the iteration in which it exceeds 32 bits,
// not to what an earlier iteration has left behind.
func TestAffineWraps(t *testing.T) {
	k := kernelsOf(t, `
kernel void wraps(device long *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  int a = int(i) * 20000000 - 7;
  uint b = i * 50000000 + 5;
  long sum = 0;
  for (int k = 0; k < 9; k++) {
    sum = sum * 3 + long(a) + long(b) * 5;
    a += 300000000;
    b -= 700000000;
  }
  out[i] = sum;
}`)["wraps"]
	const threads = 40
	out := make([]byte, 8*threads)
	sp := &exec.Space{}
	sp.Set(1, exec.Object{Data: out})
	e := exec.NewEngine(1)
	defer e.Close()
	require.NoError(t, e.Run(t.Context(), k, &exec.Launch{Grid: [3]int{threads}, Group: [3]int{threads}, Space: sp,
		Buffers: []uint64{exec.Address(1, 0)}}))
	for i := range threads {
		a, b := int32(i)*20000000-7, uint32(i)*50000000+5
		sum := int64(0)
		for range 9 {
			sum = sum*3 + int64(a) + int64(b)*5
			a += 300000000
			b -= 700000000
		}
		require.Equal(t, sum, int64(binary.LittleEndian.Uint64(out[8*i:])), "thread %d", i)
	}
}

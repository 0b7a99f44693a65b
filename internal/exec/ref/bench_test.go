package ref

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// BenchmarkRun runs 13 instructions in each of 4096 threads.
func BenchmarkRun(b *testing.B) {
	text, err := os.ReadFile("../../../testdata/ir/saxpy.ir")
	require.NoError(b, err)
	m, err := ir.Parse(string(text))
	require.NoError(b, err)
	const n = 4096
	l := testlaunch.Launch{Grid: [3]int{n}, Group: [3]int{256},
		Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 4*n)}, 1: {Data: make([]byte, 4*n)},
			2: {Data: make([]byte, 4)}}}
	for b.Loop() {
		require.NoError(b, l.Run(context.Background(), m.Funcs[0], Run))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/thread")
}

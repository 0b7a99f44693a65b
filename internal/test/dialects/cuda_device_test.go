package dialects

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCUDADevice compares values with those of an NVIDIA H200; testdata/cuda/device.txt has them.
// Numbers that are none have other bits there, and normal numbers are compared in thousandths.
func TestCUDADevice(t *testing.T) {
	m := compileFile(t, "cuda/device.cu")
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "cuda", "device.txt"))
	require.NoError(t, err)
	kernel, threads := "", 0
	var want []int32
	check := func() {
		if kernel == "" {
			return
		}
		have := make([]int32, len(want))
		args := []any{have}
		if kernel == "language" { // the memory whose length the host gives
			args = append(args, local(512))
		}
		run(t, m, kernel, line(threads, threads), args...)
		for i, w := range want {
			h := have[i]
			f := float64(math.Float32frombits(uint32(h)))
			switch {
			case w == 0x7fffffff && math.IsNaN(f), w == 0x7fff && h == 0x7e00:
				continue
			case kernel == "randoms" && i < 72 && i%12 >= 7 && i%12 < 11 && (h-w == 1 || w-h == 1):
				continue
			}
			assert.Equal(t, w, h, "value %d of %s", i, kernel)
		}
		want = nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if _, err := strconv.Atoi(fields[0]); err != nil {
			check()
			kernel = fields[0]
			threads, err = strconv.Atoi(fields[1])
			require.NoError(t, err)
			continue
		}
		for _, f := range fields {
			n, err := strconv.ParseInt(f, 10, 32)
			require.NoError(t, err)
			want = append(want, int32(n))
		}
	}
	check()
}

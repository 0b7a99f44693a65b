package dialects

import (
	"testing"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestCUDANarrow: a number that is too large for 8 or 16 bits becomes an integer of 32 bits first,
// as on devices of NVIDIA; testdata/cuda/device.txt has more of their values.
func TestCUDANarrow(t *testing.T) {
	values(t, dialect.CUDA, "", "float large = 300.0f + zero, negative = -5.0f + zero; unsigned char byte = large; "+
		"signed char sign = negative; short half_word = large * 300.0f;", []value{
		{"int", "byte", int32(44)},
		{"int", "(unsigned char)negative", int32(0)},
		{"int", "sign", int32(-5)},
		{"int", "half_word", int32(24464)},
		{"int", "(unsigned short)(large * 300.0f)", int32(24464)},
	})
}

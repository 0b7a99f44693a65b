package exectest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/testlaunch"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// TestFarElements: writes to an element far outside an array are dropped and reads give 0, even if
// the end of the element overflows.
func TestFarElements(t *testing.T) {
	for _, index := range []string{"-1L", "4L", "0x1ffffffffffffffeL", "0x1fffffffffffffffL", "0x2000000000000000L",
		"0x3fffffffffffffffL"} {
		for _, access := range []string{"a[N] = 9; out[4] = a[N];",
			"((thread int2 *)a)[N / 2].y = 9; out[4] = ((thread int2 *)a)[N / 2].x;"} {
			m, diags := msl.Compile(context.Background(), msl.Source{Text: `
#define N ` + index + `
kernel void k(device int *out [[buffer(0)]]) {
  int a[] = {1, 2, 3, 4};
  ` + access + `
  out[0] = a[0]; out[1] = a[1]; out[2] = a[2]; out[3] = a[3];
}`}, msl.Options{NoWarnings: true})
			require.Empty(t, diags)
			Run(t, m.IR.Func("k"), testlaunch.Launch{Grid: [3]int{1},
				Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 64)}}}, EveryWay()...)
		}
	}
}

// TestFarCopies does the same for copies, which can only be written in IR.
func TestFarCopies(t *testing.T) {
	for _, at := range []string{"0", "24", "9223372036854775792", "9223372036854775800"} {
		for _, copied := range []string{"copy %2, %5 #16", "copy %5, %2 #16", "copy %2, %6 #16", "clear %5 #16"} {
			m, err := ir.Parse(`global "g" align 4 "0102030405060708090a0b0c0d0e0f10"
kernel "k" {
  arg {"kind":"buffer","index":0}
  body {
    %0 = arg #0 : ptr.device
    %1 = const [16909060, 84281096, 151653132, 219025168] : i32x4
    %2 = alloca #16 : ptr.thread
    store %2, %1
    %3 = global #0 : ptr.constant
    %4 = const 7 : i32
    %5 = field %2 #` + at + ` : ptr.thread
    %6 = field %3 #` + at + ` : ptr.constant
    ` + copied + `
    %7 = load %2 : i32x4
    store %0, %7
    return
  }
}`)
			require.NoError(t, err, at)
			require.NoError(t, m.Verify())
			Run(t, m.Func("k"), testlaunch.Launch{Grid: [3]int{1},
				Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 64)}}}, EveryWay()...)
		}
	}
}

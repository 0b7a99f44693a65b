package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
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

// TestWrappedOffsets: offsets within an object count modulo 2^40 bytes, in every engine: an index
// that leads a multiple of 2^40 bytes away accesses the element itself, and one beyond the end of
// the object gives 0. An index below the start of the object is beyond its end.
func TestWrappedOffsets(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: `
constant int far[] = {5, 6, 7, 8};
kernel void k(device int *out [[buffer(0)]], device int *a [[buffer(1)]], constant long *by [[buffer(2)]],
              device int *written [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  int own[4] = {9, 10, 11, 12};
  threadgroup int shared[4];
  for (int j = 0; j < 4; j++) { shared[j] = 13 + j; }
  device int *to = out + 8 * i;
  to[0] = a[by[i]];
  to[1] = own[by[i]];
  to[2] = shared[by[i]];
  to[3] = far[by[i]];
  to[4] = *(device int *)((device char *)a + 4 * by[i]);
  (written + 4 * i)[by[i]] = 100 + i;
}`}, msl.Options{NoWarnings: true})
	require.Empty(t, diags)
	const turn = 1 << 38 // elements of 4 bytes in 2^40 bytes
	offsets := []int64{0, turn, 0x8000000000, -turn, turn + 3, 5*turn + 1, turn + 8, turn - 1, turn / 2, -1, 1<<61 + 2}
	row := func(i int32) []int32 { return []int32{1 + i, 9 + i, 13 + i, 5 + i, 1 + i, 0, 0, 0} }
	none := make([]int32, 8)
	var want []int32
	for _, r := range [][]int32{row(0), row(0), row(0), row(0), row(3), row(1), none, none, none, none, row(2)} {
		want = append(want, r...)
	}
	wrote := make([]int32, 48)
	for i, at := range []int{0, 4, 8, 12, 19, 21, 32, 27, -1, 35, 42} { // the ninth leads out of every object
		if at >= 0 {
			wrote[at] = int32(100 + i)
		}
	}
	l := testlaunch.Launch{Grid: [3]int{len(offsets)}, Buffers: map[int]testlaunch.Buffer{
		0: {Data: make([]byte, 4*len(want))}, 1: {Data: bytesOf([]int32{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0})},
		2: {Data: bytesOf(offsets)}, 3: {Data: make([]byte, 4*len(wrote))}}}
	Run(t, m.IR.Func("k"), l, EveryWay()...)
	require.Equal(t, bytesOf(want), l.Buffers[0].Data)
	require.Equal(t, bytesOf(wrote), l.Buffers[3].Data)
}

// bytesOf returns numbers in memory.
func bytesOf[T any](list []T) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, list)
	if err != nil {
		panic(err)
	}
	return b
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

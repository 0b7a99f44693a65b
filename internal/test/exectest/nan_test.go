package exectest

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestNaN: arithmetic gives a NaN in every engine or in none, whatever the sign and payload of the
// NaNs that it meets. Only the bits may differ, as docs/software-device.md says. Values that are
// only moved keep their bits.
func TestNaN(t *testing.T) {
	numbers := []uint32{0x7fc00000, 0xffc00000, 0x7fc12345, 0xffffae00, 0x7f800001, 0xff812345,
		math.Float32bits(0), math.Float32bits(-2.5), math.Float32bits(3), 0x7f800000, 0xff800000}
	var pairs []uint32
	for _, x := range numbers {
		for _, y := range numbers {
			pairs = append(pairs, x, y)
		}
	}
	for _, options := range []msl.Options{{NoWarnings: true, Math: "fast"}, {NoWarnings: true, Math: "safe"}} {
		t.Run(fmt.Sprintf("math=%s", options.Math), func(t *testing.T) {
			m, diags := msl.Compile(context.Background(), msl.Source{Text: `
#include <metal_stdlib>
using namespace metal;
static bool nan(float x) { return (as_type<uint>(x) & 0x7fffffff) > 0x7f800000; }
kernel void k(device uint *is [[buffer(0)]], device uint2 *moved [[buffer(1)]], device const float2 *in [[buffer(2)]],
              uint i [[thread_position_in_grid]]) {
  float x = in[i].x, y = in[i].y;
  float s = x;
  for (int j = 0; j < 3; j++) s += y * 0.5f;
  float results[] = {x + y, x - y, x * y, x / y, fma(x, y, x), s, -x, abs(x), sqrt(x), floor(x), trunc(y),
                     float(half(x) * half(y)), precise::exp(x), float2(x, y).yx.x + x};
  uint flags = 0;
  for (uint j = 0; j < sizeof(results) / sizeof(float); j++) flags |= uint(nan(results[j])) << j;
  is[i] = flags;
  moved[i] = uint2(as_type<uint>(i % 2 ? x : y), as_type<uint2>(float2(x, y).yx).x);
}`}, options)
			require.Empty(t, diags)
			n := len(pairs) / 2
			l := testlaunch.Launch{Grid: [3]int{n}, Buffers: map[int]testlaunch.Buffer{
				0: {Data: make([]byte, 4*n)}, 1: {Data: make([]byte, 8*n)}, 2: {Data: bytesOf(pairs)}}}
			Run(t, m.IR.Func("k"), l, EveryWay()...)
			var moved []uint32
			for i := range n {
				x, y := pairs[2*i], pairs[2*i+1]
				if i%2 == 1 {
					moved = append(moved, x, y)
				} else {
					moved = append(moved, y, y)
				}
			}
			require.Equal(t, bytesOf(moved), l.Buffers[1].Data)
			require.EqualValues(t, 1<<14-1, uint32(l.Buffers[0].Data[0])|uint32(l.Buffers[0].Data[1])<<8, "two NaNs")
		})
	}
}

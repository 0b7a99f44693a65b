package compute

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// byHandKernels has the kernel area of treeSamples for a host that launches the next level: it
// writes to a list what is to be launched.
const byHandKernels = `
struct Wanted { uint what, x, y, n, color; };
kernel void area_by_hand(device uint *out [[buffer(0)]], constant View &view [[buffer(1)]],
                         constant uint3 &square [[buffer(2)]], device atomic_uint *list [[buffer(3)]],
                         uint i [[thread_index_in_threadgroup]]) {
  uint2 range = border(view, square, i);
  if (i != 0) return;
  device Wanted *wanted = (device Wanted *)(list + 4);
  uint what = range.x == range.y ? 1 : square.z <= 16 ? 2 : 0, count = what == 0 ? 4 : 1;
  uint first = atomic_fetch_add_explicit(list, count, memory_order_relaxed);
  for (uint q = 0; q < count; q++) {
    uint n = what == 0 ? square.z / 2 : square.z;
    Wanted w = {what, square.x + q % 2 * n, square.y + q / 2 * n, n, range.x};
    wanted[first + q] = w;
  }
}
`

// byHand runs the adaptive image by launching each level from Go.
func (t *treeTest) byHand(kernels [3]*Kernel, out *Buffer[uint32], view AnyBuffer, list *Buffer[byte],
	width uint32) {
	ctx := t.Context()
	type wanted struct{ What, X, Y, N, Color uint32 }
	next := []wanted{{N: width}}
	for len(next) > 0 {
		data, err := list.Data()
		require.NoError(t, err)
		clear(data[:16])
		for _, w := range next {
			var err error
			switch k := kernels[w.What]; w.What {
			case 0:
				err = t.stream.Launch(ctx, k, oneGroup(64), out, view, [3]uint32{w.X, w.Y, w.N}, list)
			case 1:
				at, sliced := out.Slice(int(w.Y*width+w.X), out.Len())
				require.NoError(t, sliced)
				err = t.stream.Launch(ctx, k, Threads{Grid: Extent{X: int(w.N)}, Group: Extent{X: 64}}, at, w.Color, width)
			case 2:
				err = t.stream.Launch(ctx, k, Threads{Grid: Extent{X: int(w.N), Y: int(w.N)}, Group: Extent{X: 16, Y: 4}}, out,
					view, [2]uint32{w.X, w.Y})
			}
			require.NoError(t, err)
		}
		require.NoError(t, t.stream.Sync(ctx))
		next = make([]wanted, binary.LittleEndian.Uint32(data))
		_, err = binary.Decode(data[16:], binary.LittleEndian, next)
		require.NoError(t, err)
	}
}

// BenchmarkLaunchTree reports the time of an adaptive image by launches from kernels, as a multiple
// of that with the same launches from Go, level by level: the least of many alternating runs.
func BenchmarkLaunchTree(b *testing.B) {
	const width = 256
	t := newTreeTest(b, treeSamples+byHandKernels, sampleNames)
	view := bufferOf(b, t.acc, mandelView{At: [2]float32{-2, -1.5}, Scale: 3. / width, Width: width, Most: 100})
	out, list := bufferOf(b, t.acc, make([]uint32, width*width)...), bufferOf(b, t.acc, make([]byte, 1<<16)...)
	tree := t.tree(LaunchTreeOptions{Depth: 6, Capacity: 1024})
	area := t.kernel("area")
	var kernels [3]*Kernel
	for i, name := range []string{"area_by_hand", "paint", "pixels"} {
		kernels[i] = t.kernel(name)
	}
	var least [2]time.Duration
	for b.Loop() {
		for i, run := range []func(){func() {
			r, err := t.stream.LaunchTree(b.Context(), tree, area, oneGroup(64), out, view, [3]uint32{0, 0, width})
			require.NoError(b, err)
			require.NoError(b, r.Wait(b.Context()))
		}, func() { t.byHand(kernels, out, view, list, width) }} {
			start := time.Now()
			run()
			if d := time.Since(start); least[i] == 0 || d < least[i] {
				least[i] = d
			}
		}
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "x-of-hand")
	b.ReportMetric(0, "ns/op")
}

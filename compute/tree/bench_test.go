package tree

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
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

// flatKernels has a kernel that does all squares of a level in one launch, a threadgroup for each,
// and lists those of the next level.
const flatKernels = `
kernel void flat_level(device uint *out [[buffer(0)]], constant View &view [[buffer(1)]],
                       device const Wanted *squares [[buffer(2)]], device atomic_uint *list [[buffer(3)]],
                       uint square [[threadgroup_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {
  Wanted w = squares[square];
  if (w.what != 0) {
    for (uint at = i; at < w.n * w.n; at += 64) {
      uint x = w.x + at % w.n, y = w.y + at / w.n;
      out[y * view.width + x] = w.what == 1 ? w.color : dwell(view, x, y);
    }
    return;
  }
  uint2 range = border(view, uint3(w.x, w.y, w.n), i);
  if (i != 0) return;
  device Wanted *wanted = (device Wanted *)(list + 4);
  uint what = range.x == range.y ? 1 : w.n <= 16 ? 2 : 0, count = what == 0 ? 4 : 1;
  uint first = atomic_fetch_add_explicit(list, count, memory_order_relaxed), n = w.n / (what == 0 ? 2 : 1);
  for (uint q = 0; q < count; q++) {
    Wanted next = {what, w.x + q % 2 * n, w.y + q / 2 * n, n, range.x};
    wanted[first + q] = next;
  }
}
`

// flat runs the adaptive image by one launch from Go for each level. Two lists take turns.
func (t *treeTest) flat(level *compute.Kernel, out *compute.Buffer[uint32], view compute.AnyBuffer,
	lists [2]*compute.Buffer[byte], width uint32) {
	for i, n := 0, 1; n > 0; i++ {
		from, err := lists[i%2].Data()
		require.NoError(t, err)
		if i == 0 {
			_, err = binary.Encode(from[16:], binary.LittleEndian, [5]uint32{3: width})
			require.NoError(t, err)
		}
		to, err := lists[(i+1)%2].Data()
		require.NoError(t, err)
		clear(to[:16])
		squares, err := lists[i%2].Slice(16, lists[i%2].Len())
		require.NoError(t, err)
		grid := compute.Threads{Grid: compute.Extent{X: 64 * n}, Group: compute.Extent{X: 64}}
		require.NoError(t, t.stream.Launch(t.Context(), level, grid, out, view, squares, lists[(i+1)%2]))
		require.NoError(t, t.stream.Sync(t.Context()))
		n = int(binary.LittleEndian.Uint32(to))
	}
}

// byHand runs the adaptive image by launching each level from Go.
func (t *treeTest) byHand(kernels [3]*compute.Kernel, out *compute.Buffer[uint32], view compute.AnyBuffer,
	list *compute.Buffer[byte],
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
				err = t.stream.Launch(ctx, k, compute.Threads{Grid: compute.Extent{X: int(w.N)}, Group: compute.Extent{X: 64}},
					at, w.Color, width)
			case 2:
				err = t.stream.Launch(ctx, k, compute.Threads{Grid: compute.Extent{X: int(w.N), Y: int(w.N)},
					Group: compute.Extent{X: 16, Y: 4}}, out,
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
// of that with the same launches from Go, level by level, and of that with one launch from Go for
// each level: the least of many alternating runs.
func BenchmarkLaunchTree(b *testing.B) {
	const width = 256
	t := newTreeTest(b, treeSamples+byHandKernels+flatKernels, sampleNames)
	view := bufferOf(b, t.acc, mandelView{At: [2]float32{-2, -1.5}, Scale: 3. / width, Width: width, Most: 100})
	out, list := bufferOf(b, t.acc, make([]uint32, width*width)...), bufferOf(b, t.acc, make([]byte, 1<<16)...)
	tree := t.tree(Options{Depth: 6, Capacity: 1024})
	area := t.kernel("area")
	var kernels [3]*compute.Kernel
	for i, name := range []string{"area_by_hand", "paint", "pixels"} {
		kernels[i] = t.kernel(name)
	}
	lists, level := [2]*compute.Buffer[byte]{list, bufferOf(b, t.acc, make([]byte, 1<<16)...)}, t.kernel("flat_level")
	var want []uint32
	var least [3]time.Duration
	for b.Loop() {
		for i, run := range []func(){func() {
			r, err := tree.Launch(b.Context(), t.stream, area, oneGroup(64), out, view, [3]uint32{0, 0, width})
			require.NoError(b, err)
			require.NoError(b, r.Wait(b.Context()))
		}, func() { t.byHand(kernels, out, view, list, width) },
			func() { t.flat(level, out, view, lists, width) }} {
			start := time.Now()
			run()
			if d := time.Since(start); least[i] == 0 || d < least[i] {
				least[i] = d
			}
			have, err := out.Data()
			require.NoError(b, err)
			if want == nil {
				want = slices.Clone(have)
			}
			require.Equal(b, want, have)
			clear(have)
		}
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "x-of-hand")
	b.ReportMetric(float64(least[0])/float64(least[2]), "x-of-flat")
	b.ReportMetric(0, "ns/op")
}

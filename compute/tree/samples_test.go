package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/stretchr/testify/require"
)

// treeSamples are adaptive algorithms, each with a flat version that does all the work.
const treeSamples = `
#include <metal_stdlib>
#include <puremetal/cooperative>
using namespace metal;
using namespace puremetal;

// Mariani and Silver: an area whose border has one color is filled with it, others are divided.
struct View { float2 at; float scale; uint width, most; };

static uint dwell(constant View &v, uint x, uint y) {
  float2 c = v.at + float2(x, y) * v.scale, z = c;
  uint n = 0;
  while (n < v.most && dot(z, z) < 4) {
    z = c + float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y);
    n++;
  }
  return n;
}
// The least and the largest dwell on the border of a square.
static uint2 border(constant View &view, uint3 square, uint i) {
  auto block = this_thread_block();
  uint x = square.x, y = square.y, n = square.z, low = ~0u, high = 0;
  for (uint at = i; at < 4 * n; at += block.size()) {
    uint along = at % n, side = at / n;
    uint d = dwell(view, x + (side < 2 ? along : (side - 2) * (n - 1)), y + (side < 2 ? side * (n - 1) : along));
    low = min(low, d);
    high = max(high, d);
  }
  return uint2(reduce(block, low, puremetal::less<uint>()), reduce(block, high, puremetal::greater<uint>()));
}
kernel void area(device uint *out [[buffer(0)]], constant View &view [[buffer(1)]],
                 constant uint3 &square [[buffer(2)]], device launcher &l [[buffer(30)]],
                 uint i [[thread_index_in_threadgroup]]) {
  uint2 range = border(view, square, i);
  uint x = square.x, y = square.y, n = square.z;
  if (i != 0) return;
  if (range.x == range.y) {
    launch(l, LAUNCH_paint, n, 64, out + y * view.width + x, range.x, view.width);
  } else if (n <= 16) {
    launch(l, LAUNCH_pixels, uint2(n, n), uint2(16, 4), out, &view, square.xy);
  } else {
    for (uint q = 0; q < 4; q++)
      launch(l, LAUNCH_area, 64, 64, out, &view, uint3(x + q % 2 * n / 2, y + q / 2 * n / 2, n / 2));
  }
}
kernel void paint(device uint *out [[buffer(0)]], constant uint &color [[buffer(1)]],
                  constant uint &width [[buffer(2)]], uint i [[thread_position_in_grid]],
                  uint n [[threads_per_grid]]) {
  for (uint y = 0; y < n; y++) out[y * width + i] = color;
}
kernel void pixels(device uint *out [[buffer(0)]], constant View &view [[buffer(1)]],
                   constant uint2 &corner [[buffer(2)]], uint2 at [[thread_position_in_grid]]) {
  uint2 p = corner + at;
  out[p.y * view.width + p.x] = dwell(view, p.x, p.y);
}

// Quicksort: a threadgroup divides a range, which it moves from one buffer to the other.
kernel void quicksort(device uint *from [[buffer(0)]], device uint *to [[buffer(1)]], device uint *sorted [[buffer(2)]],
                      constant uint3 &range [[buffer(3)]], device launcher &l [[buffer(30)]],
                      uint i [[thread_index_in_threadgroup]]) {
  auto block = this_thread_block();
  uint lo = range.x, hi = range.y, n = hi - lo, group = block.size();
  if (n <= 64 || range.z == 0) {
    for (uint k = lo + i; k < hi; k += group) {
      uint rank = 0, mine = from[k];
      for (uint j = lo; j < hi; j++) rank += from[j] < mine || (from[j] == mine && j < k);
      sorted[lo + rank] = mine;
    }
    return;
  }
  uint a = from[lo], b = from[lo + n / 2], c = from[hi - 1], pivot = max(min(a, b), min(max(a, b), c));
  uint below = 0, equal = 0;
  for (uint k = lo + i; k < hi; k += group) {
    below += from[k] < pivot;
    equal += from[k] == pivot;
  }
  below = reduce(block, below, puremetal::plus<uint>());
  equal = reduce(block, equal, puremetal::plus<uint>());
  uint left = lo, right = lo + below + equal;
  for (uint start = lo; start < hi; start += group) {
    bool exists = start + i < hi;
    uint v = exists ? from[start + i] : 0;
    uint smaller = exists && v < pivot, larger = exists && v > pivot;
    uint p = exclusive_scan(block, smaller, puremetal::plus<uint>());
    uint q = exclusive_scan(block, larger, puremetal::plus<uint>());
    if (smaller) to[left + p] = v;
    if (larger) to[right + q] = v;
    left += reduce(block, smaller, puremetal::plus<uint>());
    right += reduce(block, larger, puremetal::plus<uint>());
  }
  for (uint k = i; k < equal; k += group) sorted[lo + below + k] = pivot;
  if (i != 0) return;
  uint middle = lo + below + equal;
  launch(l, LAUNCH_quicksort, below != 0 ? 64 : 0, 64, to, from, sorted, uint3(lo, lo + below, range.z - 1));
  launch(l, LAUNCH_quicksort, middle != hi ? 64 : 0, 64, to, from, sorted, uint3(middle, hi, range.z - 1));
}
kernel void bitonic(device uint *x [[buffer(0)]], constant uint2 &step [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  uint j = i ^ step.y;
  if (j > i && (x[i] > x[j]) == ((i & step.x) == 0)) {
    uint t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
}

// Quadtree: points of 16-bit coordinates are divided until few are in a cell. A point is three
// numbers: x, y and its index. The result is each point's cell: its depth, and the quadrants.
struct Point { uint x, y, index; };
struct Cell { uint lo, hi, path, depth; };

static uint quadrant(uint x, uint y, uint depth) { return (x >> (15 - depth) & 1) | (y >> (15 - depth) & 1) << 1; }

kernel void quadtree(device Point *from [[buffer(0)]], device Point *to [[buffer(1)]],
                     device uint2 *cells [[buffer(2)]], constant uint &few [[buffer(3)]],
                     constant Cell &cell [[buffer(4)]], device launcher &l [[buffer(30)]],
                     uint i [[thread_index_in_threadgroup]]) {
  auto block = this_thread_block();
  uint group = block.size();
  if (cell.hi - cell.lo <= few || cell.depth == 12) {
    for (uint k = cell.lo + i; k < cell.hi; k += group) cells[from[k].index] = uint2(cell.depth, cell.path);
    return;
  }
  uint begin = cell.lo;
  for (uint q = 0; q < 4; q++) {
    uint end = begin;
    for (uint start = cell.lo; start < cell.hi; start += group) {
      Point p = from[min(start + i, cell.hi - 1)];
      uint mine = start + i < cell.hi && quadrant(p.x, p.y, cell.depth) == q;
      uint at = exclusive_scan(block, mine, puremetal::plus<uint>());
      if (mine) to[end + at] = p;
      end += reduce(block, mine, puremetal::plus<uint>());
    }
    Cell part = {begin, end, cell.path << 2 | q, cell.depth + 1};
    if (i == 0) launch(l, LAUNCH_quadtree, end != begin ? 64 : 0, 64, to, from, cells, &few, part);
    begin = end;
  }
}
kernel void find_cells(device const Point *points [[buffer(0)]], device uint2 *cells [[buffer(1)]],
                       constant uint &few [[buffer(2)]], uint i [[thread_position_in_grid]],
                       uint n [[threads_per_grid]]) {
  uint depth = 0, path = 0, mates = n;
  Point p = points[i];
  while (mates > few && depth < 12) {
    path = path << 2 | quadrant(p.x, p.y, depth);
    depth++;
    mates = 0;
    for (uint j = 0; j < n; j++)
      mates += p.x >> (16 - depth) == points[j].x >> (16 - depth) && p.y >> (16 - depth) == points[j].y >> (16 - depth);
  }
  cells[i] = uint2(depth, path);
}

// Adaptive quadrature: 32 threads have a part of an interval each, and launch 32 for it if
// Simpson's rule is not good enough there.
static float f(float x) { return 1 / (x * x + 1e-4f); }
static float simpson(float a, float b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

kernel void quadrature(device atomic_float *sum [[buffer(0)]], constant float2 &interval [[buffer(1)]],
                       constant float &tolerance [[buffer(2)]], device launcher &l [[buffer(30)]],
                       uint i [[thread_position_in_grid]]) {
  float step = (interval.y - interval.x) / 32, a = interval.x + i * step, b = a + step, m = (a + b) / 2;
  float once = simpson(a, b), twice = simpson(a, m) + simpson(m, b);
  if (fabs(twice - once) > tolerance)
    launch(l, LAUNCH_quadrature, 32, 32, sum, float2(a, b), tolerance / 8);
  else
    atomic_fetch_add_explicit(sum, twice, memory_order_relaxed);
}
kernel void sums(device atomic_float *sum [[buffer(0)]], constant float2 &interval [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  float step = (interval.y - interval.x) / n, part = 0;
  part = simd_sum(simpson(interval.x + i * step, interval.x + (i + 1) * step));
  if (simd_is_first()) atomic_fetch_add_explicit(sum, part, memory_order_relaxed);
}
`

var sampleNames = []string{"area", "paint", "pixels", "quicksort", "quadtree", "quadrature"}

// mandelView is View.
type mandelView struct {
	At          [2]float32
	Scale       float32
	Width, Most uint32
	_           uint32
}

// treePoint is Point, and treeCell is Cell.
type (
	treePoint struct{ X, Y, Index uint32 }
	treeCell  struct{ Lo, Hi, Path, Depth uint32 }
)

func oneGroup(n int) compute.Threads {
	return compute.Threads{Grid: compute.Extent{X: n}, Group: compute.Extent{X: n}}
}

// TestTreeMandelbrot: the adaptive image is that of all pixels, for a part of the threads.
func TestTreeMandelbrot(tt *testing.T) {
	eachWay(tt, treeSamples, sampleNames, func(t *treeTest) {
		const width = 128
		blank := make([]uint32, width*width)
		view := bufferOf(t, t.acc, mandelView{At: [2]float32{-2, -1.5}, Scale: 3. / width, Width: width, Most: 100})
		out, flat := bufferOf(t, t.acc, blank...), bufferOf(t, t.acc, blank...)
		tree := t.tree(Options{Depth: 5, Capacity: 256})
		levels, err := t.run(tree, "area", oneGroup(64), out, view, [3]uint32{0, 0, width})
		require.NoError(t, err)
		require.NoError(t, t.stream.Launch(t.Context(), t.kernel("pixels"), compute.Threads2D(width, width), flat, view,
			[2]uint32{}))
		require.NoError(t, t.stream.Sync(t.Context()))
		got, err := out.Data()
		require.NoError(t, err)
		want, err := flat.Data()
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, 4, levels[1].Launches)
		require.Less(t, levels[4].Threads, uint64(64*16*16), "no area was painted")
	})
}

// TestTreeQuicksort sorts as a bitonic network does.
func TestTreeQuicksort(tt *testing.T) {
	eachWay(tt, treeSamples, sampleNames, func(t *treeTest) {
		rng := rand.New(rand.NewPCG(3, 17))
		data := make([]uint32, 4096)
		for i := range data {
			data[i] = rng.Uint32N(3000)
		}
		from, to := bufferOf(t, t.acc, data...), bufferOf(t, t.acc, data...)
		sorted, flat := bufferOf(t, t.acc, make([]uint32, len(data))...), bufferOf(t, t.acc, data...)
		tree := t.tree(Options{Depth: 20, Capacity: 256})
		levels, err := t.run(tree, "quicksort", oneGroup(64), from, to, sorted, [3]uint32{0, uint32(len(data)), 20})
		require.NoError(t, err)
		require.Greater(t, slices.IndexFunc(levels, func(l Level) bool { return l.Launches == 0 }), 5)
		for k := 2; k <= len(data); k *= 2 {
			for j := k / 2; j > 0; j /= 2 {
				require.NoError(t, t.stream.Launch(t.Context(), t.kernel("bitonic"), compute.Threads1D(len(data)), flat,
					[2]uint32{uint32(k), uint32(j)}))
			}
		}
		require.NoError(t, t.stream.Sync(t.Context()))
		got, err := sorted.Data()
		require.NoError(t, err)
		want, err := flat.Data()
		require.NoError(t, err)
		require.Equal(t, want, got)
		slices.Sort(data)
		require.Equal(t, data, got)
	})
}

// TestTreeQuadtree: points get the cells that each finds by looking at all others.
func TestTreeQuadtree(tt *testing.T) {
	eachWay(tt, treeSamples, sampleNames, func(t *treeTest) {
		rng := rand.New(rand.NewPCG(4, 17))
		points := make([]treePoint, 600)
		coordinate := func() uint32 { // dense in one corner
			return uint32(math.Pow(rng.Float64(), 3) * 65535)
		}
		for i := range points {
			points[i] = treePoint{coordinate(), coordinate(), uint32(i)}
		}
		from, to := bufferOf(t, t.acc, points...), bufferOf(t, t.acc, points...)
		start := bufferOf(t, t.acc, points...)
		cells := bufferOf(t, t.acc, make([][2]uint32, len(points))...)
		flat := bufferOf(t, t.acc, make([][2]uint32, len(points))...)
		few := bufferOf[uint32](t, t.acc, 8)
		tree := t.tree(Options{Depth: 12, Capacity: 600})
		levels, err := t.run(tree, "quadtree", oneGroup(64), from, to, cells, few, treeCell{Hi: uint32(len(points))})
		require.NoError(t, err)
		require.Equal(t, 4, levels[1].Launches)
		require.NoError(t, t.stream.Launch(t.Context(), t.kernel("find_cells"), compute.Threads1D(len(points)), start, flat,
			uint32(8)))
		require.NoError(t, t.stream.Sync(t.Context()))
		got, err := cells.Data()
		require.NoError(t, err)
		want, err := flat.Data()
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestTreeQuadrature integrates a peak as well as many equal parts do, with fewer threads.
func TestTreeQuadrature(tt *testing.T) {
	eachWay(tt, treeSamples, sampleNames, func(t *treeTest) {
		sum, flat := bufferOf[float32](t, t.acc, 0), bufferOf[float32](t, t.acc, 0)
		tree := t.tree(Options{Depth: 4, Capacity: 1024})
		interval := [2]float32{-1, 1}
		levels, err := t.run(tree, "quadrature", oneGroup(32), sum, interval, float32(0.01))
		require.NoError(t, err)
		const parts = 1 << 14
		require.NoError(t, t.stream.Launch(t.Context(), t.kernel("sums"), compute.Threads1D(parts), flat, interval))
		require.NoError(t, t.stream.Sync(t.Context()))
		got, err := sum.Data()
		require.NoError(t, err)
		want, err := flat.Data()
		require.NoError(t, err)
		exact := 200 * math.Atan(100)
		require.InDelta(t, exact, got[0], 0.05)
		require.InDelta(t, exact, want[0], 0.05)
		threads := uint64(0)
		for _, l := range levels {
			threads += l.Threads
		}
		require.Less(t, threads, uint64(parts/8))
		require.Positive(t, levels[1].Launches)
	})
}

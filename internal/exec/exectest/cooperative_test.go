package exectest

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/testlaunch"
	"github.com/puremetal/puremetal/internal/msl"
)

var cooperativeLaunches = flag.Int("exec.groups", 1, "how many random launches of each kernel of group operations")

// groupKernel is a kernel that does everything with groups of one kind. Each thread writes a word
// for each expression.
type groupKernel struct {
	elem  string // int, uint or float
	group string // an expression for the group
	tile  int    // its size; 0 is the threadgroup, -1 are coalesced threads
	split bool   // only some groups, or some threads that coalesce, take the branch
}

// Of an expression's model: the thread's rank, the values of the group by rank, and parameters.
type member struct {
	rank, tile int
	values     []float64
	shift      int
	at         int
}

const unspecified = math.MaxFloat64

type groupExpr struct {
	text  string
	model func(m *member) float64
	ints  bool // for integers only
	small bool // for groups within a simdgroup only
}

func fold(vs []float64, from float64, op func(a, b float64) float64) float64 {
	for _, v := range vs {
		from = op(from, v)
	}
	return from
}

func add(a, b float64) float64    { return a + b }
func orBits(a, b float64) float64 { return float64(int64(a) | int64(b)) }
func xorOf(a, b float64) float64  { return float64(int64(a) ^ int64(b)) }
func andOf(a, b float64) float64  { return float64(int64(a) & int64(b)) }

func votes(vs []float64, yes func(float64) bool) (n float64) {
	for i, v := range vs {
		if yes(v) {
			n += math.Ldexp(1, i)
		}
	}
	return n
}

var groupExprs = []groupExpr{
	{text: "g.thread_rank()", model: func(m *member) float64 { return float64(m.rank) }},
	{text: "g.size()", model: func(m *member) float64 { return float64(len(m.values)) }},
	{text: "reduce(g, v, plus<T>())", model: func(m *member) float64 { return fold(m.values, 0, add) }},
	{text: "reduce(g, v, less<T>())", model: func(m *member) float64 { return fold(m.values, math.Inf(1), math.Min) }},
	{text: "reduce(g, v, greater<T>())", model: func(m *member) float64 { return fold(m.values, -1e9, math.Max) }},
	{text: "reduce(g, v, bit_or<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, 0, orBits) }},
	{text: "reduce(g, v, bit_xor<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, 0, xorOf) }},
	{text: "reduce(g, v, bit_and<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, -1, andOf) }},
	{text: "inclusive_scan(g, v, plus<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], 0, add) }},
	{text: "exclusive_scan(g, v, plus<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank], 0, add) }},
	{text: "inclusive_scan(g, v, greater<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], -1e9, math.Max) }},
	{text: "shown(exclusive_scan(g, v, less<T>()))",
		model: func(m *member) float64 { return fold(m.values[:m.rank], 99, math.Min) }},
	{text: "inclusive_scan(g, v, bit_xor<T>())", ints: true,
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], 0, xorOf) }},
	{text: "exclusive_scan(g, v, bit_or<T>())", ints: true,
		model: func(m *member) float64 { return fold(m.values[:m.rank], 0, orBits) }},
	{text: "g.shfl(v, at)", model: func(m *member) float64 {
		at := m.at % len(m.values)
		if m.tile > 0 && m.tile <= 32 {
			if at = m.at % m.tile; at >= len(m.values) {
				return unspecified
			}
		}
		return m.values[at]
	}},
	{text: "g.shfl_up(v, shift)", model: func(m *member) float64 {
		if m.rank < m.shift {
			return m.values[m.rank]
		}
		return m.values[m.rank-m.shift]
	}},
	{text: "g.shfl_down(v, shift)", model: func(m *member) float64 {
		switch at := m.rank + m.shift; {
		case at < len(m.values):
			return m.values[at]
		case at < m.tile && m.tile <= 32:
			return unspecified
		}
		return m.values[m.rank]
	}},
	{text: "g.shfl_xor(v, shift)", model: func(m *member) float64 {
		shift := m.shift
		if m.tile > 0 && m.tile <= 32 {
			shift %= m.tile
		}
		switch at := m.rank ^ shift; {
		case at < len(m.values):
			return m.values[at]
		case m.tile > 0 && m.tile <= 32:
			return unspecified
		}
		return m.values[m.rank]
	}},
	{text: "g.any(v > T(5))", model: func(m *member) float64 {
		return min(votes(m.values, func(v float64) bool { return v > 5 }), 1)
	}},
	{text: "g.all(v < T(5))", model: func(m *member) float64 {
		return 1 - min(votes(m.values, func(v float64) bool { return v >= 5 }), 1)
	}},
	{text: "g.ballot(v > T(2))", small: true, model: func(m *member) float64 {
		return votes(m.values, func(v float64) bool { return v > 2 })
	}},
	{text: "g.match_any(v)", small: true, model: func(m *member) float64 {
		return votes(m.values, func(v float64) bool { return v == m.values[m.rank] })
	}},
	{text: "elect(g)", model: func(m *member) float64 { return float64(1 - min(m.rank, 1)) }},
}

// exprs returns the expressions that a kernel has.
func (k *groupKernel) exprs() (list []groupExpr) {
	for _, e := range groupExprs {
		if e.ints && k.elem == "float" || e.small && (k.tile == 0 || k.tile > 32) {
			continue
		}
		list = append(list, e)
	}
	return list
}

func (k *groupKernel) source() string {
	var b strings.Builder
	fmt.Fprintf(&b, `#include <puremetal/cooperative>
using namespace puremetal;
typedef %s T;
T shown(T least) { return least == less<T>::identity() ? T(99) : least; }
kernel void k(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant uint *params [[buffer(2)]]) {
  uint i = uint(this_grid().thread_rank()), shift = params[0], at = params[1];
  T v = in[i];
`, k.elem)
	switch {
	case k.split && k.tile < 0:
		b.WriteString("  if (in[i] > T(3)) return;\n  if (v != T(1)) {\n")
	case k.split && k.tile > 0:
		fmt.Fprintf(&b, "  if ((this_thread_block().thread_rank() / %d + params[1]) %% 3 != 0) {\n", k.tile)
	default:
		b.WriteString("  {\n")
	}
	fmt.Fprintf(&b, "    auto g = %s;\n", k.group)
	list := k.exprs()
	for i, e := range list {
		fmt.Fprintf(&b, "    out[i * %d + %d] = T(%s);\n", len(list), i, e.text)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

func groupKernels() (ks []groupKernel) {
	for _, elem := range []string{"uint", "int", "float"} {
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 128, 512} {
			group := fmt.Sprintf("tiled_partition<%d>(this_thread_block())", n)
			ks = append(ks, groupKernel{elem, group, n, false})
			if n <= 32 {
				ks = append(ks, groupKernel{elem, group, n, true})
			}
		}
		ks = append(ks, groupKernel{elem, "this_thread_block()", 0, false},
			groupKernel{elem, "coalesced_threads()", -1, false}, groupKernel{elem, "coalesced_threads()", -1, true})
	}
	return ks
}

// want computes what a launch writes; of unspecified values it says so.
func (k *groupKernel) want(in []float64, grid, group [3]int, shift, at int) []float64 {
	list := k.exprs()
	out := make([]float64, len(in)*len(list))
	for gz := 0; gz < grid[2]; gz += group[2] {
		for gy := 0; gy < grid[1]; gy += group[1] {
			for gx := 0; gx < grid[0]; gx += group[0] {
				var threads []int // of the threadgroup, by index: their number in the grid
				for z := gz; z < min(gz+group[2], grid[2]); z++ {
					for y := gy; y < min(gy+group[1], grid[1]); y++ {
						for x := gx; x < min(gx+group[0], grid[0]); x++ {
							threads = append(threads, (z*grid[1]+y)*grid[0]+x)
						}
					}
				}
				groups := map[int][]int{}
				for i, t := range threads {
					n := i / 32
					switch {
					case k.tile < 0 && k.split && (in[t] > 3 || in[t] == 1):
						continue
					case k.tile == 0:
						n = 0
					case k.tile > 0:
						if n = i / k.tile; k.split && (n+at)%3 == 0 {
							continue
						}
					}
					groups[n] = append(groups[n], t)
				}
				for _, members := range groups {
					m := &member{tile: k.tile, shift: shift, at: at}
					for _, t := range members {
						m.values = append(m.values, in[t])
					}
					for rank, t := range members {
						m.rank = rank
						for i, e := range list {
							out[t*len(list)+i] = e.model(m)
						}
					}
				}
			}
		}
	}
	return out
}

// bitsOf returns the word of a value of a type.
func bitsOf(elem string, v float64) uint32 {
	if elem == "float" {
		return math.Float32bits(float32(v))
	}
	return uint32(int64(v))
}

// TestGroupOperations: groups of threads compute what a model in Go does, with any size of
// threadgroups and tiles, partial ones and those that only some tiles or threads form.
func TestGroupOperations(t *testing.T) {
	shapes := [][2][3]int{{{200, 1, 1}, {96, 1, 1}}, {{130, 1, 1}, {64, 1, 1}}, {{37, 5, 1}, {16, 4, 1}},
		{{9, 7, 6}, {4, 4, 4}}, {{700, 1, 1}, {512, 1, 1}}, {{50, 1, 1}, {7, 1, 1}}, {{1024, 1, 1}, {1024, 1, 1}},
		{{90, 2, 1}, {45, 2, 1}}}
	launches := 0
	for n, k := range groupKernels() {
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "groups.metal", Text: k.source()},
			msl.Options{Verify: true})
		require.Empty(t, diags, k.source())
		f := m.IR.Func("k")
		rng := rand.New(rand.NewPCG(uint64(n), 4))
		for range *cooperativeLaunches {
			shape := shapes[rng.IntN(len(shapes))]
			grid, group := shape[0], shape[1]
			threads := grid[0] * grid[1] * grid[2]
			in, data := make([]float64, threads), make([]byte, 4*threads)
			for i := range in {
				if in[i] = float64(rng.IntN(9)); k.elem != "uint" && rng.IntN(3) == 0 {
					in[i] = -in[i]
				}
				binary.LittleEndian.PutUint32(data[4*i:], bitsOf(k.elem, in[i]))
			}
			shift, at := rng.IntN(20), rng.IntN(40)
			params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(shift)), uint32(at))
			want := k.want(in, grid, group, shift, at)
			out := make([]byte, 4*len(want))
			l := testlaunch.Launch{Grid: grid, Group: group, Fuel: 1 << 40, Buffers: map[int]testlaunch.Buffer{
				0: {Data: data}, 1: {Data: out}, 2: {Data: params}}}
			Run(t, f, l, Quick, Plain) // compares them with the oracle, which leaves its results in out
			list := k.exprs()
			for i, v := range want {
				have := binary.LittleEndian.Uint32(out[4*i:])
				if v != unspecified && have != bitsOf(k.elem, v) && !(v == 0 && have<<1 == 0) {
					t.Fatalf("%+v, grid %v, group %v: thread %d: %s = %#x, want %v", k, grid, group, i/len(list),
						list[i%len(list)].text, have, v)
				}
			}
			launches++
		}
	}
	t.Logf("%d launches of %d kernels", launches, len(groupKernels()))
}

// TestTilesInBranches: a tile of several simdgroups needs all threads of the threadgroup.
func TestTilesInBranches(t *testing.T) {
	compile := func(body string) []string {
		_, diags := msl.Compile(context.Background(), msl.Source{Name: "tiles.metal", Text: `#include <puremetal/cooperative>
using namespace puremetal;
kernel void k(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  auto block = this_thread_block();
` + body + "\n}\n"}, msl.Options{Verify: true, NoWarnings: true})
		var list []string
		for _, d := range diags {
			list = append(list, d.Message)
		}
		return list
	}
	require.Empty(t, compile("  if (a[0] == 1) { a[i] = reduce(tiled_partition<64>(block), i, plus<uint>()); }"))
	require.Empty(t, compile("  if (a[i / 32] == 1) { a[i] = reduce(tiled_partition<32>(block), i, plus<uint>()); }"))
	list := compile("  if (a[i / 64] == 1) { a[i] = reduce(tiled_partition<64>(block), i, plus<uint>()); }")
	require.Len(t, list, 1)
	require.Contains(t, list[0], "a tile of 64 threads is used where threads of the threadgroup may have diverged")
	list = compile("  tiled_partition<48>(block).sync();")
	require.NotEmpty(t, list)
	require.Contains(t, list[0], "the size of a tile must be a power of two")
}

// TestGridSyncPlace: the place of a grid barrier is the call of sync in the program.
func TestGridSyncPlace(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "grid.metal", Text: `#include <puremetal/cooperative>
void deeper(puremetal::grid_group g) {
  g.sync();
}
kernel void k(uint i [[threadgroup_position_in_grid]]) {
  if (i > 1)
    deeper(puremetal::this_grid());
}
`}, msl.Options{Verify: true})
	require.Empty(t, diags)
	require.ErrorContains(t, m.IR.Func("k").VerifyGridBarriers(), "grid.metal:3:3")
}

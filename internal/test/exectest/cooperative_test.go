package exectest

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/mslprint"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var cooperativeLaunches = flag.Int("exec.groups", 0, "how many random launches of each kernel of group operations, "+
	"in all engines and with all types; with 0 one in one engine, with one type for each group")

// groupKernel is a kernel that does everything with groups of one kind. Each thread writes a word
// for each expression.
type groupKernel struct {
	elem  string // int, uint, float or long
	group string // an expression for the group
	tile  int    // its size; 0 is the threadgroup, -1 are coalesced threads
	split bool   // only some groups, or some threads that coalesce, take the branch
	list  []groupExpr
}

// Of an expression's model: the thread's rank, the values of the group by rank, and parameters.
type member struct {
	rank, tile    int
	values        []float64
	shift, at     int
	number, count int // of the group among those that its parent was divided into, and how many they are
}

const unspecified = math.MaxFloat64

// part returns the member in the part of its group whose threads have the same key. The parts are
// numbered in the order of their first threads.
func (m *member) part(key func(rank int) int) *member {
	p := &member{tile: -1, shift: m.shift, at: m.at}
	first := map[int]int{}
	for rank, v := range m.values {
		k := key(rank)
		if _, known := first[k]; !known {
			first[k] = len(first)
		}
		if k == key(m.rank) {
			if rank == m.rank {
				p.rank = len(p.values)
			}
			p.values = append(p.values, v)
		}
	}
	p.number, p.count = first[key(m.rank)], len(first)
	return p
}

func (m *member) labeled() *member {
	return m.part(func(rank int) int { return int(int32(int64(m.values[rank])) % 3) }) // the kernel's int has 32 bits
}

func (m *member) tiles() *member { return m.part(func(rank int) int { return rank / 4 }) }

func (m *member) binary() *member {
	over := func(rank int) bool { return m.values[rank] > 2 }
	p := m.part(func(rank int) int { return int(votes(m.values[rank:rank+1], func(v float64) bool { return v > 2 })) })
	if p.count == 2 {
		p.number = 0
		if over(m.rank) {
			p.number = 1
		}
	}
	return p
}

type groupExpr struct {
	text  string
	model func(m *member) float64
	ints  bool // for integers only
	small bool // for groups within a simdgroup only
	parts bool // for parts of other groups only
	only  int  // for tiles of this size only, or 0
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
	{text: "reduce(g, v, greater<T>())",
		model: func(m *member) float64 { return fold(m.values, math.Inf(-1), math.Max) }},
	{text: "reduce(g, v, bit_or<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, 0, orBits) }},
	{text: "reduce(g, v, bit_xor<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, 0, xorOf) }},
	{text: "reduce(g, v, bit_and<T>())", ints: true, model: func(m *member) float64 { return fold(m.values, -1, andOf) }},
	{text: "inclusive_scan(g, v, plus<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], 0, add) }},
	{text: "exclusive_scan(g, v, plus<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank], 0, add) }},
	{text: "inclusive_scan(g, v, greater<T>())",
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], math.Inf(-1), math.Max) }},
	{text: "shown(exclusive_scan(g, v, less<T>()))",
		model: func(m *member) float64 {
			if m.rank == 0 {
				return 99
			}
			return fold(m.values[:m.rank], math.Inf(1), math.Min)
		}},
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
		if at := m.rank + m.shift; at < len(m.values) {
			return m.values[at]
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
	{text: "g.num_threads()", model: func(m *member) float64 { return float64(len(m.values)) }},
	{text: "g.meta_group_rank()", parts: true, model: func(m *member) float64 { return float64(m.number) }},
	{text: "g.meta_group_size()", parts: true, model: func(m *member) float64 { return float64(m.count) }},
	{text: "inclusive_scan(g, v)", model: func(m *member) float64 { return fold(m.values[:m.rank+1], 0, add) }},
	{text: "exclusive_scan(g, v)", model: func(m *member) float64 { return fold(m.values[:m.rank], 0, add) }},
	{text: "reduce(g, v, [](T a, T b) { return a > b ? a : b; })",
		model: func(m *member) float64 { return fold(m.values, math.Inf(-1), math.Max) }},
}

// moreExprs are operations of one's own and values that take several words.
var moreExprs = []groupExpr{
	{text: "reduce(g, v, First())", model: func(m *member) float64 { return m.values[0] }},
	{text: "reduce(g, v, Last())", model: func(m *member) float64 { return m.values[len(m.values)-1] }},
	{text: "inclusive_scan(g, v, First())", model: func(m *member) float64 { return m.values[0] }},
	{text: "exclusive_scan(g, v, Last())", model: func(m *member) float64 {
		if m.rank == 0 {
			return 0
		}
		return m.values[m.rank-1]
	}},
	{text: "exclusive_scan(g, v, Seven())", model: func(m *member) float64 {
		if m.rank == 0 {
			return 7
		}
		return m.values[m.rank-1]
	}},
	{text: "reduce(g, best(v, g.thread_rank()), Best()).at", model: func(m *member) float64 {
		best := 0
		for i, v := range m.values {
			if v > m.values[best] {
				best = i
			}
		}
		return float64(best)
	}},
	{text: "inclusive_scan(g, best(v, g.thread_rank()), Best()).value",
		model: func(m *member) float64 { return fold(m.values[:m.rank+1], math.Inf(-1), math.Max) }},
	{text: "exclusive_scan(g, Made(v), Sum()).value", model: func(m *member) float64 {
		return fold(m.values[:m.rank], 0, add) + min(1, float64(m.rank)) - 1 // Made() is -1
	}},
	{text: "seen(g.shfl(mixed(v), 0))", model: func(m *member) float64 { return m.values[0] }},
	{text: "seen(g.shfl_up(mixed(v), 1))", model: func(m *member) float64 { return m.values[max(m.rank, 1)-1] }},
	{text: "seen(g.shfl_down(mixed(v), 1))", model: func(m *member) float64 {
		return m.values[min(m.rank+1, len(m.values)-1)]
	}},
	{text: "g.shfl_down(bytes(v), 2).b[6]", model: func(m *member) float64 {
		at := m.rank
		if at+2 < len(m.values) {
			at += 2
		}
		return float64(uint8(int64(math.Abs(m.values[at]))))
	}},
	{text: "g.shfl(float3(v, 1, v), 0).z", model: func(m *member) float64 { return float64(float32(m.values[0])) }},
	{text: "g.shfl_down(v > T(2), 1)", model: func(m *member) float64 {
		if m.values[min(m.rank+1, len(m.values)-1)] > 2 {
			return 1
		}
		return 0
	}},
	{text: "g.shfl(float2x2(v), 0)[1][1]", model: func(m *member) float64 { return float64(float32(m.values[0])) }},
	{text: "g.shfl(v == T(0) ? Color::red : Color::blue, 0) == Color::blue", model: func(m *member) float64 {
		return min(1, math.Abs(m.values[0]))
	}},
	{text: "reduce(g, v > T(2), bit_xor<bool>())", model: func(m *member) float64 {
		odd := 0.0
		for _, v := range m.values {
			if v > 2 {
				odd = 1 - odd
			}
		}
		return odd
	}},
	{text: "inclusive_scan(g, short(1), [](short a, short b) { return a + b; })",
		model: func(m *member) float64 { return float64(m.rank + 1) }},
	{text: "reduce(g, short4(v), plus<short4>()).w",
		model: func(m *member) float64 { return float64(int16(int64(fold(m.values, 0, add)))) }},
	{text: "invoke_one_broadcast(g, [](T a, T b) { return a + b; }, v, T(3))",
		model: func(m *member) float64 { return m.values[0] + 3 }},
	{text: "invoked(g, v)", model: func(m *member) float64 {
		if m.rank == 0 {
			return 2 * m.values[0]
		}
		return 5
	}},
	{text: "g.match_all(v, same) == 0 ? T(0) : T(1)", small: true, model: allSame},
	{text: "same", small: true, model: allSame},
	{text: "g.match_all(v - v, same) == g.ballot(true)", small: true, model: func(*member) float64 { return 1 }},
	{text: "uint(g.ballot(v > T(2)))", only: 64, model: func(m *member) float64 {
		return votes(m.values[:min(32, len(m.values))], func(v float64) bool { return v > 2 })
	}},
	{text: "uint(g.ballot(v > T(2)) >> 32)", only: 64, model: func(m *member) float64 {
		return votes(m.values[min(32, len(m.values)):], func(v float64) bool { return v > 2 })
	}},
}

func allSame(m *member) float64 {
	for _, v := range m.values {
		if v != m.values[0] {
			return 0
		}
	}
	return 1
}

// partExprs returns what the parts of a group compute, by some of the expressions of groups.
func partExprs() (list []groupExpr) {
	for _, p := range []struct {
		text  string
		of    func(m *member) *member
		small bool
	}{
		{"labeled_partition(g, short(int(v) % 3))", (*member).labeled, true},
		{"binary_partition(g, v > T(2))", (*member).binary, true},
		{"tiled_partition(g, 4)", (*member).tiles, false},
	} {
		for _, e := range slices.Concat(groupExprs, moreExprs) {
			switch e.text {
			case "g.thread_rank()", "g.num_threads()", "g.meta_group_rank()", "g.meta_group_size()", "g.shfl(v, at)",
				"reduce(g, v, plus<T>())", "reduce(g, v, Last())", "exclusive_scan(g, v)", "g.shfl_up(v, shift)",
				"g.ballot(v > T(2))", "g.match_any(v)", "g.all(v < T(5))", "seen(g.shfl_down(mixed(v), 1))", "elect(g)":
				e.text = "[&](coalesced_group g) { return " + e.text + "; }(" + p.text + ")"
				model := e.model
				e.model = func(m *member) float64 { return model(p.of(m)) }
				e.small, e.parts = p.small, false
				list = append(list, e)
			}
		}
	}
	return list
}

// exprs returns the expressions that a kernel has.
func (k *groupKernel) exprs() (list []groupExpr) {
	for _, e := range k.list {
		if e.ints && k.elem == "float" || e.small && (k.tile == 0 || k.tile > 32) || e.parts && k.tile == 0 ||
			e.only != 0 && e.only != k.tile {
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
struct First { T operator()(T a, T) const { return a; } };
struct Last { T operator()(T, T b) const { return b; } };
struct Seven { T operator()(T, T b) const { return b; } static T identity() { return 7; } };
struct Entry { T value; uint at; };
Entry best(T value, uint at) { Entry e = {value, at}; return e; }
struct Best { Entry operator()(Entry a, Entry b) { return b.value > a.value ? b : a; } };
struct Made { T value; Made() : value(-1) {} Made(T v) : value(v) {} };
struct Sum { Made operator()(Made a, Made b) const { return Made(a.value + b.value); } };
struct Mixed { char a; T value; float3 b; ulong c; bool d[3]; };
Mixed mixed(T v) { Mixed m; m.a = 1; m.value = v; m.b = float3(v); m.c = ulong(v); m.d[int(v) & 1] = true; return m; }
T seen(Mixed m) { return m.b.z == float(m.value) && m.c == ulong(m.value) && m.d[int(m.value) & 1] ? m.value : T(77); }
struct Bytes { uchar b[7]; };
enum class Color : ushort { red, green, blue };
Bytes bytes(T v) { Bytes x; for (int i = 0; i < 7; i++) { x.b[i] = v < T(0) ? T(0) - v : v; } return x; }
template <class G> T invoked(G g, T v) {
  T other = 5;
  invoke_one(g, [&](T by) { other = 2 * by; }, v);
  return other;
}
kernel void k(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant uint *params [[buffer(2)]]) {
  uint i = uint(this_grid().thread_rank()), shift = params[0], at = params[1];
  T v = in[i];
  int same = 0;
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

// tileKernels returns kernels of tiles, of the threadgroup if a size is 0, and of coalesced groups
// if it is -1.
func tileKernels(elem string, list []groupExpr, sizes ...int) (ks []groupKernel) {
	for _, n := range sizes {
		group := fmt.Sprintf("tiled_partition<%d>(this_thread_block())", n)
		switch n {
		case 0:
			group = "this_thread_block()"
		case -1:
			group = "coalesced_threads()"
		}
		ks = append(ks, groupKernel{elem, group, n, false, list})
		if n <= 32 && n != 0 {
			ks = append(ks, groupKernel{elem, group, n, true, list})
		}
	}
	return ks
}

func groupKernels(all bool) (ks []groupKernel) {
	sizes := []int{1, 2, 4, 8, 16, 32, 64, 128, 512, 0, -1}
	elems := []string{"uint", "int", "float", "long"}
	if !all {
		ks = append(ks, tileKernels("int", groupExprs, 1, 8, -1)...)
		ks = append(ks, tileKernels("float", groupExprs, 2, 32, 64, 0)...)
		ks = append(ks, tileKernels("uint", groupExprs, 16, 128)...)
		ks = append(ks, tileKernels("long", groupExprs, 4)...)
		ks = append(ks, tileKernels("long", moreExprs, 8, 64)...)
		ks = append(ks, tileKernels("float", moreExprs, 32, 0)...)
		ks = append(ks, tileKernels("int", moreExprs, -1)...)
		return append(ks, tileKernels("int", partExprs(), 4, 32, 64)...)
	}
	for _, elem := range elems {
		for _, list := range [][]groupExpr{groupExprs, moreExprs, partExprs()} {
			ks = append(ks, tileKernels(elem, list, sizes...)...)
		}
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
				for n, members := range groups {
					m := &member{tile: k.tile, shift: shift, at: at, number: n, count: 1}
					if k.tile > 0 {
						m.count = (len(threads) + k.tile - 1) / k.tile
					} else {
						m.number = 0
					}
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

// put appends a value of a type.
func put(b []byte, elem string, v float64) []byte {
	switch elem {
	case "float":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	case "long":
		return binary.LittleEndian.AppendUint64(b, uint64(int64(v)))
	}
	return binary.LittleEndian.AppendUint32(b, uint32(int64(v)))
}

// launch returns a launch of the kernel with random arguments, and what it must write.
func (k *groupKernel) launch(rng *rand.Rand, grid, group [3]int) (l testlaunch.Launch, want []float64) {
	in := make([]float64, grid[0]*grid[1]*grid[2])
	var data []byte
	for i := range in {
		if in[i] = float64(rng.IntN(9)); k.elem != "uint" && rng.IntN(3) == 0 {
			in[i] = -in[i]
		}
		if k.elem == "long" {
			in[i] *= 1<<33 + 1 // so that both halves of a word count
		}
		data = put(data, k.elem, in[i])
	}
	shift, at := rng.IntN(20), rng.IntN(40)
	params := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(shift)), uint32(at))
	want = k.want(in, grid, group, shift, at)
	return testlaunch.Launch{Grid: grid, Group: group, Fuel: 1 << 40, Buffers: map[int]testlaunch.Buffer{
		0: {Data: data}, 1: {Data: make([]byte, len(put(nil, k.elem, 0))*len(want))}, 2: {Data: params}}}, want
}

// TestGroupOperations: groups of threads compute what a model in Go does, in all engines, with any
// size of threadgroups and tiles, partial ones and those that only some tiles or threads form. The
// sanitizer finds nothing wrong with them.
func TestGroupOperations(t *testing.T) {
	shapes := [][2][3]int{{{200, 1, 1}, {96, 1, 1}}, {{130, 1, 1}, {64, 1, 1}}, {{37, 5, 1}, {16, 4, 1}},
		{{9, 7, 6}, {4, 4, 4}}, {{700, 1, 1}, {512, 1, 1}}, {{50, 1, 1}, {7, 1, 1}}, {{1024, 1, 1}, {1024, 1, 1}},
		{{90, 2, 1}, {45, 2, 1}}}
	all := *cooperativeLaunches > 0
	if !all {
		shapes = [][2][3]int{{{80, 1, 1}, {50, 1, 1}}, {{17, 5, 1}, {9, 4, 1}}, {{130, 1, 1}, {96, 1, 1}}}
	}
	every := []Way{Quick, Plain, {Backend: vm.Backend{Machine: jit.Options{}}},
		{Backend: vm.Backend{Machine: jit.Options{AVX2: true}}}}
	e := exec.NewEngine(1)
	defer e.Close()
	launches := 0
	for n, k := range groupKernels(all) {
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "groups.metal", Text: k.source()},
			msl.Options{Verify: true, KeepUninitialized: true})
		require.Empty(t, diags, k.source())
		f := m.IR.Func("k")
		rng := rand.New(rand.NewPCG(uint64(n), 4))
		ways := every
		if !all {
			ways = every[n%len(every):][:1]
		}
		for range max(*cooperativeLaunches, 1) {
			shape := shapes[rng.IntN(len(shapes))]
			grid, group := shape[0], shape[1]
			l, want := k.launch(rng, grid, group)
			watched := l.Clone()
			Run(t, f, l, ways...) // compares them with the oracle, which leaves its results in out
			list := k.exprs()
			out, size := l.Buffers[1].Data, len(put(nil, k.elem, 0))
			for i, v := range want {
				have, right := out[size*i:size*i+size], put(nil, k.elem, v)
				if v == unspecified || bytes.Equal(have, right) ||
					v == 0 && k.elem == "float" && binary.LittleEndian.Uint32(have)<<1 == 0 {
					continue
				}
				t.Fatalf("%s, %s, tile %d, split %v, grid %v, group %v: thread %d: %s = %x, want %v, %x", k.elem, k.group,
					k.tile, k.split, grid, group, i/len(list), list[i%len(list)].text, have, v, right)
			}
			launches++
			if all || n%5 == 0 { // the text that devices get whose compiler does not know the header
				c := watched.Clone()
				require.NoError(t, Quick.Run(printed(t, f), c))
				require.Equal(t, out, c.Buffers[1].Data, k.source())
			}
			if slices.Contains(want, unspecified) {
				continue // since a shuffle reads a thread that does not exist
			}
			findings, err := sanitizetest.Observe(t.Context(), e, f, watched)
			require.NoError(t, err)
			require.Empty(t, findings, "%s, grid %v, group %v", k.source(), grid, group)
		}
	}
	t.Logf("%d launches", launches)
}

// printed returns a kernel compiled from its text in plain Metal.
func printed(t *testing.T, f *ir.Func) *ir.Func {
	t.Helper()
	f = f.Clone()
	opt.Run(f, opt.Options{})
	text, err := mslprint.Kernel(f)
	require.NoError(t, err)
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "printed.metal", Text: text},
		msl.Options{Math: "safe", Verify: true, NoWarnings: true}) // of values that the kernel does not use either
	require.Empty(t, diags, text)
	return m.IR.Func(f.Name)
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

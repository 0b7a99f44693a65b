package affine_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
)

var manyKernels = flag.Int("affine.kernels", 300, "how many random kernels to compare with what they access")

const width = 7 // of the matrix in random kernels: the value of w

// generator makes random kernels whose indices are polynomials, or functions of them, in a type.
type generator struct {
	*rand.Rand
	strings.Builder
	counters []string
	integer  string
	depth    int // of loops
	loops    int
}

var atoms = []string{"gid.x", "gid.y", "gid.z", "tid.x", "tid.y", "tid.z", "li", "lane", "sg", "quad", "group.x",
	"group.y", "group.z", "w", "size.x", "size.y", "full.x", "total.x", "groups.y"}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// index returns an expression that is far below 2^31, and not negative unless its type is signed.
func (g *generator) index(depth int) string {
	if depth == 0 {
		if g.IntN(4) == 0 {
			return fmt.Sprintf("%s(%d)", g.integer, g.IntN(50))
		}
		return g.integer + "(" + g.pick(append(g.counters, atoms...)...) + ")"
	}
	x, c := g.index(depth-1), g.IntN(60)
	number := func(n int) string { return fmt.Sprintf("%s(%d)", g.integer, n) }
	switch g.IntN(13) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s + %s)", x, g.index(depth-1))
	case 3, 4:
		return fmt.Sprintf("(%s * %d)", x, g.IntN(9))
	case 5:
		return fmt.Sprintf("(%s * w)", x)
	case 6:
		return fmt.Sprintf("(5000 - %s)", g.index(0))
	case 7:
		return fmt.Sprintf("(%s << %d)", x, g.IntN(4))
	case 8, 9:
		return fmt.Sprintf("(%s %s %d)", x, g.pick("/", "%", "&", "^", "|", ">>"), 1+g.IntN(9))
	case 10:
		if g.integer == "int" { // the edge of a stencil
			x = fmt.Sprintf("(%s - %d)", g.index(0), g.IntN(4))
		}
		return fmt.Sprintf("max(%s, %s)", x, number(c))
	case 11:
		return fmt.Sprintf("min(%s, %s)", x, number(c))
	}
	return fmt.Sprintf("clamp(%s, %s, %s)", x, number(c), number(c+g.IntN(300)))
}

// statement writes an access, sometimes of some threads only.
func (g *generator) statement() {
	if g.IntN(4) == 0 {
		fmt.Fprintf(g, "if (%s %s %d) ", g.index(0), g.pick("<", ">", "!="), g.IntN(20))
	}
	i := g.index(1 + g.IntN(3))
	switch g.IntN(4) {
	case 0:
		fmt.Fprintf(g, "%s[%s] = 1;\n", g.pick("a", "v", "s"), i)
	case 1:
		fmt.Fprintf(g, "a[%s] += 1;\n", i)
	case 2:
		fmt.Fprintf(g, "atomic_fetch_add_explicit(&u[%s], 1, memory_order_relaxed);\n", i)
	default:
		fmt.Fprintf(g, "{ device float *p = a + %s; p[%d] = 2; }\n", i, g.IntN(5))
	}
}

// loop writes a loop over statements and loops. The first statement in it stores how often it has
// begun.
func (g *generator) loop() {
	n := g.loops
	g.loops++
	name, first, step, outer := fmt.Sprintf("c%d", n), g.IntN(5), 1+g.IntN(4), g.counters
	fmt.Fprintf(g, "int n%d = 0;\n", n)
	switch g.IntN(5) {
	case 0: // down
		fmt.Fprintf(g, "for (int %s = %d; %[1]s > %[3]d; %[1]s -= %[4]d) {\n", name, first+4, first, step)
	case 1: // over the threads of a threadgroup
		x := g.pick("x", "y")
		fmt.Fprintf(g, "for (uint %s = tid.%s; %[1]s < %[3]d; %[1]s += size.%[2]s) {\n", name, x, g.IntN(60))
	case 2: // to a number of the launch
		fmt.Fprintf(g, "for (%s %s = 0; %[2]s < w; %[2]s += %[3]d) {\n", g.integer, name, step)
	default:
		fmt.Fprintf(g, "for (uint %s = %d; %[1]s < %[3]d; %[1]s += %[4]d) {\n", name, first, first+1+g.IntN(7), step)
	}
	fmt.Fprintf(g, "marks[%d] = n%d++;\n", g.depth, n)
	g.counters = append(outer[:len(outer):len(outer)], name)
	if g.IntN(2) == 0 { // one more variable that grows with each iteration
		g.counters = append(g.counters, fmt.Sprintf("n%d", n))
	}
	g.depth++
	g.statement()
	if g.IntN(4) == 0 {
		fmt.Fprintf(g, "if (%s == 3) %s;\n", g.index(0), g.pick("break", "continue"))
		g.statement()
	}
	if g.depth < 2 && g.IntN(2) == 0 {
		g.loop()
		g.statement()
	}
	g.depth--
	g.counters = outer
	g.WriteString("}\n")
}

// kernel returns a kernel with accesses at random indices, within loops and behind them.
func (g *generator) kernel() string {
	g.integer = g.pick("uint", "int")
	g.WriteString(`kernel void k(device float *a [[buffer(0)]], device float4 *v [[buffer(1)]],
		constant uint &width [[buffer(2)]], device int *marks [[buffer(3)]], device atomic_uint *u [[buffer(4)]],
		uint3 gid [[thread_position_in_grid]], uint3 tid [[thread_position_in_threadgroup]],
		uint li [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
		uint sg [[simdgroup_index_in_threadgroup]], uint quad [[thread_index_in_quadgroup]],
		uint3 group [[threadgroup_position_in_grid]], uint3 size [[threads_per_threadgroup]],
		uint3 full [[dispatch_threads_per_threadgroup]], uint3 total [[threads_per_grid]],
		uint3 groups [[threadgroups_per_grid]]) {
		threadgroup float s[64];
`)
	fmt.Fprintf(g, "%s w = width;\n", g.integer)
	g.statement()
	for range g.IntN(3) {
		g.loop()
	}
	g.statement()
	g.WriteString("}\n")
	return g.String()
}

// thread is one of a launch.
type thread struct {
	group [3]int
	index int // in the threadgroup
}

// visit is a thread's stay in a loop.
type visit struct {
	loop *ir.Instr
	n    int64 // iterations that have begun
}

// checker compares addresses with claims, and iterations with trip counts.
type checker struct {
	hook.None
	k        *affine.Kernel
	by       map[*ir.Instr]*affine.Access
	parts    map[[2]any]int64   // components of vectors that have come, by instruction and thread
	loops    map[thread][]visit // by depth
	shape    [3]int
	grid     [3]int
	compared int
	lanesOf  int
	trips    int
	skipped  int
	wrong    []string
}

func (c *checker) Load(a *hook.Access)   { c.check(a) }
func (c *checker) Atomic(a *hook.Access) { c.check(a) }

func (c *checker) Store(a *hook.Access) {
	if claim := c.by[a.Instr]; claim != nil && claim.Address != nil {
		if base := claim.Address.Base.Def; base.Op == ir.OpArg && base.Imm == 3 {
			c.mark(a)
			return
		}
	}
	c.check(a)
}

func (c *checker) fail(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// loopsAround returns the loops around an instruction, the outermost first.
func loopsAround(in *ir.Instr) (list []*ir.Instr) {
	for r := in.Parent; r.Owner != nil; r = r.Owner.Parent {
		if r.Owner.Op == ir.OpLoop {
			list = append([]*ir.Instr{r.Owner}, list...)
		}
	}
	return list
}

// mark notes the iteration of a loop.
func (c *checker) mark(a *hook.Access) {
	around := loopsAround(a.Instr)
	loop, depth := around[len(around)-1], len(around)-1
	for l := range a.Lanes.All {
		t := thread{a.Group.Position, a.First + l}
		if len(c.loops[t]) > depth && (a.Value[l] == 0 || c.loops[t][depth].loop != loop) {
			c.left(t, depth)
		}
		for len(c.loops[t]) <= depth {
			c.loops[t] = append(c.loops[t], visit{loop: loop})
		}
		c.loops[t][depth] = visit{loop, int64(int32(a.Value[l])) + 1}
	}
}

// left compares the iterations of loops that a thread has left with the loops' trip counts.
func (c *checker) left(t thread, depth int) {
	for i := len(c.loops[t]) - 1; i >= depth; i-- {
		v := c.loops[t][i]
		if n, exact, ok := c.k.Trips(v.loop); ok {
			if c.trips++; v.n > n || exact && v.n != n {
				c.fail("%v: %d iterations, claimed %d, exact %t", v.loop.Loc, v.n, n, exact)
			}
		}
	}
	c.loops[t] = c.loops[t][:depth]
}

// input returns the value of an input of a thread.
func (c *checker) input(a *hook.Access, x *affine.Atom, i int) (int64, bool) {
	shape, at := a.Group.Shape, a.Group.Position
	in := [3]int{i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]}
	n := 0
	switch x.Input {
	case ir.ThreadPositionInGrid:
		n = at[x.Lane]*c.shape[x.Lane] + in[x.Lane]
	case ir.ThreadPositionInThreadgroup:
		n = in[x.Lane]
	case ir.ThreadIndexInThreadgroup:
		n = i
	case ir.ThreadIndexInSimdgroup:
		n = i % 32
	case ir.ThreadIndexInQuadgroup:
		n = i % 4
	case ir.SimdgroupIndexInThreadgroup:
		n = i / 32
	case ir.ThreadgroupPositionInGrid:
		n = at[x.Lane]
	case ir.ThreadsPerThreadgroup:
		n = shape[x.Lane]
	case ir.DispatchThreadsPerThreadgroup:
		n = c.shape[x.Lane]
	case ir.ThreadsPerGrid:
		n = c.grid[x.Lane]
	case ir.ThreadgroupsPerGrid:
		n = (c.grid[x.Lane] + c.shape[x.Lane] - 1) / c.shape[x.Lane]
	default:
		return 0, false
	}
	return int64(n), true
}

func (c *checker) check(a *hook.Access) {
	claim := c.by[a.Instr]
	if claim == nil || claim.Address == nil {
		return
	}
	base, around := claim.Address.Base.Def, loopsAround(a.Instr)
	for l := range a.Lanes.All {
		i := a.First + l
		key := [2]any{a.Instr, thread{a.Group.Position, i}}
		part := c.parts[key] % max(int64(claim.Size/a.Size), 1) // the components of a vector come one by one
		c.parts[key]++
		skip := false
		value := claim.Address.Offset.Value(func(x *affine.Atom) int64 {
			switch {
			case x.Kind == affine.Counter:
				for depth, loop := range around {
					if loop == x.Loop {
						return c.loops[thread{a.Group.Position, i}][depth].n - 1
					}
				}
			case x.Kind == affine.Shared && x.Value.Def != nil && x.Value.Def.Op == ir.OpLoad:
				return width
			case x.Kind == affine.Shared: // a value that is computed from shared ones
				skip = true
				return 1
			case x.Kind == affine.Input:
				if n, ok := c.input(a, x, i); ok {
					return n
				}
			}
			c.fail("%v: an unexpected atom %+v", a.Instr.Loc, *x)
			return 1
		})
		if skip {
			c.skipped++
			continue
		}
		want := uint64(value+part*int64(a.Size)) & (1<<40 - 1)
		if got := a.Addrs[l] & (1<<40 - 1); got != want {
			c.fail("%v: thread %d: offset %d, claimed %d", a.Instr.Loc, i, got, want)
		}
		if base.Op == ir.OpArg && a.Addrs[l]>>40 != uint64(base.Imm)+1 {
			c.fail("%v: object %d, claimed argument %d", a.Instr.Loc, a.Addrs[l]>>40, base.Imm)
		}
		c.compared++
	}
	for s := 0; s*32 < a.Group.Shape[0]*a.Group.Shape[1]*a.Group.Shape[2]; s++ {
		c.lanes(a, claim, s)
	}
}

// lanes compares the addresses of a simdgroup with what is claimed of its lanes. That is claimed of
// full threadgroups only.
func (c *checker) lanes(a *hook.Access, claim *affine.Access, s int) {
	first := s*32 - a.First
	if a.Group.Shape != c.shape || first < 0 || first >= hook.MaxLanes || !a.Lanes.Has(first) {
		return
	}
	l, ok := claim.Address.Lanes(c.shape, s)
	if !ok || l.Symbolic {
		return
	}
	const offset = 1<<40 - 1
	for i := range l.N {
		if !a.Lanes.Has(first + i) {
			continue
		}
		apart := (a.Addrs[first+i] - a.Addrs[first]) & offset
		if want := uint64(l.Relative[i]-l.Relative[0]) & offset; apart != want {
			c.fail("%v: lane %d: %d from lane 0, claimed %d", a.Instr.Loc, i, apart, want)
		}
	}
	if a.Size != claim.Size {
		return
	}
	shared := int64(a.Addrs[first]-uint64(l.Relative[0])) << 24 >> 24
	if l.Unit == 0 && shared != 0 || l.Unit != 0 && shared%l.Unit != 0 {
		c.fail("%v: the shared part %d is no multiple of %d", a.Instr.Loc, shared, l.Unit)
	}
	c.lanesOf++
}

// TestRandomKernels: the claims about random kernels are what a hook sees, for each thread of each
// execution, in grids of three dimensions whose threadgroups may be partial at the edges.
func TestRandomKernels(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	claims, accesses, compared, skipped, sure, lanes, lanesOf, trips, partial := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range uint64(*manyKernels) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 5))}
		source := g.kernel()
		f := compile(t, source)
		c := &checker{k: affine.Of(f), by: map[*ir.Instr]*affine.Access{}, parts: map[[2]any]int64{},
			loops: map[thread][]visit{}, shape: [][3]int{{32, 1, 1}, {8, 4, 1}, {16, 3, 1}, {20, 4, 1}, {4, 4, 4}, {8, 2, 3},
				{5, 3, 7}, {2, 2, 17}, {64, 1, 1}, {1, 48, 1}}[g.IntN(10)]}
		for d := range 3 {
			c.grid[d] = c.shape[d]
			if g.IntN(2) == 0 {
				c.grid[d] += g.IntN(c.shape[d] + 1)
			}
			if c.grid[d]%c.shape[d] != 0 {
				partial++
			}
		}
		for _, a := range c.k.Accesses {
			accesses++
			if c.by[a.Instr] = a; a.Address != nil {
				claims++
				l, ok := a.Address.Lanes(c.shape, 0)
				if lanes++; ok && !l.Symbolic {
					sure++
				}
			}
		}
		w := binary.LittleEndian.AppendUint32(nil, width)
		l := &exec.Launch{Grid: c.grid, Group: c.shape, Space: &exec.Space{}, Hook: c}
		for i, data := range [][]byte{make([]byte, 4096), make([]byte, 4096), w, make([]byte, 16), make([]byte, 4096)} {
			l.Space.Set(uint32(i+1), exec.Object{Data: data})
			l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
		}
		require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l))
		for thread := range c.loops {
			c.left(thread, 0)
		}
		require.Empty(t, c.wrong[:min(len(c.wrong), 3)], "seed %d, grid %v, threadgroup %v\n%s", seed, c.grid, c.shape,
			source)
		compared, skipped, lanesOf, trips = compared+c.compared, skipped+c.skipped, lanesOf+c.lanesOf, trips+c.trips
	}
	t.Logf("%d kernels, %d dimensions with partial threadgroups: %d of %d accesses are claimed, %d of %d for lanes; "+
		"%d addresses, %d simdgroups and %d loops compared, %d addresses skipped", *manyKernels, partial, claims, accesses,
		sure, lanes, compared, lanesOf, trips, skipped)
	assert.Greater(t, claims, accesses*8/10, "few claims")
	assert.Greater(t, sure, lanes/3, "few claims about lanes")
	assert.Greater(t, compared, 100000)
	assert.Greater(t, trips, 1000)
	assert.Greater(t, partial, *manyKernels/4)
	assert.Less(t, skipped, compared/20)
}

package affine_test

import (
	"context"
	"encoding/binary"
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
	"github.com/puremetal/puremetal/internal/msl"
)

const width = 7 // of the matrix in random kernels: the value of w

func compile(t *testing.T, source string) *ir.Func {
	t.Helper()
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "k.metal",
		Text: "#include <metal_stdlib>\nusing namespace metal;\n" + source}, msl.Options{NoWarnings: true})
	require.Empty(t, diags, source)
	require.Len(t, m.IR.Funcs, 1)
	return m.IR.Funcs[0]
}

// generator makes random kernels whose indices are polynomials, or functions of them, in a type.
type generator struct {
	*rand.Rand
	counters []string
	integer  string
}

// index returns an expression that is not negative and far below 2^31.
func (g *generator) index(depth int) string {
	atoms := append([]string{"gid.x", "gid.y", "tid.x", "tid.y", "li", "lane", "sg", "group.x", "w", "size.x"},
		g.counters...)
	if depth == 0 {
		if g.IntN(4) == 0 {
			return fmt.Sprint(g.IntN(50))
		}
		return g.integer + "(" + atoms[g.IntN(len(atoms))] + ")"
	}
	x := g.index(depth - 1)
	switch g.IntN(10) {
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
	case 8:
		return fmt.Sprintf("(%s %s %d)", x, []string{"/", "%", "&", "^", "|", ">>"}[g.IntN(6)], 1+g.IntN(9))
	}
	return x
}

// kernel returns a kernel with accesses at random indices, within up to two loops.
func (g *generator) kernel() string {
	g.integer, g.counters = []string{"uint", "int"}[g.IntN(2)], nil
	var b strings.Builder
	b.WriteString(`kernel void k(device float *a [[buffer(0)]], device float4 *v [[buffer(1)]],
		constant uint &width [[buffer(2)]], uint2 gid [[thread_position_in_grid]],
		uint2 tid [[thread_position_in_threadgroup]], uint li [[thread_index_in_threadgroup]],
		uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]],
		uint2 group [[threadgroup_position_in_grid]], uint2 size [[threads_per_threadgroup]]) {
		threadgroup float s[64];
`)
	fmt.Fprintf(&b, "%s w = width;\n", g.integer)
	statement := func() {
		memory := []string{"a", "v", "s"}[g.IntN(3)]
		i := g.index(1 + g.IntN(3))
		switch g.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "%s[%s] = 1;\n", memory, i)
		case 1:
			fmt.Fprintf(&b, "a[%s] += 1;\n", i)
		default:
			fmt.Fprintf(&b, "{ device float *p = a + %s; p[%d] = 2; }\n", i, g.IntN(5))
		}
	}
	statement()
	loops := g.IntN(3)
	for i := range loops {
		name := fmt.Sprintf("c%d", i)
		first, step := g.IntN(5), 1+g.IntN(4)
		if g.IntN(3) == 0 { // a loop that counts down
			fmt.Fprintf(&b, "for (int %s = %d; %[1]s > %[3]d; %[1]s -= %[4]d) {\n", name, first+4, first, step)
		} else {
			fmt.Fprintf(&b, "for (uint %s = %d; %[1]s < %[3]d; %[1]s += %[4]d) {\n", name, first, first+1+g.IntN(7), step)
		}
		g.counters = append(g.counters, name)
		statement()
	}
	for range loops {
		b.WriteString("}\n")
	}
	g.counters = nil
	statement()
	b.WriteString("}\n")
	return b.String()
}

// checker compares addresses with claims.
type checker struct {
	hook.None
	k        *affine.Kernel
	by       map[*ir.Instr]*affine.Access
	executed map[[2]any]int64 // by instruction and thread
	trips    map[*ir.Instr]int64
	shape    [3]int
	compared int
	skipped  int
	wrong    []string
}

func (c *checker) Load(a *hook.Access)   { c.check(a) }
func (c *checker) Store(a *hook.Access)  { c.check(a) }
func (c *checker) Atomic(a *hook.Access) { c.check(a) }

func (c *checker) check(a *hook.Access) {
	claim := c.by[a.Instr]
	if claim == nil || claim.Address == nil {
		return
	}
	base := claim.Address.Base.Def
	for l := range a.Lanes.All {
		i := a.First + l
		shape := a.Group.Shape
		thread := [3]int{i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]}
		key := [2]any{a.Instr, [2]any{a.Group.Position, i}}
		parts := max(int64(claim.Size/a.Size), 1) // the components of a vector come one by one
		part := c.executed[key] % parts
		n := c.executed[key] / parts
		c.executed[key]++
		counters := map[*ir.Instr]int64{}
		for r := a.Instr.Parent; r.Owner != nil; r = r.Owner.Parent {
			if r.Owner.Op == ir.OpLoop {
				counters[r.Owner], n = n%c.trips[r.Owner], n/c.trips[r.Owner]
			}
		}
		skip := false
		value := claim.Address.Offset.Value(func(x *affine.Atom) int64 {
			switch {
			case x.Kind == affine.Counter:
				return counters[x.Loop]
			case x.Kind == affine.Shared && x.Value.Def != nil && x.Value.Def.Op == ir.OpLoad:
				return width
			case x.Kind == affine.Shared: // a signed operation on w
				skip = true
				return 0
			case x.Kind == affine.Input:
				switch x.Input {
				case ir.ThreadPositionInGrid:
					return int64(a.Group.Position[x.Lane]*c.shape[x.Lane] + thread[x.Lane])
				case ir.ThreadPositionInThreadgroup:
					return int64(thread[x.Lane])
				case ir.ThreadIndexInThreadgroup:
					return int64(i)
				case ir.ThreadIndexInSimdgroup:
					return int64(i % 32)
				case ir.SimdgroupIndexInThreadgroup:
					return int64(i / 32)
				case ir.ThreadgroupPositionInGrid:
					return int64(a.Group.Position[x.Lane])
				case ir.ThreadsPerThreadgroup:
					return int64(shape[x.Lane])
				}
			}
			c.wrong = append(c.wrong, fmt.Sprintf("an unexpected atom %+v", *x))
			return 0
		})
		if skip {
			c.skipped++
			continue
		}
		want := uint64(value+part*int64(a.Size)) & (1<<40 - 1)
		if got := a.Addrs[l] & (1<<40 - 1); got != want {
			c.wrong = append(c.wrong, fmt.Sprintf("%v: thread %v: offset %d, claimed %d", a.Instr.Loc, thread, got, want))
		}
		if base.Op == ir.OpArg && a.Addrs[l]>>40 != uint64(base.Imm)+1 {
			c.wrong = append(c.wrong, fmt.Sprintf("%v: object %d, claimed argument %d", a.Instr.Loc, a.Addrs[l]>>40, base.Imm))
		}
		c.compared++
	}
	for s := 0; s*32 < a.Group.Shape[0]*a.Group.Shape[1]; s++ {
		c.lanes(a, claim, s)
	}
}

// lanes compares the addresses of a whole simdgroup with what is claimed of its lanes.
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
		apart := (a.Addrs[first+i] - a.Addrs[first]) & offset
		if want := uint64(l.Relative[i]-l.Relative[0]) & offset; a.Lanes.Has(first+i) && apart != want {
			c.wrong = append(c.wrong, fmt.Sprintf("%v: lane %d: %d from lane 0, claimed %d", a.Instr.Loc, i, apart, want))
		}
	}
	if a.Size != claim.Size {
		return
	}
	shared := int64(a.Addrs[first]-uint64(l.Relative[0])) << 24 >> 24
	if l.Unit == 0 && shared != 0 || l.Unit != 0 && shared%l.Unit != 0 {
		c.wrong = append(c.wrong, fmt.Sprintf("%v: the shared part %d is no multiple of %d", a.Instr.Loc, shared, l.Unit))
	}
	c.compared++
}

// TestRandomKernels: the claims about random kernels are what a hook sees, for each thread of each
// execution.
func TestRandomKernels(t *testing.T) {
	const kernels = 400
	e := exec.NewEngine(1)
	defer e.Close()
	claims, accesses, compared, skipped, sure, lanes := 0, 0, 0, 0, 0, 0
	for seed := range uint64(kernels) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 5))}
		source := g.kernel()
		f := compile(t, source)
		c := &checker{k: affine.Of(f), by: map[*ir.Instr]*affine.Access{}, executed: map[[2]any]int64{},
			trips: map[*ir.Instr]int64{}, shape: [3]int{[]int{32, 8, 16, 20}[g.IntN(4)], 1 + g.IntN(4), 1}}
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
		f.Body.Walk(func(in *ir.Instr) bool {
			if in.Op == ir.OpLoop {
				n, exact, ok := c.k.Trips(in)
				require.True(t, ok && exact, "seed %d: the loop at %v\n%s", seed, in.Loc, source)
				c.trips[in] = n
			}
			return true
		})
		w := binary.LittleEndian.AppendUint32(nil, width)
		l := &exec.Launch{Grid: [3]int{c.shape[0]*2 + g.IntN(3), c.shape[1] * 2, 1}, Group: c.shape, Space: &exec.Space{},
			Hook: c}
		for i, data := range [][]byte{make([]byte, 4096), make([]byte, 4096), w} {
			l.Space.Set(uint32(i+1), exec.Object{Data: data})
			l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
		}
		require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l))
		for key, n := range c.executed { // the trip counts are right, too
			in := key[0].(*ir.Instr)
			want := int64(c.by[in].Size / 4)
			for r := in.Parent; r.Owner != nil; r = r.Owner.Parent {
				want *= max(c.trips[r.Owner], 1)
			}
			require.Equal(t, want, n, "seed %d: executions\n%s", seed, source)
		}
		require.Empty(t, c.wrong[:min(len(c.wrong), 3)], "seed %d\n%s", seed, source)
		compared, skipped = compared+c.compared, skipped+c.skipped
	}
	t.Logf("%d of %d accesses are claimed, %d of %d for lanes; %d comparisons", claims, accesses, sure, lanes, compared)
	assert.Greater(t, claims, accesses*9/10, "few claims")
	assert.Greater(t, sure, lanes/2, "few claims about lanes")
	assert.Greater(t, compared, 100000)
	assert.Less(t, skipped, compared/50)
}

// TestDataDependent: what depends on data is not claimed.
func TestDataDependent(t *testing.T) {
	for _, c := range []struct {
		index   string
		claimed bool
	}{
		{"i", true}, {"n", true}, {"b[0]", true}, {"b[n] + i * n", true}, {"i * i", true},
		{"b[i]", false}, {"b[i] + i", false}, {"i < n ? i : 0", false}, {"i / n", false}, {"i & n", false},
		{"min(i, n)", false}, {"uint(float(i))", false}, {"simd_sum(i)", true}, {"simd_shuffle(i, 3)", false},
		{"i * i * i * i", false}, {"~i", false}, {"uchar(i)", true}, {"popcount(i)", false},
	} {
		f := compile(t, `kernel void k(device uint *a [[buffer(0)]], device const uint *b [[buffer(1)]],
			constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) { a[`+c.index+`] = 1; }`)
		k := affine.Of(f)
		last := k.Accesses[len(k.Accesses)-1]
		require.Equal(t, ir.OpStore, last.Instr.Op)
		assert.Equal(t, c.claimed, last.Address != nil, c.index)
	}
}

// TestNesting: functions of functions do not make the analysis slow. Without a limit, each line
// would double the work.
func TestNesting(t *testing.T) {
	f := compile(t, `kernel void k(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		uint x = i;
		`+strings.Repeat("x = (x ^ 5) + (x >> 1) + (x / 3) + (x & 6);\n", 300)+`
		a[x] = 1;
		a[((i ^ 1) >> 1) % 8] = 2;
	}`)
	k := affine.Of(f)
	require.Len(t, k.Accesses, 2)
	assert.Nil(t, k.Accesses[0].Address)
	require.NotNil(t, k.Accesses[1].Address)
	_, ok := k.Accesses[1].Address.Lanes([3]int{64, 1, 1}, 0)
	assert.True(t, ok)
}

// TestTrips: trip counts by hand.
func TestTrips(t *testing.T) {
	for _, c := range []struct {
		loop  string
		n     int64
		exact bool
		ok    bool
	}{
		{"for (int k = 0; k < 10; k++) a[k] = 1;", 10, true, true},
		{"for (int k = 0; k <= 10; k += 3) a[k] = 1;", 4, true, true},
		{"for (int k = 10; k >= 0; k--) a[k] = 1;", 11, true, true},
		{"for (uint k = 64; k > 0; k -= 16) a[k] = 1;", 4, true, true},
		{"for (uint k = 3; k != 9; k += 2) a[k] = 1;", 3, true, true},
		{"for (uint k = 3; k != 8; k += 2) a[k] = 1;", 0, false, false},
		{"for (int k = 5; k < 5; k++) a[k] = 1;", 0, true, true},
		{"for (uint k = 0; k < n; k++) a[k] = 1;", 0, false, false},
		{"for (uint k = 64; k > 0; k /= 2) a[k] = 1;", 0, false, false},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) break; a[k] = 1; }", 10, false, true},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) return; a[k] = 1; }", 10, false, true},
		{"for (int k = 0; k < 10; k++) { if (a[k] > 2) continue; a[k] = 1; }", 10, true, true},
		{"uint k = 0; do { a[k] = 1; k++; } while (k < 6);", 6, true, true},
		{"while (a[0] < 3) a[0] += 1;", 0, false, false},
	} {
		f := compile(t, "kernel void k(device float *a [[buffer(0)]], constant uint &n [[buffer(1)]]) {"+c.loop+"}")
		k := affine.Of(f)
		found := false
		f.Body.Walk(func(in *ir.Instr) bool {
			if in.Op == ir.OpLoop {
				found = true
				n, exact, ok := k.Trips(in)
				assert.Equal(t, c.ok, ok, c.loop)
				if ok {
					assert.Equal(t, c.n, n, c.loop)
					assert.Equal(t, c.exact, exact, c.loop)
				}
			}
			return true
		})
		assert.True(t, found, c.loop)
	}
}

package values

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// instances returns the overloads of the library's free functions selected by keep.
func instances(keep func(*builtin.Func) bool) (out []*instance) {
	lib := builtin.New(types.NewUniverse())
	all := builtin.All()
	for i := range all {
		if f := &all[i]; f.Recv == "" && !f.Flags.Has(builtin.Special) && !f.Flags.Has(builtin.Unsupported) && keep(f) {
			for _, inst := range lib.Instances(f) {
				if x, ok := instanceOf(inst, len(out)); ok {
					out = append(out, &x)
				}
			}
		}
	}
	return out
}

func program(xs []*instance) string {
	var b strings.Builder
	b.WriteString(head)
	for _, x := range xs {
		b.WriteString(x.kernelText())
	}
	return b.String()
}

// elems are the scalar types of the inputs.
func (x *instance) elems() (out []*types.Basic) {
	for _, t := range x.in {
		out = append(out, types.ElemOf(t))
	}
	return out
}

// inner reports whether the function has one of the compiler's internal names, and therefore an
// additional parameter that selects fast math.
func (x *instance) inner() bool {
	return strings.HasPrefix(x.Fn.Name, "__metal_") && x.Fn.Params[len(x.Fn.Params)-1].Name == "fast"
}

// numCases is the number of argument sets a function is tested with.
func (x *instance) numCases() int {
	if len(x.in) == 1 || len(x.in) == 2 && x.inner() {
		return 256
	}
	return numSpecials*numSpecials + 256
}

// prepare returns a launch of some threads, where choice selects the case for each lane of a
// thread.
func (x *instance) prepare(threads int, choice func(thread, lane int) int) *launch {
	elems := x.elems()
	if x.inner() {
		elems = elems[:len(elems)-1]
	}
	in := inputs(x.numCases(), elems...)
	if x.inner() {
		in = append(in, inputs(x.numCases(), types.Bool)...)
	}
	l := &launch{kernel: x.name, grid: [3]int{threads}, group: [3]int{32}, buffers: map[int][]byte{}}
	for j, t := range x.in {
		l.buffers[j] = fill(t, threads, func(i, lane int) uint64 { return in[j][choice(i, lane)] })
	}
	for j, t := range x.out {
		l.buffers[firstOut+j] = make([]byte, threads*stride(t))
	}
	return l
}

// checkLanes runs the kernel of a lanewise function. want returns the expected results of a case.
func (x *instance) checkLanes(t *testing.T, m *msl.Module, ulps float64, want func(k int, args []uint64) []uint64) {
	cases := x.numCases()
	threads := cases
	choice := func(i, _ int) int { return i }
	if x.width > 1 {
		// Some of the cases, in an order unrelated to the vector's length.
		threads = 256 / x.width
		choice = func(i, lane int) int { return (i*x.width + lane) * 37 % cases }
	}
	l := x.prepare(threads, choice)
	run(t, m, l)
	elem := types.ElemOf(x.in[0])
	bad := 0
	for i := range threads {
		for lane := range x.width {
			var args []uint64
			for j, p := range x.in {
				args = append(args, laneOf(p, l.buffers[j], i, min(lane, types.LenOf(p)-1)))
			}
			wanted := want(choice(i, lane), args)
			for j, r := range x.out {
				have := laneOf(r, l.buffers[firstOut+j], i, lane)
				if e := types.ElemOf(r); !same(e, wanted[j], have, ulps) && !x.leftOpen(meanings(elem, args)) {
					if bad++; bad <= 3 {
						t.Errorf("%s: %s(%s), output %d: %s, want %s", x.name, x.Fn.Signature(), shown(elem, x.elems(), args), j,
							show(e, have), show(e, wanted[j]))
					}
				}
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s: %d more", x.name, bad-3)
	}
}

// leftOpen reports whether fast math allows the function a result for these arguments that is not
// near the recorded one: for large angles, and powers of negative numbers where one operand is
// infinite.
func (x *instance) leftOpen(args []float64) bool {
	if x.Fn.Flags.Has(builtin.Precise) {
		return false
	}
	switch x.Fn.Op {
	case builtin.OpSin, builtin.OpCos, builtin.OpTan, builtin.OpSincos:
		return math.Abs(args[0]) > 1<<20 // package num has a test of the absolute error
	case builtin.OpPow:
		return args[0] < 0 && (math.IsInf(args[0], 0) || math.IsInf(args[1], 0))
	}
	return false
}

func shown(_ *types.Basic, elems []*types.Basic, args []uint64) string {
	var s []string
	for j, a := range args {
		s = append(s, show(elems[j], a))
	}
	return strings.Join(s, ", ")
}

// lanewise reports whether each lane of a function's results depends only on the same lane of the
// arguments.
func lanewise(op builtin.Op) bool {
	_, f := floats[op]
	_, i := integers[op]
	_, r := recorded[op]
	return f || i || r
}

// golden returns the name of a scalar function's recording.
func (x *instance) golden() string {
	return fmt.Sprintf("%s.%s", strings.TrimPrefix(x.Fn.Name, "__metal_"), types.ElemOf(x.in[0]))
}

// TestLanewise tests every overload of every lanewise function, in each namespace.
func TestLanewise(t *testing.T) {
	xs := instances(func(f *builtin.Func) bool { return lanewise(f.Op) })
	require.Greater(t, len(xs), 1000)
	m := compile(t, "lanewise.metal", program(xs))
	goldens := readGoldens(t, "builtins")
	for _, x := range xs {
		elem := types.ElemOf(x.in[0])
		define := floats[x.Fn.Op]
		if !elem.IsFloat() || define == nil && integers[x.Fn.Op] != nil {
			define = integers[x.Fn.Op]
		}
		if define != nil {
			ulps := inexact[x.Fn.Op]
			if elem != types.Float {
				ulps = min(ulps, 1)
			}
			x.checkLanes(t, m, ulps, func(_ int, args []uint64) []uint64 { return define(elem, args) })
			continue
		}
		golden, ulps := goldens[x.golden()], recorded[x.Fn.Op]
		if elem != types.Float {
			ulps = 1
		}
		if len(golden) != len(x.out) {
			t.Errorf("no recording of %s", x.golden())
			continue
		}
		size := elem.Size()
		x.checkLanes(t, m, ulps, func(k int, args []uint64) []uint64 {
			out := make([]uint64, len(x.out))
			for j := range out {
				out[j] = get(golden[j][k*size:], size)
			}
			return apart(x.Fn.Op, elem, args, out)
		})
	}
}

// apart returns the expected result where it deliberately differs from the recording.
func apart(op builtin.Op, t *types.Basic, args, golden []uint64) []uint64 {
	x := meanings(t, args)
	exp, man := formatOf(t)
	if op == builtin.OpPowr {
		// The reference uses pow; IEEE's powr is exp(y*log(x)).
		zero, inf := x[0] == 0, x[0] > 1e39
		if x[0] < 0 || x[0] != x[0] || x[1] != x[1] || (zero || inf) && x[1] == 0 || x[0] == 1 && x[1]-x[1] != 0 {
			return []uint64{quietNaN(exp, man)}
		}
		if zero { // zero has no sign there
			return []uint64{golden[0] &^ (1 << (exp + man))}
		}
	}
	return golden
}

// TestRecordBuiltins records the results of the scalar functions with the reference compiler.
func TestRecordBuiltins(t *testing.T) {
	if !recording() {
		t.Skip("recordings are written with PUREMETAL_UPDATE=1 only")
	}
	dir := needReference(t)
	xs := instances(func(f *builtin.Func) bool { _, ok := recorded[f.Op]; return ok && f.Namespace == "metal" })
	var scalars []*instance
	var launches []*launch
	for _, x := range xs {
		if x.width == 1 {
			scalars = append(scalars, x)
			launches = append(launches, x.prepare(x.numCases(), func(i, _ int) int { return i }))
		}
	}
	runClang(t, dir, program(scalars), nil, launches...)
	goldens := map[string][][]byte{}
	for i, x := range scalars {
		for j := range x.out {
			goldens[x.golden()] = append(goldens[x.golden()], launches[i].buffers[firstOut+j])
		}
	}
	writeGoldens(t, "builtins", goldens)
}

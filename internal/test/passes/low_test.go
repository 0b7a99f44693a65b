package passes

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
)

// lowShapes are the launches for testing passes of package lir: threadgroups of a few lanes, of two
// simdgroups, and with several axes; the last threadgroup of each is truncated.
var lowShapes = [...]struct{ grid, group [3]int }{{[3]int{10, 1, 1}, [3]int{6, 1, 1}},
	{[3]int{50, 1, 1}, [3]int{40, 1, 1}}, {[3]int{9, 5, 1}, [3]int{6, 4, 2}}}

// lowered returns a kernel lowered and processed by some passes of package lir, after verifying it.
func lowered(t *testing.T, f *ir.Func, group [3]int, lanes int, passes lir.Pass) *lir.Program {
	t.Helper()
	p, err := build.ProgramOfWidth(f, group, lanes)
	require.NoError(t, err)
	p.Simplify(lir.AllPasses &^ passes)
	if err := p.Verify(); err != nil {
		t.Fatalf("%v: %v\n%s", passes, err, p)
	}
	return p
}

// fuzzLow runs a program on the engine before and after some passes of package lir and compares: as
// generated, and after some passes of package opt.
func fuzzLow(f *testing.F, passes lir.Pass) {
	for n := range fuzzSeeds {
		f.Add(seedOf(n), uint32(0), uint8(n))
		f.Add(seedOf(n+fuzzSeeds), uint32(opt.All), uint8(n))
	}
	e := exec.NewEngine(1)
	f.Cleanup(e.Close)
	f.Fuzz(func(t *testing.T, program []byte, ahead uint32, shape uint8) {
		m := kernelOf(program)
		l := fuzzed(m, program)
		s := lowShapes[int(shape)%len(lowShapes)]
		l.grid, l.group = s.grid, s.group
		lanes := []int{lir.SimdWidth, lir.MaxLanes}[int(shape)/len(lowShapes)%2]
		if others := opt.Pass(ahead) & opt.All; others != 0 {
			m = rewritten(t, m, others, l, fmt.Sprintf("%#x", uint32(others)))
		}
		want, err := l.oracle(m.Funcs[0])
		require.NoError(t, err)
		for _, set := range []lir.Pass{0, passes} {
			p := lowered(t, m.Funcs[0], l.group, lanes, set)
			got, err := l.vm(e, exec.NewKernel(m.Funcs[0],
				exec.Options{Backend: vm.Backend{Strip: lanes}, Off: opt.All, OffLow: lir.AllPasses &^ set}))
			same(t, set.String(), want, got, err, m, p)
		}
	})
}

func FuzzLowMasks(f *testing.F)    { fuzzLow(f, lir.SimplifyMasks) }
func FuzzLowUnused(f *testing.F)   { fuzzLow(f, lir.DropUnused) }
func FuzzLowCoalesce(f *testing.F) { fuzzLow(f, lir.Coalesce) }
func FuzzLowJumps(f *testing.F)    { fuzzLow(f, lir.DropJumps) }
func FuzzLowPasses(f *testing.F)   { fuzzLow(f, lir.AllPasses) }

// TestSeedsReachLowPasses: the seed corpus exercises each pass of package lir.
func TestSeedsReachLowPasses(t *testing.T) {
	for pass := lir.Pass(1); pass <= lir.AllPasses; pass <<= 1 {
		changed := 0
		for n := range 2 * fuzzSeeds {
			m := kernelOf(seedOf(n))
			group := lowShapes[n%len(lowShapes)].group
			if lowered(t, m.Funcs[0], group, lir.MaxLanes, pass).String() != lowered(t, m.Funcs[0], group, lir.MaxLanes,
				0).String() {
				changed++
			}
		}
		t.Logf("%v changes %d of %d programs", pass, changed, 2*fuzzSeeds)
		assert.GreaterOrEqual(t, changed, 3, "%v", pass)
	}
}

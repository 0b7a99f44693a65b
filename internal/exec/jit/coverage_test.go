package jit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/jit/emit"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/msl"
)

// lowered returns the program of an optimized kernel.
func lowered(f *ir.Func, shape [3]int) (*lir.Program, error) {
	p, err := build.Program(f, shape)
	if err == nil {
		p.Simplify(0)
		p.Allocate()
	}
	return p, err
}

// corpus compiles the kernels in the test data and in package kernels for threadgroups of 256
// threads, or of 16 by 16.
func corpus(t *testing.T) (list []*lir.Program) {
	for _, pattern := range []string{"testdata/kernels/*.metal", "testdata/msl/run/*.metal", "internal/tensorop/*.metal"} {
		files, err := filepath.Glob("../../../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			m, diags := msl.Compile(t.Context(), msl.Source{Name: name, Text: string(text)}, msl.Options{})
			if m == nil || m.IR == nil {
				t.Logf("%s: %v", name, diags)
				continue
			}
			for _, f := range m.IR.Funcs {
				opt.Run(f, opt.Options{Scalar: num.Scalar})
				for _, shape := range [][3]int{{256, 1, 1}, {16, 16, 1}} {
					if p, err := lowered(f, shape); err == nil {
						list = append(list, p)
					}
				}
			}
		}
	}
	return list
}

// TestCoverage: most instructions of the corpus, weighted by 8 for each loop around them, are in
// ranges, and the rest of each range's code can be compiled. With -v it prints which are not, the
// most frequent first.
func TestCoverage(t *testing.T) {
	programs := corpus(t)
	for _, o := range []Options{{}, {AVX2: true}} {
		t.Run(o.Vectors(), func(t *testing.T) { coverage(t, programs, o) })
	}
}

func coverage(t *testing.T, programs []*lir.Program, o Options) {
	missed := map[string]int{}
	total, in, ranges, later := 0, 0, 0, 0
	for _, p := range programs {
		weight := make([]int, len(p.Code))
		for pc := range weight {
			weight[pc] = 1
		}
		for pc := range p.Code {
			if b := &p.Code[pc]; b.Op == lir.OpBack {
				for i := int(b.Target); i <= pc; i++ {
					weight[i] = min(8*weight[i], 512)
				}
			}
		}
		f := plan.NewFacts(p, emit.Options(o).Target())
		c, err := Compile(p, o)
		require.NoError(t, err)
		inside := make([]bool, len(p.Code))
		for _, r := range c.Ranges {
			ranges++
			if r.now.Load().Parts == nil {
				later++
			}
			_, err := r.whole()
			require.NoError(t, err, "the rest of %s, %d to %d", p.Func.Name, r.From, r.To)
			for pc := r.From; pc < r.To; pc++ {
				inside[pc] = true
			}
		}
		for pc := range p.Code {
			x := &p.Code[pc]
			total += weight[pc]
			if inside[pc] {
				in += weight[pc]
			} else if f.IsUsable(x) {
				missed["known, but outside"] += weight[pc]
			} else {
				missed[describe(p, x)] += weight[pc]
			}
		}
	}
	keys := make([]string, 0, len(missed))
	for k := range missed {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return missed[b] - missed[a] })
	require.Greater(t, in, total*8/10)
	t.Logf("%d of %d are in %d ranges, of which %d are compiled in two parts", in, total, ranges, later)
	for _, k := range keys[:min(len(keys), 100)] {
		t.Logf("%8d %s", missed[k], k)
	}
}

// describe returns what decides whether an instruction can be compiled.
func describe(p *lir.Program, in *lir.Inst) string {
	kind := in.Kind
	if in.Kind == ir.Void && in.D != 0 {
		kind = p.Var(in.D).Kind
	}
	s := fmt.Sprintf("%v %v", in.Op, kind)
	if in.From != ir.Void {
		s += fmt.Sprintf(" of %v", in.From)
	}
	s += ":"
	if in.D != 0 {
		s += fmt.Sprintf(" %v =", p.Var(in.D).Class)
	}
	for _, r := range []lir.Ref{in.A, in.B, in.C} {
		if r != 0 {
			s += fmt.Sprintf(" %v", p.Var(r).Class)
		}
	}
	if plan.AccessesMemory(in) || in.Op.IR().Info().Has(ir.Atomic) {
		s += fmt.Sprintf(" (%v, ext %d)", in.Space, in.Ext)
	}
	return s
}

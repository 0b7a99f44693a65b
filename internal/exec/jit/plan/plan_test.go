package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/msl"
)

// Processors with vectors of 64 and of 32 bytes.
var (
	of64 = Target{Name: "64 bytes", Width: 16, FirstScratch: 28, ScratchMasks: 3, MinLocals: 10, Registers: 32,
		Fixed: 2400, Gather: 4, Bytes: CodeBytes{12, 10, 200, 120}}
	of32 = Target{Name: "32 bytes", Width: 8, FirstScratch: 10, ScratchMasks: 3, MinLocals: 4, Registers: 16,
		Fixed: 2400, Gather: 6, Bytes: CodeBytes{12, 10, 200, 120}}
)

// lowered returns the program of a kernel.
func lowered(t *testing.T, f *ir.Func, shape [3]int) *lir.Program {
	opt.Run(f, opt.Options{Scalar: num.Scalar})
	p, err := build.Program(f, shape)
	require.NoError(t, err)
	p.Simplify(0)
	p.Allocate()
	return p
}

// plans returns the plans of a program's ranges, each in its best way, as text.
func plans(p *lir.Program, t Target) string {
	f := NewFacts(p, t)
	var list []Candidate
	if end, ok := RowEnd(p); ok {
		f.Row = true
		if list = f.Candidates(Forced{}); !IsWhole(list, end) {
			f.Row = false
		}
	}
	if !f.Row {
		list = f.Candidates(Forced{})
	}
	var b strings.Builder
	for _, x := range list {
		x.By.UseBlocks(x.Ways[0].Block)
		x.By.ChooseForms(false)
		b.WriteString(x.By.String() + "\n")
	}
	return b.String()
}

// TestPlans compares the plans of kernels with those in testdata/plan. PUREMETAL_UPDATE=1 rewrites
// them.
func TestPlans(t *testing.T) {
	for _, k := range []struct {
		name  string
		shape [3]int
	}{
		{"gemm", [3]int{16, 16, 1}}, {"histogram", [3]int{256, 1, 1}}, {"mandelbrot", [3]int{16, 16, 1}},
		{"reduce", [3]int{256, 1, 1}}, {"sort", [3]int{64, 1, 1}}, {"transpose", [3]int{16, 16, 1}},
		// Loops that lanes run solo, functions that are computed together, assumed distances.
		{"sparse", [3]int{256, 1, 1}}, {"polar", [3]int{64, 1, 1}}, {"strided", [3]int{64, 1, 1}},
	} {
		t.Run(k.name, func(t *testing.T) {
			text, err := os.ReadFile("../../../../testdata/kernels/" + k.name + ".metal")
			if os.IsNotExist(err) {
				text, err = os.ReadFile("../../../../testdata/plan/" + k.name + ".metal")
			}
			require.NoError(t, err)
			m, diags := msl.Compile(t.Context(), msl.Source{Text: string(text)}, msl.Options{})
			require.NotNil(t, m, "%v", diags)
			require.NotNil(t, m.IR, "%v", diags)
			p, got := lowered(t, m.IR.Funcs[0], k.shape), ""
			for _, target := range []Target{of64, of32} {
				got += "== " + target.Name + " ==\n" + plans(p, target)
				require.Equal(t, plans(p, target), plans(p, target), "a plan is a function of the program")
			}
			name := filepath.Join("../../../../testdata/plan", k.name+".txt")
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
				require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

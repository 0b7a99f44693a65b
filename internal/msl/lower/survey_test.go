package lower

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

const testdata = "../../../testdata/msl"

// checkedProgram returns a checked program, or nil if it has errors.
func checkedProgram(name, text string) *typed.Program {
	files, sink := diag.NewFileSet(), diag.NewSink()
	opts := pp.Options{Include: os.DirFS(testdata), Dir: path.Dir(name), MetalVersion: 400}
	toks := pp.Process(files, files.AddFile(name, text), opts, sink)
	file := parse.File(files, toks, sink)
	if sink.Errors() > 0 {
		return nil
	}
	prog := check.Program(files, file, check.Options{Version: 400}, sink)
	if sink.Errors() > 0 {
		return nil
	}
	return prog
}

// vouched checks that the survey of a program is right, and returns how many entry points it has
// and how many are vouched for.
func vouched(t *testing.T, prog *typed.Program) (kernels, sure int) {
	opts := Options{Logging: true}.withDefaults(sizeOf(prog))
	sink := diag.NewSinkLimit(0)
	m := newModule(prog, opts, sink)
	s := newSurveyor(m, func() error { return nil })
	for _, k := range prog.Kernels {
		kernels++
		if !s.kernel(k) {
			continue
		}
		sure++
		own := newModule(prog, opts, sink)
		own.budget = budget.New(context.Background(), "all entry points", budget.Limits{})
		if assert.True(t, own.kernel(k), "%s: %v", k.HostName, sink.Diagnostics()) {
			spent, cells := own.budget.Spent(), s.function(k.Func).cells+argumentCells
			assert.LessOrEqual(t, spent.Steps, cells, k.HostName)
			const unused = 64 << 10 // of the last chunks of memory
			assert.LessOrEqual(t, own.out.Funcs[0].Bytes(), cells*cellBytes+unused, k.HostName)
		}
	}
	return kernels, sure
}

// TestSurvey: entry points that the survey vouches for are lowered without errors and are no larger
// than predicted. It vouches for most.
func TestSurvey(t *testing.T) {
	kernels, sure := 0, 0
	require.NoError(t, fs.WalkDir(os.DirFS(testdata), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".metal" {
			return err
		}
		text, err := os.ReadFile(path.Join(testdata, name))
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			if prog := checkedProgram(name, string(text)); prog != nil {
				n, m := vouched(t, prog)
				kernels, sure = kernels+n, sure+m
				t.Logf("%d of %d entry points are vouched for", m, n)
			}
		})
		return nil
	}))
	assert.Greater(t, kernels, 150)
	assert.Greater(t, 10*sure, 8*kernels, "%d of %d entry points are vouched for", sure, kernels)
}

func TestSurveyRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	kernels, sure := 0, 0
	for range 300 {
		data := make([]byte, 600)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		if prog := checkedProgram("random.metal", fuzztest.Program(data)); prog != nil {
			n, m := vouched(t, prog)
			kernels, sure = kernels+n, sure+m
		}
	}
	assert.Greater(t, kernels, 200)
	assert.Greater(t, 10*sure, 8*kernels, "%d of %d entry points are vouched for", sure, kernels)
}

//go:build !race

package kernels

import (
	"flag"
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var everyMutant = flag.Int("kernels.every", 37, "judge one mutant in this many")

// TestMutants: the oracle and the sanitizer find no mistakes in the kernels, and the sanitizer
// finds those of mutants, and no others. What has too many threads for the oracle is left out.
func TestMutants(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	tally := sanitizetest.Tally{Every: *everyMutant, Engine: e}
	for _, w := range small() {
		d, known := w.on(t, compiled(t, w.file), "the engine", e), map[*ir.Func]bool{}
		d.begins = func(f *ir.Func, l *testlaunch.Launch) {
			if !known[f] {
				known[f] = true
				tally.Test(t, f, l, false)
			}
		}
		w.launch(d)
	}
	t.Logf("mutants:\n%v", &tally)
}

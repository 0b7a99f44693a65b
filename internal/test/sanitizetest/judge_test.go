package sanitizetest

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

var every = flag.Int("sanitizetest.every", 23, "judge one mutant in this many")

// TestMutants: of the corpus, the oracle agrees with what the kernels say of themselves, and the
// sanitizer finds the mistakes of mutants of the correct ones, and no others.
func TestMutants(t *testing.T) {
	cases, err := Corpus(filepath.Join("..", "..", "..", "testdata", "sanitize"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	e := exec.NewEngine(1)
	defer e.Close()
	tally := Tally{Every: *every, Engine: e}
	for _, c := range cases {
		if !c.Wrong() {
			tally.Test(t, c.Func, c.Launch, false)
		} else if v := Judge(t.Context(), e, c.Func, Copies(c.Launch)); v.Skip == nil {
			assert.Empty(t, v.False, c.Func.Name)
			if v.Faulty {
				assert.True(t, v.Found, "%s: %v", c.Func.Name, v.Missed)
			}
		}
	}
	t.Logf("mutants:\n%v", &tally)
}

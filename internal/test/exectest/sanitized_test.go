//go:build !race

package exectest

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/sanitizetest"
	"github.com/puremetal/puremetal/sanitizer"
)

var sanitizedPrograms = flag.Int("exec.sanitized", 120, "how many random programs to run under the sanitizer")

// TestSanitizedPrograms: of random programs, the sanitizer finds the mistakes that an oracle does
// and no others: no races in those whose threads use separate memory. It does not change the
// results of those without mistakes.
func TestSanitizedPrograms(t *testing.T) {
	e := exec.NewEngine(1)
	defer e.Close()
	verdicts := map[string]int{}
	for seed := range uint64(*sanitizedPrograms) {
		rng := rand.New(rand.NewPCG(seed, 7))
		text, apart := randomText(seed, rng)
		m, diags := msl.Compile(t.Context(), msl.Source{Name: "random.metal", Text: text},
			msl.Options{NoWarnings: true, KeepUninitialized: true})
		if failed(diags) {
			verdicts["does not compile"]++
			continue
		}
		for _, f := range m.IR.Funcs {
			l := randomLaunch(f, rng, 40)
			l.Fuel = 1 << 22 // the oracle is slow
			plain := l.Clone()
			err := Quick.Run(f, plain)
			if errors.Is(err, exec.ErrFuel) {
				verdicts["does not end"]++
				continue
			}
			v := sanitizetest.Judge(t.Context(), e, f, sanitizetest.Copies(&l))
			if v.Skip != nil {
				verdicts["not judged"]++
				continue
			}
			if v.Faulty {
				verdicts["has mistakes"]++
			}
			assert.Equal(t, v.Faulty, v.Found, "%v", v.Missed)
			assert.Empty(t, v.False)
			watched := l.Clone()
			findings, err := sanitizetest.Observe(t.Context(), e, f, watched)
			require.NoError(t, err)
			var kinds sanitizer.Kinds
			for _, x := range findings {
				kinds |= x.Kind
			}
			if apart {
				assert.Zero(t, kinds&sanitizer.Race)
			}
			if kinds&^sanitizer.Overflow == 0 {
				verdicts["has no mistakes"]++
				for slot, b := range plain.Buffers {
					assert.Equal(t, b.Data, watched.Buffers[slot].Data, "buffer %d", slot)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	t.Logf("%v", verdicts)
	assert.Greater(t, verdicts["has no mistakes"], *sanitizedPrograms/5)
}

package exectest

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var (
	manyPrograms = flag.Int("exec.programs", 80, "how many random programs to compile and to run")
	firstProgram = flag.Uint64("exec.first", 0, "seed of the first random program and kernel")
	everyWay     = flag.Bool("exec.ways", false,
		"run each random program in every way, not in two of them, and say from time to time how far it is")
)

// randomText writes the program for a seed. In every other one, the threads use separate memory.
func randomText(seed uint64, rng *rand.Rand) (text string, apart bool) {
	data := make([]byte, 100+rng.IntN(700))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	if apart = seed%2 == 1; apart {
		return fuzztest.Separate(data), true
	}
	return fuzztest.Program(data), false
}

// randomLaunch returns a launch of a kernel of a random program.
func randomLaunch(f *ir.Func, rng *rand.Rand, threads int) testlaunch.Launch {
	l := testlaunch.Launch{Grid: [3]int{threads}, Group: [3]int{min(threads, 1+rng.IntN(64))}, Fuel: 1 << 29,
		Buffers: map[int]testlaunch.Buffer{}, Constants: map[int][]byte{}}
	for _, c := range f.Constants {
		l.Constants[c.Index] = []byte{byte(rng.IntN(3)), 0, 0, 0, 0, 0, 0, 0}
	}
	for slot := range fuzztest.Slots {
		b := make([]byte, threads*fuzztest.Room*fuzztest.MaxElem)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		l.Buffers[slot], l.Buffers[slot+16] = testlaunch.Buffer{Data: b}, testlaunch.Buffer{Data: slices.Clone(b)}
	}
	return l
}

// TestRandomPrograms: compiled random programs give the same results on both engines, with one
// thread and, if they do not race, with many.
func TestRandomPrograms(t *testing.T) {
	verdicts := map[string]int{}
	for seed := *firstProgram; seed < *firstProgram+uint64(*manyPrograms); seed++ {
		if n := seed - *firstProgram; *everyWay && n%1000 == 0 {
			t.Logf("%d programs: %v", n, verdicts)
		}
		rng := rand.New(rand.NewPCG(seed, 6))
		text, apart := randomText(seed, rng)
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "random.metal", Text: text},
			msl.Options{NoWarnings: true})
		if failed(diags) {
			verdicts["does not compile"]++
			continue
		}
		verdicts["compiles"]++
		for _, f := range m.IR.Funcs {
			threads := []int{1, 40}
			if apart {
				threads = []int{150}
			}
			for _, n := range threads {
				l := randomLaunch(f, rng, n)
				verdict := runRandom(t, f, l, n, apart)
				verdicts[verdict]++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	t.Logf("%d programs: %v", *manyPrograms, verdicts)
	assert.Greater(t, verdicts["runs"], *manyPrograms/3)
	assert.Greater(t, verdicts["runs with many threads"], *manyPrograms/5)
}

// runRandom compares the engines on a kernel, and says whether that was possible.
func runRandom(t *testing.T, f *ir.Func, l testlaunch.Launch, threads int, apart bool) string {
	if threads > 1 {
		r := &Races{}
		c := l.Clone()
		c.Hook = r
		err := Quick.Run(f, c)
		if r.Found != "" {
			return "races"
		}
		if errors.Is(err, exec.ErrDivergentBarrier) {
			if RunOrDiverge(t, f, l, Quick, Plain) {
				t.Errorf("%s: with a hook: %v", f.Name, err)
			}
			return "a barrier diverges"
		}
	}
	c := l.Clone()
	if err := c.Run(context.Background(), f, ref.Run); errors.Is(err, exec.ErrFuel) {
		return "does not end"
	}
	ways := []Way{Quick, Plain}
	if *everyWay {
		ways = EveryWay()
	}
	for i := range ways {
		if !apart { // threadgroups may write the same value to one place, which Go's race detector would report
			ways[i].Workers = 1
		}
	}
	Run(t, f, l, ways...)
	if threads > 1 {
		return "runs with many threads"
	}
	return "runs"
}

func failed(diags []diag.Diagnostic) bool {
	return slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}

package passes

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// fuzzSeeds is the number of programs in each fuzzer's seed corpus, which ordinary test runs
// execute.
const fuzzSeeds = 12

// seedOf returns the bytes of a program in the seed corpus.
func seedOf(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	data := make([]byte, 48)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

// kernelOf returns the kernel generated from bytes.
func kernelOf(program []byte) *ir.Module {
	return irtest.Kernel(rand.New(irtest.Source(program)), irtest.Config{Size: 48, Constants: 4, Pieces: 25})
}

// fuzzed is a launch of few threads, so that more programs are tried: two threadgroups, the second
// truncated.
func fuzzed(m *ir.Module, program []byte) *launch {
	return newLaunch(m, rand.New(irtest.Source(append([]byte{1}, program...))), [3]int{10}, [3]int{6})
}

// fuzzPass compares a program before and after one pass: as generated, and after an arbitrary set
// of other passes.
func fuzzPass(f *testing.F, pass opt.Pass) {
	for n := range fuzzSeeds {
		f.Add(seedOf(n), uint32(0))
		f.Add(seedOf(n+fuzzSeeds), uint32(opt.All&^pass))
	}
	f.Fuzz(func(t *testing.T, program []byte, ahead uint32) {
		m := kernelOf(program)
		l := fuzzed(m, program)
		others := opt.Pass(ahead) & opt.All &^ pass
		if others != 0 {
			m = rewritten(t, m, others, l, fmt.Sprintf("%#x", uint32(others)))
		}
		want, err := l.oracle(m.Funcs[0])
		require.NoError(t, err)
		after := rewritten(t, m, pass, l, pass.String())
		got, err := l.oracle(after.Funcs[0])
		same(t, pass.String(), want, got, err, m, after)
	})
}

func FuzzSpecialize(f *testing.F) { fuzzPass(f, opt.Specialize) }
func FuzzCopies(f *testing.F)     { fuzzPass(f, opt.Copies) }
func FuzzPromote(f *testing.F)    { fuzzPass(f, opt.Promote) }
func FuzzFold(f *testing.F)       { fuzzPass(f, opt.Fold) }
func FuzzIdentities(f *testing.F) { fuzzPass(f, opt.Identities) }
func FuzzRedundant(f *testing.F)  { fuzzPass(f, opt.Redundant) }
func FuzzUnroll(f *testing.F)     { fuzzPass(f, opt.Unroll) }
func FuzzAddresses(f *testing.F)  { fuzzPass(f, opt.Addresses) }
func FuzzCommon(f *testing.F)     { fuzzPass(f, opt.Common) }
func FuzzSelect(f *testing.F)     { fuzzPass(f, opt.Select) }
func FuzzMotion(f *testing.F)     { fuzzPass(f, opt.Motion) }
func FuzzDead(f *testing.F)       { fuzzPass(f, opt.Dead) }

// FuzzPasses compares a program before and after an arbitrary set of passes.
func FuzzPasses(f *testing.F) {
	for n := range fuzzSeeds {
		f.Add(seedOf(n), uint32(opt.All))
	}
	f.Add(seedOf(1), uint32(opt.Promote|opt.Copies))
	f.Add(seedOf(2), uint32(opt.Select|opt.Motion|opt.Dead))
	f.Fuzz(func(t *testing.T, program []byte, passes uint32) {
		m := kernelOf(program)
		l := fuzzed(m, program)
		want, err := l.oracle(m.Funcs[0])
		require.NoError(t, err)
		set := opt.Pass(passes) & opt.All
		after := rewritten(t, m, set, l, fmt.Sprintf("%#x", uint32(set)))
		got, err := l.oracle(after.Funcs[0])
		same(t, fmt.Sprintf("%#x", uint32(set)), want, got, err, m, after)
	})
}

// shape returns the text of a kernel without its constants, which every pass shares anew.
func shape(m *ir.Module) string {
	var b strings.Builder
	numbers := map[*ir.Value]int{}
	m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpConst {
			return true
		}
		fmt.Fprint(&b, in.Op, in.Imm)
		for _, a := range in.Args {
			fmt.Fprint(&b, " ", numbers[a])
		}
		for _, r := range in.Results {
			numbers[r] = len(numbers) + 1
		}
		b.WriteByte('\n')
		return true
	})
	return b.String()
}

// TestSeedsReachPasses: the seed corpus exercises the passes. Each pass changes at least a few of
// the programs, as generated or after the others.
func TestSeedsReachPasses(t *testing.T) {
	for pass := opt.Pass(1); pass <= opt.All; pass <<= 1 {
		alone, behind := 0, 0
		for n := range 2 * fuzzSeeds {
			m := kernelOf(seedOf(n))
			l := fuzzed(m, seedOf(n))
			if after := rewritten(t, m, pass, l, pass.String()); shape(after) != shape(m) {
				alone++
			}
			m = rewritten(t, m, opt.All&^pass, l, "all others")
			if after := rewritten(t, m, pass, l, pass.String()); shape(after) != shape(m) {
				behind++
			}
		}
		t.Logf("%v changes %d of %d programs alone, %d behind the others", pass, alone, 2*fuzzSeeds, behind)
		assert.GreaterOrEqual(t, alone, 3, "%v", pass)
		assert.GreaterOrEqual(t, alone+behind, 6, "%v", pass)
	}
}

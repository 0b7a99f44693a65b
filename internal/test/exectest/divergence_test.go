package exectest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// divergingThreads gives three strips of one simdgroup each, the last partial, or a single strip.
const divergingThreads = 70

// divergingKernel compiles a kernel whose threads may diverge before barriers, written B.
func divergingKernel(t *testing.T, body string) *ir.Func {
	t.Helper()
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "parting.metal", Text: `#include <metal_stdlib>
using namespace metal;
#define B threadgroup_barrier(mem_flags::mem_threadgroup)
kernel void k(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]], uint t [[thread_index_in_threadgroup]],
	uint lane [[thread_index_in_simdgroup]],
              uint sg [[simdgroup_index_in_threadgroup]]) {
  threadgroup uint s[128];
  uint x = t * 2654435761u + in[t & 7];
` + body + "\n  out[t] = x;\n}\n"}, msl.Options{NoWarnings: true})
	require.Empty(t, diags, "%s", body)
	return m.IR.Func("k")
}

func partingLaunch(threads int) testlaunch.Launch {
	return testlaunch.Launch{Grid: [3]int{threads}, Group: [3]int{threads}, Fuel: 1 << 29,
		Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 4*threads)},
			1: {Data: []byte("eight numbers of four bytes each")}}}
}

// TestDivergingThreads: on both engines, a barrier opens without the threads that diverged from
// their simdgroup and never reach another barrier. A launch fails if its simdgroups wait at
// different instances, or if a thread that was passed over reaches a barrier.
func TestDivergingThreads(t *testing.T) {
	const good, bad = true, false
	for _, c := range []struct {
		name string
		ok   bool
		body string
	}{
		{"the first lane of each simdgroup", good,
			"if (lane == 0) { s[sg] = x; B; if (sg == 0) for (uint i = 1; i < 3; i++) x += s[i]; }"},
		{"the second region", good, "if (lane != 0) x++; else { B; x = 3; }"},
		{"all but a lane that does more", good, "if (lane != 5) { B; x = simd_sum(x); } else x = simd_sum(x) + 1;"},
		{"and meet again", good,
			"if (lane < 7) { s[t] = x; B; x += s[sg * 32]; } x = simd_sum(x); x += simd_shuffle_xor(x + t, 3);"},
		{"two in a row", good,
			"if (lane < 9) { B; if (lane < 4) { s[t] = x; B; x += s[sg * 32]; } x = simd_sum(x); } x = simd_max(x);"},
		{"a simdgroup ends", good, "if (sg == 1) { out[t] = 5; return; } B; x++; B;"},
		{"a simdgroup ends later", good, "if (sg != 1) { if (lane < 3) { B; x++; B; } }"},
		{"lanes return", good, "if (lane > 3) { out[t] = 9; return; } B; x++; if (lane == 1) return; B;"},
		{"lanes leave a loop", good,
			"for (uint i = 0; i < 8; i++) { if (lane == i) break; s[t] = x; B; x += s[sg * 32 + 31]; }"},
		{"as many rounds", good,
			"for (uint i = 0; i < 3 + in[0]; i++) { for (uint j = 0; j < 2; j++) { B; x += i; } if (i > 4) break; }"},
		{"lanes skip the first rounds and come to later ones", bad,
			"for (uint i = 0; i < 4; i++) { if (lane <= i) { B; x += i; } }"},
		{"lanes skip the last rounds", good, "for (uint i = 0; i < 4; i++) { if (lane + i < 6) { B; x += i; } }"},
		{"in different regions", bad, "if (lane == 0) { B; x = 1; } else { B; x = 2; }"},
		{"in different regions, by simdgroup", bad, "if (sg == 0) { B; x = 1; } else { B; x = 2; }"},
		{"one behind", bad, "if (lane == 0) { B; x = 1; } x++; B;"},
		{"one behind, by simdgroup", bad, "if (sg == 2) { B; x = 1; } x++; B;"},
		{"one behind for some", bad, "if (lane == 0) { B; x = 1; } if (lane < 3) B;"},
		{"one behind for those that were there", good, "if (lane < 3) { B; x = 1; } if (lane < 2) B;"},
		{"in turn", bad, "for (uint i = 0; i < 4; i++) if ((i + sg) % 2 == 0) { B; x += i; }"},
		{"in turn, and then not", bad, "for (uint i = 0; i < 4; i++) if (i == sg) { B; x += i; }"},
		{"rounds of one loop in rounds of another", bad,
			"for (uint i = 0; i < 3; i++) for (uint j = 0; j < 2 + sg; j++) { B; x += i; }"},
		{"behind a loop that lanes left", bad, "for (uint i = 0; i < 8; i++) { if (lane == i) break; B; } B;"},
		{"behind a loop that all left", good, "for (uint i = 0; i < 8; i++) { if (lane == i) break; x++; } B;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, threads := range []int{divergingThreads, 300} {
				f := divergingKernel(t, c.body)
				l := partingLaunch(threads)
				probe := l.Clone()
				if err := probe.Run(context.Background(), f, ref.Run); c.ok {
					assert.NoError(t, err)
				} else {
					assert.ErrorIs(t, err, exec.ErrDivergentBarrier)
				}
				RunOrDiverge(t, f, l, EveryWay()...)
				hooked := l.Clone()
				hooked.Hook = &Races{}
				err := (&Way{Backend: vm.Backend{Strip: lir.SimdWidth}}).Run(f, hooked)
				assert.Equal(t, c.ok, err == nil, "with a hook: %v", err)
			}
		})
	}
}

// divergingText writes statements in which threads diverge, and few barriers, so that most programs
// are borderline.
func divergingText(rng *rand.Rand) string {
	var b strings.Builder
	condition := func(loop string) string {
		list := []string{"lane < %d", "lane == %d", "lane != %d", "sg == %d %% 3", "sg < %d %% 4", "t < %d * 2",
			"(x & 31) > %d", "in[t & 7] %% 32 < %d", "lane <= %d"}
		if loop != "" {
			list = append(list, "lane + 5 * "+loop+" < %d", "lane <= 9 * "+loop+" + %d", loop+" == %d %% 3",
				"(sg + "+loop+") %% 3 == %d %% 3")
		}
		return fmt.Sprintf(list[rng.IntN(len(list))], rng.IntN(32))
	}
	barriers, loops := 1+rng.IntN(3), 0
	var block func(depth int, loop string)
	block = func(depth int, loop string) {
		for range 1 + rng.IntN(3) {
			switch n := rng.IntN(12); {
			case n < 3 && depth > 0:
				fmt.Fprintf(&b, "if (%s) {\n", condition(loop))
				block(depth-1, loop)
				if rng.IntN(3) == 0 {
					b.WriteString("} else {\n")
					block(depth-1, loop)
				}
				b.WriteString("}\n")
			case n < 4 && depth > 0:
				loops++
				i := fmt.Sprintf("i%d", loops)
				bound := []string{"2", "3", "2 + (lane & 1)", "1 + sg", "1 + in[1] % 3"}[rng.IntN(5)]
				fmt.Fprintf(&b, "for (uint %s = 0; %s < %s; %s++) {\n", i, i, bound, i)
				block(depth-1, i)
				b.WriteString("}\n")
			case n < 7 && barriers > 0:
				barriers--
				b.WriteString("B;\n")
			case n == 7 && loop != "":
				fmt.Fprintf(&b, "if (%s) %s;\n", condition(loop), []string{"break", "continue"}[rng.IntN(2)])
			case n == 8:
				fmt.Fprintf(&b, "if (%s) { out[t] = x; return; }\n", condition(loop))
			case n == 9:
				b.WriteString([]string{"x = simd_sum(x);\n", "x += simd_shuffle_xor(x, 5);\n",
					"x ^= simd_max(x + t);\n",
					"x += uint(simd_is_first());\n"}[rng.IntN(4)])
			default:
				fmt.Fprintf(&b, "x = x * %d + lane;\n", 2*rng.IntN(1000)+1)
			}
		}
	}
	block(3, "")
	if rng.IntN(2) == 0 && barriers > 0 {
		b.WriteString("B;\n")
	}
	return b.String()
}

// TestDivergingPrograms: for random programs whose threads diverge before barriers, the same ones
// fail on both engines, and the others give the same results.
func TestDivergingPrograms(t *testing.T) {
	verdicts := map[string]int{}
	for seed := *firstProgram; seed < *firstProgram+uint64(*manyPrograms)*2; seed++ {
		text := divergingText(rand.New(rand.NewPCG(seed, 11)))
		f := divergingKernel(t, text)
		ways := []Way{Quick, Plain}
		if *everyWay {
			ways = EveryWay()
		}
		threads := []int{divergingThreads, 300}[seed/4%2]
		if RunOrDiverge(t, f, partingLaunch(threads), ways...) {
			verdicts["run"]++
		} else {
			verdicts["diverge"]++
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
	t.Log(verdicts)
	assert.Greater(t, verdicts["run"], *manyPrograms/5)
	assert.Greater(t, verdicts["diverge"], *manyPrograms/10)
}

// RunOrDiverge is Run for a kernel that may have a barrier in divergent control flow. In that case
// the launch must fail for that reason on both engines. It reports whether the kernel ran.
func RunOrDiverge(t testing.TB, f *ir.Func, l testlaunch.Launch, ways ...Way) bool {
	t.Helper()
	c := l.Clone()
	err := c.Run(context.Background(), f, ref.Run)
	if err == nil {
		Run(t, f, l, ways...)
		return true
	}
	if !errors.Is(err, exec.ErrDivergentBarrier) {
		t.Fatalf("%s: %v", f.Name, err)
	}
	for _, w := range ways {
		c := l.Clone()
		have := w.Run(f, c)
		if !errors.Is(have, exec.ErrDivergentBarrier) {
			t.Errorf("%s: %v on the oracle, on the vector engine, %+v: %v", f.Name, err, w, have)
		}
	}
	return false
}

package conformance

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// leastCases is how many cases there are at least, without those of no-copy buffers, which need a
// Unix: none gets lost.
const leastCases = 962

func TestConformance(t *testing.T) {
	cases, where := Cases()
	for len(cases) > 0 {
		concept := cases[0].Concept
		n := slices.IndexFunc(cases, func(c Case) bool { return c.Concept != concept })
		if n < 0 {
			n = len(cases)
		}
		t.Run(concept, func(t *testing.T) {
			for _, c := range cases[:n] {
				t.Run(c.Name, func(t *testing.T) { runCase(t, c, where) })
			}
		})
		cases = cases[n:]
	}
}

// runCase runs a case, or skips it if it is known not to hold here, unless TestDifferences runs it.
func runCase(t *testing.T, c Case, where string) {
	if c.Difference != "" && os.Getenv(aloneVariable) != c.String() {
		t.Skipf("differs on the %s: %s", where, c.Difference)
	}
	defer func() {
		if t.Failed() {
			t.Log(c.Asserts)
		}
	}()
	c.Run(t)
}

// TestCount checks that each has a unique name and a sentence.
func TestCount(t *testing.T) {
	cases, _ := Cases()
	seen := map[string]bool{}
	for _, c := range cases {
		assert.False(t, seen[c.String()], "%s is there twice", c)
		seen[c.String()] = true
		assert.True(t, strings.HasSuffix(c.Asserts, ".") && len(c.Asserts) > 20, "%s says too little: %q", c, c.Asserts)
	}
	assert.GreaterOrEqual(t, len(cases), leastCases)
	for _, d := range differences() {
		found := false
		for name := range seen {
			found = found || d.covers(name)
		}
		assert.True(t, found, "no case is called %s", d.name)
		for _, name := range d.holds {
			assert.True(t, seen[d.name+name], "no case is called %s%s", d.name, name)
		}
	}
}

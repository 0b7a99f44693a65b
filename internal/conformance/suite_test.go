package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
)

// aCase is one statement about Metal.
type aCase struct {
	name    string
	asserts string // one sentence
	run     func(*rig)
}

// concept is a group of cases, one file.
type concept struct {
	name  string
	cases []aCase
}

// leastCases is how many cases there are at least, without those of no-copy buffers, which need a
// Unix: none gets lost.
const leastCases = 962

func TestConformance(t *testing.T) {
	for _, c := range concepts() {
		t.Run(c.name, func(t *testing.T) {
			for _, k := range c.cases {
				t.Run(k.name, func(t *testing.T) {
					skipDifference(t, c.name+"/"+k.name)
					r := newRig(t)
					defer func() {
						switch p := recover().(type) {
						case nil:
						case broken:
							t.Fatalf("%s\n%v", k.asserts, p.err)
						default:
							panic(p)
						}
						if t.Failed() {
							t.Log(k.asserts)
						}
					}()
					k.run(r)
				})
			}
		})
	}
}

// TestCount prints how many cases there are, and sees that each has a name of its own and a
// sentence.
func TestCount(t *testing.T) {
	total := 0
	seen := map[string]bool{}
	for _, c := range concepts() {
		for _, k := range c.cases {
			name := c.name + "/" + k.name
			assert.False(t, seen[name], "%s stands twice", name)
			seen[name] = true
			assert.True(t, strings.HasSuffix(k.asserts, ".") && len(k.asserts) > 20, "%s says too little: %q", name, k.asserts)
		}
		t.Logf("%4d %s", len(c.cases), c.name)
		total += len(c.cases)
	}
	t.Logf("%4d cases", total)
	assert.GreaterOrEqual(t, total, leastCases)
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

// requireVariable makes a missing device a failure and not a skip: for machines that are known to
// have one. The software device is always there.
const requireVariable = "PUREMETAL_REQUIRE_DEVICE"

// device returns the default device, or skips.
func device(t *testing.T) mtl.Device {
	t.Helper()
	d, err := mtl.DefaultDevice()
	if err != nil {
		if os.Getenv(requireVariable) == "1" || platform() == software {
			t.Fatalf("no device, and here there must be one: %v", err)
		}
		t.Skipf("no metal device: %v", err)
	}
	t.Cleanup(d.Release)
	return d
}

// broken is what must panics with; the runner turns it into a failure.
type broken struct{ err error }

// must returns v, or ends the case with err. Only for the case's own goroutine.
func must[T any](v T, err error) T {
	if err != nil {
		panic(broken{err})
	}
	return v
}

// do ends the case with the first error.
func do(errs ...error) {
	for i, err := range errs {
		if err != nil {
			panic(broken{fmt.Errorf("step %d: %w", i, err)})
		}
	}
}

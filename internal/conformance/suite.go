package conformance

import (
	"context"
	"fmt"
	"os"

	"github.com/puremetal/puremetal/mtl"
)

// T is what a case runs in: a *testing.T, or the one of [Case.Record].
type T interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	TempDir() string
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	FailNow()
	Skip(args ...any)
	Skipf(format string, args ...any)
}

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

// Case is a case of the suite.
type Case struct {
	Concept, Name string
	Asserts       string // what it asserts about Metal, in one sentence
	Difference    string // why it is known not to hold on this platform; empty if it must hold
	run           func(*rig)
}

// String returns "concept/case", which no other case has.
func (c Case) String() string { return c.Concept + "/" + c.Name }

// Cases returns all cases, in order, and the platform that this process runs them on.
func Cases() (list []Case, where string) {
	where = platform()
	for _, c := range concepts() {
		for _, k := range c.cases {
			one := Case{Concept: c.name, Name: k.name, Asserts: k.asserts, run: k.run}
			if d, ok := differenceOf(where, one.String()); ok {
				one.Difference = d.wrong + " wrong: " + d.why
			}
			list = append(list, one)
		}
	}
	return list, where
}

// Run runs the case, and ends the goroutine or returns.
func (c Case) Run(t T) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			t.Fatalf("%v", p.err)
		default:
			panic(p)
		}
	}()
	clean(t)
	c.run(&rig{T: t, device: device(t)})
}

// requireVariable makes a missing device a failure and not a skip: for machines that are known to
// have one. The software device is always there.
const requireVariable = "PUREMETAL_REQUIRE_DEVICE"

// device returns the default device, or skips.
func device(t T) mtl.Device {
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

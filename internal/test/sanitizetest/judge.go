package sanitizetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/sanitizer"
)

// judged are the kinds of mistakes that the oracle knows.
const judged = sanitizer.Bounds | sanitizer.Race | sanitizer.Divergence | sanitizer.Uninitialized | sanitizer.Simd |
	sanitizer.Misaligned

// Verdict says how the sanitizer did with one launch.
type Verdict struct {
	Faulty bool // the launch makes a mistake whatever the order of its threads
	Found  bool // the sanitizer reports one of the mistakes, at its place
	Skip   error
	Work   int64 // of the oracle, in the unit of a launch's fuel

	Missed []Mistake            // those for which there is no finding
	False  []*sanitizer.Finding // what the oracle denies
}

// fuel limits a launch that does not say how much it may take: mutants may loop for ever.
const fuel = 1 << 29

// Fresh returns a launch with memory of its own.
type Fresh func() (*exec.Launch, error)

// Copies returns copies of a launch.
func Copies(l *testlaunch.Launch) Fresh {
	return func() (*exec.Launch, error) { return l.Clone().Exec() }
}

// Judge runs a launch under the oracle and under the sanitizer.
func Judge(ctx context.Context, e *exec.Engine, f *ir.Func, launch Fresh) (v Verdict) {
	if v.Skip = f.Verify(); v.Skip != nil {
		return v
	}
	x, err := launch()
	if err != nil {
		return Verdict{Skip: err}
	}
	x.Fuel = cmp.Or(x.Fuel, fuel)
	mistakes, err := Consult(ctx, f, x)
	if err != nil {
		return Verdict{Skip: err}
	}
	v.Work = x.Fuel - x.Left
	if x, err = launch(); err != nil {
		return Verdict{Skip: err}
	}
	x.Fuel = cmp.Or(x.Fuel, fuel)
	findings, err := observe(ctx, e, f, x)
	if err != nil {
		return Verdict{Skip: err}
	}
	matched := map[Mistake]bool{}
	for _, f := range findings {
		ms := matches(f, mistakes)
		for _, m := range ms {
			matched[m] = true
			v.Found = v.Found || !m.Maybe
		}
		if len(ms) == 0 && f.Kind&judged != 0 && !strings.Contains(f.Memory, "texture") {
			v.False = append(v.False, f)
		}
	}
	for m := range mistakes {
		v.Faulty = v.Faulty || !m.Maybe
		if !matched[m] && !m.Maybe {
			v.Missed = append(v.Missed, m)
		}
	}
	return v
}

// matches returns the mistakes that a finding is about.
func matches(f *sanitizer.Finding, mistakes map[Mistake]bool) (list []Mistake) {
	for m := range mistakes {
		switch {
		case f.Kind == sanitizer.Race && m.Kind == f.Kind && (m.Place == f.Place && m.Other == f.Other.Place ||
			m.Place == f.Other.Place && m.Other == f.Place),
			f.Kind == sanitizer.Divergence && m == Mistake{Kind: f.Kind},
			f.Kind != sanitizer.Race && m.Kind == f.Kind && m.Place == f.Place,
			f.Kind == sanitizer.Uninitialized && m.Kind == sanitizer.Race && (m.Place == f.Place || m.Other == f.Place),
			// The race is with what initializes the memory: in the other order, that comes too late.
			f.Kind == sanitizer.Race && m.Kind == sanitizer.Uninitialized &&
				(m.Place == f.Place || m.Place == f.Other.Place):
			list = append(list, m)
		}
	}
	return list
}

// Observe runs a launch, with its own memory, under the sanitizer.
func Observe(ctx context.Context, e *exec.Engine, f *ir.Func, launch *testlaunch.Launch) ([]*sanitizer.Finding, error) {
	x, err := launch.Exec()
	if err != nil {
		return nil, err
	}
	return observe(ctx, e, f, x)
}

func observe(ctx context.Context, e *exec.Engine, f *ir.Func, x *exec.Launch) ([]*sanitizer.Finding, error) {
	s := sanitize.New(sanitizer.All, nil)
	x.Hook = s.Launch(x)
	err := e.Run(ctx, exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), x)
	if err != nil && !errors.Is(err, exec.ErrDivergentBarrier) {
		return nil, fmt.Errorf("under the sanitizer: %w", err)
	}
	return s.Findings(), nil
}

// Count counts mutants.
type Count struct {
	Judged  int
	Faulty  int // for which the oracle sees mistakes whatever the order of the threads
	Found   int // of these, for which the sanitizer reports one of the mistakes at its place
	Skipped int // not judged, because the launch takes too long or fails
}

func (c Count) plus(o Count) Count {
	return Count{c.Judged + o.Judged, c.Faulty + o.Faulty, c.Found + o.Found, c.Skipped + o.Skipped}
}

// Tally counts mutants by what has been changed.
type Tally struct {
	Every  int // judge one mutant in this many
	Engine *exec.Engine

	Kernels int // judged so far, themselves

	seen   int
	counts map[string]Count
}

// Test is Judge for a launch of package testlaunch.
func (a *Tally) Test(t testing.TB, f *ir.Func, launch *testlaunch.Launch, flawed bool) {
	t.Helper()
	a.Judge(t, f, Copies(launch), flawed)
}

// Judge judges a kernel, which must be correct unless it is flawed, and its mutants. It fails the
// test if the sanitizer misses a mistake, or reports one that the oracle denies.
func (a *Tally) Judge(t testing.TB, f *ir.Func, launch Fresh, flawed bool) {
	t.Helper()
	v := Judge(t.Context(), a.Engine, f, launch)
	if v.Skip != nil {
		return
	}
	a.Kernels++
	if v.Faulty != flawed || v.Found != flawed || len(v.False) > 0 {
		t.Errorf("%s: the oracle says that there are mistakes: %v; missed: %v; false: %v", f.Name, v.Faulty, v.Missed,
			v.False)
		return
	}
	if flawed {
		return
	}
	most := 4*v.Work + fuel // the launch itself may allow hours
	limited := func() (*exec.Launch, error) {
		x, err := launch()
		if err == nil {
			x.Fuel = min(cmp.Or(x.Fuel, fuel), most)
		}
		return x, err
	}
	for _, m := range Mutants(f) {
		if a.seen++; a.seen%a.Every != 0 {
			continue
		}
		v := Judge(t.Context(), a.Engine, m.Func, limited)
		n := Count{Judged: 1}
		switch {
		case v.Skip != nil:
			n = Count{Skipped: 1}
		case v.Faulty && !v.Found:
			n.Faulty++
			t.Errorf("%v: not found: %v", m, v.Missed)
		case v.Faulty:
			n.Faulty, n.Found = 1, 1
		}
		for _, f := range v.False {
			t.Errorf("%v: the oracle denies: %v", m, f)
		}
		if a.counts == nil {
			a.counts = map[string]Count{}
		}
		a.counts[m.Change] = a.counts[m.Change].plus(n)
	}
}

// String returns a table of the counts.
func (a *Tally) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "change\tjudged\tfaulty\tfound\tskipped\t")
	var all Count
	for _, name := range slices.Sorted(maps.Keys(a.counts)) {
		c := a.counts[name]
		all = all.plus(c)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, c.Judged, c.Faulty, c.Found, c.Skipped)
	}
	fmt.Fprintf(w, "all\t%d\t%d\t%d\t%d\t\n", all.Judged, all.Faulty, all.Found, all.Skipped)
	_ = w.Flush()
	return b.String()
}

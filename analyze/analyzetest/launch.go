// Package analyzetest has checks for tests of kernels' efficiency, with figures that depend on the
// kernels and not on the machine: they are counted on the software device.
package analyzetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
)

// Bounds are what launches must meet. The zero value of a bound is no bound.
type Bounds struct {
	// Efficiency is the least share of the bytes in lines that a launch's lanes use, from 0 to 1, over
	// all its accesses of device and constant memory; SiteEfficiency is the same for each access.
	Efficiency, SiteEfficiency float64
	// SimdEfficiency is the least share of active lanes.
	SimdEfficiency float64
	// Line is the line size, one of event.LineSizes; 0 is 128.
	Line int
	// Kernels are the names of the kernels that must meet the bounds; none means all.
	Kernels []string
}

// Launches calls a function, and fails the test if launches that ran on the accelerator's device
// meanwhile are below the bounds, or if there were none. It returns the launches. On a device that
// does not count, which is any but the software device, the test is skipped.
func Launches(t testing.TB, acc *compute.Accelerator, b Bounds, f func(context.Context) error) []*event.Launch {
	t.Helper()
	line := b.Line
	if line == 0 {
		line = 128
	}
	if !slices.Contains(event.LineSizes[:], line) {
		t.Fatalf("analyzetest: lines of %d bytes, want one of %v", line, event.LineSizes)
		return nil
	}
	if info := acc.Info(); !info.Software {
		t.Skipf("analyzetest: %s does not count what kernels do; PUREMETAL_DRIVER=software does", info.Name)
		return nil
	}
	launches, err := analyze.Observe(t.Context(), acc, analyze.ObserveOptions{}, f)
	if err != nil {
		t.Fatalf("analyzetest: %v", err)
		return nil
	}
	checked := launches[:0:0]
	for _, l := range launches {
		if len(b.Kernels) == 0 || slices.Contains(b.Kernels, l.Kernel) {
			checked = append(checked, l)
		}
	}
	if len(checked) == 0 {
		t.Errorf("analyzetest: no launches%s", among(b.Kernels))
	}
	for _, l := range checked {
		for _, wrong := range b.check(l, line) {
			t.Errorf("analyzetest: %s", wrong)
		}
	}
	return checked
}

func among(kernels []string) string {
	if len(kernels) == 0 {
		return ""
	}
	return " of " + strings.Join(kernels, ", ")
}

// check returns what is below the bounds.
func (b *Bounds) check(l *event.Launch, line int) (wrong []string) {
	at := fmt.Sprintf("kernel %s over %v threads in threadgroups of %v", l.Kernel, l.Grid, l.Threadgroup)
	totals := l.Totals()
	if e, ok := totals.Efficiency(line); ok && e < b.Efficiency {
		wrong = append(wrong, fmt.Sprintf("%s: efficiency %.4g with lines of %d bytes, want at least %.4g%s", at, e, line,
			b.Efficiency, advice(l, line)))
	}
	for i := range l.Sites {
		s := &l.Sites[i]
		if e, ok := s.Efficiency(line); ok && e < b.SiteEfficiency {
			wrong = append(wrong, fmt.Sprintf("%s: %v: %s of %s: efficiency %.4g with lines of %d bytes, want at least %.4g",
				at, s.Place, s.Operation, s.Memory, e, line, b.SiteEfficiency))
		}
	}
	if e := l.SimdEfficiency(); e < b.SimdEfficiency {
		wrong = append(wrong, fmt.Sprintf("%s: %.4g of the lanes are active, want at least %.4g", at, e, b.SimdEfficiency))
	}
	return wrong
}

// advice returns the recommendations, each on a line of its own.
func advice(l *event.Launch, line int) string {
	list, _ := analyze.Recommend(l, line) // the line size is valid
	var b strings.Builder
	for i := range list {
		fmt.Fprintf(&b, "\n\t%v", &list[i])
	}
	return b.String()
}

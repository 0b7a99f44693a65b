package analyzetest

import (
	"slices"
	"testing"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
)

// Source analyzes the kernels of a program without running them, and fails the test if one does not
// compile or if an access of device or constant memory is less efficient than
// [Bounds.SiteEfficiency], whatever the launch. An access whose efficiency the source leaves open,
// such as one at an address from memory, fails only if even the best case is below the bound. The
// size of lines is the model's; the bounds that need a launch, and Bounds.Line, must not be set.
func Source(t testing.TB, s analyze.Source, o analyze.KernelOptions, b Bounds) []*analyze.Report {
	t.Helper()
	if b.Efficiency != 0 || b.SimdEfficiency != 0 || b.Line != 0 {
		t.Fatalf("analyzetest: Source: the bounds %+v; want only SiteEfficiency and Kernels", b)
		return nil
	}
	list, err := analyze.Kernels(t.Context(), s, o)
	if err != nil {
		t.Fatalf("analyzetest: %v", err)
		return nil
	}
	if len(b.Kernels) > 0 {
		list = slices.DeleteFunc(list, func(r *analyze.Report) bool { return !slices.Contains(b.Kernels, r.Kernel) })
	}
	if len(list) == 0 {
		t.Errorf("analyzetest: no kernels%s in %s", among(b.Kernels), s.Name)
	}
	for _, r := range list {
		for _, a := range r.Accesses {
			e := a.Efficiency
			if a.Space == event.Threadgroup || e.Certainty == analyze.Unknown || e.High >= b.SiteEfficiency {
				continue
			}
			t.Errorf("analyzetest: kernel %s in threadgroups of %v: %v: %s of %s, %s: efficiency %v with lines of %d bytes, "+
				"want at least %.4g", r.Kernel, r.Threadgroup, a.Place, a.Operation, a.Memory, a.Pattern, e,
				r.Model.Line, b.SiteEfficiency)
		}
	}
	return list
}

package compute

import (
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// shapeSearches has the searches for the threadgroups of a kernel, by grid.
type shapeSearches struct {
	mu     sync.Mutex
	asked  bool
	report stream.ShapeReport
	grids  map[mtl.Size]*stream.GroupSearch
}

// search returns the search for the best threadgroup of a grid, nil if the threadgroup must not
// depend on measurements: results may depend on it, or nothing is known about the kernel.
func (k *Kernel) search(grid mtl.Size) *stream.GroupSearch {
	if !k.acc.info.Software || k.acc.sanitize != 0 || k.phased != nil || k.core.Phases > 1 ||
		k.core.Made().Limits.RequiredThreadsPerThreadgroup.Width > 0 {
		return nil
	}
	s := &k.shapes
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		s.asked = true
		objc.Pool(func() {
			pipeline := k.core.Made().Pipeline.ID()
			if r, err := client.Read[extension.ShapeReport](&extension.ThreadgroupShapes, pipeline); err == nil {
				s.report = stream.ShapeReport(r)
			}
		})
	}
	if !s.report.Free {
		return nil
	}
	g := s.grids[grid]
	if g == nil && len(s.grids) < stream.MaxSearches {
		if s.grids == nil {
			s.grids = map[mtl.Size]*stream.GroupSearch{}
		}
		g = k.newSearch(grid)
		s.grids[grid] = g
	}
	return g
}

// newSearch begins a search for a grid.
func (k *Kernel) newSearch(grid mtl.Size) *stream.GroupSearch {
	g := &stream.GroupSearch{Grid: grid, Limit: k.acc.info.Limits.MaxThreadsPerThreadgroup,
		Most: min(1024, k.core.Made().Limits.MaxTotalThreadsPerThreadgroup), MayImprove: k.mayImprove}
	g.Begin(&k.shapes.report, k.chooseGroup(grid))
	return g
}

func (k *Kernel) mayImprove(s mtl.Size) bool {
	return client.Ask(&extension.MayImprove, k.core.Made().Pipeline.ID(), uintptr(s.Width), uintptr(s.Height),
		uintptr(s.Depth))
}

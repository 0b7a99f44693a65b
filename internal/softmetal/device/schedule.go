package device

import (
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/schedule"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// arranged are the launches of a device while somebody decides in which order their threadgroups
// and simdgroups run.
type arranged struct {
	mu       sync.Mutex
	order    *schedule.Order
	launches []*schedule.Launch
}

// arrange begins to run launches in an order. Launches are numbered from 0. It returns
// NO if somebody else has not ended what they have begun.
func (d *Device) arrange(c *objcsoft.Call) {
	order := &schedule.Order{}
	if !adapter.JSONArg(c, 0, order) {
		return
	}
	if err := order.Check(); err != nil {
		adapter.Misuse(c, "the order: %v", err)
		return
	}
	a := &d.arranged
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.order != nil {
		return
	}
	c.ReturnBool(true)
	a.order, a.launches = order, nil
	d.GPU().Arrange(func(p *dispatch.Pipeline, l *exec.Launch) exec.Schedule {
		g, err := l.Geometry()
		if err != nil {
			return nil // the launch fails with the same error
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.order != order {
			return nil
		}
		x := order.Launch(len(a.launches), p.Name, g.Groups)
		a.launches = append(a.launches, x)
		return x
	})
}

// stopArranging ends what arrange began, and returns the sizes of the launches since then.
// Of those that have not ended, it may know too little.
func (d *Device) stopArranging(c *objcsoft.Call) {
	a := &d.arranged
	a.mu.Lock()
	defer a.mu.Unlock()
	d.GPU().Arrange(nil)
	sizes := []schedule.Size{}
	for _, l := range a.launches {
		sizes = append(sizes, l.Size())
	}
	a.order, a.launches = nil, nil
	adapter.ReturnJSON(c, sizes)
}

func scheduleClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"arrange:":      adapter.Method((*Device).arrange),
		"stopArranging": adapter.Method((*Device).stopArranging),
	}}}
}

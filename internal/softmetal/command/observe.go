package command

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// Launched is a launch of a kernel that is about to run.
type Launched struct {
	Buffer   *Buffer
	Pipeline *dispatch.Pipeline
	Turn     *Turn        // nil where the order is not recorded
	Launch   *exec.Launch // as the engine gets it, its hook aside; valid until the launch has ended
}

// Observer is called before each launch, on the goroutine that runs it; several may run at the same
// time. It returns a hook that sees what the kernel does, nil to let it run at full speed, and a
// function to call with the launch's error when it has ended, nil for none.
type Observer func(*Launched) (h hook.Hook, ended func(error))

// Observe sets the observer of all launches from now on, nil for none.
func (g *GPU) Observe(o Observer) {
	if o == nil {
		g.observer.Store(nil)
		return
	}
	g.observer.Store(&o)
}

// Observed reports whether there is an observer.
func (g *GPU) Observed() bool { return g.observer.Load() != nil }

// Measure sets a second observer of all launches, which sees each event before the one of Observe;
// nil for none.
func (g *GPU) Measure(o Observer) {
	if o == nil {
		g.measurer.Store(nil)
		return
	}
	g.measurer.Store(&o)
}

// Arranger returns the order of the threadgroups and simdgroups of a launch that is about to run,
// nil for the engine's own.
type Arranger func(*dispatch.Pipeline, *exec.Launch) exec.Schedule

// Arrange sets who arranges all launches from now on, in place of Limits.Schedule; nil for nobody.
// The commands of a queue run one after the other meanwhile, so that the same launch is always the
// same one for the arranger.
func (g *GPU) Arrange(a Arranger) {
	if a == nil {
		g.arranger.Store(nil)
		return
	}
	g.arranger.Store(&a)
}

// Plain reports whether launches run at full speed, in the engine's own order: nobody observes or
// arranges them.
func (g *GPU) Plain() bool {
	return g.observer.Load() == nil && g.measurer.Load() == nil && g.arranger.Load() == nil && g.limits.Schedule == nil
}

// observed asks the observers for their hooks.
func (g *GPU) observed(l *Launched) (h hook.Hook, ended func(error)) {
	var ends [2]func(error)
	for i, o := range []*Observer{g.measurer.Load(), g.observer.Load()} {
		if o != nil {
			var next hook.Hook
			next, ends[i] = (*o)(l)
			h = hook.Both(h, next)
		}
	}
	return h, func(err error) {
		for _, end := range ends {
			if end != nil {
				end(err)
			}
		}
	}
}

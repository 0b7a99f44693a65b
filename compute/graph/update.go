package graph

import (
	"context"
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
)

// Update makes the instance replay a changed graph without making it anew. What may change are the
// buffers, textures, values and grids of launches, the memory of copies, fills and blits, functions
// of the host and callbacks, and buffers of conditions: for example a [Graph.Clone] after
// [Graph.SetLaunch]. Kernels, the number and kinds of nodes, and limits of loops must be the same,
// and the order of replay must satisfy the new dependencies. Otherwise the error wraps [ErrGraph]
// and names the difference, and the instance is unchanged.
//
// Update first waits until no recorded replay uses the instance. If it fails for other reasons than
// a difference or its context, the instance can only be closed.
func (i *Instance) Update(ctx context.Context, g *Graph) error {
	if err := stream.CheckCall(ctx, "instance: Update", g.missing()); err != nil {
		return err
	}
	if err := i.begin(ctx, "Update"); err != nil {
		return err
	}
	defer i.end()
	if g.acc != i.acc {
		return fmt.Errorf("compute: %v %w", g, compute.ErrAccelerator)
	}
	changed := g.Clone()
	u, err := i.plan.compare(changed, "")
	if err != nil {
		return fmt.Errorf("compute: update of an instance of %v: %w: %w", i.graph, err, ErrGraph)
	}
	if err := u.open(); err != nil {
		return fmt.Errorf("compute: update of an instance of %v: %w", i.graph, err)
	}
	for n := range u.edits {
		if err := u.edits[n].commands.core.Hold(ctx); err != nil {
			return fmt.Errorf("compute: update of an instance of %v: %w", i.graph, err)
		}
		u.edits[n].commands.core.Life.Done()
	}
	if err := u.apply(ctx); err != nil {
		i.wrong = fmt.Errorf("compute: instance of %v: an update failed halfway: %w", i.graph, err)
		return i.wrong
	}
	i.graph = changed
	return nil
}

// update is a checked change of plans.
type update struct {
	plans []*plan       // bodies before what contains them
	steps [][]graphStep // of each, the new ones
	edits []edit
}

// edit is a changed indirect command.
type edit struct {
	commands *Commands
	at       int
	step     *graphStep
}

// open returns an error if something that changed commands use is closed.
func (u *update) open() error {
	for i := range u.edits {
		l := u.edits[i].step.node.launch()
		if err := l.Use(); err != nil {
			return fmt.Errorf("node %s: %w", u.edits[i].step.path, err)
		}
		l.Done()
	}
	for _, steps := range u.steps {
		for i := range steps {
			if c := steps[i].node.cond; c != nil {
				if err := stream.BufferOf(c).Mem.Open(); err != nil {
					return fmt.Errorf("node %s: %w", steps[i].path, err)
				}
			}
		}
	}
	return nil
}

// compare checks that a graph differs from the plan's only in what may change.
func (p *plan) compare(g *Graph, prefix string) (u update, err error) {
	steps := g.steps()
	if len(steps) != len(p.steps) {
		return u, fmt.Errorf("%d nodes instead of %d", len(steps), len(p.steps))
	}
	places := make([]stepPlace, len(steps))
	n := 0
	for i := range p.segments {
		for _, s := range p.segments[i].steps {
			places[s] = stepPlace{n, i}
			n++
		}
	}
	for i := range steps {
		was, is := &p.steps[i], &steps[i]
		if why := was.differs(is); why != "" {
			return u, fmt.Errorf("node %s%s: %s", prefix, is.path, why)
		}
		for _, d := range is.after {
			if !p.ordered(d, i, places) {
				return u, fmt.Errorf("node %s%s now depends on node %s%s, which is replayed at the same time", prefix, is.path,
					prefix, steps[d].path)
			}
		}
	}
	for i := range p.segments {
		s := &p.segments[i]
		if s.loop != nil {
			at := s.steps[0]
			body, err := s.loop.body.compare(steps[at].node.body, prefix+steps[at].path+".")
			if err != nil {
				return u, err
			}
			u.plans, u.steps, u.edits = append(u.plans, body.plans...), append(u.steps, body.steps...),
				append(u.edits, body.edits...)
		}
		if s.commands == nil {
			continue
		}
		for at, j := range s.steps {
			l := steps[j].node.launch()
			if l == p.steps[j].node.launch() {
				continue
			}
			if err := s.commands.suits(l); err != nil {
				return u, fmt.Errorf("node %s%s: %w", prefix, steps[j].path, err)
			}
			u.edits = append(u.edits, edit{s.commands, at, &steps[j]})
		}
	}
	u.plans, u.steps = append(u.plans, p), append(u.steps, steps)
	return u, nil
}

// ordered reports whether step i is replayed after step d has ended. Steps of one level may run at
// the same time only within indirect commands, and beside them where the stream's own tracker sees
// no conflict, as it then does.
func (p *plan) ordered(d, i int, places []stepPlace) bool {
	if places[d].order > places[i].order {
		return false
	}
	return p.steps[d].level < p.steps[i].level || places[d].segment != places[i].segment
}

// stepPlace is where a plan has a step.
type stepPlace struct{ order, segment int }

// differs returns what differs between two steps that must not, "" for nothing.
func (s *graphStep) differs(is *graphStep) string {
	a, b := s.node, is.node
	if s.path != is.path {
		return "was node " + s.path
	}
	became := fmt.Sprintf("%s became %s", a.describe(), b.describe())
	if reflect.TypeOf(a.work.Command) != reflect.TypeOf(b.work.Command) || a.most != b.most {
		return became
	}
	switch was := a.work.Command.(type) {
	case stream.Template:
		if !b.work.Command.(stream.Template).Replaces(was) {
			return became
		}
	case *stream.Launch:
		if is := b.work.Command.(*stream.Launch); was.Kernel != is.Kernel {
			return fmt.Sprintf("%v became %v", was.Kernel, is.Kernel)
		}
	case *stream.Execution, *stream.IndirectChange:
		if was != b.work.Command {
			return "other indirect commands"
		}
	}
	return ""
}

// apply changes the plans.
func (u *update) apply(ctx context.Context) error {
	for i := range u.edits {
		e := &u.edits[i]
		if err := e.commands.core.WhileUnused(ctx, func() error {
			return e.commands.core.Encode(ctx, e.at, e.step.node.launch(), e.step.node.given)
		}); err != nil {
			return fmt.Errorf("node %s: %w", e.step.path, err)
		}
	}
	for i, p := range u.plans {
		for j := range p.steps { // the levels stay: the order of replay does
			p.steps[j].node = u.steps[i][j].node
		}
		if err := p.assemble(); err != nil {
			return err
		}
	}
	return nil
}

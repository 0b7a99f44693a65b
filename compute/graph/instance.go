package graph

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Instance is a graph that is ready to be replayed, with [Instance.Replay]. It is a snapshot: later
// changes of the graph have no effect before [Instance.Update]. Runs of launches become indirect
// commands, so that one command of the stream replays them; see [Instance.How].
//
// Replays of one instance access the same memory, so replays on different streams must be ordered
// by events, as all work that shares memory. Clones whose buffers have been replaced replay
// concurrently. An instance is safe for concurrent use. Close it when done; recorded replays still
// run.
type Instance struct {
	acc  *compute.Accelerator
	name string // of the graph that it was made of, for messages

	using chan struct{} // full while a call uses the rest
	graph *Graph        // a copy
	plan  *plan         // nil once closed
	wrong error         // of an update that failed halfway
}

// plan is how steps are replayed.
type plan struct {
	acc      *compute.Accelerator
	steps    []graphStep
	segments []segment
	works    []stream.Work // of one replay, without uses
}

// segment is a part of a plan: one step, a loop, or consecutive launches as indirect commands.
type segment struct {
	steps    []int     // in the order of execution
	commands *Commands // one for each step; nil for other segments
	loop     *loopPlan
	how      Path
	reason   string
}

// Path is how a node is replayed.
type Path uint8

// The ways to replay a node.
const (
	ByCommands Path = iota // indirect commands: one command of the stream replays all of them
	ByEncoding             // encoded again in every replay
	ByHost                 // the host acts: it calls a function, or reads a condition
)

// String returns "indirect commands" and so on.
func (p Path) String() string {
	return [...]string{"indirect commands", "encoded", "host"}[min(p, ByHost)]
}

// Replayed says how a node is replayed.
type Replayed struct {
	Node   string // its number; "2.1" is node 1 within node 2
	What   string // its command
	Path   Path
	Reason string // why it is not ByCommands
}

// minCommands is how many consecutive launches are worth indirect commands: executing those costs
// about as much as encoding two launches.
const minCommands = 3

// Instantiate prepares the graph for replays. It compiles what kernels need for indirect commands,
// which may take as long as [Program.Kernel]. Errors: [ErrClosed], [ErrOutOfMemory].
func (g *Graph) Instantiate(ctx context.Context) (*Instance, error) {
	if err := stream.CheckCall(ctx, "graph: Instantiate", g.missing()); err != nil {
		return nil, err
	}
	i := &Instance{acc: g.acc, name: g.String(), graph: g.Clone(), using: make(chan struct{}, 1)}
	var err error
	if i.plan, err = newPlan(ctx, g.acc, i.graph, minCommands); err != nil {
		return nil, fmt.Errorf("compute: %v: %w", g, err)
	}
	if err := stream.DeviceOf(g.acc).AddOpen(i, "instance of "+g.String(), i.drop); err != nil {
		i.plan.close()
		return nil, err
	}
	return i, nil
}

// Close closes the instance. Closing a closed or nil instance does nothing.
func (i *Instance) Close() {
	if i.missing() {
		return
	}
	stream.DeviceOf(i.acc).RemoveOpen(i)
	i.drop()
}

func (i *Instance) drop() {
	i.using <- struct{}{}
	defer func() { <-i.using }()
	if i.plan != nil {
		i.plan.close()
		i.plan = nil
	}
}

// begin begins a call that uses the instance, once no other does. end ends it.
func (i *Instance) begin(ctx context.Context, what string) error {
	if err := stream.CheckCall(ctx, "instance: "+what, i.missing()); err != nil {
		return err
	}
	select {
	case i.using <- struct{}{}:
	case <-ctx.Done():
		return stream.ContextError(ctx, "another call of the instance of "+i.name)
	}
	err := i.wrong
	if i.plan == nil {
		err = fmt.Errorf("compute: instance of %v: %w", i.graph, compute.ErrClosed)
	}
	if err != nil {
		i.end()
	}
	return err
}

func (i *Instance) end() { <-i.using }

// How says how each node is replayed, in the order of the replay, and why not by indirect commands.
// It is empty for a closed instance.
func (i *Instance) How() []Replayed {
	if i.missing() || i.begin(context.Background(), "How") != nil {
		return nil
	}
	defer i.end()
	return i.plan.how("")
}

// Clone makes an independent instance of the same graph, for concurrent replays once its buffers
// have been replaced by [Instance.Update].
func (i *Instance) Clone(ctx context.Context) (*Instance, error) {
	if err := i.begin(ctx, "Clone"); err != nil {
		return nil, err
	}
	g := i.graph.Clone()
	i.end()
	return g.Instantiate(ctx)
}

// Graph returns a copy of the graph that the instance replays.
func (i *Instance) Graph() *Graph {
	if i.missing() {
		return nil
	}
	i.using <- struct{}{}
	defer i.end()
	return i.graph.Clone()
}

// Replay records a replay on a stream, as if its commands were recorded one by one, without any
// other command between them. If something that they use is closed, the error wraps [ErrClosed],
// and nothing is recorded.
func (i *Instance) Replay(ctx context.Context, s *compute.Stream) error {
	q := stream.QueueOf(s)
	if err := stream.CheckCall(ctx, "instance: Replay", q == nil); err != nil {
		return err
	}
	if err := i.begin(ctx, "Replay"); err != nil {
		return err
	}
	defer i.end()
	if stream.DeviceOf(i.acc) != q.Device() {
		return fmt.Errorf("compute: instance of %v %w", i.graph, compute.ErrAccelerator)
	}
	if c := q.Capture(); c != nil {
		return c.Graph.(*capture).child(i.graph)
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	works := stream.Expand(i.plan.works)
	for n := range works {
		w := &works[n]
		if w.Site == 0 {
			w.Site = site[0]
		}
		switch c := w.Command.(type) {
		case *stream.Loop:
			w.Command = &stream.Branch{Loop: c, Top: true}
		case *stream.Execution:
			w.Command = c.Current()
		}
	}
	q.Share(works)
	if err := stream.UseAll(works); err != nil {
		return fmt.Errorf("compute: replay of %v: %w", i.graph, err)
	}
	if _, err := q.RecordAll(ctx, works); err != nil {
		return err
	}
	for n := range works {
		works[n].Counted()
	}
	return nil
}

// newPlan plans the replay of a graph. Fewer consecutive launches than least are not worth indirect
// commands.
func newPlan(ctx context.Context, a *compute.Accelerator, g *Graph, least int) (p *plan, err error) {
	p = &plan{acc: a, steps: g.steps()}
	defer func() {
		if err != nil {
			p.close()
			p = nil
		}
	}()
	reasons := make([]string, len(p.steps)) // why not by indirect commands
	order := make([]int, len(p.steps))
	for i := range p.steps {
		order[i] = i
		if reasons[i], err = p.steps[i].notIndirect(ctx); err != nil {
			return p, fmt.Errorf("node %s: %w", p.steps[i].path, err)
		}
	}
	// Steps of one level are independent, so those that indirect commands can replay come first.
	class := func(i int) int {
		switch s := &p.steps[i]; {
		case reasons[i] == "":
			return 0
		case s.node.body != nil:
			return 3
		case s.node.isHost() || s.node.isCallback():
			return 2
		}
		return 1
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if d := p.steps[i].level - p.steps[j].level; d != 0 {
			return d
		}
		return class(i) - class(j)
	})
	for at := 0; at < len(order); {
		n := 0
		for at+n < len(order) && reasons[order[at+n]] == "" && n < stream.MaxCommands {
			n++
		}
		switch {
		case n >= least:
			err = p.addCommands(ctx, order[at:at+n])
		case n > 0:
			for _, i := range order[at : at+n] {
				p.segments = append(p.segments, segment{steps: []int{i}, how: ByEncoding,
					reason: fmt.Sprintf("only %d consecutive launches", n)})
			}
		default:
			n = 1
			err = p.addStep(ctx, order[at], reasons[order[at]])
		}
		if err != nil {
			return p, err
		}
		at += n
	}
	return p, p.assemble()
}

// notIndirect returns why a step cannot be an indirect command, "" if it can.
func (s *graphStep) notIndirect(ctx context.Context) (string, error) {
	n := s.node
	switch {
	case n.body != nil:
		return "a condition", nil
	case n.launch() == nil:
		return "not a launch", nil
	case stream.Command(n.launch()) != n.work.Command:
		return "a launch tree: its kernels decide in each replay which indirect commands there are, and these cannot be " +
			"among other indirect commands", nil
	}
	l := n.launch()
	if l.Kernel.Acc.DispatchesNone {
		return "GPU families before Apple9 may not make pipelines of indirect commands resident", nil
	}
	if err := l.Indirect(mtl.MaxBufferSlots); err != nil {
		return err.Error(), nil
	}
	for i := range l.Args {
		if l.Args[i].Commands != nil {
			return "it encodes commands", nil
		}
	}
	if err := l.Use(); err != nil {
		return "", err
	}
	defer l.Done()
	if _, err := l.Kernel.IndirectState(ctx); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return err.Error(), nil
	}
	return "", nil
}

// addCommands adds launches as indirect commands. A barrier separates levels.
func (p *plan) addCommands(ctx context.Context, steps []int) error {
	slots := uint(1)
	for _, i := range steps {
		for _, a := range p.steps[i].node.launch().Args {
			if a.Kind == stream.BufferParameter {
				slots = max(slots, a.Index+1)
			}
		}
	}
	c, err := NewCommands(p.acc, len(steps), CommandsOptions{Label: "graph", Buffers: int(slots)})
	if err != nil {
		return err
	}
	c.core.Acc.RemoveOpen(c) // the instance owns it
	p.segments = append(p.segments, segment{steps: slices.Clone(steps), commands: c, how: ByCommands})
	return c.core.WhileUnused(ctx, func() error {
		for at, i := range steps {
			s := &p.steps[i]
			c.core.Entries[at].Barrier = at > 0 && s.level != p.steps[steps[at-1]].level
			if err := c.core.Encode(ctx, at, s.node.launch(), s.node.given); err != nil {
				return fmt.Errorf("node %s: %w", s.path, err)
			}
		}
		return nil
	})
}

// addStep adds a step that is no indirect command.
func (p *plan) addStep(ctx context.Context, i int, reason string) error {
	s := &p.steps[i]
	g := segment{steps: []int{i}, how: ByEncoding, reason: reason}
	switch {
	case s.node.isHost():
		g.how, g.reason = ByHost, "a function of the host"
	case s.node.body != nil:
		l, err := newLoopPlan(ctx, p.acc, s.node)
		if err != nil {
			return fmt.Errorf("node %s: %w", s.path, err)
		}
		g.loop = l
		if g.how, g.reason = ByCommands, ""; l.why != "" {
			g.how, g.reason = ByHost, l.why
		}
	}
	p.segments = append(p.segments, g)
	return nil
}

// assemble makes the commands of a replay from the segments.
func (p *plan) assemble() error {
	p.works = p.works[:0:0]
	for i := range p.segments {
		switch g := &p.segments[i]; {
		case g.commands != nil:
			c := g.commands
			p.works = append(p.works, stream.Work{Command: c.core.LastExecution(0, c.core.N)})
		case g.loop != nil:
			works, err := g.loop.assemble(p.steps[g.steps[0]].node)
			if err != nil {
				return fmt.Errorf("node %s: %w", p.steps[g.steps[0]].path, err)
			}
			p.works = append(p.works, works...)
		default:
			p.works = append(p.works, p.steps[g.steps[0]].node.work)
		}
	}
	return nil
}

// how describes the plan. Paths of nodes begin with prefix.
func (p *plan) how(prefix string) (all []Replayed) {
	for i := range p.segments {
		g := &p.segments[i]
		for _, n := range g.steps {
			s := &p.steps[n]
			all = append(all, Replayed{prefix + s.path, s.node.describe(), g.how, g.reason})
			if g.loop != nil {
				all = append(all, g.loop.body.how(prefix+s.path+".")...)
			}
		}
	}
	return all
}

func (p *plan) close() {
	for i := range p.segments {
		if c := p.segments[i].commands; c != nil {
			c.core.Life.Close()
		}
		if l := p.segments[i].loop; l != nil {
			l.close()
		}
	}
}

package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
)

// Graph is a sequence of commands that is recorded once and replayed often: launches, launch trees,
// copies, fills, blits of textures, functions of the host, other graphs, conditions and loops. It
// is made by hand, or captured from a stream with [Stream.BeginCapture]. [Graph.Instantiate] makes
// an [Instance] that streams replay.
//
// Nodes behave as if they ran one at a time in the order in which they were added. In fact a node
// waits only for earlier ones whose memory overlaps, as the commands of a stream do, and for those
// that [Graph.After] names: see [Graph.Dependencies].
//
// A graph keeps the buffers of its launches reachable, but does not keep anything open: replays
// fail with [ErrClosed] once a kernel, buffer or texture is closed. It holds no device memory and
// needs no Close. Building it is not safe for concurrent use. For Go functions that depend on each
// other, see [TaskGraph].
type Graph struct {
	acc   *compute.Accelerator
	label string
	nodes []node
}

// Node identifies a node of a graph, and the same node in clones of the graph: its number in the
// order of addition, from 0.
type Node int

// node is a node. A child, condition or loop has a body, other nodes are one command.
type node struct {
	work  stream.Work     // without uses
	given []any           // arguments of a launch: keeps them reachable
	of    *compute.Kernel // of a launch

	body *Graph
	cond *compute.Buffer[uint32] // of a condition or loop
	most int                     // iterations

	after []Node // added by After
}

// maxNodes bounds a graph with everything in it, and maxNesting the graphs within graphs.
const (
	maxNodes   = 1 << 16
	maxNesting = 16
)

// New makes an empty graph. The label is for errors and messages.
// A graph of a missing accelerator refuses every call.
func New(a *compute.Accelerator, label string) *Graph {
	if stream.DeviceOf(a) == nil {
		return &Graph{label: label}
	}
	return &Graph{acc: a, label: label}
}

// String names the graph for messages.
func (g *Graph) String() string {
	if g.missing() {
		return "nil graph"
	}
	return fmt.Sprintf("graph %q", g.label)
}

// Len returns the number of nodes; a child, condition or loop counts as one.
func (g *Graph) Len() int {
	if g.missing() {
		return 0
	}
	return len(g.nodes)
}

// usable checks the receiver of a call.
func (g *Graph) usable(what string) error {
	if g.missing() {
		return stream.NilError("graph: " + what)
	}
	return nil
}

// add appends a node.
func (g *Graph) add(n node) (Node, error) {
	if g.size() >= maxNodes {
		return 0, fmt.Errorf("compute: %v: more than %d nodes: %w", g, maxNodes, ErrGraph)
	}
	g.nodes = append(g.nodes, n)
	return Node(len(g.nodes) - 1), nil
}

// size counts the nodes with those of bodies.
func (g *Graph) size() int {
	n := len(g.nodes)
	for i := range g.nodes {
		if b := g.nodes[i].body; b != nil {
			n += b.size()
		}
	}
	return n
}

// nesting returns how many graphs are within each other.
func (g *Graph) nesting() int {
	n := 0
	for i := range g.nodes {
		if b := g.nodes[i].body; b != nil {
			n = max(n, b.nesting())
		}
	}
	return n + 1
}

// Launch adds a launch. Errors are a *[LaunchError].
func (g *Graph) Launch(k *compute.Kernel, grid compute.Grid, args ...any) (Node, error) {
	if err := g.usable("Launch"); err != nil {
		return 0, err
	}
	n, err := g.launchNode(k, grid, args)
	if err != nil {
		return 0, err
	}
	return g.add(n)
}

// launchNode checks a launch.
func (g *Graph) launchNode(k *compute.Kernel, grid compute.Grid, args []any) (node, error) {
	l, err := k.Bind(grid, args...)
	if err != nil {
		return node{}, err
	}
	core := stream.LaunchOf(l)
	if core.Kernel.Acc != stream.DeviceOf(g.acc) {
		return node{}, &compute.LaunchError{Kernel: k.Name(), Err: compute.ErrAccelerator}
	}
	if err := stream.Ordinary(core.Kernel); err != nil { // Record takes cooperative launches
		return node{}, err
	}
	return node{work: stream.Work{Command: core}, given: slices.Clone(args), of: k}, nil
}

// SetLaunch replaces grid and arguments of a launch, or of the first launch of a tree, for
// [Instance.Update].
func (g *Graph) SetLaunch(n Node, grid compute.Grid, args ...any) error {
	if err := g.check("SetLaunch", n); err != nil {
		return err
	}
	var made node
	var err error
	switch was := g.nodes[n].work.Command.(type) {
	case stream.Template:
		var bound stream.Template
		if bound, err = was.Rebind(context.Background(), grid, args); err == nil { // it is compiled
			made = node{work: stream.Work{Command: bound}, given: slices.Clone(args)}
		}
	case *stream.Launch:
		made, err = g.launchNode(g.nodes[n].of, grid, args)
	default:
		err = fmt.Errorf("compute: %v: node %d is %s and no launch: %w", g, n, g.nodes[n].describe(), ErrGraph)
	}
	if err != nil {
		return err
	}
	g.nodes[n].work, g.nodes[n].given = made.work, made.given
	return nil
}

// Record adds the commands that record gives to a stream: copies, fills, blits of textures,
// callbacks, executions of [Commands], [Stream.Encode], launches. The stream only records and runs
// nothing. Uploads, downloads, events and waits cannot be recorded; see [ErrCapture]. A callback is
// called after the nodes before it have ended, and no node waits for it; see [Graph.Host].
//
// If record fails, the graph is unchanged.
func (g *Graph) Record(ctx context.Context, record func(context.Context, *compute.Stream) error) (nodes []Node,
	err error) {
	if err := stream.CheckCall(ctx, "graph: Record", g.missing()); err != nil {
		return nil, err
	}
	if record == nil {
		return nil, stream.NilError("graph: Record: the function")
	}
	before := len(g.nodes)
	c := &capture{stream: g.label, graph: g}
	s := stream.NewRecorder(g.acc, g.label, c.taker()).(*compute.Stream)
	returned := false
	defer func() {
		if !returned { // record has ended the goroutine
			_ = c.end()
			g.nodes = g.nodes[:before]
		}
	}()
	contain.Protect(func() string { return "Record of " + g.String() }, func() error { return record(ctx, s) },
		func(failed error) { err = failed })
	returned = true
	if err = errors.Join(err, c.end()); err != nil {
		g.nodes = g.nodes[:before]
		return nil, err
	}
	for i := before; i < len(g.nodes); i++ {
		nodes = append(nodes, Node(i))
	}
	return nodes, nil
}

// Host adds a function that the host calls once the nodes that it depends on have ended; nodes that
// depend on it wait for it. access lists the buffers that it accesses, by [Reads], [Writes] and
// [Overwrites]; if the work that wrote one of the first two failed, the function is not called. It
// may use [Buffer.Data] of shared buffers, but neither [Buffer.Upload] nor [Buffer.Download], which
// would wait for the replay itself, and must not wait for the stream. Its error or panic is that of
// a failed command. A function that is called in every replay must be safe for that.
func (g *Graph) Host(call func() error, access ...any) (Node, error) {
	if err := g.usable("Host"); err != nil {
		return 0, err
	}
	if call == nil {
		return 0, stream.NilError("graph: Host: the function")
	}
	c := &hostCall{}
	if err := stream.EachAccess(stream.DeviceOf(g.acc), access, func(a stream.RangeAccess) error {
		c.List = append(c.List, a)
		return a.Mem.Open()
	}); err != nil {
		return 0, fmt.Errorf("compute: graph: Host: %w", err)
	}
	c.call = func() error { return contain.Call(func() string { return "a function of " + g.String() }, call) }
	return g.add(node{work: stream.Work{Command: c}, given: access})
}

// hostCall is a function of a graph that the host calls.
type hostCall struct {
	stream.AccessList
	call func() error
}

func (c *hostCall) Side() stream.Side { return stream.ByHost }

func (c *hostCall) Summarize(s *stream.CommandSummary) { s.Form = "function of the host" }

func (c *hostCall) Observe(e *observe.RecordEvent) { e.Kind = observe.CommandFunction }

func (c *hostCall) Tally(n *stream.Counters) { n.Functions.Add(1) }

func (c *hostCall) Run(failed error) error {
	if failed != nil {
		return nil // that failure is reported
	}
	return c.call()
}

// Child adds the nodes of another graph, which is copied, as one node.
func (g *Graph) Child(child *Graph) (Node, error) { return g.addBody("Child", child, nil, 1) }

// If adds a graph, which is copied, that is replayed if cond is not 0 at that point. cond has one
// element, which an earlier node may write.
func (g *Graph) If(cond *compute.Buffer[uint32], body *Graph) (Node, error) {
	if stream.BufferOf(cond).Mem == nil {
		return 0, stream.NilError("graph: If: the condition")
	}
	return g.addBody("If", body, cond, 1)
}

// maxIterations bounds loops.
const maxIterations = 1 << 20

// While adds a graph, which is copied, that is replayed as long as cond is not 0, at most most
// times, 1 to 1048576. cond has one element, which is read before each iteration; the body writes
// it. A loop that ends because of the limit is not an error: cond is then still not 0.
func (g *Graph) While(cond *compute.Buffer[uint32], body *Graph, most int) (Node, error) {
	if stream.BufferOf(cond).Mem == nil || body.missing() {
		return 0, stream.NilError("graph: While: the condition or the body")
	}
	if most < 1 || most > maxIterations {
		return 0, fmt.Errorf("compute: %v: While: %d iterations, want 1 to %d: %w", g, most, maxIterations, compute.ErrRange)
	}
	return g.addBody("While", body, cond, most)
}

func (g *Graph) addBody(what string, body *Graph, cond *compute.Buffer[uint32], most int) (Node, error) {
	if err := g.usable(what); err != nil {
		return 0, err
	}
	switch {
	case body.missing():
		return 0, stream.NilError("graph: " + what + ": the body")
	case body.acc != g.acc:
		return 0, fmt.Errorf("compute: %v %w", body, compute.ErrAccelerator)
	case body == g:
		return 0, fmt.Errorf("compute: %v: %s of itself; use Clone: %w", g, what, ErrGraph)
	case len(body.nodes) == 0:
		return 0, fmt.Errorf("compute: %v: %s of %v, which is empty: %w", g, what, body, ErrGraph)
	case body.nesting() >= maxNesting:
		return 0, fmt.Errorf("compute: %v: %s: more than %d graphs within each other: %w", g, what, maxNesting, ErrGraph)
	case g.size()+body.size() >= maxNodes:
		return 0, fmt.Errorf("compute: %v: more than %d nodes: %w", g, maxNodes, ErrGraph)
	}
	if cond != nil {
		switch v := stream.BufferOf(cond); {
		case cond.Len() != 1:
			return 0, fmt.Errorf("compute: %v: %s: the condition has %d elements, want 1: %w", g, what, cond.Len(),
				compute.ErrRange)
		case v.Mem.Acc != stream.DeviceOf(g.acc):
			return 0, fmt.Errorf("compute: %v %w", v.Mem, compute.ErrAccelerator)
		}
	}
	return g.add(node{body: body.Clone(), cond: cond, most: most})
}

// check checks a node's number.
func (g *Graph) check(what string, nodes ...Node) error {
	if err := g.usable(what); err != nil {
		return err
	}
	for _, n := range nodes {
		if n < 0 || int(n) >= len(g.nodes) {
			return fmt.Errorf("compute: %v: %s: node %d of %d: %w", g, what, n, len(g.nodes), compute.ErrRange)
		}
	}
	return nil
}

// After makes a node wait for earlier ones, in addition to what their memory demands: for example
// for memory that a kernel reaches through pointers that no Reads or Writes list.
func (g *Graph) After(n Node, on ...Node) error {
	if err := g.check("After", append([]Node{n}, on...)...); err != nil {
		return err
	}
	for _, o := range on {
		if o >= n {
			return fmt.Errorf("compute: %v: node %d after node %d, which was added later; nodes run in the order of "+
				"addition: %w", g, n, o, ErrGraph)
		}
		if g.nodes[o].isCallback() {
			return fmt.Errorf("compute: %v: node %d after node %d, a callback, for which nothing waits; use Host: %w", g, n, o,
				ErrGraph)
		}
	}
	for _, o := range on {
		if !slices.Contains(g.nodes[n].after, o) {
			g.nodes[n].after = append(g.nodes[n].after, o)
		}
	}
	return nil
}

// Clone returns a copy of the graph. Both use the same buffers.
func (g *Graph) Clone() *Graph {
	if g.missing() {
		return nil
	}
	c := &Graph{acc: g.acc, label: g.label, nodes: slices.Clone(g.nodes)}
	for i := range c.nodes {
		c.nodes[i].after = slices.Clone(c.nodes[i].after)
		if b := c.nodes[i].body; b != nil {
			c.nodes[i].body = b.Clone()
		}
	}
	return c
}

// describe names the node's command.
func (n *node) describe() string {
	switch {
	case n.body != nil && n.cond == nil:
		return "child " + n.body.label
	case n.body != nil && n.most == 1:
		return "if"
	case n.body != nil:
		return fmt.Sprintf("while, at most %d times", n.most)
	}
	if t, ok := n.work.Command.(stream.Template); ok {
		return fmt.Sprintf("%v from %v", t, &n.work)
	}
	return n.work.String()
}

// launch returns the launch that the node is, the first one for a launch tree; nil for other nodes.
func (n *node) launch() *stream.Launch {
	if n.body != nil {
		return nil
	}
	return n.work.Launched()
}

// isCallback reports whether the node is a callback, for which no other node waits.
func (n *node) isCallback() bool {
	_, ok := n.work.Command.(*stream.CallbackCommand)
	return ok
}

// isHost reports whether the node is a function of the host.
func (n *node) isHost() bool {
	_, ok := n.work.Command.(*hostCall)
	return ok
}

// capture records a stream's commands into a graph.
type capture struct {
	stream string

	mu    sync.Mutex
	graph *Graph
	err   error // the first refusal; the capture fails with it
	ended bool
}

// add adds commands, whose uses have been counted, and ends the uses.
func (c *capture) add(works []stream.Work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range works {
		works[i].End()
	}
	for i := range works {
		if _, once := works[i].Command.(stream.Momentary); once {
			return c.refuseLocked(works[i].String())
		}
		if err := c.addNode(node{work: works[i]}); err != nil {
			return err
		}
	}
	return nil
}

// launch adds a launch of a kernel with its grid and arguments.
func (c *capture) launch(kernel, grid any, args []any, site uintptr) error {
	k, _ := kernel.(*compute.Kernel)
	g, _ := grid.(compute.Grid)
	n, err := c.graph.launchNode(k, g, args)
	if err != nil {
		return err
	}
	n.work.Site = site
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addNode(n)
}

// addGiven adds a command with arguments, which are kept reachable.
func (c *capture) addGiven(w stream.Work, args []any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addNode(node{work: w, given: slices.Clone(args)})
}

// taker returns what takes the stream's commands.
func (c *capture) taker() *stream.Capture {
	return &stream.Capture{Add: c.add, Launch: c.launch, Given: c.addGiven, Refuse: c.refuse, Graph: c}
}

// addNode adds a node. The lock is held.
func (c *capture) addNode(n node) error {
	if c.ended {
		return fmt.Errorf("compute: stream %q: the capture has ended: %w", c.stream, compute.ErrCapture)
	}
	_, err := c.graph.add(n)
	return c.keep(err)
}

// refuse makes the error of a call that cannot be captured.
func (c *capture) refuse(what string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refuseLocked(what)
}

// refuseLocked is refuse while the lock is held.
func (c *capture) refuseLocked(what string) error {
	return c.keep(fmt.Errorf("compute: stream %q: %s: %w", c.stream, what, compute.ErrCapture))
}

// keep keeps the first error. The lock is held.
func (c *capture) keep(err error) error {
	if c.err == nil {
		c.err = err
	}
	return err
}

// end ends the capture and returns its first error.
func (c *capture) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.err
}

// BeginCapture makes a stream record commands into a graph with the given label instead of running
// them, until [EndCapture]. Work from before the capture still runs. During the capture, uploads,
// downloads, events, waits and Sync are refused with [compute.ErrCapture].
func BeginCapture(s *compute.Stream, label string) error {
	q := stream.QueueOf(s)
	if q == nil {
		return stream.NilError("BeginCapture: the stream")
	}
	c := &capture{stream: q.Label(), graph: New(s.Accelerator(), label)}
	if !q.SetCapture(nil, c.taker()) {
		return fmt.Errorf("compute: stream %q: a second BeginCapture: %w", q.Label(), compute.ErrCapture)
	}
	return nil
}

// EndCapture ends the capture and returns the graph. If a call was refused during the capture, it
// returns that call's error and no graph.
func EndCapture(s *compute.Stream) (*Graph, error) {
	q := stream.QueueOf(s)
	if q == nil {
		return nil, stream.NilError("EndCapture: the stream")
	}
	taker := q.Capture()
	if taker == nil || !q.SetCapture(taker, nil) {
		return nil, fmt.Errorf("compute: stream %q: EndCapture without BeginCapture: %w", q.Label(), compute.ErrCapture)
	}
	c := taker.Graph.(*capture)
	if err := c.end(); err != nil {
		return nil, err
	}
	return c.graph, nil
}

// child adds the graph of an instance that is replayed.
func (c *capture) child(g *Graph) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return c.refuseLocked("Replay after the capture")
	}
	_, err := c.graph.Child(g)
	return c.keep(err)
}

// A handle is missing if it is nil or the zero value of its type.

// isMissing reports whether a handle of this package is nil or was not made by it.
func isMissing(v any) bool {
	h, ok := v.(interface{ missing() bool })
	return ok && h.missing()
}

func (c *Commands) missing() bool  { return c == nil || c.acc == nil }
func (g *Graph) missing() bool     { return g == nil || g.acc == nil }
func (i *Instance) missing() bool  { return i == nil || i.acc == nil }
func (g *TaskGraph) missing() bool { return g == nil || g.acc == nil }
func (r *TaskRun) missing() bool   { return r == nil || r.acc == nil }

package stream

import (
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Launch is a kernel with its arguments and grid. It is immutable.
type Launch struct {
	Kernel      *Kernel
	Grid, Group mtl.Size
	Threads     bool
	Count       uint64 // of threads
	Epoch       uint64 // of the device when it was bound
	Args        []Argument
	Spans       []Span       // of the arguments
	Bytes       int          // that the arguments span, for batching
	Counts      View         // of the numbers of threadgroups, for a phase of a kernel that was split
	Search      *GroupSearch // for a better threadgroup than group; nil if that is given or must stay
}

// ThreadsOfGrid returns the size of the grid in threads.
func (l *Launch) ThreadsOfGrid() [3]uint {
	threads := Axes(l.Grid)
	if !l.Threads {
		for i, n := range Axes(l.Group) {
			threads[i] *= n
		}
	}
	return threads
}

// CountThreads computes the number of threads from the grid.
func (l *Launch) CountThreads() {
	l.Count = 1
	for _, n := range l.ThreadsOfGrid() {
		l.Count *= uint64(n)
	}
}

// Use keeps the launch's kernel and arguments alive until done.
func (l *Launch) Use() error {
	if err := l.Kernel.Life.Use(); err != nil {
		return err
	}
	for i := range l.Args {
		if err := l.Args[i].Use(); err != nil {
			l.unuse(i)
			return err
		}
	}
	return nil
}

// Use keeps what the argument refers to alive until done.
func (a *Argument) Use() error {
	switch {
	case a.View.Mem != nil:
		return a.View.Mem.Use()
	case a.Commands != nil:
		return a.Commands.Life.Use()
	case a.Used != nil:
		return a.Used.Use()
	}
	a.Texture.Retain()
	a.Sampler.Retain()
	return nil
}

// Done ends a use.
func (a *Argument) Done() {
	switch {
	case a.View.Mem != nil:
		a.View.Mem.Done()
	case a.Commands != nil:
		a.Commands.Life.Done()
	case a.Used != nil:
		a.Used.Done()
	default:
		a.Texture.Release()
		a.Sampler.Release()
	}
}

// unuse ends a use of the kernel and of the first n arguments.
func (l *Launch) unuse(n int) {
	for i := range l.Args[:n] {
		l.Args[i].Done()
	}
	l.Kernel.Life.Done()
}

// Done implements Command.
func (l *Launch) Done() { l.unuse(len(l.Args)) }

// Side implements Command.
func (l *Launch) Side() Side { return ByDevice }

// Launched implements Command.
func (l *Launch) Launched() *Launch { return l }

// Size implements Command.
func (l *Launch) Size() int { return l.Bytes }

// Hazards implements Command.
func (l *Launch) Hazards(spans []Span) []Span { return append(spans, l.Spans...) }

// Summarize implements Command.
func (l *Launch) Summarize(s *CommandSummary) { s.Form, s.Name = "%s", l.Kernel.Name }

// Tally implements Command.
func (l *Launch) Tally(c *Counters) { c.Launches.Add(1) }

// Observe implements Command.
func (l *Launch) Observe(e *observe.RecordEvent) {
	e.Kind, e.Kernel, e.Threads, e.Bytes = observe.CommandLaunch, l.Kernel.Name, l.Count, uint64(l.Bytes)
	e.File, e.Line = l.Kernel.File, l.Kernel.Line
}

// Encode implements Command.
func (l *Launch) Encode(e *Encoder, w *Work) (err error) {
	if e.Timer != nil {
		err = e.timed(w.Number, func() error { return e.launch(l) })
	} else {
		err = e.launch(l)
	}
	e.Used(w)
	return err
}

// Recorded implements Command.
func (l *Launch) Recorded() {
	l.Kernel.Counters.Launches.Add(1)
	l.Kernel.Counters.Threads.Add(l.Count)
}

// Argument is one checked argument, ready to be encoded.
type Argument struct {
	Kind    ParameterKind
	Index   uint
	Writes  bool
	View    View // of a buffer or a texture
	Partial bool // the view contains bytes that the kernel cannot access
	// overwrites: the launch overwrites the view and reads nothing of it; see Overwrites.
	Overwrites bool
	Bytes      []byte       // a value, instead of a buffer
	Texture    mtl.Texture  // of package mtl, or that of Cell when it was bound
	Cell       *TextureCell // of a Texture
	Sampler    mtl.SamplerState
	Used       *Lifetime         // of a Sampler; nil for one of package mtl
	Found      *mtl.SamplerState // likewise: where Metal's is found
	Length     uint              // of threadgroup memory, in whole blocks
	Given      uint              // and as it was given

	Commands *Indirect // that the kernel encodes
}

// usage is the Metal resource usage of a buffer that is accessed through pointers.
func (a *Argument) usage() mtl.ResourceUsage {
	if a.Writes {
		return mtl.ResourceUsageRead | mtl.ResourceUsageWrite
	}
	return mtl.ResourceUsageRead
}

// Extent returns the numbers of threadgroups.
func (l *Launch) Extent() mtl.Size {
	if !l.Threads {
		return l.Grid
	}
	up := func(n, of uint) uint { return (n + of - 1) / of }
	return mtl.Size{Width: up(l.Grid.Width, l.Group.Width), Height: up(l.Grid.Height, l.Group.Height),
		Depth: up(l.Grid.Depth, l.Group.Depth)}
}

// Whole reports whether all threadgroups are whole: indirect launches have no others.
func (l *Launch) Whole() bool {
	return !l.Threads ||
		l.Grid.Width%l.Group.Width == 0 && l.Grid.Height%l.Group.Height == 0 && l.Grid.Depth%l.Group.Depth == 0
}

// Groups returns the number of threadgroups of a launch.
func (l *Launch) Groups() uint64 {
	n := uint64(1)
	for _, axis := range [3][2]uint{{l.Grid.Width, l.Group.Width}, {l.Grid.Height, l.Group.Height},
		{l.Grid.Depth, l.Group.Depth}} {
		if l.Threads {
			axis[0] = (axis[0] + axis[1] - 1) / axis[1]
		}
		n *= uint64(axis[0])
	}
	return n
}

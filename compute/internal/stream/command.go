package stream

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute/observe"
)

// Work is a command in the queue of a stream: what it does, and what the stream notes about it.
type Work struct {
	Command
	Number   uint64
	Encoder  uint64  // the number of its encoder, once it is encoded; 0 for none
	Site     uintptr // the program counter of the program's call
	Account  uint64  // the commands of a call that share a work budget have the same number; 0 for none
	borrowed bool    // its uses are those of a loop around it

	Of   composite // what it is a part of, nil for nothing
	Part uint64    // which part of that it is

	Then func(error) // called once it and all before it have ended, with the failure of its command buffer
}

// Command is what a stream does, with a type for each kind of command. Those that are part of a
// graph are immutable.
type Command interface {
	// use keeps what the command needs alive until done.
	Use() error
	Done()

	// side says who executes the command.
	Side() Side
	// encode encodes the command, unless the host executes it.
	Encode(e *Encoder, w *Work) error
	// launched returns the launch that the command is, nil for other commands.
	Launched() *Launch
	// size returns how many bytes the command accesses.
	Size() int

	// accesses appends the accesses by which failures spread.
	Accesses(list []RangeAccess) []RangeAccess
	// hazards appends the accesses that order commands.
	Hazards(spans []Span) []Span

	// summarize says what the command is, for errors.
	Summarize(s *CommandSummary)
	// observe completes the event for observers.
	Observe(e *observe.RecordEvent)
	// tally counts the command in the statistics of its stream.
	Tally(c *Counters)
	// recorded counts launches in the statistics of their kernels. Replays call it; other launches
	// count themselves.
	Recorded()
}

// Momentary is a command that makes sense only once, so that graphs refuse it.
type Momentary interface {
	Command
	Momentary()
}

// Template is a command of graphs only: replays have other commands in its place.
type Template interface {
	Command
	// Expand returns the commands of one replay, without uses.
	Expand() []Work
	// Rebind returns the command with another grid, a compute.Grid, and other arguments.
	Rebind(ctx context.Context, grid any, args []any) (Template, error)
	// Replaces reports whether an instance that replays the other one can replay this one instead.
	Replaces(Template) bool
	// String says what it runs.
	String() string
}

// Expand replaces each template among the commands of a graph by its commands. The commands are not
// those of the graph: they may be changed.
func Expand(graph []Work) []Work {
	works := make([]Work, 0, len(graph))
	for i := range graph {
		w := &graph[i]
		t, ok := w.Command.(Template)
		if !ok {
			works = append(works, *w)
			continue
		}
		run := t.Expand()
		for j := range run {
			run[j].Site = w.Site
		}
		works = append(works, run...)
	}
	return works
}

// Side is who executes a command.
type Side uint8

// The sides.
const (
	ByDevice Side = iota
	ByOrder       // the device signals or waits, or nothing happens but a callback
	ByHost        // the host, after its batch's other commands have ended; it is the last of its batch
)

// composite is a call of the program that became several commands. Each of them says of what it is
// a part.
type composite interface {
	// alone reports whether its launches have command buffers of their own.
	Alone() bool
	// ended is called when the command's batch has ended on the device, which took the given time.
	// The command's uses have not ended.
	Ended(w *Work, took time.Duration, err error)
	// settle is called when the command and all before it have ended, with the failure of its batch
	// and the number of failures of the stream. The stream's lock is held.
	Settle(w *Work, err error, failures uint64)
	// failedBefore reports whether something has failed that was recorded after the call began, in
	// an earlier batch than the given one. failures is the number of failures of the stream.
	FailedBefore(batch []Work, failures func() uint64) bool
	// replayed counts launches in the statistics of their kernels.
	Replayed(w *Work)
}

// PlainCommand has the methods of a command that accesses no memory.
type PlainCommand struct{}

// Use implements Command.
func (PlainCommand) Use() error { return nil }

// Done implements Command.
func (PlainCommand) Done() {}

// Side implements Command.
func (PlainCommand) Side() Side { return ByDevice }

// Encode implements Command.
func (PlainCommand) Encode(*Encoder, *Work) error { return nil }

// Launched implements Command.
func (PlainCommand) Launched() *Launch { return nil }

// Size implements Command.
func (PlainCommand) Size() int { return 0 }

// Accesses implements Command.
func (PlainCommand) Accesses(l []RangeAccess) []RangeAccess { return l }

// Hazards implements Command.
func (PlainCommand) Hazards(l []Span) []Span { return l }

// Recorded implements Command.
func (PlainCommand) Recorded() {}

// PlainComposite has the methods of a composite that notes nothing.
type PlainComposite struct{}

// Alone implements Composite.
func (PlainComposite) Alone() bool { return false }

// Ended implements Composite.
func (PlainComposite) Ended(*Work, time.Duration, error) {}

// Settle implements Composite.
func (PlainComposite) Settle(*Work, error, uint64) {}

// FailedBefore implements Composite.
func (PlainComposite) FailedBefore([]Work, func() uint64) bool { return false }

// Replayed implements Composite.
func (PlainComposite) Replayed(w *Work) { w.Recorded() }

// End ends the command's uses.
func (w *Work) End() {
	if !w.borrowed {
		w.Done()
	}
}

// Counted counts the launches of a replayed command.
func (w *Work) Counted() {
	if w.Of != nil {
		w.Of.Replayed(w)
	} else {
		w.Recorded()
	}
}

// UseAll counts the uses of all commands, or of none if it fails.
func UseAll(works []Work) error {
	for i := range works {
		if err := works[i].Use(); err != nil {
			EndAll(works[:i])
			return err
		}
	}
	return nil
}

// EndAll ends the uses of all commands.
func EndAll(works []Work) {
	for i := range works {
		works[i].End()
	}
}

// CommandSummary describes a command for errors and for [Stream.History] without keeping device
// memory alive.
type CommandSummary struct {
	Form    string // what it is, with a verb for name or else for bytes if it needs one
	Name    string // of a kernel or of indirect commands
	bytes   uint
	Site    uintptr // the program counter of the program's call
	encoder uint64  // the number of its encoder; 0 for none
}

// Summary describes the command.
func (w *Work) Summary() CommandSummary {
	s := CommandSummary{Site: w.Site, encoder: atomic.LoadUint64(&w.Encoder)} // which may be encoded now
	w.Summarize(&s)
	return s
}

// String names the command and its call site: "saxpy (main.go:42)".
func (s CommandSummary) String() string {
	what := s.Form
	switch {
	case s.Name != "":
		what = fmt.Sprintf(s.Form, s.Name)
	case strings.Contains(s.Form, "%d"):
		what = fmt.Sprintf(s.Form, s.bytes)
	}
	if s.Site == 0 {
		return what
	}
	f, _ := runtime.CallersFrames([]uintptr{s.Site}).Next()
	return fmt.Sprintf("%s (%s:%d)", what, f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
}

// String names the command and its call site.
func (w *Work) String() string { return w.Summary().String() }

// Alone reports whether the launch has a command buffer of its own: to find its messages, or its
// time.
func (w *Work) Alone() bool { return w.Launched().Kernel.Logs || w.Of != nil && w.Of.Alone() }

// MaxStreams bounds the number of streams that one call makes or keeps.
const MaxStreams = 64

package compute

import (
	"fmt"
	"github.com/puremetal/puremetal/compute/observe"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// work is a command in the queue of a stream: what it does, and what the stream notes about it.
type work struct {
	command
	number   uint64
	encoder  uint64  // the number of its encoder, once it is encoded; 0 for none
	site     uintptr // the program counter of the program's call
	account  uint64  // the commands of a call that share a work budget have the same number; 0 for none
	borrowed bool    // its uses are those of a loop around it

	of   composite // what it is a part of, nil for nothing
	part uint64    // which part of that it is

	then func(error) // called once it and all before it have ended, with the failure of its command buffer
}

// command is what a stream does, with a type for each kind of command. Those that are part of a
// graph are immutable.
type command interface {
	// use keeps what the command needs alive until done.
	use() error
	done()

	// side says who executes the command.
	side() side
	// encode encodes the command, unless the host executes it.
	encode(e *encoder, w *work) error
	// launched returns the launch that the command is, nil for other commands.
	launched() *Launch
	// size returns how many bytes the command accesses.
	size() int

	// accesses appends the accesses by which failures spread.
	accesses(list []rangeAccess) []rangeAccess
	// hazards appends the accesses that order commands.
	hazards(spans []span) []span

	// summarize says what the command is, for errors.
	summarize(s *commandSummary)
	// observe completes the event for observers.
	observe(e *observe.RecordEvent)
	// tally counts the command in the statistics of its stream.
	tally(c *streamCounters)
	// recorded counts launches in the statistics of their kernels. Replays call it; other launches
	// count themselves.
	recorded()
}

// side is who executes a command.
type side uint8

const (
	byDevice side = iota
	byOrder       // the device signals or waits, or nothing happens but a callback
	byHost        // the host, after its batch's other commands have ended; it is the last of its batch
)

// composite is a call of the program that became several commands. Each of them says of what it is
// a part.
type composite interface {
	// alone reports whether its launches have command buffers of their own.
	alone() bool
	// ended is called when the command's batch has ended on the device, which took the given time.
	// The command's uses have not ended.
	ended(w *work, took time.Duration, err error)
	// settle is called when the command and all before it have ended, with the failure of its batch
	// and the number of failures of the stream. The stream's lock is held.
	settle(w *work, err error, failures uint64)
	// failedBefore reports whether something has failed that was recorded after the call began, in
	// an earlier batch than the given one. failures is the number of failures of the stream.
	failedBefore(batch []work, failures func() uint64) bool
	// replayed counts launches in the statistics of their kernels.
	replayed(w *work)
}

// plainCommand has the methods of a command that accesses no memory.
type plainCommand struct{}

func (plainCommand) use() error                             { return nil }
func (plainCommand) done()                                  {}
func (plainCommand) side() side                             { return byDevice }
func (plainCommand) encode(*encoder, *work) error           { return nil }
func (plainCommand) launched() *Launch                      { return nil }
func (plainCommand) size() int                              { return 0 }
func (plainCommand) accesses(l []rangeAccess) []rangeAccess { return l }
func (plainCommand) hazards(l []span) []span                { return l }
func (plainCommand) recorded()                              {}

// plainComposite has the methods of a composite that notes nothing.
type plainComposite struct{}

func (plainComposite) alone() bool                             { return false }
func (plainComposite) ended(*work, time.Duration, error)       {}
func (plainComposite) settle(*work, error, uint64)             {}
func (plainComposite) failedBefore([]work, func() uint64) bool { return false }
func (plainComposite) replayed(w *work)                        { w.recorded() }

// end ends the command's uses.
func (w *work) end() {
	if !w.borrowed {
		w.done()
	}
}

// counted counts the launches of a replayed command.
func (w *work) counted() {
	if w.of != nil {
		w.of.replayed(w)
	} else {
		w.recorded()
	}
}

// useAll counts the uses of all commands, or of none if it fails.
func useAll(works []work) error {
	for i := range works {
		if err := works[i].use(); err != nil {
			endAll(works[:i])
			return err
		}
	}
	return nil
}

// endAll ends the uses of all commands.
func endAll(works []work) {
	for i := range works {
		works[i].end()
	}
}

// commandSummary describes a command for errors and for [Stream.History] without keeping device
// memory alive.
type commandSummary struct {
	form    string // what it is, with a verb for name or else for bytes if it needs one
	name    string // of a kernel or of indirect commands
	bytes   uint
	site    uintptr // the program counter of the program's call
	encoder uint64  // the number of its encoder; 0 for none
}

func (w *work) summary() commandSummary {
	s := commandSummary{site: w.site, encoder: atomic.LoadUint64(&w.encoder)} // which may be encoded now
	w.summarize(&s)
	return s
}

// String names the command and its call site: "saxpy (main.go:42)".
func (s commandSummary) String() string {
	what := s.form
	switch {
	case s.name != "":
		what = fmt.Sprintf(s.form, s.name)
	case strings.Contains(s.form, "%d"):
		what = fmt.Sprintf(s.form, s.bytes)
	}
	if s.site == 0 {
		return what
	}
	f, _ := runtime.CallersFrames([]uintptr{s.site}).Next()
	return fmt.Sprintf("%s (%s:%d)", what, f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
}

// String names the command and its call site.
func (w *work) String() string { return w.summary().String() }

package stream

import (
	"github.com/puremetal/puremetal/compute/observe"
)

// AccessList has the methods of a command that accesses the memory that the program lists.
type AccessList struct {
	PlainCommand
	List []RangeAccess
}

// Add adds an access, whose use it counts.
func (l *AccessList) Add(a RangeAccess) error {
	if err := a.Mem.Use(); err != nil {
		return err
	}
	l.List = append(l.List, a)
	return nil
}

// Use implements Command.
func (l *AccessList) Use() error {
	for i := range l.List {
		if err := l.List[i].Mem.Use(); err != nil {
			for _, a := range l.List[:i] {
				a.Mem.Done()
			}
			return err
		}
	}
	return nil
}

// Done implements Command.
func (l *AccessList) Done() {
	for _, a := range l.List {
		a.Mem.Done()
	}
}

// Size implements Command.
func (l *AccessList) Size() (n int) {
	for _, a := range l.List {
		n += int(a.Length)
	}
	return n
}

// Accesses implements Command.
func (l *AccessList) Accesses(list []RangeAccess) []RangeAccess { return append(list, l.List...) }

// Hazards implements Command.
func (l *AccessList) Hazards(spans []Span) []Span {
	for _, a := range l.List {
		spans = append(spans, SpanOf(a.View, a.Writes))
	}
	return spans
}

// HostCommand is a command that calls a function of the host.
type HostCommand interface {
	Command
	// run runs it. It gets the failure of what is before it, and returns its own.
	Run(failed error) error
}

// HostCopy is a copy between memory and a slice of the program, by the host.
type HostCopy struct {
	PlainCommand
	At     View
	Upload bool
	Bytes  uint64 // for statistics: 0 for a part of a copy
	Call   func(failed error) error
}

// Use implements Command.
func (c *HostCopy) Use() error { return c.At.Mem.Use() }

// Done implements Command.
func (c *HostCopy) Done() { c.At.Mem.Done() }

// Side implements Command.
func (c *HostCopy) Side() Side { return ByHost }

// Size implements Command.
func (c *HostCopy) Size() int { return int(c.At.Length) }

// Run implements HostCommand.
func (c *HostCopy) Run(failed error) error { return c.Call(failed) }

// Summarize implements Command.
func (c *HostCopy) Summarize(s *CommandSummary) { s.Form = "copy by the host" }

// Observe implements Command.
func (c *HostCopy) Observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandHostCopy, c.Bytes
}

// Tally implements Command.
func (c *HostCopy) Tally(n *Counters) { n.Copy(c.Bytes) }

// Accesses implements Command.
func (c *HostCopy) Accesses(list []RangeAccess) []RangeAccess {
	return append(list, RangeAccess{View: c.At, Reads: !c.Upload, Writes: c.Upload, Whole: c.Upload})
}

// Momentary implements the interface: a replay must not copy to or from memory of the first one.
func (c *HostCopy) Momentary() {}

package stream

import (
	"github.com/puremetal/puremetal/compute/observe"
)

// CallbackCommand calls a function of the program; see [Stream.Callback].
type CallbackCommand struct {
	PlainCommand
	Call func(error)
}

// Side implements Command.
func (c *CallbackCommand) Side() Side { return ByOrder }

// Summarize implements Command.
func (c *CallbackCommand) Summarize(s *CommandSummary) { s.Form = "callback" }

// Observe implements Command.
func (c *CallbackCommand) Observe(e *observe.RecordEvent) { e.Kind = observe.CommandCallback }

// Tally implements Command.
func (c *CallbackCommand) Tally(n *Counters) { n.Calls.Add(1) }

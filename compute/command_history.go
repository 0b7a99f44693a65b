package compute

import (
	"errors"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// defaultHistory is the default of [WithHistory].
const defaultHistory = 16

// maxHistory bounds [WithHistory], because each stream has a ring of that length.
const maxHistory = 1 << 12

// commandHistory is a ring of a stream's last commands that have ended. Stream.mu guards it.
type commandHistory struct {
	ring []stream.CommandSummary
	next int // where the next one goes
	full bool
}

// add adds the commands of a batch that has ended.
func (h *commandHistory) add(works []stream.Work) {
	if len(h.ring) == 0 {
		return
	}
	for i := max(0, len(works)-len(h.ring)); i < len(works); i++ {
		h.ring[h.next] = works[i].Summary()
		if h.next++; h.next == len(h.ring) {
			h.next, h.full = 0, true
		}
	}
}

// appendTo appends the commands to list, the oldest first.
func (h *commandHistory) appendTo(list []stream.CommandSummary) []stream.CommandSummary {
	if h.full {
		list = append(list, h.ring[h.next:]...)
	}
	return append(list, h.ring[:h.next]...)
}

// History returns the stream's most recent commands that have ended, oldest first, each with its
// call site: "saxpy (main.go:42)". [WithHistory] sets how many are kept.
func (s *Stream) History() []string {
	if s.missing() {
		return nil
	}
	s.mu.Lock()
	list := s.history.appendTo(nil)
	s.mu.Unlock()
	return describe(list)
}

func describe(list []stream.CommandSummary) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.String()
	}
	return out
}

// before returns the stream's commands before a batch, oldest first.
func (s *Stream) before(b *batch) []stream.CommandSummary {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submission.before(b, s.history.appendTo(nil))
}

// executionError makes the error of a failed batch, counts it and logs it.
func (b *batch) executionError(err error) error {
	s := b.stream
	s.stats.Failed.Add(1)
	e := &ExecutionError{Stream: s.label, Kind: kindOf(err), Err: err}
	if canceled := b.canceledBy(); canceled != nil && e.Kind == ErrExecution {
		e.Kind = canceled
	}
	var guilty func(uint64) bool
	e.Encoder, guilty = b.faultedEncoder(err)
	keep := s.acc.history
	before, commands := s.before(b.whole()), []stream.CommandSummary(nil)
	for i := range b.works {
		w := &b.works[i]
		switch {
		case guilty == nil || guilty(w.Encoder):
			if len(commands) == 0 {
				b.failedFrom = i
			}
			if l := w.Launched(); l != nil {
				l.Kernel.Counters.Failed.Add(1)
			}
			commands = append(commands, w.Summary())
		case len(commands) == 0: // later commands have not run
			before = append(before, w.Summary())
		}
	}
	e.Commands = describe(commands[max(0, len(commands)-max(keep, defaultHistory)):])
	e.Before = describe(before[max(0, len(before)-keep):])
	cause := failureCause{stream: s.label, kind: kindOf(err)} // without the cancellation, whose value differs each time
	if len(commands) > 0 {
		cause.form, cause.name, cause.site = commands[0].Form, commands[0].Name, commands[0].Site
	}
	s.acc.errors.add(cause, e)
	return e
}

// faultedEncoder returns the label of the encoder that Metal reports as faulted, and a predicate
// for that encoder's number; the predicate is nil if Metal names no encoder.
func (b *batch) faultedEncoder(err error) (label string, is func(encoder uint64) bool) {
	var c *mtl.CommandError
	if !errors.As(err, &c) {
		return "", nil
	}
	for _, e := range c.Encoders {
		if e.State == mtl.CommandEncoderErrorStateFaulted {
			return e.Label, func(n uint64) bool { return n != 0 && stream.EncoderLabel(b.stream.label, n) == e.Label }
		}
	}
	return "", nil
}

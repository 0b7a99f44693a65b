package stream

import (
	"cmp"
	"encoding/binary"

	"github.com/puremetal/puremetal/compute/observe"
)

// Loop is a loop whose host decides. It is immutable.
type Loop struct {
	Cond, Flag View   // flag is the host's copy; the same if the host can read the condition itself
	Once       []Work // the body, for so many iterations:
	Each, Most int    // most from the first decision on
	// body makes the body of the next iteration, nil if it is always once. once then has what it uses.
	Body func() ([]Work, error)
}

// Begin returns the commands by which the host first decides.
func (l *Loop) Begin() []Work {
	decide := Work{Command: l}
	if l.Cond == l.Flag {
		return []Work{decide}
	}
	return []Work{l.look(), decide}
}

// look is the copy of the condition that the host reads.
func (l *Loop) look() Work { return Work{Command: NewCopy(l.Cond, l.Flag)} }

// Side implements Command.
func (l *Loop) Side() Side { return ByHost }

// Encode implements Command.
func (l *Loop) Encode(*Encoder, *Work) error { return nil }

// Launched implements Command.
func (l *Loop) Launched() *Launch { return nil }

// Size implements Command.
func (l *Loop) Size() int { return 0 }

// Hazards implements Command.
func (l *Loop) Hazards(spans []Span) []Span { return spans }

// Summarize implements Command.
func (l *Loop) Summarize(s *CommandSummary) { s.Form = "function of the host" }

// Observe implements Command.
func (l *Loop) Observe(e *observe.RecordEvent) { e.Kind = observe.CommandFunction }

// Tally implements Command.
func (l *Loop) Tally(c *Counters) { c.Functions.Add(1) }

// Recorded implements Command.
func (l *Loop) Recorded() {}

// Accesses appends that the host reads the condition.
func (l *Loop) Accesses(list []RangeAccess) []RangeAccess {
	return append(list, RangeAccess{View: l.Flag, Reads: true})
}

// Use keeps what the body uses alive until done.
func (l *Loop) Use() error {
	look := l.look()
	if err := look.Use(); err != nil {
		return err
	}
	if err := UseAll(l.Once); err != nil {
		look.End()
		return err
	}
	return nil
}

// Done implements Command.
func (l *Loop) Done() {
	EndAll(l.Once)
	look := l.look()
	look.End()
}

// Branch is one run of a loop. It is used by the host's part of one command after another.
type Branch struct {
	*Loop
	Top    bool   // not within another loop: its command has a number for each of its ends
	failed uint64 // batches of the stream that failed before the first decision
	begun  bool   // there was one
	ran    int    // iterations
	Again  bool   // the last decision

	stopped error // why the loop does not go on, if it should have
}

// Done ends the uses after the last decision.
func (b *Branch) Done() {
	if !b.Again {
		b.Loop.Done()
	}
}

// Always implements Poisoner.
func (b *Branch) Always() bool { return false }

// Poison lets a failure spread to what will not run.
func (b *Branch) Poison(a *Device, _ *Work, failed error) bool {
	if failed = cmp.Or(failed, b.stopped); failed != nil {
		for i := range b.Once {
			a.SettlePoison(&b.Once[i], failed)
		}
	}
	return true
}

// Decide decides whether the loop goes on. failures is the number of failures of the stream, and
// cause the last one.
func (b *Branch) Decide(failed error, failures uint64, cause error) error {
	b.Again = false
	if !b.begun {
		b.begun, b.failed = true, failures
	}
	if failures != b.failed {
		failed = cmp.Or(failed, cause)
	}
	if b.stopped = failed; failed != nil || b.ran >= b.Loop.Most {
		return nil // the failure is reported
	}
	var word [4]byte
	if err := b.Loop.Flag.Mem.Read(b.Loop.Flag.Offset, word[:]); err != nil {
		return err
	}
	b.Again = binary.NativeEndian.Uint32(word[:]) != 0
	return nil
}

// Next returns the commands of the next iterations, followed by those of the next decision. Their
// uses are those of the loop.
func (b *Branch) Next(last *Work) ([]Work, error) {
	l := b.Loop
	once := l.Once
	if l.Body != nil {
		var err error
		if once, err = l.Body(); err != nil {
			return nil, err
		}
	}
	n := min(l.Each, l.Most-b.ran)
	b.ran += n
	once = once[:len(once)/l.Each*n]
	works := make([]Work, 0, len(once)+2)
	works = append(works, once...)
	if b.ran < l.Most && l.Cond != l.Flag {
		works = append(works, l.look())
	}
	for i := range works {
		w := &works[i]
		w.borrowed = true
		switch inner := w.Command.(type) {
		case *Loop:
			w.Command = &Branch{Loop: inner}
		case *Branch: // of a run of a launch tree
			w.Command = &Branch{Loop: inner.Loop}
		}
	}
	works = append(works, *last)
	for i := range works {
		works[i].Number, works[i].Encoder, works[i].Account = last.Number, 0, last.Account
		if works[i].Site == 0 {
			works[i].Site = last.Site
		}
	}
	return works, nil
}

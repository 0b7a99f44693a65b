package stream

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// poison is the poisoned ranges of a memory, or of indirect commands.
type poison struct {
	mu     sync.Mutex
	Ranges []Poisoned // in order, without overlaps
}

// Poisoned is a range with the failure that poisoned it.
type Poisoned struct {
	from, to uint // bytes; of indirect commands, their numbers
	Err      error
	Derived  bool // the work that wrote it succeeded, and read poisoned memory
}

// MaxPoisoned is how many ranges are kept apart. Of more, neighbors are joined, with what is
// between them.
const MaxPoisoned = 256

// In returns the parts of the poisoned ranges that are in [from, to).
func (p *poison) In(from, to uint) (list []Poisoned) {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.Ranges {
		if r.from < to && from < r.to {
			r.from, r.to = max(r.from, from), min(r.to, to)
			list = append(list, r)
		}
	}
	return list
}

// Replace makes list the poisoned ranges in [from, to), in which they lie in order.
func (p *poison) Replace(from, to uint, list []Poisoned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var before, after []Poisoned
	for _, r := range p.Ranges {
		if first := r; first.from < from {
			first.to = min(first.to, from)
			before = append(before, first)
		}
		if rest := r; rest.to > to {
			rest.from = max(rest.from, to)
			after = append(after, rest)
		}
	}
	p.Ranges = before
	for _, r := range slices.Concat(list, after) {
		if n := len(p.Ranges); n > 0 && p.Ranges[n-1].to == r.from && p.Ranges[n-1].Err == r.Err &&
			p.Ranges[n-1].Derived == r.Derived {
			p.Ranges[n-1].to = r.to
			continue
		}
		p.Ranges = append(p.Ranges, r)
	}
	for len(p.Ranges) > MaxPoisoned {
		nearest := 0
		for i := range p.Ranges[1:] {
			if p.Ranges[i+1].from-p.Ranges[i].to < p.Ranges[nearest+1].from-p.Ranges[nearest].to {
				nearest = i
			}
		}
		p.Ranges[nearest].to = p.Ranges[nearest+1].to
		p.Ranges = slices.Delete(p.Ranges, nearest+1, nearest+2)
	}
}

// Poison returns the poison of the memory, nil for none.
func (m *Memory) Poison() *poison {
	if x := m.extra.Load(); x != nil {
		return x.poison.Load()
	}
	return nil
}

// needPoison returns the poison of the memory, which may be none so far.
func (m *Memory) needPoison() *poison {
	if p := m.Poison(); p != nil {
		return p
	}
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	x := m.NeedExtra()
	if x.poison.Load() == nil {
		x.poison.Store(&poison{})
	}
	return x.poison.Load()
}

// Spoil poisons a range.
func (v View) Spoil(err error) {
	v.Mem.Acc.poisons.Store(true)
	end := v.Offset + v.Length
	v.Mem.needPoison().Replace(v.Offset, end, []Poisoned{{v.Offset, end, err, false}})
}

// Overwritten ends the poison of a range.
func (v View) Overwritten() {
	if p := v.Mem.Poison(); p != nil {
		p.Replace(v.Offset, v.Offset+v.Length, nil)
	}
}

// Failure returns a *poisonError if any part of a range is poisoned. what names the program's
// operation.
func (v View) Failure(what string) error {
	list := v.Mem.Poison().In(v.Offset, v.Offset+v.Length)
	if len(list) == 0 {
		return nil
	}
	return &PoisonError{what, v.Mem.String(), list[0]}
}

// PoisonError is the failure of an operation that reads poisoned memory.
type PoisonError struct {
	What, Memory string
	By           Poisoned
}

func (e *PoisonError) Error() string {
	why := "the work that wrote it failed"
	if e.By.Derived {
		why = "the work that wrote it read what failed work should have written"
	}
	return fmt.Sprintf("compute: %s of %s: %s: %v", e.What, e.Memory, why, e.By.Err)
}

func (e *PoisonError) Unwrap() error { return e.By.Err }

// first returns the failure that a failure follows from, so that those of long chains of commands
// stay short. derived reports whether that is another one.
func first(err error) (cause error, derived bool) {
	if p := (*PoisonError)(nil); errors.As(err, &p) {
		return p.By.Err, true
	}
	return err, false
}

// RangeAccess is how a command accesses a range of a memory, or of indirect commands.
type RangeAccess struct {
	View
	Commands *Indirect // instead of a memory; offset and length are numbers of commands
	Reads    bool      // or may read
	Writes   bool
	Whole    bool // it writes all of the range if it succeeds
}

// Poison returns the poison of what is accessed, nil for none.
func (a *RangeAccess) Poison() *poison {
	if a.Commands != nil {
		return &a.Commands.Poison
	}
	return a.Mem.Poison()
}

// SettleAccesses applies the rule to a command with these accesses. err is its failure. It returns
// what has poisoned what the command writes.
func (a *Device) SettleAccesses(list []RangeAccess, err error) error {
	intact := err != nil && a.Guard != nil // what has a host copy
	err, derived := first(err)
	for i := 0; i < len(list) && err == nil; i++ {
		if x := &list[i]; x.Reads {
			if found := x.Poison().In(x.Offset, x.Offset+x.Length); len(found) > 0 {
				err, derived = found[0].Err, true
			}
		}
	}
	if err != nil {
		a.poisons.Store(true)
	}
	for i := range list {
		switch x := &list[i]; {
		case !x.Writes || err == nil && !x.Whole || intact && x.Commands == nil && x.Mem.Kept():
		case err == nil:
			if p := x.Poison(); p != nil {
				p.Replace(x.Offset, x.Offset+x.Length, nil)
			}
		default:
			p := x.Poison()
			if p == nil {
				p = x.Mem.needPoison()
			}
			p.Replace(x.Offset, x.Offset+x.Length, []Poisoned{{x.Offset, x.Offset + x.Length, err, derived}})
		}
	}
	return err
}

// SettlePoison applies the rule to a command that has ended. failed is its failure, or why it was
// not run.
func (a *Device) SettlePoison(w *Work, failed error) {
	c, special := w.Command.(poisoner)
	if failed == nil && !a.poisons.Load() && !(special && c.Always()) {
		return
	}
	if !special || !c.Poison(a, w, failed) {
		a.SettleAccesses(w.Accesses(nil), failed)
	}
}

// poisoner is a command with a rule of its own.
type poisoner interface {
	// always reports whether the rule is also applied while nothing is poisoned.
	Always() bool
	// poison applies the rule. It returns false if the usual rule applies instead.
	Poison(a *Device, w *Work, failed error) bool
}

// Inputs returns the failure that poisoned something that a command reads, nil if nothing is
// poisoned.
func (w *Work) Inputs(what string) error {
	for _, a := range w.Accesses(nil) {
		if a.Reads && a.Commands == nil {
			if err := a.Failure(what); err != nil {
				return err
			}
		}
	}
	return nil
}

// Accesses appends the accesses of a launch. What a kernel may write it may also leave as it is, so
// that counts as read, unless the program says more by [Overwrites].
func (l *Launch) Accesses(list []RangeAccess) []RangeAccess {
	for i := range l.Args {
		a := &l.Args[i]
		switch {
		case a.Commands != nil:
			list = append(list, RangeAccess{View: View{nil, 0, uint(a.Commands.N)}, Commands: a.Commands,
				Reads: !a.Overwrites, Writes: true, Whole: a.Overwrites})
		case a.View.Mem == nil:
		case a.Overwrites:
			list = append(list, RangeAccess{View: a.View, Writes: true, Whole: !a.Partial})
		case a.Writes && l.overwrites(a.View.Mem):
		default:
			list = append(list, RangeAccess{View: a.View, Reads: true, Writes: a.Writes})
		}
	}
	return list
}

// overwrites reports whether the program says by Overwrites what the launch writes of a memory.
func (l *Launch) overwrites(m *Memory) bool {
	return slices.ContainsFunc(l.Args, func(a Argument) bool {
		return a.Overwrites && a.Kind == OtherParameter && a.View.Mem == m
	})
}

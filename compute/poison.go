package compute

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A command that fails leaves undefined what it should have written: that memory is poisoned.
// Poison travels with memory, and not with handles:
//
//   - A command that reads poisoned memory poisons what it writes, though it ends without an error.
//   - A command that fails, or is not run because one before it failed, poisons what it would have
//     written.
//   - A successful command that overwrites a range without reading it ends the poison there.
//   - A copy takes the poison of each byte along.
//   - Nothing takes poisoned memory to the host: downloads and functions of the host fail with the
//     first failure.
//
// The rule is applied to a stream's commands in their order, when they have ended and before they
// count as completed: see settle. Those of other streams that a command has waited for, by an event
// or by an outcome, are settled before it.

// poison is the poisoned ranges of a memory, or of indirect commands.
type poison struct {
	mu     sync.Mutex
	ranges []poisoned // in order, without overlaps
}

// poisoned is a range with the failure that poisoned it.
type poisoned struct {
	from, to uint // bytes; of indirect commands, their numbers
	err      error
	derived  bool // the work that wrote it succeeded, and read poisoned memory
}

// maxPoisoned is how many ranges are kept apart. Of more, neighbors are joined, with what is
// between them.
const maxPoisoned = 256

// in returns the parts of the poisoned ranges that are in [from, to).
func (p *poison) in(from, to uint) (list []poisoned) {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.ranges {
		if r.from < to && from < r.to {
			r.from, r.to = max(r.from, from), min(r.to, to)
			list = append(list, r)
		}
	}
	return list
}

// replace makes list the poisoned ranges in [from, to), in which they lie in order.
func (p *poison) replace(from, to uint, list []poisoned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var before, after []poisoned
	for _, r := range p.ranges {
		if first := r; first.from < from {
			first.to = min(first.to, from)
			before = append(before, first)
		}
		if rest := r; rest.to > to {
			rest.from = max(rest.from, to)
			after = append(after, rest)
		}
	}
	p.ranges = before
	for _, r := range slices.Concat(list, after) {
		if n := len(p.ranges); n > 0 && p.ranges[n-1].to == r.from && p.ranges[n-1].err == r.err &&
			p.ranges[n-1].derived == r.derived {
			p.ranges[n-1].to = r.to
			continue
		}
		p.ranges = append(p.ranges, r)
	}
	for len(p.ranges) > maxPoisoned {
		nearest := 0
		for i := range p.ranges[1:] {
			if p.ranges[i+1].from-p.ranges[i].to < p.ranges[nearest+1].from-p.ranges[nearest].to {
				nearest = i
			}
		}
		p.ranges[nearest].to = p.ranges[nearest+1].to
		p.ranges = slices.Delete(p.ranges, nearest+1, nearest+2)
	}
}

// poison returns the poison of the memory, nil for none.
func (m *memory) poison() *poison {
	if x := m.extra.Load(); x != nil {
		return x.poison.Load()
	}
	return nil
}

// needPoison returns the poison of the memory, which may be none so far.
func (m *memory) needPoison() *poison {
	if p := m.poison(); p != nil {
		return p
	}
	m.uses.mu.Lock()
	defer m.uses.mu.Unlock()
	x := m.needExtra()
	if x.poison.Load() == nil {
		x.poison.Store(&poison{})
	}
	return x.poison.Load()
}

// spoil poisons a range.
func (v view) spoil(err error) {
	v.mem.acc.poisons.Store(true)
	end := v.offset + v.length
	v.mem.needPoison().replace(v.offset, end, []poisoned{{v.offset, end, err, false}})
}

// overwritten ends the poison of a range.
func (v view) overwritten() {
	if p := v.mem.poison(); p != nil {
		p.replace(v.offset, v.offset+v.length, nil)
	}
}

// failure returns a *poisonError if any part of a range is poisoned. what names the program's
// operation.
func (v view) failure(what string) error {
	list := v.mem.poison().in(v.offset, v.offset+v.length)
	if len(list) == 0 {
		return nil
	}
	return &poisonError{what, v.mem.String(), list[0]}
}

// poisonError is the failure of an operation that reads poisoned memory.
type poisonError struct {
	what, memory string
	by           poisoned
}

func (e *poisonError) Error() string {
	why := "the work that wrote it failed"
	if e.by.derived {
		why = "the work that wrote it read what failed work should have written"
	}
	return fmt.Sprintf("compute: %s of %s: %s: %v", e.what, e.memory, why, e.by.err)
}

func (e *poisonError) Unwrap() error { return e.by.err }

// first returns the failure that a failure follows from, so that those of long chains of commands
// stay short. derived reports whether that is another one.
func first(err error) (cause error, derived bool) {
	if p := (*poisonError)(nil); errors.As(err, &p) {
		return p.by.err, true
	}
	return err, false
}

// rangeAccess is how a command accesses a range of a memory, or of indirect commands.
type rangeAccess struct {
	view
	commands *indirect // instead of a memory; offset and length are numbers of commands
	reads    bool      // or may read
	writes   bool
	whole    bool // it writes all of the range if it succeeds
}

// poison returns the poison of what is accessed, nil for none.
func (a *rangeAccess) poison() *poison {
	if a.commands != nil {
		return &a.commands.poison
	}
	return a.mem.poison()
}

// settleAccesses applies the rule to a command with these accesses. err is its failure. It returns
// what has poisoned what the command writes.
func (a *Accelerator) settleAccesses(list []rangeAccess, err error) error {
	err, derived := first(err)
	for i := 0; i < len(list) && err == nil; i++ {
		if x := &list[i]; x.reads {
			if found := x.poison().in(x.offset, x.offset+x.length); len(found) > 0 {
				err, derived = found[0].err, true
			}
		}
	}
	if err != nil {
		a.poisons.Store(true)
	}
	for i := range list {
		switch x := &list[i]; {
		case !x.writes || err == nil && !x.whole:
		case err == nil:
			if p := x.poison(); p != nil {
				p.replace(x.offset, x.offset+x.length, nil)
			}
		default:
			p := x.poison()
			if p == nil {
				p = x.mem.needPoison()
			}
			p.replace(x.offset, x.offset+x.length, []poisoned{{x.offset, x.offset + x.length, err, derived}})
		}
	}
	return err
}

// settlePoison applies the rule to a command that has ended. failed is its failure, or why it was
// not run.
func (a *Accelerator) settlePoison(w *work, failed error) {
	c, special := w.command.(poisoner)
	if failed == nil && !a.poisons.Load() && !(special && c.always()) {
		return
	}
	if !special || !c.poison(a, w, failed) {
		a.settleAccesses(w.accesses(nil), failed)
	}
}

// poisoner is a command with a rule of its own.
type poisoner interface {
	// always reports whether the rule is also applied while nothing is poisoned.
	always() bool
	// poison applies the rule. It returns false if the usual rule applies instead.
	poison(a *Accelerator, w *work, failed error) bool
}

// inputs returns the failure that poisoned something that a command reads, nil if nothing is
// poisoned.
func (w *work) inputs(what string) error {
	for _, a := range w.accesses(nil) {
		if a.reads && a.commands == nil {
			if err := a.failure(what); err != nil {
				return err
			}
		}
	}
	return nil
}

// accesses appends the accesses of a launch. What a kernel may write it may also leave as it is, so
// that counts as read, unless the program says more by [Overwrites].
func (l *Launch) accesses(list []rangeAccess) []rangeAccess {
	for i := range l.args {
		a := &l.args[i]
		switch {
		case a.commands != nil:
			list = append(list, rangeAccess{view: view{nil, 0, uint(a.commands.n)}, commands: a.commands,
				reads: !a.overwrites, writes: true, whole: a.overwrites})
		case a.view.mem == nil:
		case a.overwrites:
			list = append(list, rangeAccess{view: a.view, writes: true, whole: !a.partial})
		case a.writes && l.overwrites(a.view.mem):
		default:
			list = append(list, rangeAccess{view: a.view, reads: true, writes: a.writes})
		}
	}
	return list
}

// overwrites reports whether the program says by Overwrites what the launch writes of a memory.
func (l *Launch) overwrites(m *memory) bool {
	return slices.ContainsFunc(l.args, func(a argument) bool {
		return a.overwrites && a.kind == OtherParameter && a.view.mem == m
	})
}

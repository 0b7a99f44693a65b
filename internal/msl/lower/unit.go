package lower

import (
	"context"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// Unit lowers the entry points of a checked program one at a time, each into a module of its own,
// when they are wanted. It belongs to one goroutine.
type Unit struct {
	prog  *typed.Program
	opts  Options
	spent map[*typed.Kernel]budget.Limits // of the budget of all, by entry points that were lowered
}

// NewUnit returns the unit of a checked program that has no errors.
func NewUnit(prog *typed.Program, opts Options) *Unit {
	return &Unit{prog, opts.withDefaults(sizeOf(prog)), map[*typed.Kernel]budget.Limits{}}
}

// Visible returns the program's visible functions, as each module lists them.
func (u *Unit) Visible() []ir.VisibleFunction { return newModule(u.prog, u.opts, nil).out.Visible }

// Check returns the entry points that can be lowered, and reports to the sink why others cannot. It
// lowers only those whose lowering may fail, or may give a warning, and hands each of them to
// lowered, which may keep it.
func (u *Unit) Check(ctx context.Context, sink *diag.Sink, lowered func(*ir.Func)) (good []*typed.Kernel) {
	b := budget.New(ctx, "all entry points", u.opts.Total)
	m := newModule(u.prog, u.opts, sink)
	s := newSurveyor(m, func() error { return b.Spend(0, 0) })
	for _, k := range u.prog.Kernels {
		if ctx.Err() != nil || sink.Full() || m.ended {
			break
		}
		if !u.opts.WarnDivergent && s.kernel(k) {
			good = append(good, k)
			continue
		}
		own := newModule(u.prog, u.opts, sink)
		own.budget, own.facts, own.assigned, own.shapes = b, m.facts, m.assigned, m.shapes
		before := b.Spent()
		if own.kernel(k) {
			u.spend(k, before, b.Spent())
			good = append(good, k)
			lowered(own.out.Funcs[0])
		}
		m.ended = own.ended
	}
	return good
}

// spend notes what an entry point took of the budget of all.
func (u *Unit) spend(k *typed.Kernel, before, after budget.Limits) {
	u.spent[k] = budget.Limits{Steps: after.Steps - before.Steps, Bytes: after.Bytes - before.Bytes}
}

// Kernel lowers an entry point. It returns nil for one that cannot be lowered, which it reports to
// the sink. The budget of all entry points holds for all that the unit lowers, each counted once
// however often it is lowered.
func (u *Unit) Kernel(ctx context.Context, k *typed.Kernel, sink *diag.Sink) *ir.Func {
	m := newModule(u.prog, u.opts, sink)
	m.budget = budget.New(ctx, "all entry points", u.opts.Total)
	for other, s := range u.spent {
		if other != k {
			_ = m.budget.Spend(s.Steps, s.Bytes) // the next call says whether that was all
		}
	}
	before := m.budget.Spent()
	if !m.kernel(k) {
		return nil
	}
	u.spend(k, before, m.budget.Spent())
	return m.out.Funcs[0]
}

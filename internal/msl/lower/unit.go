package lower

import (
	"context"

	"github.com/puremetal/puremetal/internal/budget"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// Unit lowers the entry points of a checked program on demand, each into its own module. It must be
// used by one goroutine only.
type Unit struct {
	prog  *typed.Program
	opts  Options
	spent map[*typed.Kernel]budget.Limits // what each lowered entry point spent of the total budget
}

// NewUnit returns the Unit of a checked program without errors.
func NewUnit(prog *typed.Program, opts Options) *Unit {
	return &Unit{prog, opts.withDefaults(sizeOf(prog)), map[*typed.Kernel]budget.Limits{}}
}

// Visible returns the program's visible functions, as each module lists them.
func (u *Unit) Visible() []ir.VisibleFunction { return newModule(u.prog, u.opts, nil).out.Visible }

// Check returns the entry points that can be lowered, and reports to the sink why the others
// cannot. It only lowers those whose lowering may fail or cause a warning, and passes each result
// to lowered, which may keep it.
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

// spend records what an entry point spent of the total budget.
func (u *Unit) spend(k *typed.Kernel, before, after budget.Limits) {
	u.spent[k] = budget.Limits{Steps: after.Steps - before.Steps, Bytes: after.Bytes - before.Bytes}
}

// Kernel lowers an entry point. If that fails, it reports why to the sink and returns nil. The
// total budget covers everything the unit lowers; an entry point lowered repeatedly is counted
// once.
func (u *Unit) Kernel(ctx context.Context, k *typed.Kernel, sink *diag.Sink) *ir.Func {
	m := newModule(u.prog, u.opts, sink)
	m.budget = budget.New(ctx, "all entry points", u.opts.Total)
	for other, s := range u.spent {
		if other != k {
			_ = m.budget.Spend(s.Steps, s.Bytes) // exceeding the budget is reported by the next call
		}
	}
	before := m.budget.Spent()
	if !m.kernel(k) {
		return nil
	}
	u.spend(k, before, m.budget.Spent())
	return m.out.Funcs[0]
}

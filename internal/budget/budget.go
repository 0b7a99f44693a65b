// Package budget bounds what one piece of compilation may cost, in steps and in bytes.
//
// A phase counts its work in a unit of its own, such as operations inlined, and spends it from a
// Budget as it goes. Spend says when the work has gone past a limit, or when its context is done,
// so that one call answers both whether the work may go on. Budgets nest: what an entry point
// spends, its program spends too.
package budget

import (
	"context"
	"fmt"
)

// Limits are what may be spent. A limit that is 0 does not bound anything.
type Limits struct {
	Steps int64 // units of work, which bound time
	Bytes int64 // memory of what the work makes
}

// Budget is what has been spent, and the limits of that. It belongs to one goroutine.
type Budget struct {
	of     string
	limits Limits
	spent  Limits
	within *Budget

	ctx  context.Context
	left int64 // steps until the context is asked again
	err  error // why nothing more may be spent
}

// New returns a budget of something, such as "the program". Spend returns the context's error once
// that is done.
func New(ctx context.Context, of string, limits Limits) *Budget {
	return &Budget{of: of, limits: limits, ctx: ctx, left: every}
}

// Part returns a budget of a part. All that is spent of it is spent of b, too.
func (b *Budget) Part(of string, limits Limits) *Budget {
	return &Budget{of: of, limits: limits, within: b, ctx: b.ctx, left: every}
}

// String returns what the budget is of.
func (b *Budget) String() string { return b.of }

// Spent returns what has been spent so far.
func (b *Budget) Spent() Limits { return b.spent }

// Limits returns what may be spent in all.
func (b *Budget) Limits() Limits { return b.limits }

// Raise lets that much more be spent of what is limited.
func (b *Budget) Raise(more Limits) {
	if b.limits.Steps > 0 {
		b.limits.Steps += more.Steps
	}
	if b.limits.Bytes > 0 {
		b.limits.Bytes += more.Bytes
	}
}

// every is how many steps there are from one time that the context is asked to the next: asking
// takes a lock. A call that spends nothing counts as one step.
const every = 512

// Spend takes steps and bytes from the budget, and from those that it is part of. It returns an
// *Exceeded if that is more than there was, or the context's error, and the same from then on: work
// that did not stop at the first time stops at the next.
func (b *Budget) Spend(steps, bytes int64) error {
	if b.left -= max(steps, 1); b.left <= 0 || b.err != nil {
		if err := b.ask(); err != nil {
			return err
		}
	}
	for p := b; p != nil; p = p.within {
		p.spent.Steps += steps
		p.spent.Bytes += bytes
		switch {
		case p.limits.Steps > 0 && p.spent.Steps > p.limits.Steps:
			b.err = &Exceeded{p, "steps", p.spent.Steps, p.limits.Steps}
			return b.err
		case p.limits.Bytes > 0 && p.spent.Bytes > p.limits.Bytes:
			b.err = &Exceeded{p, "bytes", p.spent.Bytes, p.limits.Bytes}
			return b.err
		}
	}
	return nil
}

// ask asks the context, unless the budget is at an end already.
func (b *Budget) ask() error {
	b.left = every
	if b.err == nil {
		b.err = b.ctx.Err()
	}
	return b.err
}

// Exceeded says which budget was exceeded, by what, and its limit.
type Exceeded struct {
	Budget *Budget
	Unit   string // "steps" or "bytes"
	Spent  int64
	Limit  int64
}

// Error returns the budget, the value reached and the limit.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("the budget of %s is %d %s, and %d were reached", e.Budget, e.Limit, e.Unit, e.Spent)
}

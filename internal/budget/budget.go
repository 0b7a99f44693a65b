// Package budget limits the cost of a compilation, in steps and in bytes.
//
// Each phase counts its work in its own unit, such as inlined operations, and spends it from a
// Budget as it proceeds. Spend fails when a limit is exceeded or the context has ended, so one call
// covers both. Budgets nest: what an entry point spends is also spent from the budget of its
// program.
package budget

import (
	"context"
	"fmt"
)

// Limits are the amounts that may be spent. 0 means no limit.
type Limits struct {
	Steps int64 // units of work, as a bound on time
	Bytes int64 // memory of the results
}

// Budget tracks the amounts spent against their limits. It must be used by one goroutine only.
type Budget struct {
	of     string
	limits Limits
	spent  Limits
	within *Budget

	ctx  context.Context
	left int64 // steps until the context is checked again
	err  error // the error of all further calls of Spend
}

// New returns a budget. of says what it is for, such as "the program". Spend returns the context's
// error once the context has ended.
func New(ctx context.Context, of string, limits Limits) *Budget {
	return &Budget{of: of, limits: limits, ctx: ctx, left: every}
}

// Part returns a nested budget. What is spent from it is also spent from b.
func (b *Budget) Part(of string, limits Limits) *Budget {
	return &Budget{of: of, limits: limits, within: b, ctx: b.ctx, left: every}
}

// String returns what the budget is for.
func (b *Budget) String() string { return b.of }

// Spent returns the amounts spent so far.
func (b *Budget) Spent() Limits { return b.spent }

// Limits returns the limits.
func (b *Budget) Limits() Limits { return b.limits }

// Raise raises the limits by the given amounts. Amounts without a limit stay unlimited.
func (b *Budget) Raise(more Limits) {
	if b.limits.Steps > 0 {
		b.limits.Steps += more.Steps
	}
	if b.limits.Bytes > 0 {
		b.limits.Bytes += more.Bytes
	}
}

// every is the number of steps between two checks of the context, because each check takes a lock.
// A call that spends nothing counts as one step.
const every = 512

// Spend takes steps and bytes from the budget and from those that contain it. It returns an
// *Exceeded if a limit is exceeded, or the context's error if that has ended. From then on it
// always returns the same error, so work that ignores the first one stops at the next.
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

// ask checks the context, unless the budget has already failed.
func (b *Budget) ask() error {
	b.left = every
	if b.err == nil {
		b.err = b.ctx.Err()
	}
	return b.err
}

// Exceeded is the error of a budget that was exceeded.
type Exceeded struct {
	Budget *Budget
	Unit   string // "steps" or "bytes"
	Spent  int64
	Limit  int64
}

// Error names the budget, its limit and the amount that was reached.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("the budget of %s is %d %s, and %d were reached", e.Budget, e.Limit, e.Unit, e.Spent)
}

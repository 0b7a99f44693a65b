package command

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
)

// account is the work that the dispatches of consecutive buffers share, such as those of a loop: a
// limit for each of them alone would be none for the loop.
type account struct {
	mu     sync.Mutex
	number uint64 // Buffer.Account
	all    int64  // units that there were
	left   int64
}

// workAccount returns the account of a buffer that runs, nil for none or no limit. The buffers of a
// queue run one after another, so that a new number ends the account before it.
func (b *Buffer) workAccount() *account {
	all := b.queue.fuel.Load()
	if b.Account == 0 || all <= 0 {
		return nil
	}
	a := &b.queue.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.number != b.Account {
		a.number, a.all, a.left = b.Account, all, all
	}
	return a
}

// limit gives a dispatch no more than what is left. Dispatches that run at the same time may get
// the same units.
func (a *account) limit(l *exec.Launch) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left <= 0 {
		return &exec.BudgetError{Work: a.all}
	}
	l.Fuel, l.Budget = min(l.Fuel, a.left), a.all
	return nil
}

// charge takes what a dispatch has done from the account: at least a unit, as empty ones cost time
// too. It returns the error of the dispatch.
func (a *account) charge(l *exec.Launch, err error) error {
	if a == nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(err, exec.ErrFuel) {
		a.left = 0
		return err
	}
	a.left -= max(l.Fuel-l.Left, 1)
	return err
}

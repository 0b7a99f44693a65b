package pool

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/mtl"
)

// ErrPinned: the call requires a block that is not pinned, or one that is.
var ErrPinned = errors.New("wrong pin state")

// Relocatable is a block whose buffer [Pool.Defragment] may replace with another that has the same
// content. The buffer is therefore only valid between Pin and Unpin: after the next Pin, bind it to
// encoders again, and get addresses in argument buffers and Go slices of the content again. A
// Relocatable is safe for concurrent use.
type Relocatable struct {
	block Block

	mu       sync.Mutex
	returned bool
	pins     int
	busy     []Signal // of work that may still use the buffer
	copying  *move    // nil if no copy is in progress, or if it was canceled
}

// missing reports whether the block is nil or was not rented.
func (r *Relocatable) missing() bool { return r == nil || r.block.slot == nil }

// RentRelocatable is [Pool.Rent] for a block that may be moved while it is not pinned.
func (p *Pool) RentRelocatable(length uint, kind Kind) (*Relocatable, error) {
	b, err := p.Rent(length, kind)
	if err != nil {
		return nil, err
	}
	r := &Relocatable{block: b}
	b.slot.owner.Store(r)
	return r, nil
}

// Pin returns the buffer and keeps it in place until Unpin has been called as often as Pin. It
// never waits: a copy in progress is canceled. Errors: [ErrReturned].
func (r *Relocatable) Pin() (mtl.Buffer, error) {
	if r.missing() {
		return mtl.Buffer{}, fmt.Errorf("pool: relocatable block that is nil or was not rented: %w", ErrForeign)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.returned {
		return mtl.Buffer{}, fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	}
	r.pins++
	r.copying = nil
	return r.block.slot.buffer, nil
}

// Unpin undoes a Pin. The block is not moved before the signal is reached; nil means that the
// device is not using the buffer. Errors: [ErrReturned], and [ErrPinned] if the block is not
// pinned.
func (r *Relocatable) Unpin(after Signal) error {
	if r.missing() {
		return fmt.Errorf("pool: relocatable block that is nil or was not rented: %w", ErrForeign)
	}
	if err := reachable(after); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.returned:
		return fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	case r.pins == 0:
		return fmt.Errorf("pool: relocatable block of %d bytes: Unpin without Pin: %w", r.block.length, ErrPinned)
	}
	r.pins--
	r.dropReached()
	if after != nil && !after.Reached() {
		r.busy = append(r.busy, after)
	}
	return nil
}

// dropReached drops signals that are reached. The lock is held.
func (r *Relocatable) dropReached() { r.busy = slices.DeleteFunc(r.busy, Signal.Reached) }

// SetLabel names the buffer for Metal's tools; the label moves with the block. See
// [Block.SetLabel]. Errors: [ErrReturned].
func (r *Relocatable) SetLabel(label string) error {
	if r.missing() {
		return fmt.Errorf("pool: relocatable block that is nil or was not rented: %w", ErrForeign)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.block.SetLabel(label)
}

// Length returns the requested length in bytes.
func (r *Relocatable) Length() uint {
	if r.missing() {
		return 0
	}
	return r.block.length
}

// Capacity returns the length of the buffer in bytes.
func (r *Relocatable) Capacity() uint {
	if r.missing() {
		return 0
	}
	return r.block.Capacity()
}

// Return returns the block once the signals passed to Unpin are reached. Errors: [ErrReturned], and
// [ErrPinned] while the block is pinned.
func (r *Relocatable) Return() error {
	if r.missing() {
		return fmt.Errorf("pool: relocatable block that is nil or was not rented: %w", ErrForeign)
	}
	after, err := r.end()
	if err != nil {
		return err
	}
	r.block.slot.owner.Store(nil)
	if len(after) > 0 {
		return r.block.ReturnAfter(after)
	}
	return r.block.Return()
}

// end makes the block stale and returns the signals it waits for.
func (r *Relocatable) end() (allOf, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.returned:
		return nil, fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	case r.pins > 0:
		return nil, fmt.Errorf("pool: relocatable block of %d bytes: Return while it is pinned %d times: %w", r.block.length,
			r.pins, ErrPinned)
	}
	r.returned, r.copying = true, nil
	r.dropReached()
	return r.busy, nil
}

// allOf is reached when all its signals are.
type allOf []Signal

func (s allOf) Reached() bool {
	for _, one := range s {
		if !one.Reached() {
			return false
		}
	}
	return true
}

// beginMove reports whether the block may be moved now, and if so begins the move; nil only asks.
func (r *Relocatable) beginMove(m *move) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropReached()
	if r.returned || r.pins > 0 || len(r.busy) > 0 || r.copying != nil {
		return false
	}
	r.copying = m
	return true
}

// cancelMove cancels a move.
func (r *Relocatable) cancelMove(m *move) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copying == m {
		r.copying = nil
	}
}

// completeMove makes the copy the block's buffer, unless the move was canceled, and reports
// whether it did.
func (r *Relocatable) completeMove(m *move) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copying != m {
		return false
	}
	r.copying = nil
	s := r.block.slot
	s.buffer, m.to.buffer = m.to.buffer, s.buffer
	label := s.label
	s.label, m.to.label = m.to.label, s.label
	_ = r.block.SetLabel(label) // cannot fail, as the block has not been returned
	return true
}

package pool

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/mtl"
)

// ErrPinned: the block is pinned, and must not be, or the reverse.
var ErrPinned = errors.New("wrong time for a pinned block")

// Relocatable is a block whose buffer [Pool.Defragment] may replace by another with the same content. Its buffer is therefore only known between Pin and Unpin: what is
// bound to an encoder, an address in an argument buffer, a Go slice of the content, all have to be fetched again after the next Pin. It is safe
// for concurrent use.
type Relocatable struct {
	block Block

	mu       sync.Mutex
	returned bool
	pins     int
	busy     []Signal // of work that may still use the buffer
	copying  *move    // nil where no copy is being made, or the one that is will be of no use
}

// RentRelocatable is [Pool.Rent] of a block that may be moved while it is not pinned.
func (p *Pool) RentRelocatable(length uint, kind Kind) (*Relocatable, error) {
	b, err := p.Rent(length, kind)
	if err != nil {
		return nil, err
	}
	r := &Relocatable{block: b}
	b.slot.owner.Store(r)
	return r, nil
}

// Pin returns the buffer, which is the block's until Unpin has been called as often as Pin. It never waits: a copy that is being made of the block is given up.
// Errors: [ErrReturned].
func (r *Relocatable) Pin() (mtl.Buffer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.returned {
		return mtl.Buffer{}, fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	}
	r.pins++
	r.copying = nil
	return r.block.slot.buffer, nil
}

// Unpin ends what Pin began. The block is not moved before the signal is reached; nil says that no work of the device uses the buffer. Errors: [ErrReturned], and
// [ErrPinned] where the block is not pinned.
func (r *Relocatable) Unpin(after Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.returned:
		return fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	case r.pins == 0:
		return fmt.Errorf("pool: relocatable block of %d bytes: Unpin without Pin: %w", r.block.length, ErrPinned)
	}
	r.pins--
	r.settle()
	if after != nil && !after.Reached() {
		r.busy = append(r.busy, after)
	}
	return nil
}

// settle forgets signals that are reached. The lock is held.
func (r *Relocatable) settle() { r.busy = slices.DeleteFunc(r.busy, Signal.Reached) }

// Length returns how many bytes were asked for.
func (r *Relocatable) Length() uint { return r.block.length }

// Capacity returns how many bytes the buffer has.
func (r *Relocatable) Capacity() uint { return r.block.Capacity() }

// Return gives the block back, when the signals of Unpin are reached. Errors: [ErrReturned], and [ErrPinned] while it is pinned.
func (r *Relocatable) Return() error {
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

// end makes the block stale and returns what it waits for.
func (r *Relocatable) end() (allOf, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.returned:
		return nil, fmt.Errorf("pool: relocatable block of %d bytes: %w", r.block.length, ErrReturned)
	case r.pins > 0:
		return nil, fmt.Errorf("pool: relocatable block of %d bytes: Return while it is pinned %d times: %w", r.block.length, r.pins, ErrPinned)
	}
	r.returned, r.copying = true, nil
	r.settle()
	return r.busy, nil
}

// allOf is reached when all are.
type allOf []Signal

func (s allOf) Reached() bool {
	for _, one := range s {
		if !one.Reached() {
			return false
		}
	}
	return true
}

// still reports whether the block may be moved now. With a move, it is noted as being copied.
func (r *Relocatable) still(m *move) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle()
	if r.returned || r.pins > 0 || len(r.busy) > 0 || r.copying != nil {
		return false
	}
	r.copying = m
	return true
}

// giveUp ends a copy that is being made.
func (r *Relocatable) giveUp(m *move) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copying == m {
		r.copying = nil
	}
}

// moved makes the copy the block's buffer, and reports whether it is still wanted.
func (r *Relocatable) moved(m *move) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copying != m {
		return false
	}
	r.copying = nil
	s := r.block.slot
	s.buffer, m.to.buffer = m.to.buffer, s.buffer
	return true
}

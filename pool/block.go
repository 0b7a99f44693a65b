package pool

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// Errors of blocks. Returned errors wrap one of them.
var (
	// ErrReturned: the block was returned before, and may be somebody else's now.
	ErrReturned = errors.New("block was returned")
	// ErrForeign: the block, or an object of a recycler, is none of theirs.
	ErrForeign = errors.New("block of another pool")
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("pool is closed")
	// ErrLength: a length of zero, or more than a buffer has.
	ErrLength = errors.New("length out of range")
	// ErrMemory: the device, or the pool's limit, has no room, after everything idle was given back.
	ErrMemory = errors.New("out of device memory")
	// ErrOptions: options that make no sense.
	ErrOptions = errors.New("options out of range")
	// ErrKind: a kind of memory that the device does not have.
	ErrKind = errors.New("no such kind of memory")
)

// Block is a buffer that was rented. Copies of a Block are the same one; when it is returned, all of them are stale, and say so.
type Block struct {
	slot   *slot
	turn   uint64
	length uint
}

// slot is a block's place in the pool: it lives as long as the buffer.
type slot struct {
	pool   *Pool
	class  *class
	buffer mtl.Buffer
	heap   *heap         // nil where the device itself gave the buffer
	turn   atomic.Uint64 // odd while rented; each rent and each return counts
	seen   int64         // when a Trim first found it idle; guarded by the class's lock

	owner atomic.Pointer[Relocatable] // of a relocatable block, under whose lock the buffer then is
}

// rent makes the block of a slot that nobody else has.
func (s *slot) rent(length uint) Block {
	return Block{slot: s, turn: s.turn.Add(1), length: length}
}

// valid returns an error for a block that is stale or no block.
func (b Block) valid() error {
	if b.slot == nil {
		return fmt.Errorf("pool: zero block: %w", ErrForeign)
	}
	if b.slot.turn.Load() != b.turn {
		return fmt.Errorf("pool: block of %d bytes: %w", b.length, ErrReturned)
	}
	return nil
}

// Buffer returns the buffer, which is valid until the block is returned; it has [Block.Capacity] bytes. A block that was returned is an error wrapping
// [ErrReturned].
func (b Block) Buffer() (mtl.Buffer, error) {
	if err := b.valid(); err != nil {
		return mtl.Buffer{}, err
	}
	return b.slot.buffer, nil
}

// Length returns how many bytes were asked for.
func (b Block) Length() uint { return b.length }

// Capacity returns how many bytes the buffer has.
func (b Block) Capacity() uint {
	if b.slot == nil {
		return 0
	}
	return b.slot.class.capacity
}

// Return gives the block back at once: no work of the device may use it any more. A second Return is an error wrapping [ErrReturned], and does
// nothing.
func (b Block) Return() error {
	if err := b.end(); err != nil {
		return err
	}
	b.slot.pool.back(b.slot)
	return nil
}

// end makes the block and its copies stale.
func (b Block) end() error {
	if b.slot == nil {
		return fmt.Errorf("pool: zero block: %w", ErrForeign)
	}
	if !b.slot.turn.CompareAndSwap(b.turn, b.turn+1) {
		return fmt.Errorf("pool: block of %d bytes: %w", b.length, ErrReturned)
	}
	return nil
}

// Signal is a point that the device reaches.
type Signal interface {
	// Reached reports whether it has; once true it stays so. It must not block.
	Reached() bool
}

// After is the signal that a shared event has a value. The event must live until it has.
func After(event mtl.SharedEvent, value uint64) Signal { return eventSignal{event, value} }

type eventSignal struct {
	event mtl.SharedEvent
	value uint64
}

func (s eventSignal) Reached() bool { return s.event.SignaledValue() >= s.value }

// ReturnAfter gives the block back when a signal is reached. The block is stale at once, and its memory is rented again only after the signal. Nobody waits: the
// pool looks when it needs memory and when it is trimmed.
func (b Block) ReturnAfter(s Signal) error {
	if s == nil {
		return b.Return()
	}
	if err := b.end(); err != nil {
		return err
	}
	p := b.slot.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = append(p.pending, pending{b.slot, s})
	return nil
}

// pending is a block that work still uses.
type pending struct {
	slot   *slot
	signal Signal
}

// drain takes back the blocks whose signals are reached, and reports whether there were any. It also completes what Defragment began. The lock is held.
func (p *Pool) drain() bool {
	if len(p.moving) > 0 {
		p.settleMoves()
	}
	kept := p.pending[:0]
	for _, w := range p.pending {
		if w.signal.Reached() {
			p.back(w.slot)
		} else {
			kept = append(kept, w)
		}
	}
	some := len(kept) < len(p.pending)
	clear(p.pending[len(kept):])
	p.pending = kept
	return some
}

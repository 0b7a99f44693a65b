package pool

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// Errors of blocks. Returned errors wrap one of them.
var (
	// ErrReturned: the block has been returned and may be rented by somebody else.
	ErrReturned = errors.New("block was returned")
	// ErrForeign: the block or object belongs to another pool or recycler, or is not rented.
	ErrForeign = errors.New("block of another pool")
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("pool is closed")
	// ErrLength: a length of zero, or beyond the maximum of a buffer.
	ErrLength = errors.New("length out of range")
	// ErrMemory: the allocation would exceed the device's memory or the pool's hard watermark, even
	// after releasing all idle blocks.
	ErrMemory = errors.New("out of device memory")
	// ErrOptions: invalid options.
	ErrOptions = errors.New("options out of range")
	// ErrKind: the device does not have this kind of memory.
	ErrKind = errors.New("no such kind of memory")
)

// Block is a rented buffer. Copies of a Block refer to the same block; once it is returned, all of
// them are stale, and their methods return errors.
type Block struct {
	slot       *slot
	generation uint64
	length     uint
}

// slot is a buffer of the pool and its state.
type slot struct {
	pool       *Pool
	class      *class
	buffer     mtl.Buffer
	heap       *heap         // nil if the buffer is directly from the device
	generation atomic.Uint64 // odd while rented; each rent and each return counts
	idleSince  int64         // when a Trim first found it idle; guarded by the class's lock
	label      string        // the buffer's label; set by the renter, handed on under the class's lock

	owner atomic.Pointer[Relocatable] // of a relocatable block, whose lock then guards the buffer
}

// rent returns the block for a slot that the caller owns.
func (s *slot) rent(length uint) Block {
	return Block{slot: s, generation: s.generation.Add(1), length: length}
}

// valid returns an error if the block is stale or zero.
func (b Block) valid() error {
	if b.slot == nil {
		return fmt.Errorf("pool: zero block: %w", ErrForeign)
	}
	if b.slot.generation.Load() != b.generation {
		return fmt.Errorf("pool: block of %d bytes: %w", b.length, ErrReturned)
	}
	return nil
}

// Buffer returns the buffer, which has [Block.Capacity] bytes and is valid until the block is
// returned. Afterwards the error wraps [ErrReturned].
func (b Block) Buffer() (mtl.Buffer, error) {
	if err := b.valid(); err != nil {
		return mtl.Buffer{}, err
	}
	return b.slot.buffer, nil
}

// Length returns the requested length in bytes.
func (b Block) Length() uint { return b.length }

// Capacity returns the length of the buffer in bytes.
func (b Block) Capacity() uint {
	if b.slot == nil {
		return 0
	}
	return b.slot.class.capacity
}

// SetLabel names the buffer for Metal's tools. The buffer keeps its label when the block is
// returned, so giving it the same name again costs no call of the device. If other parts of the
// program label their blocks, set a label of your own, or "" for none, after renting. SetLabel must
// not be called concurrently for the same block.
func (b Block) SetLabel(label string) error {
	if err := b.valid(); err != nil {
		return err
	}
	if b.slot.label != label {
		b.slot.buffer.SetLabel(label)
		b.slot.label = label
	}
	return nil
}

// Return returns the block at once, so the device must have finished using it. A second Return has
// no effect and returns an error wrapping [ErrReturned].
func (b Block) Return() error {
	if err := b.end(); err != nil {
		return err
	}
	b.slot.pool.takeBack(b.slot)
	return nil
}

// end makes the block and its copies stale.
func (b Block) end() error {
	if b.slot == nil {
		return fmt.Errorf("pool: zero block: %w", ErrForeign)
	}
	if !b.slot.generation.CompareAndSwap(b.generation, b.generation+1) {
		return fmt.Errorf("pool: block of %d bytes: %w", b.length, ErrReturned)
	}
	return nil
}

// Signal reports that the device has finished with a block.
type Signal interface {
	// Reached reports whether the signal has been reached; once true it stays so. It must not block.
	Reached() bool
}

// After returns a signal that is reached once a shared event has the given value. The event must
// live until then.
func After(event mtl.SharedEvent, value uint64) Signal { return eventSignal{event, value} }

type eventSignal struct {
	event mtl.SharedEvent
	value uint64
}

func (s eventSignal) Reached() bool { return s.event.SignaledValue() >= s.value }

// reachable returns an error for the signal of an event that nobody made: it would keep its block
// for ever.
func reachable(s Signal) error {
	if e, ok := s.(eventSignal); ok && e.event.IsNil() {
		return fmt.Errorf("pool: the signal of a zero event: %w", ErrForeign)
	}
	return nil
}

// ReturnAfter returns the block once a signal is reached. The block is stale at once, but its
// memory is not rented again before the signal. Nothing waits: the pool checks the signal when it
// needs memory and when it is trimmed.
func (b Block) ReturnAfter(s Signal) error {
	if s == nil {
		return b.Return()
	}
	if err := reachable(s); err != nil {
		return err
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

// pending is a returned block that the device may still be using.
type pending struct {
	slot   *slot
	signal Signal
}

// drain makes the pending blocks idle whose signals are reached, and reports whether there were
// any. It also completes Defragment's moves. The lock is held.
func (p *Pool) drain() bool {
	if len(p.moving) > 0 {
		p.settleMoves()
	}
	kept := p.pending[:0]
	for _, w := range p.pending {
		if w.signal.Reached() {
			p.takeBack(w.slot)
		} else {
			kept = append(kept, w)
		}
	}
	some := len(kept) < len(p.pending)
	clear(p.pending[len(kept):])
	p.pending = kept
	return some
}

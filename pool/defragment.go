package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Defragmented is the result of a call of [Pool.Defragment].
type Defragmented struct {
	Blocks int  // moved
	Bytes  uint // of the moved blocks' buffers
	Kept   int  // blocks that were copied but not moved, because they were pinned or returned meanwhile
	Heaps  int  // released
	Freed  uint // bytes of the released heaps
}

// defaultMove is the default of Defragment's maxBytes.
const defaultMove = 64 << 20

// Defragment empties sparsely used heaps. If all live blocks of a heap are relocatable, not pinned
// and not in use by the device, and fuller heaps of the same kind have room, the device copies the
// blocks there, and the heap is released together with its idle blocks. Defragment copies at most
// maxBytes, or 64 MiB if that is 0, and creates no new heaps.
//
// It waits only for its own copies; rents and returns continue meanwhile. If ctx ends first, later
// calls of the pool complete the copies. If the device fails, all blocks stay where they were.
func (p *Pool) Defragment(ctx context.Context, maxBytes uint) (Defragmented, error) {
	if p.missing() || ctx == nil {
		return Defragmented{}, fmt.Errorf("pool: Defragment: the pool or the context is nil or was not made by New: %w",
			ErrForeign)
	}
	if err := ctx.Err(); err != nil {
		return Defragmented{}, fmt.Errorf("pool: defragmentation: %w", err)
	}
	batches, err := p.startMoves(cmp.Or(maxBytes, defaultMove))
	for _, b := range batches {
		defer b.command.Release()
		err = errors.Join(err, b.command.Wait(ctx))
	}
	var all Defragmented
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	for _, b := range batches {
		all.Blocks += b.result.Blocks
		all.Bytes += b.result.Bytes
		all.Kept += b.result.Kept
		all.Heaps += b.result.Heaps
		all.Freed += b.result.Freed
	}
	if err != nil {
		return all, fmt.Errorf("pool: defragmentation: %w", err)
	}
	return all, nil
}

// Settle waits until no copy of Defragment is in progress, which may be the case after Defragment's
// context has ended. The pool itself does not need this call: it completes copies in later calls.
func (p *Pool) Settle(ctx context.Context) error {
	if p.missing() || ctx == nil {
		return fmt.Errorf("pool: Settle: the pool or the context is nil or was not made by New: %w", ErrForeign)
	}
	p.mu.Lock()
	commands := make([]mtl.CommandBuffer, len(p.moving))
	for i, b := range p.moving {
		b.command.Retain()
		commands[i] = b.command
	}
	p.mu.Unlock()
	var err error
	for _, c := range commands {
		if waited := c.Wait(ctx); ctx.Err() != nil { // even a failed copy has ended, which is all that matters
			err = waited
		}
		c.Release()
	}
	if err != nil {
		return fmt.Errorf("pool: copies of a defragmentation: %w", err)
	}
	return nil
}

// move is the copy of a block in progress.
type move struct {
	owner *Relocatable
	to    *slot // a slot for the copy, reserved for this move
}

// batch holds the copies of one command buffer.
type batch struct {
	k          *kindPool
	command    mtl.CommandBuffer
	moves      []*move
	evacuating []*heap // heaps that become empty
	result     Defragmented
}

// startMoves plans the moves and submits their copies, one batch for each kind of memory. The
// batches' command buffers are +1.
func (p *Pool) startMoves(maxBytes uint) (all []*batch, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	p.drain()
	objc.Pool(func() {
		p.each(func(k *kindPool) {
			if err != nil {
				return
			}
			var b *batch
			if b, err = p.plan(k, maxBytes); b == nil || err != nil {
				return
			}
			if err = p.copy(b); err != nil {
				b.finish(p, false)
				return
			}
			for _, m := range b.moves {
				maxBytes -= m.to.class.capacity
			}
			b.command.Retain()
			p.moving = append(p.moving, b)
			all = append(all, b)
		})
	})
	return all, err
}

// heapUse describes the use of a heap.
type heapUse struct {
	heap     *heap
	live     []*slot // neither idle nor free
	idle     []*slot
	bytes    uint // of live
	receives bool // copies will be placed in it
}

// plan chooses heaps to empty and reserves destinations for their blocks. It returns nil if there
// is nothing to do. All locks are held.
func (p *Pool) plan(k *kindPool, maxBytes uint) (*batch, error) {
	uses := k.uses()
	b := &batch{k: k}
	for i := range uses { // the emptiest first
		u := &uses[i]
		if len(u.live) == 0 || u.bytes > maxBytes || u.receives || u.heap.evacuating || !u.movable() {
			continue
		}
		u.heap.evacuating = true
		moves, err := p.evacuate(k, u, uses[i+1:])
		if err != nil || moves == nil {
			u.heap.evacuating = false
			if err != nil {
				b.finish(p, false)
				return nil, err
			}
			continue
		}
		b.moves = append(b.moves, moves...)
		b.evacuating = append(b.evacuating, u.heap)
		maxBytes -= u.bytes
	}
	if len(b.moves) == 0 {
		return nil, nil
	}
	return b, nil
}

// uses returns the use of each heap, the emptiest first.
func (k *kindPool) uses() []heapUse {
	idle := map[*slot]bool{}
	for i := range k.classes {
		c := &k.classes[i]
		c.mu.Lock()
		for _, s := range c.idle {
			idle[s] = true
		}
		c.mu.Unlock()
	}
	uses := make([]heapUse, len(k.heaps))
	for i, h := range k.heaps {
		u := &uses[i]
		u.heap = h
		for s := range h.blocks {
			if idle[s] {
				u.idle = append(u.idle, s)
				continue
			}
			u.live = append(u.live, s)
			u.bytes += s.class.capacity
		}
		// The longest blocks are the hardest to place, so they come first. The order of equal ones does
		// not matter.
		slices.SortFunc(u.live, func(a, b *slot) int { return cmp.Compare(b.class.capacity, a.class.capacity) })
	}
	slices.SortStableFunc(uses, func(a, b heapUse) int {
		return cmp.Compare(float64(a.bytes)/float64(a.heap.size), float64(b.bytes)/float64(b.heap.size))
	})
	return uses
}

// movable reports whether all live blocks of a heap may be moved.
func (u *heapUse) movable() bool {
	for _, s := range u.live {
		if r := s.owner.Load(); r == nil || !r.beginMove(nil) {
			return false
		}
	}
	return true
}

// evacuate reserves destinations in fuller heaps for the live blocks of a heap and releases its
// idle blocks. It returns nil if that is not possible.
func (p *Pool) evacuate(k *kindPool, u *heapUse, fuller []heapUse) (moves []*move, err error) {
	ok := false
	defer func() {
		if !ok {
			for _, m := range moves {
				m.owner.cancelMove(m)
				k.free(m.to)
			}
			moves = nil
		}
	}()
	for _, s := range u.live {
		to, err := p.place(k, s.class, fuller)
		if to == nil || err != nil {
			return moves, err
		}
		m := &move{to: to}
		// returned or pinned meanwhile
		if m.owner = s.owner.Load(); m.owner == nil || m.owner.block.slot != s || !m.owner.beginMove(m) {
			k.free(to)
			return moves, nil
		}
		moves = append(moves, m)
	}
	for _, s := range u.idle {
		if !s.class.remove(s) { // rented meanwhile
			return moves, nil
		}
		k.free(s)
		p.released++
	}
	ok = true
	return moves, nil
}

// place reserves a slot for a copy in one of the heaps, the fullest first: an idle block, or a new
// one. It returns nil if there is no room.
func (p *Pool) place(k *kindPool, c *class, heaps []heapUse) (*slot, error) {
	need, err := p.device.HeapBufferSizeAndAlign(c.capacity, k.options)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(heaps) {
		u := &heaps[i]
		if u.heap.evacuating || len(u.live) == 0 {
			continue
		}
		for _, s := range u.idle {
			if s.class == c && c.remove(s) {
				u.receives = true
				return s, nil
			}
		}
		free, err := u.heap.metal.MaxAvailableSize(need.Align)
		if err != nil {
			return nil, err
		}
		if free >= need.Size {
			s := &slot{pool: p, class: c}
			if err := s.newBufferIn(u.heap, k.options); err != nil {
				return nil, err
			}
			u.receives = true
			return s, nil
		}
	}
	return nil, nil
}

// copy submits a batch's copies to the device. It is called inside an autorelease pool.
func (p *Pool) copy(b *batch) (err error) {
	if p.queue.IsNil() {
		if p.queue, err = p.device.NewCommandQueue(); err != nil {
			return err
		}
	}
	command, err := p.queue.CommandBuffer()
	if err != nil {
		return err
	}
	command.SetLabel("pool: defragmentation")
	e, err := command.BlitCommandEncoder()
	if err != nil {
		return err
	}
	for _, m := range b.moves {
		from := m.owner.block.slot
		if err = e.CopyFromBuffer(from.buffer, 0, m.to.buffer, 0, from.class.capacity); err != nil {
			break
		}
		if b.k.kind.Storage == mtl.StorageModeManaged {
			if err = e.SynchronizeResource(m.to.buffer.Resource); err != nil {
				break
			}
		}
	}
	if end := e.EndEncoding(); err == nil {
		err = end
	}
	if err == nil {
		err = command.Commit()
	}
	if err == nil {
		b.command = command
		b.command.Retain()
	}
	return err
}

// settleMoves completes the batches whose copies have ended. The lock is held.
func (p *Pool) settleMoves() {
	p.moving = slices.DeleteFunc(p.moving, func(b *batch) bool {
		status := b.command.Status()
		if status < mtl.CommandBufferStatusCompleted {
			return false
		}
		b.finish(p, status == mtl.CommandBufferStatusCompleted)
		b.command.Release()
		return true
	})
}

// finish makes the copies the blocks' buffers, or discards them if the device failed. The pool's
// lock is held.
func (b *batch) finish(p *Pool, copied bool) {
	for _, m := range b.moves {
		from, to := m.owner.block.slot, m.to
		if !copied {
			m.owner.cancelMove(m)
		} else if m.owner.completeMove(m) { // the slot now has the copy, and to the original buffer
			from.heap, to.heap = to.heap, from.heap
			delete(from.heap.blocks, to)
			delete(to.heap.blocks, from)
			from.heap.blocks[from], to.heap.blocks[to] = struct{}{}, struct{}{}
			b.result.Blocks++
			b.result.Bytes += from.class.capacity
			p.moved++
			p.movedBytes += uint64(from.class.capacity)
		} else {
			b.result.Kept++
		}
		b.k.free(to)
	}
	for _, h := range b.evacuating {
		h.evacuating = false
		if len(h.blocks) == 0 && slices.Contains(b.k.heaps, h) {
			b.result.Heaps++
			b.result.Freed += h.size
		}
	}
	b.k.releaseEmptyHeaps()
}

package pool

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Pressure is the level of this process's device memory use, as the device reports it.
type Pressure uint8

const (
	// Normal: at most the recommended working set.
	Normal Pressure = iota
	// Elevated: above the recommended working set. Trim releases idle blocks at half the age.
	Elevated
	// High: above the soft watermark. Idle blocks are released before a new one is allocated.
	High
	// Critical: above the hard watermark. No new block is allocated.
	Critical
)

// String returns the level's name.
func (p Pressure) String() string {
	names := [...]string{"normal", "elevated", "high", "critical"}
	if int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("Pressure(%d)", uint8(p))
}

// Pressure returns the current level. For a closed pool it is Normal.
func (p *Pool) Pressure() Pressure {
	if p.missing() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pressure()
}

// pressure is Pressure with the lock held.
func (p *Pool) pressure() Pressure { return p.level(p.device.CurrentAllocatedSize()) } // which is 0 for no device

func (p *Pool) level(used uint) Pressure {
	switch {
	case used > p.hard:
		return Critical
	case used > p.soft:
		return High
	case used > p.workingSet && p.workingSet > 0:
		return Elevated
	}
	return Normal
}

// makeRoom is called before an allocation from the device. If that would exceed the soft watermark,
// it releases idle blocks, the longest idle first; if it would still exceed the hard one, makeRoom
// fails. The lock is held.
func (p *Pool) makeRoom(bytes uint) error {
	p.limitReserve(bytes)
	used := p.device.CurrentAllocatedSize()
	if used+bytes <= p.soft {
		return nil
	}
	p.drain()
	p.release(used + bytes - p.soft)
	if used = p.device.CurrentAllocatedSize(); used+bytes <= p.hard {
		return nil
	}
	return fmt.Errorf("%d bytes more exceed the hard watermark %d with %d in use: %w", bytes, p.hard, used, ErrMemory)
}

// The reserved memory exceeds the maximum ever rented at once by at most 1/reserveShare or by
// minReserve, whichever is more, as far as releasing idle blocks can achieve that.
const (
	reserveShare = 8
	minReserve   = 64 << 20
)

// limitReserve releases idle blocks before an allocation from the device that would bring the
// reserved memory over its limit. The lock is held.
func (p *Pool) limitReserve(bytes uint) {
	high := uint(max(p.rentedHigh.Load(), p.rented.Load()+int64(bytes)))
	limit := high + max(high/reserveShare, minReserve)
	if has := p.reserved() + bytes; has > limit {
		p.release(has - limit)
	}
}

// Trim releases empty heaps, and blocks that have been idle for longer than [Options.MaxIdle], or
// half of that under memory pressure. It returns the number of blocks. Idle time counts from the
// first Trim that finds a block idle, so that returning a block does not read the clock; therefore
// call Trim regularly. Rent also calls it occasionally.
func (p *Pool) Trim() int {
	if p.missing() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	return p.trim(p.o.Now())
}

// trim is Trim with the lock held.
func (p *Pool) trim(now time.Time) (released int) {
	p.lastTrim = now
	age := p.o.MaxIdle
	if p.pressure() >= Elevated {
		age /= 2
	}
	p.each(func(k *kindPool) {
		for i := range k.classes {
			released += p.expire(k, &k.classes[i], now.UnixNano(), int64(age))
		}
		k.releaseEmptyHeaps()
	})
	p.released += uint64(released)
	return released
}

// expire releases a class's blocks that have been idle for too long, and marks the others.
func (p *Pool) expire(k *kindPool, c *class, now, age int64) (released int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.idle[:0]
	for _, s := range c.idle {
		if s.idleSince == 0 {
			s.idleSince = now
		}
		if now-s.idleSince < age {
			kept = append(kept, s)
			continue
		}
		k.free(s)
		released++
	}
	clear(c.idle[len(kept):])
	c.idle = kept
	return released
}

// Collect releases all idle blocks.
func (p *Pool) Collect() {
	if p.missing() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	p.release(allBytes)
}

// allBytes releases all idle blocks.
const allBytes = ^uint(0)

// release releases idle blocks until bytes have been released, the longest idle first, and then the
// empty heaps. The lock is held.
func (p *Pool) release(bytes uint) {
	if bytes == 0 {
		p.each((*kindPool).releaseEmptyHeaps)
		return
	}
	type candidate struct {
		k *kindPool
		c *class
		s *slot
		// Blocks that no Trim has seen idle are the youngest. Among equals the longest is released first.
		seen int64
	}
	var all []candidate
	p.each(func(k *kindPool) {
		for i := range k.classes {
			c := &k.classes[i]
			c.mu.Lock()
			for _, s := range c.idle {
				seen := s.idleSince
				if seen == 0 {
					seen = 1<<63 - 1
				}
				all = append(all, candidate{k, c, s, seen})
			}
			c.mu.Unlock()
		}
	})
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.seen, b.seen), cmp.Compare(b.c.capacity, a.c.capacity))
	})
	if len(all) > 0 {
		p.collections++
	}
	for released := uint(0); released < bytes && len(all) > 0; all = all[1:] {
		x := all[0]
		if x.c.remove(x.s) { // otherwise it has been rented meanwhile
			x.k.free(x.s)
			released += x.c.capacity
			p.released++
		}
	}
	p.each((*kindPool).releaseEmptyHeaps)
}

// remove removes a block from the idle ones, and reports whether it was idle.
func (c *class) remove(s *slot) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.idle, s)
	if i < 0 {
		return false
	}
	c.idle = slices.Delete(c.idle, i, i+1)
	return true
}

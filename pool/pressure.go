package pool

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Pressure is how much of the device's memory is in use, by this process as the device counts it.
type Pressure uint8

const (
	// Normal is below the recommended working set.
	Normal Pressure = iota
	// Elevated is above the recommended working set: idle blocks are kept, but Trim takes them at half their age.
	Elevated
	// High is above the soft watermark: nothing idle is kept when something new is made.
	High
	// Critical is above the hard watermark: nothing new is made.
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

// Pressure asks the device how much is in use and returns the level. A pool that is closed has no device any more, and no pressure.
func (p *Pool) Pressure() Pressure {
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
	case used > p.working && p.working > 0:
		return Elevated
	}
	return Normal
}

// makeRoom is called before bytes are taken from the device. It gives idle blocks back, the longest idle first, where they would pass the soft watermark, and
// fails where they would pass the hard one all the same. The lock is held.
func (p *Pool) makeRoom(bytes uint) error {
	p.slim(bytes)
	used := p.device.CurrentAllocatedSize()
	if used+bytes <= p.soft {
		return nil
	}
	p.drain()
	p.release(used + bytes - p.soft)
	if used = p.device.CurrentAllocatedSize(); used+bytes <= p.hard {
		return nil
	}
	return fmt.Errorf("%d bytes more, where %d are in use and the hard watermark is %d: %w", bytes, used, p.hard, ErrMemory)
}

// What a pool keeps from the device is at most an idleShare-th more than what was ever rented at once, or idleLeast where that is more, as far as idle blocks can help it.
const (
	idleShare = 8
	idleLeast = 64 << 20
)

// slim gives idle blocks back before more memory is taken from the device, where the pool would have too much. The lock is held.
func (p *Pool) slim(bytes uint) {
	high := uint(max(p.rentedHigh.Load(), p.rented.Load()+int64(bytes)))
	most := high + max(high/idleShare, idleLeast)
	if has := p.reserved() + bytes; has > most {
		p.release(has - most)
	}
}

// Trim gives back blocks that were idle for longer than [Options.MaxIdle], half of that under pressure, and heaps that are empty; it returns how many blocks went.
// Idleness is counted from the first Trim that finds a block idle, so that returns need no clock: call it regularly. Rents call it now and then.
func (p *Pool) Trim() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	return p.trim(p.o.Now())
}

// trim is Trim with the lock held.
func (p *Pool) trim(now time.Time) (gone int) {
	p.trimmed = now
	age := p.o.MaxIdle
	if p.pressure() >= Elevated {
		age /= 2
	}
	p.each(func(k *kindPool) {
		for i := range k.classes {
			gone += p.expire(k, &k.classes[i], now.UnixNano(), int64(age))
		}
		k.sweep()
	})
	p.released += uint64(gone)
	return gone
}

// expire gives back a class's blocks that are too old, and marks the others.
func (p *Pool) expire(k *kindPool, c *class, now, age int64) (gone int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.idle[:0]
	for _, s := range c.idle {
		if s.seen == 0 {
			s.seen = now
		}
		if now-s.seen < age {
			kept = append(kept, s)
			continue
		}
		k.free(s)
		gone++
	}
	clear(c.idle[len(kept):])
	c.idle = kept
	return gone
}

// Collect gives back everything idle.
func (p *Pool) Collect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	p.release(everything)
}

// everything is more than all idle blocks have.
const everything = ^uint(0)

// release gives back idle blocks until bytes have gone, those idle longest first, and then the heaps that are empty. The lock is held.
func (p *Pool) release(bytes uint) {
	if bytes == 0 {
		p.each((*kindPool).sweep)
		return
	}
	type candidate struct {
		k *kindPool
		c *class
		s *slot
		// Blocks that no Trim has seen idle are the youngest. Among equals the longest goes first.
		seen int64
	}
	var all []candidate
	p.each(func(k *kindPool) {
		for i := range k.classes {
			c := &k.classes[i]
			c.mu.Lock()
			for _, s := range c.idle {
				seen := s.seen
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
	for gone := uint(0); gone < bytes && len(all) > 0; all = all[1:] {
		x := all[0]
		if x.c.remove(x.s) { // else it was rented meanwhile
			x.k.free(x.s)
			gone += x.c.capacity
			p.released++
		}
	}
	p.each((*kindPool).sweep)
}

// remove takes a block out of the idle ones, and reports whether it was one.
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

package pool

// Stats is the state of a pool and its counters. Bytes are those of buffers, not the requested
// lengths.
type Stats struct {
	Hits, Misses uint64 // rents of an existing block, and of a new one
	Released     uint64 // blocks released to the device
	Collections  uint64 // releases of idle blocks to make room
	Refused      uint64 // rents that failed
	Moved        uint64 // blocks moved by Defragment
	MovedBytes   uint64 // of their buffers

	Rented       uint // bytes rented or waiting for a signal
	RentedHigh   uint // maximum of Rented
	Idle         uint
	Reserved     uint // bytes allocated from the device: rented, idle, and free in heaps
	ReservedHigh uint
	Heaps        int
	Direct       int // blocks outside of heaps
	Pending      int // blocks waiting for a signal

	// Fragmentation is the fraction of the reserved bytes that is free in heaps, neither rented nor
	// idle.
	Fragmentation float64
	Pressure      Pressure
	Classes       []ClassStats // those that have blocks or had some, by kind and capacity
}

// ReuseRatio is the fraction of rents that reused a block.
func (s Stats) ReuseRatio() float64 {
	if s.Hits+s.Misses == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Misses)
}

// ClassStats describes one size class.
type ClassStats struct {
	Kind         Kind
	Capacity     uint // bytes of a block
	Rented, Idle int  // blocks
	RentedHigh   int
	Hits, Misses uint64
}

// Stats returns the pool's statistics. The figures are consistent even while blocks are rented and
// returned: each block is counted once, as rented, idle or pending.
func (p *Pool) Stats() Stats {
	if p.missing() {
		return Stats{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{
		Released: p.released, Collections: p.collections, Refused: p.refused,
		Moved: p.moved, MovedBytes: p.movedBytes,
		ReservedHigh: p.reservedHigh, Pending: len(p.pending), Pressure: p.pressure(),
	}
	p.each(func(k *kindPool) {
		s.Heaps += len(k.heaps)
		s.Direct += k.direct
		s.Reserved += k.reserved()
		for i := range k.classes {
			c := k.classes[i].stats(k.kind)
			if c.Hits+c.Misses == 0 {
				continue
			}
			s.Classes = append(s.Classes, c)
			s.Hits += c.Hits
			s.Misses += c.Misses
			// A sum over the classes rather than p.rented: a block returned between reading one and the
			// other would count as both rented and idle. The memory allocated from the device only changes
			// with the lock held.
			s.Rented += uint(c.Rented) * c.Capacity
			s.Idle += uint(c.Idle) * c.Capacity
		}
	})
	s.RentedHigh = max(uint(p.rentedHigh.Load()), s.Rented)
	if s.Reserved > 0 {
		s.Fragmentation = 1 - float64(s.Rented+s.Idle)/float64(s.Reserved)
	}
	return s
}

// stats returns the class's state at one moment.
func (c *class) stats(kind Kind) ClassStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ClassStats{kind, c.capacity, c.rented, len(c.idle), c.high, c.hits, c.misses}
}

package pool

// Stats is what a pool has done and has. Bytes are those of buffers, not of what was asked for.
type Stats struct {
	Hits, Misses uint64 // rents served with a block that was there, and with a new one
	Released     uint64 // blocks given back to the device
	Collections  uint64 // times that blocks were given back for want of room
	Refused      uint64 // rents that failed
	Moved        uint64 // blocks that Defragment has moved
	MovedBytes   uint64 // of their buffers

	Rented       uint // bytes that are out, or wait for a signal
	RentedHigh   uint // the most that ever were
	Idle         uint
	Reserved     uint // bytes that the pool has from the device: rented, idle, and free in heaps
	ReservedHigh uint
	Heaps        int
	Direct       int // blocks that are in no heap
	Pending      int // blocks that wait for a signal

	// Fragmentation is the part of the reserved bytes that is neither rented nor idle: free in heaps.
	Fragmentation float64
	Pressure      Pressure
	Classes       []ClassStats // those that have or had blocks, by kind and capacity
}

// ReuseRatio is the part of the rents that were served with a block that was there.
func (s Stats) ReuseRatio() float64 {
	if s.Hits+s.Misses == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Misses)
}

// ClassStats is one size class.
type ClassStats struct {
	Kind         Kind
	Capacity     uint // bytes of a block
	Rented, Idle int  // blocks
	RentedHigh   int
	Hits, Misses uint64
}

// Stats returns what the pool has done and has.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{
		Released: p.released, Collections: p.collections, Refused: p.refused, Moved: p.moved, MovedBytes: p.movedBytes,
		Rented: uint(p.rented.Load()), RentedHigh: uint(p.rentedHigh.Load()), ReservedHigh: p.reservedHigh, Pending: len(p.pending),
		Pressure: p.pressure(),
	}
	p.each(func(k *kindPool) {
		s.Heaps += len(k.heaps)
		s.Direct += k.direct
		s.Reserved += k.reserved()
		for i := range k.classes {
			c := &k.classes[i]
			c.mu.Lock()
			if c.hits+c.misses > 0 {
				s.Classes = append(s.Classes, ClassStats{k.kind, c.capacity, c.rented, len(c.idle), c.high, c.hits, c.misses})
				s.Hits += c.hits
				s.Misses += c.misses
				s.Idle += uint(len(c.idle)) * c.capacity
			}
			c.mu.Unlock()
		}
	})
	if s.Reserved > 0 {
		s.Fragmentation = 1 - float64(s.Rented+s.Idle)/float64(s.Reserved)
	}
	return s
}

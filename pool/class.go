package pool

import (
	"math/bits"
	"sync"
)

const (
	unit       = 256 // bytes: the largest alignment that Metal requires for offsets in constant memory
	steps      = 8   // size classes per doubling, for short blocks
	linear     = steps * unit
	fineSteps  = 32 // the same for long blocks, from fineLength on
	fineLength = 1 << 20
	maxLength  = 1 << 40
	numClasses = steps + steps*(20-11) + fineSteps*(40-20)
)

// classOf returns the size class of a length and the capacity of its blocks in bytes: multiples of
// 256 up to 2 KiB, then eighths of powers of two, and from 1 MiB on 32nds.
func classOf(length uint) (class int, capacity uint) {
	if length <= linear {
		n := max((length+unit-1)/unit, 1)
		return int(n) - 1, n * unit
	}
	e := bits.Len(length-1) - 1 // 2^e < length <= 2^(e+1)
	count, first := steps, steps+(e-11)*steps
	if e >= 20 {
		count, first = fineSteps, steps+(20-11)*steps+(e-20)*fineSteps
	}
	step := uint(1) << e / uint(count)
	k := (length - 1<<e + step - 1) / step // 1 to count
	return first + int(k) - 1, 1<<e + k*step
}

// class holds the idle blocks of one capacity.
type class struct {
	capacity uint

	mu     sync.Mutex
	idle   []*slot // last in, first out
	rented int
	high   int    // maximum of rented
	hits   uint64 // rents that reused a block
	misses uint64
}

// take returns an idle block, or nil. It only counts hits.
func (c *class) take() *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.idle)
	if n == 0 {
		return nil
	}
	s := c.idle[n-1]
	c.idle[n-1] = nil
	c.idle = c.idle[:n-1]
	c.hits++
	c.countRent()
	return s
}

// countRent counts a rented block. The lock is held.
func (c *class) countRent() {
	c.rented++
	c.high = max(c.high, c.rented)
}

// put makes a block idle.
func (c *class) put(s *slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.idleSince = 0
	c.idle = append(c.idle, s)
	c.rented--
}

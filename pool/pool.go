package pool

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Kind is what sort of memory a block is of: each has its own heaps.
type Kind struct {
	Storage mtl.StorageMode
	Cache   mtl.CPUCacheMode
	// Hazards says whether Metal tracks what work does with a block. The default is tracked, for short blocks too, which come from heaps.
	Hazards mtl.HazardTrackingMode
}

// String names the modes.
func (k Kind) String() string { return fmt.Sprintf("%v, %v, %v", k.Storage, k.Cache, k.Hazards) }

// Options says how a pool behaves. Zero fields keep the default.
type Options struct {
	// MaxIdle is how long a block stays without being rented before Trim gives it back: a minute.
	MaxIdle time.Duration
	// Soft and Hard are the watermarks, as multiples of the device's recommended working set: 1.4 and 1.7.
	Soft, Hard float64
	// Now is the clock; nil for time.Now.
	Now func() time.Time
}

// The defaults of [Options].
const (
	defaultIdle = time.Minute
	defaultSoft = 1.4
	defaultHard = 1.7
)

// Pool recycles buffers of a device. It is safe for concurrent use; rents and returns of different sizes do not meet.
type Pool struct {
	device     mtl.Device
	o          Options
	working    uint // bytes of the recommended working set
	unified    bool // the device shares its memory with the host
	soft, hard uint

	kinds [numKinds]atomic.Pointer[kindPool] // by Kind.place

	rented     atomic.Int64 // bytes
	rentedHigh atomic.Int64

	mu           sync.Mutex // everything below, and what the pool has of the device
	closed       bool
	pending      []pending
	reservedHigh uint
	trimmed      time.Time
	released     uint64 // blocks given back to the device
	collections  uint64 // times that everything idle was given back for want of room
	refused      uint64
	moving       []*batch         // copies that Defragment has begun
	queue        mtl.CommandQueue // for them
	moved        uint64           // blocks
	movedBytes   uint64
}

// New makes a pool of a device's memory, which it keeps alive. Close it when done.
func New(device mtl.Device, o Options) (*Pool, error) {
	if device.IsNil() {
		return nil, fmt.Errorf("pool: %w", mtl.ErrNoDevice)
	}
	if o.MaxIdle == 0 {
		o.MaxIdle = defaultIdle
	}
	if o.Soft == 0 {
		o.Soft = defaultSoft
	}
	if o.Hard == 0 {
		o.Hard = max(defaultHard, o.Soft)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxIdle < 0 || !(o.Soft > 0) || !(o.Hard >= o.Soft) {
		return nil, fmt.Errorf("pool: an idle time of %v, and watermarks of %v and %v: want none below 0, and the hard one not below the soft one: %w", o.MaxIdle, o.Soft, o.Hard, ErrOptions)
	}
	p := &Pool{device: device, o: o, working: uint(device.RecommendedMaxWorkingSetSize()), unified: device.HasUnifiedMemory()}
	p.soft, p.hard = watermark(o.Soft, p.working), watermark(o.Hard, p.working)
	p.trimmed = o.Now()
	device.Retain()
	return p, nil
}

// watermark returns the bytes of a multiple of the working set. A device that recommends nothing has no watermarks.
func watermark(multiple float64, working uint) uint {
	if bytes := multiple * float64(working); working > 0 && bytes < 1<<62 {
		return uint(bytes)
	}
	return 1 << 62
}

// The modes of Metal's that buffers can have, and so many combinations.
const (
	maxStorage = mtl.StorageModePrivate
	maxCache   = mtl.CPUCacheModeWriteCombined
	maxHazards = mtl.HazardTrackingModeTracked
	numKinds   = (uint(maxStorage) + 1) * (uint(maxCache) + 1) * (uint(maxHazards) + 1)
)

// place returns a number for each kind, or false for one that is none.
func (k Kind) place() (uint, bool) {
	return (uint(k.Storage)*(uint(maxCache)+1)+uint(k.Cache))*(uint(maxHazards)+1) + uint(k.Hazards), k.Storage <= maxStorage && k.Cache <= maxCache && k.Hazards <= maxHazards
}

// of returns the memory of a kind.
func (p *Pool) of(kind Kind) (*kindPool, error) {
	place, ok := kind.place()
	if !ok {
		return nil, fmt.Errorf("pool: %v: %w", kind, ErrKind)
	}
	if k := p.kinds[place].Load(); k != nil {
		return k, nil
	}
	p.kinds[place].CompareAndSwap(nil, newKindPool(kind))
	return p.kinds[place].Load(), nil
}

// newKindPool makes the memory of a kind.
func newKindPool(kind Kind) *kindPool {
	hazards := kind.Hazards
	if hazards == mtl.HazardTrackingModeDefault { // which for Metal is tracked for a buffer that the device gives and untracked in a heap
		hazards = mtl.HazardTrackingModeTracked
	}
	k := &kindPool{kind: kind, options: mtl.MakeResourceOptions(kind.Storage, kind.Cache, hazards)}
	for n := uint(unit); n <= maxLength; {
		i, capacity := classOf(n)
		k.classes[i].capacity = capacity
		n = capacity + 1
	}
	return k
}

// each calls fn with every kind's memory.
func (p *Pool) each(fn func(*kindPool)) {
	for i := range p.kinds {
		if k := p.kinds[i].Load(); k != nil {
			fn(k)
		}
	}
}

// Rent returns a block of at least length bytes. What is in it is whatever its last user left. Errors: [ErrLength], [ErrKind], [ErrClosed], and
// [ErrMemory] where neither the device nor the watermark has room after everything idle was given back.
func (p *Pool) Rent(length uint, kind Kind) (Block, error) {
	if length == 0 || length > maxLength {
		return Block{}, fmt.Errorf("pool: block of %d bytes, want 1 to %d: %w", length, uint(maxLength), ErrLength)
	}
	k, err := p.of(kind)
	if err != nil {
		return Block{}, err
	}
	i, _ := classOf(length)
	s := k.reuse(i, length)
	if s == nil {
		if s, err = p.miss(k, i, length); err != nil {
			return Block{}, err
		}
	}
	p.count(int64(s.class.capacity))
	return s.rent(length), nil
}

// reuse returns an idle block of the class, or of the next ones as long as they are at most a quarter longer than asked.
func (k *kindPool) reuse(i int, length uint) *slot {
	for j := i; j == i || j < numClasses && k.classes[j].capacity-length <= length/4; j++ {
		if s := k.classes[j].take(); s != nil {
			return s
		}
	}
	return nil
}

// miss finds a block among those whose work has ended, or makes one.
func (p *Pool) miss(k *kindPool, i int, length uint) (s *slot, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("pool: %w", ErrClosed)
	}
	if p.drain() {
		if s = k.reuse(i, length); s != nil {
			return s, nil
		}
	}
	c := &k.classes[i]
	objc.Pool(func() {
		if now := p.o.Now(); now.Sub(p.trimmed) >= p.o.MaxIdle {
			p.trim(now)
		}
		s, err = p.allocate(k, c)
	})
	if err != nil {
		p.refused++
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.misses++
	c.out()
	return s, nil
}

// count adds to the bytes that are rented.
func (p *Pool) count(bytes int64) {
	now := p.rented.Add(bytes)
	for {
		high := p.rentedHigh.Load()
		if now <= high || p.rentedHigh.CompareAndSwap(high, now) {
			return
		}
	}
}

// back takes a block back that nothing uses.
func (p *Pool) back(s *slot) {
	p.rented.Add(-int64(s.class.capacity))
	s.class.put(s)
}

// reserved is how many bytes the pool has from the device. The lock is held.
func (p *Pool) reserved() (n uint) {
	p.each(func(k *kindPool) { n += k.reserved() })
	return n
}

// LeakError is how many blocks were out when a pool was closed.
type LeakError struct {
	Blocks int
	Bytes  uint // of their buffers
}

// Error says how many.
func (e *LeakError) Error() string {
	return fmt.Sprintf("pool: %d blocks of %d bytes were out at Close", e.Blocks, e.Bytes)
}

// Close gives everything back to the device. While blocks are out, or signals are not reached, it stays open and returns a *[LeakError]; return the blocks and
// close again. A second Close does nothing.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.drain()
	for {
		out, bytes, idle := p.out()
		if out > 0 {
			return &LeakError{Blocks: out, Bytes: bytes}
		}
		p.release(everything)
		if idle == 0 { // a class that has nothing out and nothing idle stays so, with the lock held
			break
		}
	}
	p.closed = true
	p.queue.Release()
	p.device.Release()
	p.queue, p.device = mtl.CommandQueue{}, mtl.Device{}
	return nil
}

// out counts what is rented, waits for a signal, or is being copied, and what is idle: each class at one time. The lock is held.
func (p *Pool) out() (blocks int, bytes uint, idle int) {
	for _, b := range p.moving {
		blocks += len(b.moves)
		for _, m := range b.moves {
			bytes += m.to.class.capacity
		}
	}
	p.each(func(k *kindPool) {
		for i := range k.classes {
			c := &k.classes[i]
			c.mu.Lock()
			blocks += c.rented
			bytes += uint(c.rented) * c.capacity
			idle += len(c.idle)
			c.mu.Unlock()
		}
	})
	return blocks, bytes, idle
}

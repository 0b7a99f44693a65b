package pool

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Kind is a kind of memory. Each has its own heaps.
type Kind struct {
	Storage mtl.StorageMode
	Cache   mtl.CPUCacheMode
	// Hazards is Metal's hazard tracking mode. The default is tracked, even for short blocks, which
	// are placed in heaps.
	Hazards mtl.HazardTrackingMode
}

// String names the modes.
func (k Kind) String() string { return fmt.Sprintf("%v, %v, %v", k.Storage, k.Cache, k.Hazards) }

// Options configures a pool. Zero fields select the defaults.
type Options struct {
	// MaxIdle is how long a block may be idle before Trim releases it; the default is a minute.
	MaxIdle time.Duration
	// Soft and Hard are the watermarks, as multiples of the device's recommended working set; the
	// defaults are 1.4 and 1.7.
	Soft, Hard float64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// The defaults of [Options].
const (
	defaultIdle = time.Minute
	defaultSoft = 1.4
	defaultHard = 1.7
)

// Pool recycles buffers of a device. It is safe for concurrent use; rents and returns of different
// sizes do not contend.
type Pool struct {
	device     mtl.Device
	o          Options
	workingSet uint // bytes of the recommended working set
	unified    bool // the device shares its memory with the host
	soft, hard uint

	kinds [numKinds]atomic.Pointer[kindPool] // by Kind.index

	rented     atomic.Int64 // bytes
	rentedHigh atomic.Int64

	mu           sync.Mutex // guards everything below, and the pool's memory of the device
	closed       bool
	pending      []pending
	reservedHigh uint
	lastTrim     time.Time
	released     uint64 // blocks
	collections  uint64 // releases of idle blocks to make room
	refused      uint64
	moving       []*batch         // copies that Defragment has begun
	queue        mtl.CommandQueue // for them
	moved        uint64           // blocks
	movedBytes   uint64
}

// New creates a pool for a device's memory and keeps the device alive. Close it when done.
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
		return nil, fmt.Errorf("pool: MaxIdle %v, Soft %v, Hard %v: want MaxIdle >= 0 and 0 < Soft <= Hard: %w", o.MaxIdle,
			o.Soft, o.Hard, ErrOptions)
	}
	p := &Pool{device: device, o: o, workingSet: uint(device.RecommendedMaxWorkingSetSize()),
		unified: device.HasUnifiedMemory()}
	p.soft, p.hard = watermark(o.Soft, p.workingSet), watermark(o.Hard, p.workingSet)
	p.lastTrim = o.Now()
	device.Retain()
	return p, nil
}

// watermark returns a multiple of the working set in bytes. A device without a recommendation has
// no watermarks.
func watermark(multiple float64, working uint) uint {
	if bytes := multiple * float64(working); working > 0 && bytes < 1<<62 {
		return uint(bytes)
	}
	return 1 << 62
}

// Metal's modes for buffers, and the number of their combinations.
const (
	maxStorage = mtl.StorageModePrivate
	maxCache   = mtl.CPUCacheModeWriteCombined
	maxHazards = mtl.HazardTrackingModeTracked
	numKinds   = (uint(maxStorage) + 1) * (uint(maxCache) + 1) * (uint(maxHazards) + 1)
)

// index returns a distinct number for each kind, and false for an invalid kind.
func (k Kind) index() (uint, bool) {
	return (uint(k.Storage)*(uint(maxCache)+1)+uint(k.Cache))*(uint(maxHazards)+1) + uint(k.Hazards),
		k.Storage <= maxStorage && k.Cache <= maxCache && k.Hazards <= maxHazards
}

// of returns the pool of a kind.
func (p *Pool) of(kind Kind) (*kindPool, error) {
	index, ok := kind.index()
	if !ok {
		return nil, fmt.Errorf("pool: %v: %w", kind, ErrKind)
	}
	if k := p.kinds[index].Load(); k != nil {
		return k, nil
	}
	p.kinds[index].CompareAndSwap(nil, newKindPool(kind))
	return p.kinds[index].Load(), nil
}

// newKindPool makes the pool of a kind.
func newKindPool(kind Kind) *kindPool {
	hazards := kind.Hazards
	// Metal's default is tracked for buffers from the device and untracked for those in a heap.
	if hazards == mtl.HazardTrackingModeDefault {
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

// each calls fn with every kind's pool.
func (p *Pool) each(fn func(*kindPool)) {
	for i := range p.kinds {
		if k := p.kinds[i].Load(); k != nil {
			fn(k)
		}
	}
}

// missing reports whether the pool is nil or was not made by [New]: its methods then return errors
// that wrap [ErrForeign], or do nothing and return zero values.
func (p *Pool) missing() bool { return p == nil || p.o.Now == nil }

// Rent returns a block of at least length bytes, with undefined contents. Errors: [ErrLength],
// [ErrKind], [ErrClosed], and [ErrMemory] if the allocation would exceed the device's memory or the
// hard watermark even after releasing all idle blocks.
func (p *Pool) Rent(length uint, kind Kind) (Block, error) {
	if p.missing() {
		return Block{}, fmt.Errorf("pool: Rent: the pool is nil or was not made by New: %w", ErrForeign)
	}
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
		if s, err = p.rentNew(k, i, length); err != nil {
			return Block{}, err
		}
	}
	p.count(int64(s.class.capacity))
	return s.rent(length), nil
}

// reuse returns an idle block of the class, or of a larger class whose blocks are at most a quarter
// longer than length.
func (k *kindPool) reuse(i int, length uint) *slot {
	for j := i; j == i || j < numClasses && k.classes[j].capacity-length <= length/4; j++ {
		if s := k.classes[j].take(); s != nil {
			return s
		}
	}
	return nil
}

// rentNew returns a block whose signal has been reached meanwhile, or a new one.
func (p *Pool) rentNew(k *kindPool, i int, length uint) (s *slot, err error) {
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
		if now := p.o.Now(); now.Sub(p.lastTrim) >= p.o.MaxIdle {
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
	c.countRent()
	return s, nil
}

// count adds to the rented bytes.
func (p *Pool) count(bytes int64) {
	now := p.rented.Add(bytes)
	for {
		high := p.rentedHigh.Load()
		if now <= high || p.rentedHigh.CompareAndSwap(high, now) {
			return
		}
	}
}

// takeBack makes an unused block idle.
func (p *Pool) takeBack(s *slot) {
	p.rented.Add(-int64(s.class.capacity))
	s.class.put(s)
}

// reserved returns the bytes that the pool has allocated from the device. The lock is held.
func (p *Pool) reserved() (n uint) {
	p.each(func(k *kindPool) { n += k.reserved() })
	return n
}

// LeakError counts the blocks that were rented when a pool was closed.
type LeakError struct {
	Blocks int
	Bytes  uint // of their buffers
}

// Error reports the counts.
func (e *LeakError) Error() string {
	return fmt.Sprintf("pool: %d blocks of %d bytes were rented at Close", e.Blocks, e.Bytes)
}

// Close releases everything. If blocks are still rented or signals not reached, the pool stays open
// and Close returns a *[LeakError]; return the blocks and close again. A second Close has no
// effect.
func (p *Pool) Close() error {
	if p.missing() {
		return fmt.Errorf("pool: Close: the pool is nil or was not made by New: %w", ErrForeign)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.drain()
	for {
		out, bytes, idle := p.outstanding()
		if out > 0 {
			return &LeakError{Blocks: out, Bytes: bytes}
		}
		p.release(allBytes)
		if idle == 0 { // with the lock held, a class without blocks stays empty
			break
		}
	}
	p.closed = true
	p.queue.Release()
	p.device.Release()
	p.queue, p.device = mtl.CommandQueue{}, mtl.Device{}
	return nil
}

// outstanding counts the blocks that are rented, wait for a signal or are being copied, and the
// idle ones, each class atomically. The lock is held.
func (p *Pool) outstanding() (blocks int, bytes uint, idle int) {
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

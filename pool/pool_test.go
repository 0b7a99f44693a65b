package pool

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func device(t testing.TB) mtl.Device {
	t.Helper()
	d, err := mtl.DefaultDevice()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(d.Release)
	return d
}

// newPool returns a pool, and checks that the test leaves nothing on the device.
func newPool(t testing.TB, d mtl.Device, o Options) *Pool {
	t.Helper()
	before, objects := d.CurrentAllocatedSize(), objc.LiveObjects()
	p, err := New(d, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		settle.Equal(t, "bytes on the device", before, d.CurrentAllocatedSize)
		settle.AtMost(t, "live objects", objects, objc.LiveObjects)
	})
	return p
}

func shared() Kind { return Kind{Storage: mtl.StorageModeShared} }

func rent(t testing.TB, p *Pool, length uint) Block {
	t.Helper()
	b, err := p.Rent(length, shared())
	require.NoError(t, err)
	return b
}

// TestClasses goes through the size classes: they grow, none wastes more than an eighth above 2 KiB
// or a 32nd above 1 MiB, and a capacity belongs to its own class.
func TestClasses(t *testing.T) {
	last := uint(0)
	for i, n := 0, uint(1); n <= maxLength; i++ {
		c, capacity := classOf(n)
		require.Equal(t, i, c, "length %d", n)
		require.Less(t, last, capacity)
		require.LessOrEqual(t, n, capacity)
		switch {
		case n > fineLength:
			require.LessOrEqual(t, capacity-n, n/32)
		case n > linear:
			require.LessOrEqual(t, capacity-n, n/8)
		}
		same, again := classOf(capacity)
		require.Equal(t, []uint{uint(c), capacity}, []uint{uint(same), again})
		last, n = capacity, capacity+1
	}
	c, _ := classOf(maxLength)
	assert.Equal(t, numClasses-1, c)
}

func TestReuse(t *testing.T) {
	p := newPool(t, device(t), Options{})
	a := rent(t, p, 1000)
	first, err := a.Buffer()
	require.NoError(t, err)
	assert.EqualValues(t, 1000, a.Length())
	assert.EqualValues(t, 1024, a.Capacity())
	assert.EqualValues(t, 1024, first.Length())
	require.NoError(t, a.Return())
	b := rent(t, p, 900)
	again, err := b.Buffer()
	require.NoError(t, err)
	assert.Equal(t, first.ID(), again.ID())
	require.NoError(t, b.Return())
	s := p.Stats()
	assert.Equal(t, []uint64{1, 1}, []uint64{s.Hits, s.Misses})
	assert.Equal(t, 0.5, s.ReuseRatio())
}

// TestStale uses blocks that were never rented or have been returned.
func TestStale(t *testing.T) {
	p := newPool(t, device(t), Options{})
	a := rent(t, p, 10)
	same := a
	require.NoError(t, a.Return())
	require.ErrorIs(t, a.Return(), ErrReturned)
	require.ErrorIs(t, same.Return(), ErrReturned)
	b := rent(t, p, 10) // the same memory
	_, err := a.Buffer()
	require.ErrorIs(t, err, ErrReturned)
	require.ErrorIs(t, a.ReturnAfter(switched{}), ErrReturned)
	require.NoError(t, b.Return())
	require.ErrorIs(t, Block{}.Return(), ErrForeign)
	_, err = Block{}.Buffer()
	require.ErrorIs(t, err, ErrForeign)

	for _, n := range []uint{0, maxLength + 1} {
		_, err = p.Rent(n, shared())
		require.ErrorIs(t, err, ErrLength)
	}
	for _, k := range []Kind{{Storage: mtl.StorageModeMemoryless}, {Cache: 2}, {Hazards: 3}, {Hazards: 1 << 40}} {
		_, err = p.Rent(1, k)
		require.ErrorIs(t, err, ErrKind, "%v", k)
	}
}

// switched is a signal that a test controls.
type switched struct{ on *bool }

func (s switched) Reached() bool { return s.on != nil && *s.on }

// TestReturnAfter checks that a block is rented again only after its signal is reached.
func TestReturnAfter(t *testing.T) {
	p := newPool(t, device(t), Options{})
	a := rent(t, p, 4096)
	first, err := a.Buffer()
	require.NoError(t, err)
	on := false
	require.NoError(t, a.ReturnAfter(switched{&on}))
	_, err = a.Buffer()
	require.ErrorIs(t, err, ErrReturned)
	b := rent(t, p, 4096)
	other, err := b.Buffer()
	require.NoError(t, err)
	assert.NotEqual(t, first.ID(), other.ID())
	var leak *LeakError
	require.ErrorAs(t, p.Close(), &leak)
	assert.Equal(t, 2, leak.Blocks)
	on = true
	c := rent(t, p, 4096)
	again, err := c.Buffer()
	require.NoError(t, err)
	assert.Equal(t, first.ID(), again.ID())
	require.NoError(t, errors.Join(b.Return(), c.Return()))
}

// clock is a clock that a test sets.
type clock struct {
	sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.Lock()
	defer c.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.Lock()
	defer c.Unlock()
	c.now = c.now.Add(d)
}

func TestTrim(t *testing.T) {
	d := device(t)
	c := &clock{now: time.Unix(1, 0)}
	p := newPool(t, d, Options{MaxIdle: time.Minute, Now: c.Now})
	small, large := rent(t, p, 1000), rent(t, p, 100<<20)
	require.NoError(t, errors.Join(small.Return(), large.Return()))
	assert.Zero(t, p.Trim(), "both have just been seen")
	c.pass(30 * time.Second)
	assert.Zero(t, p.Trim())
	again := rent(t, p, 1000)
	c.pass(31 * time.Second)
	assert.Equal(t, 1, p.Trim(), "the long one is old, the short one is rented")
	require.NoError(t, again.Return())
	s := p.Stats()
	assert.Equal(t, 0, s.Direct)
	assert.Equal(t, 1, s.Heaps)
	p.Trim()
	c.pass(time.Hour)
	assert.Equal(t, 1, p.Trim())
	s = p.Stats()
	assert.Zero(t, s.Reserved)
	assert.Zero(t, s.Heaps)
}

// TestWatermarks sets the watermarks so low that a few blocks reach them.
func TestWatermarks(t *testing.T) {
	d := device(t)
	mib := float64(1<<20) / float64(d.RecommendedMaxWorkingSetSize())
	base := float64(d.CurrentAllocatedSize()) / float64(d.RecommendedMaxWorkingSetSize())
	p := newPool(t, d, Options{Soft: base + 100*mib, Hard: base + 200*mib})
	a, b := rent(t, p, 60<<20), rent(t, p, 60<<20)
	require.NoError(t, a.Return())
	c := rent(t, p, 80<<20) // the idle one has to go
	s := p.Stats()
	assert.EqualValues(t, 1, s.Released)
	assert.EqualValues(t, 1, s.Collections)
	_, err := p.Rent(100<<20, shared())
	require.ErrorIs(t, err, ErrMemory)
	assert.ErrorContains(t, err, "hard watermark")
	assert.EqualValues(t, 1, p.Stats().Refused)
	require.NoError(t, errors.Join(b.Return(), c.Return()))
	e := rent(t, p, 100<<20)
	require.NoError(t, e.Return())
}

// TestWatermarkHeaps: a block in an existing heap takes nothing from the device, and no heap that
// would exceed the watermark is created for one block.
func TestWatermarkHeaps(t *testing.T) {
	d := device(t)
	mib := float64(1<<20) / float64(d.RecommendedMaxWorkingSetSize())
	base := float64(d.CurrentAllocatedSize()) / float64(d.RecommendedMaxWorkingSetSize())
	p := newPool(t, d, Options{Soft: base + 9*mib, Hard: base + 10.5*mib})
	a := rent(t, p, 1000) // 8 MiB of heap
	b := rent(t, p, 2<<20)
	assert.Equal(t, []int{1, 1}, []int{p.Stats().Heaps, p.Stats().Direct})
	var all []Block
	for range 7 {
		all = append(all, rent(t, p, 1<<20))
	}
	_, err := p.Rent(1<<20, shared())
	require.ErrorIs(t, err, ErrMemory)
	assert.ErrorContains(t, err, "hard watermark")
	c := rent(t, p, 4096)
	other, err := p.Rent(4096, Kind{Storage: mtl.StorageModePrivate}) // of which there is no heap, nor room for one
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, []int{p.Stats().Heaps, p.Stats().Direct})
	require.NoError(t, errors.Join(a.Return(), b.Return(), c.Return(), other.Return()))
	for _, x := range all {
		require.NoError(t, x.Return())
	}
}

func TestOptions(t *testing.T) {
	d := device(t)
	for _, o := range []Options{{MaxIdle: -1}, {Soft: -1}, {Soft: 2, Hard: 1}, {Soft: math.NaN()}, {Hard: math.NaN()}} {
		_, err := New(d, o)
		require.ErrorIs(t, err, ErrOptions, "%+v", o)
	}
	_, err := New(mtl.Device{}, Options{})
	require.ErrorIs(t, err, mtl.ErrNoDevice)
	assert.EqualValues(t, []uint{150, 1 << 62, 1 << 62},
		[]uint{watermark(1.5, 100), watermark(1.5, 0), watermark(math.Inf(1), 100)})
	assert.Equal(t, Normal, (&Pool{soft: watermark(1, 0), hard: watermark(1, 0)}).level(1<<40))
}

// TestNear: if no block of the class is idle, the next longer one that is at most a quarter too
// long is used.
func TestNear(t *testing.T) {
	p := newPool(t, device(t), Options{})
	idle := []Block{rent(t, p, 20<<20), rent(t, p, 24<<20), rent(t, p, 26<<20)}
	for _, b := range idle {
		require.NoError(t, b.Return())
	}
	a := rent(t, p, 20<<20-5000)
	b := rent(t, p, 20<<20-5000)
	assert.EqualValues(t, []uint{20 << 20, 24 << 20}, []uint{a.Capacity(), b.Capacity()})
	c := rent(t, p, 20<<20)
	assert.EqualValues(t, 20<<20, c.Capacity(), "26 MiB are too many")
	assert.EqualValues(t, 4, p.Stats().Misses)
	tiny := rent(t, p, 1)
	require.NoError(t, errors.Join(a.Return(), b.Return(), c.Return(), tiny.Return()))
	tiny = rent(t, p, 1)
	assert.EqualValues(t, 5, p.Stats().Misses)
	require.NoError(t, tiny.Return())
}

// TestReserveLimit: idle blocks are released before the pool reserves an eighth more than was ever
// rented at once.
func TestReserveLimit(t *testing.T) {
	p := newPool(t, device(t), Options{})
	var all []Block
	for range 10 {
		all = append(all, rent(t, p, 80<<20))
	}
	for _, b := range all {
		require.NoError(t, b.Return())
	}
	a := rent(t, p, 100<<20)
	assert.Zero(t, p.Stats().Released)
	b := rent(t, p, 1<<20+4096) // one class, but no room for its heap or itself
	s := p.Stats()
	assert.EqualValues(t, 1, s.Released)
	assert.LessOrEqual(t, s.Reserved, uint(900<<20))
	require.NoError(t, errors.Join(a.Return(), b.Return()))
}

// TestHazards: by default Metal tracks hazards, in heaps and outside.
func TestHazards(t *testing.T) {
	p := newPool(t, device(t), Options{})
	for mode, want := range map[mtl.HazardTrackingMode]mtl.HazardTrackingMode{mtl.HazardTrackingModeDefault: mtl.HazardTrackingModeTracked,
		mtl.HazardTrackingModeTracked:   mtl.HazardTrackingModeTracked,
		mtl.HazardTrackingModeUntracked: mtl.HazardTrackingModeUntracked} {
		for _, length := range []uint{100, 20 << 20} {
			b, err := p.Rent(length, Kind{Hazards: mode})
			require.NoError(t, err)
			m, err := b.Buffer()
			require.NoError(t, err)
			assert.Equal(t, want, m.HazardTrackingMode(), "%v, %d bytes", mode, length)
			assert.Equal(t, length < 1<<20, !m.Heap().IsNil())
			require.NoError(t, b.Return())
		}
	}
}

// TestConcurrent rents, writes and returns from several goroutines: none finds another's mark.
func TestConcurrent(t *testing.T) {
	p := newPool(t, device(t), Options{})
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for i := range 200 {
				b, err := p.Rent(uint(1+i*37%5000), shared())
				if !assert.NoError(t, err) {
					return
				}
				m, err := b.Buffer()
				assert.NoError(t, err)
				raw, err := m.Bytes()
				assert.NoError(t, err)
				raw[0], raw[len(raw)-1] = byte(g), byte(i)
				assert.Equal(t, []byte{byte(g), byte(i)}, []byte{raw[0], raw[len(raw)-1]})
				assert.NoError(t, b.Return())
			}
		})
	}
	all.Wait()
	assert.Zero(t, p.Stats().Rented)
}

// TestBlockLabel: a label stays with the buffer, so that giving the same one again costs nothing.
func TestBlockLabel(t *testing.T) {
	p := newPool(t, device(t), Options{})
	for _, label := range []string{"one", "one", "", "two"} {
		b := rent(t, p, 100)
		require.NoError(t, b.SetLabel(label))
		m, err := b.Buffer()
		require.NoError(t, err)
		assert.Equal(t, label, m.Label())
		require.NoError(t, b.Return())
		require.ErrorIs(t, b.SetLabel("late"), ErrReturned)
	}
	require.ErrorIs(t, Block{}.SetLabel("none"), ErrForeign)
}

func BenchmarkRentReturn(b *testing.B) {
	p := newPool(b, device(b), Options{})
	if err := rent(b, p, 1<<20).Return(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		x, err := p.Rent(1<<20, shared())
		if err == nil {
			err = x.Return()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReturnAfter is [BenchmarkRentReturn] with a signal that is reached already, beside
// blocks whose signals are not: each rent finds no idle block, and asks them all.
func BenchmarkReturnAfter(b *testing.B) {
	for _, waiting := range []int{0, 16, 64} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			d := device(b)
			p, event := newPool(b, d, Options{}), d.NewSharedEvent()
			defer event.Release()
			blocks := make([]Block, waiting)
			for i := range blocks {
				blocks[i] = rent(b, p, 1<<20)
			}
			for _, x := range blocks {
				require.NoError(b, x.ReturnAfter(After(event, 1)))
			}
			require.NoError(b, rent(b, p, 1<<20).ReturnAfter(After(event, 0)))
			for b.Loop() {
				x, err := p.Rent(1<<20, shared())
				if err == nil {
					err = x.ReturnAfter(After(event, 0))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			event.SetSignaledValue(1)
			p.Trim()
		})
	}
}

// BenchmarkFresh measures the allocation that the pool saves.
func BenchmarkFresh(b *testing.B) {
	d := device(b)
	b.ReportAllocs()
	for b.Loop() {
		x, err := d.NewBuffer(1<<20, mtl.ResourceStorageModeShared)
		if err != nil {
			b.Fatal(err)
		}
		x.Release()
	}
}

// TestCloseMeetsRents: a rent during Close either succeeds and keeps the pool open, or is refused;
// nothing leaks.
func TestCloseMeetsRents(t *testing.T) {
	d := device(t)
	before, objects := d.CurrentAllocatedSize(), objc.LiveObjects()
	for range 50 {
		p, err := New(d, Options{})
		require.NoError(t, err)
		blocks := make([]Block, 64)
		for i := range blocks {
			blocks[i], err = p.Rent(uint(i+1)<<8, shared())
			require.NoError(t, err)
		}
		for _, b := range blocks {
			require.NoError(t, b.Return())
		}
		var rents sync.WaitGroup
		begun := make(chan struct{})
		rents.Go(func() {
			close(begun)
			for i := 0; ; i++ {
				b, err := p.Rent(uint(i%64+1)<<8, shared())
				if err != nil {
					assert.ErrorIs(t, err, ErrClosed)
					return
				}
				assert.NoError(t, b.Return())
			}
		})
		<-begun
		for err = p.Close(); err != nil; err = p.Close() {
			var leak *LeakError
			require.ErrorAs(t, err, &leak)
		}
		rents.Wait()
		require.Equal(t, before, d.CurrentAllocatedSize())
		assert.Zero(t, p.Stats().Reserved, "asks no device")
		assert.Equal(t, Normal, p.Pressure())
		assert.Zero(t, p.Trim())
	}
	settle.AtMost(t, "live objects", objects, objc.LiveObjects)
}

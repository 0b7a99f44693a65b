package memory

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

func TestBlocks(t *testing.T) {
	d := NewDevice(1 << 20)
	b, err := d.Allocate(100, Buffers)
	require.NoError(t, err)
	assert.Len(t, b.Bytes(), 100)
	assert.Equal(t, 100, cap(b.Bytes()))
	assert.Equal(t, b.Address(), AddressOf(b.Bytes()))
	assert.Zero(t, uint64(b.Address())%PageSize())
	for _, x := range b.Bytes() {
		require.Zero(t, x)
	}
	b.Bytes()[99] = 7
	assert.Equal(t, byte(7), View(b.Address(), 100)[99])
	assert.Equal(t, PageSize(), d.UsedFor(Buffers))
	c, err := d.Allocate(PageSize()+1, Heaps)
	require.NoError(t, err)
	assert.Equal(t, 3*PageSize(), d.Used())
	assert.Equal(t, 2, d.Blocks())
	d.Free(b)
	d.Free(c)
	assert.Zero(t, d.Used())
	assert.Zero(t, d.Blocks())
	assert.Equal(t, "textures", Textures.String())
}

func TestLimit(t *testing.T) {
	d := NewDevice(4 * PageSize())
	for _, n := range []uint64{0, 4*PageSize() + 1, 1 << 63} {
		_, err := d.Allocate(n, Buffers)
		require.ErrorIs(t, err, ErrMemory)
	}
	a, err := d.Allocate(3*PageSize(), Buffers)
	require.NoError(t, err)
	_, err = d.Allocate(PageSize()+1, Textures)
	require.ErrorIs(t, err, ErrMemory)
	b, err := d.Allocate(PageSize(), Textures)
	require.NoError(t, err)
	d.Free(a)
	d.Free(b)
}

func TestFailEvery(t *testing.T) {
	d := NewDevice(1 << 20)
	d.FailEvery(3)
	var failed []int
	for i := 1; i <= 7; i++ {
		b, err := d.Allocate(1, Buffers)
		if err != nil {
			require.ErrorIs(t, err, ErrMemory)
			failed = append(failed, i)
			continue
		}
		d.Free(b)
	}
	assert.Equal(t, []int{3, 6}, failed)
	d.FailEvery(0)
	b, err := d.Allocate(1, Buffers)
	require.NoError(t, err)
	d.Free(b)
}

// TestRetire: memory stays while work that began before it was freed is under way, and only as
// long.
func TestRetire(t *testing.T) {
	d := NewDevice(1 << 20)
	var gone []string
	retire := func(name string) { d.Retire(func() { gone = append(gone, name) }) }
	retire("at once")
	first := d.Begin()
	retire("a")
	second := d.Begin()
	retire("b")
	twin := d.Begin()
	d.End(second)
	assert.Equal(t, []string{"at once"}, gone)
	d.End(first)
	assert.Equal(t, []string{"at once", "a", "b"}, gone, "twin began after both")
	retire("c")
	assert.Equal(t, 1, d.Waiting())
	d.End(twin)
	assert.Equal(t, []string{"at once", "a", "b", "c"}, gone)
	assert.Zero(t, d.Waiting())

	freed := 0
	page, err := d.Allocate(1, Working)
	require.NoError(t, err)
	b := d.Adopt(page.Address(), 1, Buffers, func() { freed++ })
	work := d.Begin()
	d.Free(b)
	assert.Zero(t, freed)
	d.End(work)
	assert.Equal(t, 1, freed)
	d.Free(d.Adopt(page.Address(), 1, Buffers, nil))
	d.Free(page)
}

func TestTable(t *testing.T) {
	d := NewDevice(1 << 20)
	data := []byte{1, 2, 3, 4}
	id := d.Add(exec.Object{Data: data})
	assert.Equal(t, []byte{3, 4}, d.Bytes(exec.Address(id, 2)))
	assert.Empty(t, d.Bytes(exec.Address(id, 4)))
	assert.Nil(t, d.Bytes(exec.Address(id, 5)))
	assert.Nil(t, d.Bytes(exec.Address(id+1, 0)))
	d.Change(id, exec.Object{Data: data[:1]})
	assert.Equal(t, []byte{1}, d.Bytes(exec.Address(id, 0)))
	other := d.Add(exec.Object{Data: data})
	assert.NotEqual(t, id, other)
	d.Remove(id)
	assert.Nil(t, d.Bytes(exec.Address(id, 0)))
	d.Change(id, exec.Object{Data: data})
	assert.Nil(t, d.Bytes(exec.Address(id, 0)), "a number that was taken back stays so")
	d.next = exec.MaxObject
	last := d.Add(exec.Object{Data: data})
	assert.EqualValues(t, exec.MaxObject, last)
	assert.EqualValues(t, id, d.Add(exec.Object{Data: data}), "the first that is free, from the beginning")
	assert.Equal(t, 3, d.Objects())
}

// TestConcurrent: numbers, blocks and work by many goroutines leave nothing behind.
func TestConcurrent(t *testing.T) {
	d := NewDevice(1 << 30)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 200 {
				work := d.Begin()
				b, err := d.Allocate(64, Buffers)
				if !assert.NoError(t, err) {
					return
				}
				id := d.Add(exec.Object{Data: b.Bytes()})
				seen := d.Bytes(exec.Address(id, 0))
				d.Remove(id)
				d.Free(b)
				seen[0] = 1 // still there: the work has not ended
				d.End(work)
			}
		}()
	}
	wg.Wait()
	assert.Zero(t, d.Used())
	assert.Zero(t, d.Objects())
	assert.Zero(t, d.Waiting())
}

func TestHeap(t *testing.T) {
	h := NewHeap(1024)
	assert.EqualValues(t, 1024, h.Largest(256))
	a, ok := h.Take(100, 256)
	require.True(t, ok)
	assert.Zero(t, a)
	b, ok := h.Take(256, 256)
	require.True(t, ok)
	assert.EqualValues(t, 256, b)
	assert.EqualValues(t, 512, h.Largest(256))
	assert.EqualValues(t, 356, h.Used())
	_, ok = h.Take(513, 1)
	assert.False(t, ok)
	c, ok := h.Take(156, 1)
	require.True(t, ok)
	assert.EqualValues(t, 100, c, "the smallest range that holds it")
	_, ok = h.Take(0, 1)
	assert.False(t, ok)
	for _, p := range [][2]uint64{{b, 256}, {a, 100}, {c, 156}} {
		h.Give(p[0], p[1])
	}
	assert.Equal(t, []span{{0, 1024}}, h.free)
	assert.Zero(t, h.Used())
}

// TestHeapModel takes and gives at random beside a map of bytes.
func TestHeapModel(t *testing.T) {
	const size = 4096
	rnd := rand.New(rand.NewPCG(1, 2))
	h := NewHeap(size)
	var taken [size]bool
	type piece struct{ at, n uint64 }
	var pieces []piece
	for range 5000 {
		if len(pieces) > 0 && rnd.IntN(5) < 2 {
			i := rnd.IntN(len(pieces))
			p := pieces[i]
			pieces = append(pieces[:i], pieces[i+1:]...)
			h.Give(p.at, p.n)
			for j := range p.n {
				taken[p.at+j] = false
			}
			continue
		}
		n, align := uint64(1+rnd.IntN(400)), uint64(1)<<rnd.IntN(9)
		largest := h.Largest(align)
		at, ok := h.Take(n, align)
		require.Equal(t, n <= largest, ok, "%d of %d", n, largest)
		if !ok {
			continue
		}
		require.Zero(t, at%align)
		for j := range n {
			require.False(t, taken[at+j])
			taken[at+j] = true
		}
		pieces = append(pieces, piece{at, n})
		var sum uint64
		for _, p := range pieces {
			sum += p.n
		}
		require.Equal(t, sum, h.Used())
	}
}

// TestScratch: what the engine works with counts against the limit, and not as memory in use.
func TestScratch(t *testing.T) {
	d := NewDevice(3 * PageSize())
	b, err := d.Allocate(PageSize(), Buffers)
	require.NoError(t, err)
	require.NoError(t, d.TakeScratch(int64(PageSize())))
	assert.Equal(t, PageSize(), d.Used())
	err = d.TakeScratch(int64(PageSize()) + 1)
	require.ErrorIs(t, err, ErrMemory)
	assert.ErrorContains(t, err, fmt.Sprintf("%d bytes would be in use, more than %d", 3*PageSize()+1, 3*PageSize()))
	_, err = d.Allocate(2*PageSize(), Buffers)
	require.ErrorIs(t, err, ErrMemory)
	d.GiveScratch(int64(PageSize()))
	second, err := d.Allocate(2*PageSize(), Buffers)
	require.NoError(t, err)
	d.Free(b)
	d.Free(second)
}

// TestRecycle: new blocks get the pages of freed ones of their size, as zeros, and no more than
// the limit is kept.
func TestRecycle(t *testing.T) {
	d := NewDevice(1 << 30)
	allocate := func(n uint64) *Block {
		b, err := d.Allocate(n, Buffers)
		require.NoError(t, err)
		return b
	}
	b := allocate(1 << 20)
	address := &b.Bytes()[0]
	b.Bytes()[5] = 1
	other := allocate(1 << 20)
	d.Free(b)
	require.NotSame(t, address, &allocate(2 << 20).Bytes()[0], "another size")
	again := allocate(1<<20 - 1)
	require.Same(t, address, &again.Bytes()[0])
	require.Zero(t, again.Bytes()[5])
	d.Free(again)
	d.Free(other)
	require.Equal(t, 2<<20, d.kept.size)

	// The oldest go first, and large ones at once.
	var list []*Block
	for range 3 {
		list = append(list, allocate(maxKeptBlock))
	}
	list = append(list, allocate(maxKeptBlock+1))
	for _, b := range list {
		d.Free(b)
	}
	require.Equal(t, maxKept, d.kept.size)
	require.Len(t, d.kept.free, 1)
	require.Len(t, d.kept.free[maxKeptBlock], 2)
	unmap(d.kept.drain())
	require.Zero(t, d.kept.size)
	require.Empty(t, d.kept.free)

	// Work that is under way keeps what is freed.
	b = allocate(1 << 16)
	token := d.Begin()
	d.Free(b)
	require.Zero(t, d.kept.size)
	d.End(token)
	require.Equal(t, 1<<16, d.kept.size)
}

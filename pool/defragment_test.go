package pool

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// marked is a relocatable block with a mark at both ends.
type marked struct {
	*Relocatable
	mark byte
}

func relocatable(t testing.TB, p *Pool, length uint, mark byte) marked {
	t.Helper()
	r, err := p.RentRelocatable(length, shared())
	require.NoError(t, err)
	m := marked{r, mark}
	raw := m.pin(t)
	raw[0], raw[len(raw)-1] = mark, mark
	require.NoError(t, m.Unpin(nil))
	return m
}

// pin pins the block and returns its content.
func (m marked) pin(t require.TestingT) []byte {
	b, err := m.Pin()
	require.NoError(t, err)
	raw, err := b.Bytes()
	require.NoError(t, err)
	return raw
}

// check sees that the content is that of the block.
func (m marked) check(t require.TestingT) {
	raw := m.pin(t)
	require.Equal(t, []byte{m.mark, m.mark}, []byte{raw[0], raw[len(raw)-1]}, "block %d", m.mark)
	require.NoError(t, m.Unpin(nil))
}

// scattered creates three heaps of eight 1 MiB blocks and returns all but the given number in each.
func scattered(t testing.TB, p *Pool, keep ...int) (kept []marked) {
	t.Helper()
	var all []marked
	for i := range 8 * len(keep) {
		all = append(all, relocatable(t, p, 1<<20, byte(i+1)))
	}
	require.Equal(t, len(keep), p.Stats().Heaps)
	for i, m := range all {
		if i%8 < keep[i/8] {
			kept = append(kept, m)
		} else {
			require.NoError(t, m.Return())
		}
	}
	return kept
}

func giveBack(t testing.TB, all []marked) {
	t.Helper()
	for _, m := range all {
		m.check(t)
		require.NoError(t, m.Return())
		require.ErrorIs(t, m.Return(), ErrReturned)
		_, err := m.Pin()
		require.ErrorIs(t, err, ErrReturned)
		require.ErrorIs(t, m.Unpin(nil), ErrReturned)
	}
}

// TestDefragment: blocks move from the emptier heaps to the fullest, and the emptied heaps are
// released.
func TestDefragment(t *testing.T) {
	p := newPool(t, device(t), Options{})
	kept := scattered(t, p, 1, 4, 3)
	before := p.Stats()
	var old []mtl.Buffer
	for _, m := range kept {
		b, err := m.Pin()
		require.NoError(t, err)
		require.NoError(t, m.Unpin(nil))
		old = append(old, b)
	}
	got, err := p.Defragment(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, Defragmented{Blocks: 4, Bytes: 4 << 20, Heaps: 2, Freed: 16 << 20}, got)
	after := p.Stats()
	assert.Equal(t, 1, after.Heaps)
	assert.Equal(t, before.Rented, after.Rented)
	assert.Zero(t, after.Fragmentation)
	assert.Equal(t, []uint64{4, 4 << 20}, []uint64{after.Moved, after.MovedBytes})
	moved := 0
	for i, m := range kept {
		b, err := m.Pin()
		require.NoError(t, err)
		if b.ID() != old[i].ID() {
			moved++
		}
		require.NoError(t, m.Unpin(nil))
	}
	assert.Equal(t, 4, moved)
	again, err := p.Defragment(t.Context(), 0)
	require.NoError(t, err)
	assert.Zero(t, again)
	giveBack(t, kept)
}

// TestDefragmentBound: no more is copied than was asked for.
func TestDefragmentBound(t *testing.T) {
	p := newPool(t, device(t), Options{})
	kept := scattered(t, p, 2, 3, 3)
	for _, want := range []Defragmented{{}, {Blocks: 2, Bytes: 2 << 20, Heaps: 1, Freed: 8 << 20}} {
		got, err := p.Defragment(t.Context(), 1+want.Bytes)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	giveBack(t, kept)
}

// TestDefragmentFixed: heaps with blocks that are pinned, in use or not relocatable stay.
func TestDefragmentFixed(t *testing.T) {
	p := newPool(t, device(t), Options{})
	kept := scattered(t, p, 1, 4)
	try := func(want int) {
		t.Helper()
		got, err := p.Defragment(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, want, got.Blocks)
	}
	kept[0].pin(t)
	kept[0].pin(t)
	require.ErrorIs(t, kept[0].Return(), ErrPinned)
	try(0)
	on := false
	require.NoError(t, kept[0].Unpin(switched{&on}))
	try(0)
	require.NoError(t, kept[0].Unpin(nil))
	require.ErrorIs(t, kept[0].Unpin(nil), ErrPinned)
	try(0)
	on = true
	try(1)
	giveBack(t, kept)
	p.Collect()

	kept = scattered(t, p, 0, 4)
	fixed := rent(t, p, 1<<20) // in the first heap, which has room for it
	try(0)
	require.NoError(t, fixed.Return())
	giveBack(t, kept)

	// A block returned before its work has completed is not rented again until then.
	m := relocatable(t, p, 1<<20, 1)
	m.pin(t)
	on = false
	require.NoError(t, m.Unpin(switched{&on}))
	require.NoError(t, m.Return())
	assert.Equal(t, 1, p.Stats().Pending)
	on = true
	p.Trim()
	assert.Zero(t, p.Stats().Pending)
}

// TestDefragmentMeanwhile: blocks that are pinned or returned while they are copied stay where they
// are.
func TestDefragmentMeanwhile(t *testing.T) {
	d := device(t)
	for name, meanwhile := range map[string]func(*testing.T, *Pool, marked) bool{
		"pinned": func(t *testing.T, _ *Pool, m marked) bool {
			raw := m.pin(t)
			raw[0], raw[len(raw)-1] = 200, 200
			require.NoError(t, m.Unpin(nil))
			return true
		},
		"returned": func(t *testing.T, _ *Pool, m marked) bool {
			require.NoError(t, m.Return())
			return false
		},
		"returned and given back": func(t *testing.T, p *Pool, m marked) bool {
			require.NoError(t, m.Return())
			p.Collect()
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t, d, Options{})
			kept := scattered(t, p, 1, 4)
			batches, err := p.startMoves(1 << 30)
			require.NoError(t, err)
			require.Len(t, batches, 1)
			b := batches[0]
			if meanwhile(t, p, kept[0]) {
				kept[0].mark = 200
			} else {
				kept = kept[1:]
			}
			require.NoError(t, b.command.Wait(t.Context()))
			b.command.Release()
			p.Trim()
			assert.Equal(t, Defragmented{Kept: 1}, Defragmented{Blocks: b.result.Blocks, Kept: b.result.Kept})
			assert.Empty(t, p.moving)
			for _, m := range kept {
				m.check(t)
			}
			giveBack(t, kept)
		})
	}
}

// TestDefragmentEnds: a context that has ended moves nothing, and neither does a closed pool.
func TestDefragmentEnds(t *testing.T) {
	p := newPool(t, device(t), Options{})
	kept := scattered(t, p, 1, 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Defragment(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, p.Stats().Heaps)
	giveBack(t, kept)
	require.NoError(t, p.Close())
	_, err = p.Defragment(t.Context(), 0)
	require.ErrorIs(t, err, ErrClosed)
}

// TestDefragmentConcurrent pins, writes, unpins and returns while others defragment: every
// goroutine finds what it wrote.
func TestDefragmentConcurrent(t *testing.T) {
	p := newPool(t, device(t), Options{})
	done := make(chan struct{}, 4)
	for g := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			var mine []marked
			for i := range 150 {
				if len(mine) < 6 {
					r, err := p.RentRelocatable(uint(300<<10+i*1000), shared())
					if !assert.NoError(t, err) {
						return
					}
					mine = append(mine, marked{r, 0})
				}
				m := &mine[i%len(mine)]
				b, err := m.Pin()
				assert.NoError(t, err)
				raw, err := b.Bytes()
				assert.NoError(t, err)
				if m.mark != 0 {
					assert.Equal(t, []byte{m.mark, m.mark}, []byte{raw[0], raw[len(raw)-1]})
				}
				m.mark = byte(1 + (g*50+i)%255)
				raw[0], raw[len(raw)-1] = m.mark, m.mark
				assert.NoError(t, m.Unpin(nil))
				if i%3 == 0 {
					at := (i * 7) % len(mine)
					assert.NoError(t, mine[at].Return())
					mine = append(mine[:at], mine[at+1:]...)
				}
				if i%10 == g {
					_, err := p.Defragment(context.Background(), 0)
					assert.NoError(t, err)
				}
			}
			for _, m := range mine {
				assert.NoError(t, m.Return())
			}
		}()
	}
	for range 4 {
		<-done
	}
	assert.Zero(t, p.Stats().Rented)
}

// TestSettle: Settle waits for copies that nobody waited for, and labels move with their blocks.
func TestSettle(t *testing.T) {
	p := newPool(t, device(t), Options{})
	kept := scattered(t, p, 1, 4)
	require.NoError(t, kept[0].SetLabel("moved"))
	batches, err := p.startMoves(defaultMove)
	require.NoError(t, err)
	require.Len(t, batches, 1)
	defer batches[0].command.Release()
	require.NoError(t, p.Settle(t.Context()))
	p.Trim() // which completes them
	assert.EqualValues(t, 1, p.Stats().Moved)
	require.NoError(t, p.Settle(t.Context()), "nothing is left")
	b, err := kept[0].Pin()
	require.NoError(t, err)
	assert.Equal(t, "moved", b.Label())
	require.NoError(t, kept[0].Unpin(nil))
	giveBack(t, kept)
	require.ErrorIs(t, kept[0].SetLabel("late"), ErrReturned)
}

package pool

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// held is a rented block in the model, with the mark that its user wrote.
type held struct {
	block Block
	mark  byte
}

// TestHistories runs random sequences of rents, returns, signals, trims and clock changes against a
// model: rented blocks never share memory, keep their contents, and the statistics are those of the
// model.
func TestHistories(t *testing.T) {
	d := device(t)
	rapid.Check(t, func(r *rapid.T) {
		c := &clock{now: time.Unix(1, 0)}
		before := d.CurrentAllocatedSize()
		p, err := New(d, Options{Now: c.Now, MaxIdle: time.Minute})
		require.NoError(r, err)
		kinds := []Kind{shared(), {Storage: mtl.StorageModeShared, Cache: mtl.CPUCacheModeWriteCombined},
			{Storage: mtl.StorageModeShared, Hazards: mtl.HazardTrackingModeUntracked}}
		var out []held
		var relocatable []marked
		var stale []Block
		var signals []*bool
		next := byte(0)

		memory := func(b Block) []byte {
			m, err := b.Buffer()
			require.NoError(r, err)
			raw, err := m.Bytes()
			require.NoError(r, err)
			require.GreaterOrEqual(r, uint(len(raw)), b.Length())
			return raw
		}
		take := func() (held, bool) {
			if len(out) == 0 {
				return held{}, false
			}
			i := rapid.IntRange(0, len(out)-1).Draw(r, "which")
			h := out[i]
			raw := memory(h.block)
			require.Equal(r, []byte{h.mark, h.mark}, []byte{raw[0], raw[len(raw)-1]}, "somebody else wrote to the block")
			out = append(out[:i], out[i+1:]...)
			stale = append(stale, h.block)
			return h, true
		}
		r.Repeat(map[string]func(*rapid.T){
			"rent": func(r *rapid.T) {
				length := rapid.OneOf(rapid.UintRange(1, 5000), rapid.UintRange(1, 3<<20), rapid.UintRange(1, 40<<20)).Draw(r,
					"length")
				b, err := p.Rent(length, rapid.SampledFrom(kinds).Draw(r, "kind"))
				require.NoError(r, err)
				if length > 1<<20 {
					require.LessOrEqual(r, b.Capacity()-length, length/4, "waste of a block of %d", length)
				}
				next++
				raw := memory(b)
				raw[0], raw[len(raw)-1] = next, next
				out = append(out, held{b, next})
			},
			"return": func(*rapid.T) {
				if h, ok := take(); ok {
					require.NoError(r, h.block.Return())
				}
			},
			"returnAfter": func(*rapid.T) {
				if h, ok := take(); ok {
					on := false
					signals = append(signals, &on)
					require.NoError(r, h.block.ReturnAfter(switched{&on}))
				}
			},
			"signal": func(r *rapid.T) {
				if len(signals) > 0 {
					*signals[rapid.IntRange(0, len(signals)-1).Draw(r, "signal")] = true
				}
			},
			"stale": func(r *rapid.T) {
				if len(stale) > 0 {
					b := rapid.SampledFrom(stale).Draw(r, "block")
					require.ErrorIs(r, b.Return(), ErrReturned)
				}
			},
			"rentRelocatable": func(r *rapid.T) {
				m, err := p.RentRelocatable(rapid.UintRange(1, 3<<20).Draw(r, "length"), rapid.SampledFrom(kinds).Draw(r, "kind"))
				require.NoError(r, err)
				next++
				raw := marked{m, 0}.pin(r)
				raw[0], raw[len(raw)-1] = next, next
				require.NoError(r, m.Unpin(nil))
				relocatable = append(relocatable, marked{m, next})
			},
			"scatter": func(r *rapid.T) { // what leaves heaps with little in them
				keep := rapid.SliceOfN(rapid.IntRange(0, 3), 16, 16).Draw(r, "keep")
				kind := rapid.SampledFrom(kinds).Draw(r, "kind")
				for _, k := range keep {
					m, err := p.RentRelocatable(1<<20, kind)
					require.NoError(r, err)
					next++
					raw := marked{m, 0}.pin(r)
					raw[0], raw[len(raw)-1] = next, next
					require.NoError(r, m.Unpin(nil))
					relocatable = append(relocatable, marked{m, next})
					if k > 0 {
						defer func() { require.NoError(r, m.Return()) }()
						relocatable = relocatable[:len(relocatable)-1]
					}
				}
			},
			"use": func(r *rapid.T) {
				if len(relocatable) > 0 {
					m := rapid.SampledFrom(relocatable).Draw(r, "relocatable")
					m.check(r)
					m.pin(r)
					on := false
					signals = append(signals, &on)
					require.NoError(r, m.Unpin(switched{&on}))
				}
			},
			"returnRelocatable": func(r *rapid.T) {
				if n := len(relocatable); n > 0 {
					i := rapid.IntRange(0, n-1).Draw(r, "which")
					m := relocatable[i]
					m.check(r)
					require.NoError(r, m.Return())
					require.ErrorIs(r, m.Return(), ErrReturned)
					relocatable = append(relocatable[:i], relocatable[i+1:]...)
				}
			},
			"defragment": func(r *rapid.T) {
				most := rapid.UintRange(1, 20<<20).Draw(r, "most")
				before := p.Stats()
				got, err := p.Defragment(t.Context(), most)
				require.NoError(r, err)
				require.LessOrEqual(r, got.Bytes, most)
				require.Zero(r, got.Kept)
				after := p.Stats()
				require.Equal(r, before.Heaps-got.Heaps, after.Heaps)
				require.Equal(r, before.Reserved-got.Freed, after.Reserved)
				if got.Blocks > 0 {
					require.Positive(r, got.Heaps, "blocks are moved to empty heaps")
				}
			},
			"time":    func(r *rapid.T) { c.pass(time.Duration(rapid.IntRange(1, 90).Draw(r, "seconds")) * time.Second) },
			"trim":    func(*rapid.T) { p.Trim() },
			"collect": func(*rapid.T) { p.Collect() },
			"": func(*rapid.T) {
				s := p.Stats()
				var rented uint
				for _, h := range out {
					rented += h.block.Capacity()
				}
				for _, m := range relocatable {
					rented += m.Capacity()
				}
				require.GreaterOrEqual(r, s.Rented, rented)
				if s.Pending == 0 {
					require.Equal(r, rented, s.Rented)
				}
				require.GreaterOrEqual(r, s.Reserved, s.Rented+s.Idle)
				require.Equal(r, d.CurrentAllocatedSize()-before, s.Reserved, "what the device counts")
			},
		})
		for _, h := range out {
			require.NoError(r, h.block.Return())
		}
		for _, m := range relocatable {
			m.check(r)
			require.NoError(r, m.Return())
		}
		for _, s := range signals {
			*s = true
		}
		require.NoError(r, p.Close())
		require.Equal(r, before, d.CurrentAllocatedSize())
	})
}

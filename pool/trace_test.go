package pool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event is a parsed line of a trace: a rent of a size, or the return of the n-th block that was
// rented.
type event struct {
	size  traceSize // of a rent; 0 bytes for a return
	block int
}

// readTrace reads a trace of testdata.
func readTrace(t testing.TB, name string) (events []event, blocks int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".trace"))
	require.NoError(t, err)
	storages := map[string]mtl.StorageMode{}
	for _, m := range []mtl.StorageMode{mtl.StorageModeShared, mtl.StorageModePrivate} {
		storages[m.String()] = m
	}
	var sizes []traceSize
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 2 && !strings.ContainsAny(words[0], "+-") {
			storage, ok := storages[words[0]]
			require.True(t, ok, "%q", line)
			s := traceSize{storage: storage}
			_, err := fmt.Sscan(words[1], &s.bytes)
			require.NoError(t, err, "%q", line)
			sizes = append(sizes, s)
			continue
		}
		for _, w := range words {
			var n int
			_, err := fmt.Sscan(w[1:], &n)
			require.NoError(t, err, "%q", w)
			if w[0] == '+' {
				events = append(events, event{sizes[n], blocks})
				blocks++
			} else {
				events = append(events, event{block: blocks - 1 - n})
			}
		}
	}
	require.NotEmpty(t, events)
	return events, blocks
}

// play rents and returns blocks according to a trace, and calls fn for each rented block.
func play(t testing.TB, p *Pool, events []event, out []Block, fn func(Block)) {
	for _, e := range events {
		if e.size.bytes == 0 {
			if err := out[e.block].Return(); err != nil {
				t.Fatal(err)
			}
			out[e.block] = Block{}
			continue
		}
		b, err := p.Rent(e.size.bytes, Kind{Storage: e.size.storage, Hazards: mtl.HazardTrackingModeUntracked})
		if err != nil {
			t.Fatal(err)
		}
		out[e.block] = b
		if fn != nil {
			fn(b)
		}
	}
}

// TestTraces replays what a transformer asks of its allocator, starting with an empty pool: 95 of
// 100 rents reuse a block, the pool never reserves much more than the peak demand, and reused
// blocks are not much too long.
func TestTraces(t *testing.T) {
	d := device(t)
	for _, tr := range traces {
		t.Run(tr.name, func(t *testing.T) {
			events, blocks := readTrace(t, tr.name)
			p := newPool(t, d, Options{})
			out := make([]Block, blocks)
			var asked, high, waste uint
			lengths := 0
			for i := range events {
				e := &events[i]
				if e.size.bytes == 0 {
					asked -= out[e.block].Length()
				}
				play(t, p, events[i:i+1], out, func(b Block) {
					asked += b.Length()
					high = max(high, asked)
					if b.Length() > 1<<20 {
						waste = max(waste, (b.Capacity()-b.Length())*1000/b.Length())
					}
					lengths++
				})
			}
			s := p.Stats()
			overhead := float64(s.ReservedHigh)/float64(high) - 1
			t.Logf("%d rents, %d misses: %.2f%% hits; %.1f MiB asked for, %.1f MiB held at most: %.1f%% overhead; %d heaps, %d direct; reused at most %.1f%% too long",
				lengths, s.Misses, 100*s.ReuseRatio(), float64(high)/(1<<20), float64(s.ReservedHigh)/(1<<20), 100*overhead,
				s.Heaps, s.Direct, float64(waste)/10)
			assert.GreaterOrEqual(t, s.ReuseRatio(), 0.95)
			assert.LessOrEqual(t, overhead, 0.15)
			assert.LessOrEqual(t, waste, uint(250))
			assert.EqualValues(t, lengths, s.Hits+s.Misses)
			for _, b := range out {
				if b != (Block{}) {
					require.NoError(t, b.Return())
				}
			}
		})
	}
}

// BenchmarkTraces measures one rent or return of a trace, with a pool that has already run it.
func BenchmarkTraces(b *testing.B) {
	d := device(b)
	for _, tr := range traces {
		b.Run(tr.name, func(b *testing.B) {
			events, blocks := readTrace(b, tr.name)
			p := newPool(b, d, Options{})
			out := make([]Block, blocks)
			rest := func() {
				for _, x := range out {
					if x != (Block{}) {
						require.NoError(b, x.Return())
					}
				}
				clear(out)
			}
			play(b, p, events, out, nil)
			rest()
			b.ReportAllocs()
			for b.Loop() {
				play(b, p, events, out, nil)
				rest()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
		})
	}
}

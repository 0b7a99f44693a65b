package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomGraphs is how many random graphs are compared with plain streams.
const randomGraphs = 150

// randomOp is a command that a graph and a plain stream can both be given.
type randomOp struct {
	plain func(context.Context, *compute.Stream) error
	body  []randomOp
	cond  *compute.Buffer[uint32]
	most  int
	after bool // after the one before it
}

// randomWorld is the memory of random graphs.
type randomWorld struct {
	*graphTest
	r       *rand.Rand
	x       []*compute.Buffer[int32]
	counter *compute.Buffer[int32]
	more    *compute.Buffer[uint32]
}

func newRandomWorld(t *graphTest, seed uint64) *randomWorld {
	w := &randomWorld{graphTest: t, r: rand.New(rand.NewPCG(seed, 7))}
	for range 4 {
		w.x = append(w.x, bufferOf(t, t.a, make([]int32, 16)...))
	}
	w.counter, w.more = bufferOf[int32](t, t.a, 0), bufferOf[uint32](t, t.a, 0)
	return w
}

// part returns a random part of a buffer, n elements long.
func (w *randomWorld) part(of, n int) *compute.Buffer[int32] {
	at := w.r.IntN(16 - n + 1)
	b, err := w.x[of].Slice(at, at+n)
	require.NoError(w, err)
	return b
}

// ops makes random commands.
func (w *randomWorld) ops(n, depth int) (all []randomOp) {
	for range n {
		all = append(all, w.op(depth))
	}
	return all
}

func (w *randomWorld) op(depth int) randomOp {
	n := 1 + w.r.IntN(16)
	which := w.r.Perm(len(w.x))
	x, y, z := w.part(which[0], n), w.part(which[1], n), w.part(which[2], n)
	by := int32(w.r.IntN(9) - 4)
	o := randomOp{after: w.r.IntN(5) == 0}
	launch := func(name string, args ...any) {
		k := w.kernel(name)
		o.plain = func(ctx context.Context, s *compute.Stream) error {
			return s.Launch(ctx, k, compute.Threads1D(n), args...)
		}
	}
	switch kind := w.r.IntN(20); {
	case kind < 7:
		launch("sum", x, y, z)
	case kind < 10:
		launch("add", x, by)
	case kind < 13:
		launch("scale", x, by)
	case kind < 15:
		o.plain = func(ctx context.Context, s *compute.Stream) error { return compute.Copy(ctx, s, y, x) }
	case kind < 16:
		o.plain = func(ctx context.Context, s *compute.Stream) error { return compute.Fill(ctx, s, x, uint8(by)) }
	case depth == 0:
		launch("add", x, by)
	case kind < 17:
		o.body = w.ops(1+w.r.IntN(4), depth-1)
	default: // a loop that the condition or the limit ends
		limit := int32(1 + w.r.IntN(6))
		o.cond, o.most = w.more, 1+w.r.IntN(8)
		count := w.kernel("count")
		counting := randomOp{plain: func(ctx context.Context, s *compute.Stream) error {
			return s.Launch(ctx, count, compute.Threads1D(1), w.counter, w.more, limit)
		}}
		o.body = append([]randomOp{counting}, w.ops(w.r.IntN(3), depth-1)...)
	}
	return o
}

// build adds commands to a graph.
func (w *randomWorld) build(g *Graph, ops []randomOp) {
	for i, o := range ops {
		var err error
		if o.body == nil {
			_, err = g.Record(w.Context(), o.plain)
		} else {
			body := New(w.a, "body")
			w.build(body, o.body)
			if o.cond == nil {
				_, err = g.Child(body)
			} else {
				_, err = g.While(o.cond, body, o.most)
			}
		}
		require.NoError(w, err)
		if o.after && i > 0 {
			require.NoError(w, g.After(Node(i), Node(i-1)))
		}
	}
}

// run gives commands to a stream.
func (w *randomWorld) run(ops []randomOp) {
	ctx := w.Context()
	for _, o := range ops {
		if o.body == nil {
			require.NoError(w, o.plain(ctx, w.s))
			continue
		}
		for range max(o.most, 1) {
			if o.cond != nil {
				var more [1]uint32
				require.NoError(w, o.cond.Download(ctx, more[:]))
				if more[0] == 0 {
					break
				}
			}
			w.run(o.body)
		}
	}
}

// reset fills the memory.
func (w *randomWorld) reset(seed int32) {
	for i, x := range w.x {
		data := make([]int32, 16)
		for j := range data {
			data[j] = seed + int32(i*100+j)
		}
		require.NoError(w, x.Upload(w.Context(), data))
	}
	require.NoError(w, w.counter.Upload(w.Context(), []int32{0}))
	require.NoError(w, w.more.Upload(w.Context(), []uint32{1}))
}

// contents returns what the memory holds.
func (w *randomWorld) contents() (all []int32) {
	require.NoError(w, w.s.Sync(w.Context()))
	for _, x := range append(slices.Clone(w.x), w.counter) {
		data := make([]int32, x.Len())
		require.NoError(w, x.Download(w.Context(), data))
		all = append(all, data...)
	}
	return all
}

// TestRandomGraphs compares replays of random graphs with the same commands on a plain stream.
func TestRandomGraphs(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	how := map[Path]int{}
	for seed := range uint64(randomGraphs) {
		w := newRandomWorld(t, seed)
		ops := w.ops(5+w.r.IntN(40), 3)
		w.reset(1)
		w.run(ops)
		w.run(ops)
		want := w.contents()
		w.reset(1)
		g := New(t.a, fmt.Sprint("random ", seed))
		w.build(g, ops)
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		for _, r := range i.How() {
			how[r.Path]++
		}
		require.NoError(t, i.Replay(ctx, t.s))
		require.NoError(t, i.Replay(ctx, t.s))
		require.Equal(t, want, w.contents(), "seed %d", seed)
		c, err := i.Clone(ctx)
		require.NoError(t, err)
		w.reset(1)
		require.NoError(t, c.Replay(ctx, t.s))
		require.NoError(t, c.Update(ctx, g))
		require.NoError(t, i.Replay(ctx, t.s))
		require.Equal(t, want, w.contents(), "seed %d", seed)
		i.Close()
		c.Close()
	}
	for _, p := range []Path{ByCommands, ByEncoding, ByHost} {
		assert.Positive(t, how[p], p)
	}
}

// BenchmarkReplay records 1,000 small launches in three ways and waits for them: by Launch, by Run
// of prepared launches, and as one replay. The ways take turns, and the metrics are medians and
// their ratios. The launches are one after the other on the same memory, or 16 side by side.
func BenchmarkReplay(b *testing.B) {
	const n = 1000
	for _, wide := range []int{1, 16} {
		b.Run(fmt.Sprintf("wide=%d", wide), func(b *testing.B) {
			a := accelerator(b)
			k, s, ctx := kernels(b, a, graphKernels)("add"), newStream(b, a), b.Context()
			x := bufferOf(b, a, make([]int32, 64*wide)...)
			g := New(a, "benchmark")
			var parts []*compute.Buffer[int32]
			var launches []*compute.Launch
			for i := range n {
				part, err := x.Slice(i%wide*64, i%wide*64+32)
				require.NoError(b, err)
				l, err := k.Bind(compute.Threads1D(32), part, int32(1))
				require.NoError(b, err)
				_, err = g.Launch(k, compute.Threads1D(32), part, int32(1))
				require.NoError(b, err)
				parts, launches = append(parts, part), append(launches, l)
			}
			instance, err := g.Instantiate(ctx)
			require.NoError(b, err)
			b.Cleanup(instance.Close)
			ways := []func(i int) error{
				func(i int) error { return s.Launch(ctx, k, compute.Threads1D(32), parts[i], int32(1)) },
				func(i int) error { return s.Run(ctx, launches[i]) },
				func(i int) error {
					if i > 0 {
						return nil
					}
					return instance.Replay(ctx, s)
				},
			}
			times := make([][]time.Duration, len(ways))
			for b.Loop() {
				for w, run := range ways {
					began := time.Now()
					for i := range n {
						if err := run(i); err != nil {
							b.Fatal(err)
						}
					}
					if err := s.Sync(ctx); err != nil {
						b.Fatal(err)
					}
					times[w] = append(times[w], time.Since(began))
				}
			}
			median := make([]float64, len(ways))
			for w := range times {
				slices.Sort(times[w])
				median[w] = float64(times[w][len(times[w])/2])
			}
			b.ReportMetric(median[0]/1e3, "launch-µs")
			b.ReportMetric(median[1]/1e3, "prepared-µs")
			b.ReportMetric(median[2]/1e3, "replay-µs")
			b.ReportMetric(median[2]/median[0], "replay/launch")
			b.ReportMetric(median[2]/median[1], "replay/prepared")
		})
	}
}

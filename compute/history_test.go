package compute

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const mixing = `
kernel void blend(device const int *a [[buffer(0)]], device int *b [[buffer(1)]], constant int &k [[buffer(2)]],
	uint i [[thread_position_in_grid]]) {
    b[i] = b[i] * 3 + a[i] * k + 1;
}`

// mixed is what the kernel does.
func mixed(a, b []int32, k int32) {
	for i := range b {
		b[i] = b[i]*3 + a[i]*k + 1
	}
}

const (
	bufferLength = 64
	bufferCount  = 3
)

// history is one goroutine's work: its own buffers, streams that others use too, and a model that
// does everything in order.
type history struct {
	streams []*Stream
	at      int // the stream that the buffers belong to now
	event   *Event
	kernel  *Kernel
	buffers [bufferCount]*Buffer[int32]
	model   [bufferCount][]int32
}

// step is one command, drawn before the goroutines start, so that the history does not depend on
// them.
type step struct {
	kind         int // 0 launch, 1 copy, 2 fill, 3 another stream, 4 sync, 5 upload
	a, b         int // buffers
	from, to, n  int // ranges: from in a, to in b
	value        int32
	anotherIndex int
}

func drawSteps(r *rapid.T, streams int) []step {
	return rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
		s := step{kind: rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3, 3, 4, 5}).Draw(r, "kind")}
		s.a, s.b = rapid.IntRange(0, bufferCount-1).Draw(r, "a"), rapid.IntRange(0, bufferCount-1).Draw(r, "b")
		s.n = rapid.IntRange(1, bufferLength).Draw(r, "length")
		s.from, s.to = rapid.IntRange(0, bufferLength-s.n).Draw(r, "from"), rapid.IntRange(0, bufferLength-s.n).Draw(r, "to")
		s.value = rapid.Int32Range(-5, 5).Draw(r, "value")
		s.anotherIndex = rapid.IntRange(0, streams-1).Draw(r, "stream")
		return s
	}), 1, 40).Draw(r, "steps")
}

// meet reports whether the ranges of a step overlap in one buffer, which copies and launches must
// not.
func (s step) meet() bool { return s.a == s.b && s.from < s.to+s.n && s.to < s.from+s.n }

// do gives one step to the device and to the model.
func (h *history) do(t require.TestingT, ctx context.Context, s step) {
	stream := h.streams[h.at]
	slice := func(b, from int) *Buffer[int32] {
		v, err := h.buffers[b].Slice(from, from+s.n)
		require.NoError(t, err)
		return v
	}
	from, to := h.model[s.a][s.from:s.from+s.n], h.model[s.b][s.to:s.to+s.n]
	switch {
	case s.kind == 0 && !s.meet():
		require.NoError(t, stream.Launch(ctx, h.kernel, Threads1D(s.n), slice(s.a, s.from), slice(s.b, s.to), s.value))
		mixed(from, to, s.value)
	case s.kind == 1 && !s.meet():
		require.NoError(t, Copy(ctx, stream, slice(s.b, s.to), slice(s.a, s.from)))
		copy(to, from)
	case s.kind == 2:
		require.NoError(t, Fill(ctx, stream, slice(s.b, s.to), uint8(s.value)))
		v := int32(uint8(s.value))
		for i := range to {
			to[i] = v | v<<8 | v<<16 | v<<24
		}
	case s.kind == 3:
		require.NoError(t, stream.Record(ctx, h.event))
		h.at = s.anotherIndex
		require.NoError(t, h.streams[h.at].WaitFor(ctx, h.event))
	case s.kind == 4:
		require.NoError(t, stream.Sync(ctx))
	case s.kind == 5:
		data := slices.Repeat([]int32{s.value}, s.n)
		require.NoError(t, h.buffers[s.b].Upload(ctx, data))
		copy(h.model[s.b], data)
	}
}

// TestHistories gives random histories of launches, copies, fills, events and uploads on random
// ranges to streams, one goroutine or many, and compares with doing the same in order.
func TestHistories(t *testing.T) {
	if standin.Running() { // they take long for each launch, and longer in an emulator
		checks := flag.Lookup("rapid.checks").Value
		before := checks.String()
		require.NoError(t, checks.Set("20"))
		defer func() { require.NoError(t, checks.Set(before)) }()
	}
	for _, c := range []struct {
		name             string
		streams, callers int
		options          []Option
	}{
		{"one", 1, 1, nil},
		{"two streams", 2, 3, nil},
		{"eight streams, 64 goroutines", 8, 64, nil},
		{"one stream, 64 goroutines", 1, 64, nil},
		{"small batches", 2, 4, []Option{WithBatching(Batching{Commands: 2, InFlight: 1})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := accelerator(t, c.options...)
			k := kernels(t, a, mixing)("blend")
			streams := make([]*Stream, c.streams)
			for i := range streams {
				streams[i] = newStream(t, a)
			}
			rapid.Check(t, func(r *rapid.T) {
				steps := make([][]step, c.callers)
				for i := range steps {
					steps[i] = drawSteps(r, c.streams)
				}
				var all sync.WaitGroup
				failed := make([]complaint, c.callers)
				for i := range steps {
					all.Go(func() { runHistory(t.Context(), &failed[i], k, streams, i%c.streams, steps[i]) })
				}
				all.Wait()
				for i, f := range failed {
					if f.text != "" {
						r.Fatalf("goroutine %d: %s", i, f.text)
					}
				}
			})
		})
	}
}

// complaint is what a goroutine that is not the test's found wrong; the first ends it.
type complaint struct{ text string }

// Errorf keeps the complaint.
func (c *complaint) Errorf(format string, args ...any) { c.text += fmt.Sprintf(format, args...) }

// FailNow ends the goroutine.
func (c *complaint) FailNow() { runtime.Goexit() }

// runHistory runs one goroutine's steps and compares all its buffers with the model.
func runHistory(ctx context.Context, t *complaint, k *Kernel, streams []*Stream, at int, steps []step) {
	h := &history{streams: streams, at: at, kernel: k}
	var err error
	h.event, err = k.acc.NewEvent(EventOptions{Label: "next"})
	require.NoError(t, err)
	defer h.event.Close()
	for i := range h.buffers {
		h.model[i] = make([]int32, bufferLength)
		for j := range h.model[i] {
			h.model[i][j] = int32(i*1000 + j)
		}
		h.buffers[i], err = BufferOf(ctx, k.acc, h.model[i])
		require.NoError(t, err)
		defer h.buffers[i].Close()
	}
	for _, s := range steps {
		h.do(t, ctx, s)
	}
	require.NoError(t, h.streams[h.at].Sync(ctx))
	for i := range h.buffers {
		got, err := h.buffers[i].Data()
		require.NoError(t, err)
		require.Equal(t, h.model[i], got, "buffer %d after %+v", i, steps)
	}
}

package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/observe"
)

// contextKey is the key of a value that tests put into contexts.
type contextKey struct{}

// contextHandler keeps the test's value in the context of each record.
type contextHandler struct {
	slog.Handler
	values map[string][]any // by message
}

func (h *contextHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *contextHandler) Handle(ctx context.Context, r slog.Record) error {
	h.values[r.Message] = append(h.values[r.Message], ctx.Value(contextKey{}))
	return nil
}

// TestLogContext: the record of a failed command buffer has the context of its first command, and
// that of a slow kernel the context of its launch.
func TestLogContext(t *testing.T) {
	h := &contextHandler{values: map[string][]any{}}
	m := watch(t, computetest.Open(t), Options{Logger: slog.New(h)})
	stream := observe.StreamID{Number: 1, Label: "s"}
	number := uint64(0)
	run := func(launches int, took float64, err error) {
		b := observe.BufferID{Stream: stream, Number: number + 1, First: number + 1, Commands: launches}
		for i := range launches {
			number++
			ctx := context.WithValue(t.Context(), contextKey{}, fmt.Sprint(number, " of ", i))
			m.record(observe.RecordEvent{Ctx: ctx, At: time.Now(), Stream: stream, Number: number, Kernel: "k"})
		}
		b.Last = number
		m.committed(observe.CommitEvent{Buffer: b, At: time.Now()})
		m.completed(observe.CompleteEvent{Buffer: b, At: time.Now(), DeviceStart: 1, DeviceEnd: 1 + took, Err: err})
	}
	run(2, 0.001, nil)
	run(2, 0.001, errors.New("failed"))
	for range 100 { // more than a baseline learns
		run(1, 0.001, nil)
	}
	for range 100 { // more than a window
		run(1, 0.1, nil)
	}
	failed := observe.BufferID{Stream: stream, Number: 1000, First: number + 1, Last: number + 1}
	m.completed(observe.CompleteEvent{Buffer: failed, At: time.Now(), Err: errors.New("recorded before the watch")})
	require.Equal(t, []any{"3 of 0", nil}, h.values["puremetal: command buffer failed"])
	slow := h.values["puremetal: kernel has become slow"]
	require.Len(t, slow, 1)
	require.Contains(t, slow[0], " of 0")
}

// TestStreamLimit: the depths of streams beyond the limit are counted together.
func TestStreamLimit(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{Kernels: 3})
	for i := range uint64(10) {
		m.record(observe.RecordEvent{Ctx: t.Context(), At: time.Now(), Number: 1,
			Stream: observe.StreamID{Number: i + 1, Label: fmt.Sprint("s", i)}})
	}
	s := m.Snapshot()
	require.EqualValues(t, 10, s.Value("puremetal_stream_depth"))
	require.EqualValues(t, 7, s.Value("puremetal_stream_depth", other))
	require.EqualValues(t, 1, s.Value("puremetal_stream_depth", "s2"))
	require.Equal(t, []StreamReport{{other, 7}, {"s0", 1}, {"s1", 1}, {"s2", 1}}, m.Report().Streams)
}

// TestStreamInFlight: a stream whose command buffer is on the device is not forgotten, though its
// commands were recorded before the watch began.
func TestStreamInFlight(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{Kernels: 1})
	b := observe.BufferID{Stream: observe.StreamID{Number: 1, Label: "old"}, Number: 7, First: 5, Last: 5, Commands: 1}
	m.committed(observe.CommitEvent{Buffer: b, At: time.Now()})
	m.record(observe.RecordEvent{Ctx: t.Context(), At: time.Now(), Number: 1,
		Stream: observe.StreamID{Number: 2, Label: "new"}})
	require.EqualValues(t, 1, m.Snapshot().Value("puremetal_in_flight"))
	m.completed(observe.CompleteEvent{Buffer: b, At: time.Now()})
	require.Zero(t, m.Snapshot().Value("puremetal_in_flight"))
}

// TestHistoryLimit: checks keep few snapshots, however often a client asks for the health, and
// still compare with the figures of the time that a rule wants.
func TestHistoryLimit(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	var spans []time.Duration
	rule := Rule{Name: "r", Severity: Degraded, Raise: 1, Value: func(now, before *Snapshot) float64 {
		spans = append(spans, now.At.Sub(before.At))
		return 0
	}}
	m := watch(t, computetest.Open(t), Options{Now: c.Now, Rules: []Rule{rule}})
	for range 20_000 {
		c.add(10 * time.Millisecond)
		m.Check()
	}
	require.LessOrEqual(t, len(m.health.history), 70)
	after := spans[len(spans)/2:]
	require.GreaterOrEqual(t, slices.Min(after), time.Minute)
	require.LessOrEqual(t, slices.Max(after), time.Minute+2*time.Second)
}

// TestExemplars: each bucket keeps a recent value with the labels of its work, and asks for labels
// once a second.
func TestExemplars(t *testing.T) {
	var h histogram
	asked := 0
	labels := func(ctx context.Context) map[string]string {
		asked++
		return operationLabels(ctx)
	}
	named := func(name string) context.Context {
		ctx, _ := (*compute.Accelerator)(nil).Operation(t.Context(), name)
		return ctx
	}
	now := time.Unix(1e9, 0)
	h.addFor(named("a"), labels, 3*time.Microsecond, now)
	h.addFor(named("b"), labels, 4*time.Microsecond, now.Add(time.Millisecond))
	h.addFor(named("long"), labels, 5*time.Minute, now)
	h.addFor(t.Context(), labels, time.Second, now) // no operation
	h.add(time.Second, now)
	require.Equal(t, 3, asked)
	want := []Exemplar{{map[string]string{"operation": "a"}, 3e-6, now},
		{map[string]string{"operation": "long"}, 300, now}}
	require.Equal(t, want, h.distribution().Exemplars)
	h.addFor(named("b"), labels, 2*time.Microsecond, now.Add(time.Second))
	want[0] = Exemplar{map[string]string{"operation": "b"}, 2e-6, now.Add(time.Second)}
	require.Equal(t, want, h.distribution().Exemplars)
	require.EqualValues(t, 6, h.distribution().Count)
}

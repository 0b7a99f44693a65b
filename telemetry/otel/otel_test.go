package otel

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/telemetry"
)

const source = `
kernel void k(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i]++; }
kernel void spin(device uint *x [[buffer(0)]]) { while (x[0] != 77) {} }
`

func open(t *testing.T) (*compute.Accelerator, *compute.Program, *compute.Buffer[uint32]) {
	ctx := context.Background()
	acc, err := compute.Open(compute.WithWorkBudget(1 << 20))
	require.NoError(t, err)
	t.Cleanup(func() { _ = acc.Close(ctx) }) // a failure is expected
	p, err := acc.Compile(ctx, source, compute.CompileOptions{})
	require.NoError(t, err)
	x, err := compute.NewZeroed[uint32](ctx, acc, 64, compute.BufferOptions{})
	require.NoError(t, err)
	return acc, p, x
}

// TestProducer: OpenTelemetry's reader gets all metrics, with the values of the snapshot.
func TestProducer(t *testing.T) {
	ctx := context.Background()
	acc, p, x := open(t)
	mon, err := telemetry.Watch(acc, telemetry.Options{Interval: -1})
	require.NoError(t, err)
	defer mon.Close()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	s, err := acc.NextStream()
	require.NoError(t, err)
	for range 30 {
		require.NoError(t, s.Launch(ctx, k, compute.Threads1D(64), x))
	}
	require.NoError(t, s.Sync(ctx))
	reader := metric.NewManualReader(metric.WithProducer(NewProducer(mon)))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { require.NoError(t, provider.Shutdown(ctx)) }()
	var out metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(ctx, &out))
	require.Len(t, out.ScopeMetrics, 1)
	snapshot := mon.Snapshot()
	require.Len(t, out.ScopeMetrics[0].Metrics, len(snapshot.Metrics))
	for _, m := range out.ScopeMetrics[0].Metrics {
		sum := 0.0
		switch d := m.Data.(type) {
		case metricdata.Sum[float64]:
			for _, p := range d.DataPoints {
				sum += p.Value
			}
		case metricdata.Gauge[float64]:
			for _, p := range d.DataPoints {
				sum += p.Value
			}
		case metricdata.Histogram[float64]:
			for _, p := range d.DataPoints {
				all := uint64(0)
				for _, n := range p.BucketCounts {
					all += n
				}
				assert.Equal(t, p.Count, all, m.Name)
				assert.Len(t, p.BucketCounts, len(p.Bounds)+1)
				sum += float64(p.Count)
			}
		default:
			t.Errorf("%s is a %T", m.Name, d)
		}
		assert.InDelta(t, snapshot.Value(m.Name), sum, 1e-9, m.Name)
	}
}

// TestExemplars: exemplars have trace and span of the context of the launch.
func TestExemplars(t *testing.T) {
	acc, p, x := open(t)
	mon, err := telemetry.Watch(acc, telemetry.Options{Interval: -1, Exemplar: Exemplar})
	require.NoError(t, err)
	defer mon.Close()
	provider := sdktrace.NewTracerProvider()
	ctx, span := provider.Tracer("test").Start(context.Background(), "request")
	defer span.End()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	s, err := acc.NextStream()
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(64), x))
	require.NoError(t, s.Sync(ctx))
	scopes, err := NewProducer(mon).Produce(ctx)
	require.NoError(t, err)
	found := 0
	for _, m := range scopes[0].Metrics {
		h, ok := m.Data.(metricdata.Histogram[float64])
		if !ok {
			continue
		}
		for _, point := range h.DataPoints {
			for _, e := range point.Exemplars {
				found++
				trace, id := span.SpanContext().TraceID(), span.SpanContext().SpanID()
				assert.Equal(t, trace[:], e.TraceID)
				assert.Equal(t, id[:], e.SpanID)
				assert.Empty(t, e.FilteredAttributes)
				assert.InDelta(t, point.Sum, e.Value, 1e-9, m.Name)
			}
		}
	}
	require.Equal(t, 3, found, "queue, latency and device time")
	require.Nil(t, Exemplar(context.Background()))
	e := exemplar(telemetry.Exemplar{Labels: map[string]string{"trace_id": "none", "operation": "a"}, Value: 2})
	require.Equal(t, []attribute.KeyValue{attribute.String("operation", "a"), attribute.String("trace_id", "none")},
		e.FilteredAttributes)
}

// TestTrace: operations and command buffers are spans, in each other and in the caller's span, and
// failures are in them.
func TestTrace(t *testing.T) {
	acc, p, x := open(t)
	if !acc.Info().Software {
		t.Skip("only the software device has a budget for work")
	}
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	stop, err := Trace(acc, provider)
	require.NoError(t, err)
	ctx, root := provider.Tracer("test").Start(context.Background(), "request")
	s, err := acc.NewStream(compute.StreamOptions{Label: "s"})
	require.NoError(t, err)
	outer, endOuter := acc.Operation(ctx, "outer")
	inner, endInner := acc.Operation(outer, "inner")
	for _, name := range []string{"k", "spin"} {
		k, err := p.Kernel(name)
		require.NoError(t, err)
		require.NoError(t, s.Launch(inner, k, compute.Threads1D(1), x))
		_ = s.Sync(ctx)
	}
	endInner()
	endOuter()
	root.End()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	require.NoError(t, s.Launch(context.Background(), k, compute.Threads1D(1), x))
	require.NoError(t, s.Sync(ctx))
	stop()
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(1), x))
	require.NoError(t, s.Sync(ctx))

	spans := map[string][]sdktrace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		spans[span.Name()] = append(spans[span.Name()], span)
		assert.False(t, span.EndTime().Before(span.StartTime()), span.Name())
	}
	require.Len(t, spans["request"], 1)
	require.Len(t, spans["outer"], 1)
	require.Len(t, spans["inner"], 1)
	buffers := spans["command buffer"]
	require.Len(t, buffers, 3)
	assert.Equal(t, spans["request"][0].SpanContext().SpanID(), spans["outer"][0].Parent().SpanID())
	assert.Equal(t, spans["outer"][0].SpanContext().SpanID(), spans["inner"][0].Parent().SpanID())
	for i, want := range []codes.Code{codes.Unset, codes.Error} {
		assert.Equal(t, spans["inner"][0].SpanContext().SpanID(), buffers[i].Parent().SpanID())
		assert.Equal(t, want, buffers[i].Status().Code)
	}
	assert.Equal(t, "timeout", buffers[1].Status().Description)
	require.Len(t, buffers[1].Events(), 1)
	assert.False(t, buffers[2].Parent().IsValid(), "it has no caller's span")
	_, err = Trace(acc, nil)
	require.ErrorIs(t, err, compute.ErrNil)
}

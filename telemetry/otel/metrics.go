// Package otel gives the metrics of package telemetry to OpenTelemetry, and makes spans of
// operations and command buffers. It is a module of its own, so that programs without OpenTelemetry
// need not download it.
//
//	reader := metric.NewPeriodicReader(exporter, metric.WithProducer(otel.NewProducer(mon)))
//	stop, err := otel.Trace(acc, tracerProvider)
package otel

import (
	"context"
	"maps"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/puremetal/puremetal/telemetry"
)

// scope is the instrumentation scope of metrics and spans.
const scope = "github.com/puremetal/puremetal/telemetry/otel"

// Producer produces the metrics of a monitor. They have the attribute "device".
type Producer struct {
	monitor *telemetry.Monitor
	start   time.Time
}

var _ metric.Producer = (*Producer)(nil)

// NewProducer returns a producer, for metric.WithProducer.
func NewProducer(m *telemetry.Monitor) *Producer { return &Producer{m, time.Now()} }

// Produce implements metric.Producer.
func (p *Producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	s := p.monitor.Snapshot()
	out := metricdata.ScopeMetrics{Scope: instrumentation.Scope{Name: scope}}
	for i := range s.Metrics {
		m := &s.Metrics[i]
		var points []metricdata.DataPoint[float64]
		var distributions []metricdata.HistogramDataPoint[float64]
		for j := range m.Samples {
			x := &m.Samples[j]
			labels := []attribute.KeyValue{attribute.String("device", s.Device)}
			for n, name := range m.Labels {
				labels = append(labels, attribute.String(name, x.Labels[n]))
			}
			set := attribute.NewSet(labels...)
			if x.Distribution != nil {
				distributions = append(distributions, p.distribution(x.Distribution, set, s.At))
				continue
			}
			points = append(points,
				metricdata.DataPoint[float64]{Attributes: set, StartTime: p.start, Time: s.At, Value: x.Value})
		}
		d := metricdata.Metrics{Name: m.Name, Description: m.Help}
		switch m.Kind {
		case telemetry.Histogram:
			d.Unit = "s"
			d.Data = metricdata.Histogram[float64]{DataPoints: distributions,
				Temporality: metricdata.CumulativeTemporality}
		case telemetry.Counter:
			d.Data = metricdata.Sum[float64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality,
				IsMonotonic: true}
		default:
			d.Data = metricdata.Gauge[float64]{DataPoints: points}
		}
		out.Metrics = append(out.Metrics, d)
	}
	return []metricdata.ScopeMetrics{out}, nil
}

// distribution converts cumulative buckets to counts between limits.
func (p *Producer) distribution(d *telemetry.Distribution, set attribute.Set, at time.Time) (
	x metricdata.HistogramDataPoint[float64]) {
	x = metricdata.HistogramDataPoint[float64]{Attributes: set, StartTime: p.start, Time: at, Count: d.Count,
		Sum: d.Sum}
	before := uint64(0)
	for _, b := range d.Buckets {
		x.Bounds = append(x.Bounds, b.Most)
		x.BucketCounts = append(x.BucketCounts, b.Count-before)
		before = b.Count
	}
	x.BucketCounts = append(x.BucketCounts, d.Count-before)
	for _, e := range d.Exemplars {
		x.Exemplars = append(x.Exemplars, exemplar(e))
	}
	return x
}

// The labels of [Exemplar].
const (
	traceLabel = "trace_id"
	spanLabel  = "span_id"
)

// Exemplar returns the IDs of a context's trace and span, for telemetry.Options. Grafana links an
// exemplar with them to its trace.
func Exemplar(ctx context.Context) map[string]string {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return nil
	}
	return map[string]string{traceLabel: s.TraceID().String(), spanLabel: s.SpanID().String()}
}

// exemplar converts an exemplar: IDs of trace and span get their own fields.
func exemplar(e telemetry.Exemplar) metricdata.Exemplar[float64] {
	x := metricdata.Exemplar[float64]{Time: e.At, Value: e.Value}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		value := e.Labels[name]
		if id, err := trace.TraceIDFromHex(value); name == traceLabel && err == nil {
			x.TraceID = id[:]
		} else if id, err := trace.SpanIDFromHex(value); name == spanLabel && err == nil {
			x.SpanID = id[:]
		} else {
			x.FilteredAttributes = append(x.FilteredAttributes, attribute.String(name, value))
		}
	}
	return x
}

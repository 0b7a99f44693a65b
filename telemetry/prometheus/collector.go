// Package prometheus gives the metrics of package telemetry to Prometheus. It is a module of its
// own, so that programs without Prometheus need not download it.
//
//	mon, err := telemetry.Watch(acc, telemetry.Options{})
//	registry.MustRegister(prometheus.NewCollector(mon, nil))
package prometheus

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/puremetal/puremetal/telemetry"
)

// Collector collects the metrics of a monitor.
type Collector struct {
	monitor *telemetry.Monitor
	descs   map[string]*prometheus.Desc
}

// NewCollector returns a collector for a monitor. A program with several accelerators registers one
// for each, with different labels, such as the device's name.
func NewCollector(m *telemetry.Monitor, labels prometheus.Labels) *Collector {
	c := &Collector{m, map[string]*prometheus.Desc{}}
	for _, d := range telemetry.Definitions() {
		c.descs[d.Name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, labels)
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.monitor.Snapshot().Metrics {
		d := c.descs[m.Name]
		for _, s := range m.Samples {
			var metric prometheus.Metric
			var err error
			switch m.Kind {
			case telemetry.Histogram:
				buckets := map[float64]uint64{}
				for _, b := range s.Distribution.Buckets {
					buckets[b.Most] = b.Count
				}
				x := s.Distribution
				metric, err = prometheus.NewConstHistogram(d, x.Count, x.Sum, buckets, s.Labels...)
				if err == nil {
					metric = withExemplars(metric, x.Exemplars)
				}
			case telemetry.Counter:
				metric, err = prometheus.NewConstMetric(d, prometheus.CounterValue, s.Value, s.Labels...)
			default:
				metric, err = prometheus.NewConstMetric(d, prometheus.GaugeValue, s.Value, s.Labels...)
			}
			if err != nil {
				metric = prometheus.NewInvalidMetric(d, err)
			}
			to <- metric
		}
	}
}

// withExemplars returns a histogram with those exemplars that Prometheus allows: their labels are
// valid and have at most prometheus.ExemplarMaxRunes characters together.
func withExemplars(metric prometheus.Metric, exemplars []telemetry.Exemplar) prometheus.Metric {
	for _, x := range exemplars { // one by one, as an error would refuse them all
		with, err := prometheus.NewMetricWithExemplars(metric,
			prometheus.Exemplar{Value: x.Value, Labels: x.Labels, Timestamp: x.At})
		if err == nil {
			metric = with
		}
	}
	return metric
}

// Handler answers the requests of a Prometheus server with the metrics of some monitors, by the
// names of their devices in the label "device", and beneath that the pages of the first one:
// /metrics, /health, /report, /debug/puremetal.
func Handler(devices map[string]*telemetry.Monitor) (http.Handler, error) {
	r := prometheus.NewRegistry()
	mux := http.NewServeMux()
	for name, m := range devices {
		if err := r.Register(NewCollector(m, prometheus.Labels{"device": name})); err != nil {
			return nil, err
		}
		mux.Handle("/"+name+"/", http.StripPrefix("/"+name, m.Handler()))
		if len(devices) == 1 {
			mux.Handle("/", m.Handler())
		}
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	return mux, nil
}

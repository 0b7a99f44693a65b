package telemetry

import (
	"slices"
	"time"
)

// Kind is the kind of a metric.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"   // only grows
	Gauge     Kind = "gauge"     // goes up and down
	Histogram Kind = "histogram" // has a Distribution
)

// Definition describes a metric.
type Definition struct {
	Name   string   `json:"name"` // with the unit at its end, as Prometheus wants it
	Kind   Kind     `json:"kind"`
	Labels []string `json:"labels,omitempty"`
	Help   string   `json:"help"`
}

// Definitions returns all metrics, by name.
func Definitions() []Definition { return slices.Clone(definitions[:]) }

var definitions = [...]Definition{
	{"puremetal_allocated_bytes", Gauge, nil, "Bytes of open buffers and textures."},
	{"puremetal_allocated_peak_bytes", Gauge, nil, "The most bytes of open buffers and textures so far."},
	{"puremetal_allocation_seconds", Histogram, nil, "Time to allocate a buffer or texture."},
	{"puremetal_allocations_total", Counter, []string{"result"},
		"Buffers and textures allocated; result is ok or error."},
	{"puremetal_cache_requests_total", Counter, []string{"what", "result"},
		"Requests to the kernel cache for a program or kernel; result is hit or miss."},
	{"puremetal_command_buffers_total", Counter, []string{"result"},
		"Command buffers that have ended; result is ok or the class of the failure."},
	{"puremetal_commands_total", Counter, []string{"kind"}, "Commands that streams have accepted."},
	{"puremetal_compile_seconds", Histogram, nil, "Time to compile a program or make a pipeline."},
	{"puremetal_compiles_total", Counter, []string{"what", "result"},
		"Programs compiled and pipelines made; result is ok or error."},
	{"puremetal_copied_bytes_total", Counter, nil, "Bytes that copy and fill commands were given."},
	{"puremetal_device_seconds", Histogram, nil, "Time of the device per command buffer."},
	{"puremetal_encode_seconds", Histogram, nil, "Time to encode a command buffer."},
	{"puremetal_health", Gauge, nil, "0 healthy, 1 degraded, 2 failing."},
	{"puremetal_in_flight", Gauge, nil, "Command buffers on the device."},
	{"puremetal_kernel_device_seconds_total", Counter, []string{"kernel"},
		"Device time of the launches counted by puremetal_kernel_timed_launches_total, by kernel."},
	{"puremetal_kernel_timed_launches_total", Counter, []string{"kernel"},
		"Launches with a known device time, measured alone or with others of the same kernel."},
	{"puremetal_latency_seconds", Histogram, nil,
		"Time from the commit of a command buffer to the host's notification."},
	{"puremetal_launches_total", Counter, []string{"kernel"}, "Launches that streams have accepted, by kernel."},
	{"puremetal_operation_seconds", Histogram, []string{"operation"}, "Time of operations on the host."},
	{"puremetal_pressure", Gauge, nil, "Memory pressure at the last change: 0 normal, 1 soft, 2 hard."},
	{"puremetal_pressure_changes_total", Counter, nil, "Changes of the memory pressure."},
	{"puremetal_queue_seconds", Histogram, nil,
		"Time from the record of a command buffer's first command to its commit."},
	{"puremetal_recoveries_total", Counter, []string{"kind"},
		"What was done about failures: retries, resets and so on."},
	{"puremetal_returned_bytes_total", Counter, nil, "Bytes of buffers and textures that were returned."},
	{"puremetal_slow_kernels", Gauge, nil, "Kernels that have become slower than they were at first."},
	{"puremetal_stream_depth", Gauge, []string{"stream"}, "Commands of a stream that have not ended."},
	{"puremetal_threads_total", Counter, []string{"kernel"}, "Threads of all launches, by kernel."},
	{"puremetal_transfer_bytes_total", Counter, []string{"direction"}, "Bytes uploaded and downloaded by the host."},
	{"puremetal_transfer_seconds", Histogram, nil, "Time of uploads and downloads by the host."},
}

// Snapshot is the state of a monitor at a time.
type Snapshot struct {
	At      time.Time `json:"at"`
	Device  string    `json:"device"`
	Metrics []Metric  `json:"metrics"` // in the order of Definitions
}

// Metric is a metric with its samples, sorted by label values.
type Metric struct {
	Definition
	Samples []Sample `json:"samples"`
}

// Sample is a value, or the distribution of a histogram, for some values of the labels.
type Sample struct {
	Labels       []string      `json:"labels,omitempty"` // values, in the order of Definition.Labels
	Value        float64       `json:"value"`
	Distribution *Distribution `json:"distribution,omitempty"`
}

// Distribution describes many values. Percentiles are upper bounds, exact to 1 percent.
type Distribution struct {
	Count   uint64   `json:"count"`
	Sum     float64  `json:"sum"`
	P50     float64  `json:"p50"`
	P90     float64  `json:"p90"`
	P95     float64  `json:"p95"`
	P99     float64  `json:"p99"`
	Max     float64  `json:"max"`
	Buckets []Bucket `json:"buckets,omitempty"` // cumulative, by increasing Most

	// Exemplars has a recent value of each bucket, as far as Options.Exemplar gave labels.
	Exemplars []Exemplar `json:"exemplars,omitempty"`
}

// Exemplar is a value with labels that say which work it belongs to.
type Exemplar struct {
	Labels map[string]string `json:"labels"` // not to be changed
	Value  float64           `json:"value"`
	At     time.Time         `json:"at"`
}

// Bucket counts the values up to a limit.
type Bucket struct {
	Most  float64 `json:"most"`
	Count uint64  `json:"count"`
}

// Value returns the sum of a metric's samples whose first labels have the given values; of a
// histogram, the number of values. It is 0 if there are none.
func (s *Snapshot) Value(name string, labels ...string) (sum float64) {
	for i := range s.Metrics {
		m := &s.Metrics[i]
		if m.Name != name {
			continue
		}
		for j := range m.Samples {
			x := &m.Samples[j]
			if len(labels) > len(x.Labels) || !slices.Equal(labels, x.Labels[:len(labels)]) {
				continue
			}
			if x.Distribution != nil {
				sum += float64(x.Distribution.Count)
			} else {
				sum += x.Value
			}
		}
	}
	return sum
}

// sum returns the sum of the values of a histogram without labels.
func (s *Snapshot) sum(name string) (sum float64) {
	for i := range s.Metrics {
		if m := &s.Metrics[i]; m.Name == name && len(m.Samples) > 0 && m.Samples[0].Distribution != nil {
			sum = m.Samples[0].Distribution.Sum
		}
	}
	return sum
}

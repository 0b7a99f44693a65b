package telemetry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// Snapshot returns all metrics.
func (m *Monitor) Snapshot() *Snapshot {
	if m.missing() {
		return &Snapshot{}
	}
	s := &Snapshot{At: m.o.Now(), Device: m.acc.Info().Name}
	values := m.values()
	for _, d := range definitions {
		samples := values[d.Name]
		slices.SortFunc(samples, func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
		s.Metrics = append(s.Metrics, Metric{d, samples})
	}
	return s
}

// values returns the samples of each metric.
func (m *Monitor) values() map[string][]Sample {
	v := map[string][]Sample{}
	add := func(name string, value float64, labels ...string) {
		v[name] = append(v[name], Sample{Labels: labels, Value: value})
	}
	for name, h := range map[string]*histogram{
		"puremetal_allocation_seconds": &m.allocation, "puremetal_compile_seconds": &m.compile,
		"puremetal_device_seconds": &m.device, "puremetal_encode_seconds": &m.encode,
		"puremetal_latency_seconds": &m.latency, "puremetal_queue_seconds": &m.queue,
		"puremetal_transfer_seconds": &m.transfer,
	} {
		v[name] = []Sample{{Distribution: h.distribution()}}
	}
	v["puremetal_operation_seconds"] = m.operations.samples()
	add("puremetal_allocated_bytes", float64(m.allocated.Load()))
	add("puremetal_allocated_peak_bytes", float64(m.peak.Load()))
	add("puremetal_allocations_total", float64(m.allocations.Load()), "ok")
	add("puremetal_allocations_total", float64(m.unallocated.Load()), "error")
	for i, what := range []string{"program", "kernel"} {
		for j, result := range []string{"ok", "error"} {
			add("puremetal_compiles_total", float64(m.compiles[i][j].Load()), what, result)
		}
		for j, result := range []string{"hit", "miss"} {
			add("puremetal_cache_requests_total", float64(m.cache[i][j].Load()), what, result)
		}
	}
	for i := range m.buffers {
		name := compute.Class(i).String()
		if compute.Class(i) == compute.ClassNone {
			name = "ok"
		}
		if n := m.buffers[i].Load(); n > 0 || name == "ok" {
			add("puremetal_command_buffers_total", float64(n), name)
		}
	}
	for i := range m.commands {
		if n := m.commands[i].Load(); n > 0 {
			add("puremetal_commands_total", float64(n), observe.CommandKind(i).String())
		}
	}
	for i := range m.recoveries {
		if n := m.recoveries[i].Load(); n > 0 {
			add("puremetal_recoveries_total", float64(n), observe.Recovery(i).String())
		}
	}
	add("puremetal_copied_bytes_total", float64(m.copied.Load()))
	add("puremetal_health", float64(m.health.state()))
	add("puremetal_in_flight", float64(m.inFlight.Load()))
	add("puremetal_pressure", float64(m.pressure.Load()))
	add("puremetal_pressure_changes_total", float64(m.pressures.Load()))
	add("puremetal_returned_bytes_total", float64(m.returned.Load()))
	add("puremetal_slow_kernels", float64(m.slow.Slow()))
	add("puremetal_transfer_bytes_total", float64(m.uploaded.Load()), "upload")
	add("puremetal_transfer_bytes_total", float64(m.downloaded.Load()), "download")
	m.mu.RLock()
	defer m.mu.RUnlock()
	for name, k := range m.kernels {
		add("puremetal_launches_total", float64(k.launches.Load()), name)
		add("puremetal_threads_total", float64(k.threads.Load()), name)
		timed, device := k.timed()
		add("puremetal_kernel_device_seconds_total", device.Seconds(), name)
		add("puremetal_kernel_timed_launches_total", float64(timed), name)
	}
	for label, n := range m.depths() {
		add("puremetal_stream_depth", float64(n), label)
	}
	return v
}

// depths returns how many commands of the streams have not ended, by label: labels need not be
// unique. The monitor's lock is held.
func (m *Monitor) depths() map[string]int {
	depths := map[string]int{}
	for _, s := range m.streams {
		s.mu.Lock()
		depths[s.label] += len(s.pending)
		s.mu.Unlock()
	}
	return depths
}

// Latency and DeviceTime return the distributions over the last minute, ten minutes and hour: of
// the time from a command buffer's commit to the host's notification, and of the device's time for
// it.
func (m *Monitor) Latency() []Trend {
	if m.missing() {
		return nil
	}
	return m.latency.latest(m.o.Now())
}

// DeviceTime: see Latency.
func (m *Monitor) DeviceTime() []Trend {
	if m.missing() {
		return nil
	}
	return m.device.latest(m.o.Now())
}

// table returns the documentation of the metrics, in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("| metric | kind | labels | meaning |\n|---|---|---|---|\n")
	for _, d := range definitions {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Name, d.Kind, strings.Join(d.Labels, ", "), d.Help)
	}
	return b.String()
}

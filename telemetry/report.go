package telemetry

import (
	"cmp"
	"expvar"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// Report is how an accelerator works, for people and programs.
type Report struct {
	At     time.Time `json:"at"`
	Device string    `json:"device"`
	Health Health    `json:"health"`

	Launches  uint64            `json:"launches"`
	Buffers   uint64            `json:"commandBuffers"`
	Failures  map[string]uint64 `json:"failures"` // command buffers, by class
	Recovered map[string]uint64 `json:"recoveries"`

	Allocated   uint64 `json:"allocatedBytes"`
	Peak        uint64 `json:"allocatedPeakBytes"`
	Unallocated uint64 `json:"failedAllocations"`
	Pressure    string `json:"pressure"`

	Latency    []Trend `json:"latency"`
	DeviceTime []Trend `json:"deviceTime"`

	Kernels []KernelReport `json:"kernels"` // the longest first
	Streams []StreamReport `json:"streams"`
}

// KernelReport is a kernel of a report.
type KernelReport struct {
	Name     string        `json:"name"`
	Launches uint64        `json:"launches"`
	Threads  uint64        `json:"threads"`
	Device   time.Duration `json:"deviceNanoseconds"` // of launches that were alone in their command buffers
}

// StreamReport is a stream of a report.
type StreamReport struct {
	Label string `json:"label"`
	Depth int    `json:"depth"` // commands that have not ended
}

// Report returns a report of what the watch has seen.
func (m *Monitor) Report() Report {
	s := m.Snapshot()
	value := func(name string, labels ...string) uint64 { return uint64(s.Value(name, labels...)) }
	r := Report{At: s.At, Device: s.Device, Health: m.Health(), Failures: map[string]uint64{},
		Recovered: map[string]uint64{}, Launches: value("puremetal_launches_total"),
		Buffers:   value("puremetal_command_buffers_total"),
		Allocated: value("puremetal_allocated_bytes"), Peak: value("puremetal_allocated_peak_bytes"),
		Unallocated: value("puremetal_allocations_total", "error"), Pressure: m.acc.Memory().Pressure.String(),
		Latency: m.Latency(), DeviceTime: m.DeviceTime()}
	for i := range m.buffers {
		if n := m.buffers[i].Load(); n > 0 && compute.Class(i) != compute.ClassNone {
			r.Failures[compute.Class(i).String()] = n
		}
	}
	for i := range m.recoveries {
		if n := m.recoveries[i].Load(); n > 0 {
			r.Recovered[compute.Recovery(i).String()] = n
		}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for name, k := range m.kernels {
		r.Kernels = append(r.Kernels,
			KernelReport{name, k.launches.Load(), k.threads.Load(), time.Duration(k.device.Load())})
	}
	slices.SortFunc(r.Kernels, func(a, b KernelReport) int {
		return cmp.Or(cmp.Compare(b.Device, a.Device), cmp.Compare(b.Threads, a.Threads), cmp.Compare(a.Name, b.Name))
	})
	for label, depth := range m.depths() {
		r.Streams = append(r.Streams, StreamReport{label, depth})
	}
	slices.SortFunc(r.Streams, func(a, b StreamReport) int { return cmp.Compare(a.Label, b.Label) })
	return r
}

// String returns the report as text.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v\n", r.Device, r.Health.State)
	for _, a := range r.Health.Alerts {
		fmt.Fprintf(&b, "  %s: %.3g, limit %.3g, since %s (%v)\n", a.Name, a.Value, a.Limit,
			a.Since.Format(time.DateTime), a.Severity)
	}
	fmt.Fprintf(&b, "%d launches, %d command buffers", r.Launches, r.Buffers)
	for _, list := range []map[string]uint64{r.Failures, r.Recovered} {
		names := make([]string, 0, len(list))
		for name := range list {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(&b, ", %d %s", list[name], name)
		}
	}
	fmt.Fprintf(&b, "\n%d bytes allocated, at most %d; %d allocations failed; pressure %s\n", r.Allocated, r.Peak,
		r.Unallocated, r.Pressure)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	seconds := func(s float64) time.Duration { return time.Duration(s * 1e9).Round(time.Microsecond) }
	for _, list := range []struct {
		name   string
		trends []Trend
	}{{"latency", r.Latency}, {"device", r.DeviceTime}} {
		for _, t := range list.trends {
			fmt.Fprintf(w, "%s, last %v:\t%d\tp50 %v\tp95 %v\tp99 %v\tmax %v\t\n", list.name, t.Span, t.Count,
				seconds(t.P50), seconds(t.P95), seconds(t.P99), seconds(t.Max))
		}
	}
	fmt.Fprintf(w, "kernel\tlaunches\tthreads\tdevice time alone\t\n")
	for _, k := range r.Kernels {
		fmt.Fprintf(w, "%s\t%d\t%d\t%v\t\n", k.Name, k.Launches, k.Threads, k.Device.Round(time.Microsecond))
	}
	_ = w.Flush() // to a strings.Builder
	return b.String()
}

// Publish adds the monitor's snapshot to expvar under a name. Names must be unique in the process;
// expvar keeps them forever.
func (m *Monitor) Publish(name string) error {
	if expvar.Get(name) != nil {
		return fmt.Errorf("telemetry: expvar %q is already published: %w", name, compute.ErrOption)
	}
	expvar.Publish(name, expvar.Func(func() any { return m.Snapshot() }))
	return nil
}

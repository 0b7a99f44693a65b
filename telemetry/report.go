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
	"github.com/puremetal/puremetal/compute/observe"
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
	History []Point        `json:"history"` // of the latest checks, the oldest first
}

// KernelReport is a kernel of a report. The mean time of a launch is Device divided by Timed; if
// Timed is 0, no time is known.
type KernelReport struct {
	Name     string        `json:"name"`
	Launches uint64        `json:"launches"`
	Threads  uint64        `json:"threads"`
	Timed    uint64        `json:"timedLaunches"`     // see puremetal_kernel_timed_launches_total
	Device   time.Duration `json:"deviceNanoseconds"` // of these
}

// Mean returns the device's mean time for a launch. ok is false if no launch has a time.
func (k KernelReport) Mean() (mean time.Duration, ok bool) {
	if k.Timed == 0 {
		return 0, false
	}
	return k.Device / time.Duration(k.Timed), true
}

// Point is a moment in the history of an accelerator. The difference of two of them tells what
// happened between.
type Point struct {
	At        time.Time `json:"at"`
	Launches  uint64    `json:"launches"`       // so far
	Buffers   uint64    `json:"commandBuffers"` // so far
	Failures  uint64    `json:"failures"`       // command buffers so far
	Device    float64   `json:"deviceSeconds"`  // of all command buffers so far
	Latency   float64   `json:"latencySeconds"` // sum of all command buffers so far
	Allocated uint64    `json:"allocatedBytes"` // then
	InFlight  uint64    `json:"inFlight"`       // then
}

// Points are at least pointsApart apart, and a monitor keeps the last maxPoints.
const (
	pointsApart = time.Second
	maxPoints   = 120
)

// keepPoint adds a snapshot to the history of the report. The health's lock is held.
func (m *Monitor) keepPoint(s *Snapshot) {
	value := func(name string, labels ...string) uint64 { return uint64(s.Value(name, labels...)) }
	p := Point{At: s.At, Launches: value("puremetal_launches_total"), Buffers: value("puremetal_command_buffers_total"),
		Allocated: value("puremetal_allocated_bytes"), InFlight: value("puremetal_in_flight")}
	p.Failures = p.Buffers - value("puremetal_command_buffers_total", "ok")
	p.Device, p.Latency = s.sum("puremetal_device_seconds"), s.sum("puremetal_latency_seconds")
	list := m.health.points
	if n := len(list); n >= 2 && p.At.Sub(list[n-2].At) < pointsApart {
		list[n-1] = p // the latest is as young as possible
		return
	}
	if len(list) == maxPoints {
		list = slices.Delete(list, 0, 1)
	}
	m.health.points = append(list, p)
}

// StreamReport is a stream of a report.
type StreamReport struct {
	Label string `json:"label"`
	Depth int    `json:"depth"` // commands that have not ended
}

// Report checks the rules and returns a report of what the watch has seen.
func (m *Monitor) Report() Report {
	if m.missing() {
		return Report{}
	}
	health := m.Check()
	s := m.Snapshot()
	value := func(name string, labels ...string) uint64 { return uint64(s.Value(name, labels...)) }
	r := Report{At: s.At, Device: s.Device, Health: health, Failures: map[string]uint64{},
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
			r.Recovered[observe.Recovery(i).String()] = n
		}
	}
	m.health.mu.Lock()
	r.History = slices.Clone(m.health.points)
	m.health.mu.Unlock()
	m.mu.RLock()
	defer m.mu.RUnlock()
	for name, k := range m.kernels {
		timed, device := k.timed()
		r.Kernels = append(r.Kernels, KernelReport{name, k.launches.Load(), k.threads.Load(), timed, device})
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
		if a.Error != "" {
			fmt.Fprintf(&b, "  %s: not known: %s, since %s (%v)\n", a.Name, a.Error, a.Since.Format(time.DateTime), a.Severity)
			continue
		}
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
			if t.Count == 0 {
				fmt.Fprintf(w, "%s, last %v:\t0\t\t\t\t\t\n", list.name, t.Span)
				continue
			}
			fmt.Fprintf(w, "%s, last %v:\t%d\tp50 %v\tp95 %v\tp99 %v\tmax %v\t\n", list.name, t.Span, t.Count,
				seconds(t.P50), seconds(t.P95), seconds(t.P99), seconds(t.Max))
		}
	}
	fmt.Fprintf(w, "kernel\tlaunches\tthreads\ttimed\tdevice time\tmean\t\n")
	for _, k := range r.Kernels {
		device, mean := "not known", "not known"
		if d, ok := k.Mean(); ok {
			device, mean = k.Device.Round(time.Microsecond).String(), d.Round(100*time.Nanosecond).String()
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t\n", k.Name, k.Launches, k.Threads, k.Timed, device, mean)
	}
	_ = w.Flush() // to a strings.Builder
	return b.String()
}

// Publish adds the monitor's snapshot to expvar under a name. Names must be unique in the process;
// expvar keeps them forever.
func (m *Monitor) Publish(name string) error {
	if m.missing() {
		return fmt.Errorf("telemetry: Publish: the monitor is nil or was not made by Watch: %w", compute.ErrNil)
	}
	if expvar.Get(name) != nil {
		return fmt.Errorf("telemetry: expvar %q is already published: %w", name, compute.ErrOption)
	}
	expvar.Publish(name, expvar.Func(func() any { return m.Snapshot() }))
	return nil
}

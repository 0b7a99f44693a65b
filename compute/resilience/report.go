package resilience

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// Health is how well a manager can do its work.
type Health = observe.Health

// The states of health.
const (
	Healthy  = observe.Healthy
	Degraded = observe.Degraded // work is done, but slower, on the CPU or the fallback device, or some is refused
	Failing  = observe.Failing  // no work is done
)

// Report is a diagnosis, as plain data.
type Report struct {
	Health  Health   `json:"health"`
	Reasons []string `json:"reasons"` // why it is not healthy

	Device   string `json:"device"`
	Fallback string `json:"fallback,omitempty"` // "" if it is not open

	Batches    uint64            `json:"batches"`
	Commands   uint64            `json:"commands"`
	Failures   map[string]uint64 `json:"failures"` // attempts of batches that failed, by class
	Retries    uint64            `json:"retries"`
	Exhausted  uint64            `json:"exhausted"` // batches given up on a device
	Resets     uint64            `json:"resets"`
	Fallbacks  uint64            `json:"fallbacks"` // batches moved to the fallback device
	OnCPU      uint64            `json:"onCPU"`     // batches executed on the CPU
	InParts    uint64            `json:"inParts"`   // launches run in parts
	Trims      uint64            `json:"trims"`
	Divided    uint64            `json:"divided"` // batches divided for lack of memory
	Refused    uint64            `json:"refused"`
	HostCopies uint64            `json:"hostCopyBytes"`
	Breakers   map[string]string `json:"breakers"` // those that are not closed, with their state
	Concurrent int               `json:"concurrent"`
	Most       int               `json:"mostConcurrent"`
	Lost       []string          `json:"lostBuffers"` // and textures
}

// Report returns what the manager has done since it was made, and how it is.
func (m *Manager) Report() Report {
	if m.missing() {
		return Report{}
	}
	c := &m.stats
	r := Report{Health: Healthy, Reasons: []string{}, Batches: c.batches.Load(), Commands: c.commands.Load(),
		Failures: map[string]uint64{}, Retries: c.retries.Load(), Exhausted: c.exhausted.Load(), Resets: c.resets.Load(),
		Fallbacks: c.fallbacks.Load(), OnCPU: c.onCPU.Load(), InParts: c.inParts.Load(),
		Trims: c.trims.Load(), Divided: c.divided.Load(),
		Refused: c.refused.Load(), Breakers: map[string]string{}}
	for class := range c.byClass {
		if n := c.byClass[class].Load(); n > 0 {
			r.Failures[compute.Class(class).String()] = n
		}
	}
	name := func(d *device) string {
		if d == nil {
			return ""
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.acc.Info().Name // "" for nil
	}
	r.Device, r.Fallback = name(m.device), name(m.fallback)
	m.mu.Lock()
	r.HostCopies, r.Lost = m.copies, slices.Clone(m.lost)
	m.mu.Unlock()
	m.governor.mu.Lock()
	r.Concurrent, r.Most = m.governor.limit, m.governor.most
	m.governor.mu.Unlock()
	m.breakers.mu.Lock()
	for key, b := range m.breakers.all {
		if s := b.State().String(); s != "closed" {
			name := key.String()
			if key.device == m.fallback {
				name = "fallback " + name
			}
			r.Breakers[name] = s
		}
	}
	m.breakers.mu.Unlock()
	r.diagnose(m.elsewhere(&r), m.device.lost())
	return r
}

// elsewhere returns where work goes that the device cannot do; "" for nowhere.
func (m *Manager) elsewhere(r *Report) string {
	if m.o.CPU && !m.stats.cpuFailed.Load() {
		return "the CPU"
	}
	if _, broken := r.Breakers["fallback device"]; m.fallback != nil && !broken {
		return "the fallback device"
	}
	return ""
}

// diagnose fills Health and Reasons. elsewhere is where work goes that the device cannot do, "" for
// nowhere, and gone why the device is gone.
func (r *Report) diagnose(elsewhere string, gone error) {
	because := func(h Health, format string, args ...any) {
		if r.Health != Failing {
			r.Health = h
		}
		r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
	}
	without, then := Failing, "" // health without the device
	if elsewhere != "" {
		without, then = Degraded, "; work goes to "+elsewhere
	}
	for name, state := range r.Breakers {
		switch name {
		case "device":
			because(without, "the circuit breaker of the device is %s%s", state, then)
		default:
			because(Degraded, "the circuit breaker of %s is %s", name, state)
		}
	}
	slices.Sort(r.Reasons)
	switch {
	case gone != nil:
		because(without, "the device is gone%s", then)
	case r.Device == "":
		because(without, "the device is not open%s", then)
	}
	if r.Concurrent < r.Most {
		because(Degraded, "the machine is hot or saves power: %d of %d batches at once", r.Concurrent, r.Most)
	}
	if len(r.Lost) > 0 {
		because(Degraded, "the contents of %d buffers or textures were lost: %s", len(r.Lost), strings.Join(r.Lost, ", "))
	}
}

// String returns the report as text for people.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Health)
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	fmt.Fprintf(&b, "device %q", r.Device)
	if r.Fallback != "" {
		fmt.Fprintf(&b, ", fallback %q", r.Fallback)
	}
	fmt.Fprintf(&b, "\n%d batches of %d commands, %d retries, %d given up, %d resets, %d moved to the fallback device, "+
		"%d executed on the CPU\n", r.Batches, r.Commands, r.Retries, r.Exhausted, r.Resets, r.Fallbacks, r.OnCPU)
	fmt.Fprintf(&b, "%d launches in parts; memory: %d trims, %d divided, %d refused, %d bytes of host copies\n", r.InParts,
		r.Trims, r.Divided, r.Refused, r.HostCopies)
	names := make([]string, 0, len(r.Failures))
	for name := range r.Failures {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%d attempts failed: %s\n", r.Failures[name], name)
	}
	return b.String()
}

// Probe runs a small kernel of a known result on the device.
func (m *Manager) Probe(ctx context.Context) error {
	if m.missing() || ctx == nil {
		return errMissing("Probe", "manager or context")
	}
	return m.probe(ctx, m.device)
}

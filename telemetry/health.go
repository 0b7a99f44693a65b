package telemetry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
)

// State is how well an accelerator works.
type State int

// The states.
const (
	Healthy State = iota
	Degraded
	Failing
)

// String returns the state in lower case.
func (s State) String() string {
	if s < Healthy || s > Failing {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return [...]string{"healthy", "degraded", "failing"}[s]
}

// MarshalJSON returns the state as a string.
func (s State) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// Rule raises an alert while a figure is too high.
type Rule struct {
	Name     string
	Severity State // of the accelerator while the alert is raised: Degraded or Failing
	// Value computes the figure from the snapshots at the end and at the beginning of the last
	// Span, or of less time at first. While it panics, ends its goroutine or returns no finite
	// number, there is an alert of severity Degraded that says so. Checks wait for it.
	Value func(now, before *Snapshot) float64
	Span  time.Duration // default: a minute
	// The alert is raised when the figure has been at least Raise for the time For, and cleared
	// when it is below Clear, which is at most Raise; 0 means Raise.
	Raise, Clear float64
	For          time.Duration
}

// Grown returns how much a counter has grown between two snapshots.
func Grown(now, before *Snapshot, name string, labels ...string) float64 {
	return now.Value(name, labels...) - before.Value(name, labels...)
}

// DefaultRules returns rules for failures, lost devices, memory, and slow kernels.
func DefaultRules() []Rule {
	failures := func(now, before *Snapshot) float64 {
		all := Grown(now, before, "puremetal_command_buffers_total")
		if all == 0 {
			return 0
		}
		return 1 - Grown(now, before, "puremetal_command_buffers_total", "ok")/all
	}
	return []Rule{
		{Name: "some command buffers fail", Severity: Degraded, Value: failures, Raise: 0.01, Clear: 0.005},
		{Name: "most command buffers fail", Severity: Failing, Value: failures, Raise: 0.5, Clear: 0.25},
		{Name: "the device was lost", Severity: Degraded, Raise: 1, Value: func(now, before *Snapshot) float64 {
			return Grown(now, before, "puremetal_command_buffers_total", compute.ClassDeviceLost.String())
		}},
		{Name: "allocations fail", Severity: Degraded, Raise: 1, Value: func(now, before *Snapshot) float64 {
			return Grown(now, before, "puremetal_allocations_total", "error")
		}},
		{Name: "memory pressure is high", Severity: Degraded, Raise: 2, Clear: 1, For: 10 * time.Second,
			Value: func(now, _ *Snapshot) float64 { return now.Value("puremetal_pressure") }},
		{Name: "kernels have become slow", Severity: Degraded, Raise: 1,
			Value: func(now, _ *Snapshot) float64 { return now.Value("puremetal_slow_kernels") }},
		{Name: "work runs on the fallback device", Severity: Degraded, Raise: 1,
			Value: func(now, before *Snapshot) float64 {
				return Grown(now, before, "puremetal_recoveries_total", observe.RecoveryFallback.String())
			}},
	}
}

// Alert is a rule whose figure is too high.
type Alert struct {
	Name     string    `json:"name"`
	Severity State     `json:"severity"`
	Since    time.Time `json:"since"`
	Value    float64   `json:"value"` // at the last check
	Limit    float64   `json:"limit"`
	Error    string    `json:"error,omitempty"` // why the figure is not known; Value is then that of before
}

// Health is how an accelerator works, and why not better.
type Health struct {
	State  State   `json:"state"`
	Alerts []Alert `json:"alerts"`
}

// health checks rules.
type health struct {
	checking sync.Mutex // held while the rules are checked; before mu

	mu      sync.Mutex // not held while a rule's Value is called
	rules   []ruleState
	history []*Snapshot   // the oldest first
	span    time.Duration // the longest of a rule
	apart   time.Duration // least time between two snapshots of the history
	now     State
	points  []Point // for charts, the oldest first
}

// ruleState is a rule with its alert.
type ruleState struct {
	Rule
	above  time.Time // since when the figure is too high; zero if it is not
	raised time.Time // zero if it is not
	value  float64
	failed error     // why there is no value
	since  time.Time // of failed
}

// severity is how bad the accelerator is by this rule.
func (r *ruleState) severity() State {
	switch {
	case !r.raised.IsZero():
		return r.Severity
	case r.failed != nil:
		return Degraded
	}
	return Healthy
}

func (h *health) start(rules []Rule) error {
	h.span = time.Minute
	h.apart = h.span / 60
	for _, r := range rules {
		if r.Span == 0 {
			r.Span = time.Minute
		}
		if r.Clear == 0 {
			r.Clear = r.Raise
		}
		if r.Value == nil || r.Clear > r.Raise || r.Severity < Degraded || r.Severity > Failing || r.Span < 0 ||
			r.For < 0 {
			return fmt.Errorf("telemetry: rule %q: want a Value, Clear %g at most Raise %g, Severity degraded or "+
				"failing, Span and For at least 0: %w", r.Name, r.Clear, r.Raise, compute.ErrOption)
		}
		h.span = max(h.span, r.Span)
		h.apart = min(h.apart, r.Span/60)
		h.rules = append(h.rules, ruleState{Rule: r})
	}
	return nil
}

func (h *health) state() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// before returns the snapshot from which a span up to now is measured: the latest one that is not
// younger, or the oldest one.
func (h *health) before(now time.Time, span time.Duration) *Snapshot {
	best := h.history[0]
	for _, s := range h.history {
		if now.Sub(s.At) >= span {
			best = s
		}
	}
	return best
}

// Check checks the rules and returns the health. After Close, it returns that of the last check.
func (m *Monitor) Check() Health {
	if m.missing() {
		return Health{}
	}
	select {
	case <-m.closed:
		return m.Health()
	default:
	}
	h := &m.health
	h.checking.Lock()
	defer h.checking.Unlock()
	s := m.Snapshot()
	befores := m.keep(s)
	values, failures := make([]float64, len(h.rules)), make([]error, len(h.rules))
	for i := range h.rules { // what is called here does not change after Watch
		values[i], failures[i] = h.rules[i].Rule.value(s, befores[i])
	}
	h.mu.Lock()
	before := h.now
	h.now = Healthy
	var records []func()
	for i := range h.rules {
		r := &h.rules[i]
		if record := m.checkRule(r, s.At, values[i], failures[i]); record != nil {
			records = append(records, record)
		}
		h.now = max(h.now, r.severity())
	}
	health := h.report()
	h.mu.Unlock()
	if health.State != before {
		var reasons []string
		for _, a := range health.Alerts {
			reasons = append(reasons, a.Name)
		}
		records = append(records, func() {
			m.log(context.Background(), eventHealth, slog.String("before", before.String()),
				slog.String("after", health.State.String()), slog.String("reasons", strings.Join(reasons, ", ")))
		})
	}
	for _, record := range records { // the logger's handler may ask for the health
		record()
	}
	return health
}

// keep adds a snapshot to the history, and returns the one that each rule compares it with.
func (m *Monitor) keep(s *Snapshot) (befores []*Snapshot) {
	h := &m.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.history); n >= 2 && s.At.Sub(h.history[n-2].At) < h.apart {
		h.history[n-1] = s // each request of /health checks, and a client can send many
	} else {
		h.history = append(h.history, s)
	}
	for len(h.history) > 2 && s.At.Sub(h.history[1].At) >= h.span {
		h.history[0] = nil
		h.history = h.history[1:]
	}
	m.keepPoint(s)
	for i := range h.rules {
		befores = append(befores, h.before(s.At, h.rules[i].Span))
	}
	return befores
}

// value calls Value.
func (r Rule) value(now, before *Snapshot) (v float64, err error) {
	err = contain.Call(func() string { return fmt.Sprintf("Value of rule %q", r.Name) },
		func() error { v = r.Value(now, before); return nil })
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = fmt.Errorf("telemetry: Value of rule %q is %v, want a finite number: %w", r.Name, v, compute.ErrRange)
	}
	return v, err
}

// checkRule raises or clears an alert. It returns what to log, nil for nothing. The health's lock
// is held.
func (m *Monitor) checkRule(r *ruleState, now time.Time, value float64, failed error) (record func()) {
	if failed != nil {
		first := r.failed == nil
		if r.failed = failed; first {
			r.since = now
			return func() {
				m.log(context.Background(), eventFunction, slog.String("function", fmt.Sprintf("Value of rule %q", r.Name)),
					slog.Any("error", failed))
			}
		}
		return nil
	}
	r.value, r.failed, r.since = value, nil, time.Time{}
	switch {
	case value >= r.Raise && r.above.IsZero():
		r.above = now
	case value < r.Raise:
		r.above = time.Time{}
	}
	var event int
	switch {
	case r.raised.IsZero() && !r.above.IsZero() && now.Sub(r.above) >= r.For:
		r.raised, event = now, eventRaised
	case !r.raised.IsZero() && value < r.Clear:
		r.raised, event = time.Time{}, eventCleared
	default:
		return nil
	}
	attrs := []slog.Attr{slog.String("alert", r.Name), slog.String("severity", r.Severity.String()),
		slog.Float64("value", value), slog.Float64("limit", r.Raise)}
	return func() { m.log(context.Background(), event, attrs...) }
}

// Health returns the health at the last check.
func (m *Monitor) Health() Health {
	if m.missing() {
		return Health{}
	}
	m.health.mu.Lock()
	defer m.health.mu.Unlock()
	return m.health.report()
}

// report returns the health. The lock is held.
func (h *health) report() Health {
	r := Health{State: h.now, Alerts: []Alert{}}
	for i := range h.rules {
		x := &h.rules[i]
		switch {
		case x.failed != nil:
			since := cmp.Or(x.raised, x.since)
			text, _, _ := strings.Cut(x.failed.Error(), "\n") // the stack is in the log
			r.Alerts = append(r.Alerts, Alert{x.Name, x.severity(), since, x.value, x.Raise, text})
		case !x.raised.IsZero():
			r.Alerts = append(r.Alerts, Alert{x.Name, x.Severity, x.raised, x.value, x.Raise, ""})
		}
	}
	return r
}

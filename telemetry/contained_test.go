package telemetry

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/internal/test/handletest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misbehaviors are what functions of a program do instead of returning.
var misbehaviors = map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit}

// TestContainedValue: a rule's Value that does not return a number is an alert that says so, and
// the other rules are checked, also by the monitor's own goroutine.
func TestContainedValue(t *testing.T) {
	bad := map[string]func() float64{"number": func() float64 { return math.NaN() },
		"infinity": func() float64 { return math.Inf(1) }}
	for name, misbehave := range misbehaviors {
		bad[name] = func() float64 { misbehave(); return 0 }
	}
	for name, value := range bad {
		t.Run(name, func(t *testing.T) {
			called := make(chan struct{})
			var r recordList
			m := watch(t, computetest.Open(t), Options{Interval: time.Millisecond, Logger: slog.New(&r), Rules: []Rule{
				{Name: "bad", Severity: Failing, Raise: 2, Value: func(*Snapshot, *Snapshot) float64 {
					called <- struct{}{}
					return value()
				}},
				{Name: "fine", Severity: Degraded, Raise: 1, Value: func(*Snapshot, *Snapshot) float64 { return 3 }},
			}})
			<-called
			<-called // the goroutine goes on
			go func() {
				for range called {
				}
			}()
			answer := httptest.NewRecorder()
			m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/health", nil))
			assert.Equal(t, 200, answer.Code)
			var h struct {
				State  string
				Alerts []struct {
					Name, Severity, Error string
					Value                 float64
				}
			}
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &h))
			assert.Equal(t, "degraded", h.State)
			require.Len(t, h.Alerts, 2)
			assert.Equal(t, "bad", h.Alerts[0].Name)
			assert.Equal(t, "degraded", h.Alerts[0].Severity)
			assert.Contains(t, h.Alerts[0].Error, `Value of rule "bad"`)
			assert.Equal(t, 3.0, h.Alerts[1].Value)
			assert.Empty(t, h.Alerts[1].Error)
			assert.Contains(t, m.Report().String(), `bad: not known: `)
			m.Close()
			close(called)
			assert.Equal(t, 1, r.count("PM701"), "the first time only")
		})
	}
}

// TestContainedValueAgain: the alert of a rule whose Value does not return ends when it does again.
func TestContainedValueAgain(t *testing.T) {
	bad := true
	m := watch(t, computetest.Open(t), Options{Rules: []Rule{{Name: "r", Severity: Failing, Raise: 2,
		Value: func(*Snapshot, *Snapshot) float64 {
			if bad {
				panic("boom")
			}
			return 1
		}}}})
	require.Equal(t, Degraded, m.Check().State)
	bad = false
	require.Equal(t, Health{State: Healthy, Alerts: []Alert{}}, m.Check())
}

// TestContainedExemplar: work and figures go on without labels.
func TestContainedExemplar(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := computetest.Open(t)
			var r recordList
			m := watch(t, a, Options{Logger: slog.New(&r),
				Exemplar: func(context.Context) map[string]string { misbehave(); return nil }})
			launchOnce(t, a)
			now := m.Snapshot()
			assert.EqualValues(t, 1, now.Value("puremetal_device_seconds"))
			assert.EqualValues(t, 1, now.Value("puremetal_kernel_timed_launches_total"))
			assert.NotZero(t, r.count("PM701"))
		})
	}
}

// TestContainedLogger: a log handler that does not return stops neither work nor checks, and may
// ask for the health.
func TestContainedLogger(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := computetest.Open(t)
			logged := make(chan struct{})
			var m *Monitor
			watched := make(chan struct{})
			m = watch(t, a, Options{Interval: time.Millisecond,
				Logger: slog.New(badLog(func() { <-watched; m.Health(); logged <- struct{}{}; misbehave() })),
				Rules:  []Rule{{Name: "changes", Severity: Degraded, Raise: 1, Value: alternating()}}})
			close(watched)
			for range 3 {
				<-logged
			}
			go func() {
				for range logged {
				}
			}()
			launchOnce(t, a)
			m.Close()
			close(logged)
		})
	}
}

// alternating returns a Value that raises and clears an alert again and again.
func alternating() func(now, before *Snapshot) float64 {
	n := 0
	return func(*Snapshot, *Snapshot) float64 { n++; return float64(n % 2) }
}

// badLog is a log handler that does not return.
type badLog func()

func (h badLog) Enabled(context.Context, slog.Level) bool  { return true }
func (h badLog) Handle(context.Context, slog.Record) error { h(); return nil }
func (h badLog) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h badLog) WithGroup(string) slog.Handler             { return h }

// recordList is a log handler that keeps the IDs of records.
type recordList struct {
	mu  sync.Mutex
	ids []string
}

func (h *recordList) Enabled(context.Context, slog.Level) bool { return true }
func (h *recordList) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool { h.ids = append(h.ids, a.Value.String()); return false })
	return nil
}
func (h *recordList) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *recordList) WithGroup(string) slog.Handler      { return h }

// count returns how many records of a kind there are.
func (h *recordList) count(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(h.ids), func(x string) bool { return x != id }))
}

// launchOnce executes a launch.
func launchOnce(t *testing.T, a *compute.Accelerator) {
	t.Helper()
	k, s := kernelOf(t, a, "twice"), streamOf(t, a, "s")
	x, err := compute.NewZeroed[uint32](t.Context(), a, 4, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(x.Close)
	require.NoError(t, s.Sync(t.Context()))
	require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(4), x))
	require.NoError(t, s.Sync(t.Context()))
}

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	s := m.Snapshot()
	handletest.Check(t, handletest.Package{
		Handles: []any{m, a},
		Foreign: []any{a},
		Values:  []any{s, t.Name()},
		Functions: map[string]any{"Watch": func(a *compute.Accelerator, o Options) error {
			m, err := Watch(a, o)
			m.Close()
			return err
		}},
		Without: []string{"Grown", "DefaultRules", "Events", "Definitions", // functions
			"Report", "KernelReport", "State", "Snapshot"}, // data
		Ends: []string{"Monitor.Close"},
		Err:  compute.ErrNil,
	})
}

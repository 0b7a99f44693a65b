package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

const source = `
kernel void add(device uint *x [[buffer(0)]], constant uint &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  x[i] += by;
}
kernel void twice(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }
kernel void long_one(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint v = x[i];
  for (uint n = 0; n < 4000; n++) v = v * 1664525 + 1013904223;
  x[i] = v;
}
`

func watch(t testing.TB, a *compute.Accelerator, o Options) *Monitor {
	t.Helper()
	if o.Interval == 0 {
		o.Interval = -1
	}
	m, err := Watch(a, o)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

func kernelOf(t testing.TB, a *compute.Accelerator, name string) *compute.Kernel {
	t.Helper()
	p, err := a.Compile(context.Background(), source, compute.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return k
}

func streamOf(t testing.TB, a *compute.Accelerator, label string) *compute.Stream {
	t.Helper()
	s, err := a.NewStream(compute.StreamOptions{Label: label})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) }) // the failures are expected
	return s
}

// inject makes the software device fail until the test ends.
func inject(t *testing.T, a *compute.Accelerator, f softmetal.Faults) {
	t.Helper()
	if softmetal.Opened() == nil {
		t.Skip("only the software device fails on demand")
	}
	id := objcsoft.ID(a.Device().ID())
	require.NoError(t, softmetal.Inject(softmetal.Opened(), id, f))
	t.Cleanup(func() { assert.NoError(t, softmetal.Inject(softmetal.Opened(), id, softmetal.Faults{})) })
}

// TestMetrics: after random work, each metric has the value that the test has counted itself.
func TestMetrics(t *testing.T) {
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	ctx, rnd := t.Context(), rand.New(rand.NewPCG(4, 4))
	want := map[string]float64{}
	kernels := map[string]*compute.Kernel{}
	for _, name := range []string{"add", "twice"} {
		kernels[name] = kernelOf(t, a, name)
	}
	want["puremetal_compiles_total program ok"], want["puremetal_compiles_total kernel ok"] = 1, 2
	want["puremetal_cache_requests_total program miss"], want["puremetal_cache_requests_total program hit"] = 1, 1
	want["puremetal_cache_requests_total kernel miss"] = 2
	_, err := a.Compile(ctx, "kernel void broken(", compute.CompileOptions{})
	require.Error(t, err)
	want["puremetal_compiles_total program error"] = 1
	want["puremetal_cache_requests_total program miss"]++
	streams := []*compute.Stream{streamOf(t, a, "one"), streamOf(t, a, "two")}
	var buffers []*compute.Buffer[uint32]
	for i := range 4 {
		n := 1 << (6 + i)
		b, err := compute.NewBuffer[uint32](a, n, compute.BufferOptions{})
		require.NoError(t, err)
		buffers = append(buffers, b)
		want["puremetal_allocations_total ok"]++
		want["puremetal_allocated_bytes"] += float64(4 * n)
		require.NoError(t, b.Upload(ctx, make([]uint32, n)))
		want["puremetal_transfer_bytes_total upload"] += float64(4 * n)
	}
	want["puremetal_allocated_peak_bytes"] = want["puremetal_allocated_bytes"]
	for range 300 {
		s, x := streams[rnd.IntN(2)], buffers[rnd.IntN(4)]
		switch rnd.IntN(5) {
		case 0, 1:
			require.NoError(t, s.Launch(ctx, kernels["add"], compute.Threads1D(x.Len()), x, uint32(1)))
			want["puremetal_launches_total add"]++
			want["puremetal_threads_total add"] += float64(x.Len())
			want["puremetal_commands_total launch"]++
		case 2:
			require.NoError(t, s.Launch(ctx, kernels["twice"], compute.Threads1D(64), x))
			want["puremetal_launches_total twice"]++
			want["puremetal_threads_total twice"] += 64
			want["puremetal_commands_total launch"]++
		case 3:
			require.NoError(t, compute.Fill(ctx, s, x, 1))
			want["puremetal_commands_total fill"]++
			want["puremetal_copied_bytes_total"] += float64(x.Size())
		case 4:
			require.NoError(t, s.Sync(ctx))
		}
	}
	require.NoError(t, a.Sync(ctx))
	data := make([]uint32, 64)
	require.NoError(t, buffers[0].Download(ctx, data))
	want["puremetal_transfer_bytes_total download"] = 256
	_, err = compute.NewBuffer[uint32](a, 1<<50, compute.BufferOptions{})
	require.ErrorIs(t, err, compute.ErrOutOfMemory)
	want["puremetal_allocations_total error"] = 1
	buffers[3].Close()
	want["puremetal_allocated_bytes"] -= 4 * 512
	want["puremetal_returned_bytes_total"] = 4 * 512
	within, end := a.Operation(ctx, "step")
	_, endInner := a.Operation(within, "part")
	endInner()
	end()
	a.Recovered(observe.RecoverEvent{Kind: observe.RecoveryRetry})
	want["puremetal_recoveries_total retry"] = 1

	s := m.Snapshot()
	for key, value := range want {
		f := strings.Fields(key)
		assert.EqualValues(t, value, s.Value(f[0], f[1:]...), key)
	}
	stats := a.Stats()
	assert.EqualValues(t, stats.CommandBuffers, s.Value("puremetal_command_buffers_total", "ok"))
	for _, name := range []string{"puremetal_device_seconds", "puremetal_encode_seconds", "puremetal_latency_seconds",
		"puremetal_queue_seconds"} {
		assert.EqualValues(t, stats.CommandBuffers, s.Value(name), name)
	}
	assert.EqualValues(t, 5, s.Value("puremetal_allocation_seconds"))
	assert.EqualValues(t, 4, s.Value("puremetal_compile_seconds"))
	assert.EqualValues(t, 5, s.Value("puremetal_transfer_seconds"))
	assert.EqualValues(t, 1, s.Value("puremetal_operation_seconds", "step"))
	assert.EqualValues(t, 1, s.Value("puremetal_operation_seconds", "part"))
	assert.Zero(t, s.Value("puremetal_in_flight"))
	assert.Zero(t, s.Value("puremetal_stream_depth"))
	for _, x := range s.Metrics {
		if x.Name == "puremetal_device_seconds" {
			d := x.Samples[0].Distribution
			assert.InDelta(t, stats.DeviceTime.Seconds(), d.Sum, 1e-6*float64(d.Count))
			assert.Equal(t, d.Count, d.Buckets[len(d.Buckets)-1].Count)
			assert.LessOrEqual(t, d.P50, d.P99)
		}
	}
	for _, b := range buffers {
		b.Close()
	}
}

// TestDefined: all metrics are defined once, in order, and no others are made.
func TestDefined(t *testing.T) {
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	all := Definitions()
	require.True(t, slices.IsSortedFunc(all, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) }))
	for name, samples := range m.values() {
		i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		for _, s := range samples {
			require.Len(t, s.Labels, len(all[i].Labels), name)
		}
	}
	_, err := Watch(nil, Options{})
	require.ErrorIs(t, err, compute.ErrNil)
	_, err = Watch(a, Options{Kernels: -1})
	require.ErrorIs(t, err, compute.ErrOption)
	_, err = Watch(a, Options{Rules: []Rule{{Name: "x"}}})
	require.ErrorIs(t, err, compute.ErrOption)
}

// TestDocumented: the page's tables are those of the package.
func TestDocumented(t *testing.T) {
	const file = "../docs/telemetry.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	made := string(text)
	for begin, table := range map[string]string{"<!-- metrics -->\n": table(), "<!-- events -->\n": eventTable()} {
		before, rest, ok := strings.Cut(made, begin)
		require.True(t, ok, begin)
		_, after, ok := strings.Cut(rest, "<!-- end -->\n")
		require.True(t, ok, begin)
		made = before + begin + table + "<!-- end -->\n" + after
	}
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(made), 0o644))
		return
	}
	require.Equal(t, string(text), made, "run with PUREMETAL_UPDATE=1")
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestAlert: an alert is raised when command buffers fail and cleared when they no longer do,
// health follows, and the log has both.
func TestAlert(t *testing.T) {
	a := computetest.Open(t)
	c, log := &clock{now: time.Unix(1e9, 0)}, &bytes.Buffer{}
	m := watch(t, a, Options{Now: c.Now, Logger: slog.New(slog.NewJSONHandler(log, nil)),
		Slow: 1e6}) // the machine may be busy
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	status := func() (int, Health) {
		r, err := http.Get(server.URL + "/health")
		require.NoError(t, err)
		defer r.Body.Close()
		var h struct {
			State  string
			Alerts []struct{ Name string }
		}
		require.NoError(t, json.NewDecoder(r.Body).Decode(&h))
		require.Equal(t, h.State, m.Health().State.String())
		return r.StatusCode, m.Health()
	}
	s, k := streamOf(t, a, "s"), kernelOf(t, a, "twice")
	x, err := compute.NewZeroed[uint32](t.Context(), a, 64, compute.BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	run := func(n int) {
		for range n {
			require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(64), x))
			_ = s.Sync(t.Context())
		}
	}
	code, h := status()
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, Healthy, h.State)
	run(100)
	c.add(10 * time.Second)
	_, h = status()
	require.Equal(t, Healthy, h.State)
	inject(t, a, softmetal.Faults{CommandEvery: 10, CommandCode: int(mtl.CommandBufferErrorInternal)})
	run(100)
	c.add(10 * time.Second)
	_, h = status()
	require.Equal(t, Degraded, h.State)
	require.Equal(t, "some command buffers fail", h.Alerts[0].Name)
	require.InDelta(t, 0.05, h.Alerts[0].Value, 0.001)
	inject(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorInternal)})
	c.add(time.Minute)
	m.Check()
	run(200)
	c.add(10 * time.Second)
	code, h = status()
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, Failing, h.State)
	require.Len(t, h.Alerts, 2)
	inject(t, a, softmetal.Faults{})
	run(150)
	c.add(20 * time.Second)
	_, h = status()
	require.Equal(t, Failing, h.State, "more than a quarter of the last minute")
	run(1000)
	c.add(20 * time.Second)
	_, h = status()
	require.Equal(t, Degraded, h.State)
	c.add(time.Minute)
	m.Check()
	run(10)
	c.add(time.Second)
	code, h = status()
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, Healthy, h.State)
	require.Empty(t, h.Alerts)

	ids := map[string]int{}
	for line := range strings.Lines(log.String()) {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		id, _ := r["event"].(string)
		ids[id]++
		i := slices.IndexFunc(events[:], func(e Event) bool { return e.ID == id })
		require.GreaterOrEqual(t, i, 0, line)
		require.Equal(t, events[i].Level.String(), r["level"])
		for _, name := range events[i].Attributes {
			require.Contains(t, r, name, line)
		}
		require.Len(t, r, len(events[i].Attributes)+4, line)
	}
	require.Equal(t, map[string]int{"PM101": 210, "PM601": 3, "PM602": 3, "PM603": 5}, ids)
}

// TestRuleFor: an alert waits until the figure has been too high for a while.
func TestRuleFor(t *testing.T) {
	a := computetest.Open(t)
	c, value := &clock{now: time.Unix(1e9, 0)}, 0.0
	m := watch(t, a, Options{Now: c.Now, Rules: []Rule{{Name: "r", Severity: Failing, Raise: 5, Clear: 3,
		For: 10 * time.Second, Value: func(_, _ *Snapshot) float64 { return value }}}})
	for i, step := range []struct {
		after time.Duration
		value float64
		want  State
	}{{0, 9, Healthy}, {9 * time.Second, 9, Healthy}, {time.Second, 4, Healthy}, {time.Second, 5, Healthy},
		{10 * time.Second, 6, Failing}, {time.Second, 3, Failing}, {time.Second, 2.9, Healthy}} {
		c.add(step.after)
		value = step.value
		require.Equal(t, step.want, m.Check().State, "step %d", i)
	}
}

// TestHistogram: percentiles are those of the values to a hundredth, and windows forget.
func TestHistogram(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	h := &histogram{trends: []*trend{newTrend(time.Minute), newTrend(time.Hour)}}
	start := time.Unix(1e9, 0)
	var values []float64
	for range 20000 {
		d := time.Duration(rnd.ExpFloat64() * float64(3*time.Millisecond))
		values = append(values, d.Seconds())
		h.add(d, start)
	}
	slices.Sort(values)
	d := h.distribution()
	require.EqualValues(t, len(values), d.Count)
	for _, q := range []struct{ at, got float64 }{{0.5, d.P50}, {0.9, d.P90}, {0.95, d.P95}, {0.99, d.P99},
		{1, d.Max}} {
		want := values[min(int(q.at*float64(len(values))), len(values)-1)]
		require.InDelta(t, want, q.got, 0.02*want+2e-6, "quantile %g", q.at)
	}
	for _, b := range d.Buckets {
		n, _ := slices.BinarySearch(values, b.Most+1e-12)
		require.EqualValues(t, n, b.Count, "up to %g", b.Most)
	}
	counts := func(after time.Duration) (list []uint64) {
		for _, t := range h.latest(start.Add(after)) {
			list = append(list, t.Count)
		}
		return list
	}
	require.Equal(t, []uint64{20000, 20000}, counts(50*time.Second))
	for _, trend := range h.latest(start.Add(50 * time.Second)) {
		require.InEpsilon(t, d.Sum, trend.Sum, 0.01)
	}
	require.Equal(t, []uint64{0, 20000}, counts(71*time.Second))
	h.add(time.Second, start.Add(75*time.Second))
	require.Equal(t, []uint64{1, 20001}, counts(76*time.Second))
	require.Equal(t, []uint64{0, 0}, counts(48*time.Hour))
}

// TestLimits: kernels beyond the limit are counted together, and streams that are gone do not stay.
func TestLimits(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{Kernels: 3})
	for i := range uint64(10) {
		s := observe.StreamID{Number: i, Label: fmt.Sprint("s", i)}
		m.record(observe.RecordEvent{At: time.Now(), Stream: s, Number: 1, Kernel: fmt.Sprint("k", i), Threads: 5})
		m.committed(observe.CommitEvent{Buffer: observe.BufferID{Stream: s, Number: 1, First: 1, Last: 1}})
		m.completed(observe.CompleteEvent{
			Buffer: observe.BufferID{Stream: s, Number: 1, First: 1, Last: 1, Commands: 1}})
		name := fmt.Sprint("o", i)
		m.operationStart(observe.OperationEvent{ID: observe.OperationID{Name: name, Number: i}})
		m.operationEnd(observe.OperationEvent{ID: observe.OperationID{Name: name, Number: i}})
	}
	s := m.Snapshot()
	require.EqualValues(t, 10, s.Value("puremetal_launches_total"))
	require.EqualValues(t, 7, s.Value("puremetal_launches_total", other))
	require.EqualValues(t, 10, s.Value("puremetal_operation_seconds"))
	require.EqualValues(t, 7, s.Value("puremetal_operation_seconds", other))
	require.LessOrEqual(t, len(m.streams), 3)
}

// TestSlowKernel: a kernel that becomes slow is reported once, and raises an alert.
func TestSlowKernel(t *testing.T) {
	log := &bytes.Buffer{}
	m := watch(t, computetest.Open(t), Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	s, n := observe.StreamID{Number: 7}, uint64(0)
	run := func(times int, took float64) {
		for range times {
			n++
			b := observe.BufferID{Stream: s, Number: n, First: n, Last: n, Commands: 1}
			m.record(observe.RecordEvent{Stream: s, Number: n, Kernel: "k", Threads: 64})
			m.completed(observe.CompleteEvent{Buffer: b, DeviceStart: 5, DeviceEnd: 5 + took})
		}
	}
	run(80, 0.001)
	require.Equal(t, Healthy, m.Check().State)
	run(60, 0.002)
	require.Equal(t, Degraded, m.Check().State)
	require.Equal(t, 1, strings.Count(log.String(), "event=PM501"))
	run(60, 0.001)
	require.Equal(t, Healthy, m.Check().State)
	require.Equal(t, 1, strings.Count(log.String(), "event=PM502"))
	require.InDelta(t, 0.260, m.Snapshot().Value("puremetal_kernel_device_seconds_total", "k"), 1e-6)
}

// TestPages: report and page answer, and expvar has the snapshot.
func TestPages(t *testing.T) {
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	get := func(path, accept string) string {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		require.NoError(t, err)
		q.Header.Set("Accept", accept)
		r, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		defer r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode)
		var b bytes.Buffer
		_, err = b.ReadFrom(r.Body)
		require.NoError(t, err)
		return b.String()
	}
	require.Contains(t, get("/report", ""), a.Info().Name+": healthy\n")
	var r Report
	text := get("/report", "application/json")
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(text, `"healthy"`, "0", 1)), &r))
	require.Equal(t, a.Info().Name, r.Device)
	html := get("/debug/puremetal", "")
	require.Contains(t, html, "fetch(\"../report\"")
	require.NotContains(t, html, "http", "no other host")
	name := fmt.Sprint("puremetal_test_", time.Now().UnixNano()) // expvar keeps names
	require.NoError(t, m.Publish(name))
	require.Contains(t, expvar.Get(name).String(), `"puremetal_launches_total"`)
	require.ErrorIs(t, m.Publish(name), compute.ErrOption)
}

// BenchmarkWatch compares launches with and without a monitor, in turn: of a small kernel, and of
// one that takes about a hundred microseconds.
func BenchmarkWatch(b *testing.B) {
	for _, c := range []struct {
		kernel  string
		threads int
	}{{"twice", 64}, {"long_one", 4096}} {
		b.Run(c.kernel, func(b *testing.B) {
			a := computetest.Open(b)
			k, s := kernelOf(b, a, c.kernel), streamOf(b, a, "s")
			x, err := compute.NewZeroed[uint32](b.Context(), a, c.threads, compute.BufferOptions{})
			require.NoError(b, err)
			defer x.Close()
			l, err := k.Bind(compute.Threads1D(c.threads), x)
			require.NoError(b, err)
			ways := []func() func(){
				func() func() { return func() {} },
				func() func() {
					stop, err := a.Observe(&observe.Observer{})
					require.NoError(b, err)
					return stop
				},
				func() func() {
					m, err := Watch(a, Options{Interval: -1})
					require.NoError(b, err)
					return m.Close
				},
			}
			const launches = 500
			times := make([][]time.Duration, len(ways))
			for b.Loop() {
				for i, way := range ways {
					stop := way()
					began := time.Now()
					for range launches {
						require.NoError(b, s.Run(b.Context(), l))
					}
					require.NoError(b, s.Sync(b.Context()))
					times[i] = append(times[i], time.Since(began))
					stop()
				}
			}
			median := func(i int) float64 {
				slices.Sort(times[i])
				return float64(times[i][len(times[i])/2])
			}
			b.ReportMetric(median(0)/launches, "ns/launch")
			b.ReportMetric(median(1)/median(0), "empty/none")
			b.ReportMetric(median(2)/median(0), "monitor/none")
		})
	}
}

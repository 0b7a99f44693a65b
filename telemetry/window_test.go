package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

// failHalf launches a kernel some times, and every second command buffer fails.
func failHalf(t *testing.T, a *compute.Accelerator, times int) {
	t.Helper()
	inject(t, a, softmetal.Faults{CommandEvery: 2, CommandCode: int(mtl.CommandBufferErrorInternal)})
	s, k := streamOf(t, a, "s"), kernelOf(t, a, "twice")
	x, err := compute.NewBuffer[uint32](a, 64, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(x.Close)
	for range times {
		require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(64), x))
		_ = s.Sync(t.Context())
	}
}

// TestFirstWindow: failures before the first check count, as the watch began before them.
func TestFirstWindow(t *testing.T) {
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	failHalf(t, a, 60)
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/health", nil))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code, answer.Body)
	require.Contains(t, answer.Body.String(), "most command buffers fail")
}

// TestShortJob: the health of a job that ends before the first interval is that of its work, in the
// report and after the watch has ended.
func TestShortJob(t *testing.T) {
	a, log := computetest.Open(t), &bytes.Buffer{}
	c := &clock{now: time.Unix(1e9, 0)}
	m := watch(t, a, Options{Interval: time.Hour, Now: c.Now, Logger: slog.New(slog.NewTextHandler(log, nil))})
	failHalf(t, a, 20)
	require.Equal(t, Failing, m.Report().Health.State)
	m.Close()
	require.Contains(t, log.String(), "event=PM603")
	c.add(time.Hour)
	require.Equal(t, Failing, m.Check().State, "nobody has watched since")
	require.Equal(t, Failing, m.Health().State)

	m = watch(t, a, Options{Interval: time.Hour})
	failHalf(t, a, 20)
	m.Close()
	require.Equal(t, Failing, m.Health().State, "Close checks")
	m.Close()
}

// TestKernelTimes: launches that share command buffers have times, as far as the device's times
// belong to one kernel, and the count beside the times gives their mean.
func TestKernelTimes(t *testing.T) {
	ctx := t.Context()
	a := computetest.Open(t)
	m := watch(t, a, Options{})
	long, twice, s := kernelOf(t, a, "long_one"), kernelOf(t, a, "twice"), streamOf(t, a, "s")
	x, err := compute.NewZeroed[uint32](ctx, a, 256, compute.BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, s.Sync(ctx))
	before := a.Stats().DeviceTime
	for range 4 {
		for range 10 {
			require.NoError(t, s.Launch(ctx, long, compute.Threads1D(256), x))
		}
		require.NoError(t, s.Sync(ctx))
	}
	now := m.Snapshot()
	require.EqualValues(t, 40, now.Value("puremetal_launches_total", "long_one"))
	require.EqualValues(t, 40, now.Value("puremetal_kernel_timed_launches_total", "long_one"))
	require.InDelta(t, (a.Stats().DeviceTime - before).Seconds(),
		now.Value("puremetal_kernel_device_seconds_total", "long_one"), 1e-6)
	k := m.Report().Kernels[0]
	mean, ok := k.Mean()
	require.True(t, ok)
	require.Equal(t, k.Device/40, mean)

	stop, err := a.Observe(&observe.Observer{LaunchTimes: observe.LaunchTimesByCounter})
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, s.Launch(ctx, long, compute.Threads1D(256), x))
		require.NoError(t, s.Launch(ctx, twice, compute.Threads1D(256), x))
	}
	require.NoError(t, s.Sync(ctx))
	stop()
	now = m.Snapshot()
	require.EqualValues(t, 45, now.Value("puremetal_kernel_timed_launches_total", "long_one"))
	require.EqualValues(t, 5, now.Value("puremetal_kernel_timed_launches_total", "twice"))
	require.Greater(t, now.Value("puremetal_kernel_device_seconds_total", "long_one"),
		now.Value("puremetal_kernel_device_seconds_total", "twice"))
}

// TestKernelTimesMixed: the time of a command buffer belongs to a kernel only if nothing else is in
// it, and times by counters belong to their launches.
func TestKernelTimesMixed(t *testing.T) {
	for _, c := range []struct {
		name    string
		kernels []string // "" is a copy
		timed   []observe.LaunchTime
		lost    int // commands that were recorded before the watch began
		want    string
	}{
		{"alone", []string{"a"}, nil, 0, "a 1 9s"},
		{"one kernel", []string{"a", "a", "a"}, nil, 0, "a 3 9s"},
		{"two kernels", []string{"a", "b", "a"}, nil, 0, ""},
		{"first differs", []string{"b", "a", "a"}, nil, 0, ""},
		{"with a copy", []string{"a", "", "a"}, nil, 0, ""},
		{"before the watch", []string{"a", "a"}, nil, 1, ""},
		{"counters", []string{"a", "b", "", "a"}, timesOf(1, 0, 1, 2, 1, 3, 4, 3, 6), 0,
			"a 2 4s, b 1 2s"},
		{"some counters", []string{"a", "a", "a"}, timesOf(2, 1, 3), 0, "a 1 2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := watch(t, computetest.Open(t), Options{})
			s := observe.StreamID{Number: 1}
			for i, kernel := range c.kernels {
				kind := observe.CommandLaunch
				if kernel == "" {
					kind = observe.CommandCopy
				}
				m.record(observe.RecordEvent{Stream: s, Number: uint64(i + 1), Kind: kind, Kernel: kernel})
			}
			n := len(c.kernels)
			m.completed(observe.CompleteEvent{DeviceStart: 1, DeviceEnd: 10, Launches: c.timed,
				Buffer: observe.BufferID{Stream: s, First: 1, Last: uint64(n), Commands: n + c.lost}})
			var got []string
			for _, k := range m.Report().Kernels {
				if k.Timed > 0 {
					got = append(got, fmt.Sprint(k.Name, " ", k.Timed, " ", k.Device))
				}
			}
			require.Equal(t, c.want, strings.Join(got, ", "))
		})
	}
}

// TestSlowByLaunch: with times of launches, kernels that share command buffers are compared too.
func TestSlowByLaunch(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{LaunchTimes: observe.LaunchTimesByCounter})
	s, n := observe.StreamID{Number: 7}, uint64(0)
	run := func(times int, took float64) {
		for range times {
			for i, kernel := range []string{"k", "other one"} {
				m.record(observe.RecordEvent{Stream: s, Number: n + 1 + uint64(i), Kernel: kernel, Threads: 64})
			}
			m.completed(observe.CompleteEvent{DeviceStart: 5, DeviceEnd: 6,
				Buffer:   observe.BufferID{Stream: s, First: n + 1, Last: n + 2, Commands: 2},
				Launches: timesOf(float64(n+1), 5, 5+took, float64(n+2), 5.5, 5.501)})
			n += 2
		}
	}
	run(80, 0.001)
	run(60, 0.002)
	require.EqualValues(t, 1, m.Snapshot().Value("puremetal_slow_kernels"))
}

// TestReportUnknown: the report does not show times that are not known as zeros.
func TestReportUnknown(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{})
	m.record(observe.RecordEvent{Stream: observe.StreamID{Number: 1}, Number: 1, Kernel: "k", Threads: 64})
	text := m.Report().String()
	require.Regexp(t, `\n +k +1 +64 +0 +not known +not known *\n`, text)
	require.NotContains(t, text, "p50")
}

// TestPoints: the report has the latest history, which is bounded.
func TestPoints(t *testing.T) {
	c := &clock{now: time.Unix(1e9, 0)}
	a := computetest.Open(t)
	m := watch(t, a, Options{Now: c.Now})
	s := observe.StreamID{Number: 1}
	for i := range uint64(5 * maxPoints) {
		m.record(observe.RecordEvent{Stream: s, Number: i + 1, Kernel: "k"})
		m.committed(observe.CommitEvent{Buffer: observe.BufferID{Stream: s, Number: i + 1}, At: c.Now()})
		c.add(500 * time.Millisecond)
		e := observe.CompleteEvent{Buffer: observe.BufferID{Stream: s, Number: i + 1, First: i + 1, Last: i + 1}, At: c.Now(),
			DeviceStart: 1, DeviceEnd: 1.25}
		if i%2 == 0 {
			e.Err = compute.ErrExecution
		}
		m.completed(e)
		m.Check()
	}
	list := m.Report().History
	require.Len(t, list, maxPoints)
	last, first := list[maxPoints-1], list[0]
	require.Equal(t, c.Now(), last.At)
	require.EqualValues(t, 5*maxPoints, last.Launches)
	require.EqualValues(t, 5*maxPoints, last.Buffers)
	require.EqualValues(t, 5*maxPoints/2, last.Failures)
	buffers := float64(last.Buffers - first.Buffers)
	require.InDelta(t, 0.125*buffers, last.Device-first.Device, 0.2)
	require.InDelta(t, 0.5*buffers, last.Latency-first.Latency, 0.2)
	for i, p := range list[2:] {
		require.GreaterOrEqual(t, p.At.Sub(list[i].At), pointsApart)
	}
}

// TestPageSecurity: pages allow no source but themselves, and the root leads to the page, also
// under a prefix.
func TestPageSecurity(t *testing.T) {
	m := watch(t, computetest.Open(t), Options{})
	mux := http.NewServeMux()
	mux.Handle("/", m.Handler())
	mux.Handle("/gpu0/", http.StripPrefix("/gpu0", m.Handler()))
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(path string) (*http.Response, string) {
		r, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer r.Body.Close()
		var b bytes.Buffer
		_, err = b.ReadFrom(r.Body)
		require.NoError(t, err)
		return r, b.String()
	}
	for _, path := range []string{"/", "/health", "/report", "/debug/puremetal", "/gpu0/", "/gpu0/report", "/none"} {
		r, _ := get(path)
		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"), path)
		require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'", path)
	}
	for _, path := range []string{"/", "/gpu0/"} {
		r, html := get(path)
		require.Equal(t, http.StatusOK, r.StatusCode)
		require.Equal(t, path+"debug/puremetal", r.Request.URL.Path)
		for _, tag := range []string{"script", "style"} {
			parts := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(html, -1)
			require.Len(t, parts, 1, "the policy allows one")
			sum := sha256.Sum256([]byte(parts[0][1]))
			assert.Contains(t, r.Header.Get("Content-Security-Policy"),
				tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		}
		require.NotRegexp(t, ` style="| on[a-z]+="`, html, "the policy refuses them")
	}
	_, body := get("/none")
	require.Contains(t, body, "404")
	q := httptest.NewRequest(http.MethodGet, "/report", nil)
	q.Header.Set("Accept", "application/json")
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, q)
	var raw struct{ History []Point }
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &raw))
	require.NotEmpty(t, raw.History, "for the charts")
}

// timesOf returns the times of launches: of each, its number, start and end.
func timesOf(figures ...float64) (list []observe.LaunchTime) {
	for c := range slices.Chunk(figures, 3) {
		list = append(list, observe.LaunchTime{Number: uint64(c[0]), Start: c[1], End: c[2]})
	}
	return list
}

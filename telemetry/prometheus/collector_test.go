package prometheus

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/telemetry"
)

// TestScrape: Prometheus's own parser reads all metrics, with the values of the snapshot.
func TestScrape(t *testing.T) {
	ctx := context.Background()
	acc, err := compute.Open()
	require.NoError(t, err)
	defer func() { require.NoError(t, acc.Close(ctx)) }()
	mon, err := telemetry.Watch(acc, telemetry.Options{Interval: -1})
	require.NoError(t, err)
	defer mon.Close()
	p, err := acc.Compile(ctx, `
kernel void k(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i]++; }`, compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	x, err := compute.NewZeroed[uint32](ctx, acc, 64, compute.BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	s, err := acc.NextStream()
	require.NoError(t, err)
	within, done := acc.Operation(ctx, "counting")
	defer done()
	for range 25 {
		require.NoError(t, s.Launch(within, k, compute.Threads1D(64), x))
	}
	require.NoError(t, acc.Sync(ctx))
	_, end := acc.Operation(ctx, "op")
	end()
	acc.Recovered(observe.RecoverEvent{})

	h, err := Handler(map[string]*telemetry.Monitor{"gpu": mon})
	require.NoError(t, err)
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.Get(server.URL + "/metrics")
	require.NoError(t, err)
	defer r.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r.Body)
	require.NoError(t, err)
	snapshot := mon.Snapshot()
	for _, m := range snapshot.Metrics {
		f := families[m.Name]
		if !assert.NotNil(t, f, m.Name) {
			continue
		}
		assert.Equal(t, m.Help, f.GetHelp())
		require.Len(t, f.Metric, len(m.Samples), m.Name)
		sum := 0.0
		for _, x := range f.Metric {
			if d := x.GetHistogram(); d != nil {
				sum += float64(d.GetSampleCount())
			} else {
				sum += x.GetCounter().GetValue() + x.GetGauge().GetValue()
			}
			device := ""
			for _, l := range x.Label {
				if l.GetName() == "device" {
					device = l.GetValue()
				}
			}
			assert.Equal(t, "gpu", device)
		}
		assert.InDelta(t, snapshot.Value(m.Name), sum, 1e-9, m.Name)
	}
	for _, name := range []string{"puremetal_latency_seconds", "puremetal_device_seconds", "puremetal_queue_seconds"} {
		assert.Contains(t, openMetrics(t, server.URL), name+"_bucket", name)
		assert.Regexp(t, name+`_bucket\{device="gpu",le="[^"]*"\} \d+ # \{operation="counting"\} `,
			openMetrics(t, server.URL))
	}
	assert.EqualValues(t, 25, families["puremetal_launches_total"].Metric[0].GetCounter().GetValue())
	for _, path := range []string{"/health", "/gpu/health", "/report", "/gpu/debug/puremetal"} {
		r, err := http.Get(server.URL + path)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, http.StatusOK, r.StatusCode, path)
	}
}

// openMetrics returns the metrics in the format that has exemplars.
func openMetrics(t *testing.T, url string) string {
	q, err := http.NewRequest(http.MethodGet, url+"/metrics", nil)
	require.NoError(t, err)
	q.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

// TestExemplars: those that Prometheus does not allow are left out, and the others stay.
func TestExemplars(t *testing.T) {
	d := prometheus.NewDesc("h", "help", nil, nil)
	h, err := prometheus.NewConstHistogram(d, 3, 111.1, map[float64]uint64{1: 1, 10: 2}, nil...)
	require.NoError(t, err)
	now := time.Now()
	h = withExemplars(h, []telemetry.Exemplar{
		{Labels: map[string]string{"a": "x"}, Value: 0.1, At: now},
		{Labels: map[string]string{"a": strings.Repeat("x", 200)}, Value: 11, At: now},
		{Labels: map[string]string{"a": "y"}, Value: 100, At: now}})
	var m dto.Metric
	require.NoError(t, h.Write(&m))
	var values []string
	for _, b := range m.GetHistogram().GetBucket() {
		if b.Exemplar != nil {
			values = append(values, fmt.Sprint(b.GetUpperBound(), " ", b.Exemplar.GetLabel()[0].GetValue()))
		}
	}
	require.Equal(t, []string{"1 x", "+Inf y"}, values)
}

// TestDashboards: the dashboard and the alert rules use only metrics that there are.
func TestDashboards(t *testing.T) {
	defined := map[string]bool{}
	for _, d := range telemetry.Definitions() {
		defined[d.Name] = true
		if d.Kind == telemetry.Histogram {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				defined[d.Name+suffix] = true
			}
		}
	}
	for _, file := range []string{"grafana.json", "alerts.yml"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		names := regexp.MustCompile(`puremetal_[a-z_]+`).FindAllString(string(text), -1)
		require.Greater(t, len(names), 5)
		for _, name := range names {
			assert.True(t, defined[name], "%s: %s", file, name)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "puremetal_kernel_device_seconds_total") {
				assert.Contains(t, line, "/ sum by (kernel) (rate(puremetal_kernel_timed_launches_total",
					"seconds of some launches are no figure for all of them")
			}
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/telemetry"
)

// TestLiveReport: the command shows the report of a running program, and fails while that is
// failing.
func TestLiveReport(t *testing.T) {
	acc := computetest.Open(t)
	value := 0.0
	rule := telemetry.Rule{Name: "too much", Severity: telemetry.Failing, Raise: 5, Span: time.Minute,
		Value: func(_, _ *telemetry.Snapshot) float64 { return value }}
	m, err := telemetry.Watch(acc, telemetry.Options{Interval: -1, Rules: []telemetry.Rule{rule}})
	require.NoError(t, err)
	defer m.Close()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	run := func(args ...string) (code int, out, failure string) {
		var stdout, stderr bytes.Buffer
		a := &app{ctx: t.Context(), out: &stdout, err: &stderr, env: func(string) string { return "" },
			exit: func(int) {}}
		code = a.main(append([]string{"report"}, args...))
		return code, stdout.String(), stderr.String()
	}
	code, out, _ := run(server.URL)
	require.Equal(t, exitDone, code)
	require.Contains(t, out, acc.Info().Name+": healthy\n")
	code, out, _ = run("--json", server.Listener.Addr().String())
	require.Equal(t, exitDone, code)
	require.True(t, json.Valid([]byte(out)))
	value = 6
	code, out, _ = run(server.URL)
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "failing\n  too much: 6, limit 5")
	for _, address := range []string{"ftp://x", "http://", "a b://"} {
		code, _, failure := run(address)
		require.Equal(t, exitUsage, code, failure)
	}
	code, _, failure := run(server.URL + "/none")
	require.Equal(t, exitFailed, code)
	require.Contains(t, failure, "status 404; it must serve the pages of a monitor")
	server.Close()
	code, _, failure = run(server.URL)
	require.Equal(t, exitFailed, code)
	require.Contains(t, failure, "connection refused")
}

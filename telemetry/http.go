package telemetry

import (
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

//go:embed page.html
var page string

// Handler returns the monitor's pages:
//
//	/health           the health as JSON; status 503 while it is failing
//	/report           the report as text, or as JSON if the request accepts application/json
//	/debug/puremetal  a page that shows the report and follows it
//
// Module telemetry/prometheus has one for /metrics. A request checks the rules, so health is never
// older than the request.
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		h := m.Check()
		w.Header().Set("Content-Type", "application/json")
		if h.State == Failing {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(h) // the client may be gone
	})
	mux.HandleFunc("GET /report", func(w http.ResponseWriter, r *http.Request) {
		m.Check()
		if strings.Contains(r.Header.Get("Accept"), "application/json") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(m.Report())
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, m.Report().String())
	})
	mux.HandleFunc("GET /debug/puremetal", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	})
	return mux
}

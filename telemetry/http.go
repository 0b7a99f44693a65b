package telemetry

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

//go:embed page.html
var page string

// pagePolicy returns the Content-Security-Policy of the pages: the page's own style and script,
// requests to the server that it came from, and nothing else.
var pagePolicy = sync.OnceValue(func() string {
	return "default-src 'none'; style-src " + sourceHash("<style>", "</style>") + "; script-src " +
		sourceHash("<script>", "</script>") + "; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
})

// sourceHash returns the source expression for the text of the page between two tags.
func sourceHash(from, to string) string {
	_, rest, _ := strings.Cut(page, from)
	text, _, _ := strings.Cut(rest, to)
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Handler returns the monitor's pages:
//
//	/                 leads to the page
//	/health           the health as JSON; status 503 while it is failing
//	/report           the report as text, or as JSON if the request accepts application/json
//	/debug/puremetal  a page that shows the report with charts, and follows it
//
// Module telemetry/prometheus has one for /metrics. A request checks the rules, so health is never
// older than the request. Under a prefix of the path, use [http.StripPrefix].
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "debug/puremetal") // http.Redirect would lose a prefix that was stripped
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		h := m.Check()
		w.Header().Set("Content-Type", "application/json")
		if h.State == Failing {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(h) // the client may be gone
	})
	mux.HandleFunc("GET /report", func(w http.ResponseWriter, r *http.Request) {
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy())
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

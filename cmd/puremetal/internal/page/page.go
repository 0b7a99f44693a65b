// Package page writes benchmark results as an HTML page with go-echarts charts. The page contains
// the script that draws them, so it works offline.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/bench"
)

// script is Apache ECharts 5.4.3, the common build from its npm package. Its license is in NOTICE.
//
//go:embed echarts.common.min.js.gz
var script []byte

//go:embed page.html
var layout string

// Write writes the page. If old is not nil, its results are shown next to the new ones.
func Write(w io.Writer, rep, old *bench.Report) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(script))
	if err != nil {
		return err
	}
	js, err := io.ReadAll(unpacked)
	if err != nil {
		return err
	}
	t, err := template.New("page").Funcs(template.FuncMap{"us": duration, "figure": figure}).Parse(layout)
	if err != nil {
		return err
	}
	data := struct {
		Report *bench.Report
		Rows   []row
		Script template.JS
		Charts []template.HTML

		Compared bool // with old results
		Warnings []string
		Scripts  string // that the page may run
	}{Report: rep, Script: template.JS(js), Compared: old != nil, Warnings: rep.Warnings(), Scripts: scriptsMark}
	for i := range rep.Results {
		data.Rows = append(data.Rows, rowOf(&rep.Results[i], old))
	}
	for _, c := range chartsOf(rep, old) {
		s := c.RenderSnippet()
		data.Charts = append(data.Charts, template.HTML(s.Element+s.Script))
	}
	var page bytes.Buffer
	if err := t.Execute(&page, data); err != nil {
		return err
	}
	_, err = w.Write(bytes.Replace(page.Bytes(), []byte(scriptsMark), []byte(scriptHashes(page.Bytes())), 1))
	return err
}

// scriptsMark is replaced by the hashes of the page's scripts.
const scriptsMark = "SCRIPTS-OF-THIS-PAGE"

var scriptText = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)

// scriptHashes returns the hashes of a page's scripts, as a Content-Security-Policy lists them: a
// browser runs no other script, whatever text of others is in the page.
func scriptHashes(page []byte) string {
	var all []string
	for _, m := range scriptText.FindAllSubmatch(page, -1) {
		sum := sha256.Sum256(m[1])
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(all, " ")
}

// row is a line of the table.
type row struct {
	bench.Result
	Spread  float64
	Old     float64 // old median, 0 if there is none
	Change  bench.Change
	Verdict bench.Verdict
}

func rowOf(r *bench.Result, old *bench.Report) row {
	out := row{Result: *r, Spread: r.Spread()}
	if o := find(old, r.Name); o != nil {
		out.Old, out.Change = o.MedianUS, bench.Compare(o, r)
		out.Verdict = out.Change.Verdict()
	}
	return out
}

func find(rep *bench.Report, name string) *bench.Result {
	if rep == nil {
		return nil
	}
	i := slices.IndexFunc(rep.Results, func(r bench.Result) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &rep.Results[i]
}

// duration formats microseconds with three digits and a unit.
func duration(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.3g s", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.3g ms", us/1e3)
	}
	return fmt.Sprintf("%.3g µs", us)
}

func figure(f float64) string {
	if f == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", f)
}

// round keeps four digits, more than the measurements are good for.
func round(f float64) float64 {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(f))))
	return math.Round(f*scale) / scale
}

// chartsOf returns the charts: times, and fractions of the machine's peak.
func chartsOf(rep, old *bench.Report) []*charts.Bar {
	var names, peaked []string
	var times, before, memory, arithmetic []opts.BarData
	for i := len(rep.Results) - 1; i >= 0; i-- { // the first one at the top
		r := &rep.Results[i]
		names = append(names, r.Name)
		times = append(times, opts.BarData{Value: round(1e3 * r.MedianUS)})
		if o := find(old, r.Name); o != nil {
			before = append(before, opts.BarData{Value: round(1e3 * o.MedianUS)})
		} else {
			before = append(before, opts.BarData{})
		}
		if r.Of == "" {
			continue
		}
		peaked = append(peaked, r.Name)
		part := map[string]float64{r.Of: round(100 * min(r.Fraction, 1))}
		memory = append(memory, opts.BarData{Value: part["memory"]})
		arithmetic = append(arithmetic, opts.BarData{Value: part["arithmetic"]})
	}
	// In nanoseconds, because bars on a logarithmic axis begin at 1 and no time is shorter.
	t := bar("times", "Median time", "", "log", opts.FuncOpts(timeLabel), names)
	t.AddSeries("median", times)
	if old != nil {
		t.AddSeries("before", before)
	}
	t.XYReversal()
	all := []*charts.Bar{t}
	if len(peaked) > 0 {
		p := bar("peak", "Share of the machine's measured peak", "%", "value", "", peaked)
		p.AddSeries("memory", memory, charts.WithBarChartOpts(opts.BarChart{Stack: "peak"}))
		p.AddSeries("arithmetic", arithmetic, charts.WithBarChartOpts(opts.BarChart{Stack: "peak"}))
		p.XYReversal()
		all = append(all, p)
	}
	return all
}

// timeLabel writes nanoseconds on an axis in the largest unit that they fill.
const timeLabel = `function (v) {
	return v < 1e3 ? v + ' ns' : v < 1e6 ? v / 1e3 + ' µs' : v < 1e9 ? v / 1e6 + ' ms' : v / 1e9 + ' s'
}`

func bar(id, title, unit, axis string, label types.FuncStr, names []string) *charts.Bar {
	b := charts.NewBar()
	b.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: id, Width: "100%",
			Height: fmt.Sprintf("%dpx", 140+28*len(names))}),
		charts.WithTitleOpts(opts.Title{Title: title}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Right: "20"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithGridOpts(opts.Grid{Left: "160", Right: "60"}),
		charts.WithXAxisOpts(opts.XAxis{Type: axis, Name: unit, AxisLabel: &opts.AxisLabel{Formatter: label}}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category"}),
		charts.WithAnimation(false),
	)
	b.SetXAxis(names)
	return b
}

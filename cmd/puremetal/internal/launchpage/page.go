// Package launchpage writes what launches did as an HTML page. The page has no scripts and needs
// nothing else; charts are SVG, and colors follow the reader's light or dark theme.
package launchpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
)

//go:embed page.html
var layout string

// Page is what a page shows.
type Page struct {
	Device       string
	Line         int // size of a line, one of event.LineSizes
	File, Source string
	Launches     []Launch
	Tries        []Try
	TriesLeft    string            // what is left out of Tries
	TimeModel    string            // of the modeled seconds
	Model        analyze.Model     // whose occupancy is shown; the zero value shows none
	Peaks        analyze.Peaks     // of the roofline
	Static       []*analyze.Report // what the source of the kernels tells
}

// Launch is a launch with the advice for it.
type Launch struct {
	*event.Launch
	Advice []analyze.Recommendation
}

// Try is a change that was tried.
type Try struct {
	Change   string
	Rejected string // why it was not made; then Before, After and what follows are 0
	Measure  string // what Before and After count
	Before   int64
	After    int64
	// Predicted is the factor by which advice says that Measure becomes less at most, 0 without
	// advice, and Measured the factor that was found.
	Predicted, Measured         float64
	SecondsBefore, SecondsAfter float64 // modeled, 0 if unknown
}

// Left is the share of what was counted that remains, in percent; a bar shows at most 100.
func (t *Try) Left() float64 { return min(100*float64(t.After)/float64(max(t.Before, 1)), 100) }

// Gains reports whether a change counts less than before, in the digits that people see.
func (t *Try) Gains() bool { return t.Measured >= 1.005 }

// Write writes the page.
func Write(w io.Writer, p *Page) error {
	t, err := template.New("page").Funcs(template.FuncMap{"percent": percent, "bytes": bytes, "count": count,
		"gain": gain, "bound": bound, "size": size, "seconds": seconds, "shade": shade,
		"bytes64": func(n int) string { return bytes(int64(n)) }}).Parse(layout)
	if err != nil {
		return err
	}
	v := view{Page: p}
	for _, x := range p.Tries {
		switch {
		case x.Rejected != "":
			v.Rejected = append(v.Rejected, x)
		case !x.Gains():
			x.Rejected = fmt.Sprintf("it gains nothing: %d of %d %s are left", x.After, x.Before, x.Measure)
			v.Rejected = append(v.Rejected, x)
		default:
			v.Made = append(v.Made, x)
		}
	}
	for i := range p.Launches {
		v.Sections = append(v.Sections, newSection(p, &p.Launches[i]))
	}
	return t.Execute(w, &v)
}

type view struct {
	*Page
	Sections []section
	Made     []Try
	Rejected []Try
}

// section is the part of the page about a launch.
type section struct {
	*Launch
	Totals     event.Totals
	Efficiency string
	Lines      int64 // transactions
	LineSizes  [3]int
	Sites      []siteRow
	Branches   []event.Branch // the divergent ones
	Source     []sourceLine
	Strides    chart
	Reuse      chart
	Occupancy  *plot
	Roofline   *plot
	Intensity  string
	Report     *analyze.Report // nil if unknown
	Ridge      string          // of Peaks, "" if it is unknown
}

// siteRow is a row of the table of transactions.
type siteRow struct {
	*event.Site
	Efficiency string
	Share      float64 // of the launch's transactions
	Each       [3]string
	Pattern    string
	Notes      string
}

// sourceLine is a line of the source with its heat: shares of the launch's transactions and
// instructions.
type sourceLine struct {
	Number       int
	Text         string
	Memory, Work float64
	MemoryTitle  string
	WorkTitle    string
}

func newSection(p *Page, l *Launch) section {
	line := indexOf(p.Line)
	s := section{Launch: l, Totals: l.Totals(), LineSizes: event.LineSizes}
	s.Lines = s.Totals.Transactions[line]
	if e, ok := s.Totals.Efficiency(p.Line); ok {
		s.Efficiency = percent(e)
	}
	for i := range l.Sites {
		s.Sites = append(s.Sites, newSite(&l.Sites[i], p.Line, line, s.Lines))
	}
	for _, b := range l.Branches {
		if b.Divergent > 0 {
			s.Branches = append(s.Branches, b)
		}
	}
	s.Source = heat(p, l, line, s.Lines)
	s.Strides, s.Reuse = strides(l.Launch), reuse(l.Launch)
	if i := slices.IndexFunc(p.Static, func(r *analyze.Report) bool { return r.Kernel == l.Kernel }); i >= 0 {
		s.Report = p.Static[i]
	}
	s.Occupancy = occupancy(&p.Model, l.Launch, s.Report)
	s.Roofline, s.Intensity, s.Ridge = roofline(p.Peaks, l.Launch, p.Line, s.Lines)
	return s
}

func newSite(x *event.Site, size, line int, all int64) siteRow {
	r := siteRow{Site: x, Efficiency: "–", Pattern: x.Patterns.Main()}
	if e, ok := x.Efficiency(size); ok {
		r.Efficiency = percent(e)
	}
	if all > 0 {
		r.Share = float64(x.Transactions[line]) / float64(all)
	}
	for i, n := range x.Transactions {
		r.Each[i] = "–"
		if n > 0 {
			r.Each[i] = fmt.Sprintf("%.3g", float64(n)/float64(x.Executions))
		}
	}
	switch {
	case (r.Pattern == "strided" || r.Pattern == "tiled") && len(x.Strides) > 0:
		r.Pattern += fmt.Sprintf(" %d", x.Strides[0].Stride)
	case r.Pattern == "random":
		r.Pattern += fmt.Sprintf(", %.1f bits", x.Entropy)
	}
	var notes []string
	if x.Outside > 0 {
		notes = append(notes, count(x.Outside)+" out of bounds")
	}
	if x.BankPasses > x.Executions {
		notes = append(notes, fmt.Sprintf("%.3g passes over 32 banks", float64(x.BankPasses)/float64(x.Executions)))
	}
	if k := x.Contention; k != nil {
		notes = append(notes, fmt.Sprintf("%s addresses, %s operations on one", count(k.Addresses), count(k.Most)))
	}
	r.Notes = strings.Join(notes, "; ")
	return r
}

// heat returns the lines of the source. Lines of included files are not in it.
func heat(p *Page, l *Launch, line int, all int64) (list []sourceLine) {
	by := map[int]*event.Line{}
	for i := range l.Lines {
		x := &l.Lines[i]
		if path.Base(filepath.ToSlash(x.File)) == path.Base(filepath.ToSlash(p.File)) {
			by[x.Line] = x
		}
	}
	for i, text := range strings.Split(strings.TrimRight(p.Source, "\n"), "\n") {
		s := sourceLine{Number: i + 1, Text: strings.ReplaceAll(text, "\t", "    ")}
		if x := by[s.Number]; x != nil {
			s.Work = float64(x.Instructions) / float64(max(l.Instructions, 1))
			s.WorkTitle = fmt.Sprintf("%s instructions of simdgroups, %s of them all, %s of the lanes active",
				count(x.Instructions), percent(s.Work),
				percent(float64(x.ActiveLanes)/float64(max(x.Instructions*event.SimdWidth, 1))))
			if n := x.Transactions[line]; n > 0 {
				s.Memory = float64(n) / float64(max(all, 1))
				s.MemoryTitle = fmt.Sprintf("%s lines of %d bytes, %s of them all", count(n), p.Line, percent(s.Memory))
			}
		}
		list = append(list, s)
	}
	return list
}

func indexOf(line int) int {
	for i, n := range event.LineSizes {
		if n == line {
			return i
		}
	}
	return len(event.LineSizes) - 1
}

func percent(x float64) string {
	if x > 0 && x < 0.001 {
		return "<0.1 %"
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// bound writes the bound of an advice' gain.
func bound(r analyze.Recommendation) string { return r.Bound() }

func gain(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3g×", x)
}

// shade returns how opaque the background of a share is: text on it remains readable.
func shade(share float64) float64 { return 0.6 * share }

// seconds formats a duration.
func seconds(x float64) string {
	units := []string{"s", "ms", "µs", "ns"}
	i := 0
	for ; x > 0 && x < 1 && i < len(units)-1; i++ {
		x *= 1000
	}
	return fmt.Sprintf("%.3g %s", x, units[i])
}

// bytes formats a number of bytes with a binary unit.
func bytes(n int64) string {
	v, unit := float64(n), 0
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	for v >= 1024 && unit < len(units)-1 {
		v, unit = v/1024, unit+1
	}
	return fmt.Sprintf("%.4g %s", v, units[unit])
}

// count formats a number with groups of three digits.
func count(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func size(n [3]int) string {
	s := fmt.Sprint(n[0])
	for i := 1; i < 3; i++ {
		if n[i] > 1 || n[2] > 1 {
			s += fmt.Sprintf(" × %d", n[i])
		}
	}
	return s
}

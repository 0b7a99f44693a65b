package launchpage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
)

// chart is a list of bars.
type chart []bar

// bar is a bar of a chart; Share is that of the longest.
type bar struct {
	Label, Value string
	Share        float64
}

// Percent is the bar's length.
func (b bar) Percent() float64 { return 100 * b.Share }

func newChart(labels, values []string, of []float64) (c chart) {
	most := 0.0
	for _, x := range of {
		most = max(most, x)
	}
	for i, x := range of {
		c = append(c, bar{labels[i], values[i], x / max(most, 1e-300)})
	}
	return c
}

// strides returns a histogram of strides over all sites of device and constant memory: the bytes
// that lanes asked for, by the distance between neighbors.
func strides(l *event.Launch) chart {
	sums := map[int64]int64{}
	var broadcast, random, single int64
	for i := range l.Sites {
		s := &l.Sites[i]
		if s.Space == event.Threadgroup {
			continue
		}
		broadcast += s.Patterns.Broadcast
		random += s.Patterns.Random
		single += s.Patterns.Single
		if n := s.Patterns.Sequential; n > 0 {
			sums[int64(s.Size)] += n
		}
		for _, x := range s.Strides {
			sums[x.Stride] += x.Bytes
		}
	}
	sums[0] += broadcast
	keys := make([]int64, 0, len(sums))
	for k, n := range sums {
		if n > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b int64) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	keys = keys[:min(len(keys), 16)]
	slices.Sort(keys)
	var labels, values []string
	var of []float64
	add := func(label string, n int64) {
		if n > 0 {
			labels, values, of = append(labels, label), append(values, bytes(n)), append(of, float64(n))
		}
	}
	for _, k := range keys {
		add(fmt.Sprintf("%d", k), sums[k])
	}
	add("no pattern", random)
	add("one lane", single)
	return newChart(labels, values, of)
}

// reuse returns a histogram of reuse distances.
func reuse(l *event.Launch) chart {
	labels, values := []string{"first"}, []string{count(l.Reuse.First)}
	of := []float64{float64(l.Reuse.First)}
	if l.Reuse.First == 0 {
		return nil
	}
	for i, n := range l.Reuse.Distances {
		label := fmt.Sprint(i)
		if i > 1 {
			label = fmt.Sprintf("%d–%d", 1<<(i-1), 1<<i-1)
		}
		labels, values, of = append(labels, label), append(values, count(n)), append(of, float64(n))
	}
	return newChart(labels, values, of)
}

// plot is a chart of curves in a coordinate system of 640 by 260, with margins.
type plot struct {
	Curves []curve
	Ticks  []tick
	Points []point
	XTitle string
	YTitle string
}

type curve struct {
	Path, Label, Class string
	X, Y               float64 // of the label
}

type tick struct {
	X, Y  float64
	Label string
	Axis  string // x or y
}

type point struct {
	X, Y  float64
	Label string
}

// The plot's area.
const (
	left, right, top, bottom = 56.0, 620.0, 28.0, 220.0
)

func draw(xs, ys []float64) string {
	var b strings.Builder
	for i := range xs {
		c := "L"
		if i == 0 {
			c = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f ", c, xs[i], ys[i])
	}
	return strings.TrimSpace(b.String())
}

// registerCounts are the registers of 16 bits whose curves are drawn.
var registerCounts = []int{32, 64, 128, 256}

// resident returns the bounds of how many threads are on a core, in whole threadgroups.
func resident(m *analyze.Model, threads, memory int, registers analyze.Figure) (low, high float64) {
	f := m.Occupancy(threads, memory, registers).Threads
	return f.Low, f.High
}

// occupancy draws the occupancy of a core over threadgroup sizes: for several numbers of registers,
// or with bounds where they do not matter, and for the estimate of the kernel's own if there is
// one.
func occupancy(m *analyze.Model, l *event.Launch, r *analyze.Report) *plot {
	if m.Name == "" {
		return nil
	}
	type line struct {
		label     string
		registers analyze.Figure
		high      bool // the upper bound
	}
	fixed := func(n int) analyze.Figure { return analyze.Figure{Certainty: analyze.Exact, Value: float64(n)} }
	var lines []line
	if m.Registers > 0 {
		for _, n := range registerCounts {
			lines = append(lines, line{label: fmt.Sprintf("%d registers", n), registers: fixed(n)})
		}
	} else {
		lines = []line{{"at most", fixed(1), true}, {"at least", fixed(1), false}}
	}
	if r != nil && m.Registers > 0 && r.Registers.Certainty != analyze.Unknown {
		lines = append(lines, line{label: fmt.Sprintf("this kernel: %v", r.Registers), registers: r.Registers})
	}
	value := func(x line, threads int) float64 {
		low, high := resident(m, threads, l.ThreadgroupMemory, x.registers)
		if x.high {
			return high
		}
		return low
	}
	most := 1.0
	for _, x := range lines {
		for n := event.SimdWidth; n <= m.ThreadsPerThreadgroup; n += event.SimdWidth {
			most = max(most, value(x, n))
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { // the labels are at the right end
		return cmp.Compare(value(b, m.ThreadsPerThreadgroup), value(a, m.ThreadsPerThreadgroup))
	})
	p := &plot{XTitle: "threads of a threadgroup", YTitle: "threads on a core"}
	at := func(threads int, y float64) (float64, float64) {
		return left + (right-left-60)*float64(threads)/float64(m.ThreadsPerThreadgroup), bottom - (bottom-top)*y/most
	}
	threads := l.Threadgroup[0] * l.Threadgroup[1] * l.Threadgroup[2]
	for i, c := range lines {
		var xs, ys []float64
		for n := event.SimdWidth; n <= m.ThreadsPerThreadgroup; n += event.SimdWidth {
			x, y := at(n, value(c, n))
			xs, ys = append(xs, x), append(ys, y)
		}
		p.Curves = append(p.Curves, curve{Path: draw(xs, ys), Label: c.label, Class: fmt.Sprintf("c%d", i%5),
			X: right - 56, Y: ys[len(ys)-1] + 4})
		x, y := at(threads, value(c, threads))
		p.Points = append(p.Points, point{x, y, fmt.Sprintf("%d threads, %s: %.0f on a core", threads, c.label,
			value(c, threads))})
	}
	spread(p.Curves)
	for n := 0; n <= m.ThreadsPerThreadgroup; n += m.ThreadsPerThreadgroup / 4 {
		x, _ := at(n, 0)
		p.Ticks = append(p.Ticks, tick{x, bottom + 16, fmt.Sprint(n), "x"})
	}
	for i := range 5 {
		n := most * float64(i) / 4
		_, y := at(0, n)
		p.Ticks = append(p.Ticks, tick{left - 6, y + 4, fmt.Sprintf("%.0f", n), "y"})
	}
	return p
}

// spread moves labels up that would cover each other or the axis. The curves are in descending
// order.
func spread(curves []curve) {
	limit := bottom - 6
	for i := len(curves) - 1; i >= 0; i-- {
		curves[i].Y = min(curves[i].Y, limit)
		limit = curves[i].Y - 14
	}
}

// roofline draws the launch's arithmetic intensities under the roof of a device's peaks. If those
// of its arithmetic are unknown, it draws roofs relative to the peak, for several ridges.
func roofline(peaks analyze.Peaks, l *event.Launch, line int, lines int64) (p *plot, intensity, ridge string) {
	moved := lines * int64(line)
	footprint := int64(0)
	for i := range l.Memories {
		footprint += l.Memories[i].Footprint
	}
	if l.FloatOperations == 0 || moved == 0 || footprint == 0 {
		return nil, "", ""
	}
	low, high := float64(l.FloatOperations)/float64(moved), float64(l.FloatOperations)/float64(footprint)
	p = &plot{XTitle: "float operations per byte", YTitle: "share of peak arithmetic"}
	at := func(intensity, share float64) (float64, float64) {
		x := (math.Log2(intensity) + 8) / 18 // from 1/256 to 1024
		return left + (right-left)*min(max(x, 0), 1), bottom - (bottom-top)*min(max(math.Log2(share)+12, 0), 12)/12
	}
	ridges, label := []float64{8, 16, 32, 64}, func(r float64) string { return fmt.Sprint(r) }
	known := peaks.GFLOPS.High > 0 && peaks.GBs.High > 0
	if known {
		ridges, p.YTitle = []float64{peaks.GFLOPS.High / peaks.GBs.High}, "GFLOPS"
		label = func(float64) string { return fmt.Sprintf("%s: %.4g GB/s", peaks.Name, peaks.GBs.High) }
		ridge = fmt.Sprintf("%.3g", ridges[0])
	}
	for i, ridge := range ridges {
		var xs, ys []float64
		for e := -8.0; e <= 10; e += 0.25 {
			x, y := at(math.Exp2(e), min(1, math.Exp2(e)/ridge))
			xs, ys = append(xs, x), append(ys, y)
		}
		x, y := at(ridge/4, 0.25)
		p.Curves = append(p.Curves, curve{Path: draw(xs, ys), Label: label(ridge), Class: fmt.Sprintf("c%d", i),
			X: x + 4, Y: y + 12 + 4*float64(i)})
	}
	for e := -8; e <= 10; e += 2 {
		x, _ := at(math.Exp2(float64(e)), 1)
		label := fmt.Sprint(math.Exp2(float64(e)))
		if e < 0 {
			label = fmt.Sprintf("1/%d", 1<<-e)
		}
		p.Ticks = append(p.Ticks, tick{x, bottom + 16, label, "x"})
	}
	for e := -12; e <= 0; e += 4 {
		_, y := at(1, math.Exp2(float64(e)))
		label := "1"
		switch {
		case known:
			label = fmt.Sprintf("%.4g", peaks.GFLOPS.High*math.Exp2(float64(e)))
		case e < 0:
			label = fmt.Sprintf("1/%d", 1<<-e)
		}
		p.Ticks = append(p.Ticks, tick{left - 6, y + 4, label, "y"})
	}
	describe := func(intensity float64, what string) string {
		text := fmt.Sprintf("%.3g if %s", intensity, what)
		if known {
			text += fmt.Sprintf(", at most %.4g GFLOPS", min(peaks.GFLOPS.High, peaks.GBs.High*intensity))
		}
		return text
	}
	texts := []string{describe(low, "every line is transferred"), describe(high, "each byte is transferred once")}
	for i, x := range []float64{low, high} {
		px, _ := at(x, 1)
		py := bottom
		if known {
			_, py = at(x, min(1, x/ridges[0]))
		}
		p.Points = append(p.Points, point{px, py, texts[i]})
	}
	return p, strings.Join(texts, "; "), ridge
}

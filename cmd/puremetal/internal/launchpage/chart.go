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

// Limits of a core of Apple's GPUs of families 7 and 8, the default model.
const (
	coreThreads  = 3072
	groupThreads = 1024
)

// resident returns how many threads fit on a core of Apple's families 7 and 8, in whole
// threadgroups, by the registers of 16 bits that each needs and the bytes of threadgroup memory.
func resident(threads, registers, memory int) int {
	model := analyze.Models()[0]
	r := analyze.Figure{Certainty: analyze.Exact, Value: float64(registers)}
	return int(model.Occupancy(threads, memory, r).Threads.Value)
}

// occupancy draws the occupancy of a core over threadgroup sizes, for several numbers of registers.
// How many the kernel needs is known only to Apple's compiler.
func occupancy(l *event.Launch) *plot {
	p := &plot{XTitle: "threads of a threadgroup", YTitle: "threads on a core"}
	at := func(threads, y int) (float64, float64) {
		return left + (right-left-60)*float64(threads)/groupThreads, bottom - (bottom-top)*float64(y)/coreThreads
	}
	for i, registers := range []int{32, 64, 128, 256} {
		var xs, ys []float64
		for n := event.SimdWidth; n <= groupThreads; n += event.SimdWidth {
			x, y := at(n, resident(n, registers, l.ThreadgroupMemory))
			xs, ys = append(xs, x), append(ys, y)
		}
		p.Curves = append(p.Curves, curve{Path: draw(xs, ys), Label: fmt.Sprintf("%d registers", registers),
			Class: fmt.Sprintf("c%d", i), X: right - 56, Y: ys[len(ys)-1] + 4})
	}
	spread(p.Curves)
	for n := 0; n <= groupThreads; n += 256 {
		x, _ := at(n, 0)
		p.Ticks = append(p.Ticks, tick{x, bottom + 16, fmt.Sprint(n), "x"})
	}
	for n := 0; n <= coreThreads; n += 1024 {
		_, y := at(0, n)
		p.Ticks = append(p.Ticks, tick{left - 6, y + 4, fmt.Sprint(n), "y"})
	}
	threads := l.Threadgroup[0] * l.Threadgroup[1] * l.Threadgroup[2]
	for _, registers := range []int{32, 64, 128, 256} {
		n := resident(threads, registers, l.ThreadgroupMemory)
		x, y := at(threads, n)
		p.Points = append(p.Points, point{x, y, fmt.Sprintf("%d threads, %d registers: %d on a core", threads, registers, n)})
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

// roofline draws the launch's arithmetic intensities in a roofline relative to the peaks: the ridge
// of a device is where its GFLOP/s over GB/s is.
func roofline(l *event.Launch, line int, lines int64) (*plot, string) {
	moved := lines * int64(line)
	footprint := int64(0)
	for i := range l.Memories {
		footprint += l.Memories[i].Footprint
	}
	if l.FloatOperations == 0 || moved == 0 || footprint == 0 {
		return nil, ""
	}
	low, high := float64(l.FloatOperations)/float64(moved), float64(l.FloatOperations)/float64(footprint)
	p := &plot{XTitle: "float operations per byte", YTitle: "share of peak arithmetic"}
	at := func(intensity, share float64) (float64, float64) {
		x := (math.Log2(intensity) + 8) / 18 // from 1/256 to 1024
		return left + (right-left)*min(max(x, 0), 1), bottom - (bottom-top)*min(max(math.Log2(share)+12, 0), 12)/12
	}
	for i, ridge := range []float64{8, 16, 32, 64} {
		var xs, ys []float64
		for e := -8.0; e <= 10; e += 0.25 {
			x, y := at(math.Exp2(e), min(1, math.Exp2(e)/ridge))
			xs, ys = append(xs, x), append(ys, y)
		}
		x, y := at(ridge/4, 0.25)
		p.Curves = append(p.Curves, curve{Path: draw(xs, ys), Label: fmt.Sprint(ridge), Class: fmt.Sprintf("c%d", i),
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
		if e < 0 {
			label = fmt.Sprintf("1/%d", 1<<-e)
		}
		p.Ticks = append(p.Ticks, tick{left - 6, y + 4, label, "y"})
	}
	for _, x := range []struct {
		intensity float64
		label     string
	}{{low, "if every line is transferred"}, {high, "if each byte is transferred once"}} {
		px, _ := at(x.intensity, 1)
		p.Points = append(p.Points, point{px, bottom, fmt.Sprintf("%.3g: %s", x.intensity, x.label)})
	}
	return p, fmt.Sprintf("%.3g if every line is transferred, %.3g if each byte is transferred once", low, high)
}

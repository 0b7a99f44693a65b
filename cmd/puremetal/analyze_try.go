//go:build !puremetal_run

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/cmd/puremetal/internal/rewrite"
	"github.com/puremetal/puremetal/compute"
)

// attempt is a change that was tried.
type attempt struct {
	Change  string `json:"change"`
	Measure string `json:"measure"`
	// Predicted is the gain that the advice predicts, 0 if there is no advice for it, and Measured
	// the one found: the factor by which Measure becomes less.
	Predicted float64 `json:"predicted,omitempty"`
	Measured  float64 `json:"measured,omitempty"`
	Before    int64   `json:"before"`
	After     int64   `json:"after,omitempty"`
	// Seconds are those of the model in TimeModel, before and after, 0 if there is none.
	SecondsBefore float64 `json:"seconds_before,omitempty"`
	SecondsAfter  float64 `json:"seconds_after,omitempty"`
	TimeModel     string  `json:"time_model,omitempty"`
	Rejected      string  `json:"rejected,omitempty"` // why the change cannot be made
}

// groupChange begins the names of changes of the threadgroup size.
const groupChange = "--group "

// change is something to try.
type change struct {
	name      string
	predicted float64
	measure   string
	count     func(*event.Launch) int64 // what measure counts
	apply     func(*plan, *change) error
	split     map[string]rewrite.Layout // set by apply: arguments to rearrange
}

// try applies what can be changed mechanically, each by itself, and measures.
func (c *analyzeCmd) try(ctx context.Context, a *app, run *runCmd, p *plan, first *observed,
	peaks analyze.Peaks) ([]attempt, error) {
	if len(first.launches) != 1 {
		return nil, fmt.Errorf("--try: the kernel was launched %d times, want once", len(first.launches))
	}
	advice, err := analyze.Recommend(first.launches[0], c.Line)
	if err != nil {
		return nil, err
	}
	changes, err := c.changes(ctx, run, p, first, advice)
	if err != nil {
		return nil, err
	}
	list := []attempt{}
	for _, x := range changes {
		t := attempt{Change: x.name, Measure: x.measure, Predicted: x.predicted, Before: x.count(first.launches[0])}
		changed := *p
		only := *p.steps[0]
		changed.steps = []*step{&only}
		if err := x.apply(&changed, &x); err != nil {
			t.Rejected = err.Error()
			list = append(list, t)
			continue
		}
		next, err := c.observe(ctx, a, run, &changed, x.split)
		switch {
		case ctx.Err() != nil:
			return nil, errors.Join(err, context.Cause(ctx))
		case err != nil:
			t.Rejected, _, _ = strings.Cut(err.Error(), "\n")
		case !first.equal(next):
			t.Rejected = "it changes what the kernel computes"
		default:
			t.After = x.count(next.launches[0])
			t.Measured = float64(t.Before) / float64(max(t.After, 1))
			was, is := peaks.Time(first.launches[0], c.Line), peaks.Time(next.launches[0], c.Line)
			if was.Certainty != analyze.Unknown {
				t.SecondsBefore, t.SecondsAfter, t.TimeModel = was.Value, is.Value, was.Reason
			}
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b attempt) int { return cmp.Compare(b.Measured, a.Measured) })
	return list, nil
}

// equal reports whether two runs left the same in all arguments.
func (o *observed) equal(other *observed) bool {
	if len(o.contents) != len(other.contents) || len(other.launches) != 1 {
		return false
	}
	for name, data := range o.contents {
		if !bytes.Equal(data, other.contents[name]) {
			return false
		}
	}
	return true
}

// changes returns what to try: other threadgroup sizes, the axes exchanged, padded arrays, and
// changes of the kernel that follow the advice.
func (c *analyzeCmd) changes(ctx context.Context, run *runCmd, p *plan, first *observed,
	advice []analyze.Recommendation) (list []change, err error) {
	// predicted bounds the gain of a change that reaches the whole launch, and predictedFor that of
	// one whose reach is a memory: the sites of a remedy are changed together, so what they save adds
	// up.
	highest := func(r analyze.Remedy, memory string) (gain float64) {
		for _, x := range advice {
			if x.Remedy == r && (memory == "" || x.Memory == memory) {
				gain = max(gain, x.Gain)
			}
		}
		return gain
	}
	predicted := func(r analyze.Remedy) float64 { return highest(r, "") }
	predictedFor := func(r analyze.Remedy, memory string) float64 {
		if r != analyze.Interchange {
			return highest(r, memory)
		}
		t := first.launches[0].Totals()
		all := t.Transactions[indexOfLine(c.Line)]
		left := all
		for _, x := range advice {
			if x.Remedy == r && x.Memory == memory {
				left -= x.Before - x.After
			}
		}
		return float64(all) / float64(max(left, 1))
	}
	lines := fmt.Sprintf("lines of %d bytes", c.Line)
	countLines := func(l *event.Launch) int64 {
		t := l.Totals()
		return t.Transactions[indexOfLine(c.Line)]
	}
	for _, g := range groups(first) {
		x := change{name: groupChange + extentText(g), measure: lines, count: countLines,
			apply: func(p *plan, _ *change) error {
				p.steps[0].group = option{text: extentText(g), origin: "--try"}
				return nil
			}}
		if g.X >= event.SimdWidth {
			x.predicted = predicted(analyze.Widen)
		}
		if gain := predicted(analyze.Regroup); gain > 0 {
			x.measure, x.predicted = "instructions of simdgroups", gain
			x.count = func(l *event.Launch) int64 { return l.Instructions }
		}
		list = append(list, x)
	}
	if first.grid.Y > 1 {
		list = append(list, change{name: "exchange x and y of the grid", measure: lines, count: countLines,
			predicted: predicted(analyze.Interchange), apply: func(p *plan, _ *change) (err error) {
				p.text, err = rewrite.SwapAxes(p.text, first.launches[0].Kernel)
				grid := first.grid
				grid.X, grid.Y = grid.Y, grid.X
				s := p.steps[0]
				s.grid.text, s.group = extentText(grid), option{text: extentText(first.group), origin: "--try"}
				return err
			}})
	}
	padded := map[string]bool{}
	for i := range first.launches[0].Sites {
		s := &first.launches[0].Sites[i]
		if s.Space != event.Threadgroup || s.BankPasses <= s.Executions || padded[s.Memory] {
			continue
		}
		padded[s.Memory] = true
		list = append(list, change{name: fmt.Sprintf("rows of %s one element longer", s.Memory),
			measure: "passes over 32 banks", predicted: highest(analyze.Pad, s.Memory),
			count: func(l *event.Launch) (n int64) {
				for i := range l.Sites {
					n += l.Sites[i].BankPasses
				}
				return n
			},
			apply: func(p *plan, _ *change) (err error) {
				p.text, err = rewrite.PadRows(p.text, s.Memory)
				return err
			}})
	}
	options, err := run.ownOptions(p)
	if err != nil {
		return nil, err
	}
	x := &applier{ctx: ctx, options: options, first: first, launch: first.launches[0], kernel: first.launches[0].Kernel,
		size: func(memory string) int { return len(first.contents["0 "+memory]) }}
	return append(list, x.changes(advice, lines, countLines, predictedFor)...), nil
}

// groups returns threadgroup sizes to try: whole simdgroups, with powers of 2 in the grid's
// dimensions.
func groups(o *observed) (list []compute.Extent) {
	threads := func(e compute.Extent) int { return max(e.X, 1) * max(e.Y, 1) * max(e.Z, 1) }
	for x := 1; x <= o.limit; x *= 2 {
		for y := 1; x*y <= o.limit; y *= 2 {
			e := compute.Extent{X: x, Y: y, Z: 1}
			n := threads(e)
			switch {
			case n%event.SimdWidth != 0, max(o.group.X, 1) == x && max(o.group.Y, 1) == y:
			case o.grid.Y <= 1 && y > 1, x > max(o.grid.X, event.SimdWidth), y > o.grid.Y && y > 1:
			case o.grid.Y > 1 && n != 64 && n != 256: // enough to see what the shape does
			default:
				list = append(list, e)
			}
		}
	}
	return list
}

// extentText writes a size as flags have it.
func extentText(e compute.Extent) string {
	return sizeText([3]int{max(e.X, 1), max(e.Y, 1), max(e.Z, 1)})
}

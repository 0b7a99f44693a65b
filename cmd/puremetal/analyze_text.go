//go:build !puremetal_run

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/analyze/event"
)

// text writes the report as text.
func (r *analysis) text(w io.Writer) error {
	for i := range r.Launches {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := r.launchText(w, &r.Launches[i]); err != nil {
			return err
		}
	}
	return triesText(w, r.Tries)
}

func sizeText(n [3]int) string {
	s := fmt.Sprint(n[0])
	for i := 1; i < 3; i++ {
		if n[i] > 1 || n[2] > 1 {
			s += fmt.Sprintf(",%d", n[i])
		}
	}
	return s
}

func percentText(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }

// launchText writes the report of a launch.
func (r *analysis) launchText(w io.Writer, l *analyzedLaunch) error {
	line := indexOfLine(r.Line)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "kernel\t%s, grid %s, threadgroup %s\n", l.Kernel, sizeText(l.Grid), sizeText(l.Threadgroup))
	certainty := "exact for the kernel as written"
	if !l.Whole() {
		certainty = "estimates"
	}
	fmt.Fprintf(t, "observed\t%d of %d threadgroups: figures are %s\n", l.Observed, l.Threadgroups, certainty)
	totals := l.Totals()
	if e, ok := totals.Efficiency(r.Line); ok {
		fmt.Fprintf(t, "memory\t%s wanted, %d lines of %d bytes (%s), efficiency %s\n", bytesText(int(totals.Bytes)),
			totals.Transactions[line], r.Line, bytesText(int(totals.Transactions[line])*r.Line), percentText(e))
	}
	constants := event.Launch{Sites: slices.DeleteFunc(slices.Clone(l.Sites), func(s event.Site) bool {
		return s.Space != event.Constant
	})}
	if c := constants.Totals(); c.Transactions[line] > 0 && c.Transactions[line] < totals.Transactions[line] {
		c.Bytes, c.Unique = totals.Bytes-c.Bytes, totals.Unique-c.Unique
		for i := range c.Transactions {
			c.Transactions[i] = totals.Transactions[i] - c.Transactions[i]
		}
		e, _ := c.Efficiency(r.Line)
		fmt.Fprintf(t, "device\t%s wanted, %d lines, efficiency %s, without constant memory\n",
			bytesText(int(c.Bytes)), c.Transactions[line], percentText(e))
	}
	fmt.Fprintf(t, "lanes\t%s active in %d instructions of simdgroups\n", percentText(l.SimdEfficiency()), l.Instructions)
	fmt.Fprintf(t, "balance\tinstructions of a simdgroup %s, of a threadgroup %s\n", spreadText(l.Balance.Simdgroups),
		spreadText(l.Balance.Threadgroups))
	if x := &l.Reuse; x.Threadgroups > 0 && x.First+sum(x.Distances) > 0 {
		fmt.Fprintf(t, "reuse\t%s of accesses to lines would hit a cache of 64 lines of 128 bytes, %s one of 1024 "+
			"(estimate from %s, each alone)\n", percentText(x.Within(64)), percentText(x.Within(1024)),
			count(int(x.Threadgroups), "threadgroup"))
	}
	if l.Textures > 0 {
		fmt.Fprintf(t, "textures\t%d operations of simdgroups; where they go is not observed\n", l.Textures)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if err := r.sitesText(w, l); err != nil {
		return err
	}
	if err := memoriesText(w, l); err != nil {
		return err
	}
	if err := branchesText(w, l); err != nil {
		return err
	}
	if len(l.Advice) > 0 {
		fmt.Fprintln(w)
	}
	for i := range l.Advice {
		if _, err := fmt.Fprintf(w, "%v\n", &l.Advice[i]); err != nil {
			return err
		}
	}
	return nil
}

func indexOfLine(line int) int {
	for i, n := range event.LineSizes {
		if n == line {
			return i
		}
	}
	return len(event.LineSizes) - 1
}

func sum(list []int64) (n int64) {
	for _, x := range list {
		n += x
	}
	return n
}

func spreadText(s event.Spread) string {
	about := ""
	if s.Rounded {
		about = "about "
	}
	if s.Min == s.Max {
		return fmt.Sprintf("%s%d", about, s.Min)
	}
	return fmt.Sprintf("%s%d to %d, median %d", about, s.Min, s.Max, s.Median)
}

// patternText describes the patterns of a site.
func patternText(s *event.Site) string {
	main := s.Patterns.Main()
	text := main
	if (main == "strided" || main == "tiled") && len(s.Strides) > 0 {
		text += fmt.Sprintf(" %d", s.Strides[0].Stride)
	}
	if main == "random" {
		text += fmt.Sprintf(", %.1f bits", s.Entropy)
	}
	if share := s.Patterns.Share(main); share < 0.995 {
		text += fmt.Sprintf(" (%.0f%%)", 100*share)
	}
	return text
}

// sitesText writes the accesses.
func (r *analysis) sitesText(w io.Writer, l *analyzedLaunch) error {
	if len(l.Sites) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\naccess\t\tbytes\tpattern\ttimes\tlines each\tefficiency\tfootprint\n")
	for i := range l.Sites {
		s := &l.Sites[i]
		lines, efficiency, footprint := "-", "-", "-"
		if e, ok := s.Efficiency(r.Line); ok {
			lines = fmt.Sprintf("%.3g", float64(s.Transactions[indexOfLine(r.Line)])/float64(s.Executions))
			efficiency, footprint = percentText(e), bytesText(int(s.Footprint))
		}
		fmt.Fprintf(t, "%v\t%s %s %s\t%d\t%s\t%d\t%s\t%s\t%s%s\n", s.Place, s.Operation, s.Space, s.Memory, s.Size,
			patternText(s), s.Executions, lines, efficiency, footprint, notesText(s))
	}
	return t.Flush()
}

// notesText is what else there is to say about a site.
func notesText(s *event.Site) string {
	var notes []string
	if s.Outside > 0 {
		notes = append(notes, fmt.Sprintf("%d out of bounds", s.Outside))
	}
	if s.BankPasses > s.Executions {
		notes = append(notes, fmt.Sprintf("%.3g passes over 32 banks each", float64(s.BankPasses)/float64(s.Executions)))
	}
	if k := s.Contention; k != nil {
		notes = append(notes, fmt.Sprintf("%d addresses, %.3g lanes meet, %d operations on one address", k.Addresses,
			float64(k.Serial)/float64(max(s.Executions, 1)), k.Most))
	}
	if len(notes) == 0 {
		return ""
	}
	return "\t" + strings.Join(notes, "; ")
}

// memoriesText writes footprints and hot lines.
func memoriesText(w io.Writer, l *analyzedLaunch) error {
	if len(l.Memories) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\nmemory\tsize\tfootprint\tmost accessed lines: offset × times\n")
	for i := range l.Memories {
		m := &l.Memories[i]
		var hot []string
		for _, h := range m.Hot[:min(len(m.Hot), 3)] {
			hot = append(hot, fmt.Sprintf("%d × %d", h.Offset, h.Transactions))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.Name, bytesText(int(m.Size)), bytesText(int(m.Footprint)),
			strings.Join(hot, ", "))
	}
	return t.Flush()
}

// branchesText writes the branches that lanes of a simdgroup take differently.
func branchesText(w io.Writer, l *analyzedLaunch) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	some := false
	for i := range l.Branches {
		b := &l.Branches[i]
		if b.Divergent == 0 {
			continue
		}
		if !some {
			fmt.Fprintf(t, "\nbranch\t\tdivergent\tlanes that enter\n")
			some = true
		}
		fmt.Fprintf(t, "%v\t%s\t%d of %d\t%s\n", b.Place, b.Kind, b.Divergent, b.Entries,
			percentText(float64(b.Active)/float64(max(b.Before, 1))))
	}
	return t.Flush()
}

// maxShownGroups is how many threadgroup sizes people see, those that gain most. --json has all.
const maxShownGroups = 4

// shown returns the attempts that people see, those that gain first, and the number of threadgroup
// sizes left out.
func shown(tries []attempt) (list []attempt, left int) {
	groups := 0
	var others []attempt // without a gain
	for _, x := range tries {
		gains := x.Rejected == "" && x.Measured >= 1.005 // as people see it
		if strings.HasPrefix(x.Change, groupChange) {
			if groups++; groups > maxShownGroups || !gains {
				left++
				continue
			}
		}
		if gains {
			list = append(list, x)
		} else {
			others = append(others, x)
		}
	}
	return append(list, others...), left
}

// leftOut says that threadgroup sizes are left out.
func leftOut(n int) (change, note string) {
	return count(n, "other threadgroup size"), "gain less, nothing, or change the result"
}

// triesText writes what was tried.
func triesText(w io.Writer, tries []attempt) error {
	if len(tries) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\ntried\tpredicted at most\tmeasured\tbefore\tafter\tmodeled time\t\n")
	list, left := shown(tries)
	model := ""
	if len(list) == 0 || list[0].Rejected != "" || list[0].Measured < 1.005 {
		fmt.Fprintf(t, "nothing that was tried gains\t\t\t\t\t\t\n")
	}
	for _, x := range list {
		predicted, measured, after, time, note := "-", "-", "-", "-", "less "+x.Measure
		if x.Predicted > 0 {
			predicted = fmt.Sprintf("%.3gx", x.Predicted)
		}
		if x.Rejected != "" {
			note = "rejected: " + x.Rejected
		} else {
			measured, after = fmt.Sprintf("%.3gx", x.Measured), fmt.Sprint(x.After)
			if x.TimeModel != "" {
				model = x.TimeModel
				time = fmt.Sprintf("%.3g to %.3g µs", 1e6*x.SecondsBefore, 1e6*x.SecondsAfter)
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", x.Change, predicted, measured, x.Before, after, time, note)
	}
	if left > 0 {
		change, note := leftOut(left)
		fmt.Fprintf(t, "%s\t-\t-\t-\t-\t-\t%s\n", change, note)
	}
	if err := t.Flush(); err != nil || model == "" {
		return err
	}
	_, err := fmt.Fprintf(w, "modeled time: %s\n", model)
	return err
}

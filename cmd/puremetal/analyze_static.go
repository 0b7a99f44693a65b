//go:build !puremetal_run

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/sarif"
	"github.com/puremetal/puremetal/translate"
)

// both reports whether --static comes with a launch.
func (c *analyzeCmd) both() bool {
	if !c.Static || c.Grid != "" || len(c.Arg) > 0 || c.File == "-" {
		return c.Static && (c.Grid != "" || len(c.Arg) > 0)
	}
	spec, err := specFile(c.File)
	if ok, _ := c.isGo(c.File); ok && spec == "" {
		return false
	}
	return spec != "" || err != nil // which resolving the file reports
}

// static reports what the source alone tells.
func (c *analyzeCmd) static(a *app, model analyze.Model, peaks analyze.Peaks) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--const", len(c.Const) > 0},
		{"--pixel-format", len(c.PixelFormat) > 0}, {"--seed", c.Seed != nil}, {"--device", c.Device != ""},
		{"--threadgroups", c.Threadgroups != 0}, {"--try", c.Try}, {"--html", c.HTML != ""},
	} {
		if f.set {
			return usage("%s is for a launch; --static without --grid runs nothing", f.name)
		}
	}
	o := analyze.KernelOptions{Kernel: c.Kernel, Model: model}
	if c.Group != "" {
		e, err := extent(option{text: c.Group, origin: "--group"})
		if err != nil {
			return err
		}
		o.Threadgroup = [3]int{e.X, e.Y, e.Z}
	}
	p := &plan{source: option{text: c.File}, define: flags("-D", c.Define...),
		std: option{text: c.Std, origin: "--std"}}
	run := c.runCmd()
	run.source = c.File
	var err error
	if o.Arguments, err = threadgroupArguments(flags("--threadgroup-memory", c.ThreadgroupMemory...)); err != nil {
		return err
	}
	if err := run.read(a, p); err != nil {
		return err
	}
	s, err := run.sourceOf(p)
	if err != nil {
		return err
	}
	ctx, stop := a.limit(c.Timeout)
	defer stop()
	list, err := analyze.Kernels(ctx, s, o)
	if err != nil {
		if errors.Is(err, analyze.ErrOptions) && (len(o.Arguments) > 0 || c.Group != "") {
			return usage("%s", strings.TrimPrefix(err.Error(), "analyze: "))
		}
		return timedOut(ctx, c.Timeout, "analyzing the source", err)
	}
	if c.Chip == "" {
		peaks = analyze.Peaks{}
	}
	switch {
	case c.JSON:
		out := map[string]any{"kernels": list}
		if c.Chip != "" {
			out["peaks"], out["rooflines"] = peaks, rooflines(list, peaks)
		}
		return writeJSON(a.out, out)
	case c.SARIF:
		run := newAdviceRun()
		addStatic(run, list)
		return run.Write(a.out)
	}
	return staticTexts(a.out, list, peaks)
}

// threadgroupArguments reads the lengths of threadgroup memory by index.
func threadgroupArguments(list []option) (map[int]int, error) {
	lengths := map[int]int{}
	for _, o := range list {
		index, length, _ := strings.Cut(o.text, "=")
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 {
			return nil, usage("%v: %q is not an index, want INDEX=BYTES; names need a launch", o, index)
		}
		n, err := strconv.Atoi(length)
		if err != nil || n < 1 {
			return nil, usage("%v: %q is not a positive number of bytes", o, length)
		}
		if _, twice := lengths[i]; twice {
			return nil, usage("%v: threadgroup memory %d is set twice", o, i)
		}
		lengths[i] = n
	}
	return lengths, nil
}

// sourceOf returns a plan's source as package analyze takes it.
func (c *runCmd) sourceOf(p *plan) (s analyze.Source, err error) {
	o, err := c.ownOptions(p)
	if err != nil {
		return s, err
	}
	if p.goPackage != nil {
		m, err := moduleOf(p.source.text, nil)
		return analyze.Source{Name: filepath.ToSlash(p.source.text), Dialect: translate.Go, Version: o.MetalVersion,
			Include: m.files, Dir: m.dir, Show: m.show}, err
	}
	l, err := c.languageFlags.language(p.source.text)
	if err != nil {
		return s, err
	}
	s = analyze.Source{Name: filepath.ToSlash(p.source.text), Text: p.text, Defines: o.Defines, Dialect: l,
		DoubleAsFloat: c.doubleAsFloat(), Version: o.MetalVersion, Include: o.Include, Dir: o.Dir,
		IncludeDirs: o.IncludeDirs, Show: o.Show}
	if p.source.text == "-" {
		s.Name = "<stdin>"
	}
	return s, nil
}

// staticOf analyzes the kernels of launches, for the launches' threadgroups.
func (c *runCmd) staticOf(ctx context.Context, p *plan, launches []*event.Launch, model analyze.Model,
	cores int) (list []*analyze.Report, err error) {
	s, err := c.sourceOf(p)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, l := range launches {
		if seen[l.Kernel] {
			continue
		}
		seen[l.Kernel] = true
		more, err := analyze.Kernels(ctx, s, analyze.KernelOptions{Model: model, Kernel: l.Kernel,
			Threadgroup: l.Threadgroup, Grid: l.Grid, ThreadgroupMemory: l.ThreadgroupMemory, Cores: cores})
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// rooflines returns what kernels can reach, by name.
func rooflines(list []*analyze.Report, peaks analyze.Peaks) map[string]analyze.Roofline {
	lines := map[string]analyze.Roofline{}
	for _, r := range list {
		lines[r.Kernel] = r.Roofline(peaks)
	}
	return lines
}

// staticTexts writes reports.
func staticTexts(w io.Writer, list []*analyze.Report, peaks analyze.Peaks) error {
	for i, r := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := staticText(w, r, peaks); err != nil {
			return err
		}
	}
	return nil
}

// staticText writes a report.
func staticText(w io.Writer, r *analyze.Report, peaks analyze.Peaks) error {
	b := bufio.NewWriter(w)
	g := r.Threadgroup
	fmt.Fprintf(b, "kernel       %s at %v, threadgroups of %d×%d×%d threads\n", r.Kernel, r.Place, g[0], g[1], g[2])
	fmt.Fprintf(b, "model        %s (%s): lines of %d bytes\n", r.Model.Name, r.Model.Description, r.Model.Line)
	if r.Operations.Certainty == analyze.Unknown && r.Bytes.Certainty == analyze.Unknown {
		fmt.Fprintf(b, "intensity    %s\n", told(r.Intensity))
	} else {
		fmt.Fprintf(b, "intensity    %s operations per byte: %s float operations, %s bytes of a thread\n", told(r.Intensity),
			told(r.Operations), told(r.Bytes))
	}
	if peaks.Name != "" {
		l := r.Roofline(peaks)
		fmt.Fprintf(b, "roofline     GFLOPS on %s: %s", peaks.Name, told(l.GFLOPS))
		if l.Limit != "" {
			fmt.Fprintf(b, ", limited by %s", l.Limit)
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "registers    16 bits each: %s\n", told(r.Registers))
	fmt.Fprintf(b, "threadgroup  %s bytes of memory\n", told(r.ThreadgroupMemory))
	if o := r.Occupancy; o.Threads.Certainty == analyze.Unknown {
		fmt.Fprintf(b, "occupancy    %s\n", told(o.Threads))
	} else if o.Limit == "" {
		fmt.Fprintf(b, "occupancy    threads of a core: %s\n", told(o.Threads))
	} else {
		fmt.Fprintf(b, "occupancy    %v threads of a core, limited by %s\n", o.Threads, o.Limit)
	}
	if r.Tail != nil {
		fmt.Fprintf(b, "grid         %s\n", tailText(r.Tail))
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	if len(r.Accesses) > 0 {
		fmt.Fprintln(t, "\naccess\twhat\tbytes\tpattern\tstride\tlines\tefficiency\tbanks")
		for _, s := range r.Accesses {
			fmt.Fprintf(t, "%v\t%s %s %s\t%d\t%s\t%v\t%v\t%v\t%v\n", s.Place, s.Operation, s.Space, s.Memory, s.Size, s.Pattern,
				s.Stride, s.Lines, s.Efficiency.Percent(), s.BankPasses)
		}
	}
	if slices.ContainsFunc(r.Mix, func(m analyze.Count) bool { return m.Count.Certainty != analyze.Unknown }) {
		fmt.Fprintln(t, "\noperations of a thread\tcount")
		for _, m := range r.Mix {
			fmt.Fprintf(t, "%s\t%v\n", m.Group, m.Count)
		}
	}
	if len(r.Loops) > 0 {
		fmt.Fprintln(t, "\nloop\tdepth\titerations\toperations of one\tbytes of one\tintensity")
		for _, l := range r.Loops {
			fmt.Fprintf(t, "%v\t%d\t%v\t%v\t%v\t%v\n", l.Place, l.Depth, l.Trips, l.Operations, l.Bytes, l.Intensity)
		}
	}
	if len(r.Branches) > 0 {
		fmt.Fprintln(t, "\ndivergent\tkind")
		for _, x := range r.Branches {
			fmt.Fprintf(t, "%v\t%s\n", x.Place, x.Kind)
		}
	}
	if len(r.Sweep) > 0 && r.Occupancy.Threads.Certainty != analyze.Unknown {
		fmt.Fprintln(t, "\nthreadgroup\tthreadgroups of a core\tthreads\tlimit\tshare of its simdgroups")
		for _, o := range r.Sweep {
			bar := strings.Repeat("#", int(math.Round(20*o.Share.Low)))
			if more := int(math.Round(20*o.Share.High)) - len(bar); more > 0 {
				bar += strings.Repeat("-", more) // at most
			}
			fmt.Fprintf(t, "%d\t%v\t%v\t%s\t%s\n", o.Threadgroup, o.Threadgroups, o.Threads, cmp.Or(o.Limit, "-"), bar)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(r.Advice) > 0 {
		fmt.Fprintln(b, "\nadvice")
		for i := range r.Advice {
			fmt.Fprintln(b, &r.Advice[i])
		}
	}
	return b.Flush()
}

// tailText describes how a grid fills a GPU.
func tailText(t *analyze.Tail) string {
	text := count(t.Threadgroups, "threadgroup")
	if t.Partial > 0 {
		text += fmt.Sprintf(", %d smaller at the edges", t.Partial)
	}
	if t.Lanes.Value < 1 {
		text += fmt.Sprintf(", %s of lanes used", t.Lanes.Percent())
	}
	switch {
	case t.Waves.Certainty != analyze.Unknown && t.Last.Certainty != analyze.Unknown:
		text += fmt.Sprintf("; waves: %v, the last %s full", t.Waves, t.Last.Percent())
	case t.Waves.Certainty != analyze.Unknown:
		text += fmt.Sprintf("; waves: %v", t.Waves)
	case t.Cores.Certainty != analyze.Unknown:
		text += fmt.Sprintf("; cores that they fill: %v", t.Cores)
	}
	return text
}

// told returns a figure with the reason why it is not exact.
func told(f analyze.Figure) string {
	if f.Reason == "" {
		return f.String()
	}
	return fmt.Sprintf("%v (%s)", f, f.Reason)
}

// addStatic adds the advice.
func addStatic(run *sarif.Run, list []*analyze.Report) {
	for _, r := range list {
		for _, x := range r.Advice {
			addAdvice(run, r.Kernel, true, x)
		}
	}
}

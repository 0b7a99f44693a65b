package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/internal/msl"
)

// static reports what the source alone tells.
func (c *analyzeCmd) static(a *app) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--grid", c.Grid != ""}, {"--arg", len(c.Arg) > 0}, {"--threadgroup-memory", len(c.ThreadgroupMemory) > 0},
		{"--const", len(c.Const) > 0}, {"--pixel-format", len(c.PixelFormat) > 0}, {"--seed", c.Seed != nil},
		{"--device", c.Device != ""}, {"--threadgroups", c.Threadgroups != 0}, {"--try", c.Try}, {"--html", c.HTML != ""},
	} {
		if f.set {
			return usage("%s is for a launch; --static runs nothing", f.name)
		}
	}
	o := analyze.KernelOptions{Kernel: c.Kernel}
	var err error
	if o.Model, err = analyze.ModelByName(cmp.Or(c.Model, "apple7")); err != nil {
		return usage("--model: %s", strings.TrimPrefix(err.Error(), "analyze: "))
	}
	peaks, ok := analyze.ChipPeaks(c.Chip)
	if !ok && c.Chip != "" {
		return usage("--chip: no chip %q, want one of %s", c.Chip, strings.Join(analyze.Chips(), ", "))
	}
	if c.Group != "" {
		e, err := extent(option{text: c.Group, origin: "--group"})
		if err != nil {
			return err
		}
		o.Threadgroup = [3]int{e.X, e.Y, e.Z}
	}
	macros, err := defines(flags("-D", c.Define...))
	if err != nil {
		return err
	}
	v, err := languageVersion(option{text: c.Std, origin: "--std"})
	if err != nil {
		return err
	}
	text, err := readSource(a, c.File)
	if err != nil {
		return err
	}
	var include msl.Options
	if err := findIncludes(c.File, c.Include, &include); err != nil {
		return err
	}
	s := analyze.Source{Name: filepath.ToSlash(c.File), Text: text, Defines: macros, Version: metalVersion(v),
		Include: include.Include, Dir: include.Dir, IncludeDirs: include.IncludeDirs, Show: include.Show}
	if c.File == "-" {
		s.Name = "<stdin>"
	}
	ctx, stop := a.limit(c.Timeout)
	defer stop()
	list, err := analyze.Kernels(ctx, s, o)
	if err != nil {
		return timedOut(ctx, c.Timeout, "analyzing the source", err)
	}
	switch {
	case c.JSON:
		out := map[string]any{"kernels": list}
		if c.Chip != "" {
			lines := map[string]analyze.Roofline{}
			for _, r := range list {
				lines[r.Kernel] = r.Roofline(peaks)
			}
			out["peaks"], out["rooflines"] = peaks, lines
		}
		return writeJSON(a.out, out)
	case c.SARIF:
		return staticSARIF(a.out, list)
	}
	for i, r := range list {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := staticText(a.out, r, peaks); err != nil {
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
	fmt.Fprintf(b, "intensity    %s operations per byte: %s float operations, %s bytes of a thread\n", told(r.Intensity),
		told(r.Operations), told(r.Bytes))
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
	} else {
		fmt.Fprintf(b, "occupancy    %v threads of a core, limited by %s\n", o.Threads, o.Limit)
	}
	t := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	if len(r.Accesses) > 0 {
		fmt.Fprintln(t, "\naccess\twhat\tbytes\tpattern\tstride\tlines\tefficiency\tbanks")
		for _, s := range r.Accesses {
			fmt.Fprintf(t, "%v\t%s %s %s\t%d\t%s\t%v\t%v\t%v\t%v\n", s.Place, s.Operation, s.Space, s.Memory, s.Size, s.Pattern,
				s.Stride, s.Lines, s.Efficiency, s.BankPasses)
		}
	}
	if len(r.Mix) > 0 {
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
	if len(r.Sweep) > 0 && r.Occupancy.Limit != "" {
		fmt.Fprintln(t, "\nthreadgroup\tthreadgroups of a core\tthreads\tlimit")
		for _, o := range r.Sweep {
			fmt.Fprintf(t, "%d\t%v\t%v\t%s\n", o.Threadgroup, o.Threadgroups, o.Threads, o.Limit)
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

// told returns a figure with the reason why it is not exact.
func told(f analyze.Figure) string {
	if f.Reason == "" {
		return f.String()
	}
	return fmt.Sprintf("%v (%s)", f, f.Reason)
}

// staticSARIF writes the advice.
func staticSARIF(w io.Writer, list []*analyze.Report) error {
	run := newAdviceRun()
	for _, r := range list {
		for _, x := range r.Advice {
			addAdvice(run, r.Kernel, true, x)
		}
	}
	return run.Write(w)
}

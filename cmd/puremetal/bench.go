//go:build !puremetal_run

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/bench"
	"github.com/puremetal/puremetal/cmd/puremetal/internal/page"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/document"
)

// benchCmd is the command line of bench.
type benchCmd struct {
	What    []string      `arg:"" optional:"" help:"operations (the default), peers, or spec files of run."`
	Only    string        `placeholder:"REGEXP" help:"Run only cases that match the expression."`
	List    bool          `help:"List the cases and exit."`
	Time    time.Duration `default:"500ms" help:"Time to measure each case, within 3 to 1000 runs."`
	JSON    string        `name:"json" placeholder:"FILE" help:"Write JSON; - is standard output, and nothing else."`
	HTML    string        `name:"html" placeholder:"FILE" help:"Write a self-contained page with charts."`
	Compare string        `placeholder:"OLD.json" help:"Compare with results written by --json."`
	With    string        `placeholder:"NEW.json" help:"With --compare: compare these results, and measure nothing."`
	Engine  bool          `help:"Show the share of machine code."`
	Device  string        `placeholder:"INDEX|NAME" help:"The device to measure, as listed by puremetal devices."`
}

// Help returns the text that bench --help shows after the flags.
func (*benchCmd) Help() string {
	return `Each case runs once to warm up, and its output is checked; then it runs repeatedly for the given time. The columns show the median time, the spread (10th to 90th percentile, relative to the median), GFLOP/s, the required memory traffic in GB/s, and the share of this machine's peak, measured before and after the cases; the better measurement counts. On the software device that is what all processors achieve together, copying 64 MiB each and multiplying 512 x 512 float32 matrices with vector instructions: data that fits the caches, and narrower types, can be faster.

Kernels are timed by the device, allocations and launches by the host. Other load on the machine widens the spread.

A spread or a share of more than 100 % is not shown as a figure, and a warning says why; --json has
the numbers.

Spec files of run, or their directories, are measured in place of the built-in cases: all steps of a
file, whose source may be Metal, OpenCL C or CUDA C++, are a case. Their results are not checked; out
and repeat do not apply. The share is that of the arguments that the kernels read and write.

On the software device, --engine adds the share of the work that machine code did; the rest was interpreted.

` + peersHelp + `

Examples:

  puremetal bench
  puremetal bench --only 'matmul|softmax' --time 2s
  puremetal bench --engine
  puremetal bench --json old.json --html bench.html
  puremetal bench --compare old.json
  puremetal bench --compare old.json --with new.json
  puremetal bench examples/mandelbrot tiled.toml --json new.json --compare old.json
  puremetal bench peers

A comparison shows the ratio of the medians with its 95% confidence interval, and exits with 1 if a case regressed: its median is more than 10% larger, and the interval lies above 1. The interval covers the noise within the two runs. A machine that was busy during one of them shifts all its medians; then measure again.
`
}

// Run measures the cases, prints the results, compares them and saves them.
func (c *benchCmd) Run(a *app) error {
	if slices.Equal(c.What, []string{"peers"}) {
		return c.peers(a)
	}
	cases, err := c.cases(a)
	if err != nil {
		return err
	}
	if c.List {
		t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
		for _, k := range cases {
			fmt.Fprintf(t, "%s\t%s\n", k.Name, k.What)
		}
		return t.Flush()
	}
	if c.Time <= 0 || c.Time > time.Hour {
		return usage("--time %v; want more than 0 and at most 1h", c.Time)
	}
	var old, now *bench.Report
	if c.Compare != "" { // before measuring, so that a wrong file name fails at once
		if old, err = readReport(a.ctx, "--compare", c.Compare); err != nil {
			return err
		}
	}
	switch {
	case c.With == "":
		now, err = c.measure(a, cases)
	case c.Compare == "":
		err = usage("--with %s: --compare is missing", c.With)
	case c.Only != "" || c.JSON != "" || c.Device != "" || c.Engine:
		err = usage("--with measures nothing; --only, --json, --engine and --device do not apply")
	default:
		now, err = readReport(a.ctx, "--with", c.With)
	}
	if err != nil {
		return err
	}
	if c.JSON != "-" && c.With == "" {
		if err := benchTable(a.out, now, c.Engine); err != nil {
			return err
		}
	}
	slower := false
	if old != nil {
		to := a.out
		if c.JSON == "-" {
			to = a.err
		}
		if slower, err = compareTable(to, old, now); err != nil {
			return err
		}
	}
	if err := c.store(a, now, old); err != nil {
		return err
	}
	if slower {
		return errFindings
	}
	return nil
}

// cases returns the cases that --only matches.
func (c *benchCmd) cases(a *app) ([]bench.Case, error) {
	all := bench.Cases()
	if len(c.What) > 0 && !slices.Equal(c.What, []string{"operations"}) {
		all = nil
		for _, name := range c.What {
			k, err := specCase(a, name)
			if err != nil {
				return nil, err
			}
			all = append(all, k)
		}
	}
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return nil, usage("--only %q: %v", c.Only, err)
	}
	some := slices.DeleteFunc(slices.Clone(all), func(k bench.Case) bool { return !only.MatchString(k.Name) })
	if len(some) == 0 {
		var names []string
		for _, k := range all {
			names = append(names, k.Name)
		}
		return nil, usage("--only %q matches none of %s", c.Only, strings.Join(names, ", "))
	}
	return some, nil
}

// specCase returns the launches of a spec file as a case.
func specCase(a *app, name string) (bench.Case, error) {
	if name == "operations" || name == "peers" {
		return bench.Case{}, usage("%s goes with nothing else", name)
	}
	run := &runCmd{File: name}
	if spec, err := specFile(name); err != nil {
		return bench.Case{}, err
	} else if spec == "" {
		return bench.Case{}, usage("%s: want operations, peers, or a spec file (*.toml), which says what to launch",
			name)
	}
	p, err := run.resolve(a)
	if err != nil {
		return bench.Case{}, err
	}
	what := filepath.ToSlash(p.source.text)
	return bench.NewCase(filepath.ToSlash(filepath.Clean(name)), what, func(ctx context.Context,
		acc *compute.Accelerator) (bench.Work, error) {
		j := &job{app: a, cmd: run, plan: p.silent(), acc: acc, ctx: ctx}
		j.around = func(func() error) error { return nil } // the case launches
		if err := j.run(); err != nil {
			j.release()
			return bench.Work{}, err
		}
		w := bench.Work{Run: j.record, Close: j.release}
		for _, l := range j.steps {
			read, written := l.bytes()
			w.Bytes += float64(read + written)
		}
		return w, nil
	}), nil
}

func (c *benchCmd) measure(a *app, cases []bench.Case) (_ *bench.Report, err error) {
	acc, err := a.open(c.Device)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := closeDevice(a.ctx, acc); err == nil {
			err = e
		}
	}()
	bar := a.progress(len(cases)+1, "measuring")
	defer bar.stop()
	first := true
	rep, err := bench.Run(a.ctx, acc, cases, bench.Settings{Version: version().Version, Time: c.Time,
		Began: func(string) {
			if !first {
				bar.add()
			}
			first = false
		}})
	return &rep, err
}

func (c *benchCmd) store(a *app, rep, old *bench.Report) error {
	switch c.JSON {
	case "":
	case "-":
		if err := writeJSON(a.out, rep); err != nil {
			return err
		}
	default:
		if err := storeFile(c.JSON, func(w io.Writer) error { return writeJSON(w, rep) }); err != nil {
			return err
		}
	}
	if c.HTML == "" {
		return nil
	}
	return storeFile(c.HTML, func(w io.Writer) error { return page.Write(w, rep, old) })
}

// readReport reads results written by --json.
func readReport(ctx context.Context, flag, name string) (*bench.Report, error) {
	text, err := abandonable(ctx, func() ([]byte, error) { return document.Results.ReadFile(name) })
	if err != nil {
		return nil, err
	}
	var rep bench.Report
	if err := document.Results.JSON(text, &rep); err != nil {
		return nil, fmt.Errorf("%s %s: not results of puremetal bench --json: %w", flag, name, err)
	}
	if rep.Format != bench.Format {
		return nil, fmt.Errorf("%s %s: the results have format %d; want %d", flag, name, rep.Format, bench.Format)
	}
	return &rep, nil
}

func benchTable(w io.Writer, rep *bench.Report, engine bool) error {
	fmt.Fprintf(w, "%s (%s), %s, %d processors\n", rep.Device, driverName(rep.Software), rep.Platform, rep.CPUs)
	fmt.Fprintf(w, "peak: %.3g GB/s, %.3g GFLOP/s (%s)\n\n", rep.Peak.GBs, rep.Peak.GFLOPs, rep.Peak.How)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "case\tmedian\tspread\truns\tGFLOP/s\tGB/s\tof peak\t")
	if engine {
		fmt.Fprint(t, "machine code\t")
	}
	fmt.Fprintln(t)
	for _, r := range rep.Results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t", r.Name, msText(r.MedianUS/1e3), r.SpreadText(), r.Runs,
			figure(r.GFLOPs), figure(r.GBs), r.Share())
		if engine && r.Machine != nil {
			fmt.Fprintf(t, "%s\t", percent(*r.Machine))
		} else if engine {
			fmt.Fprint(t, "\t")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, text := range rep.Warnings() {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	return nil
}

// percent formats a share.
func percent(f float64) string {
	if f >= 1 {
		return fmt.Sprintf("%.0f %%", 100*f)
	}
	return fmt.Sprintf("%.3g %%", 100*f)
}

// figure formats a number; 0 means there is none.
func figure(f float64) string {
	if f == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", f)
}

// compareTable shows old and new results side by side, and reports whether a case became slower.
func compareTable(w io.Writer, old, now *bench.Report) (slower bool, err error) {
	fmt.Fprintln(w)
	if old.Device != now.Device || old.Platform != now.Platform || old.CPUs != now.CPUs {
		fmt.Fprintf(w, "the old results are from another machine: %s, %s, %d processors\n", old.Device, old.Platform,
			old.CPUs)
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\told\tnew\tnew/old (95% interval)\t\t")
	for i := range now.Results {
		n := &now.Results[i]
		at := slices.IndexFunc(old.Results, func(r bench.Result) bool { return r.Name == n.Name })
		if at < 0 {
			fmt.Fprintf(t, "%s\t\t%s\t\tnew\t\n", n.Name, msText(n.MedianUS/1e3))
			continue
		}
		o := &old.Results[at]
		change := bench.Compare(o, n)
		slower = slower || change.Verdict() == bench.Slower
		fmt.Fprintf(t, "%s\t%s\t%s\t%v\t%s\t\n", n.Name, msText(o.MedianUS/1e3), msText(n.MedianUS/1e3), change,
			change.Verdict())
	}
	return slower, t.Flush()
}

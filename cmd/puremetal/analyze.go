//go:build !puremetal_run

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/cmd/puremetal/internal/launchpage"
	"github.com/puremetal/puremetal/cmd/puremetal/internal/rewrite"
	"github.com/puremetal/puremetal/compute"
)

// analyzeCmd is the analyze command.
type analyzeCmd struct {
	File string `arg:"" help:"Source (Metal, .cl, .cu), Go package, spec file (*.toml), its directory, or -."`

	launchFlags
	sourceFlags
	PixelFormat []string `sep:"none" placeholder:"INDEX=FORMAT" help:"Pixel format of a texture, as for run."`
	Seed        *uint64  `placeholder:"N" help:"Seed for random: values and for --threadgroups; 1 by default."`
	Device      string   `placeholder:"INDEX|NAME" help:"The device to run on, as listed by puremetal devices."`

	Line         int    `default:"0" enum:"0,32,64,128" placeholder:"BYTES" help:"Size of a line; by default --model's."`
	Threadgroups int    `placeholder:"N" help:"Observe N threadgroups of each launch; the others run at full speed."`
	Static       bool   `help:"Say what the source tells: alone, or with --grid beside what a launch does."`
	Model        string `placeholder:"NAME" help:"GPU: apple7 (default), apple9, vega, rdna, intel, nvidia, ..."`
	Chip         string `placeholder:"NAME" help:"Compare with the published peaks of a chip, such as M2."`
	Try          bool   `help:"Apply the advice that can be applied mechanically, run again and compare."`
	JSON         bool   `name:"json" xor:"format" help:"Report as JSON."`
	SARIF        bool   `name:"sarif" xor:"format" help:"Write the advice as SARIF 2.1.0, for code hosts and editors."`
	HTML         string `name:"html" type:"path" placeholder:"FILE" help:"Also write a self-contained HTML page."`

	Timeout time.Duration `placeholder:"DURATION" help:"Give up after, say, 10s or 500ms, with exit code 124."`
}

// Help returns the text that analyze --help shows after the flags.
func (*analyzeCmd) Help() string { return analyzeHelp }

const analyzeHelp = `Runs a kernel on the software device and counts what it does, for each access in the source:

  lines       distinct lines of memory that a simdgroup of 32 threads touches at a time. --line
              says how long those of your GPU are: 128 bytes (Apple 7 and 8, AMD RDNA), 64
              (Apple 9, AMD Vega) or 32 (sectors of NVIDIA)
  efficiency  share of the bytes in those lines that its threads want; 100% is the best
  pattern     of the threads' addresses: broadcast (all the same), sequential, strided, tiled
              (rows at a constant distance), random (none of these), single (one thread only)

and for the launch footprints, lines that are accessed most, how soon lines are accessed again,
atomic operations that meet, branches that threads of a simdgroup take differently, and how evenly
the work is spread. Advice names the place, what was measured, and by how much it can become less.

The counts do not depend on the machine. They are exact for the kernel as written; a compiler for a
GPU may merge accesses, and caches may serve them. With --threadgroups they are those of a sample
spread over the grid, and shares are estimates.
Accesses of textures are counted, but not where they go. Values are those of puremetal run, and so
are spec files; nothing is written but the report.

--static runs nothing, unless --grid, --arg or a spec file say what to launch; then the report has
both halves. It says what follows from the source: the pattern, lines and efficiency of each access,
the mix of operations, arithmetic intensity, loops, divergent branches, registers, occupancy over
threadgroup sizes, and advice; with --chip also what the roofline of that chip allows, by a table of
published figures. Each figure is exact, a bound ("1 to 2"), an estimate ("about 96") or unknown;
docs/analyze.md explains them.

--try applies advice where that is mechanical: other threadgroup sizes, grids with x and y
exchanged, rows of threadgroup arrays made one element longer, elements exchanged in threadgroup
memory, structures split into arrays, counters in threadgroup memory, and vectors. It shows what was
counted before and after, and a time modeled from the peaks of --chip (by default this Mac, or an Apple M1). Where
the text of the kernel does not allow a change, it says why. A change that alters any byte of what
the kernel computes is rejected: all arguments are compared with those of the first run.

Examples:

  puremetal analyze scale.metal --grid 1024 --arg 0=ramp:float[1024] --arg 1=float:2
  puremetal analyze --try --line 64 t.metal --grid 64,64 --arg 0=ramp:float[64,64] --arg 1=zeros:float[64,64]
  puremetal analyze --html report.html examples/mandelbrot
  puremetal analyze --static --model apple9 --group 32,8 scale.metal
  puremetal analyze --static --model rdna2 --html report.html examples/mandelbrot
  puremetal analyze --threadgroups 64 --json examples/mandelbrot > mandelbrot.json
`

// runCmd returns the run command with the same flags.
func (c *analyzeCmd) runCmd() *runCmd {
	return &runCmd{File: c.File, launchFlags: c.launchFlags, sourceFlags: c.sourceFlags, PixelFormat: c.PixelFormat,
		Seed: c.Seed, Device: c.Device, Quiet: true, Timeout: c.Timeout}
}

// Run runs the kernels and reports.
func (c *analyzeCmd) Run(a *app) error {
	model, err := analyze.ModelByName(cmp.Or(c.Model, "apple7"))
	if err != nil {
		return usage("--model: %s", strings.TrimPrefix(err.Error(), "analyze: "))
	}
	peaks, err := c.peaks()
	if err != nil {
		return err
	}
	switch {
	case c.Static && !c.both():
		return c.static(a, model, peaks)
	case c.Threadgroups < 0:
		return usage("--threadgroups %d; want 1 or more", c.Threadgroups)
	}
	c.Line = cmp.Or(c.Line, model.Line)
	run := c.runCmd()
	p, err := run.resolve(a)
	if err != nil {
		return err
	}
	for _, s := range p.steps {
		s.out = nil
	}
	p.out = nil
	if c.Try && (p.dialect != "" || p.goPackage != nil) {
		return usage("--try changes Metal source; write that of %s with puremetal translate -o", p.source.text)
	}
	if c.Try && len(p.steps) > 1 {
		return usage("--try is for a single kernel; %s has %d steps", c.File, len(p.steps))
	}
	ctx, stop := a.limit(c.Timeout)
	defer stop()
	first, err := c.observe(ctx, a, run, p, nil)
	if err != nil {
		return timedOut(ctx, c.Timeout, "observing launches", err)
	}
	r := &analysis{Device: first.device, Line: c.Line, source: p.text, file: p.source.text}
	for _, l := range first.launches {
		advice, err := analyze.Recommend(l, c.Line)
		if err != nil {
			return err
		}
		if advice == nil {
			advice = []analyze.Recommendation{}
		}
		r.Launches = append(r.Launches, analyzedLaunch{l, advice})
	}
	if c.Try {
		if r.Tries, err = c.try(ctx, a, run, p, first, peaks); err != nil {
			return timedOut(ctx, c.Timeout, "trying advice", err)
		}
	}
	if c.Static || c.HTML != "" {
		if r.Static, err = run.staticOf(ctx, p, first.launches, model, c.cores(peaks)); err != nil {
			return timedOut(ctx, c.Timeout, "analyzing the source", err)
		}
		r.Model, r.Peaks, r.Rooflines = &model, &peaks, rooflines(r.Static, peaks)
	}
	if c.HTML != "" {
		if p.goPackage != nil {
			r.file, r.source = r.goSource()
		}
		if err := c.writePage(r); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		return writeJSON(a.out, r)
	case c.SARIF:
		return r.sarif(a.out)
	}
	if err := r.text(a.out); err != nil || !c.Static {
		return err
	}
	fmt.Fprintln(a.out, "\nWhat the source alone tells:")
	return staticTexts(a.out, r.Static, peaks)
}

// defaultChip is what times are modeled for without --chip on machines that are no Macs.
const defaultChip = "Apple M1"

// peaks returns the published peaks of the chip that --chip names, or of this machine.
func (c *analyzeCmd) peaks() (analyze.Peaks, error) {
	if c.Chip == "" {
		if p, err := analyze.LocalPeaks(); err == nil {
			return p, nil
		}
	}
	p, ok := analyze.ChipPeaks(cmp.Or(c.Chip, defaultChip))
	if !ok {
		return p, usage("--chip: no chip %q, want one of %s", c.Chip, strings.Join(analyze.Chips(), ", "))
	}
	return p, nil
}

// cores returns the number of cores of the chip that --chip names, 0 if it names none.
func (c *analyzeCmd) cores(p analyze.Peaks) int {
	if c.Chip == "" {
		return 0
	}
	return p.Cores
}

// analysis is the report.
type analysis struct {
	Device   string           `json:"device"`
	Line     int              `json:"line"`
	Launches []analyzedLaunch `json:"launches"`
	Tries    []attempt        `json:"tries,omitempty"`

	// What the source of the launched kernels tells, with --static or --html.
	Model     *analyze.Model              `json:"model,omitempty"`
	Static    []*analyze.Report           `json:"static,omitempty"`
	Peaks     *analyze.Peaks              `json:"peaks,omitempty"`
	Rooflines map[string]analyze.Roofline `json:"rooflines,omitempty"` // by kernel

	file, source string
}

type analyzedLaunch struct {
	*event.Launch
	Advice []analyze.Recommendation `json:"advice"`
}

// observed is a run of a plan.
type observed struct {
	device   string
	launches []*event.Launch
	contents map[string][]byte // of the arguments after the run, by name
	group    compute.Extent    // of the only step
	grid     compute.Extent
	limit    int // threads of a threadgroup
}

// observe runs a plan on a device of its own and returns what it did. The arguments of these names
// are arrays of structures that the kernel has as arrays of members.
func (c *analyzeCmd) observe(ctx context.Context, a *app, run *runCmd, p *plan,
	split map[string]rewrite.Layout) (o *observed, err error) {
	j := &job{app: a, cmd: run, plan: p, ctx: ctx}
	if j.acc, err = a.open(c.Device, j.kernelLog()); err != nil {
		return nil, err
	}
	o = &observed{device: j.acc.Info().Name, contents: map[string][]byte{}}
	j.around = func(launch func() error) error {
		if err := j.split(split); err != nil {
			return err
		}
		options := analyze.ObserveOptions{Threadgroups: c.Threadgroups, Seed: *run.Seed}
		o.launches, err = analyze.Observe(ctx, j.acc, options, func(context.Context) error { return launch() })
		if err != nil {
			return err
		}
		return j.contents(o.contents, split)
	}
	err = j.run()
	if err == nil {
		l := j.steps[0]
		o.grid, o.group, o.limit = l.size.Grid, l.launch.Group(), l.kernel.MaxThreads()
	}
	closing, stop := closeContext(ctx)
	defer stop()
	return o, errors.Join(err, j.close(closing))
}

// contents downloads the arguments, and makes those in split arrays of structures again.
func (j *job) contents(to map[string][]byte, split map[string]rewrite.Layout) error {
	for i, l := range j.steps {
		for _, b := range l.bound {
			x := &output{memory: b.memory}
			if err := x.download(j.ctx); err != nil {
				return err
			}
			if layout, ok := split[b.parameter.Name]; ok {
				x.data = layout.Split(x.data, true)
			}
			to[fmt.Sprintf("%d %s", i, b.parameter.Name)] = x.data
		}
	}
	return nil
}

// split rearranges arguments.
func (j *job) split(layouts map[string]rewrite.Layout) error {
	for _, l := range j.steps {
		for _, b := range l.bound {
			layout, ok := layouts[b.parameter.Name]
			if !ok {
				continue
			}
			x := &output{memory: b.memory}
			if err := x.download(j.ctx); err != nil {
				return err
			}
			if err := b.memory.buffer.Upload(j.ctx, layout.Split(x.data, false)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePage writes the HTML page.
func (c *analyzeCmd) writePage(r *analysis) error {
	p := launchpage.Page{Device: r.Device, Line: r.Line, File: r.file, Source: r.source, Model: *r.Model,
		Peaks: *r.Peaks, Static: r.Static}
	for _, l := range r.Launches {
		p.Launches = append(p.Launches, launchpage.Launch{Launch: l.Launch, Advice: l.Advice})
	}
	tries, left := shown(r.Tries)
	for _, t := range tries {
		p.Tries = append(p.Tries, launchpage.Try{Change: t.Change, Rejected: t.Rejected, Measure: t.Measure,
			Before: t.Before, After: t.After, Predicted: t.Predicted, Measured: t.Measured,
			SecondsBefore: t.SecondsBefore, SecondsAfter: t.SecondsAfter})
		p.TimeModel = cmp.Or(p.TimeModel, t.TimeModel)
	}
	if left > 0 {
		change, note := leftOut(left)
		p.TriesLeft = fmt.Sprintf("%s: %s.", change, note)
	}
	f, err := os.Create(c.HTML)
	if err != nil {
		return err
	}
	return errors.Join(launchpage.Write(f, &p), f.Close())
}

// goSource returns the name and text of the Go file that a launch spent most instructions in.
func (r *analysis) goSource() (name, text string) {
	most := int64(-1)
	for _, l := range r.Launches {
		work := map[string]int64{}
		for _, x := range l.Lines {
			if strings.HasSuffix(x.File, ".go") {
				work[x.File] += x.Instructions
			}
		}
		for file, n := range work {
			if n > most || n == most && file < name {
				name, most = file, n
			}
		}
	}
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return name, ""
	}
	return name, string(b)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/compute/profile"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
)

// launchFlags say what to launch.
type launchFlags struct {
	Kernel string   `placeholder:"NAME" help:"The kernel to run; optional if the source has only one."`
	Grid   string   `placeholder:"X[,Y[,Z]]" help:"Grid size in threads."`
	Group  string   `placeholder:"X[,Y[,Z]]" help:"Threadgroup size in threads; chosen from the kernel and the grid by default."`
	Arg    []string `sep:"none" placeholder:"INDEX=VALUE" help:"Set an argument, given by buffer index, as texture0, or by name."`

	Cooperative bool `help:"Let the threads of a kernel wait for the whole grid."`
}

// sourceFlags say how to compile the source, and the sizes that it leaves open.
type sourceFlags struct {
	ThreadgroupMemory []string `sep:"none" placeholder:"INDEX=BYTES" help:"Size of a threadgroup memory argument."`
	Const             []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a function constant, by name or index."`
	Define            []string `short:"D" sep:"none" placeholder:"NAME[=VALUE]" help:"Define a macro."`
	Include           []string `short:"I" sep:"none" placeholder:"DIR" help:"Add a directory to search for #include files, after the source's own."`
	Std               string   `placeholder:"metalX.Y" help:"Language version, as for check; metal3.2 by default."`
	languageFlags
}

// runCmd is the run command.
type runCmd struct {
	File string `arg:"" help:"Source (Metal, .cl, .cu), Go package, spec file (*.toml), their directories, or -."`

	launchFlags
	Out []string `sep:"none" placeholder:"INDEX=FILE" help:"Save an argument after the run: to a .npy, .png, .csv or .raw file, a directory/ of layers, or - to print a table."`
	sourceFlags
	Repeat int     `placeholder:"N" help:"Run N times and report the median time. --out saves the output of the first run."`
	Seed   *uint64 `placeholder:"N" help:"Seed for random: values; 1 by default."`
	Device string  `placeholder:"INDEX|NAME" help:"The device to run on, as listed by puremetal devices."`
	Watch  bool    `help:"Run again whenever the source, an included file or the spec file changes."`
	JSON   bool    `name:"json" help:"Report as JSON. Tables of --out go to standard error."`
	Quiet  bool    `short:"q" help:"Print only errors, what --out=INDEX=- asks for, and the report of --json."`

	PixelFormat []string `sep:"none" placeholder:"INDEX=FORMAT" help:"Pixel format of a texture: sRGB, or a name of Metal's."`

	GridPhases bool `help:"Split kernels where they synchronize the grid, as GPUs need it, on the software device too."`
	PhaseTimes bool `help:"Measure each phase of kernels that are split, which makes them slower."`

	Sanitize sanitizeFlag `placeholder:"KINDS" help:"Report mistakes of kernels; exit with 1 if there are any."`
	SARIF    string       `name:"sarif" placeholder:"FILE" help:"With --sanitize, also write findings as SARIF."`

	Schedules int `placeholder:"N" help:"Compare results of N orders of execution; exit with 1 if they differ."`

	Trace string `placeholder:"FILE" help:"Write a timeline, for ui.perfetto.dev and trace view."`

	Timeout time.Duration `placeholder:"DURATION" help:"Give up after, say, 10s or 500ms, with exit code 124."`

	source string                // file name of the source
	files  *machine.WatchedFiles // with Watch: the files that were read
}

// Help returns the text that run --help shows after the flags.
func (*runCmd) Help() string { return runHelp }

const runHelp = `A VALUE is

  float:1.5  int:-3  uint:7  half:0.5  bool:true    a number
  1.5  -3  true  1,2,3,4                            numbers of the type that the kernel declares
  float4:1,2,3,4                                    a vector; packed_float3 has no padding
  float[3]:1,2,3                                    an array; one number fills it
  zeros:float[64,64]  ramp:float[16]                zeros; 0, 1, 2, ...
  random:float[16]                                  from [0, 1); integers from [0, 100)
  @data.npy  @photo.png  @photo.jpg                 a file; images are uchar4[height,width]
  half@data.npy  float@photo.png                    a file as another type
  @data.raw  float@data.raw  float[64,64]@data.raw  bytes as they are in memory, little-endian
  {uint:64;float:0.5}                               a structure; members are padded as in Metal
  {float:1;{int:2;int:3};float[2]:4,5}              with a structure and an array inside
  [{int:1;float:2};{int:3;float:4}]                 an array of structures

Textures take such values, too; the last dimension is the width, and lanes are channels:

  texture2d         @photo.png  zeros:uchar4[480,640]  float@photo.png
  texture2d_array   [@a.png;@b.png]  @layers/  zeros:uchar4[8,480,640]
  texture3d         @slices/  half@volume.npy  uchar[64,64,64]@volume.raw
  texturecube       @faces/  zeros:uchar4[6,256,256], in the order +X, -X, +Y, -Y, +Z, -Z
  texture1d, texture1d_array, texturecube_array, and array<texture2d<float>, 8>, whose first
  dimension is the texture

@layers/ is a directory of .png and .jpg files of one size, in the order of their names, where
numbers count: 2.png comes before 10.png. [@a.png;@b.png] lists files. --out t=layers/ writes
layers/000.png, layers/001.png and so on; .npy and .raw hold all layers in one file.

A texture of float or half gives a kernel the bytes of a picture as numbers from 0 to 1. It does not
convert sRGB to linear light, unless --pixel-format t=sRGB says that the texture is sRGB: then reads
return linear light, and writes are encoded again. FORMAT can also be a name of Metal's, such as
RGBA8Unorm_sRGB, BGRA8Unorm or R8Snorm, with numbers of the value's type. texture_buffer,
multisample textures, and arguments that are neither buffers nor textures are not supported.

A sampler that is not given filters linearly, clamps to the edge and takes coordinates from 0 to 1.
--arg s=sampler:nearest,texels changes that: linear or nearest, clamp or repeat, and texels for
coordinates in texels. An array of samplers takes several: [sampler:nearest;sampler:repeat].

Types are bool, char, uchar, short, ushort, int, uint, long, ulong, half, bfloat, float, also as
int8 to uint64 and float16, bfloat16, float32, and vectors of 2 to 4. Arrays are row-major: the last
dimension is contiguous.

A spec file sets the same options in TOML. Paths of source, include and @files are relative to the
spec file, those of out to the current directory. Flags on the command line override it:

  source  = "mandelbrot.metal"
  kernel  = "mandelbrot"
  grid    = [768, 512]
  group   = [16, 16]
  args    = ["0=zeros:uchar4[512,768]", "1=float:1.5"]
  out     = ["0=mandelbrot.png"]
  const   = ["iterations=uint:256"]
  threadgroup-memory = ["0=1024"]
  pixel-format = ["2=sRGB"]
  cooperative = true
  define  = ["FAST=1"]
  include = ["include"]
  std     = "metal3.1"
  repeat  = 5
  seed    = 1

A spec file can also launch several kernels of its source, one after the other, over the same
buffers. [buffers] names them once; an argument takes one by its name. The top-level out saves
buffers after the last step, by name; out in a step saves an argument as that step left it.
source, out, const, define, include, std, repeat and seed apply to all steps and come first:

  source = "blur.metal"
  out    = ["photo=blurred.png"]

  [buffers]
  photo = "@photo.png"
  rows  = "zeros:uchar4[480,640]"

  [[step]]
  kernel = "blur_rows"
  grid   = [640, 480]
  args   = ["from=photo", "to=rows", "weight=float:0.5"]

  [[step]]
  kernel = "blur_columns"
  grid   = [640, 480]
  args   = ["from=rows", "to=photo", "weight=float:0.5"]
  out    = ["from=-"]

A step can have kernel, grid, group, args, out, const, threadgroup-memory, pixel-format and
cooperative. On the command line, --arg photo=VALUE, --out photo=FILE and --pixel-format photo=FORMAT
name buffers, as does the top-level pixel-format. A buffer whose steps take textures is a texture.
--repeat runs all steps again, over what they left. --json has the list "steps", with kernel, grid,
times and bytes of each.

A mistake in a spec file is reported with file, line and key, such as job.toml:7: args 0=float:x.

--cooperative launches kernels that synchronize their whole grid, with puremetal::this_grid().sync()
of <puremetal/cooperative>; an ordinary launch of them is refused. The report says how many phases
such a kernel had, the parts between two syncs, and the memory that kept its threads in between; with
--json it has an object "cooperative". GPUs cannot let a grid wait, so such kernels are split there,
and each phase is a launch. --grid-phases does the same on the software device, and --phase-times
measures the phases, which makes a split kernel slower.

Messages that kernels write with os_log go to standard error. With --repeat they
are those of the first run, with --quiet only errors and faults.

--timeout counts from the start of compilation to the end of the last launch. When it ends, the
software device stops the kernel. Metal cannot stop a kernel that a GPU has begun: on a Mac the
command reports the timeout and ends without waiting, while the GPU finishes the kernel or macOS
stops it (not tested on a Mac). No output is written. --timeout replaces the software device's own
limit of 5 minutes, but not its limit of work, whose error is another one.

--sanitize looks for mistakes of the kernels while they run: accesses out of bounds, data races,
barriers that not all threads reach, reads of memory that nothing has written, values taken from
inactive lanes, misaligned addresses, uses of freed buffers, indices that overflow. It prints where,
with the source lines, which threads, and what to do; with --json the report has a list "findings",
and --sarif FILE writes them for code hosts and editors. --sanitize=race,bounds looks for some kinds
only. The exit code is 1 if there are findings. Kernels run many times slower, and only on the software device.

--schedules N looks for results that depend on the order of execution, which Metal leaves open. The
kernels run again in N permuted orders of threadgroups, and of the simdgroups of each between
barriers, with seeds from --seed on, and all arguments are compared byte by byte with those of the
default order. For one that differs, the command reports in which schedules, which elements, and the
smallest change of the default order that changes the results, such as threadgroup (3,0,0) before
(2,0,0), for which it runs the kernels up to 300 times more. The exit code is 1 if results differ.
With --json the report has an object "schedules". Sums of floating-point numbers by atomic operations
differ, as they do on a GPU. Only the software device can do this.

--trace FILE writes what host and device did when, as a timeline that ui.perfetto.dev shows: calls,
encoding, command buffers, launches, compilations, transfers and memory. puremetal trace view FILE
prints a summary. Launches are timed one by one, which can make the run slower.

An argument that a kernel writes and --out does not name is shown with its type and its first and
last values, if it has at most 1 MiB. On the software device, short runs are repeated under
--sanitize=bounds, and a message names the lines that access memory out of bounds; --quiet does
without both.

--watch is for development: it compiles and runs again after each change, until Ctrl-C. While the
source does not compile, files of --out stay as the last good version wrote them. Changed @files are
read with the next run.

Examples:

  puremetal run examples/mandelbrot
  puremetal run examples/image
  puremetal run --watch examples/mandelbrot
  puremetal run scale.metal --kernel scale --grid 16 --arg 0=ramp:float[16] --arg 1=float:2 --out 0=-
  puremetal run blur.metal --grid 640,480 --arg 0=@photo.png --arg 1=zeros:uchar4[480,640] --out 1=blurred.png
  puremetal run saxpy.metal --grid 1000000 --arg 0=random:float[1000000] --arg 1=zeros:float[1000000] --arg 2=float:2 --repeat 20
`

// defaultSeed seeds random: values unless --seed is given.
const defaultSeed = 1

// Run runs the kernel.
func (c *runCmd) Run(a *app) error {
	if c.Watch {
		return c.watch(a)
	}
	p, err := c.resolve(a)
	if err != nil {
		return err
	}
	return c.run(a, p)
}

// run runs the kernels of a plan once, and reports.
func (c *runCmd) run(a *app, p *plan) (err error) {
	j := &job{app: a, cmd: c, plan: p}
	options := []compute.Option{j.kernelLog()}
	if c.Timeout > 0 { // the software device's own limit must not end the kernel before
		options = append(options, compute.WithTimeout(0))
	}
	found := &findings{}
	if c.GridPhases {
		options = append(options, compute.WithGridPhases())
	}
	if c.Sanitize != 0 {
		options = append(options, compute.WithSanitizer(sanitizer.Kinds(c.Sanitize), found.add))
	}
	if j.acc, err = a.open(c.Device, options...); err != nil {
		return err
	}
	var rec *profile.Recorder
	if c.Trace != "" {
		if rec, err = profile.Start(j.acc, profile.Options{LaunchTimes: observe.LaunchTimesByCounter}); err != nil {
			return err
		}
	}
	var stop context.CancelFunc
	j.ctx, stop = a.limit(c.Timeout)
	defer stop()
	err = j.run()
	err = timedOut(j.ctx, c.Timeout, j.phase, err)
	ctx, stopClosing := closeContext(j.ctx)
	defer stopClosing()
	if closeErr := j.close(ctx); err == nil {
		err = closeErr
	}
	if rec != nil { // of a run that failed, too
		err = errors.Join(err, writeTrace(c.Trace, rec.Stop()))
	}
	var compared *schedulesReport
	if err == nil && c.Schedules > 0 {
		if compared, err = c.schedules(a, p); err != nil {
			return err
		}
	}
	wrong := found.sorted()
	if c.SARIF != "" {
		err = errors.Join(err, writeSARIF(c.SARIF, wrong))
	}
	if err != nil && len(wrong) == 0 {
		return err
	}
	switch {
	case c.JSON:
		if c.Sanitize != 0 {
			j.report.Findings = &wrong
		}
		j.report.Schedules = compared
		err = errors.Join(err, writeJSON(a.out, j.report))
	case err == nil && !c.Quiet:
		err = j.report.text(a.out)
	}
	if err == nil && !c.Quiet && c.Sanitize == 0 && j.report.Software {
		if at := c.outOfBounds(a, p, j.report.BytesRead+j.report.BytesWritten); len(at) > 0 {
			fmt.Fprintln(a.err, p.boundsHint(at))
		}
	}
	if len(wrong) > 0 {
		if !c.JSON {
			err = errors.Join(err, sanitizer.Text(a.err, wrong, j.source))
		}
		err = errors.Join(err, findingsError(len(wrong)))
	}
	if compared != nil && len(compared.Differ) > 0 {
		if !c.JSON {
			compared.text(a.err)
		}
		err = errors.Join(err, schedulesError{len(compared.Differ), compared.ScheduleReport.Schedules})
	}
	return err
}

// resolve reads the spec file, if any, and the source, and validates the options that need no
// device.
func (c *runCmd) resolve(a *app) (*plan, error) {
	var file *spec
	c.source = c.File
	if c.File != "-" {
		name, err := specFile(c.File)
		if err != nil {
			if ok, _ := c.isGo(c.File); !ok {
				return nil, err
			}
			name = "" // the directory is the source
		}
		if name != "" {
			c.files.Add(name)
			if file, err = readSpec(name); err != nil {
				return nil, err
			}
			file.apply(c)
		}
	}
	if _, err := c.languageFlags.language(c.source); err != nil {
		return nil, err
	}
	p, err := c.makePlan(file)
	if err != nil {
		return nil, err
	}
	if c.Timeout < 0 {
		return nil, usage("--timeout %v; want a positive duration, such as 10s", c.Timeout)
	}
	if c.SARIF != "" && c.Sanitize == 0 {
		return nil, usage("--sarif %s: it needs --sanitize", c.SARIF)
	}
	if c.Schedules < 0 || c.Schedules > maxSchedules {
		return nil, usage("--schedules %d; want 1 to %d", c.Schedules, maxSchedules)
	}
	if c.Repeat < 0 || c.Repeat > maxRepeat {
		return nil, usage("--repeat %d; want 1 to %d", c.Repeat, maxRepeat)
	}
	c.Repeat = max(c.Repeat, 1)
	if c.Seed == nil {
		c.Seed = new(uint64)
		*c.Seed = defaultSeed
	}
	for _, s := range p.steps {
		if _, err := s.threads(); err != nil {
			return nil, err
		}
	}
	return p, c.read(a, p)
}

// read reads the source of a plan, and translates it if it is a Go package.
func (c *runCmd) read(a *app, p *plan) error {
	if ok, err := c.isGo(c.source); err != nil || ok {
		if err == nil {
			err = c.goPackage(a, p)
		}
		return err
	}
	var err error
	if p.dialect, err = c.languageFlags.language(c.source); err != nil {
		return err
	}
	c.files.Add(c.source)
	if p.text, err = readSource(a, c.source); err != nil && p.source.origin != "" {
		err = fmt.Errorf("%s: %w", p.source.origin, err)
	}
	return err
}

// maxRepeat is the largest --repeat.
const maxRepeat = 1_000_000

// readSource reads a source file, or standard input if the name is "-".
func readSource(a *app, name string) (text string, err error) {
	return abandonable(a.ctx, func() (string, error) { return readText(a.in, name) })
}

// abandonable calls a function that reads, which from a terminal or a pipe can block for long, and
// which decoding can keep busy. If the context ends, so does the wait; the work ends with the
// process.
func abandonable[T any](ctx context.Context, read func() (T, error)) (T, error) {
	done := make(chan func() (T, error), 1)
	go func() {
		v, err := read()
		done <- func() (T, error) { return v, err }
	}()
	select {
	case result := <-done:
		return result()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func readText(from io.Reader, name string) (string, error) {
	if name == "-" {
		b, err := document.Source.Read(from)
		return string(b), err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return "", noGoKernels(name)
	}
	b, err := document.Source.ReadFile(name)
	return string(b), err
}

// job is one run of a plan.
type job struct {
	app      *app
	cmd      *runCmd
	plan     *plan
	ctx      context.Context // ends with the command or with --timeout
	phase    string          // what the job is doing, for --timeout
	acc      *compute.Accelerator
	macros   map[string]string
	language mtl.LanguageVersion
	program  *compute.Program
	steps    []*launch
	shared   []*memory   // of [buffers]
	placed   []*memory   // on the device
	seeds    uint64      // values that have a seed
	repeats  atomic.Bool // the first run has ended
	report   report

	around func(launch func() error) error // is called instead of launch, nil to call launch and report its times
}

// launch is a step with its kernel and arguments.
type launch struct {
	*step
	kernel   *compute.Kernel
	takes    []compute.Parameter // of the kernel
	size     compute.Threads
	bound    []binding
	outs     []*output // after the step
	launch   *compute.Launch
	from, to *compute.Event
	times    []time.Duration
}

// run compiles the source, binds the arguments, launches the kernels and writes the outputs.
func (j *job) run() error {
	j.phase = "compiling"
	start := time.Now()
	bar := j.app.progress(1, "compiling "+j.plan.source.text)
	defer bar.stop()
	if err := j.compile(); err != nil {
		return err
	}
	if err := j.share(); err != nil {
		return err
	}
	for _, s := range j.plan.steps {
		l := &launch{step: s}
		j.steps = append(j.steps, l)
		if err := j.selectKernel(l); err != nil {
			return err
		}
	}
	j.report.compile = time.Since(start)
	bar.stop()
	for _, l := range j.steps {
		if l.kernel.Cooperative().Phases > 1 && !l.cooperative {
			return l.usage("kernel %s synchronizes its whole grid; use %s", l.kernel.Name(), l.cooperativeEntry())
		}
		l.kernel.TimePhases(j.cmd.PhaseTimes)
		if err := j.prepare(l); err != nil {
			return err
		}
	}
	if err := j.sharedOutputs(); err != nil {
		return err
	}
	for _, m := range j.shared {
		switch {
		case m.first == nil:
			return usage("%v: no step uses %s", m.from, m.name)
		case m.chosen.text != "" && m.buffer != nil:
			return usage("%v: %s is a buffer, not a texture", m.chosen, m.name)
		}
	}
	j.phase = "running kernel " + j.steps[0].kernel.Name()
	if n := len(j.steps); n > 1 {
		j.phase = fmt.Sprintf("running %d steps", n)
	}
	launch := j.launch
	if j.around != nil {
		launch = func() error { return j.around(j.launch) }
	}
	if err := launch(); err != nil {
		return err
	}
	if j.around == nil {
		j.describe()
	}
	tables := j.app.out
	if j.cmd.JSON { // standard output is for the report alone
		tables = j.app.err
	}
	for _, l := range j.steps {
		for _, o := range l.outs {
			if err := o.write(tables); err != nil {
				return fmt.Errorf("%v: %w", o.from, err)
			}
		}
	}
	return nil
}

// prepare binds the arguments of a step.
func (j *job) prepare(l *launch) (err error) {
	args, err := j.bind(l)
	if err != nil {
		return err
	}
	if err := j.outputs(l); err != nil {
		return err
	}
	if l.size, err = l.threads(); err != nil {
		return err
	}
	if l.launch, err = l.kernel.Bind(l.size, args...); err != nil {
		return l.usage("%w", err)
	}
	return nil
}

// compile compiles the source.
func (j *job) compile() (err error) {
	if j.macros, err = defines(j.plan.define); err != nil {
		return err
	}
	full, err := programName(j.plan.source.text, j.plan.text)
	if err != nil {
		return err
	}
	if j.language, err = j.plan.language(); err != nil {
		return err
	}
	o := compute.CompileOptions{Name: full, Dialect: j.plan.dialect,
		DoubleAsFloat: j.plan.dialect != "" && j.cmd.doubleAsFloat(), Instances: j.plan.instances(),
		Language: j.language, Macros: j.macros, Includes: includeDirs{j.cmd.Include, j.cmd.files},
		Logging: j.language >= mtl.LanguageVersion3_2} // the first with messages
	if j.plan.goPackage != nil {
		o.Translated = j.plan.goPackage.Kernels
	}
	j.program, err = j.acc.Compile(j.ctx, j.plan.text, o)
	if errors.Is(err, compute.ErrCompile) {
		return j.explain(err)
	}
	return err
}

// selectKernel builds the kernel of a step.
func (j *job) selectKernel(l *launch) error {
	name, kernel, names := filepath.ToSlash(j.plan.source.text), l.step.kernel.text, j.program.KernelNames()
	if kernel == "" {
		switch {
		case len(names) == 0:
			return usage("%s has no kernels", name)
		case len(names) > 1:
			return l.missing("kernel", ": %s has %s", name, joinNames(names))
		}
		kernel = names[0]
	}
	if t := j.program.Translation(); !slices.Contains(names, kernel) && t.Kernel(kernel) == nil &&
		len(t.RefusedKernel(kernel)) == 0 {
		if g := j.plan.goPackage; g != nil && len(g.RefusedKernel(kernel)) > 0 {
			writeRefused(j.app, g.RefusedKernel(kernel))
			return errFindings
		}
		text := fmt.Sprintf("no such kernel; %s has %s", name, joinNames(names))
		if near := diag.Suggest(kernel, slices.Values(names)); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		return usage("%v: %s", l.step.kernel, text)
	}
	constants, err := j.functionConstants(l.step)
	if err != nil {
		return err
	}
	if len(constants) > 0 && j.plan.dialect != "" {
		return usage("%v: source in another language than Metal has no function constants", l.constants[0])
	}
	if len(constants) > 0 {
		if err := j.checkConstants(l, kernel, constants); err != nil {
			return err
		}
	}
	l.kernel, err = j.program.Kernel(kernel, constants...)
	if err != nil && len(constants) == 0 && j.plan.dialect == "" { // a constant may be missing
		err = errors.Join(j.checkConstants(l, kernel, nil), err)
	}
	if err == nil {
		l.takes = packed(l.kernel.Parameters())
	}
	return err
}

// language returns the version to compile: that of --std, or package compute's default, where the
// system has it.
func (p *plan) language() (mtl.LanguageVersion, error) {
	v, err := languageVersion(p.std)
	if err != nil || p.std.text != "" {
		return v, err
	}
	system, err := mtl.DefaultCompileSettings()
	return min(v, system.LanguageVersion), err
}

// compileOwn compiles the source with this module's own compiler, which reports more than Metal's.
func (j *job) compileOwn() (*msl.Program, []diag.Diagnostic, error) {
	opts := msl.Options{Defines: j.macros, NoWarnings: true, MetalVersion: metalVersion(j.language)}
	err := errors.Join(findIncludes(j.plan.source.text, j.cmd.Include, &opts), j.cmd.set(j.plan.source.text, &opts))
	if err != nil {
		return nil, nil, err
	}
	p, list := msl.Check(j.ctx, msl.Source{Name: filepath.ToSlash(j.plan.source.text), Text: j.plan.text}, opts)
	return p, list, nil
}

// explain shows compile errors as check does, with source lines and carets. If only Metal's
// compiler rejects the source, its error is returned unchanged.
func (j *job) explain(err error) error {
	p, list, e := j.compileOwn()
	if e != nil || len(list) == 0 {
		return err
	}
	return notCompiled(j.app, &checked{name: j.plan.source.text, program: p, diagnostics: list})
}

// launch runs the steps --repeat times, downloads the outputs of the first run, and measures each
// step's time on the device.
func (j *job) launch() error {
	s, err := j.acc.NewStream(compute.StreamOptions{Label: "puremetal run", Context: j.ctx})
	if err != nil {
		return err
	}
	for _, l := range j.steps {
		for _, e := range []**compute.Event{&l.from, &l.to} {
			if *e, err = j.acc.NewEvent(compute.EventOptions{Label: l.kernel.Name(), Timing: true}); err != nil {
				return err
			}
			defer (*e).Close()
		}
	}
	bar := j.app.progress(j.cmd.Repeat, j.phase)
	defer bar.stop()
	for n := range j.cmd.Repeat {
		for _, l := range j.steps {
			if err := errors.Join(s.Record(j.ctx, l.from), l.record(j.ctx, s), s.Record(j.ctx, l.to)); err != nil {
				return err
			}
			if n > 0 || len(l.outs) == 0 {
				continue
			}
			if err := s.Sync(j.ctx); err != nil {
				return err
			}
			for _, o := range l.outs {
				if err := o.download(j.ctx); err != nil {
					return err
				}
			}
		}
		if err := s.Sync(j.ctx); err != nil {
			return err
		}
		if n == 0 {
			if err := j.readResults(); err != nil {
				return err
			}
		}
		j.repeats.Store(true)
		for _, l := range j.steps {
			d, host, err := compute.Elapsed(j.ctx, l.from, l.to)
			if err != nil {
				return err
			}
			j.report.host = j.report.host || host
			l.times = append(l.times, d)
		}
		bar.add()
	}
	return s.Close(j.ctx)
}

// record records the launches of all steps.
func (j *job) record(ctx context.Context, s *compute.Stream) error {
	for _, l := range j.steps {
		if err := l.record(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// record records the launch.
func (l *launch) record(ctx context.Context, s *compute.Stream) error {
	if l.cooperative {
		return s.RunCooperative(ctx, l.launch)
	}
	return s.Run(ctx, l.launch)
}

// close releases everything and closes the device.
func (j *job) close(ctx context.Context) error {
	j.release()
	return unlessLate(j.acc.Close(ctx))
}

// release releases the arguments and the program.
func (j *job) release() {
	for _, m := range j.placed {
		m.close()
	}
	if j.program != nil {
		j.program.Close()
	}
}

// writeTrace writes the trace of --trace.
func writeTrace(name string, p *profile.Profile) error {
	if err := storeFile(name, p.WriteTrace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}

//go:build !puremetal_run

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// doctorCmd is the command line of doctor.
type doctorCmd struct {
	JSON     bool   `name:"json" help:"Write JSON."`
	Report   string `name:"report" placeholder:"FILE" help:"Write a report to attach to an issue."`
	RunCases bool   `name:"run-cases" hidden:"" help:"Run the conformance cases that standard input names."`
}

// Help returns the text that doctor --help shows after the flags.
func (*doctorCmd) Help() string {
	return `Shows which device runs kernels here, and if it is not a GPU, why. Each problem comes with a remedy. A small kernel is compiled and run, and its output is checked.

Examples:

  puremetal doctor
  puremetal doctor --json
  puremetal doctor --report report.md

` + "--report runs the conformance cases, which say how a Metal device behaves, and writes a Markdown " +
		"file: versions, devices, environment variables of PureMetal and Metal, the checks, and the result " +
		"and time of each case. It contains no user names, home directories or host names, and is sent " +
		"nowhere. On a Mac, please attach it to an issue." + `

The exit code is 1 if kernels cannot run here.
`
}

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, note or fail
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// Run runs all checks and reports the findings.
func (c *doctorCmd) Run(a *app) error {
	if c.RunCases {
		return answerCases(a.ctx, a.in, raw(a.out))
	}
	d := doctor{app: a}
	d.examine()
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if c.Report != "" {
		if err := d.report(c.Report); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	failed := false
	for _, f := range d.found {
		failed = failed || f.Status == "fail"
	}
	var err error
	if c.JSON {
		err = writeJSON(a.out, d.found)
	} else {
		err = writeFindings(a.out, d.found, a.colors(a.out))
	}
	if err == nil && failed {
		err = errFindings
	}
	return err
}

// doctor collects findings.
type doctor struct {
	app   *app
	found []finding
	ready bool // there is a device
}

func (d *doctor) say(check, status, text, remedy string) {
	d.found = append(d.found, finding{check, status, strings.ReplaceAll(text, "\n", "; "), remedy})
}

// smallWorkingSet is the working set below which doctor warns about large models.
const smallWorkingSet = 1 << 30

func (d *doctor) examine() {
	v := version()
	d.say("puremetal", "ok", fmt.Sprintf("%s, %s, %s", v.Version, v.Go, v.Platform), "")
	if !d.driver() {
		return
	}
	all, err := compute.Devices()
	if err != nil || len(all) == 0 {
		if err == nil {
			err = compute.ErrNoDevice
		}
		d.say("device", "fail", "none: "+message(err),
			"unset PUREMETAL_SOFTWARE_DEVICES, or set PUREMETAL_DRIVER=software")
		return
	}
	d.ready = true
	for _, i := range all {
		d.device(i)
	}
	d.cache()
	d.kernel()
}

// driver reports the driver in use and, if it is not Metal, the reason. It returns false if there
// is none.
func (d *doctor) driver() bool {
	want := d.app.env("PUREMETAL_DRIVER")
	driver, err := objc.CurrentDriver()
	if err != nil {
		d.say("driver", "fail", err.Error(), "unset PUREMETAL_DRIVER, or set it to software, or on a Mac to apple")
		return false
	}
	switch {
	case driver == objc.DriverApple:
		text := "apple"
		if v, err := objc.OSVersion(); err == nil {
			text += fmt.Sprintf(", %v", v)
		}
		d.say("driver", "ok", text, "")
	case want == "software":
		d.say("driver", "note", "software, selected by PUREMETAL_DRIVER",
			"unset PUREMETAL_DRIVER to use a GPU if there is one")
	case runtime.GOOS != "darwin":
		d.say("driver", "note", "software: "+runtime.GOOS+" has no Metal",
			"nothing is wrong; for a GPU, run the same program on a Mac with macOS 13 or later")
	default:
		d.say("driver", "note", "software: Metal reports no device",
			"in a virtual machine, pass the GPU through (macOS 13 hosts do so for macOS guests); "+
				"over ssh, log in at the screen first")
	}
	return true
}

// device reports a device and its limits.
func (d *doctor) device(i compute.Info) {
	l := i.Limits
	name := fmt.Sprintf("device %d", i.Index)
	d.say(name, "ok", i.Name, "")
	switch {
	case strings.HasPrefix(i.Engine, "interpreter"):
		d.say("engine", "note", i.Engine, "kernels run several times as fast as machine code: "+
			"see PUREMETAL_SOFTWARE_ENGINE in docs/software-device.md")
	case i.Engine != "":
		d.say("engine", "ok", i.Engine, "")
	}
	if l.RecommendedMaxWorkingSetSize < smallWorkingSet {
		d.say("memory", "note", fmt.Sprintf("working set of %s", bytesText(int(l.RecommendedMaxWorkingSetSize))),
			"large models will not fit; close other programs, or set compute.WithMemoryLimit")
	} else {
		d.say("memory", "ok", fmt.Sprintf("working set of %s, of which this process uses %s",
			bytesText(int(l.RecommendedMaxWorkingSetSize)), bytesText(int(l.CurrentAllocatedSize))), "")
	}
	d.say("limits", "ok", fmt.Sprintf("buffers up to %s, threadgroups up to %d threads and %s of memory",
		bytesText(int(l.MaxBufferLength)), l.MaxThreadsPerThreadgroup.Width,
		bytesText(int(l.MaxThreadgroupMemoryLength))), "")
	oldest := true
	for _, f := range i.Families {
		oldest = oldest && f != mtl.GPUFamilyMetal3
	}
	if oldest {
		d.say("families", "note", "the device is not in the Metal3 family",
			"kernels that need Metal3 will not compile; it takes Apple silicon, or a Mac from 2017 or later with an AMD GPU")
	}
}

// cache reports whether compiled kernels can be cached on disk.
func (d *doctor) cache() {
	dir, err := machine.CacheFolder()
	if err != nil {
		d.say("cache", "note", err.Error(),
			"set HOME (on Linux also XDG_CACHE_HOME, on Windows LocalAppData), or pass a directory to compute.WithDiskCache")
		return
	}
	if err := machine.PrivateFolder(dir); errors.Is(err, machine.ErrShared) {
		d.say("cache", "note", err.Error(), "cached kernels are executed, so others must not be able to replace them: "+
			"remove write access to the directory and its parents (chmod go-w), or pass another to "+
			"compute.WithDiskCache; until then nothing is cached between processes")
		return
	}
	size, files := 0, 0
	walk := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				size, files = size+int(info.Size()), files+1
			}
		}
		return nil
	})
	if err := errors.Join(walk, writable(dir)); err != nil {
		d.say("cache", "note", err.Error(),
			"make the directory writable, or pass another to compute.WithDiskCache; "+
				"until then nothing is cached between processes")
		return
	}
	d.say("cache", "ok", fmt.Sprintf("%s is writable; %s, %s", dir, count(files, "file"), bytesText(size)), "")
}

// writable checks that files can be created in a directory, which need not exist yet. It leaves
// nothing behind.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a directory", dir)
		}
		if err == nil {
			break
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || up == dir {
			return err
		}
		dir = up
	}
	f, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

const doctorKernel = `#include <metal_stdlib>
kernel void twice(device uint* x, uint i [[thread_position_in_grid]]) { x[i] = 2 * i; }
`

// kernel compiles and runs a kernel and checks its output.
func (d *doctor) kernel() {
	start := time.Now()
	bar := d.app.progress(1, "running a test kernel")
	err := tryKernel(d.app.ctx)
	bar.stop()
	if err != nil {
		d.say("kernel", "fail", message(err),
			"this is a bug in puremetal or the driver; report it with the output of puremetal devices --json")
		return
	}
	d.say("kernel", "ok", fmt.Sprintf("a test kernel compiled, ran and wrote the expected values in %s",
		msText(ms(time.Since(start)))), "")
}

func tryKernel(ctx context.Context) (err error) {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, acc.Close(ctx)) }()
	program, err := acc.Compile(ctx, doctorKernel, compute.CompileOptions{Name: "doctor"})
	if err != nil {
		return err
	}
	defer program.Close()
	k, err := program.Kernel("twice")
	if err != nil {
		return err
	}
	const n = 1000
	x, err := compute.NewBuffer[uint32](acc, n, compute.BufferOptions{})
	if err != nil {
		return err
	}
	defer x.Close()
	s, err := acc.NextStream()
	if err != nil {
		return err
	}
	if err := s.Launch(ctx, k, compute.Threads1D(n), x); err != nil {
		return err
	}
	got := make([]uint32, n)
	if err := errors.Join(s.Sync(ctx), x.Download(ctx, got)); err != nil {
		return err
	}
	for i, v := range got {
		if v != uint32(2*i) {
			return fmt.Errorf("element %d is %d; want %d", i, v, 2*i)
		}
	}
	return nil
}

// writeFindings writes the findings as a table.
func writeFindings(w io.Writer, found []finding, colors bool) error {
	if colors {
		w = raw(w)
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	color := map[string]string{"ok": green, "note": magenta, "fail": red}
	for _, f := range found {
		f.Check, f.Text, f.Remedy = diag.Escape(f.Check), diag.Escape(f.Text), diag.Escape(f.Remedy)
		status, blank := f.Status, ""
		if colors { // in blank cells too: tabwriter counts escape codes as width
			status, blank = color[f.Status]+f.Status+plain, color[f.Status]+plain
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", status, f.Check, f.Text)
		if f.Remedy != "" {
			fmt.Fprintf(t, "%s\t\t  -> %s\n", blank, f.Remedy)
		}
	}
	return t.Flush()
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
)

// report is the report of a run.
type report struct {
	Device     string  `json:"device"`
	Software   bool    `json:"software"`
	CompileMS  float64 `json:"compile_ms"`
	Runs       int     `json:"runs"`
	HostClock  bool    `json:"host_clock,omitempty"` // timed by the host, not the device
	stepReport         // of the only kernel, or of all steps together

	Steps []stepReport `json:"steps,omitempty"` // of a spec file with [[step]]
	Wrote []outputInfo `json:"wrote,omitempty"`

	Values []valuesInfo `json:"values,omitempty"` // of other arguments that kernels wrote

	Findings *[]*sanitizer.Finding `json:"findings,omitempty"` // of --sanitize; present if it is given

	Schedules *schedulesReport `json:"schedules,omitempty"` // of --schedules

	compile time.Duration
	host    bool
}

// stepReport is the report of a kernel.
type stepReport struct {
	Kernel       string  `json:"kernel,omitempty"`
	Grid         string  `json:"grid,omitempty"`
	Threadgroup  string  `json:"threadgroup,omitempty"`
	MedianMS     float64 `json:"median_ms"`
	MinMS        float64 `json:"min_ms"`
	MaxMS        float64 `json:"max_ms"`
	BytesRead    int     `json:"bytes_read"` // size of the arguments the kernel reads
	BytesWritten int     `json:"bytes_written"`
	GBs          float64 `json:"gb_per_s"`

	Cooperative *cooperativeReport `json:"cooperative,omitempty"` // of a kernel that synchronizes its grid
}

// cooperativeReport says what the grid syncs of a kernel did.
type cooperativeReport struct {
	Places       int       `json:"places"`                  // of grid syncs in the source
	SpilledBytes int       `json:"spilled_bytes,omitempty"` // for each thread, where the kernel is split
	Phases       int64     `json:"phases,omitempty"`        // that the last launch had, if known
	Bytes        int64     `json:"bytes,omitempty"`         // of memory that kept its threadgroups
	PhasesMS     []float64 `json:"phases_ms,omitempty"`     // the time of each
}

// newCooperativeReport returns the report of a kernel, or nil if it has no grid syncs.
func newCooperativeReport(k *compute.Kernel) *cooperativeReport {
	info := k.Cooperative()
	if info.Phases < 2 {
		return nil
	}
	r := &cooperativeReport{Places: info.Phases - 1, SpilledBytes: info.SpilledBytes}
	if last, ok := k.LastCooperative(); ok {
		r.Phases, r.Bytes = last.Phases, last.Bytes
		for _, d := range last.Times {
			r.PhasesMS = append(r.PhasesMS, ms(d))
		}
	}
	return r
}

// String returns "2 grid syncs in the source; 201 phases of 0.12 ms, 4.1 MiB kept the threads in
// between": with the median time of a phase, if it was measured.
func (r *cooperativeReport) String() string {
	text := count(r.Places, "grid sync") + " in the source"
	if r.SpilledBytes > 0 {
		text += fmt.Sprintf("; %s for each thread kept in between", count(r.SpilledBytes, "byte"))
	}
	if r.Phases > 0 {
		text += "; " + count(int(r.Phases), "phase")
		if n := len(r.PhasesMS); n > 0 {
			text += " of " + msText(slices.Sorted(slices.Values(r.PhasesMS))[n/2])
		}
		text += fmt.Sprintf(", %s kept the threads in between", bytesText(int(r.Bytes)))
	}
	return text
}

type outputInfo struct {
	Argument string `json:"argument"`
	Type     string `json:"type"`
	File     string `json:"file"`
	Step     int    `json:"step,omitempty"` // after which it was saved; 0 for the last
}

// describe fills in the report after a run.
func (j *job) describe() {
	r, info := &j.report, j.acc.Info()
	r.Device, r.Software, r.HostClock = info.Name, info.Software, r.host
	r.CompileMS, r.Runs = ms(r.compile), j.cmd.Repeat
	total := make([]time.Duration, j.cmd.Repeat)
	for _, l := range j.steps {
		s := stepReport{Kernel: l.kernel.Name(), Grid: l.size.Grid.String(), Threadgroup: l.launch.Group().String()}
		s.BytesRead, s.BytesWritten = l.bytes()
		for i, t := range l.times {
			total[i] += t
		}
		s.time(l.times)
		s.Cooperative = newCooperativeReport(l.kernel)
		r.Steps = append(r.Steps, s)
		r.BytesRead += s.BytesRead
		r.BytesWritten += s.BytesWritten
	}
	if j.plan.steps[0].number == 0 {
		r.stepReport, r.Steps = r.Steps[0], nil
		return
	}
	r.time(total)
}

// bytes returns the sizes of the arguments that the kernel reads and writes.
func (l *launch) bytes() (read, written int) {
	for _, b := range l.bound {
		if b.parameter.Access != mtl.BindingAccessWriteOnly {
			read += b.memory.value.Size()
		}
		if b.parameter.Access != mtl.BindingAccessReadOnly {
			written += b.memory.value.Size()
		}
	}
	return read, written
}

// time fills in the times of all runs and the throughput.
func (r *stepReport) time(times []time.Duration) {
	slices.Sort(times)
	r.MinMS, r.MedianMS, r.MaxMS = ms(times[0]), ms(times[len(times)/2]), ms(times[len(times)-1])
	if r.MedianMS > 0 {
		r.GBs = float64(r.BytesRead+r.BytesWritten) / r.MedianMS / 1e6
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// text writes the report as text.
func (r *report) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	kind := "Metal"
	if r.Software {
		kind = "software"
	}
	fmt.Fprintf(t, "device\t%s (%s)\n", r.Device, kind)
	if r.Kernel != "" {
		fmt.Fprintf(t, "kernel\t%s, grid %s, threadgroup %s\n", r.Kernel, r.Grid, r.Threadgroup)
	}
	if r.Cooperative != nil {
		fmt.Fprintf(t, "syncs\t%v\n", r.Cooperative)
	}
	fmt.Fprintf(t, "compile\t%s\n", msText(r.CompileMS))
	for i, s := range r.Steps {
		fmt.Fprintf(t, "step %d\t%s, grid %s, threadgroup %s\n\t%s; %s\n", i+1, s.Kernel, s.Grid, s.Threadgroup,
			s.duration(r.Runs), s.traffic())
		if s.Cooperative != nil {
			fmt.Fprintf(t, "\t%v\n", s.Cooperative)
		}
	}
	fmt.Fprintf(t, "run\t%s\n", r.duration(r.Runs))
	if len(r.Steps) == 0 {
		fmt.Fprintf(t, "memory\t%s\n", r.traffic())
	}
	for i := range r.Values {
		fmt.Fprintf(t, "result\t%v\n", &r.Values[i])
	}
	for _, o := range r.Wrote {
		if o.File != "-" {
			fmt.Fprintf(t, "wrote\t%s (%s, %s)\n", o.File, o.Argument, o.Type)
		}
	}
	return t.Flush()
}

// duration describes the time of a number of runs.
func (r *stepReport) duration(runs int) string {
	if runs == 1 {
		return msText(r.MedianMS)
	}
	return fmt.Sprintf("%s, median of %d (%s to %s)", msText(r.MedianMS), runs, msText(r.MinMS), msText(r.MaxMS))
}

// traffic describes the size of the arguments.
func (r *stepReport) traffic() string {
	return fmt.Sprintf("%s of arguments read, %s written, %.3g GB/s", bytesText(r.BytesRead),
		bytesText(r.BytesWritten), r.GBs)
}

// msText formats milliseconds with three digits and a unit.
func msText(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.3g s", v/1000)
	case v >= 1:
		return fmt.Sprintf("%.3g ms", v)
	}
	return fmt.Sprintf("%.3g µs", v*1000)
}

// bytesText formats a number of bytes with a binary unit.
func bytesText(n int) string {
	const units = "KMGT"
	v, u := float64(n), -1
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u < 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.4g %ciB", v, units[u])
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// report is the report of a run.
type report struct {
	Device       string       `json:"device"`
	Software     bool         `json:"software"`
	Kernel       string       `json:"kernel"`
	Grid         string       `json:"grid"`
	Threadgroup  string       `json:"threadgroup"`
	CompileMS    float64      `json:"compile_ms"`
	Runs         int          `json:"runs"`
	MedianMS     float64      `json:"median_ms"`
	MinMS        float64      `json:"min_ms"`
	MaxMS        float64      `json:"max_ms"`
	HostClock    bool         `json:"host_clock,omitempty"` // timed by the host, not the device
	BytesRead    int          `json:"bytes_read"`           // size of the arguments the kernel reads
	BytesWritten int          `json:"bytes_written"`
	GBs          float64      `json:"gb_per_s"`
	Wrote        []outputInfo `json:"wrote,omitempty"`

	compile time.Duration
	host    bool
}

type outputInfo struct {
	Argument string `json:"argument"`
	Type     string `json:"type"`
	File     string `json:"file"`
}

// describe fills in the report after a run.
func (j *job) describe(l *compute.Launch, times []time.Duration) {
	r, info := &j.report, j.acc.Info()
	grid, _ := extent("--grid", j.cmd.Grid)
	r.Device, r.Software, r.HostClock = info.Name, info.Software, r.host
	r.Kernel, r.Grid, r.Threadgroup = j.kernel.Name(), grid.String(), l.Group().String()
	r.CompileMS, r.Runs = ms(r.compile), len(times)
	r.MinMS, r.MedianMS, r.MaxMS = ms(times[0]), ms(times[len(times)/2]), ms(times[len(times)-1])
	for _, b := range j.bound {
		if b.parameter.Access != mtl.BindingAccessWriteOnly {
			r.BytesRead += b.value.Size()
		}
		if b.parameter.Access != mtl.BindingAccessReadOnly {
			r.BytesWritten += b.value.Size()
		}
	}
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
	fmt.Fprintf(t, "kernel\t%s, grid %s, threadgroup %s\n", r.Kernel, r.Grid, r.Threadgroup)
	fmt.Fprintf(t, "compile\t%s\n", msText(r.CompileMS))
	if r.Runs == 1 {
		fmt.Fprintf(t, "run\t%s\n", msText(r.MedianMS))
	} else {
		fmt.Fprintf(t, "run\t%s, median of %d (%s to %s)\n", msText(r.MedianMS), r.Runs, msText(r.MinMS), msText(r.MaxMS))
	}
	fmt.Fprintf(t, "memory\t%s of arguments read, %s written, %.3g GB/s\n", bytesText(r.BytesRead),
		bytesText(r.BytesWritten), r.GBs)
	for _, o := range r.Wrote {
		if o.File != "-" {
			fmt.Fprintf(t, "wrote\t%s (%s, %s)\n", o.File, o.Argument, o.Type)
		}
	}
	return t.Flush()
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

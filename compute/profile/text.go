package profile

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// WriteJSON writes the profile and its summaries as JSON.
func (p *Profile) WriteJSON(w io.Writer) error {
	if err := p.writable(w); err != nil {
		return err
	}
	streams, busy := p.Streams()
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*Profile
		Busy        time.Duration      `json:"busy"`
		MostMemory  uint64             `json:"mostMemory"`
		Kernels     []KernelSummary    `json:"kernelSummary"`
		ByOperation []OperationSummary `json:"operationSummary"`
		Streams     []StreamSummary    `json:"streamSummary"`
	}{p, busy, p.MostMemory(), p.Kernels(), p.ByOperation(), streams})
}

// WriteText writes a report of tables.
func (p *Profile) WriteText(w io.Writer) error {
	if err := p.writable(w); err != nil {
		return err
	}
	t := &tables{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	streams, busy := p.Streams()
	t.line("%s%v recorded, device busy %s (%s), %d commands in %d command buffers", device(p.Device), short(p.Took),
		short(busy), percent(share(float64(busy), float64(p.Took))), len(p.Commands), len(p.Buffers))
	t.line("memory: at most %s in use; clocks aligned to %v by %d command buffers%s", bytes(float64(p.MostMemory())),
		short(p.Clock.Error), p.Clock.Buffers, map[bool]string{true: ", which disagree"}[p.Clock.Drift])
	if p.Dropped > 0 {
		t.line("%d events were dropped: the limit was reached, so all figures are too small", p.Dropped)
	}
	p.kernelTable(t)
	p.operationTable(t)
	t.table("stream", "buffers", "commands", "per buffer", "busy", "occupancy", "idle between", "encoding", "queued",
		"failed")
	for i := range streams {
		s := &streams[i]
		t.row(fmt.Sprintf("%s (%d)", s.Label, s.Stream), s.Buffers, s.Commands,
			fmt.Sprintf("%.1f, most %d", share(float64(s.Commands), float64(s.Buffers)), s.MostCommands), short(s.Busy),
			percent(s.Occupancy), short(s.Idle), short(s.Encode), short(s.Queued), s.Failed)
	}
	p.transferTable(t)
	if len(p.Recoveries) > 0 {
		t.table("recovery", "at", "what", "details")
		for _, r := range p.Recoveries {
			t.row(r.Kind, short(r.At), r.What, r.Details)
		}
	}
	if err := t.w.Flush(); err != nil {
		return err
	}
	return t.err
}

func (p *Profile) kernelTable(t *tables) {
	t.table("kernel", "count", "total", "share", "mean", "p50", "p95", "p99", "GFLOPS", "GB/s", "of peak")
	estimated := false
	for _, k := range p.Kernels() {
		mark := ""
		if k.Estimated > 0 {
			mark, estimated = "~", true
		}
		name := k.Kernel
		if k.Source.File != "" {
			name += fmt.Sprintf(" (%s:%d)", k.Source.File, k.Source.Line)
		}
		t.row(name, k.Count, mark+short(k.Total), percent(k.Share), mark+short(k.Mean), mark+short(k.P50),
			mark+short(k.P95), mark+short(k.P99), known(k.GFLOPS), known(k.GBs), knownPercent(k.OfPeak))
	}
	if estimated {
		t.line("~ with equal shares of command buffers that had several commands; LaunchTimes measures each launch")
	}
}

func (p *Profile) operationTable(t *tables) {
	if len(p.Operations) == 0 {
		return
	}
	t.table("operation", "runs", "host", "device", "own device", "launches", "moved", "for", "allocations", "cache hits",
		"compiled")
	for _, o := range p.ByOperation() {
		f := &o.Inclusive
		host := "-"
		if o.Name != Outside {
			host = short(o.Host)
		}
		mark := map[bool]string{true: "~"}[f.Estimated > 0]
		t.row(o.Name, o.Runs, host, mark+short(f.Device), mark+short(o.Self.Device), f.Launches,
			bytes(float64(f.MovedBytes)), short(f.MoveTime),
			fmt.Sprintf("%d, %s", f.Allocations, bytes(float64(f.AllocBytes))),
			fmt.Sprintf("%d of %d", f.CacheHits, f.CacheHits+f.CacheMisses), short(f.CompileTime))
	}
}

func (p *Profile) transferTable(t *tables) {
	if len(p.Transfers) == 0 {
		return
	}
	t.table("transfers", "count", "bytes", "time", "GB/s")
	for _, upload := range []bool{true, false} {
		var n int
		var size float64
		var took time.Duration
		for i := range p.Transfers {
			if x := &p.Transfers[i]; x.Upload == upload {
				n, size, took = n+1, size+float64(x.Bytes), took+x.Took
			}
		}
		if n > 0 {
			t.row(map[bool]string{true: "upload", false: "download"}[upload], n, bytes(size), short(took),
				known(perNanosecond(size, took)))
		}
	}
}

// tables writes tables with lines between them. It keeps the first error.
type tables struct {
	w   *tabwriter.Writer
	err error
}

func (t *tables) print(format string, args ...any) {
	if _, err := fmt.Fprintf(t.w, format, args...); t.err == nil {
		t.err = err
	}
}

// line writes a line that is no part of a table.
func (t *tables) line(format string, args ...any) {
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
	t.print(format+"\n", args...)
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
}

// table begins a table.
func (t *tables) table(head ...any) {
	t.line("")
	t.row(head...)
}

func (t *tables) row(cells ...any) {
	for _, c := range cells {
		t.print("%v\t", c)
	}
	t.print("\n")
}

func device(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// short rounds a duration to three or four digits.
func short(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 10_000 || d/unit <= -10_000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

func known(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g", x)
}

func knownPercent(x float64) string {
	if x == 0 {
		return "-"
	}
	return percent(x)
}

func bytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n, i = n/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

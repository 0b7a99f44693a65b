package profile

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/document"
)

// traceEvent is an event of the Chrome trace format ("Trace Event Format"). Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       string         `json:"id,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// The processes of a trace.
const (
	traceHost   = 1
	traceDevice = 2
)

// profileKey is the member of a trace file that has the profile it was made from. Viewers ignore
// what they do not know.
const profileKey = "puremetalProfile"

// WriteTrace writes a trace that Perfetto (ui.perfetto.dev) and chrome://tracing show. The host's
// process has tracks of calls, encoding, compilations, transfers, operations and the memory in use;
// the device's process has a track for each stream, with command buffers and, where their times are
// known exactly, the commands in them. Arrows lead from the commit of a command buffer to its
// execution. The file also contains the profile, for [ReadTrace].
func (p *Profile) WriteTrace(w io.Writer) error {
	if err := p.writable(w); err != nil {
		return err
	}
	out := &traceWriter{w: bufio.NewWriter(w)}
	out.text(`{"displayTimeUnit":"ns","traceEvents":[`)
	p.trace(out)
	out.text("\n]," + `"` + profileKey + `":`)
	out.json(p)
	out.text("}\n")
	return cmp.Or(out.err, out.w.Flush())
}

// ReadTrace returns the profile in a file that [Profile.WriteTrace] has written. The file may have
// at most 1 GiB, and the profile 4 Mi events.
func ReadTrace(r io.Reader) (*Profile, error) {
	if r == nil {
		return nil, fmt.Errorf("profile: ReadTrace: nil reader: %w", compute.ErrNil)
	}
	in := traceReader{json.NewDecoder(document.Trace.Limit(r)), document.Trace.Values}
	p, err := in.file()
	if err != nil {
		return nil, fmt.Errorf("profile: not a trace: %w", err)
	}
	if p == nil {
		return nil, errors.New("profile: the trace has no puremetalProfile: another program wrote it")
	}
	for i := range p.Commands {
		if b := p.Commands[i].Buffer; b < -1 || b >= len(p.Buffers) {
			return nil, fmt.Errorf("profile: command %d has the command buffer %d of %d", i, b, len(p.Buffers))
		}
	}
	return p, nil
}

// traceWriter writes events, and keeps the first error.
type traceWriter struct {
	w    *bufio.Writer
	n    int
	err  error
	tids int // of the tracks made so far
}

func (t *traceWriter) text(s string) {
	if _, err := t.w.WriteString(s); t.err == nil {
		t.err = err
	}
}

func (t *traceWriter) json(v any) {
	data, err := json.Marshal(v)
	if t.err == nil {
		t.err = err
	}
	if _, err := t.w.Write(data); t.err == nil {
		t.err = err
	}
}

func (t *traceWriter) event(e traceEvent) {
	if t.n++; t.n > 1 {
		t.text(",")
	}
	t.text("\n")
	t.json(e)
}

// name names a process or one of its threads.
func (t *traceWriter) name(what string, process, thread int, name string, order int) {
	t.event(traceEvent{Name: what + "_name", Phase: "M", Process: process, Thread: thread,
		Args: map[string]any{"name": name}})
	t.event(traceEvent{Name: what + "_sort_index", Phase: "M", Process: process, Thread: thread,
		Args: map[string]any{"sort_index": order}})
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// slice is a complete event of a track.
type slice struct {
	span
	name, category string
	args           map[string]any
	inside         []slice
}

// track writes slices as threads of a process, as many as it takes for them not to overlap, and
// returns the thread of each. Threads of one process may only have slices inside each other.
func (t *traceWriter) track(process int, name string, list []slice) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].start, list[b].start) })
	threads := make([]int, len(list))
	var ends []time.Duration // of each lane
	first := t.tids + 1
	for _, i := range order {
		s := &list[i]
		lane := slices.IndexFunc(ends, func(end time.Duration) bool { return end <= s.start })
		if lane < 0 {
			lane = len(ends)
			ends = append(ends, 0)
			t.tids++
			label := name
			if lane > 0 {
				label = fmt.Sprintf("%s (%d)", name, lane+1)
			}
			t.name("thread", process, first+lane, label, first+lane)
		}
		ends[lane] = max(s.end, s.start+1)
		threads[i] = first + lane
		t.slice(process, first+lane, s)
	}
	return threads
}

func (t *traceWriter) slice(process, thread int, s *slice) {
	d := micros(max(s.end-s.start, 0))
	t.event(traceEvent{Name: s.name, Category: s.category, Phase: "X", Time: micros(s.start), Duration: &d,
		Process: process, Thread: thread, Args: s.args})
	for i := range s.inside {
		t.slice(process, thread, &s.inside[i])
	}
}

func (p *Profile) trace(t *traceWriter) {
	t.name("process", traceHost, 0, "host", 1)
	name := "device"
	if p.Device != "" {
		name += ": " + p.Device
	}
	t.name("process", traceDevice, 0, name, 2)
	p.traceOperations(t)
	streams, _ := p.Streams()
	for i := range streams {
		p.traceStream(t, &streams[i])
	}
	p.traceHost(t)
	for i := range p.Memory {
		m := &p.Memory[i]
		t.event(traceEvent{Name: "memory", Category: "memory", Phase: "C", Time: micros(m.At), Process: traceHost,
			Args: map[string]any{"bytes": m.Allocated}})
	}
	for i := range p.Recoveries {
		r := &p.Recoveries[i]
		t.event(traceEvent{Name: r.Kind + " " + r.What, Category: "recovery", Phase: "i", Scope: "g", Time: micros(r.At),
			Process: traceHost, Args: map[string]any{"details": r.Details, "error": r.Error}})
	}
}

// traceOperations writes operations as asynchronous events: they nest, but may overlap.
func (p *Profile) traceOperations(t *traceWriter) {
	parents := map[uint64]uint64{}
	for i := range p.Operations {
		parents[p.Operations[i].Number] = p.Operations[i].Parent
	}
	for i := range p.Operations {
		o := &p.Operations[i]
		root := o.Number
		for {
			parent := parents[root]
			if _, known := parents[parent]; !known || parent >= root { // numbers ascend from parent to child
				break
			}
			root = parent
		}
		for _, end := range []bool{false, true} {
			e := traceEvent{Name: o.Name, Category: "operation", Phase: "b", Time: micros(o.Start), Process: traceHost,
				ID: fmt.Sprint(root)}
			if end {
				e.Phase, e.Time = "e", micros(o.End)
			}
			t.event(e)
		}
	}
}

// traceStream writes the command buffers of a stream: their encoding, their wait for the device and
// their execution.
func (p *Profile) traceStream(t *traceWriter, s *StreamSummary) {
	label := fmt.Sprintf("stream %s (%d)", s.Label, s.Stream)
	var calls, encodes, runs []slice
	var buffers, encoding []int // of each of runs: the command buffer, and its index in encodes
	inside := map[int][]slice{}
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Stream != s.Stream {
			continue
		}
		args := map[string]any{"number": c.Number, "kind": c.Kind}
		if c.Kernel != "" {
			args["threads"] = c.Threads
		}
		if c.Bytes > 0 {
			args["bytes"] = c.Bytes
		}
		if c.Site.File != "" {
			args["site"] = fmt.Sprintf("%s:%d", c.Site.File, c.Site.Line)
		}
		if c.Source.File != "" {
			args["source"] = fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line)
		}
		calls = append(calls, slice{span: span{c.At, c.At}, name: c.name(), category: "call", args: args})
		if c.Timed == TimedExactly && c.Buffer >= 0 {
			b := &p.Buffers[c.Buffer]
			start := min(max(c.Start, b.Start), b.End)
			inside[c.Buffer] = append(inside[c.Buffer], slice{span: span{start, min(max(c.End, start), b.End)},
				name: c.name(), category: "command", args: args})
		}
	}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Stream != s.Stream {
			continue
		}
		buffer := fmt.Sprintf("buffer %d", b.Number)
		args := map[string]any{"commands": b.Commands, "encoders": b.Encoders, "barriers": b.Barriers}
		if b.Error != "" {
			args["error"] = b.Error
		}
		encodes = append(encodes, slice{span: span{b.EncodeStart, b.EncodeStart + b.EncodeTook}, name: buffer,
			category: "encode", args: args})
		if b.Timed {
			runs = append(runs, slice{span: span{b.Start, b.End}, name: buffer, category: "execute", args: args,
				inside: inside[i]})
			buffers, encoding = append(buffers, i), append(encoding, len(encodes)-1)
		}
	}
	t.track(traceHost, label+" calls", calls)
	encoded := t.track(traceHost, label+" encoding", encodes)
	run := t.track(traceDevice, label, runs)
	for n, i := range buffers {
		b, at := &p.Buffers[i], encoding[n]
		id := fmt.Sprintf("%d.%d", b.Stream, b.Number)
		t.event(traceEvent{Name: "execute", Category: "flow", Phase: "s", ID: id, Process: traceHost, Thread: encoded[at],
			Time: micros(min(max(b.Commit, encodes[at].start), encodes[at].end))})
		t.event(traceEvent{Name: "execute", Category: "flow", Phase: "f", Binding: "e", ID: id, Process: traceDevice,
			Thread: run[n], Time: micros(b.Start)})
		if b.Start > b.Commit {
			t.event(traceEvent{Name: "queued", Category: "queue", Phase: "b", ID: id, Process: traceDevice,
				Time: micros(b.Commit), Args: map[string]any{"stream": s.Label, "buffer": b.Number}})
			t.event(traceEvent{Name: "queued", Category: "queue", Phase: "e", ID: id, Process: traceDevice,
				Time: micros(b.Start)})
		}
	}
}

// traceHost writes compilations, cache lookups and transfers.
func (p *Profile) traceHost(t *traceWriter) {
	var compiles, lookups, transfers []slice
	for i := range p.Compiles {
		c := &p.Compiles[i]
		args := map[string]any{"program": c.Program}
		if c.Error != "" {
			args["error"] = c.Error
		}
		compiles = append(compiles, slice{span: span{c.Start, c.Start + c.Took}, name: cmp.Or(c.Kernel, c.Program,
			"program"), category: "compile", args: args})
	}
	for i := range p.Lookups {
		l := &p.Lookups[i]
		lookups = append(lookups, slice{span: span{l.At, l.At}, name: map[bool]string{true: "hit", false: "miss"}[l.Hit],
			category: "cache", args: map[string]any{"program": l.Program, "kernel": l.Kernel}})
	}
	for i := range p.Transfers {
		x := &p.Transfers[i]
		args := map[string]any{"bytes": x.Bytes, "GB/s": x.GBs(), "buffer": x.Label}
		if x.Error != "" {
			args["error"] = x.Error
		}
		transfers = append(transfers, slice{span: span{x.Start, x.Start + x.Took},
			name: map[bool]string{true: "upload", false: "download"}[x.Upload], category: "transfer", args: args})
	}
	t.track(traceHost, "compiler", compiles)
	t.track(traceHost, "kernel cache", lookups)
	t.track(traceHost, "transfers", transfers)
}

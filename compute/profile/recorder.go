package profile

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// DefaultLimit is how many events a recorder keeps unless its options say otherwise. An event takes
// about 200 bytes.
const DefaultLimit = 1 << 18

// Options configure a recorder.
type Options struct {
	// Limit is the maximum number of events: commands, command buffers, compilations, allocations,
	// transfers and operations. 0 means DefaultLimit. Later events are counted and dropped.
	Limit int
	// LaunchTimes asks for the time of each launch, which slows the device down; see package
	// compute.
	LaunchTimes observe.LaunchTiming
	// Work is what a launch of each kernel does, for GFLOPS and GB/s.
	Work map[string]Work
	// BufferBytes takes the length of a launch's buffers as its bytes if Work has none for its
	// kernel. That is too much for kernels that access parts, and too little for those that
	// access data twice.
	BufferBytes bool
	// Peak is the most that the device reaches, for shares of it, as tensor.Engine.MeasurePeak
	// measures it.
	Peak Peak
}

// Work is what one launch of a kernel does.
type Work struct {
	Flops float64 `json:"flops,omitempty"` // floating-point operations
	Bytes float64 `json:"bytes,omitempty"` // read and written
}

// Peak is the most that a device reaches: 10^9 operations and 10^9 bytes per second.
type Peak struct {
	GFLOPS float64 `json:"gflops,omitempty"`
	GBs    float64 `json:"gbs,omitempty"`
}

// Recorder records the events of one accelerator. It is safe for concurrent use.
type Recorder struct {
	options Options
	now     func() time.Time
	remove  func() // nil for WithProfile

	mu      sync.Mutex
	stopped *Profile
	p       Profile
	events  int
	buffers map[bufferKey]int // index in p.Buffers
	from    []uint64          // of each of p.Buffers: the number of its first command
	to      []uint64
	times   map[commandKey]observe.LaunchTime
	device  [][2]float64 // of each of p.Buffers: when the device executed it, by its own clock
	sites   []uintptr    // of each of p.Commands
	hosts   map[commandKey]uint64
	ops     map[uint64]int // index in p.Operations
	open    []uint64       // operations in the order of their starts
}

type bufferKey struct{ stream, number uint64 }

type commandKey struct{ stream, number uint64 }

// Start starts recording an accelerator.
func Start(acc *compute.Accelerator, o Options) (*Recorder, error) {
	if acc == nil {
		return nil, fmt.Errorf("profile: accelerator: %w", compute.ErrNil)
	}
	r, observer, err := newRecorder(o, time.Now)
	if err != nil {
		return nil, err
	}
	r.p.Device, r.p.Allocated = acc.Info().Name, acc.Allocated()
	if r.remove, err = acc.Observe(observer); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p.LaunchTimes = acc.LaunchTimes().String()
	return r, nil
}

// WithProfile returns an option for compute.Open, and the recorder that records the accelerator
// from then on. It is for one accelerator.
func WithProfile(o Options) (compute.Option, *Recorder, error) {
	r, observer, err := newRecorder(o, time.Now)
	if err != nil {
		return nil, nil, err
	}
	return compute.WithObserver(observer), r, nil
}

func newRecorder(o Options, now func() time.Time) (*Recorder, *observe.Observer, error) {
	if o.Limit < 0 {
		return nil, nil, fmt.Errorf("profile: Limit %d, want at least 0: %w", o.Limit, compute.ErrOption)
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	r := &Recorder{options: o, now: now, buffers: map[bufferKey]int{}, times: map[commandKey]observe.LaunchTime{},
		hosts: map[commandKey]uint64{}, ops: map[uint64]int{}}
	r.p = Profile{Began: now(), Work: map[string]Work{}, BufferBytes: o.BufferBytes, Peak: o.Peak,
		LaunchTimes: o.LaunchTimes.String()}
	for kernel, w := range o.Work {
		r.p.Work[kernel] = w
	}
	return r, &observe.Observer{Record: r.record, Encode: r.encode, Commit: r.commit, Complete: r.complete,
		Compile: r.compile, Cache: r.cache, Transfer: r.transfer, Rent: r.rent, Return: r.release, Recover: r.recovered,
		OperationStart: r.operationStart, OperationEnd: r.operationEnd, LaunchTimes: o.LaunchTimes}, nil
}

// missing reports whether the recorder is nil or was not made by [Start] or [WithProfile].
func (r *Recorder) missing() bool { return r == nil || r.now == nil }

// SetWork registers what a launch of a kernel does. After Stop it has no effect.
func (r *Recorder) SetWork(kernel string, w Work) {
	if !r.missing() && r.begin() {
		defer r.mu.Unlock()
		r.p.Work[kernel] = w
	}
}

// Stop ends the recording and returns the profile. Command buffers that have not completed have no
// device times, so synchronize before. Later calls return the same profile. That of a recorder that
// nobody made is empty.
func (r *Recorder) Stop() *Profile {
	if r.missing() {
		return &Profile{}
	}
	if r.remove != nil {
		r.remove()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped == nil {
		r.finish(r.now())
		if r.remove == nil && r.options.LaunchTimes == observe.LaunchTimesByCounter && r.split() {
			r.p.LaunchTimes = observe.LaunchTimesBySplit.String()
		}
		r.stopped = &r.p
	}
	return r.stopped
}

// split reports whether a device that was asked for counters has split instead, as one without
// them does: no launch has a time by counters, and no command buffer has two commands.
func (r *Recorder) split() bool {
	return len(r.times) == 0 && len(r.p.Buffers) > 0 &&
		!slices.ContainsFunc(r.p.Buffers, func(b Buffer) bool { return b.deviceCommands > 1 })
}

// begin locks the recorder and reports whether an event can be recorded. If not, it is not locked.
func (r *Recorder) begin() bool {
	r.mu.Lock()
	if r.stopped != nil {
		r.mu.Unlock()
		return false
	}
	return true
}

// room reports whether there is room for one more event, and counts it.
func (r *Recorder) room() bool {
	if r.events == r.options.Limit {
		r.p.Dropped++
		return false
	}
	r.events++
	return true
}

func (r *Recorder) at(t time.Time) time.Duration { return max(t.Sub(r.p.Began), 0) }

// operation returns the number of the innermost operation of a context, 0 for none. An operation
// that began before the recorder is added.
func (r *Recorder) operation(ctx context.Context) uint64 {
	if ctx == nil {
		return 0
	}
	id, ok := compute.OperationOf(ctx)
	if !ok {
		return 0
	}
	if _, known := r.ops[id.Number]; !known && !r.addOperation(id, 0) {
		return 0
	}
	return id.Number
}

func (r *Recorder) addOperation(id observe.OperationID, at time.Duration) bool {
	if !r.room() {
		return false
	}
	r.ops[id.Number] = len(r.p.Operations)
	r.p.Operations = append(r.p.Operations, Operation{Number: id.Number, Name: id.Name, Parent: id.Parent, Start: at,
		End: -1})
	return true
}

// current returns the operation that an event without a context belongs to: the innermost of those
// that are open, if each is nested in the one before.
func (r *Recorder) current() uint64 {
	for i, n := range r.open {
		if i > 0 && r.p.Operations[r.ops[n]].Parent != r.open[i-1] {
			return 0
		}
	}
	if len(r.open) == 0 {
		return 0
	}
	return r.open[len(r.open)-1]
}

func (r *Recorder) operationStart(e observe.OperationEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if r.addOperation(e.ID, r.at(e.At)) {
			r.open = append(r.open, e.ID.Number)
		}
	}
}

func (r *Recorder) operationEnd(e observe.OperationEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if i, ok := r.ops[e.ID.Number]; ok {
			r.p.Operations[i].End = r.at(e.At)
		}
		r.open = slices.DeleteFunc(r.open, func(n uint64) bool { return n == e.ID.Number })
	}
}

func (r *Recorder) record(e observe.RecordEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	op := r.operation(e.Ctx)
	if !r.room() {
		return
	}
	if e.Kind == observe.CommandHostCopy && op != 0 {
		r.hosts[commandKey{e.Stream.Number, e.Number}] = op
	}
	r.p.Commands = append(r.p.Commands, Command{Stream: e.Stream.Number, Number: e.Number, Kind: e.Kind.String(),
		Kernel: e.Kernel, Threads: e.Threads, Bytes: e.Bytes, At: r.at(e.At), Operation: op, Buffer: -1})
	if e.File != "" {
		r.p.Commands[len(r.p.Commands)-1].Source = Site{Function: e.Kernel, File: e.File, Line: e.Line}
	}
	r.sites = append(r.sites, e.Site)
	r.stream(e.Stream)
}

// stream remembers a stream's label.
func (r *Recorder) stream(id observe.StreamID) {
	if r.p.Labels == nil {
		r.p.Labels = map[uint64]string{}
	}
	if _, known := r.p.Labels[id.Number]; !known {
		r.p.Labels[id.Number] = id.Label
	}
}

// buffer returns the entry of a command buffer, which it adds if there is room.
func (r *Recorder) buffer(id observe.BufferID, add bool) int {
	key := bufferKey{id.Stream.Number, id.Number}
	if i, ok := r.buffers[key]; ok {
		return i
	}
	if !add || !r.room() {
		return -1
	}
	i := len(r.p.Buffers)
	r.buffers[key] = i
	r.p.Buffers = append(r.p.Buffers, Buffer{Stream: id.Stream.Number, Number: id.Number, Commands: id.Commands})
	r.from, r.to = append(r.from, id.First), append(r.to, id.Last)
	r.device = append(r.device, [2]float64{})
	r.stream(id.Stream)
	return i
}

func (r *Recorder) encode(e observe.EncodeEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	// A buffer is committed in the middle of this, so its commit comes first.
	if i := r.buffer(e.Buffer, true); i >= 0 {
		b := &r.p.Buffers[i]
		b.EncodeStart, b.EncodeTook, b.Encoders, b.Barriers = r.at(e.Start), e.Took, e.Encoders, e.Barriers
	}
}

func (r *Recorder) commit(e observe.CommitEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	if i := r.buffer(e.Buffer, true); i >= 0 {
		b := &r.p.Buffers[i]
		b.Commit, b.committed = r.at(e.At), true
	}
}

func (r *Recorder) complete(e observe.CompleteEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	i := r.buffer(e.Buffer, false) // one committed before the recorder began is left out
	if i < 0 {
		return
	}
	b := &r.p.Buffers[i]
	b.Notified, b.Completed = r.at(e.At), true
	r.device[i] = [2]float64{e.DeviceStart, e.DeviceEnd}
	if e.Err != nil {
		b.Error = e.Err.Error()
	}
	for _, l := range e.Launches {
		r.times[commandKey{e.Buffer.Stream.Number, l.Number}] = l
	}
}

func (r *Recorder) compile(e observe.CompileEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	op := r.operation(e.Ctx)
	if op == 0 {
		op = r.current()
	}
	if r.room() {
		r.p.Compiles = append(r.p.Compiles, Compile{Program: e.Program, Kernel: e.Kernel, Start: r.at(e.Start),
			Took: e.Took, Operation: op, Error: text(e.Err)})
	}
}

func (r *Recorder) cache(e observe.CacheEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if r.room() {
			r.p.Lookups = append(r.p.Lookups, Lookup{Program: e.Program, Kernel: e.Kernel, Hit: e.Hit,
				At: r.at(r.now()), Operation: r.current()})
		}
	}
}

func (r *Recorder) transfer(e observe.TransferEvent) {
	if !r.begin() {
		return
	}
	defer r.mu.Unlock()
	op := r.operation(e.Ctx)
	if e.Number != 0 {
		key := commandKey{e.Stream.Number, e.Number}
		op = r.hosts[key]
		delete(r.hosts, key)
	}
	if r.room() {
		r.p.Transfers = append(r.p.Transfers, Transfer{Label: e.Label, Upload: e.Upload, Bytes: e.Bytes,
			Start: r.at(e.Start), Took: e.Took, Operation: op, Error: text(e.Err)})
	}
}

func (r *Recorder) rent(e observe.RentEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if r.room() {
			r.p.Memory = append(r.p.Memory, Memory{At: r.at(e.At), Label: e.Label, Bytes: int64(e.Bytes),
				Allocated: e.Allocated, Took: e.Took, Operation: r.current(), Error: text(e.Err)})
		}
	}
}

func (r *Recorder) release(e observe.ReturnEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if r.room() {
			r.p.Memory = append(r.p.Memory, Memory{At: r.at(e.At), Label: e.Label, Bytes: -int64(e.Bytes),
				Allocated: e.Allocated})
		}
	}
}

func (r *Recorder) recovered(e observe.RecoverEvent) {
	if r.begin() {
		defer r.mu.Unlock()
		if r.room() {
			r.p.Recoveries = append(r.p.Recoveries, Recovery{At: r.at(e.At), Kind: e.Kind.String(), What: e.What,
				Details: e.Details, Error: text(e.Err)})
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// finish computes what needs all events: the offset of the clocks, device times in the host's
// clock, the command buffer and the time of each command, and call sites.
func (r *Recorder) finish(at time.Time) {
	p := &r.p
	p.Took = r.at(at)
	for i := range p.Operations {
		if p.Operations[i].End < 0 {
			p.Operations[i].End, p.Operations[i].Open = p.Took, true
		}
	}
	bounds := newClockBounds()
	for i := range p.Buffers {
		b, d := &p.Buffers[i], r.device[i]
		if b.committed && b.Completed && d[1] > 0 {
			bounds.add(b.Commit.Seconds(), d[0], d[1], b.Notified.Seconds())
		}
	}
	p.Clock = bounds.clock()
	for i := range p.Buffers {
		if d := r.device[i]; d[1] > 0 {
			p.Buffers[i].Start, p.Buffers[i].End, p.Buffers[i].Timed = p.Clock.host(d[0]), p.Clock.host(d[1]), true
		}
	}
	r.placeCommands()
	names := map[uintptr]Site{}
	for i, pc := range r.sites {
		if pc == 0 {
			continue
		}
		s, ok := names[pc]
		if !ok {
			f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			s = Site{Function: f.Function, File: f.File, Line: f.Line}
			names[pc] = s
		}
		p.Commands[i].Site = s
	}
}

// placeCommands finds the command buffer of each command, and its device time: that by counters, or
// the command buffer's if nothing else in it needed the device, or else a share of the buffer's.
func (r *Recorder) placeCommands() {
	p := &r.p
	streams := map[uint64][]int{} // command buffers, by their commands
	for i := range p.Buffers {
		streams[p.Buffers[i].Stream] = append(streams[p.Buffers[i].Stream], i)
	}
	for _, list := range streams {
		slices.SortFunc(list, func(a, b int) int { return int(int64(r.from[a]) - int64(r.from[b])) })
	}
	rest := make([]int, len(p.Buffers))           // device commands without a time of their own
	left := make([]time.Duration, len(p.Buffers)) // device time that is not of a command with one
	for i := range p.Buffers {
		left[i] = p.Buffers[i].End - p.Buffers[i].Start
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		list := streams[c.Stream]
		n, found := slices.BinarySearchFunc(list, c.Number, func(b int, number uint64) int {
			return int(int64(r.from[b]) - int64(number))
		})
		if !found {
			n--
		}
		if n < 0 || c.Number > r.to[list[n]] {
			continue
		}
		c.Buffer = list[n]
		if !c.onDevice() {
			continue
		}
		p.Buffers[c.Buffer].deviceCommands++
		if l, ok := r.times[commandKey{c.Stream, c.Number}]; ok {
			c.Start, c.End, c.Timed = p.Clock.host(l.Start), p.Clock.host(l.End), TimedExactly
			left[c.Buffer] -= c.End - c.Start
		} else {
			rest[c.Buffer]++
		}
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		if c.Buffer < 0 || !c.onDevice() || c.Timed != NotTimed || !p.Buffers[c.Buffer].Timed {
			continue
		}
		b := &p.Buffers[c.Buffer]
		switch {
		case b.deviceCommands == 1:
			c.Start, c.End, c.Timed = b.Start, b.End, TimedExactly
		default:
			c.Start, c.Timed = b.Start, TimedByShare
			c.End = b.Start + max(left[c.Buffer], 0)/time.Duration(rest[c.Buffer])
		}
	}
}

package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
)

// other is the label for what exceeds a limit of [Options].
const other = "other"

// Options configures a [Monitor]. Zero fields mean the default.
type Options struct {
	// Kernels limits the kernels, streams and operations that have metrics of their own; all others
	// together are "other". The default is 200.
	Kernels int
	// Logger receives records of events: see [Events]. The default is none.
	Logger *slog.Logger
	// Rules are checked each Interval. The default is DefaultRules and 5 s; a negative interval
	// leaves checks to [Monitor.Check].
	Rules    []Rule
	Interval time.Duration
	// Slow configures when a kernel counts as slow: its median time is so many times that of its
	// first launches with the same number of threads. The default is 1.5.
	Slow float64
	// LaunchTimes measures each launch, at a cost: see [observe.Observer]. By default, the time of a
	// launch is known if its command buffer has nothing but launches of the same kernel.
	LaunchTimes observe.LaunchTiming
	// Exemplar returns the labels of an exemplar for the work of a context, such as the ID of its
	// trace; none for no exemplar. It must be quick: the stream's work waits for it. The default is
	// the operation's name: see [compute.Accelerator.Operation]. A histogram calls it at most each
	// second for a bucket. If it panics or ends its goroutine, there is no exemplar, and a record.
	Exemplar func(context.Context) map[string]string
	// Now replaces the clock, for tests.
	Now func() time.Time
}

// Monitor watches an accelerator. It is safe for concurrent use.
type Monitor struct {
	o    Options
	acc  *compute.Accelerator
	stop func()

	commands                            [16]atomic.Uint64 // by kind
	copied, uploaded, downloaded        atomic.Uint64     // bytes
	returned, allocations, unallocated  atomic.Uint64
	allocated, peak, pressure, inFlight atomic.Int64
	pressures                           atomic.Uint64
	buffers                             [16]atomic.Uint64   // that ended, by class
	recoveries                          [16]atomic.Uint64   // by kind
	compiles, cache                     [2][2]atomic.Uint64 // of programs and kernels: ok and error; hits and misses
	encode, queue, device, latency      histogram
	compile, allocation, transfer       histogram
	operations                          histograms
	slow                                *baselineWatch[work]

	mu      sync.RWMutex
	kernels map[string]*kernelCounters
	streams map[uint64]*streamState

	running sync.Map // start of operations, by number

	health health
	closed chan struct{}
	done   sync.WaitGroup
}

// work is what is compared with its first times.
type work struct {
	kernel  string
	threads uint64
}

// kernelCounters count the launches of a kernel.
type kernelCounters struct {
	launches, threads atomic.Uint64

	mu      sync.Mutex // a reader divides one of these by the other
	known   uint64     // launches with a time
	seconds time.Duration
}

// time adds the device's time for some launches.
func (k *kernelCounters) time(launches uint64, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known += launches
	k.seconds += d
}

// timed returns how many launches have a time of the device, and their times together.
func (k *kernelCounters) timed() (launches uint64, d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known, k.seconds
}

// streamState follows a stream's commands until they have ended.
type streamState struct {
	label   string
	mu      sync.Mutex
	pending []pending            // at the end of all
	all     []pending            // the memory
	commits map[uint64]time.Time // of command buffers, by number
}

// pending is a command that has not ended.
type pending struct {
	number uint64
	at     time.Time
	ctx    context.Context // of the call
	kernel string          // of a launch
	launch uint64          // its threads
}

// Watch begins to watch an accelerator. Close ends it.
func Watch(acc *compute.Accelerator, o Options) (*Monitor, error) {
	if acc == nil {
		return nil, fmt.Errorf("telemetry: Watch: nil accelerator: %w", compute.ErrNil)
	}
	if o.Kernels < 0 || o.Slow < 0 {
		return nil, fmt.Errorf("telemetry: Watch: Kernels %d, Slow %g, want at least 0: %w", o.Kernels, o.Slow,
			compute.ErrOption)
	}
	if o.Kernels == 0 {
		o.Kernels = 200
	}
	if o.Exemplar == nil {
		o.Exemplar = operationLabels
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Interval == 0 {
		o.Interval = 5 * time.Second
	}
	if o.Rules == nil {
		o.Rules = DefaultRules()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = contain.Logger(o.Logger.Handler())
	m := &Monitor{o: o, acc: acc, kernels: map[string]*kernelCounters{}, streams: map[uint64]*streamState{},
		slow: newBaselineWatch[work](baselineOptions{Slow: o.Slow, Keys: o.Kernels}), closed: make(chan struct{})}
	for _, h := range []*histogram{&m.device, &m.latency} {
		h.trends = []*trend{newTrend(time.Minute), newTrend(10 * time.Minute), newTrend(time.Hour)}
	}
	m.o.Exemplar = m.exemplar(o.Exemplar)
	m.allocated.Store(int64(acc.Allocated()))
	m.peak.Store(m.allocated.Load())
	if err := m.health.start(o.Rules); err != nil {
		return nil, err
	}
	m.health.history = []*Snapshot{m.Snapshot()} // what happens from here on is compared with this
	m.keepPoint(m.health.history[0])
	var err error
	if m.stop, err = acc.Observe(m.observer()); err != nil {
		return nil, err
	}
	if o.Interval > 0 {
		m.done.Go(func() {
			tick := time.NewTicker(o.Interval)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					m.function("Options.Now", contain.Call(func() string { return "a check" },
						func() error { m.Check(); return nil }))
				case <-m.closed:
					return
				}
			}
		})
	}
	return m, nil
}

// function logs the failure of a function of the program.
func (m *Monitor) function(name string, err error) {
	if err != nil {
		m.log(context.Background(), eventFunction, slog.String("function", name), slog.Any("error", err))
	}
}

// exemplar returns a function of the program for labels so that it has none if that fails.
func (m *Monitor) exemplar(of func(context.Context) map[string]string) func(context.Context) map[string]string {
	return func(ctx context.Context) (labels map[string]string) {
		m.function("Options.Exemplar", contain.Call(func() string { return "Options.Exemplar" },
			func() error { labels = of(ctx); return nil }))
		return labels
	}
}

// missing reports whether the monitor is nil or was not made by [Watch]: its methods then do
// nothing and return zero values.
func (m *Monitor) missing() bool { return m == nil || m.acc == nil }

// Close checks the rules for the last time and ends the watch. Figures and health stay.
func (m *Monitor) Close() {
	if m.missing() {
		return
	}
	m.stop()
	m.Check() // a short job ends before the first interval
	m.mu.Lock()
	select {
	case <-m.closed:
	default:
		close(m.closed)
	}
	m.mu.Unlock()
	m.done.Wait()
}

func (m *Monitor) observer() *observe.Observer {
	return &observe.Observer{
		Record: m.record, Encode: m.encoded, Commit: m.committed, Complete: m.completed, Compile: m.compiled,
		Cache: m.cached, Transfer: m.transferred, Rent: m.rented, Return: m.freed, Pressure: m.pressed,
		Recover: m.recovered, OperationStart: m.operationStart, OperationEnd: m.operationEnd,
		LaunchTimes: m.o.LaunchTimes,
	}
}

// stream returns the state of a stream.
func (m *Monitor) stream(id observe.StreamID) *streamState {
	m.mu.RLock()
	s := m.streams[id.Number]
	m.mu.RUnlock()
	if s != nil {
		return s
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s = m.streams[id.Number]; s != nil {
		return s
	}
	if len(m.streams) >= m.o.Kernels { // forget those that are idle: nobody says when a stream is closed
		for number, old := range m.streams {
			old.mu.Lock()
			if len(old.pending) == 0 && len(old.commits) == 0 {
				delete(m.streams, number)
			}
			old.mu.Unlock()
		}
	}
	label := id.Label
	if len(m.streams) >= m.o.Kernels {
		label = other
	}
	s = &streamState{label: label, commits: map[uint64]time.Time{}}
	m.streams[id.Number] = s
	return s
}

// kernel returns the counters of a kernel.
func (m *Monitor) kernel(name string) *kernelCounters {
	m.mu.RLock()
	k := m.kernels[name]
	m.mu.RUnlock()
	if k != nil {
		return k
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kernels) >= m.o.Kernels {
		name = other
	}
	if k = m.kernels[name]; k == nil {
		k = &kernelCounters{}
		m.kernels[name] = k
	}
	return k
}

func (m *Monitor) record(e observe.RecordEvent) {
	m.commands[e.Kind].Add(1)
	p := pending{number: e.Number, at: e.At, ctx: e.Ctx}
	switch e.Kind {
	case observe.CommandLaunch:
		k := m.kernel(e.Kernel)
		k.launches.Add(1)
		k.threads.Add(e.Threads)
		p.kernel, p.launch = e.Kernel, e.Threads
	case observe.CommandCopy, observe.CommandFill:
		m.copied.Add(e.Bytes)
	}
	s := m.stream(e.Stream)
	s.mu.Lock()
	s.add(p)
	s.mu.Unlock()
}

func (m *Monitor) encoded(e observe.EncodeEvent) { m.encode.add(e.Took, e.Start) }

func (m *Monitor) committed(e observe.CommitEvent) {
	m.inFlight.Add(1)
	s := m.stream(e.Buffer.Stream)
	s.mu.Lock()
	s.commits[e.Buffer.Number] = e.At
	var first pending
	for i := range s.pending {
		if s.pending[i].number >= e.Buffer.First {
			first = s.pending[i]
			break
		}
	}
	s.mu.Unlock()
	if !first.at.IsZero() { // otherwise it was recorded before the watch began
		m.queue.addFor(first.ctx, m.o.Exemplar, e.At.Sub(first.at), e.At)
	}
}

func (m *Monitor) completed(e observe.CompleteEvent) {
	class := compute.ClassOf(e.Err)
	m.buffers[class].Add(1)
	s := m.stream(e.Buffer.Stream)
	var only pending        // of the launches, if they all have the same kernel
	var ctx context.Context // of the first command; nil if it was recorded before the watch began
	launches, same := 0, true
	var timed []timedLaunch
	s.mu.Lock()
	committed, wasCommitted := s.commits[e.Buffer.Number]
	delete(s.commits, e.Buffer.Number)
	s.end(e.Buffer, func(p *pending) {
		if ctx == nil {
			ctx = p.ctx
		}
		if p.kernel == "" {
			return
		}
		same = launches == 0 || same && p.kernel == only.kernel
		launches++
		only = *p
		i, ok := slices.BinarySearchFunc(e.Launches, p.number,
			func(l observe.LaunchTime, n uint64) int { return cmp.Compare(l.Number, n) })
		if ok {
			timed = append(timed, timedLaunch{*p, seconds(e.Launches[i].End - e.Launches[i].Start)})
		}
	})
	s.mu.Unlock()
	if wasCommitted {
		m.inFlight.Add(-1)
		m.latency.addFor(ctx, m.o.Exemplar, e.At.Sub(committed), e.At)
	}
	if e.Err != nil {
		m.log(ctx, eventFailure, slog.String("stream", e.Buffer.Stream.Label),
			slog.String("class", class.String()), slog.Any("error", e.Err))
		return
	}
	if e.DeviceEnd <= 0 {
		return
	}
	d := seconds(e.DeviceEnd - e.DeviceStart)
	m.device.addFor(ctx, m.o.Exemplar, d, e.At)
	alone := launches == 1 && e.Buffer.Commands == 1
	switch {
	case len(timed) > 0:
		for _, l := range timed {
			m.kernel(l.kernel).time(1, l.took)
			if m.o.LaunchTimes != observe.LaunchTimesOff {
				m.compare(l.pending, l.took)
			}
		}
	case launches > 0 && launches == e.Buffer.Commands && same:
		m.kernel(only.kernel).time(uint64(launches), d)
	}
	if alone && (len(timed) == 0 || m.o.LaunchTimes == observe.LaunchTimesOff) {
		m.compare(only, d) // with the time of command buffers, if another observer measures for a while
	}
}

// timedLaunch is a launch with the device's time for it.
type timedLaunch struct {
	pending
	took time.Duration
}

// seconds returns a difference of the device's times.
func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }

// compare compares the time of a launch with those of the first ones like it.
func (m *Monitor) compare(p pending, d time.Duration) {
	c, changed := m.slow.Add(work{p.kernel, p.launch}, d)
	if !changed {
		return
	}
	event := eventSlow
	if !c.Slow {
		event = eventWell
	}
	m.log(p.ctx, event, slog.String("kernel", c.Key.kernel), slog.Uint64("threads", c.Key.threads),
		slog.Duration("baseline", c.Base), slog.Duration("now", c.Now))
}

// end removes the commands of a command buffer, and calls each with them. The lock is held.
func (s *streamState) end(b observe.BufferID, each func(*pending)) {
	first := 0
	for first < len(s.pending) && s.pending[first].number < b.First {
		first++ // buffers end in order, but for those that could not be encoded
	}
	last := first
	for ; last < len(s.pending) && s.pending[last].number <= b.Last; last++ {
		each(&s.pending[last])
	}
	if first > 0 {
		s.pending = slices.Delete(s.pending, first, last)
		return
	}
	clear(s.pending[:last])
	if s.pending = s.pending[last:]; len(s.pending) == 0 {
		s.pending = s.all[:0]
	}
}

// add appends a command. The lock is held.
func (s *streamState) add(p pending) {
	if len(s.pending) == cap(s.pending) {
		s.all = append(make([]pending, 0, max(64, 2*len(s.pending))), s.pending...)
		s.pending = s.all
	}
	s.pending = append(s.pending, p)
}

// operationLabels is the default of [Options].Exemplar.
func operationLabels(ctx context.Context) map[string]string {
	if id, ok := compute.OperationOf(ctx); ok {
		return map[string]string{"operation": id.Name}
	}
	return nil
}

// index returns 1 if something is true.
func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *Monitor) compiled(e observe.CompileEvent) {
	m.compiles[index(e.Kernel != "")][index(e.Err != nil)].Add(1)
	m.compile.add(e.Took, e.Start)
	if e.Err != nil {
		m.log(e.Ctx, eventCompile, slog.String("program", e.Program), slog.String("kernel", e.Kernel),
			slog.Any("error", e.Err))
	}
}

func (m *Monitor) cached(e observe.CacheEvent) { m.cache[index(e.Kernel != "")][index(!e.Hit)].Add(1) }

func (m *Monitor) transferred(e observe.TransferEvent) {
	if e.Err != nil {
		return
	}
	if e.Upload {
		m.uploaded.Add(e.Bytes)
	} else {
		m.downloaded.Add(e.Bytes)
	}
	m.transfer.add(e.Took, e.Start)
}

func (m *Monitor) rented(e observe.RentEvent) {
	m.allocation.add(e.Took, e.At)
	if e.Err != nil {
		m.unallocated.Add(1)
		m.log(context.Background(), eventAllocation, slog.String("label", e.Label), slog.Uint64("bytes", e.Bytes),
			slog.Uint64("allocated", e.Allocated), slog.Any("error", e.Err))
		return
	}
	m.allocations.Add(1)
	m.allocated.Store(int64(e.Allocated))
	for {
		peak := m.peak.Load()
		if int64(e.Allocated) <= peak || m.peak.CompareAndSwap(peak, int64(e.Allocated)) {
			return
		}
	}
}

func (m *Monitor) freed(e observe.ReturnEvent) {
	m.returned.Add(e.Bytes)
	m.allocated.Store(int64(e.Allocated))
}

func (m *Monitor) pressed(e observe.PressureEvent) {
	m.pressures.Add(1)
	m.pressure.Store(int64(e.After))
	m.log(context.Background(), eventPressure, slog.String("before", e.Before.String()),
		slog.String("after", e.After.String()), slog.Uint64("allocated", e.Allocated))
}

func (m *Monitor) recovered(e observe.RecoverEvent) {
	if int(e.Kind) < len(m.recoveries) {
		m.recoveries[e.Kind].Add(1)
	}
	m.log(e.Ctx, eventRecovery, slog.String("kind", e.Kind.String()), slog.String("what", e.What),
		slog.Int("attempt", e.Attempt), slog.Duration("delay", e.Delay), slog.String("details", e.Details),
		slog.Any("error", e.Err))
}

func (m *Monitor) operationStart(e observe.OperationEvent) { m.running.Store(e.ID.Number, e.At) }

func (m *Monitor) operationEnd(e observe.OperationEvent) {
	if began, ok := m.running.LoadAndDelete(e.ID.Number); ok {
		m.operations.of(e.ID.Name, m.o.Kernels).add(e.At.Sub(began.(time.Time)), e.At)
	}
}

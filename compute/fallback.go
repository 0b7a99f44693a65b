package compute

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/mtl"
)

// ErrFallback: the launch cannot run on the CPU; the error says why.
var ErrFallback = errors.New("the launch cannot run on the CPU")

// WithFallback sets the CPU that runs the launches of [Stream.LaunchFallback]: a *CPU of package
// compute/fallback.
func WithFallback(cpu fallback.Device) Option {
	return func(c *config) error {
		if cpu == nil {
			return nilError("WithFallback: fallback")
		}
		c.fallback = cpu
		return nil
	}
}

// defaultFallbackTime is how long a launch on the CPU may take without [WithTimeout].
const defaultFallbackTime = 5 * time.Minute

// LaunchFallback is [Stream.Launch] on the CPU, by the CPU of [WithFallback]: the same kernel
// with the same arguments, after all earlier commands of the stream have ended and before later
// ones begin. It is for work that the device fails at. It needs no command buffer, so it also runs
// while the device fails all of them.
//
// The kernel uses the memory of shared and managed buffers where it is. Private buffers are copied
// to shared memory by the device before the launch, and those that the kernel writes are copied
// back after it; if the device cannot copy them, the launch fails. In each buffer, the kernel
// reaches what its arguments span, and up to 255 bytes before that; beyond, it reads zeros, and
// writes are discarded.
//
// Errors wrap [ErrFallback] for launches that the CPU cannot run: those with textures, samplers,
// indirect commands, or buffers that the kernel finds through pointers in memory, those of programs
// compiled with CompileOptions.Logging, and those of an accelerator without [WithFallback]. Other
// errors are those of Launch. The kernel is compiled for the CPU by the first call; if ctx ends
// meanwhile, the call fails.
//
// [WithTimeout] and [WithWorkBudget] bound the launch, whatever the device is; the default time is
// 5 minutes. Unlike a kernel on a GPU, it stops when the stream's work is canceled. Failures are an
// *[ExecutionError], as for Launch. Observers are notified by Recover ([observe.RecoveryFallback])
// and by Record ([observe.CommandFallback]); there are no calls of Encode and Commit.
func (s *Stream) LaunchFallback(ctx context.Context, k *Kernel, grid Grid, args ...any) error {
	l, err := s.bind(ctx, "LaunchFallback", k, grid, args)
	if err != nil {
		return err
	}
	if err := l.ordinary(); err != nil {
		return err
	}
	r, err := s.fallbackRun(ctx, l)
	if err != nil {
		return err
	}
	works, err := r.works()
	if err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	for i := range works {
		works[i].site = site[0]
	}
	if _, err := s.recordAll(ctx, works); err != nil {
		return err
	}
	l.recorded()
	s.acc.Recovered(observe.RecoverEvent{Ctx: ctx, Kind: observe.RecoveryFallback, What: k.String(),
		Details: fmt.Sprintf("stream %q: a launch runs on the CPU", s.label)})
	return nil
}

// fallbackRun is a launch on the CPU.
type fallbackRun struct {
	of     *Launch
	code   fallback.Code
	args   []argument // of the launch, those that the CPU gets: launch.Arguments
	launch fallback.Launch
	ranges []view // of launch.Memory, in the memory of the arguments
	host   []view // likewise, where the CPU finds it: the same, or staging memory

	// why the memory is not there, once the commands before have ended; Stream.mu guards it
	unready error
}

// beforeFallback is what brings memory to the host for a launch on the CPU.
type beforeFallback struct {
	plainComposite
	run *fallbackRun
}

// settle lets the launch fail if its memory could not be copied.
func (b beforeFallback) settle(_ *work, err error, _ uint64) {
	if err != nil {
		b.run.unready = err
	}
}

// fallbackRun prepares a launch on the CPU.
func (s *Stream) fallbackRun(ctx context.Context, l *Launch) (*fallbackRun, error) {
	k := l.kernel
	refused := func(argument string, err error) error {
		return &LaunchError{Kernel: k.name, Argument: argument, Err: fmt.Errorf("%w: %w", ErrFallback, err)}
	}
	switch {
	case s.acc.fallback == nil:
		return nil, refused("", errors.New("the accelerator was opened without WithFallback"))
	case k.logs:
		return nil, refused("", errors.New("its program was compiled with CompileOptions.Logging, "+
			"and its messages would be lost"))
	case k.from == nil || k.from.source == "":
		return nil, refused("", errors.New("its program has no source"))
	}
	args := slices.DeleteFunc(slices.Clone(l.args), func(a argument) bool {
		return a.overwrites && slices.ContainsFunc(l.args, func(o argument) bool {
			return o.kind == BufferParameter && o.view.contains(a.view)
		})
	})
	for i := range args {
		if argument, why := k.notOnCPU(&args[i]); why != "" {
			return nil, refused(argument, errors.New(why))
		}
	}
	code, err := k.fallbackCode(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, contextError(ctx, "the compiler for the CPU, at "+k.String())
		}
		return nil, refused("", err)
	}
	r := &fallbackRun{of: l, code: code, args: args}
	threads := l.threadsOfGrid()
	group := l.Group()
	r.launch.Grid = [3]int{int(threads[0]), int(threads[1]), int(threads[2])}
	r.launch.Group = [3]int{group.X, group.Y, group.Z}
	r.launch.Work, r.launch.Priority = s.acc.work, int(s.priority)
	r.bind()
	if err := code.Check(&r.launch); err != nil {
		return nil, refused("", err)
	}
	return r, nil
}

// notOnCPU returns why the CPU cannot take an argument, "" if it can.
func (k *Kernel) notOnCPU(a *argument) (argument, why string) {
	switch {
	case a.commands != nil:
		why = "indirect commands are the device's"
	case a.kind == TextureParameter:
		why = "textures are in the device's own layout; pass the texels in a buffer"
	case a.kind == SamplerParameter:
		why = "samplers are the device's"
	case a.kind == OtherParameter: // Reads and Writes
		return a.view.mem.String(), "the kernel finds it through an address of the device; pass it as an argument"
	default:
		return "", ""
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Kind == a.kind && p.Index <= a.index && a.index < p.Index+max(p.Count, 1) {
			argument = p.String()
		}
	}
	return argument, why
}

// fallbackCode returns the kernel compiled for the CPU. Calls at the same time may compile it
// twice, which the fallback's own cache makes cheap.
func (k *Kernel) fallbackCode(ctx context.Context) (fallback.Code, error) {
	if c := k.onCPU.Load(); c != nil {
		return *c, nil
	}
	o := k.from.options
	functions := mtl.MathFloatingPointFunctionsFast
	if o.PreciseFunctions {
		functions = mtl.MathFloatingPointFunctionsPrecise
	}
	constants := make([]fallback.Constant, len(k.constants))
	for i, c := range k.constants {
		constants[i] = fallback.Constant(c)
	}
	c, err := k.acc.fallback.Prepare(ctx, fallback.Kernel{Name: k.function, Source: k.from.source,
		Settings: mtl.CompileSettings{LanguageVersion: o.Language, MathMode: *o.Math, MathFunctions: functions},
		Macros:   maps.Clone(o.Macros), Constants: constants})
	if err != nil {
		return nil, err
	}
	k.onCPU.Store(&c)
	return c, nil
}

// fallbackAlignment is the alignment of the ranges of memory that the CPU is given, so that what is
// aligned in the buffer is aligned there. It is at least that of any type, and of blits.
const fallbackAlignment = 256

// bind sets the arguments, and finds the range of each memory that they span.
func (r *fallbackRun) bind() {
	index := map[*memory]int{}
	for i := range r.args {
		a := &r.args[i]
		if a.view.mem == nil {
			continue
		}
		from := a.view.offset / fallbackAlignment * fallbackAlignment
		to := a.view.offset + a.view.length
		at, ok := index[a.view.mem]
		if !ok {
			at = len(r.ranges)
			index[a.view.mem] = at
			r.ranges = append(r.ranges, view{a.view.mem, from, to - from})
			r.launch.Memory = append(r.launch.Memory, fallback.Memory{})
		}
		old := r.ranges[at]
		from, to = min(from, old.offset), max(to, old.offset+old.length)
		r.ranges[at].offset, r.ranges[at].length = from, to-from
		r.launch.Memory[at].Length = to - from
		r.launch.Memory[at].Writes = r.launch.Memory[at].Writes || a.writes
	}
	for i := range r.args {
		a := &r.args[i]
		f := fallback.Argument{Threadgroup: a.kind == ThreadgroupParameter, Index: a.index, Bytes: a.bytes, Length: a.length}
		if a.view.mem != nil {
			f.Memory = index[a.view.mem]
			f.Offset, f.Length = a.view.offset-r.ranges[f.Memory].offset, a.view.length
		}
		r.launch.Arguments = append(r.launch.Arguments, f)
	}
}

// works makes the commands and counts their uses: what makes memory visible to the host, the
// launch, and what takes private memory back to the device.
func (r *fallbackRun) works() (works []work, err error) {
	var stages []*memory
	defer func() {
		for _, m := range stages {
			m.close() // the uses of the commands keep it
		}
		if err != nil {
			endAll(works)
			works = nil
		}
	}()
	add := func(w work) error {
		if err := w.use(); err != nil {
			return err
		}
		works = append(works, w)
		return nil
	}
	unit := max(r.of.kernel.acc.info.Limits.BlitAlignment, 1)
	for _, v := range r.ranges {
		here := v
		switch v.mem.mode() {
		case mtl.StorageModeManaged:
			err = add(work{command: &synchronizeCommand{transfer{to: view{v.mem, 0, v.mem.length}}}, of: beforeFallback{run: r}})
		case mtl.StorageModePrivate:
			v.length = roundUp(v.length, unit) // buffers from the pool are long enough for a whole last unit
			var stage *memory
			if stage, err = v.mem.accelerator().newStage(v.length, HostVisible); err != nil {
				return works, err
			}
			stages = append(stages, stage)
			here = view{stage, 0, here.length}
			err = add(work{command: &copyCommand{transfer{v, view{stage, 0, v.length}}}, of: beforeFallback{run: r}})
		}
		if err != nil {
			return works, err
		}
		r.host = append(r.host, here)
	}
	if err = add(work{command: r}); err != nil {
		return works, err
	}
	for i := range r.args {
		a := &r.args[i]
		if !a.writes || a.view.mem == nil || a.view.mem.mode() != mtl.StorageModePrivate {
			continue
		}
		at := r.launch.Arguments[i].Memory
		back := view{a.view.mem, a.view.offset / unit * unit, 0}
		back.length = roundUp(a.view.offset+a.view.length, unit) - back.offset
		from := view{r.host[at].mem, back.offset - r.ranges[at].offset, back.length}
		if err = add(work{command: &copyCommand{transfer{from, back}}}); err != nil {
			return works, err
		}
	}
	return works, nil
}

// use keeps the launch's kernel, its arguments and the staging memory alive until done.
func (r *fallbackRun) use() error {
	if err := r.of.use(); err != nil {
		return err
	}
	for i, v := range r.host {
		if err := v.mem.use(); err != nil {
			r.unuse(i)
			return err
		}
	}
	return nil
}

// unuse ends a use, with the first n memories.
func (r *fallbackRun) unuse(n int) {
	for _, v := range r.host[:n] {
		v.mem.done()
	}
	r.of.done()
}

func (r *fallbackRun) done() { r.unuse(len(r.host)) }

func (r *fallbackRun) side() side                   { return byHost }
func (r *fallbackRun) encode(*encoder, *work) error { return nil }
func (r *fallbackRun) launched() *Launch            { return r.of }
func (r *fallbackRun) size() int                    { return r.of.bytes }
func (r *fallbackRun) hazards(spans []span) []span  { return r.of.hazards(spans) }
func (r *fallbackRun) summarize(s *commandSummary) {
	s.form, s.name = "%s on the CPU", r.of.kernel.name
}
func (r *fallbackRun) tally(c *streamCounters) { c.fallbacks.Add(1) }
func (r *fallbackRun) recorded()               { r.of.recorded() }

func (r *fallbackRun) observe(e *observe.RecordEvent) {
	r.of.observe(e)
	e.Kind = observe.CommandFallback
}

// accesses appends the accesses of the launch, to private memory where the CPU finds it.
func (r *fallbackRun) accesses(list []rangeAccess) []rangeAccess {
	first := len(list)
	list = r.of.accesses(list)
	for i := first; i < len(list); i++ {
		a := &list[i]
		for j, v := range r.ranges {
			if v.mem == a.mem && r.host[j].mem != v.mem {
				a.view = view{r.host[j].mem, r.host[j].offset + a.offset - v.offset, a.length}
				break
			}
		}
	}
	return list
}

// run runs the launch. The commands before it have ended.
func (r *fallbackRun) run(ctx context.Context) error {
	l := r.launch
	l.Memory = append([]fallback.Memory(nil), l.Memory...)
	for i, v := range r.host {
		var err error
		if l.Memory[i].Data, err = v.mem.buffer.BytesAt(v.offset, v.length); err != nil {
			return err
		}
	}
	err := r.code.Run(ctx, &l)
	for i := range r.args {
		a := &r.args[i]
		if !a.writes || a.view.mem == nil {
			continue
		}
		at := l.Arguments[i].Memory
		offset, length := r.host[at].offset+l.Arguments[i].Offset, a.view.length
		m := r.host[at].mem
		m.written(offset, length)
		if m.mode() == mtl.StorageModeManaged {
			err = errors.Join(err, m.buffer.DidModifyRange(mtl.Range{Location: offset, Length: length}))
		}
	}
	return err
}

// onCPU reports whether the batch is a launch on the CPU, which has no command buffer.
func (b *batch) onCPU() bool {
	_, ok := b.works[0].command.(*fallbackRun)
	return ok
}

// runFallback runs a batch that is a launch on the CPU, and returns its failure.
func (b *batch) runFallback() error {
	s, r := b.stream, b.works[0].command.(*fallbackRun)
	limit := defaultFallbackTime
	if s.acc.timeout != nil {
		limit = *s.acc.timeout
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	expired := fmt.Errorf("%w: it ran longer than %v on the CPU; compute.WithTimeout sets the limit", ErrTimeout, limit)
	if limit > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, limit, expired)
		defer end()
	}
	s.mu.Lock()
	b.stop = stop
	canceled, unready := b.canceled, r.unready
	s.mu.Unlock()
	switch {
	case canceled != nil:
		return b.executionError(errNotRun)
	case unready != nil:
		return b.executionError(fmt.Errorf("its memory could not be copied to the host: %w", unready))
	}
	ended := make(chan error, 1)
	go contain.Protect(func() string { return r.of.kernel.String() + " on the CPU" },
		func() error { return r.run(ctx) }, func(err error) { ended <- err })
	err := <-ended
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause == expired {
		err = expired
	}
	return b.executionError(err)
}

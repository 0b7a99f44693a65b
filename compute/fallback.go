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
	"github.com/puremetal/puremetal/compute/internal/stream"
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
			return stream.NilError("WithFallback: fallback")
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
		works[i].Site = site[0]
	}
	if _, err := s.recordAll(ctx, works); err != nil {
		return err
	}
	l.core.Recorded()
	s.acc.Recovered(observe.RecoverEvent{Ctx: ctx, Kind: observe.RecoveryFallback, What: k.String(),
		Details: fmt.Sprintf("stream %q: a launch runs on the CPU", s.label)})
	return nil
}

// fallbackRun is a launch on the CPU.
type fallbackRun struct {
	of     *Launch
	code   fallback.Code
	args   []stream.Argument // of the launch, those that the CPU gets: launch.Arguments
	launch fallback.Launch
	ranges []stream.View // of launch.Memory, in the memory of the arguments
	host   []stream.View // likewise, where the CPU finds it: the same, or staging memory

	// why the memory is not there, once the commands before have ended; Stream.mu guards it
	unready error
}

// beforeFallback is what brings memory to the host for a launch on the CPU.
type beforeFallback struct {
	stream.PlainComposite
	run *fallbackRun
}

// settle lets the launch fail if its memory could not be copied.
func (b beforeFallback) Settle(_ *stream.Work, err error, _ uint64) {
	if err != nil {
		b.run.unready = err
	}
}

// fallbackRun prepares a launch on the CPU.
func (s *Stream) fallbackRun(ctx context.Context, l *Launch) (*fallbackRun, error) {
	k := l.kernel
	refused := func(argument string, err error) error {
		return &LaunchError{Kernel: k.core.Name, Argument: argument, Err: fmt.Errorf("%w: %w", ErrFallback, err)}
	}
	switch {
	case s.acc.fallback == nil:
		return nil, refused("", errors.New("the accelerator was opened without WithFallback"))
	case k.core.Logs:
		return nil, refused("", errors.New("its program was compiled with CompileOptions.Logging, "+
			"and its messages would be lost"))
	case k.from == nil || k.from.source == "":
		return nil, refused("", errors.New("its program has no source"))
	}
	args := slices.DeleteFunc(slices.Clone(l.core.Args), func(a stream.Argument) bool {
		return a.Overwrites && slices.ContainsFunc(l.core.Args, func(o stream.Argument) bool {
			return o.Kind == stream.BufferParameter && o.View.Contains(a.View)
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
			return nil, stream.ContextError(ctx, "the compiler for the CPU, at "+k.String())
		}
		return nil, refused("", err)
	}
	r := &fallbackRun{of: l, code: code, args: args}
	threads := l.core.ThreadsOfGrid()
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
func (k *Kernel) notOnCPU(a *stream.Argument) (argument, why string) {
	switch {
	case a.Commands != nil:
		why = "indirect commands are the device's"
	case a.Kind == stream.TextureParameter:
		why = "textures are in the device's own layout; pass the texels in a buffer"
	case a.Kind == stream.SamplerParameter:
		why = "samplers are the device's"
	case a.Kind == stream.OtherParameter: // Reads and Writes
		return a.View.Mem.String(), "the kernel finds it through an address of the device; pass it as an argument"
	default:
		return "", ""
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Kind == ParameterKind(a.Kind) && p.Index <= a.Index && a.Index < p.Index+max(p.Count, 1) {
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
	index := map[*stream.Memory]int{}
	for i := range r.args {
		a := &r.args[i]
		if a.View.Mem == nil {
			continue
		}
		from := a.View.Offset / fallbackAlignment * fallbackAlignment
		to := a.View.Offset + a.View.Length
		at, ok := index[a.View.Mem]
		if !ok {
			at = len(r.ranges)
			index[a.View.Mem] = at
			r.ranges = append(r.ranges, stream.ViewOf(a.View.Mem, from, to-from))
			r.launch.Memory = append(r.launch.Memory, fallback.Memory{})
		}
		old := r.ranges[at]
		from, to = min(from, old.Offset), max(to, old.Offset+old.Length)
		r.ranges[at].Offset, r.ranges[at].Length = from, to-from
		r.launch.Memory[at].Length = to - from
		r.launch.Memory[at].Writes = r.launch.Memory[at].Writes || a.Writes
	}
	for i := range r.args {
		a := &r.args[i]
		f := fallback.Argument{Threadgroup: a.Kind == stream.ThreadgroupParameter, Index: a.Index, Bytes: a.Bytes,
			Length: a.Length}
		if a.View.Mem != nil {
			f.Memory = index[a.View.Mem]
			f.Offset, f.Length = a.View.Offset-r.ranges[f.Memory].Offset, a.View.Length
		}
		r.launch.Arguments = append(r.launch.Arguments, f)
	}
}

// works makes the commands and counts their uses: what makes memory visible to the host, the
// launch, and what takes private memory back to the device.
func (r *fallbackRun) works() (works []stream.Work, err error) {
	var stages []*stream.Memory
	defer func() {
		for _, m := range stages {
			m.Close() // the uses of the commands keep it
		}
		if err != nil {
			stream.EndAll(works)
			works = nil
		}
	}()
	add := func(w stream.Work) error {
		if err := w.Use(); err != nil {
			return err
		}
		works = append(works, w)
		return nil
	}
	unit := max(r.of.kernel.acc.info.Limits.BlitAlignment, 1)
	for _, v := range r.ranges {
		here := v
		switch v.Mem.Mode() {
		case mtl.StorageModeManaged:
			err = add(stream.Work{Command: stream.NewSynchronize(v.Mem), Of: beforeFallback{run: r}})
		case mtl.StorageModePrivate:
			v.Length = stream.RoundUp(v.Length, unit) // buffers from the pool are long enough for a whole last unit
			var stage *stream.Memory
			if stage, err = acceleratorOf(v.Mem).newStage(v.Length, HostVisible); err != nil {
				return works, err
			}
			stages = append(stages, stage)
			here = stream.ViewOf(stage, 0, here.Length)
			err = add(stream.Work{Command: stream.NewCopy(v, stream.ViewOf(stage, 0, v.Length)), Of: beforeFallback{run: r}})
		}
		if err != nil {
			return works, err
		}
		r.host = append(r.host, here)
	}
	if err = add(stream.Work{Command: r}); err != nil {
		return works, err
	}
	for i := range r.args {
		a := &r.args[i]
		if !a.Writes || a.View.Mem == nil || a.View.Mem.Mode() != mtl.StorageModePrivate {
			continue
		}
		at := r.launch.Arguments[i].Memory
		back := stream.ViewOf(a.View.Mem, a.View.Offset/unit*unit, 0)
		back.Length = stream.RoundUp(a.View.Offset+a.View.Length, unit) - back.Offset
		from := stream.ViewOf(r.host[at].Mem, back.Offset-r.ranges[at].Offset, back.Length)
		if err = add(stream.Work{Command: stream.NewCopy(from, back)}); err != nil {
			return works, err
		}
	}
	return works, nil
}

// use keeps the launch's kernel, its arguments and the staging memory alive until done.
func (r *fallbackRun) Use() error {
	if err := r.of.core.Use(); err != nil {
		return err
	}
	for i, v := range r.host {
		if err := v.Mem.Use(); err != nil {
			r.unuse(i)
			return err
		}
	}
	return nil
}

// unuse ends a use, with the first n memories.
func (r *fallbackRun) unuse(n int) {
	for _, v := range r.host[:n] {
		v.Mem.Done()
	}
	r.of.core.Done()
}

func (r *fallbackRun) Done() { r.unuse(len(r.host)) }

func (r *fallbackRun) Side() stream.Side                          { return stream.ByHost }
func (r *fallbackRun) Encode(*stream.Encoder, *stream.Work) error { return nil }
func (r *fallbackRun) Launched() *stream.Launch                   { return &r.of.core }
func (r *fallbackRun) Size() int                                  { return r.of.core.Bytes }
func (r *fallbackRun) Hazards(spans []stream.Span) []stream.Span  { return r.of.core.Hazards(spans) }
func (r *fallbackRun) Summarize(s *stream.CommandSummary) {
	s.Form, s.Name = "%s on the CPU", r.of.kernel.core.Name
}
func (r *fallbackRun) Tally(c *stream.Counters) { c.Fallbacks.Add(1) }
func (r *fallbackRun) Recorded()                { r.of.core.Recorded() }

func (r *fallbackRun) Observe(e *observe.RecordEvent) {
	r.of.core.Observe(e)
	e.Kind = observe.CommandFallback
}

// accesses appends the accesses of the launch, to private memory where the CPU finds it.
func (r *fallbackRun) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	first := len(list)
	list = r.of.core.Accesses(list)
	for i := first; i < len(list); i++ {
		a := &list[i]
		for j, v := range r.ranges {
			if v.Mem == a.Mem && r.host[j].Mem != v.Mem {
				a.View = stream.ViewOf(r.host[j].Mem, r.host[j].Offset+a.Offset-v.Offset, a.Length)
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
		if l.Memory[i].Data, err = v.Mem.Buffer.BytesAt(v.Offset, v.Length); err != nil {
			return err
		}
	}
	err := r.code.Run(ctx, &l)
	for i := range r.args {
		a := &r.args[i]
		if !a.Writes || a.View.Mem == nil {
			continue
		}
		at := l.Arguments[i].Memory
		offset, length := r.host[at].Offset+l.Arguments[i].Offset, a.View.Length
		m := r.host[at].Mem
		if m.Written(offset, length); err == nil {
			m.KeepWritten(offset, length)
		} else {
			m.SpoilCopy()
		}
		if m.Mode() == mtl.StorageModeManaged {
			err = errors.Join(err, m.Buffer.DidModifyRange(mtl.Range{Location: offset, Length: length}))
		}
	}
	return err
}

// onCPU reports whether the batch is a launch on the CPU, which has no command buffer.
func (b *batch) onCPU() bool {
	_, ok := b.works[0].Command.(*fallbackRun)
	return ok
}

// runFallback runs a batch that is a launch on the CPU, and returns its failure.
func (b *batch) runFallback(ctx context.Context) error {
	s, r := b.stream, b.works[0].Command.(*fallbackRun)
	limit := defaultFallbackTime
	if s.acc.timeout != nil {
		limit = *s.acc.timeout
	}
	ctx, stop := context.WithCancelCause(ctx)
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

package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// ErrIndirect: a launch cannot be an indirect command.
var ErrIndirect = errors.New("not possible in indirect commands")

// CommandRange is a range of commands that the device reads from a buffer; see
// [ExecuteRange]. A kernel writes it as two uints.
type CommandRange struct{ First, Count uint32 }

// commandRange is a range of indirect commands with everything that executing it uses. It is
// immutable, and shared by all executions of the same commands.
type commandRange struct {
	commands *Commands
	from, n  int
	ranges   stream.View // where the device reads the range, instead of from and n
	access   []listedAccess
	objects  []stream.Argument // textures and samplers that commands reach through handles
	version  uint64            // of the commands
	epoch    uint64            // of the device

	// One for each memory: what is accessed in all, and whether something writes it.
	views  []stream.View
	writes []bool
	spans  []stream.Span // of the hazard tracker

	kernels       []kernelUse
	read, written []mtl.Resource
	bytes         int
}

// listedAccess is an access that the program lists.
type listedAccess struct {
	view   stream.View
	writes bool
	object *stream.Argument // a texture or sampler, instead of the view of a buffer
}

// kernelUse counts the launches of a kernel in one execution.
type kernelUse struct {
	kernel            *stream.Kernel
	launches, threads uint64
}

// executionOf collects what executing the commands [from, to), or a range from a buffer, uses. The
// lock is held.
func (c *Commands) executionOf(from, to int, ranges stream.View, access []listedAccess) *commandRange {
	r := &commandRange{commands: c, from: from, n: to - from, ranges: ranges, access: access, version: c.version}
	for i := from; i < to; i++ {
		e := &c.entries[i]
		if e.launch == nil {
			continue
		}
		r.count(e.launch.Kernel, 1, e.launch.Count)
		for j := range e.launch.Args {
			if a := &e.launch.Args[j]; a.View.Mem != nil {
				r.add(a.View, a.Writes)
			}
		}
		r.bytes += e.launch.Bytes
	}
	for _, k := range c.filling {
		r.count(k, 0, 0)
	}
	for _, m := range c.values.blocks {
		r.add(stream.ViewOf(m, 0, m.Length), false)
	}
	for _, a := range access {
		if a.object != nil {
			r.objects = append(r.objects, *a.object)
			continue
		}
		r.add(a.view, a.writes)
		r.bytes += int(a.view.Length)
	}
	return r.finish(false)
}

// current returns the range with what executing it uses now: the commands may have changed.
func (r *commandRange) current() *commandRange {
	r.commands.mu.Lock()
	defer r.commands.mu.Unlock()
	if r.version == r.commands.version {
		return r
	}
	return r.commands.executionOf(r.from, r.from+r.n, r.ranges, r.access)
}

// lastExecution is executionOf without other accesses, which remembers its last result.
func (c *Commands) lastExecution(from, to int) *commandRange {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.last; r == nil || r.from != from || r.n != to-from {
		c.last = c.executionOf(from, to, stream.View{}, nil)
	}
	return c.last
}

// launches returns the launches of the commands in order. known is false if the device has changed
// them, or decides which of them it executes.
func (r *commandRange) launches() (all []*stream.Launch, known bool) {
	c := r.commands
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.ranges.Mem != nil || len(r.access) > 0 || c.byOther || len(c.filling) > 0 {
		return nil, false
	}
	for i := r.from; i < r.from+r.n; i++ {
		if l := c.entries[i].launch; l != nil {
			all = append(all, l)
		}
	}
	return all, true
}

// accesses appends the accesses of an execution.
func (r *commandRange) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	list = append(list, stream.RangeAccess{View: stream.ViewOf(nil, uint(r.from), uint(r.n)), Commands: &r.commands.on,
		Reads: true})
	if r.ranges.Mem != nil {
		list = append(list, stream.RangeAccess{View: r.ranges, Reads: true})
	}
	for i, v := range r.views {
		list = append(list, stream.RangeAccess{View: v, Reads: true, Writes: r.writes[i]})
	}
	for i := range r.objects {
		if a := &r.objects[i]; a.View.Mem != nil {
			list = append(list, stream.RangeAccess{View: a.View, Reads: true, Writes: a.Writes})
		}
	}
	return list
}

// count counts launches of a kernel.
func (r *commandRange) count(k *stream.Kernel, launches, threads uint64) {
	i := slices.IndexFunc(r.kernels, func(u kernelUse) bool { return u.kernel == k })
	if i < 0 {
		i = len(r.kernels)
		r.kernels = append(r.kernels, kernelUse{kernel: k})
	}
	r.kernels[i].launches += launches
	r.kernels[i].threads += threads
}

// add adds an access to a memory.
func (r *commandRange) add(v stream.View, writes bool) {
	i := slices.IndexFunc(r.views, func(o stream.View) bool { return o.Mem == v.Mem })
	if i < 0 {
		r.views, r.writes = append(r.views, v), append(r.writes, writes)
		return
	}
	o := &r.views[i]
	end := max(o.Offset+o.Length, v.Offset+v.Length)
	o.Offset = min(o.Offset, v.Offset)
	o.Length = end - o.Offset
	r.writes[i] = r.writes[i] || writes
}

// finish computes the rest from the accesses. writes reports that the command writes the commands
// themselves.
func (r *commandRange) finish(writes bool) *commandRange {
	r.spans = []stream.Span{r.commands.on.Span(writes)}
	for i, v := range r.views {
		r.spans = append(r.spans, stream.SpanOf(v, r.writes[i]))
	}
	r.epoch = r.commands.acc.core.Epoch.Load()
	r.read, r.written = r.resources()
	r.spans = append(r.spans, stream.SpansOf(r.objects)...)
	if r.ranges.Mem != nil {
		r.spans = append(r.spans, stream.SpanOf(r.ranges, false))
	}
	return r
}

// resources returns what the device must make resident.
func (r *commandRange) resources() (read, written []mtl.Resource) {
	for i, v := range r.views {
		if r.writes[i] {
			written = append(written, v.Mem.Buffer.Resource)
		} else {
			read = append(read, v.Mem.Buffer.Resource)
		}
	}
	for i := range r.objects {
		switch a := &r.objects[i]; {
		case a.Texture.IsNil():
		case a.Writes:
			written = append(written, a.MetalTexture().Resource)
		default:
			read = append(read, a.MetalTexture().Resource)
		}
	}
	return read, written
}

// use keeps everything alive until done.
func (r *commandRange) Use() error {
	if err := r.commands.on.Life.Use(); err != nil {
		return err
	}
	for i := range r.kernels {
		if err := r.kernels[i].kernel.Life.Use(); err != nil {
			r.unuse(i, 0)
			return err
		}
	}
	for i := range r.views {
		if err := r.views[i].Mem.Use(); err != nil {
			r.unuse(len(r.kernels), i)
			return err
		}
	}
	if r.ranges.Mem != nil {
		if err := r.ranges.Mem.Use(); err != nil {
			r.unuse(len(r.kernels), len(r.views))
			return err
		}
	}
	for i := range r.objects {
		if err := r.objects[i].Use(); err != nil {
			for j := range r.objects[:i] {
				r.objects[j].Done()
			}
			if r.ranges.Mem != nil {
				r.ranges.Mem.Done()
			}
			r.unuse(len(r.kernels), len(r.views))
			return err
		}
	}
	return nil
}

// unuse ends the use of the commands, and of the first kernels and memories.
func (r *commandRange) unuse(kernels, views int) {
	for i := range r.views[:views] {
		r.views[i].Mem.Done()
	}
	for i := range r.kernels[:kernels] {
		r.kernels[i].kernel.Life.Done()
	}
	r.commands.on.Life.Done()
}

func (r *commandRange) Done() {
	for i := range r.objects {
		r.objects[i].Done()
	}
	if r.ranges.Mem != nil {
		r.ranges.Mem.Done()
	}
	r.unuse(len(r.kernels), len(r.views))
}

// recorded counts the launches.
func (r *commandRange) Recorded() {
	if r.ranges.Mem != nil { // only the device knows how many
		return
	}
	for _, u := range r.kernels {
		u.kernel.Counters.Launches.Add(u.launches)
		u.kernel.Counters.Threads.Add(u.threads)
	}
}

// String describes the commands for errors.
func (r *commandRange) String() string {
	switch {
	case r.ranges.Mem != nil:
		return fmt.Sprintf("%v, a range from a buffer", r.commands)
	case r.n == 1:
		return fmt.Sprintf("%v, command %d", r.commands, r.from)
	}
	return fmt.Sprintf("%v, commands %d to %d", r.commands, r.from, r.from+r.n-1)
}

// Execute records the execution of the commands [from, to). access lists buffers that commands
// access and Go does not know about, by [Reads] and [Writes]: those that a kernel has bound, and
// those that kernels reach through pointers. What Go has encoded is known. The execution as a whole
// is ordered with the stream's other commands by the memory they access.
func (s *Stream) Execute(ctx context.Context, c *Commands, from, to int, access ...any) error {
	return s.execute(ctx, "stream: Execute", c, from, to, stream.View{}, access)
}

// ExecuteRange is [Stream.Execute] of a range that the device reads from element i of a buffer, at
// the time of the execution. A range that exceeds the commands fails on the software device; on
// GPUs it is undefined.
func ExecuteRange(ctx context.Context, s *Stream, c *Commands, ranges *Buffer[CommandRange], i int,
	access ...any) error {
	const what = "ExecuteRange"
	if err := stream.CheckCall(ctx, what, s.missing() || c.missing() || ranges.missing()); err != nil {
		return err
	}
	switch {
	case i < 0 || i >= ranges.n:
		return fmt.Errorf("compute: ExecuteRange: element %d of %v, which has %d: %w", i, ranges.owner.Mem, ranges.n,
			ErrRange)
	case ranges.owner.Mem.Acc != &s.acc.core:
		return fmt.Errorf("compute: ExecuteRange: %v %w", ranges.owner.Mem, ErrAccelerator)
	}
	size := sizeOf[CommandRange]()
	return s.execute(ctx, what, c, 0, c.on.N, stream.ViewOf(ranges.owner.Mem, ranges.offset+uint(i)*size, size), access)
}

// execute records an execution. The program's call is two frames up.
func (s *Stream) execute(ctx context.Context, what string, c *Commands, from, to int, ranges stream.View,
	access []any) error {
	if err := s.checkCommands(ctx, what, c, from, to); err != nil {
		return err
	}
	if len(access) == 0 && ranges.Mem == nil {
		return s.recordCommands(ctx, c.lastExecution(from, to))
	}
	var listed []listedAccess
	if err := eachAccess(s.acc, access, func(a stream.RangeAccess) error {
		if err := a.Mem.Stay(); err != nil { // kernels have its address
			return err
		}
		listed = append(listed, listedAccess{view: a.View, writes: a.Writes})
		return nil
	}); err != nil {
		return fmt.Errorf("compute: %s: %w", what, err)
	}
	c.mu.Lock()
	r := c.executionOf(from, to, ranges, listed)
	c.mu.Unlock()
	return s.recordCommands(ctx, r)
}

// checkCommands checks a call for a range of commands.
func (s *Stream) checkCommands(ctx context.Context, what string, c *Commands, from, to int) error {
	if err := stream.CheckCall(ctx, what, s.missing() || c.missing()); err != nil {
		return err
	}
	if c.acc != s.acc {
		return fmt.Errorf("compute: %v %w", c, ErrAccelerator)
	}
	return c.check(from, to)
}

// recordCommands records a command that uses commands. The program's call is three frames up.
func (s *Stream) recordCommands(ctx context.Context, c stream.Command) error {
	if err := c.Use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(4, site[:])
	if err := s.record(ctx, stream.Work{Command: c, Site: site[0]}); err != nil {
		return err
	}
	c.Recorded()
	return nil
}

// ResetCommands records a reset of the commands [from, to) on the device, before which kernels
// encode them again. Go does not encode them afterwards without another [Commands.Set].
func (s *Stream) ResetCommands(ctx context.Context, c *Commands, from, to int) error {
	return s.changeCommands(ctx, "stream: ResetCommands", c, from, to, true,
		func(e mtl.BlitCommandEncoder, r mtl.Range) error {
			return e.ResetCommandsInBuffer(c.on.Metal, r)
		})
}

// OptimizeCommands records an optimization of the commands [from, to): the device removes redundant
// state from them. Afterwards they may only be executed together, not as parts, until they are
// reset. It is worthwhile for commands that run often.
func (s *Stream) OptimizeCommands(ctx context.Context, c *Commands, from, to int) error {
	return s.changeCommands(ctx, "stream: OptimizeCommands", c, from, to, false,
		func(e mtl.BlitCommandEncoder, r mtl.Range) error {
			return e.OptimizeIndirectCommandBuffer(c.on.Metal, r)
		})
}

// changeCommands records a change of commands by a blit encoder.
func (s *Stream) changeCommands(ctx context.Context, what string, c *Commands, from, to int, resets bool,
	do func(mtl.BlitCommandEncoder, mtl.Range) error) error {
	if err := s.checkCommands(ctx, what, c, from, to); err != nil {
		return err
	}
	r := &commandRange{commands: c, from: from, n: to - from}
	c.mu.Lock()
	c.byOther = true
	c.mu.Unlock()
	return s.recordCommands(ctx, &commandsChange{r.finish(true), resets, func(e mtl.BlitCommandEncoder) error {
		return do(e, mtl.Range{Location: uint(from), Length: uint(to - from)})
	}})
}

func (r *commandRange) Side() stream.Side                         { return stream.ByDevice }
func (r *commandRange) Launched() *stream.Launch                  { return nil }
func (r *commandRange) Size() int                                 { return r.bytes }
func (r *commandRange) Hazards(spans []stream.Span) []stream.Span { return append(spans, r.spans...) }
func (r *commandRange) Summarize(s *stream.CommandSummary) {
	s.Form, s.Name = "execution of %s", r.String()
}
func (r *commandRange) Observe(e *observe.RecordEvent) {
	e.Kind, e.Kernel = observe.CommandIndirect, r.String()
}
func (r *commandRange) Tally(c *stream.Counters) { c.Indirect.Add(1) }
func (r *commandRange) Always() bool             { return false }

func (r *commandRange) Encode(e *stream.Encoder, w *stream.Work) error {
	err := executeCommands(e, r)
	e.Used(w)
	return err
}

// poison lets failures spread by launches, if they are known.
func (r *commandRange) Poison(a *stream.Device, _ *stream.Work, failed error) bool {
	launches, known := r.launches()
	if !known {
		return false
	}
	if found := r.commands.on.Poison.In(uint(r.from), uint(r.from+r.n)); len(found) > 0 {
		failed = cmp.Or(failed, found[0].Err)
	}
	for _, l := range launches {
		a.SettleAccesses(l.Accesses(nil), failed)
	}
	return true
}

// commandsChange is what a blit encoder does with indirect commands.
type commandsChange struct {
	*commandRange
	resets bool // so that it overwrites the commands
	blit   func(mtl.BlitCommandEncoder) error
}

func (c *commandsChange) Recorded() {}
func (c *commandsChange) Encode(e *stream.Encoder, w *stream.Work) error {
	return e.Transfer(w, c.blit)
}
func (c *commandsChange) Summarize(s *stream.CommandSummary) {
	s.Form, s.Name = "change of %s", c.String()
}
func (c *commandsChange) Poison(_ *stream.Device, _ *stream.Work, _ error) bool { return false }
func (c *commandsChange) Accesses(list []stream.RangeAccess) []stream.RangeAccess {
	return append(list, stream.RangeAccess{View: stream.ViewOf(nil, uint(c.from), uint(c.n)), Commands: &c.commands.on,
		Reads:  !c.resets,
		Writes: true, Whole: c.resets})
}

// Handle returns the value by which kernels reach the commands: the member of type command_buffer
// of a structure in a buffer. The launch of the kernel that encodes commands lists the Commands
// with [Fills]. See [Commands.KernelHandle] for the kernels that it encodes.
func (c *Commands) Handle() (uint64, error) {
	if c.missing() {
		return 0, stream.NilError("commands: Handle")
	}
	if err := c.on.Life.Open(); err != nil {
		return 0, err
	}
	ctx := context.Background()
	if err := c.acc.protect(ctx, "a handle of commands", func() error { return c.renew(ctx) }); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled, c.moved = c.acc.core.Guard != nil, false
	return uint64(c.on.Metal.GPUResourceID().Impl), nil
}

// KernelHandle returns the value by which a kernel encodes launches of another kernel: a member of
// type compute_pipeline_state of a structure in a buffer. Kernels with textures, samplers or
// messages are refused, with a *[LaunchError] that wraps [ErrIndirect]. Later executions of the
// commands fail with [ErrClosed] if the kernel's program is closed.
func (c *Commands) KernelHandle(ctx context.Context, k *Kernel) (uint64, error) {
	if err := stream.CheckCall(ctx, "commands: KernelHandle", c.missing() || k.missing()); err != nil {
		return 0, err
	}
	switch {
	case k.acc != c.acc:
		return 0, &LaunchError{Kernel: k.core.Name, Err: ErrAccelerator}
	case k.core.Logs:
		return 0, &LaunchError{Kernel: k.core.Name,
			Err: fmt.Errorf("the kernel logs, and messages need a command buffer of their own: %w", ErrIndirect)}
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Used && (p.Kind == TextureParameter || p.Kind == SamplerParameter) {
			return 0, &LaunchError{Kernel: k.core.Name, Argument: p.Name,
				Err: fmt.Errorf("indirect commands cannot bind %v %d: %w", p.Kind, p.Index, ErrIndirect)}
		}
	}
	if err := k.core.Life.Use(); err != nil {
		return 0, err
	}
	defer k.core.Life.Done()
	state, err := k.indirectState(ctx)
	if err != nil {
		return 0, &LaunchError{Kernel: k.core.Name, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.filling, &k.core) {
		c.filling = append(c.filling, &k.core)
		c.changed()
	}
	return uint64(state.GPUResourceID().Impl), nil
}

// fills lists Commands that a kernel encodes.
type fills []*Commands

// Fills is a launch argument that fills no parameter. It lists the Commands that the kernel
// encodes. They are made resident and kept alive while it runs, and executions of the same stream
// are ordered after it.
func Fills(c ...*Commands) any { return fills(c) }

// arguments checks the commands, which are argument n of a launch.
func (f fills) arguments(k *Kernel, n int) (list []stream.Argument, err error) {
	for i, c := range f {
		switch {
		case c.missing():
			err = ErrNil
		case c.acc != k.acc:
			err = fmt.Errorf("%v %w", c, ErrAccelerator)
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: fmt.Sprintf("argument %d, listed commands %d", n, i),
				Err: err}
		}
		list = append(list, stream.Argument{Kind: stream.OtherParameter, Writes: true, Commands: &c.on})
	}
	return list, nil
}

// execute encodes the execution of commands.
func executeCommands(e *stream.Encoder, r *commandRange) error {
	none := e.Acc.DispatchesNone
	if none && len(e.Memory) > 0 { // lengths of threadgroup memory that these kernels might have no room for
		if err := e.Close(); err != nil {
			return err
		}
	}
	if err := e.OpenCompute(); err != nil {
		return err
	}
	if e.Hazards.Track(r.spans) {
		if err := e.Barrier(); err != nil {
			return err
		}
	}
	read, written := r.read, r.written
	if r.epoch != e.Acc.Epoch.Load() { // the device has been opened again
		read, written = r.resources()
	}
	if err := cmp.Or(e.Compute.UseResources(read, mtl.ResourceUsageRead),
		e.Compute.UseResources(written, mtl.ResourceUsageRead|mtl.ResourceUsageWrite)); err != nil {
		return err
	}
	if none {
		for _, u := range r.kernels {
			if err := e.DispatchNone(u.kernel); err != nil {
				return err
			}
		}
	}
	e.Last = nil // the next launch sets its pipeline
	if r.ranges.Mem != nil {
		return e.Compute.ExecuteCommandsInBufferIndirectBuffer(r.commands.on.Metal, r.ranges.Mem.Buffer, r.ranges.Offset)
	}
	return e.Compute.ExecuteCommandsInBuffer(r.commands.on.Metal, mtl.Range{Location: uint(r.from), Length: uint(r.n)})
}

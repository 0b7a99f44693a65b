package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

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
	ranges   view // where the device reads the range, instead of from and n
	access   []listedAccess
	objects  []argument // textures and samplers that commands reach through handles
	version  uint64     // of the commands

	// One for each memory: what is accessed in all, and whether something writes it.
	views  []view
	writes []bool
	spans  []span // of the hazard tracker

	kernels       []kernelUse
	read, written []mtl.Resource
	bytes         int
}

// listedAccess is an access that the program lists.
type listedAccess struct {
	view   view
	writes bool
	object *argument // a texture or sampler, instead of the view of a buffer
}

// kernelUse counts the launches of a kernel in one execution.
type kernelUse struct {
	kernel            *Kernel
	launches, threads uint64
}

// executionOf collects what executing the commands [from, to), or a range from a buffer, uses. The
// lock is held.
func (c *Commands) executionOf(from, to int, ranges view, access []listedAccess) *commandRange {
	r := &commandRange{commands: c, from: from, n: to - from, ranges: ranges, access: access, version: c.version}
	for i := from; i < to; i++ {
		e := &c.entries[i]
		if e.launch == nil {
			continue
		}
		r.count(e.launch.kernel, 1, e.launch.count)
		for j := range e.launch.args {
			if a := &e.launch.args[j]; a.view.mem != nil {
				r.add(a.view, a.writes)
			}
		}
		r.bytes += e.launch.bytes
	}
	for _, k := range c.filling {
		r.count(k, 0, 0)
	}
	for _, m := range c.values.blocks {
		r.add(view{m, 0, m.length}, false)
	}
	for _, a := range access {
		if a.object != nil {
			r.objects = append(r.objects, *a.object)
			continue
		}
		r.add(a.view, a.writes)
		r.bytes += int(a.view.length)
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
		c.last = c.executionOf(from, to, view{}, nil)
	}
	return c.last
}

// launches returns the launches of the commands in order. known is false if the device has changed
// them, or decides which of them it executes.
func (r *commandRange) launches() (all []*Launch, known bool) {
	c := r.commands
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.ranges.mem != nil || len(r.access) > 0 || c.byOther || len(c.filling) > 0 {
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
func (r *commandRange) accesses(list []rangeAccess) []rangeAccess {
	list = append(list, rangeAccess{view: view{nil, uint(r.from), uint(r.n)}, commands: &r.commands.on, reads: true})
	if r.ranges.mem != nil {
		list = append(list, rangeAccess{view: r.ranges, reads: true})
	}
	for i, v := range r.views {
		list = append(list, rangeAccess{view: v, reads: true, writes: r.writes[i]})
	}
	for i := range r.objects {
		if a := &r.objects[i]; a.view.mem != nil {
			list = append(list, rangeAccess{view: a.view, reads: true, writes: a.writes})
		}
	}
	return list
}

// count counts launches of a kernel.
func (r *commandRange) count(k *Kernel, launches, threads uint64) {
	i := slices.IndexFunc(r.kernels, func(u kernelUse) bool { return u.kernel == k })
	if i < 0 {
		i = len(r.kernels)
		r.kernels = append(r.kernels, kernelUse{kernel: k})
	}
	r.kernels[i].launches += launches
	r.kernels[i].threads += threads
}

// add adds an access to a memory.
func (r *commandRange) add(v view, writes bool) {
	i := slices.IndexFunc(r.views, func(o view) bool { return o.mem == v.mem })
	if i < 0 {
		r.views, r.writes = append(r.views, v), append(r.writes, writes)
		return
	}
	o := &r.views[i]
	end := max(o.offset+o.length, v.offset+v.length)
	o.offset = min(o.offset, v.offset)
	o.length = end - o.offset
	r.writes[i] = r.writes[i] || writes
}

// finish computes the rest from the accesses. writes reports that the command writes the commands
// themselves.
func (r *commandRange) finish(writes bool) *commandRange {
	r.spans = []span{r.commands.on.span(writes)}
	for i, v := range r.views {
		r.spans = append(r.spans, spanOf(v, r.writes[i]))
		if r.writes[i] {
			r.written = append(r.written, v.mem.buffer.Resource)
		} else {
			r.read = append(r.read, v.mem.buffer.Resource)
		}
	}
	r.spans = append(r.spans, spansOf(r.objects)...)
	for i := range r.objects {
		switch a := &r.objects[i]; {
		case a.texture.IsNil():
		case a.writes:
			r.written = append(r.written, a.texture.Resource)
		default:
			r.read = append(r.read, a.texture.Resource)
		}
	}
	if r.ranges.mem != nil {
		r.spans = append(r.spans, spanOf(r.ranges, false))
	}
	return r
}

// use keeps everything alive until done.
func (r *commandRange) use() error {
	if err := r.commands.on.life.use(); err != nil {
		return err
	}
	for i := range r.kernels {
		if err := r.kernels[i].kernel.life.use(); err != nil {
			r.unuse(i, 0)
			return err
		}
	}
	for i := range r.views {
		if err := r.views[i].mem.use(); err != nil {
			r.unuse(len(r.kernels), i)
			return err
		}
	}
	if r.ranges.mem != nil {
		if err := r.ranges.mem.use(); err != nil {
			r.unuse(len(r.kernels), len(r.views))
			return err
		}
	}
	for i := range r.objects {
		if err := r.objects[i].use(); err != nil {
			for j := range r.objects[:i] {
				r.objects[j].done()
			}
			if r.ranges.mem != nil {
				r.ranges.mem.done()
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
		r.views[i].mem.done()
	}
	for i := range r.kernels[:kernels] {
		r.kernels[i].kernel.life.done()
	}
	r.commands.on.life.done()
}

func (r *commandRange) done() {
	for i := range r.objects {
		r.objects[i].done()
	}
	if r.ranges.mem != nil {
		r.ranges.mem.done()
	}
	r.unuse(len(r.kernels), len(r.views))
}

// recorded counts the launches.
func (r *commandRange) recorded() {
	if r.ranges.mem != nil { // only the device knows how many
		return
	}
	for _, u := range r.kernels {
		u.kernel.counters.launches.Add(u.launches)
		u.kernel.counters.threads.Add(u.threads)
	}
}

// String describes the commands for errors.
func (r *commandRange) String() string {
	switch {
	case r.ranges.mem != nil:
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
	return s.execute(ctx, "stream: Execute", c, from, to, view{}, access)
}

// ExecuteRange is [Stream.Execute] of a range that the device reads from element i of a buffer, at
// the time of the execution. A range that exceeds the commands fails on the software device; on
// GPUs it is undefined.
func ExecuteRange(ctx context.Context, s *Stream, c *Commands, ranges *Buffer[CommandRange], i int,
	access ...any) error {
	const what = "ExecuteRange"
	if err := checkCall(ctx, what, s.missing() || c.missing() || ranges.missing()); err != nil {
		return err
	}
	switch {
	case i < 0 || i >= ranges.n:
		return fmt.Errorf("compute: ExecuteRange: element %d of %v, which has %d: %w", i, ranges.owner.mem, ranges.n,
			ErrRange)
	case ranges.owner.mem.acc != s.acc:
		return fmt.Errorf("compute: ExecuteRange: %v %w", ranges.owner.mem, ErrAccelerator)
	}
	size := sizeOf[CommandRange]()
	return s.execute(ctx, what, c, 0, c.on.n, view{ranges.owner.mem, ranges.offset + uint(i)*size, size}, access)
}

// execute records an execution. The program's call is two frames up.
func (s *Stream) execute(ctx context.Context, what string, c *Commands, from, to int, ranges view,
	access []any) error {
	if err := s.checkCommands(ctx, what, c, from, to); err != nil {
		return err
	}
	if len(access) == 0 && ranges.mem == nil {
		return s.recordCommands(ctx, c.lastExecution(from, to))
	}
	var listed []listedAccess
	if err := eachAccess(s.acc, access, func(a rangeAccess) error {
		if err := a.mem.stay(); err != nil { // kernels have its address
			return err
		}
		listed = append(listed, listedAccess{view: a.view, writes: a.writes})
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
	if err := checkCall(ctx, what, s.missing() || c.missing()); err != nil {
		return err
	}
	if c.acc != s.acc {
		return fmt.Errorf("compute: %v %w", c, ErrAccelerator)
	}
	return c.check(from, to)
}

// recordCommands records a command that uses commands. The program's call is three frames up.
func (s *Stream) recordCommands(ctx context.Context, c command) error {
	if err := c.use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(4, site[:])
	if err := s.record(ctx, work{command: c, site: site[0]}); err != nil {
		return err
	}
	c.recorded()
	return nil
}

// ResetCommands records a reset of the commands [from, to) on the device, before which kernels
// encode them again. Go does not encode them afterwards without another [Commands.Set].
func (s *Stream) ResetCommands(ctx context.Context, c *Commands, from, to int) error {
	return s.changeCommands(ctx, "stream: ResetCommands", c, from, to, true,
		func(e mtl.BlitCommandEncoder, r mtl.Range) error {
			return e.ResetCommandsInBuffer(c.on.metal, r)
		})
}

// OptimizeCommands records an optimization of the commands [from, to): the device removes redundant
// state from them. Afterwards they may only be executed together, not as parts, until they are
// reset. It is worthwhile for commands that run often.
func (s *Stream) OptimizeCommands(ctx context.Context, c *Commands, from, to int) error {
	return s.changeCommands(ctx, "stream: OptimizeCommands", c, from, to, false,
		func(e mtl.BlitCommandEncoder, r mtl.Range) error {
			return e.OptimizeIndirectCommandBuffer(c.on.metal, r)
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

func (r *commandRange) side() side                  { return byDevice }
func (r *commandRange) launched() *Launch           { return nil }
func (r *commandRange) size() int                   { return r.bytes }
func (r *commandRange) hazards(spans []span) []span { return append(spans, r.spans...) }
func (r *commandRange) summarize(s *commandSummary) { s.form, s.name = "execution of %s", r.String() }
func (r *commandRange) observe(e *observe.RecordEvent) {
	e.Kind, e.Kernel = observe.CommandIndirect, r.String()
}
func (r *commandRange) tally(c *streamCounters) { c.indirect.Add(1) }
func (r *commandRange) always() bool            { return false }

func (r *commandRange) encode(e *encoder, w *work) error {
	err := e.execute(r)
	e.used(w)
	return err
}

// poison lets failures spread by launches, if they are known.
func (r *commandRange) poison(a *Accelerator, _ *work, failed error) bool {
	launches, known := r.launches()
	if !known {
		return false
	}
	if found := r.commands.on.poison.in(uint(r.from), uint(r.from+r.n)); len(found) > 0 {
		failed = cmp.Or(failed, found[0].err)
	}
	for _, l := range launches {
		a.settleAccesses(l.accesses(nil), failed)
	}
	return true
}

// commandsChange is what a blit encoder does with indirect commands.
type commandsChange struct {
	*commandRange
	resets bool // so that it overwrites the commands
	blit   func(mtl.BlitCommandEncoder) error
}

func (c *commandsChange) recorded()                                    {}
func (c *commandsChange) encode(e *encoder, w *work) error             { return e.transfer(w, c.blit) }
func (c *commandsChange) summarize(s *commandSummary)                  { s.form, s.name = "change of %s", c.String() }
func (c *commandsChange) poison(_ *Accelerator, _ *work, _ error) bool { return false }
func (c *commandsChange) accesses(list []rangeAccess) []rangeAccess {
	return append(list, rangeAccess{view: view{nil, uint(c.from), uint(c.n)}, commands: &c.commands.on, reads: !c.resets,
		writes: true, whole: c.resets})
}

// Handle returns the value by which kernels reach the commands: the member of type command_buffer
// of a structure in a buffer. The launch of the kernel that encodes commands lists the Commands
// with [Fills]. See [Commands.KernelHandle] for the kernels that it encodes.
func (c *Commands) Handle() (uint64, error) {
	if c.missing() {
		return 0, nilError("commands: Handle")
	}
	if err := c.on.life.open(); err != nil {
		return 0, err
	}
	return uint64(c.on.metal.GPUResourceID().Impl), nil
}

// KernelHandle returns the value by which a kernel encodes launches of another kernel: a member of
// type compute_pipeline_state of a structure in a buffer. Kernels with textures, samplers or
// messages are refused, with a *[LaunchError] that wraps [ErrIndirect]. Later executions of the
// commands fail with [ErrClosed] if the kernel's program is closed.
func (c *Commands) KernelHandle(ctx context.Context, k *Kernel) (uint64, error) {
	if err := checkCall(ctx, "commands: KernelHandle", c.missing() || k.missing()); err != nil {
		return 0, err
	}
	switch {
	case k.acc != c.acc:
		return 0, &LaunchError{Kernel: k.name, Err: ErrAccelerator}
	case k.logs:
		return 0, &LaunchError{Kernel: k.name,
			Err: fmt.Errorf("the kernel logs, and messages need a command buffer of their own: %w", ErrIndirect)}
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Used && (p.Kind == TextureParameter || p.Kind == SamplerParameter) {
			return 0, &LaunchError{Kernel: k.name, Argument: p.Name,
				Err: fmt.Errorf("indirect commands cannot bind %v %d: %w", p.Kind, p.Index, ErrIndirect)}
		}
	}
	if err := k.life.use(); err != nil {
		return 0, err
	}
	defer k.life.done()
	state, err := k.indirectState(ctx)
	if err != nil {
		return 0, &LaunchError{Kernel: k.name, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.filling, k) {
		c.filling = append(c.filling, k)
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
func (f fills) arguments(k *Kernel, n int) (list []argument, err error) {
	for i, c := range f {
		switch {
		case c.missing():
			err = ErrNil
		case c.acc != k.acc:
			err = fmt.Errorf("%v %w", c, ErrAccelerator)
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.name, Argument: fmt.Sprintf("argument %d, listed commands %d", n, i), Err: err}
		}
		list = append(list, argument{kind: OtherParameter, writes: true, commands: &c.on})
	}
	return list, nil
}

// execute encodes the execution of commands.
func (e *encoder) execute(r *commandRange) error {
	none := e.acc.dispatchesNone
	if none && len(e.memory) > 0 { // lengths of threadgroup memory that these kernels might have no room for
		if err := e.close(); err != nil {
			return err
		}
	}
	if err := e.openCompute(); err != nil {
		return err
	}
	if e.hazards.track(r.spans) {
		if err := e.barrier(); err != nil {
			return err
		}
	}
	if err := cmp.Or(e.compute.UseResources(r.read, mtl.ResourceUsageRead),
		e.compute.UseResources(r.written, mtl.ResourceUsageRead|mtl.ResourceUsageWrite)); err != nil {
		return err
	}
	if none {
		if err := e.dispatchNone(r.kernels); err != nil {
			return err
		}
	}
	e.last = nil // the next launch sets its pipeline
	if r.ranges.mem != nil {
		return e.compute.ExecuteCommandsInBufferIndirectBuffer(r.commands.on.metal, r.ranges.mem.buffer, r.ranges.offset)
	}
	return e.compute.ExecuteCommandsInBuffer(r.commands.on.metal, mtl.Range{Location: uint(r.from), Length: uint(r.n)})
}

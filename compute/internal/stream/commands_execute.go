package stream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// commandRange is a range of indirect commands with everything that executing it uses. It is
// immutable, and shared by all executions of the same commands.
type Execution struct {
	Commands *Indirect
	From, N  int
	ranges   View // where the device reads the range, instead of from and n
	access   []Listed
	objects  []Argument // textures and samplers that commands reach through handles
	version  uint64     // of the commands
	epoch    uint64     // of the device

	// One for each memory: what is accessed in all, and whether something writes it.
	views  []View
	writes []bool
	spans  []Span // of the hazard tracker

	kernels       []kernelUse
	read, written []mtl.Resource
	bytes         int
}

// listedAccess is an access that the program lists.
type Listed struct {
	View   View
	Writes bool
	Object *Argument // a texture or sampler, instead of the view of a buffer
}

// kernelUse counts the launches of a kernel in one execution.
type kernelUse struct {
	kernel            *Kernel
	launches, threads uint64
}

// ExecutionOf collects what executing the commands [from, to), or a range from a buffer, uses.
func (c *Indirect) ExecutionOf(from, to int, ranges View, access []Listed) *Execution {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.executionOf(from, to, ranges, access)
}

// executionOf is ExecutionOf while the lock is held.
func (c *Indirect) executionOf(from, to int, ranges View, access []Listed) *Execution {
	r := &Execution{Commands: c, From: from, N: to - from, ranges: ranges, access: access, version: c.version}
	for i := from; i < to; i++ {
		e := &c.Entries[i]
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
		r.add(ViewOf(m, 0, m.Length), false)
	}
	for _, a := range access {
		if a.Object != nil {
			r.objects = append(r.objects, *a.Object)
			continue
		}
		r.add(a.View, a.Writes)
		r.bytes += int(a.View.Length)
	}
	return r.finish(false)
}

// Current returns the range with what executing it uses now: the commands may have changed.
func (r *Execution) Current() *Execution {
	r.Commands.Mu.Lock()
	defer r.Commands.Mu.Unlock()
	if r.version == r.Commands.version {
		return r
	}
	return r.Commands.executionOf(r.From, r.From+r.N, r.ranges, r.access)
}

// LastExecution is ExecutionOf without other accesses, which remembers its last result.
func (c *Indirect) LastExecution(from, to int) *Execution {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if r := c.last; r == nil || r.From != from || r.N != to-from {
		c.last = c.executionOf(from, to, View{}, nil)
	}
	return c.last
}

// launches returns the launches of the commands in order. known is false if the device has changed
// them, or decides which of them it executes.
func (r *Execution) launches() (all []*Launch, known bool) {
	c := r.Commands
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if r.ranges.Mem != nil || len(r.access) > 0 || c.byOther || len(c.filling) > 0 {
		return nil, false
	}
	for i := r.From; i < r.From+r.N; i++ {
		if l := c.Entries[i].launch; l != nil {
			all = append(all, l)
		}
	}
	return all, true
}

// Accesses appends the accesses of an execution.
func (r *Execution) Accesses(list []RangeAccess) []RangeAccess {
	list = append(list, RangeAccess{View: ViewOf(nil, uint(r.From), uint(r.N)), Commands: r.Commands,
		Reads: true})
	if r.ranges.Mem != nil {
		list = append(list, RangeAccess{View: r.ranges, Reads: true})
	}
	for i, v := range r.views {
		list = append(list, RangeAccess{View: v, Reads: true, Writes: r.writes[i]})
	}
	for i := range r.objects {
		if a := &r.objects[i]; a.View.Mem != nil {
			list = append(list, RangeAccess{View: a.View, Reads: true, Writes: a.Writes})
		}
	}
	return list
}

// count counts launches of a kernel.
func (r *Execution) count(k *Kernel, launches, threads uint64) {
	i := slices.IndexFunc(r.kernels, func(u kernelUse) bool { return u.kernel == k })
	if i < 0 {
		i = len(r.kernels)
		r.kernels = append(r.kernels, kernelUse{kernel: k})
	}
	r.kernels[i].launches += launches
	r.kernels[i].threads += threads
}

// add adds an access to a memory.
func (r *Execution) add(v View, writes bool) {
	i := slices.IndexFunc(r.views, func(o View) bool { return o.Mem == v.Mem })
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

// Finish computes the rest from the accesses. writes reports that the command writes the commands
// themselves.
func (r *Execution) finish(writes bool) *Execution {
	r.spans = []Span{r.Commands.Span(writes)}
	for i, v := range r.views {
		r.spans = append(r.spans, SpanOf(v, r.writes[i]))
	}
	r.epoch = r.Commands.Acc.Epoch.Load()
	r.read, r.written = r.resources()
	r.spans = append(r.spans, SpansOf(r.objects)...)
	if r.ranges.Mem != nil {
		r.spans = append(r.spans, SpanOf(r.ranges, false))
	}
	return r
}

// resources returns what the device must make resident.
func (r *Execution) resources() (read, written []mtl.Resource) {
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

// Use keeps everything alive until done.
func (r *Execution) Use() error {
	if err := r.Commands.Life.Use(); err != nil {
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
func (r *Execution) unuse(kernels, views int) {
	for i := range r.views[:views] {
		r.views[i].Mem.Done()
	}
	for i := range r.kernels[:kernels] {
		r.kernels[i].kernel.Life.Done()
	}
	r.Commands.Life.Done()
}

// Done implements Command.
func (r *Execution) Done() {
	for i := range r.objects {
		r.objects[i].Done()
	}
	if r.ranges.Mem != nil {
		r.ranges.Mem.Done()
	}
	r.unuse(len(r.kernels), len(r.views))
}

// Recorded counts the launches.
func (r *Execution) Recorded() {
	if r.ranges.Mem != nil { // only the device knows how many
		return
	}
	for _, u := range r.kernels {
		u.kernel.Counters.Launches.Add(u.launches)
		u.kernel.Counters.Threads.Add(u.threads)
	}
}

// String describes the commands for errors.
func (r *Execution) String() string {
	switch {
	case r.ranges.Mem != nil:
		return fmt.Sprintf("%v, a range from a buffer", r.Commands)
	case r.N == 1:
		return fmt.Sprintf("%v, command %d", r.Commands, r.From)
	}
	return fmt.Sprintf("%v, commands %d to %d", r.Commands, r.From, r.From+r.N-1)
}

// Side implements Command.
func (r *Execution) Side() Side { return ByDevice }

// Launched implements Command.
func (r *Execution) Launched() *Launch { return nil }

// Size implements Command.
func (r *Execution) Size() int { return r.bytes }

// Hazards implements Command.
func (r *Execution) Hazards(spans []Span) []Span { return append(spans, r.spans...) }

// Summarize implements Command.
func (r *Execution) Summarize(s *CommandSummary) {
	s.Form, s.Name = "execution of %s", r.String()
}

// Observe implements Command.
func (r *Execution) Observe(e *observe.RecordEvent) {
	e.Kind, e.Kernel = observe.CommandIndirect, r.String()
}

// Tally implements Command.
func (r *Execution) Tally(c *Counters) { c.Indirect.Add(1) }

// Always implements Poisoner.
func (r *Execution) Always() bool { return false }

// Encode implements Command.
func (r *Execution) Encode(e *Encoder, w *Work) error {
	err := executeCommands(e, r)
	e.Used(w)
	return err
}

// Poison lets failures spread by launches, if they are known.
func (r *Execution) Poison(a *Device, _ *Work, failed error) bool {
	launches, known := r.launches()
	if !known {
		return false
	}
	if found := r.Commands.Poison.In(uint(r.From), uint(r.From+r.N)); len(found) > 0 {
		failed = cmp.Or(failed, found[0].Err)
	}
	for _, l := range launches {
		a.SettleAccesses(l.Accesses(nil), failed)
	}
	return true
}

// commandsChange is what a blit encoder does with indirect commands.
type IndirectChange struct {
	*Execution
	resets bool // so that it overwrites the commands
	blit   func(mtl.BlitCommandEncoder) error
}

// Recorded implements Command.
func (c *IndirectChange) Recorded() {}

// Encode implements Command.
func (c *IndirectChange) Encode(e *Encoder, w *Work) error {
	return e.Transfer(w, c.blit)
}

// Summarize implements Command.
func (c *IndirectChange) Summarize(s *CommandSummary) {
	s.Form, s.Name = "change of %s", c.String()
}

// Poison implements Poisoner.
func (c *IndirectChange) Poison(_ *Device, _ *Work, _ error) bool { return false }

// Accesses implements Command.
func (c *IndirectChange) Accesses(list []RangeAccess) []RangeAccess {
	return append(list, RangeAccess{View: ViewOf(nil, uint(c.From), uint(c.N)), Commands: c.Commands,
		Reads:  !c.resets,
		Writes: true, Whole: c.resets})
}

// execute encodes the execution of commands.
func executeCommands(e *Encoder, r *Execution) error {
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
		return e.Compute.ExecuteCommandsInBufferIndirectBuffer(r.Commands.Metal, r.ranges.Mem.Buffer, r.ranges.Offset)
	}
	return e.Compute.ExecuteCommandsInBuffer(r.Commands.Metal, mtl.Range{Location: uint(r.From), Length: uint(r.N)})
}

// Change returns a change of the commands [from, to) by a blit encoder. resets says that it
// overwrites them.
func (c *Indirect) Change(from, to int, resets bool, do func(mtl.BlitCommandEncoder, mtl.Range) error) *IndirectChange {
	c.Mu.Lock()
	c.byOther = true
	c.Mu.Unlock()
	r := &Execution{Commands: c, From: from, N: to - from}
	return &IndirectChange{r.finish(true), resets, func(e mtl.BlitCommandEncoder) error {
		return do(e, mtl.Range{Location: uint(from), Length: uint(to - from)})
	}}
}

// HasMoved reports whether the program has listed what kernels reach by an address or a handle that
// is no longer right.
func (r *Execution) HasMoved() bool {
	return slices.ContainsFunc(r.access, func(l Listed) bool { return l.Object != nil || l.View.Mem.HasMoved() })
}

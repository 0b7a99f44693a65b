package command

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// Encoder records commands into a buffer, one encoder of a buffer at a time. One goroutine may use
// it at a time.
//
// What is wrong with a command makes the buffer fail, as Buffer.Misuse says.
type Encoder struct {
	b        *Buffer
	pass     int32
	pipeline *dispatch.Pipeline
	ended    bool
}

// Size is a number of things in three dimensions.
type Size = dispatch.Size

// Buffer returns the buffer that the encoder writes to.
func (e *Encoder) Buffer() *Buffer { return e.b }

// Ended reports whether End has been called.
func (e *Encoder) Ended() bool { return e.ended }

// End ends the encoder.
func (e *Encoder) End(call string) {
	if !e.open(call) {
		return
	}
	e.ended = true
	e.b.list.ops = append(e.b.list.ops, op{kind: opEnd, n: e.pass})
	e.b.encoder = nil
	if e.b.from != nil {
		e.b.from.look()
	}
}

// open reports whether commands may be recorded.
func (e *Encoder) open(call string) bool {
	if e.ended {
		e.b.Misuse(call, "the encoder has ended")
		return false
	}
	return true
}

// SetLabel names the encoder.
func (e *Encoder) SetLabel(label string) {
	if !e.ended {
		e.b.list.passes[e.pass].label = label
	}
}

// Signpost records a text that an error lists if the commands before it have run.
func (e *Encoder) Signpost(text string) {
	if !e.ended {
		p := &e.b.list.passes[e.pass]
		p.signposts = append(p.signposts, signpost{len(e.b.list.ops), text})
	}
}

// SetPipeline chooses what the next dispatches run.
func (e *Encoder) SetPipeline(call string, p *dispatch.Pipeline) {
	if !e.open(call) {
		return
	}
	if p == nil {
		e.b.Misuse(call, "the pipeline state is nil")
		return
	}
	e.pipeline = p
}

// slot checks an index of an argument table.
func (e *Encoder) slot(call, what string, index uint64, n int) bool {
	if !e.open(call) {
		return false
	}
	if index >= uint64(n) {
		e.b.Misuse(call, "%s index is %d, want at most %d", what, index, n-1)
		return false
	}
	return true
}

// SetBuffer binds an address; 0 is nothing.
func (e *Encoder) SetBuffer(call string, address, index uint64) {
	if !e.slot(call, "buffer", index, limits.MaxBuffers) {
		return
	}
	t := &e.b.list.table
	if t.buffers[index] != address || uint8(index) >= t.counts.buffers {
		t.buffers[index], t.changed = address, true
		t.counts.buffers = max(t.counts.buffers, uint8(index)+1)
	}
}

// BufferAt returns what is bound at an index.
func (e *Encoder) BufferAt(index uint64) uint64 {
	if index >= limits.MaxBuffers {
		return 0
	}
	return e.b.list.table.buffers[index]
}

// Bytes binds n bytes of memory that the caller fills; nil after a misuse.
func (e *Encoder) Bytes(call string, n int, index uint64) []byte {
	if n < 1 || n > limits.MaxInlineBytes {
		e.b.Misuse(call, "length is %d bytes, want 1 to %d", n, limits.MaxInlineBytes)
		return nil
	}
	if !e.slot(call, "buffer", index, limits.MaxBuffers) {
		return nil
	}
	p := e.b.gpu.inline.take(n)
	e.b.list.pieces = append(e.b.list.pieces, p)
	e.SetBuffer(call, exec.Address(p.id, 0), index)
	return p.data
}

// SetTexture binds the handle of a texture; 0 is nothing.
func (e *Encoder) SetTexture(call string, handle, index uint64) {
	if !e.slot(call, "texture", index, limits.MaxTextures) {
		return
	}
	t := &e.b.list.table
	t.textures[index], t.changed = handle, true
	t.counts.textures = max(t.counts.textures, uint8(index)+1)
}

// SetSampler binds the handle of a sampler; 0 is nothing.
func (e *Encoder) SetSampler(call string, handle, index uint64) {
	if !e.slot(call, "sampler", index, limits.MaxSamplers) {
		return
	}
	t := &e.b.list.table
	t.samplers[index], t.changed = handle, true
	t.counts.samplers = max(t.counts.samplers, uint8(index)+1)
}

// SetTable binds everything in an argument table, replacing all previous bindings. Threadgroup
// memory is unaffected.
func (e *Encoder) SetTable(call string, buffers, textures, samplers []uint64) {
	if !e.open(call) {
		return
	}
	t := &e.b.list.table
	clear(t.buffers[copy(t.buffers[:], buffers):])
	clear(t.textures[copy(t.textures[:], textures):])
	clear(t.samplers[copy(t.samplers[:], samplers):])
	c := &t.counts
	c.buffers, c.textures, c.samplers = uint8(min(len(buffers), limits.MaxBuffers)),
		uint8(min(len(textures), limits.MaxTextures)), uint8(min(len(samplers), limits.MaxSamplers))
	t.changed = true
}

// SetThreadgroupMemory gives a slot of threadgroup memory its length in bytes.
func (e *Encoder) SetThreadgroupMemory(call string, length, index uint64) {
	if !e.slot(call, "threadgroup memory", index, limits.MaxMemory) {
		return
	}
	if err := dispatch.CheckMemory(length); err != nil {
		e.b.Misuse(call, "%v", err)
		return
	}
	t := &e.b.list.table
	t.memory[index], t.changed = length, true
	t.counts.memory = max(t.counts.memory, uint8(index)+1)
}

// Dispatch runs the kernel over a grid of threads.
func (e *Encoder) Dispatch(call string, threads, group Size) {
	if !e.ready(call, group) || !e.passes(call, dispatch.CheckGrid(threads, Size{1, 1, 1})) {
		return
	}
	e.dispatch(op{kind: opDispatch, call: call, grid: narrow(threads), group: narrow(group)})
}

// DispatchGroups runs the kernel over a grid of whole threadgroups.
func (e *Encoder) DispatchGroups(call string, groups, group Size) {
	if !e.ready(call, group) || !e.passes(call, dispatch.CheckGrid(groups, group)) {
		return
	}
	threads := Size{groups[0] * group[0], groups[1] * group[1], groups[2] * group[2]}
	e.dispatch(op{kind: opDispatch, call: call, grid: narrow(threads), group: narrow(group)})
}

// DispatchGroupsAt is DispatchGroups with the grid in memory: three words of 32 bits at an address.
func (e *Encoder) DispatchGroupsAt(call string, address uint64, group Size) {
	if !e.ready(call, group) {
		return
	}
	e.dispatch(op{kind: opIndirect, call: call, value: address, group: narrow(group)})
}

// DispatchAt is Dispatch with threads and threadgroup in memory: six words of 32 bits at an
// address.
func (e *Encoder) DispatchAt(call string, address uint64) {
	if e.runs(call) {
		e.dispatch(op{kind: opIndirect, call: call, value: address, flags: threadsInMemory})
	}
}

func (e *Encoder) dispatch(o op) {
	l := e.b.list
	t := l.table.bindings()
	if !e.passes(o.call, e.pipeline.CheckArguments(&t, e.b.gpu)) {
		return
	}
	o.pipeline, o.args, o.uses = e.pipeline, l.snapshot(), e.declared()
	l.ops = append(l.ops, o)
}

// runs reports whether there is a pipeline to run.
func (e *Encoder) runs(call string) bool {
	if !e.open(call) {
		return false
	}
	if e.pipeline == nil {
		e.b.Misuse(call, "no pipeline state is set")
		return false
	}
	return true
}

// ready checks pipeline and threadgroup.
func (e *Encoder) ready(call string, group Size) bool {
	if !e.runs(call) {
		return false
	}
	t := e.b.list.table.bindings()
	return e.passes(call, e.pipeline.CheckGroup(group, t.Memory))
}

// passes reports whether a check found nothing; what it found is a misuse.
func (e *Encoder) passes(call string, err error) bool {
	if err != nil {
		e.b.Misuse(call, "%v", err)
	}
	return err == nil
}

func narrow(s Size) [3]uint32 { return [3]uint32{uint32(s[0]), uint32(s[1]), uint32(s[2])} }

// Execute runs n commands of an indirect command buffer from first on.
func (e *Encoder) Execute(call string, icb *Indirect, first, n uint64) {
	if !e.executable(call, icb) {
		return
	}
	if size := uint64(icb.Size()); first > size || n > size-first {
		e.b.Misuse(call, "commands %d to %d of %d", first, first+n, size)
		return
	}
	e.execute(op{call: call, icb: icb, first: int32(first), n: int32(n)})
}

// ExecuteAt is Execute with the range in memory: two words of 32 bits at an address.
func (e *Encoder) ExecuteAt(call string, icb *Indirect, address uint64) {
	if e.executable(call, icb) {
		e.execute(op{call: call, icb: icb, value: address, flags: rangeInMemory})
	}
}

func (e *Encoder) executable(call string, icb *Indirect) bool {
	if !e.open(call) {
		return false
	}
	if icb == nil {
		e.b.Misuse(call, "the indirect command buffer is nil")
		return false
	}
	if icb.shape.InheritPipeline && e.pipeline == nil {
		e.b.Misuse(call, "no pipeline state is set, which the commands inherit")
		return false
	}
	return true
}

func (e *Encoder) execute(o op) {
	o.kind, o.pipeline, o.args, o.uses = opExecute, e.pipeline, e.b.list.snapshot(), e.declared()
	e.b.list.ops = append(e.b.list.ops, o)
}

// Barrier has the commands after it wait for those before it. Between two of them the commands of a
// concurrent encoder run at the same time; those of a serial one wait for each other anyway.
func (e *Encoder) Barrier(call string) { e.barrier(call, nil) }

// BarrierFor is Barrier for some memory. The device waits all the same, but the order of commands
// that is recorded has only what was asked for.
func (e *Encoder) BarrierFor(call string, memory BarrierOf) {
	if e.b.ordered == nil {
		e.barrier(call, nil)
		return
	}
	orders := memory // so that only this allocates
	e.barrier(call, &orders)
}

func (e *Encoder) barrier(call string, orders *BarrierOf) {
	if !e.open(call) || !e.b.list.passes[e.pass].concurrent {
		return
	}
	ops := e.b.list.ops
	last := len(ops) - 1
	for ops[last].kind == opFence {
		last--
	}
	if ops[last].kind.overlaps() || orders != nil || ops[last].orders != nil {
		e.b.list.ops = append(ops, op{kind: opBarrier, orders: orders})
	}
}

// Do makes fn run at its position among the commands; call describes what it does. In a concurrent
// encoder fn runs at the same time as its neighbors.
func (e *Encoder) Do(call string, fn func() error) {
	if e.open(call) {
		e.b.list.ops = append(e.b.list.ops, op{kind: opDo, call: call, fn: fn})
	}
}

// Copy is Do for a command that accesses memory and reports which; the report may be nil.
func (e *Encoder) Copy(call string, fn func(*Copies) error) {
	if e.open(call) {
		e.b.list.ops = append(e.b.list.ops, op{kind: opDo, call: call, copies: fn})
	}
}

package command

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
)

// Encoder records commands into a buffer, one encoder of a buffer at a time. One goroutine may use it at a time.
//
// What is wrong with a command makes the buffer fail, as Buffer.Misuse says.
type Encoder struct {
	b      *Buffer
	pass   int32
	kernel *Kernel
	ended  bool
}

// Size is a number of things in three dimensions.
type Size [3]uint64

func (s Size) volume() uint64 {
	hi, v := bits.Mul64(s[0], s[1])
	hi2, w := bits.Mul64(v, s[2])
	if hi != 0 && s[2] != 0 || hi2 != 0 {
		return math.MaxUint64
	}
	return w
}

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

// Signpost notes a text that an error lists when the commands before it have run.
func (e *Encoder) Signpost(text string) {
	if !e.ended {
		p := &e.b.list.passes[e.pass]
		p.signposts = append(p.signposts, signpost{len(e.b.list.ops), text})
	}
}

// SetKernel chooses what the next dispatches run.
func (e *Encoder) SetKernel(call string, k *Kernel) {
	if !e.open(call) {
		return
	}
	if k == nil {
		e.b.Misuse(call, "the pipeline state is nil")
		return
	}
	e.kernel = k
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
	if !e.slot(call, "buffer", index, MaxBuffers) {
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
	if index >= MaxBuffers {
		return 0
	}
	return e.b.list.table.buffers[index]
}

// MaxInline is how many bytes Bytes takes.
const MaxInline = 4096

// Bytes binds n bytes of memory that the caller fills; nil after a misuse.
func (e *Encoder) Bytes(call string, n int, index uint64) []byte {
	if n < 1 || n > MaxInline {
		e.b.Misuse(call, "length is %d bytes, want 1 to %d", n, MaxInline)
		return nil
	}
	if !e.slot(call, "buffer", index, MaxBuffers) {
		return nil
	}
	p := e.b.gpu.inline.take(n)
	e.b.list.pieces = append(e.b.list.pieces, p)
	e.SetBuffer(call, exec.Address(p.id, 0), index)
	return p.data
}

// SetTexture binds the handle of a texture; 0 is nothing.
func (e *Encoder) SetTexture(call string, handle, index uint64) {
	if !e.slot(call, "texture", index, MaxTextures) {
		return
	}
	t := &e.b.list.table
	t.textures[index], t.changed = handle, true
	t.counts.textures = max(t.counts.textures, uint8(index)+1)
}

// SetSampler binds the handle of a sampler; 0 is nothing.
func (e *Encoder) SetSampler(call string, handle, index uint64) {
	if !e.slot(call, "sampler", index, MaxSamplers) {
		return
	}
	t := &e.b.list.table
	t.samplers[index], t.changed = handle, true
	t.counts.samplers = max(t.counts.samplers, uint8(index)+1)
}

// SetTable binds all that an argument table has, in place of what was bound before. Threadgroup memory stays.
func (e *Encoder) SetTable(call string, buffers, textures, samplers []uint64) {
	if !e.open(call) {
		return
	}
	t := &e.b.list.table
	clear(t.buffers[copy(t.buffers[:], buffers):])
	clear(t.textures[copy(t.textures[:], textures):])
	clear(t.samplers[copy(t.samplers[:], samplers):])
	c := &t.counts
	c.buffers, c.textures, c.samplers = uint8(min(len(buffers), MaxBuffers)), uint8(min(len(textures), MaxTextures)), uint8(min(len(samplers), MaxSamplers))
	t.changed = true
}

// memoryAlignment is what lengths of threadgroup memory are multiples of.
const memoryAlignment = 16

// SetThreadgroupMemory gives a slot of threadgroup memory its length in bytes.
func (e *Encoder) SetThreadgroupMemory(call string, length, index uint64) {
	if !e.slot(call, "threadgroup memory", index, MaxMemory) {
		return
	}
	if length%memoryAlignment != 0 {
		e.b.Misuse(call, "length is %d bytes, want a multiple of %d", length, memoryAlignment)
		return
	}
	if limit := uint64(e.b.gpu.limits.ThreadgroupBytes); length > limit {
		e.b.Misuse(call, "length is %d bytes, want at most %d", length, limit)
		return
	}
	t := &e.b.list.table
	t.memory[index], t.changed = length, true
	t.counts.memory = max(t.counts.memory, uint8(index)+1)
}

// Dispatch runs the kernel over a grid of threads.
func (e *Encoder) Dispatch(call string, threads, group Size) {
	if !e.ready(call, group) || !e.grid(call, threads, Size{1, 1, 1}) {
		return
	}
	e.dispatch(op{kind: opDispatch, call: call, grid: narrow(threads), group: narrow(group)})
}

// DispatchGroups runs the kernel over a grid of whole threadgroups.
func (e *Encoder) DispatchGroups(call string, groups, group Size) {
	if !e.ready(call, group) || !e.grid(call, groups, group) {
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

// DispatchAt is Dispatch with threads and threadgroup in memory: six words of 32 bits at an address.
func (e *Encoder) DispatchAt(call string, address uint64) {
	if !e.open(call) {
		return
	}
	if e.kernel == nil {
		e.b.Misuse(call, "no pipeline state is set")
		return
	}
	e.dispatch(op{kind: opIndirect, call: call, value: address, flags: threadsInMemory})
}

func (e *Encoder) dispatch(o op) {
	l := e.b.list
	t := l.table.bindings()
	if need, missing := e.kernel.missing(&t); missing {
		e.b.Misuse(o.call, "kernel %q: nothing is bound at %s index %d, argument %q", e.kernel.Name, slotName(need.Kind), need.Index, need.Name)
		return
	}
	o.kernel, o.args = e.kernel, l.snapshot()
	l.ops = append(l.ops, o)
}

func slotName(k ir.ArgKind) string {
	if k == ir.ArgFunctionTable {
		return "buffer"
	}
	return string(k)
}

// ready checks pipeline and threadgroup.
func (e *Encoder) ready(call string, group Size) bool {
	if !e.open(call) {
		return false
	}
	if e.kernel == nil {
		e.b.Misuse(call, "no pipeline state is set")
		return false
	}
	if err := e.kernel.fits(group, &e.b.list.table.memory, e.b.gpu.limits.ThreadgroupBytes); err != "" {
		e.b.Misuse(call, "%s", err)
		return false
	}
	return true
}

// grid checks a grid of so many units of some threads.
func (e *Encoder) grid(call string, units, each Size) bool {
	for i, axis := range axes {
		if units[i] == 0 {
			e.b.Misuse(call, "the grid's %s is 0, want at least 1", axis)
			return false
		}
		if hi, n := bits.Mul64(units[i], each[i]); hi != 0 || n > math.MaxUint32 {
			e.b.Misuse(call, "the grid's %s is %d x %d threads, want at most %d", axis, units[i], each[i], uint64(math.MaxUint32))
			return false
		}
	}
	return true
}

var axes = [3]string{"width", "height", "depth"}

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
	if icb.shape.InheritPipeline && e.kernel == nil {
		e.b.Misuse(call, "no pipeline state is set, which the commands inherit")
		return false
	}
	return true
}

func (e *Encoder) execute(o op) {
	o.kind, o.kernel, o.args = opExecute, e.kernel, e.b.list.snapshot()
	e.b.list.ops = append(e.b.list.ops, o)
}

// Barrier has the commands after it wait for those before it. Between two of them the commands of a concurrent encoder run at the same time;
// those of a serial one wait for each other anyway.
func (e *Encoder) Barrier(call string) {
	if !e.open(call) || !e.b.list.passes[e.pass].concurrent {
		return
	}
	if ops := e.b.list.ops; ops[len(ops)-1].kind.overlaps() {
		e.b.list.ops = append(ops, op{kind: opBarrier})
	}
}

// Do has fn run in its place among the commands; call says what it does. In a concurrent encoder fn runs at the same time as its neighbours.
func (e *Encoder) Do(call string, fn func() error) {
	if e.open(call) {
		e.b.list.ops = append(e.b.list.ops, op{kind: opDo, call: call, fn: fn})
	}
}

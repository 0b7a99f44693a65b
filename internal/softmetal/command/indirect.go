package command

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// Shape is what the commands of an indirect command buffer may hold.
type Shape struct {
	InheritPipeline bool // from the encoder that runs them
	InheritBuffers  bool
	Buffers         int // slots of each command
	Memory          int // slots of threadgroup memory of each command
	Threadgroups    bool
	Threads         bool // the kinds of dispatches that commands may be
}

// Indirect is an indirect command buffer: dispatches that the CPU or a kernel writes once, and
// queues run often.
type Indirect struct {
	gpu   *GPU
	id    uint32
	shape Shape
	marks []byte

	// Tracked means that Metal orders the encoders of a queue that use the buffer.
	Tracked bool

	mu       sync.Mutex
	commands []indirectCommand
}

// indirectCommand is one command. A grid without threads means that there is none.
type indirectCommand struct {
	pipeline *dispatch.Pipeline
	buffers  []uint64
	memory   []uint64
	grid     [3]uint32 // in threads
	group    [3]uint32
	barrier  bool
	byKernel uint64 // a bit for each slot of buffers that a kernel has set
}

// NewIndirect returns an indirect command buffer of n commands that do nothing.
func (g *GPU) NewIndirect(shape Shape, n int) (*Indirect, error) {
	switch {
	case n < 1 || n > limits.MaxCommands:
		return nil, fmt.Errorf("the number of commands is %d, want 1 to %d", n, limits.MaxCommands)
	case shape.Buffers < 0 || shape.Buffers > limits.MaxBuffers:
		return nil, fmt.Errorf("the number of kernel buffers is %d, want at most %d", shape.Buffers, limits.MaxBuffers)
	case shape.Memory < 0 || shape.Memory > limits.MaxMemory:
		return nil, fmt.Errorf("the number of threadgroup memories is %d, want at most %d", shape.Memory, limits.MaxMemory)
	}
	if shape.Memory == 0 {
		shape.Memory = limits.MaxMemory // descriptors from before macOS 14 do not say
	}
	icb := &Indirect{gpu: g, shape: shape, marks: make([]byte, n), commands: make([]indirectCommand, n)}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.icbs == nil {
		g.icbs = map[uint32]*Indirect{}
	}
	g.nextICB++
	icb.id = g.nextICB
	g.icbs[icb.id] = icb
	return icb, nil
}

// Close takes the buffer's handle back.
func (icb *Indirect) Close() {
	icb.gpu.mu.Lock()
	defer icb.gpu.mu.Unlock()
	delete(icb.gpu.icbs, icb.id)
}

// Number distinguishes the buffer from others of the GPU.
func (icb *Indirect) Number() uint32 { return icb.id }

// Marks returns memory whose addresses stand for the commands where accesses are recorded: a byte
// for each. Nothing else uses it.
func (icb *Indirect) Marks() []byte { return icb.marks }

// Size returns the number of commands.
func (icb *Indirect) Size() int { return len(icb.commands) }

// Shape returns what the commands may hold.
func (icb *Indirect) Shape() Shape { return icb.shape }

// SetPipeline chooses what a command runs.
func (icb *Indirect) SetPipeline(i int, p *dispatch.Pipeline) error {
	switch {
	case icb.shape.InheritPipeline:
		return fmt.Errorf("the command inherits its pipeline state")
	case p == nil:
		return fmt.Errorf("the pipeline state is nil")
	case !p.Indirect:
		return fmt.Errorf("the pipeline state of kernel %q does not support indirect command buffers", p.Name)
	}
	icb.mu.Lock()
	defer icb.mu.Unlock()
	icb.commands[i].pipeline = p
	return nil
}

// SetBuffer binds an address in a command.
func (icb *Indirect) SetBuffer(i int, address, index uint64) error {
	return icb.setBuffer(i, address, index, 0)
}

// setBuffer is SetBuffer, with byKernel 1 where a kernel calls.
func (icb *Indirect) setBuffer(i int, address, index, byKernel uint64) error {
	if icb.shape.InheritBuffers {
		return fmt.Errorf("the command inherits its buffers")
	}
	if index >= uint64(icb.shape.Buffers) {
		return fmt.Errorf("buffer index is %d, the commands have %d buffers", index, icb.shape.Buffers)
	}
	icb.mu.Lock()
	defer icb.mu.Unlock()
	c := &icb.commands[i]
	c.buffers = upTo(c.buffers, index)
	c.buffers[index] = address
	c.byKernel = c.byKernel&^(1<<index) | byKernel<<index
	return nil
}

// SetMemory gives a slot of threadgroup memory of a command its length.
func (icb *Indirect) SetMemory(i int, length, index uint64) error {
	if index >= uint64(icb.shape.Memory) {
		return fmt.Errorf("threadgroup memory index is %d, the commands have %d", index, icb.shape.Memory)
	}
	if err := dispatch.CheckMemory(length); err != nil {
		return err
	}
	icb.mu.Lock()
	defer icb.mu.Unlock()
	c := &icb.commands[i]
	c.memory = upTo(c.memory, index)
	c.memory[index] = length
	return nil
}

// upTo returns a copy of a list of slots, long enough for an index: who runs the command may still
// read the list.
func upTo(list []uint64, index uint64) []uint64 {
	return append(make([]uint64, 0, max(uint64(len(list)), index+1)), list...)[:max(uint64(len(list)), index+1)]
}

// SetBarrier has a command wait for those before it, or not.
func (icb *Indirect) SetBarrier(i int, on bool) {
	icb.mu.Lock()
	defer icb.mu.Unlock()
	icb.commands[i].barrier = on
}

// Dispatch makes a command a dispatch of threads; without threads the command does nothing.
func (icb *Indirect) Dispatch(i int, threads, group Size) error {
	if !icb.shape.Threads {
		return fmt.Errorf("the buffer's commands do not dispatch threads")
	}
	return icb.dispatch(i, threads, Size{1, 1, 1}, group)
}

// DispatchGroups makes a command a dispatch of whole threadgroups.
func (icb *Indirect) DispatchGroups(i int, groups, group Size) error {
	if !icb.shape.Threadgroups {
		return fmt.Errorf("the buffer's commands do not dispatch threadgroups")
	}
	return icb.dispatch(i, groups, group, group)
}

// dispatch checks what can be checked before the command has its pipeline and its buffers;
// runCommand does the rest.
func (icb *Indirect) dispatch(i int, units, each, group Size) error {
	if err := dispatch.CheckGroup(group); err != nil {
		return err
	}
	var grid [3]uint32
	if units.Volume() > 0 { // else a kernel has found that there is nothing to do
		if err := dispatch.CheckGrid(units, each); err != nil {
			return err
		}
		grid = narrow(Size{units[0] * each[0], units[1] * each[1], units[2] * each[2]})
	}
	icb.mu.Lock()
	defer icb.mu.Unlock()
	icb.commands[i].grid, icb.commands[i].group = grid, narrow(group)
	return nil
}

// Reset makes n commands from first on do nothing.
func (icb *Indirect) Reset(first, n int) {
	icb.mu.Lock()
	defer icb.mu.Unlock()
	clear(icb.commands[first : first+n])
}

// Copy makes n commands from i on like those of a buffer of the same shape.
func (icb *Indirect) Copy(i int, from *Indirect, first, n int) error {
	if from.shape != icb.shape {
		return fmt.Errorf("the two indirect command buffers have descriptors that differ")
	}
	from.mu.Lock()
	kept := make([]indirectCommand, n)
	for j := range kept {
		c := from.commands[first+j]
		c.buffers = append(make([]uint64, 0, from.shape.Buffers), c.buffers...)
		c.memory = append(make([]uint64, 0, from.shape.Memory), c.memory...)
		kept[j] = c
	}
	from.mu.Unlock()
	icb.mu.Lock()
	defer icb.mu.Unlock()
	copy(icb.commands[i:], kept)
	return nil
}

// executeCommands runs commands of an indirect command buffer: those that no barrier orders at the
// same time.
func (g *GPU) executeCommands(b *Buffer, w *worker, o *op) error {
	first, n := uint64(o.first), uint64(o.n)
	if o.flags&rangeInMemory != 0 {
		var v [2]uint32
		if err := b.residentAt(o.call, "commands' numbers", o.value); err != nil {
			return err
		}
		if err := g.words(b, o, "commands' numbers", v[:]); err != nil {
			return err
		}
		first, n = uint64(v[0]), uint64(v[1])
		if size := uint64(o.icb.Size()); first > size || n > size-first {
			return failure(CodeInvalidResource, "%s: the range in memory has commands %d to %d of %d", o.call, first, first+n,
				size)
		}
	}
	c := g.together(b)
	defer c.job.Release()
	defer w.series.End()
	for at, end := int(first), int(first+n); at < end; {
		c.from, c.first, c.icb = o, at, c.icb[:0]
		o.icb.mu.Lock()
		for at < end && (at == c.first || !o.icb.commands[at].barrier) {
			c.icb = append(c.icb, o.icb.commands[at])
			at++
		}
		o.icb.mu.Unlock()
		b.sequence.copiesOf(o, c.first).Encoded(o.icb, c.first, at-c.first, false)
		var err error
		if len(c.icb) == 1 { // most commands of a chain
			w.group = c.first
			err = g.runCommand(b, w, o, c.first, &c.icb[0])
		} else {
			_, err = c.run(len(c.icb))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *GPU) runCommand(b *Buffer, w *worker, o *op, i int, c *indirectCommand) error {
	if c.grid[0] == 0 || c.grid[1] == 0 || c.grid[2] == 0 {
		return nil
	}
	inherited := b.list.at(o.args)
	bound := ^c.byKernel
	p, a := c.pipeline, dispatch.Bindings{Buffers: c.buffers, Memory: c.memory, Textures: inherited.Textures,
		Samplers: inherited.Samplers}
	if o.icb.shape.InheritPipeline {
		p = o.pipeline
	}
	if o.icb.shape.InheritBuffers {
		a.Buffers, bound = inherited.Buffers, allBound
	}
	if p == nil {
		return failure(CodeInvalidResource, "%s: command %d has no pipeline state", o.call, i)
	}
	err := p.CheckGroup(widen(c.group), a.Memory)
	if err == nil {
		err = p.CheckArguments(&a, g)
	}
	if err != nil {
		return failure(CodeInvalidResource, "%s: command %d: %w", o.call, i, err)
	}
	if b.Resident != nil {
		if err := b.residents(fmt.Sprintf("%s: command %d", o.call, i), p, &a); err != nil {
			return err
		}
	}
	w.index = i
	return g.launch(b, w, o, p, a, bound, c.grid, c.group)
}

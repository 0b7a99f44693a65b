package command

import (
	"fmt"
	"math"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// Handle returns the buffer's handle in argument buffers. The handle of one of its commands has the
// index plus one in the low bits. Commands past the last one have handles too, so that errors about
// writing to them can name them.
func (icb *Indirect) Handle() uint64 { return uint64(icb.id) << 32 }

// indirectOf returns the buffer that a handle of it, or of one of its commands, is of; nil if there
// is none.
func (g *GPU) indirectOf(handle uint64) *Indirect {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.icbs[uint32(handle>>32)]
}

// MarkOf returns the byte that stands for a command where accesses are recorded, by the command's
// handle, and whether Metal tracks the hazards of its buffer; nil of no command.
func (g *GPU) MarkOf(handle uint64) (mark []byte, tracked bool) {
	icb, n := g.indirectOf(handle), uint64(uint32(handle))
	if icb == nil || n == 0 || n > uint64(len(icb.marks)) {
		return nil, false
	}
	return icb.marks[n-1 : n], icb.Tracked
}

// AddPipeline gives a pipeline a handle by which kernels put it into commands; RemovePipeline takes
// it back.
func (g *GPU) AddPipeline(handle uint64, p *dispatch.Pipeline) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipelines == nil {
		g.pipelines = map[uint64]*dispatch.Pipeline{}
	}
	g.pipelines[handle] = p
}

// RemovePipeline is described with AddPipeline.
func (g *GPU) RemovePipeline(handle uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.pipelines, handle)
}

// encoding is what a dispatch encodes into indirect command buffers. It is the engine's
// vm.Commands. A kernel sees no errors: a mistake changes nothing, and is kept for the command
// buffer that the kernel runs in.
type encoding struct {
	gpu     *GPU
	allowed map[uint32]bool // of an isolated dispatch: buffers by number, true where it may encode

	mu    sync.Mutex
	at    uint64 // the command of the error
	wrong error
}

// indirectOf returns the buffer that a handle of it, or of one of its commands, is of; nil if there
// is none that the dispatch reaches.
func (e *encoding) indirectOf(handle uint64) *Indirect {
	if _, ok := e.allowed[uint32(handle>>32)]; !ok && e.allowed != nil {
		return nil
	}
	return e.gpu.indirectOf(handle)
}

// Count returns how many commands a buffer has; 0 of none.
func (e *encoding) Count(buffer uint64) uint32 {
	if icb := e.indirectOf(buffer); icb != nil && uint32(buffer) == 0 {
		return uint32(len(icb.commands))
	}
	return 0
}

// At returns the handle of a command; 0 of no buffer.
func (e *encoding) At(buffer uint64, index uint32) uint64 {
	if e.Count(buffer) == 0 {
		return 0
	}
	return buffer | min(uint64(index)+1, math.MaxUint32)
}

// Set does to a command what a kernel says.
func (e *encoding) Set(command uint64, op ir.CommandOp, operand uint64, x, y [3]uint32) {
	if err := e.set(command, op, operand, x, y); err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		// Which thread comes first is not certain, so of several errors that of the first command counts.
		if err = fmt.Errorf("%s: %w", method(op, x), err); e.wrong == nil || command < e.at || command == e.at &&
			err.Error() < e.wrong.Error() {
			e.at, e.wrong = command, err
		}
	}
}

// take returns what went wrong, and forgets it.
func (e *encoding) take() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.wrong
	e.wrong = nil
	return err
}

// method returns the language's name of an operation.
func method(op ir.CommandOp, x [3]uint32) string {
	switch op {
	case ir.CommandReset:
		return "compute_command::reset"
	case ir.CommandPipeline:
		return "compute_command::set_compute_pipeline_state"
	case ir.CommandBuffer:
		return "compute_command::set_kernel_buffer"
	case ir.CommandThreadgroupMemory:
		return "compute_command::set_threadgroup_memory_length"
	case ir.CommandStageIn:
		return "compute_command::set_stage_in_region"
	case ir.CommandBarrier:
		if x[0] == 0 {
			return "compute_command::clear_barrier"
		}
		return "compute_command::set_barrier"
	case ir.CommandThreadgroups:
		return "compute_command::concurrent_dispatch_threadgroups"
	case ir.CommandThreads:
		return "compute_command::concurrent_dispatch_threads"
	case ir.CommandCopy:
		return "compute_command::copy_command"
	}
	return "compute_command"
}

// command returns a command by its handle.
func (e *encoding) command(handle uint64) (*Indirect, int, error) {
	icb, n := e.indirectOf(handle), uint32(handle)
	switch {
	case icb == nil || n == 0:
		return nil, 0, fmt.Errorf("the command is of no indirect command buffer")
	case uint64(n) > uint64(len(icb.commands)):
		return nil, 0, fmt.Errorf("the command's index is %d, the indirect command buffer has %d commands", n-1,
			len(icb.commands))
	}
	return icb, int(n - 1), nil
}

func (e *encoding) set(handle uint64, op ir.CommandOp, operand uint64, x, y [3]uint32) error {
	icb, i, err := e.command(handle)
	if err != nil {
		return err
	}
	if e.allowed != nil && !e.allowed[icb.id] {
		return fmt.Errorf("command %d: the indirect command buffer is declared for reading only", i)
	}
	switch op {
	case ir.CommandReset:
		icb.Reset(i, 1)
	case ir.CommandPipeline:
		e.gpu.mu.Lock()
		p := e.gpu.pipelines[operand]
		e.gpu.mu.Unlock()
		err = icb.SetPipeline(i, p)
	case ir.CommandBuffer:
		err = icb.setBuffer(i, operand, uint64(x[0]), 1)
	case ir.CommandThreadgroupMemory:
		err = icb.SetMemory(i, uint64(x[0]), uint64(x[1]))
	case ir.CommandBarrier:
		icb.SetBarrier(i, x[0] != 0)
	case ir.CommandThreadgroups:
		err = icb.DispatchGroups(i, widen(x), widen(y))
	case ir.CommandThreads:
		err = icb.Dispatch(i, widen(x), widen(y))
	case ir.CommandCopy:
		var from *Indirect
		var j int
		if from, j, err = e.command(operand); err == nil {
			err = icb.Copy(i, from, j, 1)
		} else {
			err = fmt.Errorf("the source: %w", err)
		}
	case ir.CommandStageIn: // the device has no stage-in data
	}
	if err != nil {
		return fmt.Errorf("command %d: %w", i, err)
	}
	return nil
}

func widen(v [3]uint32) Size { return Size{uint64(v[0]), uint64(v[1]), uint64(v[2])} }

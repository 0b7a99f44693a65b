package command

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
)

// worker is what who runs a queue's buffers needs, kept from one to the next.
type worker struct {
	launch   exec.Launch
	memory   [limits.MaxMemory]int
	encoding encoding
	series   exec.Series

	// Of a command of an indirect command buffer, else 0 and -1: see Turn.
	group, index int
}

// execute runs a buffer's commands, and records when and how they ended.
func (g *GPU) execute(b *Buffer, w *worker) {
	defer g.memory.End(g.memory.Begin())
	b.mark(GPUStart)
	b.control.begin(b.queue.Timeout())
	err := g.begin(b)
	if err == nil && b.Prepare != nil {
		err = b.Prepare()
	}
	if err == nil {
		err = g.commands(b, w)
	} else {
		b.signals(0)
	}
	if err != nil {
		b.fail(err)
	}
	b.mark(GPUEnd)
	if b.Traced != nil {
		b.traced = b.list.traces() // the program may have its allocator use the list again from here on
	}
	if b.from != nil {
		b.land()
	}
}

// begin returns an error if the buffer must not run at all.
func (g *GPU) begin(b *Buffer) error {
	if g.Removed() {
		return b.failed(-1, -1, &Error{Code: CodeDeviceRemoved})
	}
	if err := b.control.Err(); err != nil {
		return b.failed(-1, -1, err)
	}
	if err := b.blocked(); err != nil {
		return err
	}
	if e := b.Broken(); e != nil {
		return b.notRun(e)
	}
	if f := g.faults.Load(); f != nil && !b.bare {
		return f.strike(b)
	}
	return nil
}

// fail gives the buffer its error.
func (b *Buffer) fail(err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: CodeInternal, Reason: err.Error(), Err: err}
	}
	if !b.EncoderStates {
		e.Encoders = nil
	}
	b.err = e
}

// failed completes an error of a command.
func (b *Buffer) failed(pass, at int, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		code := CodeInternal
		switch stopped := (*stopError)(nil); {
		case errors.As(err, &stopped):
			code = stopped.code
		case errors.Is(err, exec.ErrFuel):
			code = CodeTimeout
			err = fmt.Errorf("%w; %s=units or compute.WithWorkBudget allows more", err, FuelVariable)
		case errors.Is(err, exec.ErrScratch):
			code = CodeOutOfMemory
		}
		if p := (*exec.PanicError)(nil); errors.As(err, &p) {
			slog.Error("software device: internal error", "error", err, "stack", string(p.Stack))
		}
		e = &Error{Code: code, Reason: err.Error(), Err: err}
	}
	if b.EncoderStates && e.Encoders == nil {
		e.Encoders = b.states(pass, at)
	}
	return e
}

// commands runs the commands. One that fails ends the buffer.
func (g *GPU) commands(b *Buffer, w *worker) error {
	l := b.list
	open := -1 // the pass
	seq := b.startOrder()
	defer seq.finish()
	for i := 0; i < len(l.ops); {
		o := &l.ops[i]
		var err error
		next := i + 1
		switch o.kind {
		case opBegin:
			open = int(o.n)
			seq.begin(&l.passes[open])
			err = l.passes[open].sample(g, func(b *Boundary) uint64 { return b.Start })
		case opEnd:
			seq.close(l.ops[:i+1])
			err = l.passes[open].sample(g, func(b *Boundary) uint64 { return b.End })
			open = -1
		case opBarrier, opFence: // what came before it has ended
			seq.step(o)
		case opWait:
			err = b.await(o)
			seq.step(o)
		case opSignal:
			seq.signal(o)
			o.event.Signal(o.value)
		default:
			seq.step(o)
			if open >= 0 && l.passes[open].concurrent {
				if next, err = g.overlapping(b, w, i); err != nil {
					i = next
				}
				break
			}
			err = g.runOp(b, w, o)
		}
		if err != nil {
			b.signals(i + 1)
			return b.failed(open, i, err)
		}
		i = next
	}
	return nil
}

// runOp runs one command that an encoder has recorded. A panic is its error, so that it fails the
// command buffer and not the process, whichever goroutine runs it.
func (g *GPU) runOp(b *Buffer, w *worker, o *op) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &exec.PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	switch o.kind {
	case opDispatch:
		return g.dispatch(b, w, o, o.grid, o.group)
	case opIndirect:
		return g.indirect(b, w, o)
	case opExecute:
		return g.executeCommands(b, w, o)
	}
	if err := b.control.Err(); err != nil {
		return err
	}
	return b.do(o) // opDo
}

// signals signals the events that the commands from index i on would have signaled, each after the
// waits before it: a buffer that waits for this one must not run before those that this one had to
// wait for. Once a wait fails, order can no longer be kept, so there are no more waits. A wait that
// no signal follows is skipped.
func (b *Buffer) signals(i int) {
	ops := b.list.ops[i:]
	for len(ops) > 0 && ops[len(ops)-1].kind != opSignal {
		ops = ops[:len(ops)-1]
	}
	waits := true
	for i := range ops {
		switch o := &ops[i]; o.kind {
		case opWait:
			waits = waits && b.await(o) == nil
		case opSignal:
			b.sequence.signal(o)
			o.event.Signal(o.value)
		}
	}
}

// dispatch runs one kernel.
func (g *GPU) dispatch(b *Buffer, w *worker, o *op, grid, group [3]uint32) error {
	a := b.list.at(o.args)
	if err := b.residents(o.call, o.pipeline, &a); err != nil {
		return err
	}
	w.group, w.index = 0, -1
	return g.launch(b, w, o, o.pipeline, a, allBound, grid, group)
}

// launch runs a kernel for a command. bound has a bit for each slot of buffers that the program has
// bound, and not a kernel.
func (g *GPU) launch(b *Buffer, w *worker, o *op, p *dispatch.Pipeline, a dispatch.Bindings, bound uint64,
	grid, group [3]uint32,
) error {
	l := &w.launch
	l.Space, w.encoding.allowed = g.memory.Space(), nil
	if b.Isolated() {
		r := b.reached(o.uses)
		l.Space, w.encoding.allowed = g.part(r, p, &a, bound), r.indirect
	}
	for i := range 3 {
		l.Grid[i], l.Group[i] = int(grid[i]), int(group[i])
	}
	l.Buffers, l.Textures, l.Samplers, l.Hook = a.Buffers, a.Textures, a.Samplers, nil
	turn := b.sequence.turn(o, w.group, w.index)
	l.Threadgroup = w.memory[:len(a.Memory)]
	for i, n := range a.Memory {
		l.Threadgroup[i] = int(n)
	}
	if b.Log != nil {
		b.Log.Begin()
		defer b.Log.End()
		l.Log = b.Log.Message
	}
	l.Priority = b.queue.priority
	w.encoding.gpu = g
	l.Commands = &w.encoding
	var ended func(error)
	if g.observer.Load() != nil || g.measurer.Load() != nil {
		l.Hook, ended = g.observed(&Launched{Buffer: b, Pipeline: p, Turn: turn, Launch: l})
	}
	err := g.run(b, w, p, l)
	if w.index < 0 { // else the commands of an indirect command buffer are a series
		w.series.End()
	}
	if ended != nil {
		ended(err)
	}
	if wrong := w.encoding.take(); err == nil && wrong != nil {
		err = failure(CodeInvalidResource, "kernel %q: %w", p.Name, wrong)
	}
	l.Buffers, l.Textures, l.Samplers, l.Log, l.Hook, l.Space = nil, nil, nil, nil, nil, nil
	return err
}

// indirect runs a dispatch whose grid is in memory. One that has no threads does nothing, as on a
// GPU.
func (g *GPU) indirect(b *Buffer, w *worker, o *op) error {
	n := 3
	if o.flags&threadsInMemory != 0 {
		n = 6
	}
	var v [6]uint32
	if err := b.residentAt(o.call, "arguments", o.value); err != nil {
		return err
	}
	if err := g.words(b, o, "arguments", v[:n]); err != nil {
		return err
	}
	grid, group := [3]uint32(v[:3]), o.group
	if n == 6 {
		group = [3]uint32(v[3:])
	}
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return nil
	}
	if n == 6 {
		if err := o.pipeline.CheckGroup(widen(group), b.list.at(o.args).Memory); err != nil {
			return failure(CodeInvalidResource, "%s: the arguments in memory: %w", o.call, err)
		}
		return g.dispatch(b, w, o, grid, group)
	}
	if err := dispatch.CheckGrid(widen(grid), widen(group)); err != nil {
		return failure(CodeInvalidResource, "%s: the arguments in memory: %w", o.call, err)
	}
	for i := range grid {
		grid[i] *= group[i]
	}
	return g.dispatch(b, w, o, grid, group)
}

// words reads the words at an address that a command takes.
func (g *GPU) words(b *Buffer, o *op, what string, out []uint32) error {
	call, address := o.call, o.value
	m := g.memory.Space().Bytes(address)
	switch {
	case g.memory.RemoteView(address):
		return failure(CodeInvalidResource, "%s: the %s at address %#x are in a remote view, which only blits may read", call,
			what, address)
	case len(m) < 4*len(out):
		return failure(CodePageFault, "%s: %d bytes of %s at address %#x are in no buffer", call, 4*len(out), what, address)
	}
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(m[4*i:])
	}
	b.sequence.copies(o).Copied(nil, m[:4*len(out)])
	return nil
}

// awaitEvent waits for an event, or until the buffer must stop.
func (b *Buffer) awaitEvent(o *op) error {
	g := b.gpu
	if o.event.Value() >= o.value {
		return nil
	}
	resume := b.control.pause() // before others can see that it waits
	g.mu.Lock()
	if g.waiting == nil {
		g.waiting = map[*Event]int{}
	}
	g.waiting[o.event]++
	g.mu.Unlock()
	limit := g.limits.EventTimeout
	ok := o.event.Wait(o.value, limit, func() bool { return g.Removed() || b.control.Err() != nil })
	resume()
	g.mu.Lock()
	if g.waiting[o.event]--; g.waiting[o.event] == 0 {
		delete(g.waiting, o.event)
	}
	g.mu.Unlock()
	switch {
	case ok:
		return nil
	case g.Removed():
		return &Error{Code: CodeDeviceRemoved}
	}
	if err := b.control.Err(); err != nil {
		return fmt.Errorf("%s: %w", o.call, err)
	}
	return failure(CodeTimeout, "%s: the event has value %d, and did not reach %d in %v", o.call, o.event.Value(), o.value,
		limit.Round(time.Millisecond))
}

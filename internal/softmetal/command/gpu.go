package command

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// Memory is the device's table of objects, which addresses lead to. It is safe for concurrent use,
// also while kernels run.
type Memory interface {
	// Space returns the table as kernels use it.
	Space() *exec.Space
	// Add gives an object a number, Change other memory to a number, Remove takes it back.
	Add(o exec.Object) uint32
	Change(id uint32, o exec.Object)
	Remove(id uint32)
	// Bytes returns the memory from an address to the end of its object, or nil if there is none.
	Bytes(address uint64) []byte
	// RemoteView reports whether an address leads to a remote view, which Bytes reaches and kernels do
	// not.
	RemoteView(address uint64) bool
	// Begin marks the start of work that may use memory that is released meanwhile, End its end.
	Begin() (token uint64)
	End(token uint64)
	// Scratch accounts for what the engine needs for itself.
	exec.Scratch
}

// GPU is what all queues of a device share.
type GPU struct {
	engine *exec.Engine
	memory Memory
	limits Limits
	now    func() uint64 // the time in nanoseconds, never 0
	sleep  func(time.Duration)

	removedAt atomic.Uint64 // when it was removed; 0 while it is attached
	faults    faultsPointer
	count     atomic.Int64 // buffers that have begun to run
	trace     tracePointer

	attached attachedPointer // called by Remove and Restore
	observer observerPointer
	measurer observerPointer
	order    orderingPointer
	arranger arrangerPointer

	lists   sync.Pool // *list
	workers sync.Pool // *worker
	groups  sync.Pool // *together
	inline  inlineMemory

	mu        sync.Mutex
	waiting   map[*Event]int // events that queues wait for, to be woken when the device is removed
	icbs      map[uint32]*Indirect
	nextICB   uint32
	pipelines map[uint64]*dispatch.Pipeline // by handle, for commands that kernels encode

	// TextureAt returns the texture that a handle names, or nil if there is none. The owner sets it
	// before the first command buffer; without it, textures are not compared with the kernels'
	// arguments.
	TextureAt func(handle uint64) *dispatch.Texture
}

// Space returns the memory that kernels reach.
func (g *GPU) Space() *exec.Space { return g.memory.Space() }

// RemoteView reports whether an address leads to a remote view.
func (g *GPU) RemoteView(address uint64) bool { return g.memory.RemoteView(address) }

// Texture returns the texture that a handle names, or nil if there is none.
func (g *GPU) Texture(handle uint64) *dispatch.Texture {
	if g.TextureAt == nil {
		return nil
	}
	return g.TextureAt(handle)
}

// Limits bound what a buffer may do. Zero fields have defaults.
type Limits struct {
	Fuel         int64         // work of one dispatch, in the units of package lir
	Timeout      time.Duration // how long a buffer may run, without its waits for events; negative for no limit
	EventTimeout time.Duration // how long a queue waits for an event
	Schedule     exec.Schedule // of all dispatches; nil for the engine's own
}

// The times that limits have when they leave them open. Nothing sensible runs for as long on a
// software device, even on a slow machine.
const (
	DefaultTimeout      = 5 * time.Minute
	defaultEventTimeout = 10 * time.Second
)

// NewGPU returns a GPU that runs kernels on an engine, over some memory.
func NewGPU(engine *exec.Engine, memory Memory, limits Limits) *GPU {
	if limits.EventTimeout <= 0 {
		limits.EventTimeout = defaultEventTimeout
	}
	if limits.Timeout == 0 {
		limits.Timeout = DefaultTimeout
	}
	start := time.Now()
	g := &GPU{engine: engine, memory: memory, limits: limits,
		now: func() uint64 { return uint64(time.Since(start)) + 1 }, sleep: time.Sleep}
	g.lists.New = func() any { return new(list) }
	g.workers.New = func() any { return new(worker) }
	g.inline.memory = memory
	return g
}

// Now returns the GPU's time in nanoseconds, which is the CPU's. It always advances and is never 0.
func (g *GPU) Now() uint64 { return g.now() }

// Remove simulates the removal of the device: waits for events end, other running work continues
// for a few seconds at most, and everything after that fails.
func (g *GPU) Remove() {
	if !g.removedAt.CompareAndSwap(0, g.Now()) {
		return
	}
	g.wake()
	if fn := g.attached.Load(); fn != nil {
		(*fn)(false)
	}
}

// Restore brings back a removed device.
func (g *GPU) Restore() {
	if g.removedAt.Swap(0) == 0 {
		return
	}
	if fn := g.attached.Load(); fn != nil {
		(*fn)(true)
	}
}

// OnAttached makes fn be called with false when the device is removed and with true when it is
// restored, on whatever goroutine does so. fn must not wait for commands.
func (g *GPU) OnAttached(fn func(here bool)) { g.attached.Store(&fn) }

// Removed reports whether the device has been removed.
func (g *GPU) Removed() bool { return g.removedAt.Load() != 0 }

// OnCommit makes fn be called with each committed buffer, before it runs, and with a nil buffer at
// a boundary; a nil fn removes it.
func (g *GPU) OnCommit(fn func(*Queue, *Buffer)) {
	if fn == nil {
		g.trace.Store(nil)
		return
	}
	g.trace.Store(&fn)
}

// Kept returns how many objects the GPU keeps for inline bytes that come.
func (g *GPU) Kept() int {
	g.inline.mu.Lock()
	defer g.inline.mu.Unlock()
	return g.inline.kept
}

// Close releases what the GPU keeps for reuse. No buffer may be in flight.
func (g *GPU) Close() { g.inline.close() }

func (g *GPU) fuel(q *Queue, grid [3]int) int64 {
	if n := cmp.Or(q.fuel.Load(), g.limits.Fuel); n > 0 {
		return n
	}
	return dispatch.DefaultFuel(grid)
}

// run runs a kernel for a buffer.
func (g *GPU) run(b *Buffer, w *worker, p *dispatch.Pipeline, l *exec.Launch) error {
	l.Constants, l.Fuel, l.Budget, l.Scratch = p.Constants, g.fuel(b.queue, l.Grid), 0, g.memory
	l.Schedule, l.Cooperative = g.limits.Schedule, p.Cooperation.Begin()
	if a := g.arranger.Load(); a != nil {
		l.Schedule = (*a)(p, l)
	}
	account := b.workAccount()
	if err := account.limit(l); err != nil {
		return err
	}
	err := account.charge(l, w.series.Run(g.engine, &b.control, p.Code, l))
	p.Cooperation.Ended(l.Cooperative)
	return err
}

package exec

import (
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

// Improver is a Program that a faster one with the same results may replace.
type Improver interface {
	// Improve compiles the faster program; nil if there is none. It is called at most once, while
	// launches use the Program.
	Improve() Program
}

// Spent is the work of threadgroups, in units of fuel.
type Spent struct {
	All     int64
	Machine int64 // done by machine code
}

// hotWork is the work that a program does before a faster one is compiled: the interpreter takes
// some milliseconds for it, as long as compiling the longest kernels takes.
const hotWork = 1 << 22

// compiled is a kernel's program for a key.
type compiled struct {
	Program
	key    programKey
	worked atomic.Int64
	tried  atomic.Bool // to compile a faster one
	ended  atomic.Bool // that attempt
	better atomic.Pointer[compiled]
	worse  *compiled // which this one replaces, or nil
}

// best returns the fastest program there is.
func (p *compiled) best() *compiled {
	if b := p.better.Load(); b != nil {
		return b
	}
	return p
}

// spent counts the work of a program's threadgroups. It has a faster program compiled in the
// background once that is worth it; the crew compiles one at a time, and a program whose turn it is
// not has its next chance with its next threadgroups.
func (c *Crew) spent(k *Kernel, p *compiled, s Spent) {
	total.all.Add(s.All)
	total.machine.Add(s.Machine)
	i, ok := p.Program.(Improver)
	if !ok || p.worked.Add(s.All) < hotWork || p.tried.Load() || !c.compiling.CompareAndSwap(false, true) {
		return
	}
	if p.tried.Swap(true) {
		c.compiling.Store(false)
		return
	}
	c.alive.Add(1)
	go func() {
		defer c.alive.Done()
		defer c.compiling.Store(false)
		if b := improve(k, i); b != nil {
			p.better.Store(&compiled{Program: b, worse: p})
		}
		p.ended.Store(true)
	}()
}

// MayImprove reports whether a faster program for threadgroups of a shape may yet replace the one
// that they run, so that the times of launches until then say nothing about later ones.
func (k *Kernel) MayImprove(shape [3]int) bool {
	k.mu.Lock()
	p := k.programs[programKey{shape: shape}]
	k.mu.Unlock()
	if p == nil { // not run yet, or without a program
		return false
	}
	_, ok := p.Program.(Improver)
	return ok && !p.ended.Load()
}

// improve calls Improve. A mistake in a compiler must not end the program: the interpreter goes on.
func improve(k *Kernel, i Improver) (p Program) {
	defer func() {
		if e := recover(); e != nil {
			slog.Error("software device: a kernel could not be compiled to machine code; the interpreter runs it",
				"kernel", k.f.Name, "panic", e, "stack", string(debug.Stack()))
			p = nil
		}
	}()
	return i.Improve()
}

// total is the work of all threadgroups of the process.
var total struct{ all, machine atomic.Int64 }

// TotalSpent returns the work of all threadgroups that the process has executed.
func TotalSpent() Spent { return Spent{total.all.Load(), total.machine.Load()} }

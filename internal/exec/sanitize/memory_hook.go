package sanitize

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Commands checks launches against what else a device does. Its parts may be nil.
type Commands struct {
	History   *History
	Undefined *Undefined
}

// LaunchIn is Launch for a launch that is a command of a device. Ended must be called when the
// launch has ended. The turn is nil if it is unknown; then races with other commands are not found.
func (s *Sanitizer) LaunchIn(c Commands, turn Turn, l *exec.Launch) (h hook.Hook, ended func()) {
	if turn != nil {
		s = s.of(turn.Queue())
	}
	d := s.Launch(l).(*dispatcher)
	m := &commandHook{dispatcher: d}
	if s.kinds&sanitizer.Uninitialized != 0 {
		m.undefined = c.Undefined
	}
	if s.kinds&sanitizer.Race != 0 && c.History != nil && turn != nil {
		m.trace = newTrace(d.launch)
	}
	return m, func() {
		if m.trace != nil {
			c.History.launched(s, turn, m.trace)
		}
	}
}

// CopyIn follows a command that copies bytes, or only writes or only reads some.
func (s *Sanitizer) CopyIn(c Commands, turn Turn, call string, to, from []byte) {
	if turn != nil {
		s = s.of(turn.Queue())
	}
	if u := c.Undefined; u != nil && len(to) > 0 {
		if len(from) > 0 {
			u.Copied(addressOf(to), addressOf(from), uintptr(min(len(to), len(from))))
		} else {
			u.Written(addressOf(to), uintptr(len(to)))
		}
	}
	if s.kinds&sanitizer.Race != 0 && c.History != nil && turn != nil {
		c.History.copied(s, turn, call, to, from)
	}
}

// commandHook passes events on, after it has noted the accesses to device memory.
type commandHook struct {
	*dispatcher
	trace     *trace
	undefined *Undefined
}

// Load implements hook.Hook.
func (h *commandHook) Load(a *hook.Access) {
	h.dispatcher.Load(a) // which finds lanes that are out of bounds
	h.access(a, reads)
}

// Store implements hook.Hook.
func (h *commandHook) Store(a *hook.Access) {
	h.dispatcher.Store(a)
	h.access(a, writes)
}

// Atomic implements hook.Hook.
func (h *commandHook) Atomic(a *hook.Access) {
	h.dispatcher.Atomic(a)
	h.access(a, atomicMode(a.Instr.Op))
}

func atomicMode(op ir.Op) mode {
	switch op {
	case ir.OpAtomicLoad:
		return reads | isAtomic
	case ir.OpAtomicStore:
		return writes | isAtomic
	}
	return reads | writes | isAtomic
}

func (h *commandHook) access(a *hook.Access, m mode) {
	if h.trace != nil {
		h.trace.add(a, m)
	}
	if h.undefined != nil {
		h.undefined.access(h.launch.space, a, m, func(lane int) { groupOf(&a.Event).uninitialized(a, lane, m) })
	}
}

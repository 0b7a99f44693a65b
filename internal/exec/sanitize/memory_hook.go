package sanitize

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/sanitizer"
)

// Commands checks launches against what else a device does. Its parts may be nil.
type Commands struct {
	History   *History
	Undefined *Undefined

	// Lost says of a freed object what it was, and of one whose memory others have taken who has;
	// "" of all else. Taken reports whether there are any of the latter.
	Lost  func(object uint64) string
	Taken func() bool

	// MarkOf returns the byte that stands for a command of an indirect command buffer, by its handle,
	// and whether the device orders accesses to the buffer by itself; nil of no command.
	MarkOf func(handle uint64) (mark []byte, tracked bool)
}

// Copy is a command that copies bytes, or only writes or only reads some.
type Copy struct {
	Call      string
	To, From  []byte
	Untracked bool // the device does not order such accesses by itself
}

// LaunchIn is Launch for a launch that is a command of a device. Ended must be called when the
// launch has ended. The turn is nil if it is unknown; then races with other commands are not found.
func (s *Sanitizer) LaunchIn(c Commands, turn Turn, l *exec.Launch) (h hook.Hook, ended func()) {
	if turn != nil {
		s = s.of(turn.Queue())
	}
	d := s.Launch(l).(*watcher)
	m := &commandHook{watcher: d, kinds: s.kinds, lost: c.Lost, taken: c.Taken, markOf: c.MarkOf}
	if c.History != nil {
		m.holder = c.History.memory.Holder
	}
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

// CopyIn follows a copy.
func (s *Sanitizer) CopyIn(c Commands, turn Turn, x *Copy) {
	to, from := x.To, x.From
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
		c.History.copied(s, turn, x)
	}
}

// commandHook passes events on, after it has noted the accesses to device memory.
type commandHook struct {
	*watcher
	trace     *trace
	undefined *Undefined
	kinds     sanitizer.Kinds
	lost      func(object uint64) string
	taken     func() bool
	markOf    func(handle uint64) ([]byte, bool)
	holder    func(address uintptr) Holder
}

// known reports accesses to lost objects, and returns the access without them.
func (h *commandHook) known(a *hook.Access, m mode) *hook.Access {
	if h.lost == nil || a.Space != ir.Device && a.Space != ir.Constant || a.Out == (hook.Mask{}) && !h.taken() {
		return a
	}
	if a.From != nil { // all lanes access the same object
		if o := a.Rows.Object; o == 0 || o >= exec.FirstGlobal || h.lost(o) == "" {
			return a
		}
		a.Fill()
	}
	lost := hook.Mask{}
	var last uint64
	what := ""
	for l := range a.Lanes.All {
		o := a.Addrs[l] >> exec.OffsetBits
		if o == 0 || o >= exec.FirstGlobal {
			continue
		}
		if o != last {
			last, what = o, h.lost(o)
		}
		if what == "" {
			continue
		}
		if lost == (hook.Mask{}) && h.kinds&sanitizer.Freed != 0 {
			h.freed(a, l, m, what)
		}
		lost[l/32] |= 1 << (l % 32)
	}
	if lost == (hook.Mask{}) {
		return a
	}
	rest := *a
	for w := range lost {
		rest.Lanes[w] &^= lost[w]
		rest.Out[w] &^= lost[w]
	}
	return &rest
}

// freed reports an access to a lost object.
func (h *commandHook) freed(a *hook.Access, lane int, m mode, what string) {
	g := groupOf(&a.Event)
	f := g.finding(&a.Event, sanitizer.Freed, a.First+lane, m.String())
	g.where(f, a, lane)
	f.Message = fmt.Sprintf("%s of %s", noun(m), what)
	f.Advice = "keep the buffer until the commands that use it have ended"
	g.launch.s.add(f)
}

// Load implements hook.Hook.
func (h *commandHook) Load(a *hook.Access) {
	a = h.known(a, reads)
	h.watcher.Load(a) // which finds lanes that are out of bounds
	h.access(a, reads)
}

// Store implements hook.Hook.
func (h *commandHook) Store(a *hook.Access) {
	a = h.known(a, writes)
	h.watcher.Store(a)
	h.access(a, writes)
}

// Atomic implements hook.Hook.
func (h *commandHook) Atomic(a *hook.Access) {
	a = h.known(a, atomicMode(a.Instr.Op))
	h.watcher.Atomic(a)
	h.access(a, atomicMode(a.Instr.Op))
}

// Texels implements hook.Hook.
func (h *commandHook) Texels(t *hook.Texels) {
	h.watcher.Texels(t)
	if h.trace != nil {
		h.trace.texels(t)
	}
}

// Commands implements hook.Hook.
func (h *commandHook) Commands(c *hook.Commands) {
	if h.trace != nil && h.markOf != nil {
		h.trace.commands(c, h.markOf)
		groupOf(&c.Event).commands(c, h.markOf, h.holder)
	}
}

func (h *commandHook) access(a *hook.Access, m mode) {
	if a.Space != ir.Device && a.Space != ir.Constant {
		return
	}
	if h.trace != nil {
		h.trace.add(a, m)
	}
	if h.undefined != nil && h.undefined.some.Load() {
		a.Fill()
		h.undefined.access(h.launch.space, a, m, func(lane int) {
			g := groupOf(&a.Event)
			g.uninitialized(a, lane, m)
			g.report()
		})
	}
}

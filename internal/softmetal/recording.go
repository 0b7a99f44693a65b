package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/journal"
)

// recording is what encoders write to, and what their commands need until they have run. A command buffer is one; a command buffer of Metal 4
// has a new one each time that it is begun.
type recording struct {
	dev    *device
	rt     *objcsoft.Runtime
	id     objcsoft.ID // the command buffer
	buffer *command.Buffer

	retains  bool       // what the commands use
	declared *residency // what must be resident, where that is the program's to declare; else nil

	kept   []objcsoft.ID // retained until the commands have run
	ends   []func()      // what is to be done then
	recent [32]objcsoft.ID
}

// hold keeps an object until the commands have run.
func (r *recording) hold(id objcsoft.ID) {
	if id != 0 && r.rt.Retain(id) == nil {
		r.kept = append(r.kept, id)
	}
}

// keep holds on to an object that commands use. Those of a command buffer with unretained references are the program's to keep: a resource that
// is gone when its command runs has no memory any more, which reads as zeros.
func (r *recording) keep(id objcsoft.ID) {
	if id == 0 || !r.retains {
		return
	}
	if slot := &r.recent[uint(id)%uint(len(r.recent))]; *slot != id {
		*slot = id
		r.hold(id)
	}
}

// atEnd has f called when the commands have run, or will not.
func (r *recording) atEnd(f func()) { r.ends = append(r.ends, f) }

// finish gives back what was kept for the commands, and does what is to be done when they have run.
func (r *recording) finish() {
	adapter.Release(r.rt, r.kept...)
	r.kept = nil
	for _, f := range r.ends {
		f()
	}
	r.ends = nil
}

// newEncoder opens an encoder; nil after a misuse.
func (r *recording) newEncoder(c *objcsoft.Call, call string, kind command.PassKind, concurrent bool, samples []command.Boundary) *command.Encoder {
	if r.buffer.Status() >= command.Committed {
		adapter.Misuse(c, "the command buffer is committed")
		return nil
	}
	e := r.buffer.Begin(call, kind, concurrent, samples)
	if e == nil {
		adapter.Misuse(c, "an encoder of the command buffer has not ended")
		return nil
	}
	if err := c.RT.Retain(r.id); err != nil {
		e.End(call)
		c.Fail(err)
		return nil
	}
	return e
}

// needs notes that a command names a resource.
func (e *encoder) needs(call, what string, x resident) {
	if r := e.owner.declared; r != nil {
		r.needs = append(r.needs, need{call, what, x})
	}
}

// logTo has what kernels log go to an MTLLogState, or else to that of the environment.
func (r *recording) logTo(state objcsoft.ID) {
	l := r.dev.driver.logOf(state)
	if l == nil {
		return
	}
	if r.rt.Retain(state) != nil {
		return // it is gone
	}
	messages := journal.NewRecorder(l.journal)
	r.buffer.Log = messages
	r.atEnd(func() {
		if entries, dropped := messages.Take(); len(entries) > 0 || dropped > 0 {
			l.deliver(entries, dropped)
		}
		adapter.Release(r.rt, state)
	})
}

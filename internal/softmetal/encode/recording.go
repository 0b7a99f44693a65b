package encode

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/journal"
)

// Recording holds what encoders record, and what their commands need until they have run. A command
// buffer is one; a Metal 4 command buffer has a new one each time it is begun.
type Recording struct {
	Device *device.Device
	RT     *objcsoft.Runtime
	ID     objcsoft.ID // the command buffer
	Buffer *command.Buffer

	retains  bool              // what the commands use
	Declared *device.Residency // what is declared resident, if the program must declare it; else nil

	kept   []objcsoft.ID // retained until the commands have run
	ends   []func()      // what is to be done then
	recent [32]objcsoft.ID
}

// Hold keeps an object until the commands have run.
func (r *Recording) Hold(id objcsoft.ID) {
	if id != 0 && r.RT.Retain(id) == nil {
		r.kept = append(r.kept, id)
	}
}

// keep holds on to an object that commands use. With unretained references, the program must keep
// them alive: a resource that is gone when its command runs has no memory, and reads as zeros.
func (r *Recording) keep(id objcsoft.ID) {
	if id == 0 || !r.retains {
		return
	}
	if slot := &r.recent[uint(id)%uint(len(r.recent))]; *slot != id {
		*slot = id
		r.Hold(id)
	}
}

// atEnd has f called when the commands have run, or will not.
func (r *Recording) atEnd(f func()) { r.ends = append(r.ends, f) }

// Finish releases what was kept for the commands, and runs what was deferred until they have run.
func (r *Recording) Finish() {
	adapter.Release(r.RT, r.kept...)
	r.kept = nil
	for _, f := range r.ends {
		f()
	}
	r.ends = nil
}

// NewEncoder opens an encoder; nil after a misuse.
func (r *Recording) NewEncoder(c *objcsoft.Call, call string, kind command.PassKind, concurrent bool,
	samples []command.Boundary) *command.Encoder {
	if r.Buffer.Status() >= command.Committed {
		adapter.Misuse(c, "the command buffer is committed")
		return nil
	}
	e := r.Buffer.Begin(call, kind, concurrent, samples)
	if e == nil {
		adapter.Misuse(c, "an encoder of the command buffer has not ended")
		return nil
	}
	if err := c.RT.Retain(r.ID); err != nil {
		e.End(call)
		c.Fail(err)
		return nil
	}
	return e
}

// needs records that a command uses a resource.
func (e *Encoder) needs(call, what string, x device.Resident) {
	if r := e.Owner.Declared; r != nil {
		r.Needs = append(r.Needs, device.Need{Call: call, What: what, Resource: x})
	}
}

// LogTo sends kernels' log messages to an MTLLogState, or else to the one from the environment.
func (r *Recording) LogTo(state objcsoft.ID) {
	l := r.Device.Driver.LogOf(state)
	if l == nil {
		return
	}
	if r.RT.Retain(state) != nil {
		return // it is gone
	}
	messages := journal.NewRecorder(l.Journal)
	r.Buffer.Log = messages
	r.atEnd(func() {
		if entries, dropped := messages.Take(); len(entries) > 0 || dropped > 0 {
			l.Deliver(entries, dropped)
		}
		adapter.Release(r.RT, state)
	})
}

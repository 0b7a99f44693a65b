package command

import (
	"time"
)

// Faults are failures on demand, for tests of programs.
type Faults struct {
	CommandEvery int           // every n-th buffer fails; 0 for none
	CommandCode  Code          // with this code
	RemoveAfter  int           // the device is removed before buffer n+1 runs; 0 for never
	Slow         time.Duration // each buffer takes so much longer
}

// Inject sets the failures to make from the next buffer on, which counts as the first; nil ends
// them.
func (g *GPU) Inject(f *Faults) {
	g.count.Store(0)
	g.faults.Store(f)
}

// Begun returns how many buffers have begun since failures were injected, if there are any to make.
func (g *GPU) Begun() int { return int(g.count.Load()) }

// strike makes the failures that are due at a buffer.
func (f *Faults) strike(b *Buffer) error {
	n := b.gpu.count.Add(1)
	if f.Slow > 0 {
		b.gpu.sleep(f.Slow)
	}
	if f.RemoveAfter > 0 && n > int64(f.RemoveAfter) {
		b.gpu.Remove()
		return b.failed(-1, -1, &Error{Code: CodeDeviceRemoved})
	}
	if f.CommandEvery > 0 && n%int64(f.CommandEvery) == 0 {
		return b.affected(&Error{Code: f.CommandCode, Reason: "injected fault"})
	}
	return nil
}

// affected marks all encoders as affected by an error that none of them caused.
func (b *Buffer) affected(e *Error) error {
	if b.EncoderStates {
		e.Encoders = b.states(len(b.list.passes), len(b.list.ops))
		for i := range e.Encoders {
			e.Encoders[i].State = EncoderAffected
			e.Encoders[i].Signposts = []string{}
		}
	}
	return e
}

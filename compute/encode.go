package compute

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/outcome"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// encoding is the commands that a program encodes itself.
type encoding struct {
	accessList
	call  func(mtl.CommandBuffer) error
	needs []*outcome.Outcome // of other streams' commands, for which the device waits
	sets  []*outcome.Outcome
}

func (p *encoding) encode(e *encoder, _ *work) error { return e.program(p) }
func (p *encoding) summarize(s *commandSummary)      { s.form = "commands of the program" }
func (p *encoding) observe(e *observe.RecordEvent)   { e.Kind = observe.CommandEncode }
func (p *encoding) tally(n *streamCounters)          { n.encodes.Add(1) }

// always: outcomes are set while nothing is poisoned as well.
func (p *encoding) always() bool { return len(p.needs)+len(p.sets) > 0 }

func (p *encoding) poison(a *Accelerator, w *work, failed error) bool {
	if !p.always() {
		return false
	}
	for _, o := range p.needs {
		if failed == nil && o.Err() != nil { // of another accelerator
			failed = &poisonError{w.String(), "another device's memory", poisoned{err: o.Err(), derived: true}}
		}
	}
	err := a.settleAccesses(p.list, failed)
	for _, o := range p.sets {
		o.Set(err)
	}
	return true
}

// Encode records commands that the program encodes itself, for features of Metal that this package
// does not wrap, such as the kernels of Metal Performance Shaders. encode is called once, on
// another goroutine in an autorelease pool, before the command buffer is committed: it adds
// encoders to it and ends them. It must neither commit the command buffer nor wait for it, nor call
// methods of the stream. Its commands begin after the earlier ones of the stream have ended, and
// later ones begin after them.
//
// access lists all buffers that the commands access, by [Reads], [Writes] and [Overwrites]; they
// are kept alive until the commands have ended. [Buffer.Metal] returns Metal's buffers; call it
// before Encode. An error or panic of encode fails the command buffer, and [Stream.Sync] returns
// it.
func (s *Stream) Encode(ctx context.Context, encode func(mtl.CommandBuffer) error, access ...any) error {
	if err := checkCall(ctx, "stream: Encode", s.missing()); err != nil {
		return err
	}
	if encode == nil {
		return nilError("stream: Encode: the function")
	}
	p := &encoding{call: encode}
	w := work{command: p}
	access = slices.DeleteFunc(slices.Clone(access), p.outcome)
	if err := eachAccess(s.acc, access, p.add); err != nil {
		w.end()
		return fmt.Errorf("compute: stream: Encode: %w", err)
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	w.site = site[0]
	return s.record(ctx, w)
}

// outcome adds an access that is an outcome, and reports whether it is one.
func (p *encoding) outcome(access any) bool {
	switch o := access.(type) {
	case outcome.Sets:
		p.sets = append(p.sets, o.Outcome)
	case outcome.Needs:
		p.needs = append(p.needs, o.Outcome)
	default:
		return false
	}
	return true
}

// setFailure gives package outcome what only this package knows, before there is a buffer.
var setFailure = sync.OnceFunc(func() {
	outcome.Failure = func(buffer any) error {
		v, _, _ := buffer.(AnyBuffer).asArgument()
		return v.failure("copy")
	}
})

// eachAccess calls add for each buffer in a list of [Reads], [Writes] and
// [Overwrites].
func eachAccess(a *Accelerator, access []any, add func(rangeAccess) error) error {
	for i, list := range access {
		switch list := list.(type) {
		case uses:
			for j, b := range list.buffers {
				v, err := list.view(a, b)
				if err == nil {
					err = add(rangeAccess{view: v, reads: true, writes: list.writes})
				}
				if err != nil {
					return fmt.Errorf("access %d, buffer %d: %w", i, j, err)
				}
			}
		case overwrites:
			for j, item := range list {
				o, err := list.argument(a, item)
				if err == nil {
					err = add(rangeAccess{view: o.view, writes: true, whole: !o.partial})
				}
				if err != nil {
					return fmt.Errorf("access %d, item %d: %w", i, j, err)
				}
			}
		case outcome.Overwrites:
			o, err := overwrites{}.argument(a, list.Buffer)
			if err == nil {
				v := view{o.view.mem, o.view.offset + list.From, list.Bytes}
				err = add(rangeAccess{view: v, writes: true, whole: true})
			}
			if err != nil {
				return fmt.Errorf("access %d: %w", i, err)
			}
		default:
			return fmt.Errorf("access %d is a %T; want Reads, Writes or Overwrites: %w", i, list, ErrOption)
		}
	}
	return nil
}

// view checks a listed buffer.
func (u uses) view(a *Accelerator, b AnyBuffer) (view, error) {
	if b == nil || b.missing() {
		return view{}, ErrNil
	}
	v, _, readOnly := b.asArgument()
	switch {
	case v.mem.acc != a:
		return v, fmt.Errorf("%v %w", v.mem, ErrAccelerator)
	case readOnly && u.writes:
		return v, fmt.Errorf("%v is read-only, but Writes lists it: %w", v.mem, ErrStorage)
	}
	return v, nil
}

// accessList has the methods of a command that accesses the memory that the program lists.
type accessList struct {
	plainCommand
	list []rangeAccess
}

// add adds an access, whose use it counts.
func (l *accessList) add(a rangeAccess) error {
	if err := a.mem.use(); err != nil {
		return err
	}
	l.list = append(l.list, a)
	return nil
}

func (l *accessList) use() error {
	for i := range l.list {
		if err := l.list[i].mem.use(); err != nil {
			for _, a := range l.list[:i] {
				a.mem.done()
			}
			return err
		}
	}
	return nil
}

func (l *accessList) done() {
	for _, a := range l.list {
		a.mem.done()
	}
}

func (l *accessList) size() (n int) {
	for _, a := range l.list {
		n += int(a.length)
	}
	return n
}

func (l *accessList) accesses(list []rangeAccess) []rangeAccess { return append(list, l.list...) }

func (l *accessList) hazards(spans []span) []span {
	for _, a := range l.list {
		spans = append(spans, spanOf(a.view, a.writes))
	}
	return spans
}

// program encodes a program's own commands. Their encoders do not wait for the stream's fence, so
// events order them instead.
func (e *encoder) program(p *encoding) error {
	if err := e.inOrder(); err != nil {
		return err
	}
	if err := contain.Call(func() string { return "Encode on stream " + e.label }, func() (err error) {
		objc.Pool(func() { err = p.call(e.commands) })
		return err
	}); err != nil {
		return err
	}
	return e.inOrder()
}

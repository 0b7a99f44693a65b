package compute

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/outcome"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// encoding is the commands that a program encodes itself.
type encoding struct {
	stream.AccessList
	call  func(mtl.CommandBuffer) error
	needs []*outcome.Outcome // of other streams' commands, for which the device waits
	sets  []*outcome.Outcome
	epoch uint64 // of the device
}

func (p *encoding) Encode(e *stream.Encoder, _ *stream.Work) error { return encodeProgram(e, p) }
func (p *encoding) Summarize(s *stream.CommandSummary)             { s.Form = "commands of the program" }
func (p *encoding) Observe(e *observe.RecordEvent)                 { e.Kind = observe.CommandEncode }
func (p *encoding) Tally(n *stream.Counters)                       { n.Encodes.Add(1) }

// always: outcomes are set while nothing is poisoned as well.
func (p *encoding) Always() bool { return len(p.needs)+len(p.sets) > 0 }

func (p *encoding) Poison(a *stream.Device, w *stream.Work, failed error) bool {
	if !p.Always() {
		return false
	}
	for _, o := range p.needs {
		if failed == nil && o.Err() != nil { // of another accelerator
			failed = &stream.PoisonError{What: w.String(), Memory: "another device's memory",
				By: stream.Poisoned{Err: o.Err(), Derived: true}}
		}
	}
	err := a.SettleAccesses(p.List, failed)
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
	if err := stream.CheckCall(ctx, "stream: Encode", s.missing()); err != nil {
		return err
	}
	if encode == nil {
		return stream.NilError("stream: Encode: the function")
	}
	p := &encoding{call: encode, epoch: s.acc.core.Epoch.Load()}
	w := stream.Work{Command: p}
	access = slices.DeleteFunc(slices.Clone(access), p.outcome)
	if err := eachAccess(s.acc, access, p.Add); err != nil {
		w.End()
		return fmt.Errorf("compute: stream: Encode: %w", err)
	}
	var site [1]uintptr
	runtime.Callers(2, site[:])
	w.Site = site[0]
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
		return v.Failure("copy")
	}
})

// eachAccess calls add for each buffer in a list of [Reads], [Writes] and
// [Overwrites].
func eachAccess(a *Accelerator, access []any, add func(stream.RangeAccess) error) error {
	for i, list := range access {
		switch list := list.(type) {
		case uses:
			for j, b := range list.buffers {
				v, err := list.view(a, b)
				if err == nil {
					err = add(stream.RangeAccess{View: v, Reads: true, Writes: list.writes})
				}
				if err != nil {
					return fmt.Errorf("access %d, buffer %d: %w", i, j, err)
				}
			}
		case overwrites:
			for j, item := range list {
				o, err := list.argument(a, item)
				if err == nil {
					err = add(stream.RangeAccess{View: o.View, Writes: true, Whole: !o.Partial})
				}
				if err != nil {
					return fmt.Errorf("access %d, item %d: %w", i, j, err)
				}
			}
		case outcome.Overwrites:
			o, err := overwrites{}.argument(a, list.Buffer)
			if err == nil {
				v := stream.ViewOf(o.View.Mem, o.View.Offset+list.From, list.Bytes)
				err = add(stream.RangeAccess{View: v, Writes: true, Whole: true})
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
func (u uses) view(a *Accelerator, b AnyBuffer) (stream.View, error) {
	if b == nil || b.missing() {
		return stream.View{}, ErrNil
	}
	v, _, readOnly := b.asArgument()
	switch {
	case v.Mem.Acc != &a.core:
		return v, fmt.Errorf("%v %w", v.Mem, ErrAccelerator)
	case readOnly && u.writes:
		return v, fmt.Errorf("%v is read-only, but Writes lists it: %w", v.Mem, ErrStorage)
	}
	return v, nil
}

// program encodes a program's own commands. Their encoders do not wait for the stream's fence, so
// events order them instead.
func encodeProgram(e *stream.Encoder, p *encoding) error {
	if err := e.InOrder(); err != nil {
		return err
	}
	if err := contain.Call(func() string { return "Encode on stream " + e.Label }, func() (err error) {
		objc.Pool(func() { err = p.call(e.Commands) })
		return err
	}); err != nil {
		return err
	}
	return e.InOrder()
}

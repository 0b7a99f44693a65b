package compute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute/internal/guard"
	"github.com/puremetal/puremetal/compute/internal/stream"
)

// setHooks tells package resilience what this package does for it, before there is an accelerator.
var setHooks = sync.OnceFunc(func() {
	guard.Compute = guard.Hooks{
		Attach: func(a any, g guard.Guard, o guard.Options) {
			acc := a.(*Accelerator)
			acc.core.Guard, acc.core.Guarded, acc.core.Hurry = g, o, acc.hurryGuarded
		},
		Lose:   func(a any, why func(string) error) []string { return a.(*Accelerator).lose(why) },
		ToHost: func(ctx context.Context, a any) error { return a.(*Accelerator).toHost(ctx) },
		Adopt: func(ctx context.Context, a, opened any) error {
			return a.(*Accelerator).adopt(ctx, opened.(*Accelerator))
		},
		NewStream: func(a any, label string) (any, error) {
			return a.(*Accelerator).newStream(StreamOptions{Label: label}, false)
		},
		Hold:    func(s any) { s.(*Stream).holdBack() },
		Discard: func(s any) { s.(*Stream).discard() },
		Leaked:  withoutLeaks,
	}
})

// withoutLeaks returns an error of Accelerator.Close without the list of open objects.
func withoutLeaks(err error) error {
	if _, ok := err.(*LeakError); ok {
		return nil
	}
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var errs []error
	for _, e := range list.Unwrap() {
		errs = append(errs, withoutLeaks(e))
	}
	if len(errs) > 0 && !slices.ContainsFunc(list.Unwrap(), func(e error) bool {
		_, leak := e.(*LeakError)
		return leak
	}) {
		return err // as it was
	}
	return errors.Join(errs...)
}

// protect calls a function that uses the device and may be called again.
func (a *Accelerator) protect(ctx context.Context, what string, fn func() error) error {
	if a.core.Guard == nil || guard.IsInside(ctx) {
		return fn()
	}
	return a.core.Guard.Do(ctx, what, fn)
}

// streamGuard is what a guarded stream has besides. Who submits its batches owns it.
type streamGuard struct {
	retries float64
}

// guardStream makes a new stream a guarded one.
func (s *Stream) guardStream() {
	s.guarded = &streamGuard{retries: math.NaN()}
	b := &s.submission.batching
	b.Commands, b.Delay, b.InFlight = s.acc.core.Guarded.Commands, s.acc.core.Guarded.Delay, 1
}

// holdBack lets the delay of the stream's batches last until somebody waits.
func (s *Stream) holdBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submission.batching.Delay = math.MaxInt64
}

// discard forgets the pending commands: they do nothing.
func (s *Stream) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &s.submission.pending
	for i := q.head; i < len(q.works); i++ {
		w := &q.works[i]
		switch w.Command.(type) {
		case *signalCommand, *waitCommand, *stream.CallbackCommand:
		default:
			w.Command, w.Of, w.Account = &discarded{w.Command}, nil, 0
		}
	}
}

// discarded is a command that is not executed.
type discarded struct{ stream.Command }

func (d *discarded) Side() stream.Side                                       { return stream.ByOrder }
func (d *discarded) Encode(*stream.Encoder, *stream.Work) error              { return nil }
func (d *discarded) Launched() *stream.Launch                                { return nil }
func (d *discarded) Size() int                                               { return 0 }
func (d *discarded) Accesses(list []stream.RangeAccess) []stream.RangeAccess { return list }
func (d *discarded) Hazards(spans []stream.Span) []stream.Span               { return spans }
func (d *discarded) Recorded()                                               {}

// hurryGuarded lets the guarded streams execute what they have, because somebody waits.
func (a *Accelerator) hurryGuarded() {
	for _, s := range a.openStreams() {
		s.Flush()
	}
}

// guardedBatch is the commands of a batch of a guarded stream: guard.Work.
type guardedBatch struct {
	batch    *batch
	from, to int // of its commands
}

// runGuarded executes the batch under the guard. The submitting goroutine calls it, which owns the
// stream's Metal objects meanwhile.
func (b *batch) runGuarded() {
	s := b.stream
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	s.mu.Lock()
	b.stop = stop
	canceled := b.canceled
	s.mu.Unlock()
	if canceled != nil {
		stop(canceled)
	}
	// Others wait on the host, so that nobody holds what they need while he waits.
	for before := b.unsettled(); before != nil && ctx.Err() == nil; before = b.unsettled() {
		select {
		case <-before:
		case <-ctx.Done():
		}
	}
	b.observeCommit()
	w := &guardedBatch{b, 0, len(b.works)}
	if b.endsWithHost() {
		w.to--
	}
	var err error
	switch {
	case ctx.Err() != nil:
		err = b.executionError(errNotRun)
	case w.Len() > 0:
		err = s.acc.core.Guard.Run(ctx, w)
	}
	if err == nil && w.to < len(b.works) { // the host's part uses memory as well
		err = s.acc.core.Guard.Do(ctx, "memory of the host's part",
			func() error { return w.prepare(guard.Inside(ctx), true) })
	}
	s.mu.Lock()
	b.stop = nil
	s.mu.Unlock()
	if err == nil {
		for i := range b.works {
			if c, ok := b.works[i].Command.(*signalCommand); ok {
				c.event.setTimestamp(c.serial, b.times[1])
			}
		}
	}
	s.finish(b, err)
}

func (w *guardedBatch) Stream() string       { return w.batch.stream.label }
func (w *guardedBatch) Len() int             { return w.to - w.from }
func (w *guardedBatch) works() []stream.Work { return w.batch.works[w.from:w.to] }

func (w *guardedBatch) Part(from, to int) guard.Work {
	return &guardedBatch{w.batch, w.from + from, w.from + to}
}

// Retries implements guard.Work: NaN at first.
func (w *guardedBatch) Retries() *float64 { return &w.batch.stream.guarded.retries }

func (w *guardedBatch) Kernels() (names []string) {
	for i := range w.works() {
		if l := w.works()[i].Launched(); l != nil && !slices.Contains(names, l.Kernel.Name) {
			names = append(names, l.Kernel.Name)
		}
	}
	return names
}

// each calls fn for the accesses of the commands, in order.
func (w *guardedBatch) each(fn func(i int, list []stream.RangeAccess)) {
	var list []stream.RangeAccess
	for i := range w.works() {
		list = w.works()[i].Accesses(list[:0])
		fn(i, list)
	}
}

// Repeatable implements guard.Work. A command may be executed again if nothing that it or a later
// one overwrites is read by it or an earlier one, or if what is overwritten has a host copy.
func (w *guardedBatch) Repeatable(lost bool) (why error) {
	var read []stream.RangeAccess
	w.each(func(i int, list []stream.RangeAccess) {
		for _, a := range list {
			if !a.Reads || a.Commands == nil && a.Mem.Kept() {
				continue
			}
			if lost && why == nil && !w.made(i, &a) && (a.Commands == nil || a.Commands.LostWithDevice()) {
				why = fmt.Errorf("%v reads %v, which has no host copy", &w.works()[i], nameOf(&a))
			}
			read = append(read, a)
		}
		for _, a := range list {
			for j := range read {
				if a.Writes && why == nil && meet(&a, &read[j]) {
					why = fmt.Errorf("a command reads %v, which it or a later one, %v, writes, and it has no host copy",
						nameOf(&a), &w.works()[i])
				}
			}
		}
	})
	return why
}

// nameOf names what is accessed.
func nameOf(a *stream.RangeAccess) string {
	if a.Commands != nil {
		return a.Commands.Life.String()
	}
	return a.Mem.String()
}

// meet reports whether two accesses have something in common.
func meet(a, o *stream.RangeAccess) bool {
	return a.Commands == o.Commands && a.Mem == o.Mem && a.Offset < o.Offset+o.Length && o.Offset < a.Offset+a.Length
}

// made reports whether all that an access of command i reads is overwritten by an earlier command.
func (w *guardedBatch) made(i int, a *stream.RangeAccess) bool {
	for n := range w.works()[:i] {
		for _, o := range w.works()[n].Accesses(nil) {
			if o.Whole && !o.Reads && o.Commands == a.Commands && o.Mem == a.Mem && o.Offset <= a.Offset &&
				a.Offset+a.Length <= o.Offset+o.Length {
				return true
			}
		}
	}
	return false
}

// prepare fails if the commands read what was lost, and gives memory with a host copy its contents.
// all: those of the whole batch.
func (w *guardedBatch) prepare(ctx context.Context, all bool) (err error) {
	if all {
		w = &guardedBatch{w.batch, 0, len(w.batch.works)}
	}
	acc := w.batch.stream.acc
	w.each(func(i int, list []stream.RangeAccess) {
		if err == nil {
			err = acc.current(ctx, &w.works()[i])
		}
		for _, a := range list {
			if err != nil {
				return
			}
			if lost := a.LostRead(); lost != nil && !w.made(i, &a) {
				err = fmt.Errorf("compute: %v: %w", &w.works()[i], lost)
			}
			if err == nil && a.Commands == nil {
				err = refresh(ctx, a.Mem)
			}
		}
	})
	return err
}

// Run implements guard.Work.
func (w *guardedBatch) Run(ctx context.Context, how guard.Manner) (err error) {
	defer func() {
		if err != nil {
			w.spoil()
		}
	}()
	if err := w.prepare(ctx, false); err != nil {
		return err
	}
	switch {
	case how.CPU:
		err = w.runOnCPU(ctx)
	case how.Part > 0:
		err = w.runInParts(ctx, how)
	default:
		err = w.try(ctx, w.works())
	}
	if err != nil {
		return err
	}
	return w.save(ctx)
}

// spoil notes that the device's memory may differ from its host copy.
func (w *guardedBatch) spoil() {
	w.each(func(_ int, list []stream.RangeAccess) {
		for _, a := range list {
			if a.Writes && a.Commands == nil {
				a.Mem.SpoilCopy()
			}
		}
	})
}

// save copies what the commands have written to the host copies: all of it or nothing.
func (w *guardedBatch) save(ctx context.Context) (err error) {
	written := map[*stream.Memory]stream.View{}
	w.each(func(_ int, list []stream.RangeAccess) {
		for _, a := range list {
			if !a.Writes || a.Commands != nil || !a.Mem.Kept() {
				continue
			}
			v, ok := written[a.Mem]
			if !ok {
				written[a.Mem] = a.View
				continue
			}
			from, to := min(v.Offset, a.Offset), max(v.Offset+v.Length, a.Offset+a.Length)
			written[a.Mem] = stream.ViewOf(a.Mem, from, to-from)
		}
	})
	for _, v := range written {
		if err := fetch(ctx, v.Mem, v.Offset, min(v.Length, v.Mem.Length-v.Offset)); err != nil {
			return err
		}
	}
	for _, v := range written {
		v.Mem.KeepFetched(v.Offset, min(v.Length, v.Mem.Length-v.Offset))
	}
	return nil
}

// try executes commands once as one command buffer.
func (w *guardedBatch) try(ctx context.Context, works []stream.Work) error {
	b := w.batch
	s := b.stream
	t := &batch{stream: s, number: b.number, of: b, attempt: make(chan error, 1)}
	for i := range works {
		switch works[i].Command.(type) {
		case *waitCommand, *signalCommand, *stream.CallbackCommand, *discarded: // see runGuarded and settle
		default:
			t.works = append(t.works, works[i])
		}
	}
	if len(t.works) == 0 {
		return nil
	}
	t.submit()
	var err error
	select {
	case err = <-t.attempt:
	case <-ctx.Done():
		s.metal.cancel(s.acc, context.Cause(ctx))
		if errors.Is(context.Cause(ctx), ErrDeviceLost) { // it does not end, so that nobody waits for it
			return t.executionError(context.Cause(ctx))
		}
		err = <-t.attempt
	}
	b.took += t.took
	if b.times[0] == 0 {
		b.times[0] = t.times[0]
	}
	b.times[1] = t.times[1]
	b.launchTimes = append(b.launchTimes, t.launchTimes...)
	return err
}

// runInParts executes launches in parts, and other commands as they are.
func (w *guardedBatch) runInParts(ctx context.Context, how guard.Manner) error {
	works := w.works()
	for i := range works {
		core, ok := works[i].Command.(*stream.Launch)
		if ok && works[i].Of == nil {
			l := launchOf(core)
			p, err := l.parts(ctx, PartOptions{Target: how.Part})
			switch {
			case err == nil:
				how.InParts()
				for p.next < p.groups {
					if err := w.tryPart(ctx, p, &works[i]); err != nil {
						return err
					}
				}
				continue
			case !errors.Is(err, ErrParts):
				return &LaunchError{Kernel: core.Kernel.Name, Err: err}
			}
		}
		if err := w.try(ctx, works[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// tryPart executes the next part.
func (w *guardedBatch) tryPart(ctx context.Context, p *parts, of *stream.Work) error {
	n := min(p.size, p.groups-p.next)
	part := *of
	part.Command = &p.part(n).core
	before, began := w.batch.took, w.batch.stream.acc.now()
	if err := w.try(ctx, []stream.Work{part}); err != nil {
		return err
	}
	took := w.batch.took - before
	if took == 0 {
		took = w.batch.stream.acc.now().Sub(began)
	}
	p.ran(n, took)
	return nil
}

// runOnCPU executes the commands by the CPU of WithFallback.
func (w *guardedBatch) runOnCPU(ctx context.Context) error {
	for i := range w.works() {
		if err := w.onCPU(ctx, &w.works()[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *guardedBatch) onCPU(ctx context.Context, of *stream.Work) error {
	s := w.batch.stream
	refused := func(why string) error { return fmt.Errorf("compute: %v: %w: %s", of, ErrFallback, why) }
	switch c := of.Command.(type) {
	case *waitCommand, *signalCommand, *stream.CallbackCommand, *discarded:
		return nil
	case *stream.CopyCommand:
		from, err := onHost(c.From)
		if err != nil {
			return refused(err.Error())
		}
		return writeHost(c.To, from)
	case *stream.FillCommand:
		return writeHost(c.To, slices.Repeat([]byte{c.Value}, int(c.To.Length)))
	case *stream.SynchronizeCommand:
		return nil
	case *stream.Launch:
		if of.Of != nil {
			return refused("it is a part of a longer call")
		}
		l := launchOf(c)
		if err := l.ordinary(); err != nil {
			return err
		}
		r, err := s.fallbackRun(ctx, l)
		if err != nil {
			return err
		}
		works, err := r.works()
		if err != nil {
			return err
		}
		defer stream.EndAll(works)
		for i := range works {
			if works[i].Command != stream.Command(r) {
				if err := w.try(ctx, works[i:i+1]); err != nil {
					return err
				}
				continue
			}
			t := &batch{stream: s, number: w.batch.number, of: w.batch, works: works[i : i+1]}
			if err := t.runFallback(ctx); err != nil {
				return err
			}
		}
		s.stats.Fallbacks.Add(1)
		return nil
	}
	return refused("only launches, copies and fills of buffers can")
}

// onHost returns the bytes of a range that the host can access.
func onHost(v stream.View) ([]byte, error) {
	if err := v.Mem.Visible(); err != nil {
		return nil, err
	}
	return v.Mem.Buffer.BytesAt(v.Offset, v.Length)
}

// writeHost overwrites a range that the host can access.
func writeHost(v stream.View, data []byte) error {
	if err := v.Mem.Visible(); err != nil {
		return fmt.Errorf("%w: %w", ErrFallback, err)
	}
	return v.Mem.Write(v.Offset, data)
}

// launchOf returns the launch that a command is.
func launchOf(l *stream.Launch) *Launch { return &Launch{kernel: l.Kernel.Owner.(*Kernel), core: *l} }

// endless reports whether the delay of a stream's batches lasts until somebody waits.
func endless(d time.Duration) bool { return d == math.MaxInt64 }

package compute

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/plainmetal"
	"github.com/puremetal/puremetal/mtl"
)

// WithGridPhases makes the accelerator split kernels that synchronize the grid into phases, as
// every device but the software device does: to test on one machine what others run.
func WithGridPhases() Option {
	return func(c *config) error {
		c.phases = true
		return nil
	}
}

// translates reports whether the device's compiler does not get source as it is.
func (a *Accelerator) translates(source string) bool {
	return a.info.GridSync().Phases && strings.Contains(source, ownHeaders)
}

// translate returns a program that every Metal compiler takes, with options for it: of one kernel
// in another form, or of all kernels if key is zero.
func (a *Accelerator) translate(ctx context.Context, source string, o CompileOptions, key formKey) (
	*plainmetal.Program, CompileOptions, error) {
	bindless, window := key.kernel, ""
	if key.window {
		bindless, window = "", key.kernel
	}
	p, err := plainmetal.Source(ctx, plainmetal.Options{Name: o.Name, Text: source, Macros: o.Macros,
		Language: int(o.Language>>16)*100 + int(o.Language&0xffff)*10, Safe: *o.Math == mtl.MathModeSafe,
		Relaxed: *o.Math == mtl.MathModeRelaxed, Precise: o.PreciseFunctions,
		Bindless: bindless, Window: window})
	var wrong *plainmetal.CompileError
	var flow *plainmetal.FlowError
	switch {
	case errors.As(err, &flow):
		return nil, o, fmt.Errorf("compute: compiling %s: %w: %w", o.Name, ErrGridSync, err)
	case errors.As(err, &wrong):
		e := &CompileError{Name: o.Name, Err: wrong}
		for _, m := range wrong.Errors {
			e.Diagnostics = append(e.Diagnostics, mtl.Diagnostic{File: m.File, Line: m.Line, Column: m.Column,
				Severity: mtl.SeverityError, Message: m.Message})
		}
		return nil, o, e
	case err != nil:
		return nil, o, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	safe := mtl.MathModeSafe
	o.Math, o.PreciseFunctions, o.Macros = &safe, true, nil
	return p, o, nil
}

// parameters returns the parameters that a program passes to a kernel, from the pipeline's
// reflection. Translated kernels have two more if they were split, and their structures are bytes,
// so that only sizes can be checked.
func (p *Program) parameters(all []Parameter, split *plainmetal.Phased) []Parameter {
	if p.phased == nil {
		return all
	}
	all = slices.DeleteFunc(slices.Clone(all), func(x Parameter) bool {
		return split != nil && x.Kind == BufferParameter && (x.Index == uint(split.Frame) || x.Index == uint(split.Control))
	})
	for i := range all {
		if t := all[i].typ; t != nil && t.isStructured {
			all[i].typ = nil
		}
	}
	return all
}

// Numbers of launches that are recorded before the host looks whether the grid has ended: the first
// time, if the kernel has not run before, and at most. Each time there are twice as many.
const (
	firstPhases = 8
	mostPhases  = 64
)

// phasedRun is a launch of a kernel that was split.
type phasedRun struct {
	stream.PlainComposite
	launch  *Launch
	p       *plainmetal.Phased
	frame   *Buffer[byte]
	control *Buffer[byte]
	records int  // of the control buffer that launches begin with
	next    int  // how many of them the next launches recorded in advance use: the last ones
	timed   bool // each phase has a command buffer of its own

	mu       sync.Mutex
	launches int // of those recorded in advance, that have ended
	failed   bool
	result   CooperativeRun
}

// launchPhases records the launches of a kernel that was split. Where phases may repeat, the host
// looks after some of them whether there are more.
func (s *Stream) launchPhases(ctx context.Context, l *Launch, site uintptr) error {
	what := fmt.Sprintf("kernel %q, which this device splits at its grid syncs,", l.kernel.core.Name)
	if err := s.capturing(what); err != nil {
		return err
	}
	r := &phasedRun{launch: l, p: l.kernel.phased, timed: l.kernel.timed.Load()}
	works, err := r.works(s)
	r.frame.Close() // the commands use them
	r.control.Close()
	if err != nil {
		return &LaunchError{Kernel: l.kernel.core.Name, Err: err}
	}
	for i := range works {
		works[i].Site = site
	}
	s.share(works)
	if _, err := s.recordAll(ctx, works); err != nil {
		return err
	}
	for i := range works {
		works[i].Counted()
	}
	return nil
}

// works returns the commands of a run. Their uses are counted.
func (r *phasedRun) works(s *Stream) (works []stream.Work, err error) {
	r.records, r.next = r.p.Phases, r.p.Phases
	if r.p.Loops {
		r.records, r.next = mostPhases, firstPhases
		if last := r.launch.kernel.lastPhased.Load(); last != nil { // probably as many again
			r.next = int(min(max(last.Phases, 1), mostPhases))
		}
	}
	private, shared := mtl.StorageModePrivate, mtl.StorageModeShared
	groups := r.launch.core.Extent()
	bytes := r.p.FrameBytes(int64(r.launch.core.Count), int64(r.launch.core.Groups()))
	if r.frame, err = NewBuffer[byte](s.acc, int(bytes), BufferOptions{Storage: &private}); err != nil {
		return nil, err
	}
	stride := int(r.p.ControlBytes)
	if r.control, err = NewBuffer[byte](s.acc, (r.records+1)*stride, BufferOptions{Storage: &shared}); err != nil {
		return nil, err
	}
	r.result.Bytes = bytes + int64(r.control.Size())
	first := make([]byte, stride)
	for i, v := range [4]uint{1, groups.Width, groups.Height, groups.Depth} {
		binary.LittleEndian.PutUint32(first[4*i:], uint32(v))
	}
	if works, err = r.advance(first); err != nil {
		return nil, err
	}
	if r.p.Loops {
		end := r.record(r.records, 1)
		again := func() ([]stream.Work, error) {
			_ = end.Mem.Read(end.Offset, first) // as the decision did
			return r.advance(first)
		}
		loop := &stream.Loop{Cond: end, Flag: end, Once: works[:1:1], Each: 1, Most: math.MaxInt, Body: again}
		works = append(works, stream.Work{Command: &stream.Branch{Loop: loop, Top: true}, Of: r})
	}
	return works, stream.UseAll(works)
}

// advance returns launches for the next phases, the first of which begins with the given record. No
// launch is using the control buffer.
func (r *phasedRun) advance(first []byte) ([]stream.Work, error) {
	all := r.record(0, r.records+1)
	data, err := all.Mem.Buffer.BytesAt(all.Offset, all.Length)
	if err != nil {
		return nil, err
	}
	clear(data)
	begin := r.records - r.next
	copy(data[begin*int(r.p.ControlBytes):], first)
	all.Mem.Written(all.Offset, all.Length)
	all.Mem.KeepWritten(all.Offset, all.Length)
	works := make([]stream.Work, 0, r.next+1)
	for i := begin; i < r.records; i++ {
		works = append(works, r.phase(i))
	}
	r.next = min(2*r.next, r.records)
	return works, nil
}

// record returns n records of the control buffer.
func (r *phasedRun) record(i, n int) stream.View {
	v := r.control.view()
	v.Offset += uint(i) * uint(r.p.ControlBytes)
	v.Length = uint(n) * uint(r.p.ControlBytes)
	return v
}

// phase returns the launch for the phase that a record has: it does nothing if the grid has ended.
func (r *phasedRun) phase(record int) stream.Work {
	l := *r.launch
	l.core.Search = nil
	l.core.Args = append(slices.Clone(l.core.Args),
		stream.Argument{Kind: stream.BufferParameter, Index: uint(r.p.Frame), Writes: true, View: r.frame.view()},
		stream.Argument{Kind: stream.BufferParameter, Index: uint(r.p.Control), Writes: true, View: r.record(record, 2)})
	l.core.Spans = stream.SpansOf(l.core.Args)
	if l.core.Whole() {
		l.core.Counts = r.record(record, 1)
		l.core.Counts.Offset += plainmetal.ControlGroups
	}
	return stream.Work{Command: &l.core, Of: r}
}

func (r *phasedRun) Alone() bool { return r.timed }

// ended counts a phase that has ended.
func (r *phasedRun) Ended(w *stream.Work, took time.Duration, err error) {
	if l := w.Launched(); l != nil {
		r.note(l, took, err)
	}
}

// note counts a launch that has ended in a batch, which took the given time of the device. The uses
// of the launch have not ended.
func (r *phasedRun) note(l *stream.Launch, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	control := &l.Args[len(l.Args)-1].View
	var phase [4]byte
	if err = cmp.Or(err, control.Mem.Read(control.Offset, phase[:])); err != nil {
		r.failed = true
		return
	}
	if binary.LittleEndian.Uint32(phase[:]) != 0 {
		r.result.Phases++
		if r.timed && len(r.result.Times) < mostTimes {
			r.result.Times = append(r.result.Times, took)
		}
	}
}

// settle notes that a command of the run and all before it have ended, and after the last one makes
// the figures those of the kernel, unless the run failed.
func (r *phasedRun) Settle(w *stream.Work, err error, _ uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, looks := w.Command.(*stream.Branch)
	last := looks && !b.Again
	if !looks {
		r.launches++
		last = !r.p.Loops && r.launches == r.p.Phases
	}
	if r.failed = r.failed || err != nil; last && !r.failed {
		result := r.result
		r.launch.kernel.lastPhased.Store(&result)
	}
}

package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/translate"
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

// translate returns source that every Metal compiler takes, with options for it, and the kernels
// that were split.
func (a *Accelerator) translate(ctx context.Context, source string, o CompileOptions) (string, CompileOptions,
	map[string]*translate.Phased, error) {
	p, err := translate.Source(ctx, translate.Options{Name: o.Name, Text: source, Macros: o.Macros,
		Language: int(o.Language>>16)*100 + int(o.Language&0xffff)*10, Safe: *o.Math == mtl.MathModeSafe,
		Relaxed: *o.Math == mtl.MathModeRelaxed, Precise: o.PreciseFunctions})
	var wrong *translate.CompileError
	var flow *translate.FlowError
	switch {
	case errors.As(err, &flow):
		return "", o, nil, fmt.Errorf("compute: compiling %s: %w: %w", o.Name, ErrGridSync, err)
	case errors.As(err, &wrong):
		e := &CompileError{Name: o.Name, Err: wrong}
		for _, m := range wrong.Errors {
			e.Diagnostics = append(e.Diagnostics, mtl.Diagnostic{File: m.File, Line: m.Line, Column: m.Column,
				Severity: mtl.SeverityError, Message: m.Message})
		}
		return "", o, nil, e
	case err != nil:
		return "", o, nil, fmt.Errorf("compute: compiling %s: %w", o.Name, err)
	}
	safe := mtl.MathModeSafe
	o.Math, o.PreciseFunctions, o.Macros = &safe, true, nil
	return p.Text, o, p.Phased, nil
}

// parameters returns the parameters that a program passes to a kernel, from the pipeline's
// reflection. Translated kernels have two more if they were split, and their structures are bytes,
// so that only sizes can be checked.
func (p *Program) parameters(all []Parameter, split *translate.Phased) []Parameter {
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

// Numbers of launches that are recorded before the host looks whether the grid has ended.
const (
	firstPhases = 8
	mostPhases  = 64
)

// launchPhases records the launches of a kernel that was split. Where phases may repeat, it waits
// to see how often. It must be called like launch, one frame deeper.
func (s *Stream) launchPhases(ctx context.Context, l *Launch) error {
	p := l.kernel.phased
	what := fmt.Sprintf("kernel %q, which this device splits at its grid syncs,", l.kernel.name)
	if err := s.capturing(what); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(4, site[:])
	threads, groups := int64(l.count), int64(l.groups())
	private, shared := mtl.StorageModePrivate, mtl.StorageModeShared
	frame, err := NewBuffer[byte](s.acc, int(p.FrameBytes(threads, groups)), BufferOptions{Storage: &private})
	if err != nil {
		return &LaunchError{Kernel: l.kernel.name, Err: err}
	}
	defer frame.Close()
	n := p.Phases
	if p.Loops {
		n = firstPhases
	}
	for phase := uint32(1); phase != 0; {
		control, err := NewBuffer[byte](s.acc, (n+1)*translate.ControlStride, BufferOptions{Storage: &shared})
		if err != nil {
			return &LaunchError{Kernel: l.kernel.name, Err: err}
		}
		data, err := control.Data()
		if err == nil {
			clear(data)
			binary.LittleEndian.PutUint32(data, phase)
			err = s.recordPhases(ctx, l, frame, control, n, site[0])
		}
		if err == nil && p.Loops {
			if _, err = s.drain(ctx); err == nil {
				phase = binary.LittleEndian.Uint32(data[n*translate.ControlStride:])
			}
		} else {
			phase = 0
		}
		control.Close()
		if err != nil {
			return err
		}
		n = min(2*n, mostPhases)
	}
	return nil
}

// recordPhases records n launches, each for the phase that the one before has chosen; those after
// the end do nothing.
func (s *Stream) recordPhases(ctx context.Context, l *Launch, frame, control *Buffer[byte], n int, site uintptr) error {
	p := l.kernel.phased
	for i := range n {
		c := *l
		from := control.view()
		from.offset += uint(i) * translate.ControlStride
		from.length -= uint(i) * translate.ControlStride
		c.args = append(slices.Clone(l.args),
			argument{kind: BufferParameter, index: uint(p.Frame), writes: true, view: frame.view()},
			argument{kind: BufferParameter, index: uint(p.Control), writes: true, view: from})
		c.spans = spansOf(c.args)
		if err := c.use(); err != nil {
			return err
		}
		if err := s.record(ctx, work{kind: launchWork, launch: &c, site: site}); err != nil {
			return err
		}
		l.kernel.counters.launches.Add(1)
		l.kernel.counters.threads.Add(l.count)
	}
	return nil
}

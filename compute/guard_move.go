package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// elsewhere is memory and kernels of a batch on another accelerator.
type elsewhere struct {
	acc      *Accelerator
	memories map[*stream.Memory]*stream.Memory
	programs map[*Program]*Program
	stream   *Stream
}

// RunOn implements guard.Work: it takes the host copies to the other accelerator and back.
func (w *guardedBatch) RunOn(ctx context.Context, to any) (err error) {
	acc := to.(*Accelerator)
	if err := w.prepareElsewhere(); err != nil {
		return err
	}
	e := &elsewhere{acc: acc, memories: map[*stream.Memory]*stream.Memory{}, programs: map[*Program]*Program{}}
	if e.stream, err = acc.newStream(StreamOptions{Label: w.batch.stream.label, Priority: w.batch.stream.priority},
		false); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, e.close(ctx))
	}()
	for i := range w.works() {
		if err := e.record(ctx, &w.works()[i]); err != nil {
			return errors.Join(err, e.stream.sync(ctx)) // what was recorded must not run on
		}
	}
	if err := e.stream.sync(ctx); err != nil {
		return err
	}
	var written []*stream.Memory
	w.each(func(_ int, list []stream.RangeAccess) {
		for _, a := range list {
			if a.Writes && !slices.Contains(written, a.Mem) {
				written = append(written, a.Mem)
			}
		}
	})
	for _, m := range written {
		if err := downloadMemory(e.memories[m], ctx, 0, m.HostCopy().Spare); err != nil {
			return err
		}
	}
	for _, m := range written {
		m.KeepFetched(0, m.Length)
		m.SpoilCopy() // this device's memory is another one
	}
	return nil
}

// prepareElsewhere returns why the commands cannot move to another accelerator, nil if they can.
func (w *guardedBatch) prepareElsewhere() (why error) {
	for i := range w.works() {
		of := &w.works()[i]
		switch of.Command.(type) {
		case *stream.CopyCommand, *stream.FillCommand, *stream.Launch, *waitCommand, *signalCommand,
			*stream.CallbackCommand, *discarded, *stream.SynchronizeCommand:
			if of.Of == nil {
				continue
			}
		}
		return fmt.Errorf("compute: %v: only launches, copies and fills of buffers move to another device: %w", of,
			ErrOption)
	}
	w.each(func(i int, list []stream.RangeAccess) {
		for _, a := range list {
			if why == nil && (a.Commands != nil || a.Mem.Texture() != "" || !a.Mem.Kept()) {
				why = fmt.Errorf("compute: %v: %v has no host copy that could move to another device: %w", &w.works()[i],
					nameOf(&a), ErrOption)
			}
		}
	})
	return why
}

// close releases everything.
func (e *elsewhere) close(ctx context.Context) error {
	err := e.stream.Close(ctx)
	for _, m := range e.memories {
		m.Close()
	}
	for _, p := range e.programs {
		p.Close()
	}
	return err
}

// view returns a range in the memory of the other accelerator.
func (e *elsewhere) view(ctx context.Context, v stream.View) (stream.View, error) {
	if v.Mem == nil {
		return v, nil
	}
	m := e.memories[v.Mem]
	if m == nil {
		var err error
		if m, err = e.acc.newMemory(v.Mem.Length, BufferOptions{Label: v.Mem.Label}); err != nil {
			return v, err
		}
		e.memories[v.Mem] = m
		c := v.Mem.HostCopy()
		c.Mu.Lock()
		defer c.Mu.Unlock()
		if err := uploadMemory(m, ctx, 0, c.Data); err != nil {
			return v, err
		}
	}
	v.Mem = m
	return v, nil
}

// record records a command on the other accelerator.
func (e *elsewhere) record(ctx context.Context, of *stream.Work) (err error) {
	w := stream.Work{Site: of.Site}
	switch c := of.Command.(type) {
	case *stream.CopyCommand:
		moved := &stream.CopyCommand{}
		if moved.From, err = e.view(ctx, c.From); err == nil {
			moved.To, err = e.view(ctx, c.To)
		}
		w.Command = moved
	case *stream.FillCommand:
		moved := &stream.FillCommand{Value: c.Value}
		moved.To, err = e.view(ctx, c.To)
		w.Command = moved
	case *stream.Launch:
		w.Command, err = e.launch(ctx, c)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.Use(); err != nil {
		return err
	}
	return e.stream.record(ctx, w)
}

// launch returns a launch on the other accelerator.
func (e *elsewhere) launch(ctx context.Context, l *stream.Launch) (*stream.Launch, error) {
	k, err := e.kernel(ctx, l.Kernel.Owner.(*Kernel))
	if err != nil {
		return nil, err
	}
	moved := *l
	moved.Kernel, moved.Search, moved.Args = &k.core, nil, slices.Clone(l.Args)
	refused := func(why string) error {
		return &LaunchError{Kernel: k.core.Name, Err: fmt.Errorf("%s: %w", why, ErrAccelerator)}
	}
	for i := range moved.Args {
		a := &moved.Args[i]
		switch {
		case a.Kind == stream.TextureParameter || a.Kind == stream.SamplerParameter || a.Commands != nil:
			return nil, refused("textures, samplers and indirect commands do not move to another device")
		case a.Kind == stream.OtherParameter && !a.Overwrites:
			return nil, refused("addresses of memory do not move to another device")
		}
		if a.View, err = e.view(ctx, a.View); err != nil {
			return nil, err
		}
	}
	if moved.Counts, err = e.view(ctx, l.Counts); err != nil {
		return nil, err
	}
	moved.Spans = stream.SpansOf(moved.Args)
	if n := l.Group.Width * l.Group.Height * l.Group.Depth; n > k.core.Made().Limits.MaxTotalThreadsPerThreadgroup {
		return nil, refused(fmt.Sprintf("threadgroups of %d threads, where %d are allowed", n,
			k.core.Made().Limits.MaxTotalThreadsPerThreadgroup))
	}
	return &moved, nil
}

// kernel returns a kernel of the other accelerator.
func (e *elsewhere) kernel(ctx context.Context, k *Kernel) (*Kernel, error) {
	if k.from == nil || k.from.source == "" {
		return nil, &LaunchError{Kernel: k.core.Name, Err: fmt.Errorf("its program has no source: %w", ErrAccelerator)}
	}
	p := e.programs[k.from]
	if p == nil {
		var err error
		if p, err = e.acc.compileMetal(ctx, k.from.source, k.from.options, k.from.translation); err != nil {
			return nil, err
		}
		e.programs[k.from] = p
	}
	return p.KernelContext(ctx, k.core.Name, k.constants...)
}

package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/plainmetal"
	"github.com/puremetal/puremetal/mtl"
)

// Indirect commands bind no textures and samplers. So a kernel of a tree that has any is compiled
// once more, with a buffer in place of each for its handle. Commands bind the memory of a launch's
// arguments there, where the launching kernel has put the handle. See package bindless.

// bindlessKernel is a kernel that takes its textures and samplers from buffers.
type bindlessKernel struct {
	kernel  *Kernel // the kernel itself if it has none
	handles []plainmetal.Handle
}

// Kernel implements stream.Bindless.
func (b *bindlessKernel) Kernel() *stream.Kernel { return &b.kernel.core }

// Handle implements stream.Bindless.
func (b *bindlessKernel) Handle(kind stream.ParameterKind, index uint) (buffer uint, texture uint32, ok bool) {
	if h := b.handle(ParameterKind(kind), index); h != nil {
		return uint(h.Buffer), uint32(h.Kind), true
	}
	return 0, 0, false
}

// Launch implements stream.Bindless.
func (b *bindlessKernel) Launch(l, grid any) (*stream.Launch, error) {
	to, err := b.launch(l.(*Launch), grid.(Grid))
	if err != nil {
		return nil, err
	}
	return &to.core, nil
}

// handle returns the place of a texture or sampler.
func (b *bindlessKernel) handle(kind ParameterKind, index uint) *plainmetal.Handle {
	for i := range b.handles {
		if h := &b.handles[i]; h.Sampler == (kind == SamplerParameter) && h.Index == int(index) {
			return h
		}
	}
	return nil
}

// bindless returns the form of the kernel for indirect commands. It compiles the program again if
// the kernel has textures or samplers.
func (k *Kernel) bindless(ctx context.Context) (b bindlessKernel, err error) {
	has := false
	for i := range k.parameters {
		p := &k.parameters[i]
		has = has || p.Kind == TextureParameter || p.Kind == SamplerParameter
	}
	if !has {
		return bindlessKernel{kernel: k}, nil
	}
	form, err := k.from.form(ctx, formKey{kernel: k.function})
	if err == nil {
		b.handles = form.translated.Handles
		b.kernel, err = form.program.KernelContext(ctx, k.function, k.constants...)
	}
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, ErrClosed):
	default:
		err = fmt.Errorf("its textures and samplers do not become handles in memory: %w: %w", stream.ErrIndirect, err)
	}
	return b, err
}

// launch returns a launch of the kernel in its form without textures and samplers. Handles are
// arguments by value, and the textures and samplers are listed besides.
func (b *bindlessKernel) launch(l *Launch, grid Grid) (*Launch, error) {
	if b.kernel == l.kernel {
		return l, nil
	}
	if err := l.core.Use(); err != nil { // a texture that has been closed has no handle
		return nil, err
	}
	defer l.core.Done()
	to := *l
	to.kernel, to.core.Kernel, to.core.Args, to.core.Search = b.kernel, &b.kernel.core, nil, nil
	var err error
	if to.core.Grid, to.core.Group, to.core.Threads, err = b.kernel.checkGrid(grid); err != nil {
		return nil, &LaunchError{Kernel: l.kernel.core.Name, Err: err}
	}
	for i := range l.core.Args {
		a := l.core.Args[i]
		var id mtl.ResourceID
		switch a.Kind {
		case stream.TextureParameter:
			id = a.Texture.GPUResourceID()
		case stream.SamplerParameter:
			id = a.Sampler.GPUResourceID()
		default:
			to.core.Args = append(to.core.Args, a)
			continue
		}
		if id.Impl == 0 {
			return nil, &LaunchError{Kernel: l.kernel.core.Name, Argument: fmt.Sprintf("%v %d", a.Kind, a.Index),
				Err: fmt.Errorf("has no handle that kernels could pass on; samplers of package mtl need "+
					"SetSupportArgumentBuffers: %w", stream.ErrIndirect)}
		}
		if h := b.handle(ParameterKind(a.Kind), a.Index); h != nil {
			to.core.Args = append(to.core.Args, stream.Argument{Kind: stream.BufferParameter, Index: uint(h.Buffer),
				Bytes: binary.LittleEndian.AppendUint64(nil, id.Impl)})
		}
		a.Kind = stream.OtherParameter
		to.core.Args = append(to.core.Args, a)
	}
	return &to, nil
}

package compute

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// indirectPipeline is a kernel's second pipeline state, which indirect command buffers can run. It
// is made at first use: Metal must be told when a pipeline is made, and most kernels never need it.
type indirectPipeline struct {
	mu    sync.Mutex
	state mtl.ComputePipelineState
	err   error // of the device, which would fail again
	// nothing is memory of zeros, which a dispatch without threadgroups binds to every parameter; nil
	// where devices need no such dispatch.
	nothing *memory
}

func (p *indirectPipeline) release() {
	p.state.Release()
	if p.nothing != nil {
		p.nothing.close()
	}
}

// indirectState returns the pipeline state for indirect command buffers. The caller counts a use of
// the kernel.
func (k *Kernel) indirectState(ctx context.Context) (mtl.ComputePipelineState, error) {
	p := &k.indirect
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || !p.state.IsNil() {
		return p.state, p.err
	}
	library, err := k.from.useLibrary()
	if err != nil {
		return p.state, err
	}
	defer library.Release()
	from := library.Value()
	defer k.acc.cancelCompilation(ctx, from.library.ID(), k.function)()
	objc.Pool(func() { p.state, err = k.newIndirectState(from.library) })
	if err == nil && k.acc.dispatchesNone && p.nothing == nil {
		if p.nothing, err = k.newNothing(ctx); err != nil {
			p.state.Release()
			p.state = mtl.ComputePipelineState{}
			return p.state, err
		}
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return p.state, contextError(ctx, k.String())
	default:
		p.err = fmt.Errorf("%v for indirect commands: %w", k, err)
	}
	return p.state, p.err
}

// useLibrary returns the program's library with a use counted.
func (p *Program) useLibrary() (*cacheEntry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("compute: program %q: %w", p.name, ErrClosed)
	}
	p.library.Use()
	return p.library, nil
}

func (k *Kernel) newIndirectState(library mtl.Library) (mtl.ComputePipelineState, error) {
	function, err := functionOf(library, k.function, k.constants)
	if err != nil {
		return mtl.ComputePipelineState{}, err
	}
	defer function.Release()
	d, err := mtl.NewComputePipelineDescriptor()
	if err != nil {
		return mtl.ComputePipelineState{}, err
	}
	defer d.Release()
	d.SetComputeFunction(function)
	d.SetSupportIndirectCommandBuffers(true)
	state, _, err := k.acc.device.NewComputePipelineStateWithDescriptor(d, mtl.PipelineOptionNone)
	return state, err
}

// newNothing makes the memory of a kernel's dispatches without threadgroups.
func (k *Kernel) newNothing(ctx context.Context) (*memory, error) {
	size := sizeOf[mtl.DispatchThreadgroupsIndirectArguments]()
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Kind == BufferParameter {
			size = max(size, p.Size)
		}
	}
	shared := mtl.StorageModeShared
	m, err := k.acc.newMemory(size, BufferOptions{Label: "no threadgroups of " + k.name, Storage: &shared})
	if err != nil {
		return nil, err
	}
	if err := m.zero(ctx); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// dispatchNone dispatches kernels without threadgroups, which makes their pipelines resident for
// the indirect commands of the same encoder. The number of threadgroups comes from memory, because
// a dispatch cannot have 0 of them, and all parameters are bound, because Metal's validation wants
// that of any dispatch.
func (e *encoder) dispatchNone(kernels []kernelUse) error {
	for _, u := range kernels {
		if err := e.dispatchNoneOf(u.kernel); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) dispatchNoneOf(k *Kernel) error {
	k.indirect.mu.Lock()
	state, nothing := k.indirect.state, k.indirect.nothing
	k.indirect.mu.Unlock()
	if err := e.compute.SetComputePipelineState(state); err != nil {
		return err
	}
	setMemory := func(length uint) (err error) {
		for i := range k.parameters {
			if p := &k.parameters[i]; p.Kind == ThreadgroupParameter {
				err = cmp.Or(err, e.setMemory(length, p.Index))
			}
		}
		return err
	}
	for i := range k.parameters {
		if p := &k.parameters[i]; p.Kind == BufferParameter {
			if err := e.compute.SetBuffer(nothing.buffer, 0, p.Index); err != nil {
				return err
			}
		}
	}
	if err := setMemory(mtl.ThreadgroupMemoryAlignment); err != nil {
		return err
	}
	group := k.limits.RequiredThreadsPerThreadgroup
	if group.Width == 0 {
		group = mtl.Size{Width: 1, Height: 1, Depth: 1}
	}
	if err := e.compute.DispatchThreadgroupsWithIndirectBuffer(nothing.buffer, 0, group); err != nil {
		return err
	}
	return setMemory(0) // the next kernel may need all of it
}

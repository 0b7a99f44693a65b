package compute

import (
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/abort"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// indirectPipeline is a kernel's second pipeline state, which indirect command buffers can run. It
// is made at first use: Metal must be told when a pipeline is made, and most kernels never need it.
type indirectPipeline struct {
	mu    sync.Mutex
	state mtl.ComputePipelineState
	err   error // of the device, which would fail again
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
	defer abort.When(ctx, abort.Key{Receiver: uintptr(from.library.ID()), What: k.name})()
	objc.Pool(func() { p.state, err = k.newIndirectState(from.library) })
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
	function, err := functionOf(library, k.name, k.constants)
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

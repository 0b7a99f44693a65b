package compute

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// indirectState returns the pipeline state for indirect command buffers. The caller counts a use of
// the kernel.
func (k *Kernel) indirectState(ctx context.Context) (mtl.ComputePipelineState, error) {
	p := &k.core.Indirect
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if p.Err != nil || !p.State.IsNil() {
		return p.State, p.Err
	}
	library, err := k.from.useLibrary()
	if err != nil {
		return p.State, err
	}
	defer library.Release()
	from := library.Value()
	defer k.acc.cancelCompilation(ctx, from.library.ID(), k.function)()
	objc.Pool(func() { p.State, err = k.newIndirectState(from.library) })
	if err == nil && k.acc.core.DispatchesNone && p.Nothing == nil {
		if p.Nothing, err = k.newNothing(ctx); err != nil {
			p.State.Release()
			p.State = mtl.ComputePipelineState{}
			return p.State, err
		}
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return p.State, stream.ContextError(ctx, k.String())
	default:
		p.Err = fmt.Errorf("%v for indirect commands: %w", k, err)
	}
	return p.State, p.Err
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

// newNothing makes the memory of a kernel's dispatches without threadgroups. The lock of the
// pipeline is held.
func (k *Kernel) newNothing(ctx context.Context) (*stream.Memory, error) {
	size := stream.SizeOf[mtl.DispatchThreadgroupsIndirectArguments]()
	var slots, lengths []uint
	for i := range k.parameters {
		switch p := &k.parameters[i]; p.Kind {
		case BufferParameter:
			size = max(size, p.Size)
			slots = append(slots, p.Index)
		case ThreadgroupParameter:
			lengths = append(lengths, p.Index)
		}
	}
	shared := mtl.StorageModeShared
	m, err := k.acc.newMemory(size, BufferOptions{Label: "no threadgroups of " + k.core.Name, Storage: &shared})
	if err != nil {
		return nil, err
	}
	if err := zeroMemory(m, ctx); err != nil {
		m.Close()
		return nil, err
	}
	k.core.Indirect.Slots, k.core.Indirect.Lengths = slots, lengths
	return m, nil
}

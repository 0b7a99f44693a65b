package command

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// residents finds an argument of a dispatch that is not resident, among those that the kernel uses.
// Resources that a kernel reaches through memory are not checked.
func (b *Buffer) residents(call string, p *dispatch.Pipeline, a *dispatch.Bindings) error {
	if b.Resident == nil {
		return nil
	}
	var err error
	p.Uses(func(kind ir.ArgKind, index int, name string) bool {
		var word uint64
		what := "buffer"
		switch kind {
		case ir.ArgBuffer, ir.ArgFunctionTable:
			word = a.Buffers[index]
		case ir.ArgTexture:
			word, what = a.Textures[index], "texture"
		default: // samplers and threadgroup memory take no memory of the device
			return true
		}
		if !b.Resident(kind, word) {
			err = failure(CodeInvalidResource,
				"%s: kernel %q: the %s at index %d, argument %q, is in no residency set of the queue or the command buffer (%#x)",
				call, p.Name, what, index, name, word)
		}
		return err == nil
	})
	return err
}

// residentAt is residents for memory that a command itself reads.
func (b *Buffer) residentAt(call, what string, address uint64) error {
	if b.Resident == nil || b.Resident(ir.ArgBuffer, address) {
		return nil
	}
	return failure(CodeInvalidResource,
		"%s: the %s at address %#x are in no residency set of the queue or the command buffer", call, what, address)
}

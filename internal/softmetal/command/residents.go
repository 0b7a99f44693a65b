package command

import "github.com/puremetal/puremetal/internal/ir"

// residents finds an argument of a dispatch that is not resident, among those that the kernel uses. What a kernel reaches through memory is not
// looked at.
func (b *Buffer) residents(call string, k *Kernel, a *bindings) error {
	if b.Resident == nil {
		return nil
	}
	for _, n := range k.Needs {
		var word uint64
		switch n.Kind {
		case ir.ArgBuffer, ir.ArgFunctionTable:
			word = a.buffers[n.Index]
		case ir.ArgTexture:
			word = a.textures[n.Index]
		default: // samplers and threadgroup memory take no memory of the device
			continue
		}
		if !b.Resident(n.Kind, word) {
			return failure(CodeInvalidResource, "%s: kernel %q: the %s at index %d, argument %q, is in no residency set of the queue or the command buffer (%#x)",
				call, k.Name, slotName(n.Kind), n.Index, n.Name, word)
		}
	}
	return nil
}

// residentAt is residents for memory that a command itself reads.
func (b *Buffer) residentAt(call, what string, address uint64) error {
	if b.Resident == nil || b.Resident(ir.ArgBuffer, address) {
		return nil
	}
	return failure(CodeInvalidResource, "%s: the %s at address %#x are in no residency set of the queue or the command buffer", call, what, address)
}

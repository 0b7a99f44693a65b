package mtl

import (
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// CommandAllocator4 wraps an object that conforms to the protocol MTL4CommandAllocator: the memory
// that command buffers are encoded into, one at a time. It also has the methods of [objc.Object],
// such as Release. The wrapper of one created by a [Device] remembers which command buffer uses it,
// and copies share that state; one made by [CommandAllocator4From] has no state and is not checked.
type CommandAllocator4 struct {
	objc.Object
	state *allocatorState
}

// CommandAllocator4From wraps id without changing its ownership.
func CommandAllocator4From(id objc.ID) CommandAllocator4 {
	return CommandAllocator4{Object: objc.ObjectFrom(id)}
}

// allocatorState is the state shared by copies of a command allocator's wrapper.
type allocatorState struct {
	mu   sync.Mutex
	user *commandBuffer4State // the command buffer that is being encoded
}

// take makes b the allocator's user.
func (s *allocatorState) take(c check, b *commandBuffer4State) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.user != nil {
		return c.fail(ErrState, "the allocator is in use by another command buffer")
	}
	s.user = b
	return nil
}

// give undoes take.
func (s *allocatorState) give() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user = nil
}

// Reset frees the memory of the command buffers encoded so far for new ones. While one is being
// encoded it is refused with [ErrState]. The caller must make sure that the GPU has finished with
// the others; see [CommitOptions4.AddFeedbackHandler].
//
//	-[MTL4CommandAllocator reset]
func (o CommandAllocator4) Reset() error {
	const c = check("-[MTL4CommandAllocator reset]")
	if err := c.object("command allocator", o.ID()); err != nil {
		return err
	}
	if s := o.state; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.user != nil {
			return c.fail(ErrState, "the allocator is in use by a command buffer")
		}
	}
	sendCommandAllocator4Reset(o)
	return nil
}

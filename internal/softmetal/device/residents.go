package device

import (
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// In Metal 4 a program says what is resident: what a command uses must be in a residency set of its
// queue or its command buffer. All memory of this device is resident, so a program that forgets one
// would find out on a Mac only. Therefore the device looks: at the resources that commands name,
// and at the buffers, textures and tables that a dispatch has bound and its kernel uses. What a
// kernel reaches through addresses in memory is not looked at.

// Resident is the state of a resource that must be resident.
type Resident interface {
	// residentIn reports whether the resource, or what it lies in, is among those found.
	ResidentIn(r *Residency) bool
}

// Residency is what the commands of one recording need and what they find.
type Residency struct {
	Sets  []objcsoft.ID // of the command buffer; held by the recording
	Needs []Need
	Found []map[objcsoft.ID]struct{} // what each set held when the recording was committed
}

// Need is a resource that a command names.
type Need struct {
	Call, What string
	Resource   Resident
}

// Has reports whether one of the residency sets holds an allocation.
func (r *Residency) Has(id objcsoft.ID) bool {
	for _, set := range r.Found {
		if _, ok := set[id]; ok {
			return true
		}
	}
	return false
}

// Check returns which named resource is not resident.
func (r *Residency) Check() error {
	for _, n := range r.Needs {
		if !n.Resource.ResidentIn(r) {
			return &command.Error{Code: command.CodeInvalidResource,
				Reason: fmt.Sprintf("%s: the %s is in no residency set of the queue or the command buffer", n.Call, n.What)}
		}
	}
	return nil
}

// residents are the resources of a device by what kernels have of them.
type residents struct {
	mu      sync.RWMutex
	objects map[uint32]Resident // by number
}

func (r *residents) Add(object uint32, x Resident) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		r.objects = map[uint32]Resident{}
	}
	r.objects[object] = x
}

func (r *residents) Remove(object uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.objects, object)
}

// TextureNumberOf is the number under which a texture's handle stands among the objects.
func TextureNumberOf(handle uint32) uint32 { return exec.MaxObject + 1 + handle }

// At returns the resource that an address or a texture's handle leads to, nil for none.
func (r *residents) At(kind ir.ArgKind, word uint64) Resident {
	object := uint32(word / exec.Address(1, 0))
	if kind == ir.ArgTexture {
		if word > exec.MaxHandle {
			return nil
		}
		object = TextureNumberOf(uint32(word))
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.objects[object]
}

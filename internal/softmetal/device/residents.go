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
// would fail only on a Mac. The device therefore checks the resources that commands name, and the
// buffers, textures and tables that a dispatch has bound and its kernel uses. It does not check
// what a kernel reaches through addresses in memory.

// Resident is the state of a resource that must be resident.
type Resident interface {
	// Allocations yields the resource's object and those that contain it, until yield returns
	// false, which it then returns.
	Allocations(yield func(objcsoft.ID) bool) bool
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

// Holds reports whether a resource, or an object that contains it, is in one of the residency sets.
func (r *Residency) Holds(x Resident) bool {
	return !x.Allocations(func(id objcsoft.ID) bool { return !r.Has(id) })
}

// Check returns which named resource is not resident.
func (r *Residency) Check() error {
	for _, n := range r.Needs {
		if !r.Holds(n.Resource) {
			return &command.Error{Code: command.CodeInvalidResource,
				Reason: fmt.Sprintf("%s: the %s is in no residency set of the queue or the command buffer", n.Call, n.What)}
		}
	}
	return nil
}

// residents holds the resources of a device, by how kernels refer to them.
type residents struct {
	mu      sync.RWMutex
	objects map[uint32]Resident // by number

	// inside has the numbers of the objects in an allocation, including itself. It is created when
	// an isolated command buffer first needs it.
	inside map[objcsoft.ID]map[uint32]struct{}
}

func (r *residents) Add(object uint32, x Resident) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		r.objects = map[uint32]Resident{}
	}
	r.objects[object] = x
	if r.inside != nil {
		r.enter(object, x)
	}
}

func (r *residents) enter(object uint32, x Resident) {
	x.Allocations(func(id objcsoft.ID) bool {
		if r.inside[id] == nil {
			r.inside[id] = map[uint32]struct{}{}
		}
		r.inside[id][object] = struct{}{}
		return true
	})
}

func (r *residents) Remove(object uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.objects[object]; x != nil && r.inside != nil {
		x.Allocations(func(id objcsoft.ID) bool {
			if delete(r.inside[id], object); len(r.inside[id]) == 0 {
				delete(r.inside, id)
			}
			return true
		})
	}
	delete(r.objects, object)
}

// Reach grants the objects in the allocations that an encoder has declared, and in those of
// residency sets, which kernels may write.
func (r *residents) Reach(sets *Residency, uses []command.Use, grant func(command.Grant)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inside == nil {
		r.inside = map[objcsoft.ID]map[uint32]struct{}{}
		for object, x := range r.objects {
			r.enter(object, x)
		}
	}
	for _, found := range sets.Found {
		for id := range found {
			r.grant(id, true, grant)
		}
	}
	for _, u := range uses {
		r.grant(objcsoft.ID(u.ID), u.Write, grant)
	}
}

func (r *residents) grant(id objcsoft.ID, write bool, grant func(command.Grant)) {
	for number := range r.inside[id] {
		switch {
		case number <= exec.MaxObject:
			grant(command.Grant{Object: number, Write: write})
		case number < IndirectNumberOf(0):
			grant(command.Grant{Texture: number - TextureNumberOf(0), Write: write})
		default:
			grant(command.Grant{Indirect: number - IndirectNumberOf(0), Write: write})
		}
	}
}

// TextureNumberOf returns the object number of a texture's handle.
func TextureNumberOf(handle uint32) uint32 { return exec.MaxObject + 1 + handle }

// IndirectNumberOf returns the object number of an indirect command buffer's number.
func IndirectNumberOf(number uint32) uint32 { return TextureNumberOf(exec.MaxHandle) + 1 + number }

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

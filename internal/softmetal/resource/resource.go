package resource

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Resource is the common part of buffers, textures and tensors.
type Resource struct {
	adapter.Label
	ID      objcsoft.ID
	Device  *device.Device
	Options uint64 // MTLResourceOptions, as given

	heap       *Heap // nil: memory of its own
	heapOffset uint64
	heapSize   uint64 // bytes taken from the heap

	stateLock sync.Mutex
	purgeable uint64
	aliasable bool
}

// AsResource returns the resource of a payload that embeds one.
func (r *Resource) AsResource() *Resource { return r }

// Interface is a payload that embeds a resource.
type Interface interface {
	AsResource() *Resource
	Labeled() *adapter.Label
	AllocatedSize() uint64
	Discard()
}

// StorageMode returns the storage mode in resource options.
func StorageMode(options uint64) uint64 {
	return options & metal.ResourceStorageModeMask >> metal.ResourceStorageModeShift
}

func cpuCacheMode(options uint64) uint64 { return options & metal.ResourceCPUCacheModeMask }

// hazardTracking returns the mode that holds: by default heaps and what is in them are untracked,
// all else is tracked.
func hazardTracking(options uint64, ofHeap bool) uint64 {
	mode := options & metal.ResourceHazardTrackingModeMask >> metal.ResourceHazardTrackingModeShift
	switch {
	case mode != metal.HazardTrackingModeDefault:
		return mode
	case ofHeap:
		return metal.HazardTrackingModeUntracked
	}
	return metal.HazardTrackingModeTracked
}

// CPUReaches reports whether the CPU sees memory of these options.
func CPUReaches(options uint64) bool {
	mode := StorageMode(options)
	return mode == metal.StorageModeShared || mode == metal.StorageModeManaged
}

// CheckOptions rejects options that Metal does not have.
func CheckOptions(c *objcsoft.Call, options uint64) bool {
	const known = metal.ResourceCPUCacheModeWriteCombined | metal.ResourceStorageModeMask | metal.ResourceHazardTrackingModeMask
	switch {
	case options&^known != 0 || StorageMode(options) > metal.StorageModeMemoryless:
		adapter.Misuse(c, "resource options %#x have bits that no option has", options)
	case options&metal.ResourceHazardTrackingModeMask == metal.ResourceHazardTrackingModeMask:
		adapter.Misuse(c, "resource options %#x are tracked and untracked at once", options)
	default:
		return true
	}
	return false
}

// ResourceMethods adds the methods of MTLResource to those of a class whose payload is a resource.
func ResourceMethods[T Interface](m adapter.Methods) adapter.Methods {
	number := func(f func(r *Resource) uint64) objcsoft.Imp {
		return adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnUint(f(s.AsResource())) })
	}
	m["device"] = adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnShared(s.AsResource().Device.ID) })
	m["cpuCacheMode"] = number(func(r *Resource) uint64 { return cpuCacheMode(r.Options) })
	m["storageMode"] = number(func(r *Resource) uint64 { return StorageMode(r.Options) })
	m["hazardTrackingMode"] = number(func(r *Resource) uint64 { return r.hazardTracking() })
	m["resourceOptions"] = number(func(r *Resource) uint64 { return r.Options })
	m["heapOffset"] = number(func(r *Resource) uint64 { return r.heapOffset })
	m["heap"] = adapter.Method(func(s T, c *objcsoft.Call) {
		if h := s.AsResource().heap; h != nil {
			c.ReturnShared(h.id)
		}
	})
	m["allocatedSize"] = adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnUint(s.AllocatedSize()) })
	m["isAliasable"] = adapter.Method(func(s T, c *objcsoft.Call) {
		r := s.AsResource()
		r.stateLock.Lock()
		defer r.stateLock.Unlock()
		c.ReturnBool(r.aliasable)
	})
	m["makeAliasable"] = adapter.Method(func(s T, c *objcsoft.Call) {
		s.AsResource().makeAliasable(c)
		if b, ok := any(s).(*Buffer); ok && !c.Failed() {
			b.heap.lend(b)
		}
	})
	m["setPurgeableState:"] = adapter.Method(func(s T, c *objcsoft.Call) {
		r := s.AsResource()
		if r.heap != nil && c.Uint(0) != metal.PurgeableStateKeepCurrent {
			adapter.Misuse(c, "the resource is from a heap, whose state is set as a whole")
			return
		}
		r.stateLock.Lock()
		defer r.stateLock.Unlock()
		setPurgeable(c, &r.purgeable, s.Discard)
	})
	m["setOwnerWithIdentity:"] = adapter.Constantly(kernFailure)
	return adapter.WithLabel[T](m)
}

// kernFailure is KERN_FAILURE: there are no Mach tasks here that memory could be attributed to.
const kernFailure = 5

func (r *Resource) hazardTracking() uint64 {
	if r.heap != nil && r.Options&metal.ResourceHazardTrackingModeMask == 0 {
		return hazardTracking(r.heap.options, true)
	}
	return hazardTracking(r.Options, false)
}

// HazardTracked reports whether Metal orders the encoders of a queue that access the resource.
func (r *Resource) HazardTracked() bool { return r.hazardTracking() == metal.HazardTrackingModeTracked }

// makeAliasable gives the resource's place in its heap free for others.
func (r *Resource) makeAliasable(c *objcsoft.Call) {
	if r.heap == nil {
		adapter.Misuse(c, "the resource is not from a heap")
		return
	}
	r.stateLock.Lock()
	defer r.stateLock.Unlock()
	if !r.aliasable {
		r.aliasable = true
		r.heap.give(r)
	}
}

// leaveHeap gives the place in the heap back, and the reference to the heap.
func (r *Resource) leaveHeap(o *objcsoft.Object) {
	if r.heap == nil {
		return
	}
	r.heap.mu.Lock()
	r.heap.lent = slices.DeleteFunc(r.heap.lent, func(b *Buffer) bool { return &b.Resource == r })
	r.heap.mu.Unlock()
	r.stateLock.Lock()
	aliasable := r.aliasable
	r.aliasable = true
	r.stateLock.Unlock()
	if !aliasable {
		r.heap.give(r)
		if r.heap.kind == metal.HeapTypeAutomatic {
			r.Device.Renewed(r.heap.block.Bytes()[r.heapOffset:][:r.heapSize])
		}
	}
	o.Drop(r.heap.id)
}

// setPurgeable answers setPurgeableState: with the state before. The caller guards the state; 0
// means non-volatile.
func setPurgeable(c *objcsoft.Call, state *uint64, discard func()) {
	old := *state
	if old == 0 {
		old = metal.PurgeableStateNonVolatile
	}
	switch next := c.Uint(0); next {
	case metal.PurgeableStateKeepCurrent:
	case metal.PurgeableStateNonVolatile, metal.PurgeableStateVolatile:
		*state = next
	case metal.PurgeableStateEmpty:
		*state = next
		discard()
	default:
		adapter.Misuse(c, "purgeable state %d, want %d to %d", next, metal.PurgeableStateKeepCurrent,
			metal.PurgeableStateEmpty)
		return
	}
	c.ReturnUint(old)
}

// peer returns the device for which a remote view of the resource is requested, and retains the
// resource for the view. If there can be no view, it reports that and returns nil. what is the
// resource's name in messages; remote means that it is itself a view.
func (r *Resource) peer(c *objcsoft.Call, what string, remote bool) *device.Device {
	d, ok := adapter.Payload[*device.Device](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "device is nil")
		}
		return nil
	}
	switch {
	case StorageMode(r.Options) != metal.StorageModePrivate:
		adapter.Misuse(c, "storage mode %d, want private", StorageMode(r.Options))
		return nil
	case !d.IsPeer(r.Device) || remote:
		adapter.Misuse(c, "device %q is no peer of the %s's device %q", d.Name, what, r.Device.Name)
		return nil
	}
	if err := c.RT.Retain(r.ID); err != nil {
		c.Fail(err)
		return nil
	}
	return d
}

package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// resource is what buffers, textures and tensors have in common.
type resource struct {
	adapter.Label
	id      objcsoft.ID
	device  *device
	options uint64 // MTLResourceOptions, as given

	heap       *heap // nil: memory of its own
	heapOffset uint64
	heapSize   uint64 // bytes taken from the heap

	stateLock sync.Mutex
	purgeable uint64
	aliasable bool
}

func (r *resource) asResource() *resource { return r }

// resourceOf is a payload that embeds a resource.
type resourceOf interface {
	asResource() *resource
	Labelled() *adapter.Label
	AllocatedSize() uint64
	Discard()
}

func storageMode(options uint64) uint64 {
	return options & mtlResourceStorageModeMask >> mtlResourceStorageModeShift
}

func cpuCacheMode(options uint64) uint64 { return options & mtlResourceCPUCacheModeMask }

// hazardTracking returns the mode that holds: by default heaps and what is in them are untracked, all else is tracked.
func hazardTracking(options uint64, ofHeap bool) uint64 {
	mode := options & mtlResourceHazardTrackingModeMask >> mtlResourceHazardTrackingModeShift
	switch {
	case mode != mtlHazardTrackingModeDefault:
		return mode
	case ofHeap:
		return mtlHazardTrackingModeUntracked
	}
	return mtlHazardTrackingModeTracked
}

// cpuReaches reports whether the CPU sees memory of these options.
func cpuReaches(options uint64) bool {
	mode := storageMode(options)
	return mode == mtlStorageModeShared || mode == mtlStorageModeManaged
}

// checkOptions refuses options that Metal does not have.
func checkOptions(c *objcsoft.Call, options uint64) bool {
	const known = mtlResourceCPUCacheModeWriteCombined | mtlResourceStorageModeMask | mtlResourceHazardTrackingModeMask
	switch {
	case options&^known != 0 || storageMode(options) > mtlStorageModeMemoryless:
		adapter.Misuse(c, "resource options %#x have bits that no option has", options)
	case options&mtlResourceHazardTrackingModeMask == mtlResourceHazardTrackingModeMask:
		adapter.Misuse(c, "resource options %#x are tracked and untracked at once", options)
	default:
		return true
	}
	return false
}

// resourceMethods adds the methods of MTLResource to those of a class whose payload is a resource.
func resourceMethods[T resourceOf](m adapter.Methods) adapter.Methods {
	number := func(f func(r *resource) uint64) objcsoft.Imp {
		return adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnUint(f(s.asResource())) })
	}
	m["device"] = adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnShared(s.asResource().device.id) })
	m["cpuCacheMode"] = number(func(r *resource) uint64 { return cpuCacheMode(r.options) })
	m["storageMode"] = number(func(r *resource) uint64 { return storageMode(r.options) })
	m["hazardTrackingMode"] = number(func(r *resource) uint64 { return r.hazardTracking() })
	m["resourceOptions"] = number(func(r *resource) uint64 { return r.options })
	m["heapOffset"] = number(func(r *resource) uint64 { return r.heapOffset })
	m["heap"] = adapter.Method(func(s T, c *objcsoft.Call) {
		if h := s.asResource().heap; h != nil {
			c.ReturnShared(h.id)
		}
	})
	m["allocatedSize"] = adapter.Method(func(s T, c *objcsoft.Call) { c.ReturnUint(s.AllocatedSize()) })
	m["isAliasable"] = adapter.Method(func(s T, c *objcsoft.Call) {
		r := s.asResource()
		r.stateLock.Lock()
		defer r.stateLock.Unlock()
		c.ReturnBool(r.aliasable)
	})
	m["makeAliasable"] = adapter.Method(func(s T, c *objcsoft.Call) { s.asResource().makeAliasable(c) })
	m["setPurgeableState:"] = adapter.Method(func(s T, c *objcsoft.Call) {
		r := s.asResource()
		if r.heap != nil && c.Uint(0) != mtlPurgeableStateKeepCurrent {
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

// kernFailure is KERN_FAILURE: there are no tasks of Mach here whose account memory could go to.
const kernFailure = 5

func (r *resource) hazardTracking() uint64 {
	if r.heap != nil && r.options&mtlResourceHazardTrackingModeMask == 0 {
		return hazardTracking(r.heap.options, true)
	}
	return hazardTracking(r.options, false)
}

// makeAliasable gives the resource's place in its heap free for others.
func (r *resource) makeAliasable(c *objcsoft.Call) {
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
func (r *resource) leaveHeap(o *objcsoft.Object) {
	if r.heap == nil {
		return
	}
	r.stateLock.Lock()
	aliasable := r.aliasable
	r.aliasable = true
	r.stateLock.Unlock()
	if !aliasable {
		r.heap.give(r)
	}
	o.Drop(r.heap.id)
}

// setPurgeable answers setPurgeableState: with the state before. The state is guarded by the caller; 0 stands for non-volatile.
func setPurgeable(c *objcsoft.Call, state *uint64, discard func()) {
	old := *state
	if old == 0 {
		old = mtlPurgeableStateNonVolatile
	}
	switch next := c.Uint(0); next {
	case mtlPurgeableStateKeepCurrent:
	case mtlPurgeableStateNonVolatile, mtlPurgeableStateVolatile:
		*state = next
	case mtlPurgeableStateEmpty:
		*state = next
		discard()
	default:
		adapter.Misuse(c, "purgeable state %d, want %d to %d", next, mtlPurgeableStateKeepCurrent, mtlPurgeableStateEmpty)
		return
	}
	c.ReturnUint(old)
}

// peer returns the device that a remote view of the resource is asked for, and keeps the resource for the view; nil where there can be none, which it
// reports. what is the resource's name in messages, and remote that it is a view itself.
func (r *resource) peer(c *objcsoft.Call, what string, remote bool) *device {
	d, ok := adapter.Payload[*device](c, 0)
	if !ok {
		if !c.Failed() {
			adapter.Misuse(c, "device is nil")
		}
		return nil
	}
	switch {
	case storageMode(r.options) != mtlStorageModePrivate:
		adapter.Misuse(c, "storage mode %d, want private", storageMode(r.options))
		return nil
	case d == r.device || d.driver != r.device.driver || remote:
		adapter.Misuse(c, "device %q is no peer of the %s's device %q", d.name, what, r.device.name)
		return nil
	}
	if err := c.RT.Retain(r.id); err != nil {
		c.Fail(err)
		return nil
	}
	return d
}

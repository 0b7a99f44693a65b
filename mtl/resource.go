package mtl

import "github.com/puremetal/puremetal/objc"

// StorageMode returns the storage mode in a set of resource options.
func (v ResourceOptions) StorageMode() StorageMode { return StorageMode(v >> 4 & 15) }

// CPUCacheMode returns the CPU cache mode in a set of resource options.
func (v ResourceOptions) CPUCacheMode() CPUCacheMode { return CPUCacheMode(v & 15) }

// HazardTrackingMode returns the hazard tracking mode in a set of resource options.
func (v ResourceOptions) HazardTrackingMode() HazardTrackingMode {
	return HazardTrackingMode(v >> 8 & 3)
}

// MakeResourceOptions combines modes into resource options.
func MakeResourceOptions(storage StorageMode, cache CPUCacheMode, hazards HazardTrackingMode) ResourceOptions {
	return ResourceOptions(storage&15)<<4 | ResourceOptions(cache&15) | ResourceOptions(hazards&3)<<8
}

// traits are the properties of a device that decide which storage modes it supports.
type traits struct {
	unified bool // CPU and GPU share memory
	apple   bool // an Apple GPU: no managed storage, memoryless targets, textures in shared memory
}

func (o Device) traits() traits {
	return traits{unified: o.HasUnifiedMemory(), apple: o.SupportsFamily(GPUFamilyApple1)}
}

// options checks the modes that all resources have in common.
func (c check) options(v ResourceOptions, tr traits) error {
	const known = ResourceCPUCacheModeWriteCombined | ResourceStorageModeMemoryless | ResourceHazardTrackingModeUntracked | ResourceHazardTrackingModeTracked
	if v&^known != 0 {
		return c.fail(ErrArgument, "options %v", v)
	}
	if v.HazardTrackingMode() > HazardTrackingModeTracked {
		return c.fail(ErrArgument, "options %v: tracked and untracked at once", v)
	}
	// Metal supports managed storage on GPUs with memory of their own and on integrated GPUs other
	// than Apple's.
	if v.StorageMode() == StorageModeManaged && tr.unified && tr.apple {
		return c.fail(ErrStorageMode, "storage mode %v: the device shares its memory with the CPU, want %v or %v",
			StorageModeManaged, StorageModeShared, StorageModePrivate)
	}
	return nil
}

// bufferOptions checks the modes of a buffer.
func (c check) bufferOptions(v ResourceOptions, tr traits) error {
	if err := c.options(v, tr); err != nil {
		return err
	}
	if v.StorageMode() == StorageModeMemoryless {
		return c.fail(ErrStorageMode, "storage mode %v is for textures, want %v or %v", StorageModeMemoryless,
			StorageModeShared, StorageModePrivate)
	}
	return nil
}

// MakeAliasable lets other resources of the heap reuse the memory of this one. Only resources of a
// heap can be aliased; for others the error wraps [ErrState].
//
//	-[MTLResource makeAliasable]
func (o Resource) MakeAliasable() error {
	const c = check("-[MTLResource makeAliasable]")
	if err := c.receiver(&zmethods[mResourceMakeAliasable], o.ID()); err != nil {
		return err
	}
	var heap bool
	objc.Pool(func() { heap = !o.Heap().IsNil() })
	if !heap {
		return c.fail(ErrState, "the resource does not belong to a heap")
	}
	sendResourceMakeAliasable(o)
	return nil
}

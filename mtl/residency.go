package mtl

// NewResidencySet creates an empty residency set, +1. Since macOS 15.
//
//	-[MTLDevice newResidencySetWithDescriptor:error:]
func (o Device) NewResidencySet(descriptor ResidencySetDescriptor) (ResidencySet, error) {
	const c = check("-[MTLDevice newResidencySetWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewResidencySetWithDescriptor], o.ID()); err != nil {
		return ResidencySet{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return ResidencySet{}, err
	}
	return sendDeviceNewResidencySetWithDescriptor(o, descriptor)
}

// AddAllocation adds a buffer, texture or heap; it takes effect at the next Commit. Nil is an error
// wrapping [ErrNil].
//
//	-[MTLResidencySet addAllocation:]
func (o ResidencySet) AddAllocation(allocation Allocation) error {
	const c = check("-[MTLResidencySet addAllocation:]")
	if err := c.receiver(&zmethods[mResidencySetAddAllocation], o.ID()); err != nil {
		return err
	}
	if err := c.object("allocation", allocation.ID()); err != nil {
		return err
	}
	sendResidencySetAddAllocation(o, allocation)
	return nil
}

// AddAllocations adds several allocations; it takes effect at the next Commit.
//
//	-[MTLResidencySet addAllocations:count:]
func (o ResidencySet) AddAllocations(allocations []Allocation) error {
	const c = check("-[MTLResidencySet addAllocations:count:]")
	if err := c.receiver(&zmethods[mResidencySetAddAllocations], o.ID()); err != nil {
		return err
	}
	if err := c.allocations(allocations); err != nil || len(allocations) == 0 {
		return err
	}
	sendResidencySetAddAllocations(o, allocations)
	return nil
}

// RemoveAllocation removes an allocation; it takes effect at the next Commit.
//
//	-[MTLResidencySet removeAllocation:]
func (o ResidencySet) RemoveAllocation(allocation Allocation) error {
	const c = check("-[MTLResidencySet removeAllocation:]")
	if err := c.receiver(&zmethods[mResidencySetRemoveAllocation], o.ID()); err != nil {
		return err
	}
	if err := c.object("allocation", allocation.ID()); err != nil {
		return err
	}
	sendResidencySetRemoveAllocation(o, allocation)
	return nil
}

// RemoveAllocations removes several allocations; it takes effect at the next Commit.
//
//	-[MTLResidencySet removeAllocations:count:]
func (o ResidencySet) RemoveAllocations(allocations []Allocation) error {
	const c = check("-[MTLResidencySet removeAllocations:count:]")
	if err := c.receiver(&zmethods[mResidencySetRemoveAllocations], o.ID()); err != nil {
		return err
	}
	if err := c.allocations(allocations); err != nil || len(allocations) == 0 {
		return err
	}
	sendResidencySetRemoveAllocations(o, allocations)
	return nil
}

// ContainsAllocation reports whether the set contains the allocation. It is false if either is nil.
//
//	-[MTLResidencySet containsAllocation:]
func (o ResidencySet) ContainsAllocation(allocation Allocation) bool {
	return !allocation.IsNil() && sendResidencySetContainsAllocation(o, allocation)
}

func (c check) allocations(allocations []Allocation) error {
	for i, a := range allocations {
		if a.IsNil() {
			return c.fail(ErrNil, "allocation %d of %d", i, len(allocations))
		}
	}
	return nil
}

package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func (r *rig) residency() mtl.ResidencySet {
	r.Helper()
	d := own(r, must(mtl.NewResidencySetDescriptor()))
	d.SetLabel("set")
	d.SetInitialCapacity(4)
	return own(r, must(r.device.NewResidencySet(d)))
}

func residencyCases() []aCase {
	return []aCase{
		{"empty", "A new residency set holds nothing and has the label of its descriptor.", func(r *rig) {
			s := r.residency()
			assert.Zero(r, s.AllocationCount())
			assert.Equal(r, "set", s.Label())
			assert.Equal(r, r.device.RegistryID(), s.Device().RegistryID())
		}},
		{"committed", "Allocations are in a set once it is committed.", func(r *rig) {
			s, a, b := r.residency(), r.buffer(64), r.buffer(64)
			do(s.AddAllocation(a.Allocation), s.AddAllocations([]mtl.Allocation{b.Allocation}))
			s.Commit()
			assert.Equal(r, uint(2), s.AllocationCount())
			assert.True(r, s.ContainsAllocation(a.Allocation))
			assert.Len(r, s.AllAllocations(), 2)
			assert.GreaterOrEqual(r, s.AllocatedSize(), uint64(128))
			s.RemoveAllAllocations()
			s.Commit()
			assert.Zero(r, s.AllocationCount())
		}},
		{"twice", "An allocation is in a set once, however often it is added.", func(r *rig) {
			s, a := r.residency(), r.buffer(64)
			do(s.AddAllocation(a.Allocation), s.AddAllocation(a.Allocation))
			s.Commit()
			assert.Equal(r, uint(1), s.AllocationCount())
			do(s.RemoveAllocation(a.Allocation))
			s.Commit()
			assert.False(r, s.ContainsAllocation(a.Allocation))
		}},
		{"nil", "Nil is no allocation.", func(r *rig) {
			s := r.residency()
			r.refused(s.AddAllocation(mtl.Allocation{}), mtl.ErrNil)
			r.refused(s.RemoveAllocation(mtl.Allocation{}), mtl.ErrNil)
			assert.False(r, s.ContainsAllocation(mtl.Allocation{}))
		}},
		{"queue", "A set of a queue applies to what is committed.", func(r *rig) {
			s, p, x := r.residency(), r.kernel("number"), r.buffer(64)
			do(s.AddAllocation(x.Allocation))
			s.Commit()
			s.RequestResidency()
			do(r.queue().AddResidencySet(s))
			r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			do(r.queue().RemoveResidencySet(s))
			s.EndResidency()
			assert.Equal(r, count(16), r.words(x))
		}},
		{"command buffer", "A command buffer uses a residency set.", func(r *rig) {
			s, x := r.residency(), r.buffer(64)
			do(s.AddAllocation(x.Allocation))
			s.Commit()
			b := r.commands()
			do(b.UseResidencySet(s), b.UseResidencySets([]mtl.ResidencySet{s}))
			r.refused(b.UseResidencySet(mtl.ResidencySet{}), mtl.ErrNil)
			r.finish(b)
		}},
	}
}

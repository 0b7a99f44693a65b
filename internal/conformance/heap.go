package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// sharedHeaps skips the case on a device with its own memory, where every heap is private.
func (r *rig) sharedHeaps() {
	r.Helper()
	if !r.device.HasUnifiedMemory() {
		r.Skip("the device has memory of its own, and no shared heaps")
	}
}

// heap makes a heap; a case that needs a shared one is skipped if there are none.
func (r *rig) heap(n uint, typ mtl.HeapType, mode mtl.StorageMode) mtl.Heap {
	r.Helper()
	if mode == mtl.StorageModeShared {
		r.sharedHeaps()
	}
	d := own(r, must(mtl.NewHeapDescriptor()))
	d.SetSize(n)
	d.SetType(typ)
	d.SetStorageMode(mode)
	return own(r, must(r.device.NewHeap(d)))
}

func (r *rig) need(n uint) mtl.SizeAndAlign {
	r.Helper()
	return must(r.device.HeapBufferSizeAndAlign(n, mtl.ResourceStorageModePrivate))
}

func heapCases() []aCase {
	const private = mtl.ResourceStorageModePrivate
	return []aCase{
		{"descriptor", "A new heap descriptor asks for no bytes, private and automatic.", func(r *rig) {
			d := own(r, must(mtl.NewHeapDescriptor()))
			assert.Zero(r, d.Size())
			assert.Equal(r, mtl.StorageModePrivate, d.StorageMode())
			assert.Equal(r, mtl.HeapTypeAutomatic, d.Type())
		}},
		{"no bytes", "A heap of no bytes is refused, with the least size.", func(r *rig) {
			d := own(r, must(mtl.NewHeapDescriptor()))
			_, err := r.device.NewHeap(d)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"memoryless", "A heap cannot be memoryless.", func(r *rig) {
			d := own(r, must(mtl.NewHeapDescriptor()))
			d.SetSize(1 << 16)
			d.SetStorageMode(mtl.StorageModeMemoryless)
			_, err := r.device.NewHeap(d)
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"no such type", "A heap of a type that there is none is refused.", func(r *rig) {
			d := own(r, must(mtl.NewHeapDescriptor()))
			d.SetSize(1 << 16)
			d.SetType(mtl.HeapType(9))
			_, err := r.device.NewHeap(d)
			r.refused(err, mtl.ErrArgument)
		}},
		{"size", "A heap is at least as large as asked, and nothing of it is used at first.", func(r *rig) {
			h := r.heap(100000, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			assert.GreaterOrEqual(r, h.Size(), uint(100000))
			assert.Zero(r, h.UsedSize())
		}},
		{"properties", "A heap has type, storage mode and device of its making, and keeps its label.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypePlacement, mtl.StorageModeShared)
			assert.Equal(r, mtl.HeapTypePlacement, h.Type())
			assert.Equal(r, mtl.StorageModeShared, h.StorageMode())
			assert.Equal(r, r.device.RegistryID(), h.Device().RegistryID())
			h.SetLabel("heap of things")
			assert.Equal(r, "heap of things", h.Label())
		}},
		{"untracked", "A heap is untracked unless asked otherwise.", func(r *rig) {
			assert.Equal(r, mtl.HazardTrackingModeUntracked,
				r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate).HazardTrackingMode())
		}},
		{"size and align", "A buffer needs at least its length of a heap, at a multiple of a power of two.", func(r *rig) {
			for _, n := range []uint{1, 100, 4096, 100001} {
				sa := r.need(n)
				assert.GreaterOrEqual(r, sa.Size, n)
				assert.True(r, sa.Align > 0 && sa.Align&(sa.Align-1) == 0, sa.Align)
			}
		}},
		{"size and align of none", "What a buffer of no bytes needs is not asked for.", func(r *rig) {
			_, err := r.device.HeapBufferSizeAndAlign(0, private)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"buffer of heap", "A buffer of a heap lies in it, takes from it and gives back.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			b := must(h.NewBuffer(1000, private))
			assert.Equal(r, h.ID(), b.Heap().ID())
			assert.Equal(r, uint(1000), b.Length())
			assert.GreaterOrEqual(r, h.UsedSize(), uint(1000))
			b.Release()
			assert.Zero(r, h.UsedSize())
		}},
		{"shared heap", "A buffer of a shared heap is reached by the CPU.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			b := own(r, must(h.NewBuffer(16, mtl.ResourceStorageModeShared)))
			must(b.Bytes())[3] = 9
			assert.Equal(r, byte(9), must(b.Bytes())[3])
		}},
		{"disjoint", "Buffers of an automatic heap do not overlap.", func(r *rig) {
			h := r.heap(1<<18, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			a := own(r, must(h.NewBuffer(1<<14, mtl.ResourceStorageModeShared)))
			b := own(r, must(h.NewBuffer(1<<14, mtl.ResourceStorageModeShared)))
			must(a.Bytes())[1<<14-1] = 1
			must(b.Bytes())[0] = 2
			assert.Equal(r, byte(1), must(a.Bytes())[1<<14-1])
			x, y := min(a.GPUAddress(), b.GPUAddress()), max(a.GPUAddress(), b.GPUAddress())
			assert.GreaterOrEqual(r, y-x, uint64(1<<14))
		}},
		{"other mode", "A buffer of a heap has the heap's storage mode.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			_, err := h.NewBuffer(16, mtl.ResourceStorageModeShared)
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"full", "A buffer larger than what is left of a heap is refused, with what is left.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			free := must(h.MaxAvailableSize(256))
			b := own(r, must(h.NewBuffer(free, private)))
			assert.Equal(r, free, b.Length())
			_, err := h.NewBuffer(1<<12, private)
			r.refused(err, mtl.ErrMemory)
		}},
		{"bad alignment", "What is available at an alignment that is no power of two is not asked for.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			_, err := h.MaxAvailableSize(3)
			r.refused(err, mtl.ErrAlignment)
		}},
		{"aliasable", "The place of an aliasable buffer is given out again.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			b := own(r, must(h.NewBuffer(must(h.MaxAvailableSize(256)), private)))
			assert.False(r, b.IsAliasable())
			do(b.MakeAliasable())
			assert.True(r, b.IsAliasable())
			own(r, must(h.NewBuffer(256, private)))
		}},
		{"place in automatic", "An automatic heap places its buffers itself.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			_, err := h.NewBufferWithOffset(16, private, 0)
			r.refused(err, mtl.ErrState)
		}},
		{"place nowhere", "A placement heap is told where a buffer goes.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypePlacement, mtl.StorageModePrivate)
			_, err := h.NewBuffer(16, private)
			r.refused(err, mtl.ErrState)
		}},
		{"placed", "A buffer lies where it was placed.", func(r *rig) {
			h, sa := r.heap(1<<18, mtl.HeapTypePlacement, mtl.StorageModePrivate), r.need(1024)
			b := own(r, must(h.NewBufferWithOffset(1024, private, sa.Align)))
			assert.Equal(r, sa.Align, b.HeapOffset())
		}},
		{"misplaced", "A place that is not aligned is refused, with the alignment.", func(r *rig) {
			h, sa := r.heap(1<<18, mtl.HeapTypePlacement, mtl.StorageModePrivate), r.need(1024)
			_, err := h.NewBufferWithOffset(1024, private, 1)
			r.beyond(err, mtl.ErrAlignment, 1, uint64(sa.Align))
		}},
		{"place at end", "A place without room is refused, with the room there is.", func(r *rig) {
			h, sa := r.heap(1<<18, mtl.HeapTypePlacement, mtl.StorageModePrivate), r.need(1024)
			_, err := h.NewBufferWithOffset(1024, private, h.Size()/sa.Align*sa.Align)
			r.refused(err, mtl.ErrLength)
		}},
		{"same place", "Two buffers at one place of a placement heap are the same memory.", func(r *rig) {
			h := r.heap(1<<18, mtl.HeapTypePlacement, mtl.StorageModeShared)
			a := own(r, must(h.NewBufferWithOffset(64, mtl.ResourceStorageModeShared, 0)))
			b := own(r, must(h.NewBufferWithOffset(64, mtl.ResourceStorageModeShared, 0)))
			must(a.Bytes())[5] = 77
			assert.Equal(r, byte(77), must(b.Bytes())[5])
		}},
		{"outlived", "A buffer keeps its heap alive.", func(r *rig) {
			r.sharedHeaps()
			d := own(r, must(mtl.NewHeapDescriptor()))
			d.SetSize(1 << 16)
			d.SetStorageMode(mtl.StorageModeShared)
			h := must(r.device.NewHeap(d))
			b := own(r, must(h.NewBuffer(16, mtl.ResourceStorageModeShared)))
			h.Release()
			must(b.Bytes())[0] = 1
			assert.False(r, b.Heap().IsNil())
		}},
		{"purgeable", "A heap has a purgeable state as a buffer has.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			assert.Equal(r, mtl.PurgeableStateNonVolatile, h.SetPurgeableState(mtl.PurgeableStateVolatile))
			assert.Equal(r, mtl.PurgeableStateVolatile, h.SetPurgeableState(mtl.PurgeableStateNonVolatile))
		}},
	}
}

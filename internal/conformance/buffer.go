package conformance

import (
	"bytes"
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func bufferCases() []aCase {
	cases := []aCase{
		{"no bytes", "A buffer of no bytes is refused, with the least length.", func(r *rig) {
			_, err := r.device.NewBuffer(0, 0)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"too long", "A buffer longer than the device allows is refused, with the limit.", func(r *rig) {
			n := r.device.MaxBufferLength()
			_, err := r.device.NewBuffer(n+1, 0)
			r.beyond(err, mtl.ErrMemory, uint64(n+1), uint64(n))
		}},
		{"copy of bytes", "A buffer made of bytes has a copy of them.", func(r *rig) {
			data := []byte("seventeen bytes..")
			b := own(r, must(r.device.NewBufferWithBytes(data, 0)))
			data[0] = 'S'
			assert.Equal(r, uint(17), b.Length())
			assert.Equal(r, []byte("seventeen bytes.."), must(b.Bytes()))
		}},
		{"copy of no bytes", "A buffer cannot be made of no bytes.", func(r *rig) {
			_, err := r.device.NewBufferWithBytes(nil, 0)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"copy into private", "Bytes cannot be copied into a private buffer by the CPU.", func(r *rig) {
			_, err := r.device.NewBufferWithBytes([]byte{1}, mtl.ResourceStorageModePrivate)
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"private contents", "The CPU does not reach a private buffer.", func(r *rig) {
			b := r.private(64)
			assert.Equal(r, mtl.StorageModePrivate, b.StorageMode())
			assert.Zero(r, b.Contents())
			_, err := b.Bytes()
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"shared contents", "The CPU reads what it wrote to a shared buffer.", func(r *rig) {
			b := r.uints(1, 2, 3)
			assert.Equal(r, mtl.StorageModeShared, b.StorageMode())
			assert.Equal(r, []uint32{1, 2, 3}, r.words(b))
		}},
		{"contents stay", "The memory of a shared buffer stays where it is.", func(r *rig) {
			b := r.buffer(4096)
			p := b.Contents()
			assert.NotZero(r, p)
			r.buffer(4096)
			assert.Equal(r, p, b.Contents())
		}},
		{"contents aligned", "The memory of a shared buffer is aligned for every type of a kernel.", func(r *rig) {
			for _, n := range []uint{1, 17, 4096} {
				assert.Zero(r, r.buffer(n).Contents()%16)
			}
		}},
		{"memoryless", "A buffer cannot be memoryless.", func(r *rig) {
			_, err := r.device.NewBuffer(64, mtl.ResourceStorageModeMemoryless)
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"modified shared", "Only of a managed buffer can the GPU be told that it was modified.", func(r *rig) {
			r.refused(r.buffer(64).DidModifyRange(mtl.Range{Length: 4}), mtl.ErrStorageMode)
		}},
		{"disjoint", "Two buffers share no memory.", func(r *rig) {
			a, b := r.uints(1, 2), r.uints(3, 4)
			assert.Equal(r, []uint32{1, 2}, r.words(a))
			assert.Equal(r, []uint32{3, 4}, r.words(b))
			assert.NotEqual(r, a.Contents(), b.Contents())
		}},
		{"gpu address", "A buffer has an address of the GPU that does not change, and no other has it.", func(r *rig) {
			a, b := r.buffer(64), r.private(64)
			assert.NotZero(r, a.GPUAddress())
			assert.Equal(r, a.GPUAddress(), a.GPUAddress())
			assert.NotEqual(r, a.GPUAddress(), b.GPUAddress())
		}},
		{"gpu addresses apart", "The address ranges of two buffers do not overlap.", func(r *rig) {
			a, b := r.buffer(1<<16), r.buffer(1<<16)
			x, y := min(a.GPUAddress(), b.GPUAddress()), max(a.GPUAddress(), b.GPUAddress())
			assert.GreaterOrEqual(r, y-x, uint64(1<<16))
		}},
		{"device", "A buffer names the device that made it.", func(r *rig) {
			assert.Equal(r, r.device.RegistryID(), r.buffer(4).Device().RegistryID())
		}},
		{"no heap", "A buffer of the device lies in no heap, at offset zero.", func(r *rig) {
			b := r.buffer(4)
			assert.True(r, b.Heap().IsNil())
			assert.Zero(r, b.HeapOffset())
			assert.False(r, b.IsAliasable())
		}},
		{"no label", "A new buffer has no label.", func(r *rig) { assert.Empty(r, r.buffer(4).Label()) }},
		{"allocated size", "The memory allocated for a buffer is at least its length.", func(r *rig) {
			assert.GreaterOrEqual(r, r.buffer(1001).AllocatedSize(), uint(1001))
		}},
		{"tracked", "A buffer of the device has its hazards tracked unless asked otherwise.", func(r *rig) {
			assert.Equal(r, mtl.HazardTrackingModeTracked, r.buffer(4).HazardTrackingMode())
		}},
		{"untracked", "A buffer can be made without hazard tracking.", func(r *rig) {
			b := own(r, must(r.device.NewBuffer(4, mtl.ResourceHazardTrackingModeUntracked)))
			assert.Equal(r, mtl.HazardTrackingModeUntracked, b.HazardTrackingMode())
		}},
		{"write combined", "A buffer keeps the CPU cache mode it was made with.", func(r *rig) {
			b := own(r, must(r.device.NewBuffer(4, mtl.ResourceCPUCacheModeWriteCombined)))
			assert.Equal(r, mtl.CPUCacheModeWriteCombined, b.CpuCacheMode())
			assert.Equal(r, mtl.CPUCacheModeDefaultCache, r.buffer(4).CpuCacheMode())
		}},
		{"options", "The options of a buffer say its storage mode.", func(r *rig) {
			assert.Equal(r, mtl.StorageModePrivate, r.private(4).ResourceOptions().StorageMode())
			assert.Equal(r, mtl.StorageModeShared, r.buffer(4).ResourceOptions().StorageMode())
		}},
		{"purgeable", "Setting a purgeable state answers the one before; asking changes nothing.", func(r *rig) {
			b := r.buffer(4096)
			assert.Equal(r, mtl.PurgeableStateNonVolatile, b.SetPurgeableState(mtl.PurgeableStateKeepCurrent))
			assert.Equal(r, mtl.PurgeableStateNonVolatile, b.SetPurgeableState(mtl.PurgeableStateVolatile))
			assert.Equal(r, mtl.PurgeableStateVolatile, b.SetPurgeableState(mtl.PurgeableStateNonVolatile))
			assert.Equal(r, mtl.PurgeableStateNonVolatile, b.SetPurgeableState(mtl.PurgeableStateKeepCurrent))
		}},
		{"part", "A part of a buffer is a view of its memory.", func(r *rig) {
			b := r.buffer(16)
			must(b.BytesAt(4, 4))[0] = 7
			assert.Equal(r, byte(7), must(b.Bytes())[4])
		}},
		{"part at end", "An empty part at the end is in the buffer.", func(r *rig) {
			assert.Empty(r, must(r.buffer(16).BytesAt(16, 0)))
		}},
		{"part too far", "A part beyond the end is refused, with the offset and the length of the buffer.", func(r *rig) {
			_, err := r.buffer(16).BytesAt(17, 0)
			r.beyond(err, mtl.ErrOffset, 17, 16)
		}},
		{"part too long", "A part that ends beyond the end is refused, with the bytes there are.", func(r *rig) {
			_, err := r.buffer(16).BytesAt(12, 5)
			r.beyond(err, mtl.ErrLength, 5, 4)
		}},
		{"part overflows", "A part whose end no number holds is refused.", func(r *rig) {
			_, err := r.buffer(16).BytesAt(8, ^uint(0))
			r.beyond(err, mtl.ErrLength, uint64(^uint(0)), 8)
		}},
		{"markers", "A range of a buffer can be named for debugging, one beyond its end not.", func(r *rig) {
			b := r.buffer(16)
			do(b.AddDebugMarker("half", mtl.Range{Location: 8, Length: 8}))
			r.beyond(b.AddDebugMarker("over", mtl.Range{Location: 8, Length: 9}), mtl.ErrLength, 9, 8)
			b.RemoveAllDebugMarkers()
		}},
		{"no peer", "A shared buffer has no view on another device.", func(r *rig) {
			_, err := r.buffer(4).NewRemoteBufferView(r.device)
			r.refused(err, mtl.ErrStorageMode)
		}},
		{"own peer", "A device is no peer of itself.", func(r *rig) {
			_, err := r.private(4).NewRemoteBufferView(r.device)
			r.refused(err, mtl.ErrDevice)
		}},
		{"many", "A thousand buffers are told apart by contents and address.", func(r *rig) {
			seen := map[uint64]bool{}
			bs := make([]mtl.Buffer, 1000)
			for i := range bs {
				bs[i] = must(r.device.NewBufferWithBytes(word(uint32(i)), 0))
				seen[bs[i].GPUAddress()] = true
			}
			for i, b := range bs {
				r.holds(assert.Equal(r, word(uint32(i)), must(b.Bytes())))
			}
			assert.Len(r, seen, 1000)
			mtl.ReleaseAll(bs)
		}},
	}
	for _, n := range []uint{1, 3, 16, 4096, 65537, 1 << 20} {
		cases = append(cases, aCase{fmt.Sprintf("length %d", n),
			"A new shared buffer has the length asked for, and zeros in it.", func(r *rig) {
				b := r.buffer(n)
				assert.Equal(r, n, b.Length())
				m := must(b.Bytes())
				assert.Len(r, m, int(n))
				assert.True(r, bytes.Equal(make([]byte, n), m))
			}})
	}
	for _, label := range []string{"plain", "", "Grüße, 世界 😀", "a\nb"} {
		cases = append(cases, aCase{fmt.Sprintf("label %q", label), "A buffer keeps the label it is given.", func(r *rig) {
			b := r.buffer(4)
			b.SetLabel("before")
			b.SetLabel(label)
			assert.Equal(r, label, b.Label())
		}})
	}
	return cases
}

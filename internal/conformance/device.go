package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func deviceCases() []aCase {
	cases := []aCase{
		{"name", "A device has a name that is not empty.", func(r *rig) { assert.NotEmpty(r, r.device.Name()) }},
		{"registry id", "A device has a registry id other than zero.",
			func(r *rig) { assert.NotZero(r, r.device.RegistryID()) }},
		{"architecture", "Since macOS 14 a device names its architecture.", func(r *rig) {
			a := must(r.device.Architecture())
			assert.NotEmpty(r, a.Name())
		}},
		{"listed", "The default device is among all devices.", func(r *rig) {
			ds := must(mtl.Devices())
			defer mtl.ReleaseAll(ds)
			found := 0
			for _, d := range ds {
				if d.RegistryID() == r.device.RegistryID() {
					found++
				}
			}
			assert.Equal(r, 1, found)
		}},
		{"ids differ", "Registry ids tell devices apart.", func(r *rig) {
			ds := must(mtl.Devices())
			defer mtl.ReleaseAll(ds)
			seen := map[uint64]bool{}
			for _, d := range ds {
				assert.False(r, seen[d.RegistryID()])
				seen[d.RegistryID()] = true
			}
		}},
		{"by name", "A device is found by its name.", func(r *rig) {
			d := own(r, must(mtl.DeviceNamed(r.device.Name())))
			assert.Equal(r, r.device.Name(), d.Name())
		}},
		{"by id", "A device is found by its registry id.", func(r *rig) {
			d := own(r, must(mtl.DeviceByRegistryID(r.device.RegistryID())))
			assert.Equal(r, r.device.RegistryID(), d.RegistryID())
		}},
		{"no such name", "A name that no device has is an error and no device.", func(r *rig) {
			_, err := mtl.DeviceNamed("no device is called this")
			r.refused(err, mtl.ErrNoDevice)
			assert.ErrorContains(r, err, r.device.Name(), "the names there are")
		}},
		{"no such id", "A registry id that no device has is an error and no device.", func(r *rig) {
			_, err := mtl.DeviceByRegistryID(^uint64(0))
			r.refused(err, mtl.ErrNoDevice)
		}},
		{"families go down", "A device of an Apple family belongs to all Apple families before it.", func(r *rig) {
			for f := mtl.GPUFamilyApple9; f > mtl.GPUFamilyApple1; f-- {
				if r.device.Supports(f) {
					assert.True(r, r.device.Supports(f-1), "%v but not %v", f, f-1)
				}
			}
		}},
		{"common families", "Every device that runs Metal 3 belongs to the families Common1 to Common3.", func(r *rig) {
			assert.True(r, r.device.Supports(mtl.GPUFamilyCommon1))
			if r.device.Supports(mtl.GPUFamilyMetal3) {
				assert.True(r, r.device.Supports(mtl.GPUFamilyCommon2))
				assert.True(r, r.device.Supports(mtl.GPUFamilyCommon3))
			}
		}},
		{"unknown family", "A number that is no family is not supported.", func(r *rig) {
			assert.False(r, r.device.Supports(mtl.GPUFamily(999999)))
		}},
		{"families listed", "The families listed are those supported, in ascending order.", func(r *rig) {
			fs := r.device.Families()
			assert.NotEmpty(r, fs)
			for i, f := range fs {
				assert.True(r, r.device.Supports(f))
				assert.True(r, i == 0 || fs[i-1] < f)
			}
		}},
		{"threadgroup memory", "A threadgroup has at least 32 KB of memory.", func(r *rig) {
			assert.GreaterOrEqual(r, r.device.MaxThreadgroupMemoryLength(), uint(32<<10))
		}},
		{"threadgroup memory unit", "The limit of threadgroup memory is a multiple of 16 bytes.", func(r *rig) {
			assert.Zero(r, r.device.MaxThreadgroupMemoryLength()%mtl.ThreadgroupMemoryAlignment)
		}},
		{"longest buffer", "A buffer may have at least 256 MB.", func(r *rig) {
			assert.GreaterOrEqual(r, r.device.MaxBufferLength(), uint(256<<20))
		}},
		{"working set", "A device recommends a working set of more than nothing.", func(r *rig) {
			assert.NotZero(r, r.device.RecommendedMaxWorkingSetSize())
		}},
		{"argument buffers", "Devices of family Metal3 have argument buffers of tier 2.", func(r *rig) {
			if r.device.Supports(mtl.GPUFamilyMetal3) {
				assert.Equal(r, mtl.ArgumentBuffersTier2, r.device.ArgumentBuffersSupport())
			}
		}},
		{"argument samplers", "At least 16 samplers fit into argument buffers.", func(r *rig) {
			assert.GreaterOrEqual(r, r.device.MaxArgumentBufferSamplerCount(), uint(16))
		}},
		{"unified memory", "Devices of an Apple family share memory with the CPU.", func(r *rig) {
			if r.device.Supports(mtl.GPUFamilyApple7) {
				assert.True(r, r.device.HasUnifiedMemory())
			}
		}},
		{"built in", "A device with unified memory is built in and cannot be removed.", func(r *rig) {
			if r.device.HasUnifiedMemory() {
				assert.False(r, r.device.IsRemovable())
				assert.Equal(r, mtl.DeviceLocationBuiltIn, r.device.Location())
			}
		}},
		{"peers", "A device without peers has group, index and count zero; one of a group has an index below its count.",
			func(r *rig) {
				if r.device.PeerGroupID() == 0 {
					assert.Zero(r, r.device.PeerIndex())
					assert.Zero(r, r.device.PeerCount())
				} else {
					assert.Less(r, r.device.PeerIndex(), r.device.PeerCount())
				}
			}},
		{"allocated size", "What a device has allocated grows with a buffer and shrinks when it is gone.", func(r *rig) {
			before := r.device.CurrentAllocatedSize()
			b := must(r.device.NewBuffer(4<<20, mtl.ResourceStorageModeShared))
			with := r.device.CurrentAllocatedSize()
			assert.GreaterOrEqual(r, with, before+4<<20)
			b.Release()
			assert.Less(r, r.device.CurrentAllocatedSize(), with)
		}},
		{"timestamps", "The clocks of CPU and GPU, sampled together, do not go back.", func(r *rig) {
			c0, g0 := r.device.SampleTimestamps()
			c1, g1 := r.device.SampleTimestamps()
			assert.NotZero(r, c0)
			assert.NotZero(r, g0)
			assert.GreaterOrEqual(r, c1, c0)
			assert.GreaterOrEqual(r, g1, g0)
		}},
		{"limits together", "The limits that are asked for one by one are those asked for together.", func(r *rig) {
			l := r.device.Limits()
			assert.Equal(r, r.device.MaxBufferLength(), l.MaxBufferLength)
			assert.Equal(r, r.device.MaxThreadsPerThreadgroup(), l.MaxThreadsPerThreadgroup)
			assert.Equal(r, r.device.MaxThreadgroupMemoryLength(), l.MaxThreadgroupMemoryLength)
			assert.Equal(r, r.device.ArgumentBuffersSupport(), l.ArgumentBuffers)
		}},
		{"one sample", "Textures with one sample are supported, with three not.", func(r *rig) {
			assert.True(r, r.device.SupportsTextureSampleCount(1))
			assert.False(r, r.device.SupportsTextureSampleCount(3))
		}},
		{"compilation tasks", "At least one compilation runs at a time.", func(r *rig) {
			assert.GreaterOrEqual(r, must(r.device.MaximumConcurrentCompilationTaskCount()), uint(1))
		}},
		{"maximize compilation", "The wish to compile as much at a time as possible is kept.", func(r *rig) {
			was := must(r.device.ShouldMaximizeConcurrentCompilation())
			do(r.device.SetShouldMaximizeConcurrentCompilation(!was))
			assert.Equal(r, !was, must(r.device.ShouldMaximizeConcurrentCompilation()))
			do(r.device.SetShouldMaximizeConcurrentCompilation(was))
		}},
		{"retain", "A device that was retained is alive after a release.", func(r *rig) {
			r.device.Retain()
			r.device.Release()
			assert.NotEmpty(r, r.device.Name())
		}},
		{"nil", "A nil device answers zero to all it is asked.", func(r *rig) {
			var d mtl.Device
			assert.Zero(r, d.Name())
			assert.Zero(r, d.RegistryID())
			assert.Zero(r, d.MaxBufferLength())
			assert.Zero(r, d.MaxThreadsPerThreadgroup())
			assert.False(r, d.Supports(mtl.GPUFamilyApple1))
		}},
	}
	for _, along := range []struct {
		name string
		of   func(mtl.Size) uint
		most uint
	}{
		{"width", func(s mtl.Size) uint { return s.Width }, 512},
		{"height", func(s mtl.Size) uint { return s.Height }, 512},
		{"depth", func(s mtl.Size) uint { return s.Depth }, 64},
	} {
		cases = append(cases, aCase{"threadgroup " + along.name,
			"A threadgroup may have at least as many threads along its " + along.name + " as every Apple GPU allows.",
			func(r *rig) {
				assert.GreaterOrEqual(r, along.of(r.device.MaxThreadsPerThreadgroup()), along.most)
			}})
	}
	for _, f := range []mtl.PixelFormat{mtl.PixelFormatR8Unorm, mtl.PixelFormatRGBA8Unorm, mtl.PixelFormatR32Float,
		mtl.PixelFormatRGBA32Float} {
		cases = append(cases, aCase{"linear alignment " + f.String(),
			"Rows of a linear texture are aligned to a power of two of at most 256 bytes.", func(r *rig) {
				n := must(r.device.MinimumLinearTextureAlignment(f))
				assert.True(r, n > 0 && n <= 256 && n&(n-1) == 0, n)
			}})
	}
	return cases
}

package softmetal

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
)

// device is the state of an MTLDevice. It lives as long as its driver.
type device struct {
	driver *driver
	id     objcsoft.ID
	index  int // among the devices, which are peers where there are several
	peers  int // how many devices there are
	name   string

	// memory holds what kernels reach: buffers, heaps, textures.
	memory   *memory.Device
	physical uint64 // bytes that the machine has

	textureHandles, samplerHandles handles
	residents                      residents

	mu       sync.Mutex
	maximize bool // shouldMaximizeConcurrentCompilation

	gone      atomic.Bool   // from the machine
	pipelines atomic.Uint64 // how many there have been
	commands  commands
}

// defaultPhysical stands for the machine's memory where the system does not say how much there is.
const defaultPhysical = 1 << 30

func newDevice(drv *driver, index, peers int) *device {
	d := &device{driver: drv, index: index, peers: peers, name: "PureMetal Software GPU", physical: physicalMemory(drv.RT)}
	if peers > 1 {
		d.name = fmt.Sprintf("%s %d", d.name, index)
	}
	d.memory = memory.NewDevice(d.physical)
	return d
}

// physicalMemory asks Foundation how much memory the machine has.
func physicalMemory(rt *objcsoft.Runtime) uint64 {
	info := rt.Class("NSProcessInfo")
	if info == nil {
		return defaultPhysical
	}
	pool := rt.PushPool()
	defer func() { _ = rt.PopPool(pool) }() // the pool is this function's own
	ask := func(recv objcsoft.ID, k *objcsoft.Class, sel string) uintptr {
		m := k.Method(rt.Sel(sel))
		if m == nil {
			return 0
		}
		var ret [1]uintptr
		if err := rt.Send(recv, m.Sel, m.Enc, nil, ret[:]); err != nil {
			return 0
		}
		return ret[0]
	}
	p := ask(info.ID(), info.Metaclass(), "processInfo")
	if n := ask(objcsoft.ID(p), info, "physicalMemory"); n != 0 {
		return uint64(n)
	}
	return defaultPhysical
}

// maxBufferLength is half of the machine's memory, as on Apple silicon, and never more than an offset can say.
func (d *device) maxBufferLength() uint64 {
	return min(d.physical/2, 1<<39) &^ (memory.PageSize() - 1)
}

// workingSet is what the device recommends not to exceed: two thirds of a small machine's memory, three quarters of a large one's.
func (d *device) workingSet() uint64 {
	if d.physical > 36<<30 {
		return d.physical / 4 * 3
	}
	return d.physical / 3 * 2
}

// registryID is unique only within one driver, as programs compare devices of one process.
func (d *device) registryID() uint64 { return 0x5057_0000_0001 + uint64(d.index) }

// peerGroup is the group of the devices where there are several, else none.
func (d *device) peerGroup() uint64 {
	if d.peers > 1 {
		return 0x5057_0001
	}
	return 0
}

// families that the device belongs to: what compute needs of them is there. Metal 4 is not promised as a family before all of it is.
func (d *device) supportsFamily(family int64) bool {
	switch {
	case family >= mtlGPUFamilyApple1 && family <= mtlGPUFamilyApple9,
		family >= mtlGPUFamilyCommon1 && family <= mtlGPUFamilyCommon3:
		return true
	}
	return family == mtlGPUFamilyMac1 || family == mtlGPUFamilyMac2 || family == mtlGPUFamilyMetal3
}

// deviceNumber makes a getter of a number.
func deviceNumber(f func(*device) uint64) objcsoft.Imp {
	return adapter.Method(func(d *device, c *objcsoft.Call) { c.ReturnUint(f(d)) })
}

func deviceClasses() []adapter.Class {
	m := adapter.Methods{
		"name":         adapter.Method((*device).getName),
		"architecture": adapter.Method((*device).getArchitecture),
		"registryID":   deviceNumber((*device).registryID),
		"peerGroupID":  deviceNumber((*device).peerGroup),
		"peerIndex":    deviceNumber(func(d *device) uint64 { return uint64(d.index) }),
		"peerCount": deviceNumber(func(d *device) uint64 {
			if d.peers > 1 {
				return uint64(d.peers)
			}
			return 0
		}),

		"maxBufferLength":               deviceNumber((*device).maxBufferLength),
		"recommendedMaxWorkingSetSize":  deviceNumber((*device).workingSet),
		"currentAllocatedSize":          deviceNumber(func(d *device) uint64 { return d.memory.Used() }),
		"maxThreadgroupMemoryLength":    adapter.Constantly(limits.MaxThreadgroupMemory),
		"maxArgumentBufferSamplerCount": adapter.Constantly(limits.MaxArgumentBufferSamplers),
		"maxThreadsPerThreadgroup": func(c *objcsoft.Call) {
			c.ReturnWords(limits.MaxThreads, limits.MaxThreads, limits.MaxThreads)
		},
		"maximumConcurrentCompilationTaskCount":   deviceNumber(func(*device) uint64 { return uint64(runtime.GOMAXPROCS(0)) }),
		"shouldMaximizeConcurrentCompilation":     adapter.Method((*device).getMaximize),
		"setShouldMaximizeConcurrentCompilation:": adapter.Method((*device).setMaximize),

		"supportsFamily:":             adapter.Method(func(d *device, c *objcsoft.Call) { c.ReturnBool(d.supportsFamily(c.Int(0))) }),
		"supportsTextureSampleCount:": func(c *objcsoft.Call) { n := c.Uint(0); c.ReturnBool(n == 1 || n == 2 || n == 4) },
		"argumentBuffersSupport":      adapter.Constantly(mtlArgumentBuffersTier2),
		"readWriteTextureSupport":     adapter.Constantly(mtlReadWriteTextureTier2),

		"queryTimestampFrequency": adapter.Constantly(1_000_000_000), // timestamps are nanoseconds
		"location":                adapter.Constantly(mtlDeviceLocationBuiltIn),
	}
	// What the device has, and what it does not: nothing is drawn, and rays are not traced. locationNumber and maxTransferRate are 0 for a
	// built-in device.
	for _, sel := range []string{"hasUnifiedMemory", "isHeadless", "supports32BitFloatFiltering", "supportsQueryTextureLOD"} {
		m[sel] = adapter.Constantly(1)
	}
	for _, sel := range []string{
		"isLowPower", "isRemovable", "locationNumber", "maxTransferRate",
		"areBarycentricCoordsSupported", "areProgrammableSamplePositionsSupported", "areRasterOrderGroupsSupported",
		"isDepth24Stencil8PixelFormatSupported", "supports32BitMSAA", "supportsBCTextureCompression", "supportsFeatureSet:",
		"supportsFunctionPointersFromRender", "supportsPlacementSparse",
		"supportsPrimitiveMotionBlur", "supportsPullModelInterpolation", "supportsRasterizationRateMapWithLayerCount:", "supportsRaytracing",
		"supportsRaytracingFromRender", "supportsRenderDynamicLibraries", "supportsShaderBarycentricCoordinates", "supportsVertexAmplificationCount:",
	} {
		m[sel] = adapter.Constantly(0)
	}
	return []adapter.Class{
		{Name: "PMSoftDevice", Protocols: []string{"MTLDevice"}, Methods: m},
		{Name: "MTLArchitecture", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{{Name: "name"}}},
	}
}

func (d *device) getName(c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(d.name)) }

func (d *device) getArchitecture(c *objcsoft.Call) {
	id := adapter.NewInstance(c.RT, "MTLArchitecture")
	if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
		r.Own(c.RT, "name", c.RT.NewString("puremetal-vm"))
	}
	c.ReturnAutoreleased(id)
}

func (d *device) getMaximize(c *objcsoft.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.ReturnBool(d.maximize)
}

func (d *device) setMaximize(c *objcsoft.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.maximize = c.Bool(0)
}

package device

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Device is the state of an MTLDevice. It lives as long as its driver.
type Device struct {
	Driver *Driver
	ID     objcsoft.ID
	Index  int // among the devices
	peers  peerGroup
	Name   string

	// Memory holds what kernels reach: buffers, heaps, textures.
	Memory   *memory.Device
	Physical uint64 // bytes that the machine has, or the process may have
	working  uint64 // bytes that the device recommends not to exceed

	TextureHandles, SamplerHandles handles
	Residents                      residents

	// Isolated means that the kernels of new queues can reach only what the program declares.
	Isolated bool

	sanitizers sanitizers
	arranged   arranged
	measurers  measurers
	checks     commandChecks
	lost       lost

	mu       sync.Mutex
	maximize bool // shouldMaximizeConcurrentCompilation

	gone      atomic.Bool   // from the machine
	Pipelines atomic.Uint64 // how many there have been
	commands  commands

	compilations compilations
	trusted      trusted
}

// defaultPhysical is used if the system does not report the machine's memory.
const defaultPhysical = 1 << 30

func newDevice(drv *Driver, index, devices int, peers peerGroup) *Device {
	d := &Device{Driver: drv, Index: index, peers: peers, Name: "PureMetal Software GPU", Physical: physicalMemory(drv.RT)}
	if devices > 1 {
		d.Name = fmt.Sprintf("%s %d", d.Name, index)
	}
	room, ok := machine.FindRoom()
	if !ok {
		room = machine.Room{Total: d.Physical, Free: d.Physical}
	}
	d.Physical = min(d.Physical, room.Total)
	var most uint64
	d.working, most = shares(room)
	d.Memory = memory.NewDevice(most)
	d.Isolated = isolationFromEnvironment()
	d.sanitizedFromEnvironment()
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

// MaxBufferLength is half of the machine's memory, as on Apple silicon, and never more than an
// offset can say.
func (d *Device) MaxBufferLength() uint64 {
	return min(d.Physical/2, 1<<39) &^ (memory.PageSize() - 1)
}

// leastShare is what the device takes also where nothing seems free, as the system may be wrong.
const leastShare = 64 << 20

// shares returns what the device recommends not to exceed, and what it takes at most, of the memory
// that there is when the first program asks for the device. The recommendation is two thirds of a
// small machine's memory and three quarters of a large one's, but at most three quarters of what is
// free. The device takes nine tenths of that, so that its own error comes before the system ends
// the process.
func shares(room machine.Room) (recommended, most uint64) {
	recommended = room.Total / 3 * 2
	if room.Total > 36<<30 {
		recommended = room.Total / 4 * 3
	}
	return max(min(recommended, room.Free/4*3), leastShare), max(room.Free/10*9, leastShare)
}

func (d *Device) workingSet() uint64 { return d.working }

// registryID is unique only within one driver, as programs compare devices of one process.
func (d *Device) registryID() uint64 { return 0x5057_0000_0001 + uint64(d.Index) }

// supportsFamily reports the families that the device belongs to, as far as compute is concerned.
// Metal 4 is not reported as a family until all of it is supported.
func (d *Device) supportsFamily(family int64) bool {
	switch {
	case family >= metal.GPUFamilyApple1 && family <= metal.GPUFamilyApple9,
		family >= metal.GPUFamilyCommon1 && family <= metal.GPUFamilyCommon3:
		return true
	}
	return family == metal.GPUFamilyMac1 || family == metal.GPUFamilyMac2 || family == metal.GPUFamilyMetal3
}

// deviceNumber makes a getter for a number.
func deviceNumber(f func(*Device) uint64) objcsoft.Imp {
	return adapter.Method(func(d *Device, c *objcsoft.Call) { c.ReturnUint(f(d)) })
}

func deviceClasses() []adapter.Class {
	m := adapter.Methods{
		"name":         adapter.Method((*Device).getName),
		"architecture": adapter.Method((*Device).getArchitecture),
		"registryID":   deviceNumber((*Device).registryID),
		"peerGroupID":  deviceNumber(func(d *Device) uint64 { return d.peers.id }),
		"peerIndex":    deviceNumber(func(d *Device) uint64 { return uint64(d.peers.index) }),
		"peerCount":    deviceNumber(func(d *Device) uint64 { return uint64(d.peers.count) }),

		"maxBufferLength":               deviceNumber((*Device).MaxBufferLength),
		"recommendedMaxWorkingSetSize":  deviceNumber((*Device).workingSet),
		"currentAllocatedSize":          deviceNumber(func(d *Device) uint64 { return d.Memory.Used() }),
		"maxThreadgroupMemoryLength":    adapter.Constantly(limits.MaxThreadgroupMemory),
		"maxArgumentBufferSamplerCount": adapter.Constantly(limits.MaxArgumentBufferSamplers),
		"maxThreadsPerThreadgroup": func(c *objcsoft.Call) {
			c.ReturnWords(limits.MaxThreads, limits.MaxThreads, limits.MaxThreads)
		},
		"maximumConcurrentCompilationTaskCount":   deviceNumber(func(*Device) uint64 { return uint64(runtime.GOMAXPROCS(0)) }),
		"shouldMaximizeConcurrentCompilation":     adapter.Method((*Device).getMaximize),
		"setShouldMaximizeConcurrentCompilation:": adapter.Method((*Device).setMaximize),

		"supportsFamily:": adapter.Method(func(d *Device,
			c *objcsoft.Call) {
			c.ReturnBool(d.supportsFamily(c.Int(0)))
		}),
		"supportsTextureSampleCount:": func(c *objcsoft.Call) { n := c.Uint(0); c.ReturnBool(n == 1 || n == 2 || n == 4) },
		"argumentBuffersSupport":      adapter.Constantly(metal.ArgumentBuffersTier2),
		"readWriteTextureSupport":     adapter.Constantly(metal.ReadWriteTextureTier2),

		"queryTimestampFrequency": adapter.Constantly(1_000_000_000), // timestamps are nanoseconds
		"location":                adapter.Constantly(metal.DeviceLocationBuiltIn),
	}
	// What the device has, and what it does not: nothing is drawn, and rays are not traced.
	// locationNumber and maxTransferRate are 0 for a built-in device.
	for _, sel := range []string{"hasUnifiedMemory", "isHeadless", "supports32BitFloatFiltering",
		"supportsQueryTextureLOD"} {
		m[sel] = adapter.Constantly(1)
	}
	for _, sel := range []string{
		"isLowPower", "isRemovable", "locationNumber", "maxTransferRate",
		"areBarycentricCoordsSupported", "areProgrammableSamplePositionsSupported", "areRasterOrderGroupsSupported",
		"isDepth24Stencil8PixelFormatSupported", "supports32BitMSAA", "supportsBCTextureCompression", "supportsFeatureSet:",
		"supportsFunctionPointersFromRender", "supportsPlacementSparse",
		"supportsPrimitiveMotionBlur", "supportsPullModelInterpolation", "supportsRasterizationRateMapWithLayerCount:",
		"supportsRaytracing",
		"supportsRaytracingFromRender", "supportsRenderDynamicLibraries", "supportsShaderBarycentricCoordinates",
		"supportsVertexAmplificationCount:",
	} {
		m[sel] = adapter.Constantly(0)
	}
	return []adapter.Class{
		{Name: "PMSoftDevice", Protocols: []string{"MTLDevice"}, Methods: m},
		{Name: "MTLArchitecture", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{{Name: "name"}}},
	}
}

func (d *Device) getName(c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(d.Name)) }

func (d *Device) getArchitecture(c *objcsoft.Call) {
	id := adapter.NewInstance(c.RT, "MTLArchitecture")
	if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
		r.Own(c.RT, "name", c.RT.NewString("puremetal-vm"))
	}
	c.ReturnAutoreleased(id)
}

func (d *Device) getMaximize(c *objcsoft.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.ReturnBool(d.maximize)
}

func (d *Device) setMaximize(c *objcsoft.Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.maximize = c.Bool(0)
}

package mtl

import (
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/objc"
)

// Facts are properties of a Metal object that never change. Checks on hot paths need them, and a
// message for each would double the cost of a call, so they are read once and cached by handle. A
// handle never names another object, even after its own is gone.

// factCache caches the facts of recently used objects. It is direct-mapped, bounded, and safe for
// concurrent use; a hit costs a multiplication and two loads.
type factCache[T any] struct {
	slots [factSlots]atomic.Pointer[fact[T]]
}

const (
	factSlotBits = 11
	factSlots    = 1 << factSlotBits
)

type fact[T any] struct {
	id objc.ID
	v  T
}

// get returns the facts of id, and reads them at the first use. read runs inside an autorelease
// pool.
func (c *factCache[T]) get(id objc.ID, read func(objc.ID) T) *T {
	slot := &c.slots[uint64(id)*0x9e3779b97f4a7c15>>(64-factSlotBits)]
	if f := slot.Load(); f != nil && f.id == id {
		return &f.v
	}
	f := &fact[T]{id: id}
	objc.Pool(func() { f.v = read(id) })
	slot.Store(f)
	return &f.v
}

var (
	queueFacts     factCache[*deviceFacts]
	resourceFacts  factCache[resourceFact]
	textureFacts   factCache[textureFact]
	pipelineFacts  factCache[pipelineFact]
	structureFacts factCache[resourceFact]
)

// deviceFacts are the limits of a device.
type deviceFacts struct {
	registryID           uint64 // 0: unknown, equal to every device
	maxThreads           Size   // threads per threadgroup, in each dimension
	maxThreadgroupMemory uint64
	nonUniform           bool // threadgroups at the edge of a grid may be smaller
	anyBlitAlignment     bool // buffer blits need no four-byte alignment
	sampleDispatches     bool // counters can be sampled between dispatches
	sampleBlits          bool // counters can be sampled between blits
}

// What Metal guarantees on every Mac, for a device that does not report it.
const (
	defaultMaxThreads        = 1024
	defaultThreadgroupMemory = 32 << 10
)

// devices has the facts of every device used so far, by registry ID, since a device may have many
// handles over time.
var devices sync.Map // uint64 -> *deviceFacts

// deviceOf returns the facts of a device, never nil.
func deviceOf(d Device) *deviceFacts {
	if d.IsNil() {
		return &deviceFacts{maxThreads: Size{defaultMaxThreads, defaultMaxThreads, defaultMaxThreads},
			maxThreadgroupMemory: defaultThreadgroupMemory, nonUniform: true}
	}
	id := d.RegistryID()
	if f, ok := devices.Load(id); ok && id != 0 {
		return f.(*deviceFacts)
	}
	apple := d.SupportsFamily(GPUFamilyApple4)
	f := &deviceFacts{
		registryID:           id,
		maxThreads:           d.MaxThreadsPerThreadgroup(),
		maxThreadgroupMemory: uint64(d.MaxThreadgroupMemoryLength()),
		nonUniform:           apple || d.SupportsFamily(GPUFamilyMac2) || d.SupportsFamily(GPUFamilyMetal3),
		anyBlitAlignment:     apple,
		sampleDispatches:     d.SupportsCounterSampling(CounterSamplingPointAtDispatchBoundary),
		sampleBlits:          d.SupportsCounterSampling(CounterSamplingPointAtBlitBoundary),
	}
	for _, n := range []*uint{&f.maxThreads.Width, &f.maxThreads.Height, &f.maxThreads.Depth} {
		if *n == 0 {
			*n = defaultMaxThreads
		}
	}
	if f.maxThreadgroupMemory == 0 {
		f.maxThreadgroupMemory = defaultThreadgroupMemory
	}
	got, _ := devices.LoadOrStore(id, f)
	if id == 0 {
		return f
	}
	return got.(*deviceFacts)
}

// device checks that an object belongs to the encoder's device. Unknown facts pass.
func (c check) device(what string, have, want *deviceFacts) error {
	if have == want || have == nil || want == nil || have.registryID == 0 || want.registryID == 0 ||
		have.registryID == want.registryID {
		return nil
	}
	return c.fail(ErrDevice, "%s belongs to device %#x, not to device %#x", what, have.registryID, want.registryID)
}

// deviceOfQueue returns the facts of a queue's device.
func deviceOfQueue(q CommandQueue) *deviceFacts {
	return *queueFacts.get(q.ID(), func(id objc.ID) *deviceFacts { return deviceOf(CommandQueueFrom(id).Device()) })
}

// resourceFact is what is known about a buffer or an acceleration structure.
type resourceFact struct {
	length uint64 // bytes
	device *deviceFacts
	remote bool // a view of a buffer of another device
}

// factsOfBuffer returns the facts of a buffer that is not nil.
func factsOfBuffer(b Buffer) *resourceFact {
	return resourceFacts.get(b.ID(), func(id objc.ID) resourceFact {
		b := BufferFrom(id)
		return resourceFact{uint64(b.Length()), deviceOf(b.Device()), b.isRemoteView()}
	})
}

// factsOfStructure returns the facts of an acceleration structure that is not nil.
func factsOfStructure(a AccelerationStructure) *resourceFact {
	return structureFacts.get(a.ID(), func(id objc.ID) resourceFact {
		a := AccelerationStructureFrom(id)
		return resourceFact{length: uint64(a.Size()), device: deviceOf(a.Device())}
	})
}

// pipelineFact is what is known about a compute pipeline state.
type pipelineFact struct {
	maxThreads   uint64 // per threadgroup
	staticMemory uint64 // bytes of threadgroup memory that the kernel itself declares
	required     Size   // the only threadgroup size allowed, unless all zero
	indirect     bool   // usable from indirect command buffers
	device       *deviceFacts
}

// factsOfPipeline returns the facts of a pipeline state that is not nil.
func factsOfPipeline(p ComputePipelineState) *pipelineFact {
	return pipelineFacts.get(p.ID(), func(id objc.ID) pipelineFact {
		p := ComputePipelineStateFrom(id)
		f := pipelineFact{
			maxThreads:   uint64(p.MaxTotalThreadsPerThreadgroup()),
			staticMemory: uint64(p.StaticThreadgroupMemoryLength()),
			indirect:     p.SupportIndirectCommandBuffers(),
			device:       deviceOf(p.Device()),
		}
		if f.maxThreads == 0 {
			f.maxThreads = defaultMaxThreads
		}
		// An error means that this macOS has no required sizes, so there is none.
		f.required, _ = p.RequiredThreadsPerThreadgroup()
		return f
	})
}

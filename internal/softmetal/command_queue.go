package softmetal

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commandQueue is the state of an MTLCommandQueue.
type commandQueue struct {
	label
	dev   *device
	queue *command.Queue
	log   objcsoft.ID // an MTLLogState, or nil

	mu        sync.Mutex
	residency []objcsoft.ID // sets that apply to its command buffers, retained
}

// defaultCommandBuffers is how many command buffers of a queue may be under way when the program does not say.
const defaultCommandBuffers = 64

func commandQueueClasses() []class {
	return []class{
		{name: "MTLCommandQueueDescriptor", protocols: []string{"NSCopying"}, record: &recordSpec{props: []prop{
			{name: "maxCommandBufferCount", value: defaultCommandBuffers}, {name: "logState"},
		}}},
		{name: "PMSoftDevice", methods: methods{
			"newCommandQueue": on(func(d *device, c *objcsoft.Call) { d.newCommandQueue(c, defaultCommandBuffers, 0) }),
			"newCommandQueueWithMaxCommandBufferCount:": on(func(d *device, c *objcsoft.Call) { d.newCommandQueue(c, c.Uint(0), 0) }),
			"newCommandQueueWithDescriptor:": on(func(d *device, c *objcsoft.Call) {
				if r := recordArg(c, 0, "descriptor"); r != nil {
					d.newCommandQueue(c, r.uint("maxCommandBufferCount"), r.id("logState"))
				}
			}),
		}},
		{
			name: "PMSoftCommandQueue", protocols: []string{"MTLCommandQueue"},
			methods: withLabel[*commandQueue](methods{
				"device":                                on(func(q *commandQueue, c *objcsoft.Call) { c.ReturnID(q.dev.id) }),
				"commandBuffer":                         on(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, true, 0, 0) }),
				"commandBufferWithUnretainedReferences": on(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, false, 0, 0) }),
				"commandBufferWithDescriptor:": on(func(q *commandQueue, c *objcsoft.Call) {
					if r := recordArg(c, 0, "descriptor"); r != nil {
						q.newCommandBuffer(c, r.bool("retainedReferences"), r.uint("errorOptions"), r.id("logState"))
					}
				}),
				"insertDebugCaptureBoundary": on(func(q *commandQueue, _ *objcsoft.Call) { q.queue.Boundary() }),
				"addResidencySet:":           on(func(q *commandQueue, c *objcsoft.Call) { q.addResidency(c, c.ID(0)) }),
				"addResidencySets:count:":    on(func(q *commandQueue, c *objcsoft.Call) { q.addResidency(c, c.IDs(0, c.Uint(1))...) }),
				"removeResidencySet:":        on(func(q *commandQueue, c *objcsoft.Call) { q.removeResidency(c, c.ID(0)) }),
				"removeResidencySets:count:": on(func(q *commandQueue, c *objcsoft.Call) { q.removeResidency(c, c.IDs(0, c.Uint(1))...) }),
			}),
			dealloc: freed(func(q *commandQueue, o *objcsoft.Object) {
				o.Drop(q.residency...)
				o.Drop(q.log)
			}),
		},
	}
}

// maxQueueLength bounds the command buffers of a queue, so that a wrong number is told from a large one.
const maxQueueLength = 1 << 20

func (d *device) newCommandQueue(c *objcsoft.Call, slots uint64, log objcsoft.ID) {
	if slots == 0 || slots > maxQueueLength {
		misuse(c, "maxCommandBufferCount is %d, want 1 to %d", slots, maxQueueLength)
		return
	}
	if err := c.RT.Retain(log); err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(d.world.new("PMSoftCommandQueue", &commandQueue{dev: d, queue: d.gpu().NewQueue(int(slots)), log: log}))
}

// maxResidencySets is how many residency sets a queue takes.
const maxResidencySets = 32

func (q *commandQueue) addResidency(c *objcsoft.Call, sets ...objcsoft.ID) {
	if !areResidencySets(c, sets) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range sets {
		if slices.Contains(q.residency, id) {
			continue
		}
		if len(q.residency) == maxResidencySets {
			misuse(c, "the queue has %d residency sets, want at most %d", maxResidencySets+1, maxResidencySets)
			return
		}
		if err := c.RT.Retain(id); err != nil {
			c.Fail(err)
			return
		}
		q.residency = append(q.residency, id)
	}
}

func (q *commandQueue) removeResidency(c *objcsoft.Call, sets ...objcsoft.ID) {
	if !areResidencySets(c, sets) {
		return
	}
	q.mu.Lock()
	var gone []objcsoft.ID
	for _, id := range sets {
		if i := slices.Index(q.residency, id); i >= 0 {
			q.residency = slices.Delete(q.residency, i, i+1)
			gone = append(gone, id)
		}
	}
	q.mu.Unlock()
	release(c.RT, gone...)
}

func areResidencySets(c *objcsoft.Call, sets []objcsoft.ID) bool {
	for i, id := range sets {
		if _, ok := payloadOf[*residencySet](c.RT, id); !ok {
			misuse(c, "residency set %d is nil or no residency set of this device", i)
			return false
		}
	}
	return !c.Failed()
}

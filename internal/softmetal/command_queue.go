package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commandQueue is the state of an MTLCommandQueue.
type commandQueue struct {
	label
	dev   *device
	queue *command.Queue
	log   objcsoft.ID // an MTLLogState, or nil
	sets  queueSets
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
			methods: withLabel[*commandQueue](residencyMethods(func(q *commandQueue) *queueSets { return &q.sets }, methods{
				"device":                                on(func(q *commandQueue, c *objcsoft.Call) { c.ReturnID(q.dev.id) }),
				"commandBuffer":                         on(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, true, 0, 0) }),
				"commandBufferWithUnretainedReferences": on(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, false, 0, 0) }),
				"commandBufferWithDescriptor:": on(func(q *commandQueue, c *objcsoft.Call) {
					if r := recordArg(c, 0, "descriptor"); r != nil {
						q.newCommandBuffer(c, r.bool("retainedReferences"), r.uint("errorOptions"), r.id("logState"))
					}
				}),
				"insertDebugCaptureBoundary": on(func(q *commandQueue, _ *objcsoft.Call) { q.queue.Boundary() }),
			})),
			dealloc: freed(func(q *commandQueue, o *objcsoft.Object) {
				o.Drop(q.sets.ids...)
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
	q := &commandQueue{dev: d, queue: d.gpu().NewQueue(int(slots)), log: log}
	q.queue.Name = q.text
	c.ReturnID(d.world.new("PMSoftCommandQueue", q))
}

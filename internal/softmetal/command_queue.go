package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// commandQueue is the state of an MTLCommandQueue.
type commandQueue struct {
	adapter.Label
	dev   *device
	queue *command.Queue
	log   objcsoft.ID // an MTLLogState, or nil
	sets  queueSets
}

// defaultCommandBuffers is how many command buffers of a queue may be under way when the program does not say.
const defaultCommandBuffers = 64

func commandQueueClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTLCommandQueueDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "maxCommandBufferCount", Value: defaultCommandBuffers}, {Name: "logState"},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newCommandQueue": adapter.Method(func(d *device, c *objcsoft.Call) { d.newCommandQueue(c, defaultCommandBuffers, 0) }),
			"newCommandQueueWithMaxCommandBufferCount:": adapter.Method(func(d *device, c *objcsoft.Call) { d.newCommandQueue(c, c.Uint(0), 0) }),
			"newCommandQueueWithDescriptor:": adapter.Method(func(d *device, c *objcsoft.Call) {
				if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
					d.newCommandQueue(c, r.Uint("maxCommandBufferCount"), r.ID("logState"))
				}
			}),
		}},
		{
			Name: "PMSoftCommandQueue", Protocols: []string{"MTLCommandQueue"},
			Methods: adapter.WithLabel[*commandQueue](residencyMethods(func(q *commandQueue) *queueSets { return &q.sets }, adapter.Methods{
				"device":                                adapter.Method(func(q *commandQueue, c *objcsoft.Call) { c.ReturnID(q.dev.id) }),
				"commandBuffer":                         adapter.Method(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, true, 0, 0) }),
				"commandBufferWithUnretainedReferences": adapter.Method(func(q *commandQueue, c *objcsoft.Call) { q.newCommandBuffer(c, false, 0, 0) }),
				"commandBufferWithDescriptor:": adapter.Method(func(q *commandQueue, c *objcsoft.Call) {
					if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
						q.newCommandBuffer(c, r.Bool("retainedReferences"), r.Uint("errorOptions"), r.ID("logState"))
					}
				}),
				"insertDebugCaptureBoundary": adapter.Method(func(q *commandQueue, _ *objcsoft.Call) { q.queue.Boundary() }),
			})),
			Dealloc: adapter.DeallocHook(func(q *commandQueue, o *objcsoft.Object) {
				o.Drop(q.sets.list()...)
				o.Drop(q.log)
			}),
		},
	}
}

// maxQueueLength bounds the command buffers of a queue, so that a wrong number is told from a large one.
const maxQueueLength = 1 << 20

func (d *device) newCommandQueue(c *objcsoft.Call, slots uint64, log objcsoft.ID) {
	if slots == 0 || slots > maxQueueLength {
		adapter.Misuse(c, "maxCommandBufferCount is %d, want 1 to %d", slots, maxQueueLength)
		return
	}
	if err := c.RT.Retain(log); err != nil {
		c.Fail(err)
		return
	}
	q := &commandQueue{dev: d, queue: d.gpu().NewQueue(int(slots)), log: log}
	q.queue.Name = q.Text
	c.ReturnID(d.driver.New("PMSoftCommandQueue", q))
}

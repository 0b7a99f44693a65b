package encode

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// CommandQueue is the state of an MTLCommandQueue.
type CommandQueue struct {
	adapter.Label
	Device *device.Device
	Queue  *command.Queue
	log    objcsoft.ID // an MTLLogState, or nil
	sets   resource.QueueSets

	isolated atomic.Bool // kernels reach only what the program declares
}

// defaultCommandBuffers is how many command buffers of a queue may be under way when the program
// does not say.
const defaultCommandBuffers = 64

func commandQueueClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTLCommandQueueDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "maxCommandBufferCount", Value: defaultCommandBuffers}, {Name: "logState"},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newCommandQueue": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				newCommandQueue(d, c, defaultCommandBuffers, 0)
			}),
			"newCommandQueueWithMaxCommandBufferCount:": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				newCommandQueue(d, c, c.Uint(0), 0)
			}),
			"newCommandQueueWithDescriptor:": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
					newCommandQueue(d, c, r.Uint("maxCommandBufferCount"), r.ID("logState"))
				}
			}),
		}},
		{
			Name: "PMSoftCommandQueue", Protocols: []string{"MTLCommandQueue"},
			Methods: adapter.WithLabel[*CommandQueue](resource.ResidencyMethods(func(q *CommandQueue) *resource.QueueSets { return &q.sets }, adapter.Methods{
				"device": adapter.Method(func(q *CommandQueue,
					c *objcsoft.Call) {
					c.ReturnID(q.Device.ID)
				}),
				"commandBuffer": adapter.Method(func(q *CommandQueue,
					c *objcsoft.Call) {
					q.newCommandBuffer(c, true, 0, 0)
				}),
				"commandBufferWithUnretainedReferences": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
					q.newCommandBuffer(c, false, 0, 0)
				}),
				"commandBufferWithDescriptor:": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
					if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
						q.newCommandBuffer(c, r.Bool("retainedReferences"), r.Uint("errorOptions"), r.ID("logState"))
					}
				}),
				"setPriority:":          adapter.Method((*CommandQueue).setPriority),
				"isolate":               adapter.Method(func(q *CommandQueue, _ *objcsoft.Call) { q.isolated.Store(true) }),
				"priority":              adapter.Method((*CommandQueue).priority),
				"cancelCommandBuffers:": adapter.Method((*CommandQueue).cancel),
				"commandBufferTimeout": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
					c.ReturnUint(uint64(q.Queue.Timeout()))
				}),
				"setCommandBufferTimeout:": adapter.Method((*CommandQueue).setTimeout),
				"setDispatchFuel:":         adapter.Method((*CommandQueue).setFuel),
				"quietHandlers": adapter.Method(func(q *CommandQueue, c *objcsoft.Call) {
					c.ReturnUint(q.Queue.QuietHandlers())
				}),
				"insertDebugCaptureBoundary": adapter.Method(func(q *CommandQueue, _ *objcsoft.Call) { q.Queue.Boundary() }),
			})),
			Dealloc: adapter.DeallocHook(func(q *CommandQueue, o *objcsoft.Object) {
				o.Drop(q.sets.List()...)
				o.Drop(q.log)
			}),
		},
	}
}

// maxQueueLength limits the command buffers of a queue, to catch wrong numbers.
const maxQueueLength = 1 << 20

func newCommandQueue(d *device.Device, c *objcsoft.Call, slots uint64, log objcsoft.ID) {
	if slots == 0 || slots > maxQueueLength {
		adapter.Misuse(c, "maxCommandBufferCount is %d, want 1 to %d", slots, maxQueueLength)
		return
	}
	if err := c.RT.Retain(log); err != nil {
		c.Fail(err)
		return
	}
	q := &CommandQueue{Device: d, Queue: d.GPU().NewQueue(int(slots)), log: log}
	q.Queue.Name = q.Text
	q.isolated.Store(d.Isolated)
	c.ReturnID(d.Driver.New("PMSoftCommandQueue", q))
}

func (q *CommandQueue) priority(c *objcsoft.Call) { c.ReturnInt(q.Queue.Priority()) }

// cancel stops the command buffers that have been committed, for a reason that their errors give.
func (q *CommandQueue) cancel(c *objcsoft.Call) {
	reason, err := c.RT.GoString(c.ID(0))
	if err != nil {
		c.Fail(err)
		return
	}
	q.Queue.Cancel(reason)
}

// setTimeout limits how long each command buffer runs, in nanoseconds; 0 is no limit.
func (q *CommandQueue) setTimeout(c *objcsoft.Call) {
	q.Queue.SetTimeout(time.Duration(min(c.Uint(0), math.MaxInt64)))
}

// setFuel bounds the work of each dispatch; 0 leaves it to the device.
func (q *CommandQueue) setFuel(c *objcsoft.Call) {
	q.Queue.SetFuel(int64(min(c.Uint(0), math.MaxInt64)))
}

// setPriority ranks the queue: -1 is low, 0 normal, 1 high.
func (q *CommandQueue) setPriority(c *objcsoft.Call) {
	if err := q.Queue.SetPriority(c.Int(0)); err != nil {
		adapter.Misuse(c, "%v", err)
	}
}

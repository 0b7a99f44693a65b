package encode

import (
	"errors"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmetal/resource"
)

// commandBuffer is the state of an MTLCommandBuffer.
type commandBuffer struct {
	adapter.Label
	Recording
	queue   *CommandQueue
	queueID objcsoft.ID // retained
	log     objcsoft.ID // retained
	options uint64      // MTLCommandBufferErrorOption

	mu      sync.Mutex
	blocks  []objcsoft.ID // handlers that have not been called
	groups  int           // debug groups that are open
	nsError objcsoft.ID   // created on first use

	sets *device.Residency // what kernels reach in addition to what encoders declare; nil: all memory
}

func commandBufferClasses() []adapter.Class {
	call := func(sel string, f func(b *commandBuffer, c *objcsoft.Call, call string)) objcsoft.Imp {
		name := "-[MTLCommandBuffer " + sel + "]"
		return adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { f(b, c, name) })
	}
	m := adapter.WithLabel[*commandBuffer](adapter.Methods{
		"device":             adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { c.ReturnID(b.Device.ID) }),
		"commandQueue":       adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { c.ReturnShared(b.queueID) }),
		"retainedReferences": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { c.ReturnBool(b.retains) }),
		"errorOptions":       adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { c.ReturnUint(b.options) }),
		"status": adapter.Method(func(b *commandBuffer,
			c *objcsoft.Call) {
			b.Buffer.Asked()
			c.ReturnUint(uint64(b.Buffer.Status()))
		}),
		"error": adapter.Method((*commandBuffer).err),
		"logs": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			c.ReturnAutoreleased(b.Device.Driver.New("PMSoftLogContainer", nil))
		}),
		"enqueue": adapter.Method((*commandBuffer).enqueue),
		"commit":  adapter.Method((*commandBuffer).commit),
		"waitUntilScheduled": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			if b.committed(c) {
				b.Buffer.WaitScheduled()
			}
		}),
		"waitUntilCompleted": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			if b.committed(c) {
				b.Buffer.WaitCompleted()
			}
		}),
		"pushDebugGroup:": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.groups++
		}),
		"popDebugGroup": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.groups == 0 {
				adapter.Misuse(c, "no debug group is open")
				return
			}
			b.groups--
		}),
		"useResidencySet:": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { b.useResidency(c, c.ID(0)) }),
		"useResidencySets:count:": adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			b.useResidency(c, c.IDs(0, c.Uint(1))...)
		}),
	})
	for sel, t := range map[string]command.Time{
		"kernelStartTime": command.KernelStart, "kernelEndTime": command.KernelEnd, "GPUStartTime": command.GPUStart,
		"GPUEndTime": command.GPUEnd,
	} {
		m[sel] = adapter.Method(func(b *commandBuffer, c *objcsoft.Call) {
			if s := b.Buffer.Status(); t < command.GPUStart || s >= command.Completed {
				c.ReturnF64(device.Seconds(b.Buffer.Time(t)))
			}
		})
	}
	for sel, f := range map[string]func(b *commandBuffer, c *objcsoft.Call, call string){
		"addScheduledHandler:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			b.handler(c, call, b.Buffer.OnScheduled)
		},
		"addCompletedHandler:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			b.handler(c, call, b.Buffer.OnCompleted)
		},
		"encodeWaitForEvent:value:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			if e, ok := b.eventArg(c, call); ok {
				b.Buffer.Wait(call, e.Event, c.Uint(1))
			}
		},
		"encodeSignalEvent:value:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			if e, ok := b.eventArg(c, call); ok {
				b.Buffer.Signal(call, e.Event, c.Uint(1))
			}
		},
		"computeCommandEncoder": func(b *commandBuffer, c *objcsoft.Call, call string) {
			b.newComputeEncoder(c, call, metal.DispatchTypeSerial, nil)
		},
		"computeCommandEncoderWithDispatchType:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			b.newComputeEncoder(c, call, c.Uint(0), nil)
		},
		"computeCommandEncoderWithDescriptor:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
				if s, ok := b.boundaries(c, call, r); ok {
					b.newComputeEncoder(c, call, r.Uint("dispatchType"), s)
				}
			}
		},
		"blitCommandEncoder": func(b *commandBuffer, c *objcsoft.Call, call string) { b.newBlitEncoder(c, call, nil) },
		"blitCommandEncoderWithDescriptor:": func(b *commandBuffer, c *objcsoft.Call, call string) {
			if r := adapter.RecordArg(c, 0, "descriptor"); r != nil {
				if s, ok := b.boundaries(c, call, r); ok {
					b.newBlitEncoder(c, call, s)
				}
			}
		},
		"resourceStateCommandEncoder":                        refusedEncoder("sparse textures"),
		"resourceStateCommandEncoderWithDescriptor:":         refusedEncoder("sparse textures"),
		"accelerationStructureCommandEncoder":                refusedEncoder("acceleration structures"),
		"accelerationStructureCommandEncoderWithDescriptor:": refusedEncoder("acceleration structures"),
	} {
		m[sel] = call(sel, f)
	}
	m["setWorkAccount:"] = adapter.Method(func(b *commandBuffer, c *objcsoft.Call) { b.Buffer.Account = c.Uint(0) })
	return []adapter.Class{
		{Name: "MTLCommandBufferDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "retainedReferences", Value: 1}, {Name: "errorOptions"}, {Name: "logState"},
		}},
		{Name: "PMSoftCommandBuffer", Protocols: []string{"MTLCommandBuffer"}, Methods: m,
			Dealloc: adapter.DeallocHook((*commandBuffer).free)},
		encoderInfoClass(),
	}
}

// refusedEncoder rejects creating an encoder for something the device does not support.
func refusedEncoder(what string) func(b *commandBuffer, c *objcsoft.Call, call string) {
	return func(b *commandBuffer, c *objcsoft.Call, call string) {
		adapter.Misuse(c, "this device has no %s", what)
	}
}

func (q *CommandQueue) newCommandBuffer(c *objcsoft.Call, retains bool, options uint64, log objcsoft.ID) {
	if log == 0 {
		log = q.log
	}
	if err := errors.Join(c.RT.Retain(c.Self.ID()), c.RT.Retain(log)); err != nil {
		c.Fail(err)
		return
	}
	b := &commandBuffer{Recording: Recording{Device: q.Device, RT: c.RT, retains: retains}, queue: q, queueID: c.Self.ID(),
		log: log, options: options}
	b.Buffer = q.Queue.NewBuffer()
	b.Buffer.EncoderStates = options&metal.CommandBufferErrorOptionEncoderExecutionStatus != 0
	b.Buffer.Release = b.Finish
	b.LogTo(log)
	if q.isolated.Load() {
		b.sets = &device.Residency{}
		b.Buffer.Reach = func(uses []command.Use, grant func(command.Grant)) { q.Device.Residents.Reach(b.sets, uses, grant) }
	}
	b.ID = q.Device.Driver.New("PMSoftCommandBuffer", b)
	c.ReturnAutoreleased(b.ID)
}

// free ends a command buffer that has no more references.
func (b *commandBuffer) free(o *objcsoft.Object) {
	b.Buffer.Abandon()
	b.Finish()
	o.Drop(b.blocks...)
	o.Drop(b.nsError, b.log, b.queueID)
}

func (b *commandBuffer) enqueue(c *objcsoft.Call) {
	if !b.Buffer.Enqueue() {
		adapter.Misuse(c, "the command buffer is enqueued or committed already")
	}
}

func (b *commandBuffer) commit(c *objcsoft.Call) {
	// The queue holds the command buffer until its handlers have run.
	if err := c.RT.Retain(b.ID); err != nil {
		c.Fail(err)
		return
	}
	if b.Buffer.Status() < command.Committed {
		b.Buffer.Label = b.Text()
		if b.sets != nil {
			resource.Settle(b.sets, b.RT, b.queue.sets.List())
		}
		b.Buffer.Finish = func() { adapter.Release(b.RT, b.ID) }
	}
	if !b.Buffer.Commit("-[MTLCommandBuffer commit]") {
		adapter.Release(c.RT, b.ID)
		adapter.Misuse(c, "the command buffer is committed already")
	}
}

// committed checks that there is something to wait for.
func (b *commandBuffer) committed(c *objcsoft.Call) bool {
	if b.Buffer.Status() < command.Committed {
		adapter.Misuse(c, "the command buffer is not committed")
		return false
	}
	return true
}

// handler adds a handler's block.
func (b *commandBuffer) handler(c *objcsoft.Call, call string, add func(call string, fn func())) {
	block := c.ID(0)
	if block == 0 {
		adapter.Misuse(c, "the handler is nil")
		return
	}
	if b.Buffer.Status() >= command.Committed {
		adapter.Misuse(c, "the command buffer is committed")
		return
	}
	if err := c.RT.Retain(block); err != nil {
		c.Fail(err)
		return
	}
	b.mu.Lock()
	b.blocks = append(b.blocks, block)
	b.mu.Unlock()
	add(call, func() {
		// the runtime reports a panic
		adapter.InPool(b.RT, func() { _, _ = b.RT.InvokeBlock(block, []uintptr{uintptr(b.ID)}) })
		b.mu.Lock()
		for i, id := range b.blocks {
			if id == block {
				b.blocks = append(b.blocks[:i], b.blocks[i+1:]...)
				break
			}
		}
		b.mu.Unlock()
		adapter.Release(b.RT, block)
	})
}

func (b *commandBuffer) eventArg(c *objcsoft.Call, call string) (*Event, bool) {
	e, ok := adapter.Payload[*Event](c, 0)
	switch {
	case c.Failed():
		return nil, false
	case !ok:
		b.Buffer.Misuse(call, "the event is nil")
		return nil, false
	case e.Device != b.Device && !e.Shared:
		b.Buffer.Misuse(call, "the event is of another device")
		return nil, false
	}
	b.keep(c.ID(0))
	return e, true
}

func (b *commandBuffer) useResidency(c *objcsoft.Call, sets ...objcsoft.ID) {
	if resource.AreResidencySets(c, sets) {
		for _, id := range sets {
			b.keep(id)
		}
		if b.sets != nil {
			b.sets.Sets = append(b.sets.Sets, sets...)
		}
	}
}

// err answers error.
func (b *commandBuffer) err(c *objcsoft.Call) {
	var e *command.Error
	if !errors.As(b.Buffer.Err(), &e) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.nsError == 0 {
		b.nsError = commandError(b.Device.Driver, e)
	}
	c.ReturnShared(b.nsError)
}

// commandError makes the NSError of a failed command buffer, +1.
func commandError(drv *device.Driver, e *command.Error) objcsoft.ID {
	info := map[string]objcsoft.ID{"NSLocalizedDescription": drv.RT.NewString(e.Error())}
	if e.Encoders != nil {
		infos := make([]objcsoft.ID, len(e.Encoders))
		for i := range e.Encoders {
			infos[i] = drv.New("PMSoftCommandBufferEncoderInfo", &e.Encoders[i])
		}
		a, err := drv.RT.NewArray(infos)
		if err != nil {
			panic(err)
		}
		adapter.Release(drv.RT, infos...)
		info[metal.ConstantValue("MTLCommandBufferEncoderInfoErrorKey")] = a
	}
	id := drv.RT.NewErrorInfo(metal.CommandBufferErrorDomain, int64(e.Code), info)
	for _, v := range info {
		adapter.Release(drv.RT, v)
	}
	return id
}

// encoderInfoClass is the class of an error's information about an encoder.
func encoderInfoClass() adapter.Class {
	return adapter.Class{
		Name: "PMSoftCommandBufferEncoderInfo", Protocols: []string{"MTLCommandBufferEncoderInfo"},
		Methods: adapter.Methods{
			"label": adapter.Method(func(e *command.EncoderInfo,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(e.Label))
			}),
			"errorState": adapter.Method(func(e *command.EncoderInfo, c *objcsoft.Call) { c.ReturnInt(int64(e.State)) }),
			"debugSignposts": adapter.Method(func(e *command.EncoderInfo, c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewStrings(e.Signposts))
			}),
		},
	}
}

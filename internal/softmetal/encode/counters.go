package encode

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// counterSet is the state of an MTLCounterSet, counter of an MTLCounter. The device has one set, of
// timestamps, which are nanoseconds of the GPU's clock; it samples where encoders begin and end, as
// Apple silicon does.
type (
	counterSet struct{ dev *device.Device }
	counter    struct{ name string }
)

// counterSamples is the state of an MTLCounterSampleBuffer.
type counterSamples struct {
	dev     *device.Device
	label   string
	private bool
	samples *command.Samples
}

// maxSamples is how many samples of 8 bytes a buffer has at most: Apple's are 32 KiB.
const maxSamples = 4096

func counterClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTLCounterSampleBufferDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "counterSet"}, {Name: "label", Copied: true}, {Name: "storageMode"}, {Name: "sampleCount"},
		}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"counterSets": adapter.Method(counterSets),
			"supportsCounterSampling:": adapter.Method(func(_ *device.Device, c *objcsoft.Call) {
				c.ReturnBool(c.Uint(0) == metal.CounterSamplingPointAtStageBoundary)
			}),
			"newCounterSampleBufferWithDescriptor:error:": adapter.Method(newCounterSamples),
			"sampleTimestamps:gpuTimestamp:": adapter.Method(func(d *device.Device, c *objcsoft.Call) {
				now := uintptr(d.GPU().Now()) // the GPU is the CPU, and so is its clock
				c.Store(0, now)
				c.Store(1, now)
			}),
		}},
		{Name: "PMSoftCounterSet", Protocols: []string{"MTLCounterSet"}, Methods: adapter.Methods{
			"name": adapter.Method(func(_ *counterSet, c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(metal.ConstantValue("MTLCommonCounterSetTimestamp")))
			}),
			"counters": adapter.Method(func(s *counterSet, c *objcsoft.Call) {
				returnList(s.dev, c, s.dev.Driver.New("PMSoftCounter", &counter{metal.ConstantValue("MTLCommonCounterTimestamp")}))
			}),
			// Each answer of counterSets has a new object for the one set.
			"isEqual:": adapter.Method(func(s *counterSet, c *objcsoft.Call) {
				other, ok := adapter.PayloadOf[*counterSet](c.RT, c.ID(0))
				c.ReturnBool(ok && other.dev == s.dev)
			}),
			"hash": adapter.Method(func(s *counterSet, c *objcsoft.Call) { c.ReturnUint(uint64(s.dev.Index)) }),
		}},
		{Name: "PMSoftCounter", Protocols: []string{"MTLCounter"}, Methods: adapter.Methods{
			"name": adapter.Method(func(n *counter, c *objcsoft.Call) { c.ReturnAutoreleased(c.RT.NewString(n.name)) }),
		}},
		{Name: "PMSoftCounterSampleBuffer", Protocols: []string{"MTLCounterSampleBuffer"}, Methods: adapter.Methods{
			"device": adapter.Method(func(s *counterSamples, c *objcsoft.Call) { c.ReturnID(s.dev.ID) }),
			"label": adapter.Method(func(s *counterSamples,
				c *objcsoft.Call) {
				c.ReturnAutoreleased(c.RT.NewString(s.label))
			}),
			"sampleCount": adapter.Method(func(s *counterSamples,
				c *objcsoft.Call) {
				c.ReturnUint(uint64(s.samples.Len()))
			}),
			"resolveCounterRange:": adapter.Method((*counterSamples).resolve),
		}},
	}
}

// returnArray answers an array of objects that the method owns.
func returnList(d *device.Device, c *objcsoft.Call, ids ...objcsoft.ID) {
	a, err := c.RT.NewArray(ids)
	adapter.Release(c.RT, ids...)
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnAutoreleased(a)
}

func counterSets(d *device.Device, c *objcsoft.Call) {
	returnList(d, c, d.Driver.New("PMSoftCounterSet", &counterSet{d}))
}

func newCounterSamples(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	set, ok := adapter.PayloadOf[*counterSet](c.RT, r.ID("counterSet"))
	n, mode := r.Uint("sampleCount"), r.Uint("storageMode")
	switch {
	case !ok || set.dev != d:
		adapter.Refuse(c, 1, metal.CounterErrorDomain, metal.CounterSampleBufferErrorInvalid,
			"the counter set is nil or not of device %q", d.Name)
		return
	case n == 0 || n > maxSamples:
		adapter.Refuse(c, 1, metal.CounterErrorDomain, metal.CounterSampleBufferErrorInvalid,
			"the sample count is %d, want 1 to %d", n, maxSamples)
		return
	case mode != metal.StorageModeShared && mode != metal.StorageModePrivate:
		adapter.Refuse(c, 1, metal.CounterErrorDomain, metal.CounterSampleBufferErrorInvalid,
			"the storage mode is %d, want shared or private", mode)
		return
	}
	label, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	c.ReturnID(d.Driver.New("PMSoftCounterSampleBuffer",
		&counterSamples{d, label, mode == metal.StorageModePrivate, command.NewSamples(int(n))}))
}

func (s *counterSamples) resolve(c *objcsoft.Call) {
	if s.private {
		adapter.Misuse(c, "the storage mode is private: the CPU cannot reach the samples")
		return
	}
	first, n := RangeArg(c, 0)
	b := s.samples.Read(first, n)
	if b == nil {
		adapter.Misuse(c, "samples %d to %d of %d", first, first+n, s.samples.Len())
		return
	}
	c.ReturnAutoreleased(c.RT.NewData(b))
}

// samplesArg reads a counter sample buffer.
func (e *Encoder) samplesArg(c *objcsoft.Call, arg int, call string) *counterSamples {
	s, ok := adapter.Payload[*counterSamples](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		e.Misuse(call, "the counter sample buffer is nil")
		return nil
	case s.dev != e.Owner.Device:
		e.Misuse(call, "the counter sample buffer is of another device")
		return nil
	}
	e.use(c.ID(arg))
	return s
}

// noDispatchSampling rejects sampling inside an encoder.
func noDispatchSampling[T State](e T, c *objcsoft.Call, call string) {
	if e.Base().samplesArg(c, 0, call) != nil {
		e.Base().Misuse(call, "this device samples counters where encoders begin and end, not between commands")
	}
}

// ResolveAlignment is what offsets of resolved samples are multiples of, on Apple silicon too.
const ResolveAlignment = 8

func (e *blitEncoder) resolveCounters(c *objcsoft.Call, call string) {
	s := e.samplesArg(c, 0, call)
	if s == nil {
		return
	}
	first, n := RangeArg(c, 1)
	if size := uint64(s.samples.Len()); first > size || n > size-first {
		e.Misuse(call, "samples %d to %d of %d", first, first+n, size)
		return
	}
	offset := c.Uint(3)
	if offset%ResolveAlignment != 0 {
		e.Misuse(call, "destination offset is %d bytes, want a multiple of %d", offset, ResolveAlignment)
		return
	}
	to, ok := e.span(c, 2, offset, 8*n, call, "destination")
	if !ok {
		return
	}
	d := e.Owner.Device
	e.Commands.Copy(call, func(report *command.Copies) error {
		dst, err := MemoryAt(d, call, "destination", to.address, 8*n)
		if err == nil {
			copy(dst, s.samples.Read(first, n))
			report.Copied(dst, nil)
		}
		return err
	})
}

package metal4

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/encode"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// counterHeap is the state of an MTL4CounterHeap: timestamps of the clock that sampleTimestamps
// reads, or 0 for empty entries.
type counterHeap struct {
	adapter.Label
	dev     *device.Device
	samples *command.Samples
}

// heapEntryBytes is the size of an MTL4TimestampHeapEntry, maxHeapEntries how many a heap has at
// most.
const (
	heapEntryBytes = 8
	maxHeapEntries = 1 << 20
)

func counterHeapClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTL4CounterHeapDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "type"}, {Name: "count"}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{
			"newCounterHeapWithDescriptor:error:": adapter.Method(newCounterHeap),
			"sizeOfCounterHeapEntry:": adapter.Method(func(_ *device.Device, c *objcsoft.Call) {
				if t := c.Int(0); t != metal.MTL4CounterHeapTypeTimestamp {
					adapter.Misuse(c, "the type is %d, want %d: timestamps", t, metal.MTL4CounterHeapTypeTimestamp)
					return
				}
				c.ReturnUint(heapEntryBytes)
			}),
		}},
		{Name: "PMSoftCounterHeap4", Protocols: []string{"MTL4CounterHeap"},
			Methods: adapter.WithLabel[*counterHeap](adapter.Methods{
				"count": adapter.Method(func(h *counterHeap, c *objcsoft.Call) { c.ReturnUint(uint64(h.samples.Len())) }),
				"type":  adapter.Constantly(metal.MTL4CounterHeapTypeTimestamp),
				"resolveCounterRange:": adapter.Method(func(h *counterHeap, c *objcsoft.Call) {
					if first, n, ok := h.rangeIn(c, 0); ok {
						c.ReturnAutoreleased(c.RT.NewData(h.samples.Read(first, n)))
					}
				}),
				"invalidateCounterRange:": adapter.Method(func(h *counterHeap, c *objcsoft.Call) {
					if first, n, ok := h.rangeIn(c, 0); ok {
						h.samples.Clear(first, n)
					}
				}),
			})},
	}
}

func newCounterHeap(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "the descriptor")
	if r == nil {
		return
	}
	switch kind, n := int64(r.Word("type")), r.Uint("count"); {
	case kind != metal.MTL4CounterHeapTypeTimestamp:
		adapter.Refuse(c, 1, metal.CounterErrorDomain, metal.CounterSampleBufferErrorInvalid,
			"the type is %d, want %d: timestamps", kind, metal.MTL4CounterHeapTypeTimestamp)
	case n == 0 || n > maxHeapEntries:
		adapter.Refuse(c, 1, metal.CounterErrorDomain, metal.CounterSampleBufferErrorInvalid, "the count is %d, want 1 to %d",
			n, maxHeapEntries)
	default:
		c.ReturnID(d.Driver.New("PMSoftCounterHeap4", &counterHeap{dev: d, samples: command.NewSamples(int(n))}))
	}
}

func (h *counterHeap) rangeIn(c *objcsoft.Call, arg int) (first, n uint64, ok bool) {
	first, n = encode.RangeArg(c, arg)
	if size := uint64(h.samples.Len()); first > size || n > size-first {
		adapter.Misuse(c, "entries from %d on, %d of them: the heap has %d", first, n, size)
		return 0, 0, false
	}
	return first, n, true
}

// heapArg reads a counter heap that commands use; nil after a misuse.
func heapArg(r *encode.Recording, c *objcsoft.Call, arg int, call string) *counterHeap {
	h, ok := adapter.Payload[*counterHeap](c, arg)
	switch {
	case c.Failed():
		return nil
	case !ok:
		r.Buffer.Misuse(call, "the counter heap is nil")
		return nil
	case h.dev != r.Device:
		r.Buffer.Misuse(call, "the counter heap is of another device")
		return nil
	}
	return h
}

// stamp returns a command that writes the time; nil after a misuse.
func stamp(r *encode.Recording, c *objcsoft.Call, heap int, index uint64, call string) func() error {
	h := heapArg(r, c, heap, call)
	if h == nil {
		return nil
	}
	if n := h.samples.Len(); index >= uint64(n) {
		r.Buffer.Misuse(call, "index is %d, the heap has %d entries", index, n)
		return nil
	}
	g := r.Device.GPU()
	return func() error {
		h.samples.Set(index, g.Now())
		return nil
	}
}

// writeTimestamp answers writeTimestampWithGranularity:intoHeap:atIndex:. It is taken after the
// commands before it have ended and before those after it begin, as a precise one must be.
func (e *computeEncoder) writeTimestamp(c *objcsoft.Call, call string) {
	granularity := c.Int(0)
	if granularity != metal.MTL4TimestampGranularityRelaxed && granularity != metal.MTL4TimestampGranularityPrecise {
		e.Misuse(call, "granularity is %d, want %d or %d", granularity, metal.MTL4TimestampGranularityRelaxed,
			metal.MTL4TimestampGranularityPrecise)
		return
	}
	if do := stamp(e.Owner, c, 1, c.Uint(2), call); do != nil {
		e.Commands.Barrier(call)
		e.Commands.Do(call, do)
		e.Commands.Barrier(call)
	}
}

// resolveHeap answers resolveCounterHeap:withRange:intoBuffer:waitFence:updateFence:.
func resolveHeap(r *encode.Recording, c *objcsoft.Call, call string) {
	h := heapArg(r, c, 0, call)
	if h == nil {
		return
	}
	for _, arg := range []int{3, 4} {
		if f, ok := adapter.Payload[*encode.Fence](c, arg); c.Failed() || ok && f.Device != r.Device {
			r.Buffer.Misuse(call, "a fence is of another device")
			return
		}
	}
	first, n := encode.RangeArg(c, 1)
	to := c.Words(2)
	address, length := uint64(to[0]), uint64(to[1])
	switch size := uint64(h.samples.Len()); {
	case first > size || n > size-first:
		r.Buffer.Misuse(call, "entries from %d on, %d of them: the heap has %d", first, n, size)
		return
	case address%encode.ResolveAlignment != 0:
		r.Buffer.Misuse(call, "the buffer's address is %#x, want a multiple of %d", address, encode.ResolveAlignment)
		return
	case length < heapEntryBytes*n:
		r.Buffer.Misuse(call, "the buffer has %d bytes, want at least %d for %d entries", length, heapEntryBytes*n, n)
		return
	}
	d := r.Device
	if x := d.Residents.At("buffer", address); x != nil {
		r.Declared.Needs = append(r.Declared.Needs, device.Need{Call: call, What: "buffer", Resource: x})
	}
	r.Buffer.Copy(call, func(report *command.Copies) error {
		dst, err := encode.MemoryAt(d, call, "buffer", address, heapEntryBytes*n)
		if err == nil {
			copy(dst, h.samples.Read(first, n))
			report.Copied(dst, nil)
		}
		return err
	})
}

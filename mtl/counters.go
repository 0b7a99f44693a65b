package mtl

import (
	"bytes"
	"encoding/binary"

	"github.com/puremetal/puremetal/objc"
)

// CounterSampleBuffer holds samples of a counter set. It also has the methods of [objc.Object],
// such as Release.
//
// The wrapper remembers the storage mode, which Metal cannot be asked for. Copies of the value
// returned by the constructor share it.
//
// Objective-C protocol MTLCounterSampleBuffer. Since macOS 10.15.
type CounterSampleBuffer struct {
	objc.Object
	private bool
}

// CounterSampleBufferFrom wraps id without changing its ownership.
func CounterSampleBufferFrom(id objc.ID) CounterSampleBuffer {
	return CounterSampleBuffer{Object: objc.ObjectFrom(id)}
}

// NewCounterSampleBuffer creates a buffer for samples of one of the device's counter sets, +1.
// Errors: [ErrLength] for no samples, [ErrNil] without a counter set, [ErrDevice] for a counter set
// of another device or a device that does not support sampling, [ErrStorageMode] for storage that
// is neither shared nor private.
//
//	-[MTLDevice newCounterSampleBufferWithDescriptor:error:]
func (o Device) NewCounterSampleBuffer(descriptor CounterSampleBufferDescriptor) (CounterSampleBuffer, error) {
	const c = check("-[MTLDevice newCounterSampleBufferWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewCounterSampleBufferWithDescriptor], o.ID()); err != nil {
		return CounterSampleBuffer{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CounterSampleBuffer{}, err
	}
	mode := descriptor.StorageMode()
	if err := c.samples(uint64(descriptor.SampleCount()), mode); err != nil {
		return CounterSampleBuffer{}, err
	}
	if err := o.hasCounterSet(c, descriptor); err != nil {
		return CounterSampleBuffer{}, err
	}
	if len(o.CounterSamplingPoints()) == 0 {
		return CounterSampleBuffer{}, c.fail(ErrDevice, "the device does not support counter sampling")
	}
	b, err := sendDeviceNewCounterSampleBufferWithDescriptor(o, descriptor)
	b.private = mode == StorageModePrivate
	return b, err
}

func (c check) samples(count uint64, mode StorageMode) error {
	if err := c.atLeast("sample count", count, 1, ErrLength); err != nil {
		return err
	}
	if mode != StorageModeShared && mode != StorageModePrivate {
		return c.fail(ErrStorageMode, "storage mode %v, want %v or %v", mode, StorageModeShared, StorageModePrivate)
	}
	return nil
}

// hasCounterSet checks that a descriptor's counter set is one of the device's.
func (o Device) hasCounterSet(c check, descriptor CounterSampleBufferDescriptor) (err error) {
	objc.Pool(func() {
		set := descriptor.CounterSet()
		if err = c.object("counter set", set.ID()); err != nil {
			return
		}
		for _, s := range o.CounterSets() {
			if objc.Equal(s.ID(), set.ID()) {
				return
			}
		}
		err = c.fail(ErrDevice, "counter set %q belongs to another device", set.Name())
	})
	return err
}

// CounterSetNamed returns the device's counter set with a name, +1, such as the value of
// [CommonCounterSetTimestamp]. If there is none, the error wraps [ErrDevice] and lists the
// available names.
//
//	-[MTLDevice counterSets]
func (o Device) CounterSetNamed(name string) (CounterSet, error) {
	const c = check("-[MTLDevice counterSets]")
	if err := c.receiver(&zmethods[mDeviceCounterSets], o.ID()); err != nil {
		return CounterSet{}, err
	}
	var found CounterSet
	names := []string{}
	objc.Pool(func() {
		for _, s := range o.CounterSets() {
			n := s.Name()
			if names = append(names, n); n == name && found.IsNil() {
				found = s
				found.Retain()
			}
		}
	})
	return found, c.made(found.ID(), ErrDevice, "no counter set %q among %q", name, names)
}

// CounterSamplingPoints returns the points at which the device can sample counters, ascending.
//
//	-[MTLDevice supportsCounterSampling:]
func (o Device) CounterSamplingPoints() []CounterSamplingPoint {
	var out []CounterSamplingPoint
	for p := CounterSamplingPointAtStageBoundary; p <= CounterSamplingPointAtBlitBoundary; p++ {
		if o.SupportsCounterSampling(p) {
			out = append(out, p)
		}
	}
	return out
}

// Resolve returns a copy of a range of samples, in the format of their counter set. Errors:
// [ErrIndex] for an empty range or one beyond the last sample, [ErrStorageMode] for a private
// buffer, whose samples only a blit command can resolve.
//
//	-[MTLCounterSampleBuffer resolveCounterRange:]
func (o CounterSampleBuffer) Resolve(r Range) ([]byte, error) {
	const c = check("-[MTLCounterSampleBuffer resolveCounterRange:]")
	if err := c.receiver(&zmethods[mCounterSampleBufferResolveCounterRange], o.ID()); err != nil {
		return nil, err
	}
	if o.private {
		return nil, c.fail(ErrStorageMode, "storage mode %v: the CPU cannot access the samples", StorageModePrivate)
	}
	if err := c.part("samples", r, o.SampleCount()); err != nil {
		return nil, err
	}
	var data []byte
	objc.Pool(func() { data = sendCounterSampleBufferResolveCounterRange(o, r) })
	if len(data) == 0 {
		return nil, c.fail(ErrState, "no data for %d samples", r.Length)
	}
	return data, nil
}

// ResolveTimestamps is Resolve for the timestamp counter set. A sample that failed is
// [CounterErrorValue].
//
//	-[MTLCounterSampleBuffer resolveCounterRange:]
func (o CounterSampleBuffer) ResolveTimestamps(r Range) ([]CounterResultTimestamp, error) {
	return resolved[CounterResultTimestamp](o, r)
}

// ResolveStageUtilization is Resolve for the stage utilization counter set.
//
//	-[MTLCounterSampleBuffer resolveCounterRange:]
func (o CounterSampleBuffer) ResolveStageUtilization(r Range) ([]CounterResultStageUtilization, error) {
	return resolved[CounterResultStageUtilization](o, r)
}

// ResolveStatistics is Resolve for the statistics counter set.
//
//	-[MTLCounterSampleBuffer resolveCounterRange:]
func (o CounterSampleBuffer) ResolveStatistics(r Range) ([]CounterResultStatistic, error) {
	return resolved[CounterResultStatistic](o, r)
}

func resolved[T any](o CounterSampleBuffer, r Range) ([]T, error) {
	data, err := o.Resolve(r)
	if err != nil {
		return nil, err
	}
	return decodeSamples[T](data, r.Length)
}

// decodeSamples reads count samples. A length that does not match means that the buffer is for
// another counter set.
func decodeSamples[T any](data []byte, count uint) ([]T, error) {
	const c = check("-[MTLCounterSampleBuffer resolveCounterRange:]")
	var one T
	size := uint64(binary.Size(one))
	if want := mulSat(size, uint64(count)); uint64(len(data)) != want {
		return nil, &LimitError{Call: string(c), What: "length of the samples in bytes", Value: uint64(len(data)),
			Limit: want, Rule: Exactly, Err: ErrArgument}
	}
	out := make([]T, count)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, out); err != nil {
		return nil, c.fail(ErrArgument, "%v", err)
	}
	return out, nil
}

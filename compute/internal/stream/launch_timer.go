package stream

import (
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// LaunchTimer measures the launches of one command buffer: each has an encoder that samples the
// device's timestamp at its start and end.
type LaunchTimer struct {
	device   mtl.Device
	samples  mtl.CounterSampleBuffer
	room     int // for launches
	numbers  []uint64
	timing   bool // the encoder opened next is a launch's
	cpu, gpu uint64
}

// maxTimedLaunches limits the launches timed in one command buffer. Metal limits sample buffers to
// 32 KiB on some devices, with two samples of 8 bytes a launch.
const maxTimedLaunches = 2048

// CanTimeLaunches reports whether a device samples timestamps at the boundaries of encoders.
func CanTimeLaunches(d mtl.Device) (can bool) {
	objc.Pool(func() {
		name, err := mtl.CommonCounterSetTimestamp()
		if err != nil || !d.SupportsCounterSampling(mtl.CounterSamplingPointAtStageBoundary) {
			return
		}
		set, err := d.CounterSetNamed(name)
		if can = err == nil; can {
			set.Release()
		}
	})
	return can
}

// NewLaunchTimer returns nil if launches are not timed, if the commands have none, or if the device
// has no room for more samples: then the launches have no times.
func NewLaunchTimer(a *Device, works []Work) *LaunchTimer {
	if a.Timing() != observe.LaunchTimesByCounter {
		return nil
	}
	launches := 0
	for i := range works {
		if _, ok := works[i].Command.(*Launch); ok {
			launches++
		}
	}
	if launches == 0 {
		return nil
	}
	t := &LaunchTimer{device: a.Device, room: min(launches, maxTimedLaunches)}
	name, err := mtl.CommonCounterSetTimestamp()
	if err != nil {
		return nil
	}
	set, err := t.device.CounterSetNamed(name)
	if err != nil {
		return nil
	}
	defer set.Release()
	d, err := mtl.NewCounterSampleBufferDescriptor()
	if err != nil {
		return nil
	}
	defer d.Release()
	d.SetCounterSet(set)
	d.SetStorageMode(mtl.StorageModeShared)
	d.SetSampleCount(uint(2 * t.room))
	if t.samples, err = t.device.NewCounterSampleBuffer(d); err != nil {
		return nil
	}
	t.cpu, t.gpu = t.device.SampleTimestamps()
	return t
}

// timed encodes a launch in an encoder of its own.
func (e *Encoder) timed(number uint64, launch func() error) error {
	if len(e.Timer.numbers) == e.Timer.room {
		return launch()
	}
	if err := e.Close(); err != nil {
		return err
	}
	e.Timer.timing = true
	err := launch()
	e.Timer.timing = false
	if err != nil {
		return err
	}
	e.Timer.numbers = append(e.Timer.numbers, number)
	return e.Close()
}

// open opens the encoder of a launch.
func (t *LaunchTimer) open(commands mtl.CommandBuffer) (e mtl.ComputeCommandEncoder, err error) {
	d, err := mtl.NewComputePassDescriptor()
	if err != nil {
		return e, err
	}
	defer d.Release()
	d.SetDispatchType(mtl.DispatchTypeConcurrent)
	a := d.SampleBufferAttachments().ObjectAtIndexedSubscript(0)
	a.SetSampleBuffer(t.samples)
	a.SetStartOfEncoderSampleIndex(uint(2 * len(t.numbers)))
	a.SetEndOfEncoderSampleIndex(uint(2*len(t.numbers) + 1))
	return commands.ComputeCommandEncoderWithDescriptor(d)
}

// Times returns the times of the launches and releases the samples. buffer is when the device
// executed the command buffer.
func (t *LaunchTimer) Times(buffer [2]float64) (list []observe.LaunchTime) {
	if t == nil {
		return nil
	}
	defer t.Release()
	if len(t.numbers) == 0 || buffer[1] <= buffer[0] {
		return nil
	}
	samples, err := t.samples.ResolveTimestamps(mtl.Range{Length: uint(2 * len(t.numbers))})
	if err != nil {
		return nil
	}
	cpu, gpu := t.device.SampleTimestamps()
	return LaunchTimes(t.numbers, samples, buffer, [2]uint64{t.cpu, t.gpu}, [2]uint64{cpu, gpu})
}

// LaunchTimes converts timestamps to the clock of command buffers. The clocks of CPU and GPU were
// both read before and after the work; between the two, they are taken to run at constant rates.
// The CPU's timestamps are taken to be nanoseconds. A launch that would then be outside its command
// buffer is left out: no time is better than a wrong one.
func LaunchTimes(numbers []uint64, samples []mtl.CounterResultTimestamp, buffer [2]float64, before,
	after [2]uint64) (list []observe.LaunchTime) {
	if after[0] <= before[0] || after[1] <= before[1] {
		return nil
	}
	rate := float64(after[0]-before[0]) / float64(after[1]-before[1])
	seconds := func(gpu uint64) float64 {
		return (float64(before[0]) + (float64(gpu)-float64(before[1]))*rate) / 1e9
	}
	slack := (buffer[1]-buffer[0])/100 + 20e-6
	for i, number := range numbers {
		start, end := samples[2*i].Timestamp, samples[2*i+1].Timestamp
		if start == mtl.CounterErrorValue || end == mtl.CounterErrorValue || start == 0 || end < start {
			continue
		}
		l := observe.LaunchTime{Number: number, Start: seconds(start), End: seconds(end)}
		if l.Start < buffer[0]-slack || l.End > buffer[1]+slack {
			continue
		}
		l.Start = min(max(l.Start, buffer[0]), buffer[1])
		l.End = min(max(l.End, l.Start), buffer[1])
		list = append(list, l)
	}
	return list
}

// Release releases the samples, if there are any.
func (t *LaunchTimer) Release() {
	if t != nil {
		t.samples.Release()
		t.samples = mtl.CounterSampleBuffer{}
	}
}

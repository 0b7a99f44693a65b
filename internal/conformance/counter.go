package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// samples makes a buffer for n timestamps.
func (r *rig) samples(n uint) mtl.CounterSampleBuffer {
	r.Helper()
	if len(r.device.CounterSamplingPoints()) == 0 {
		r.Skip("the device samples no counters")
	}
	d := own(r, must(mtl.NewCounterSampleBufferDescriptor()))
	d.SetCounterSet(own(r, must(r.device.CounterSetNamed(must(mtl.CommonCounterSetTimestamp())))))
	d.SetSampleCount(n)
	d.SetStorageMode(mtl.StorageModeShared)
	return own(r, must(r.device.NewCounterSampleBuffer(d)))
}

func counterCases() []aCase {
	return []aCase{
		{"timestamp set", "A device that samples counters has the set of timestamps, with the counter of timestamps.",
			func(r *rig) {
				if len(r.device.CounterSamplingPoints()) == 0 {
					r.Skip("the device samples no counters")
				}
				s := own(r, must(r.device.CounterSetNamed(must(mtl.CommonCounterSetTimestamp()))))
				r.holds(assert.Len(r, s.Counters(), 1))
				assert.Equal(r, must(mtl.CommonCounterTimestamp()), s.Counters()[0].Name())
			}},
		{"no such set", "A counter set of another name is an error.", func(r *rig) {
			_, err := r.device.CounterSetNamed("no such set")
			r.refused(err, mtl.ErrDevice)
		}},
		{"stage boundaries", "Apple GPUs sample counters at the boundaries of stages.", func(r *rig) {
			if r.device.Supports(mtl.GPUFamilyApple7) {
				assert.True(r, r.device.SupportsCounterSampling(mtl.CounterSamplingPointAtStageBoundary))
			}
		}},
		{"room", "A sample buffer has room for the samples asked for.", func(r *rig) {
			assert.Equal(r, uint(6), r.samples(6).SampleCount())
		}},
		{"pass", "A compute pass writes timestamps at its beginning and its end, in order.", func(r *rig) {
			s, p, x := r.samples(2), r.kernel("number"), r.buffer(4096)
			d := own(r, must(mtl.NewComputePassDescriptor()))
			a := d.SampleBufferAttachments().ObjectAtIndexedSubscript(0)
			a.SetSampleBuffer(s)
			a.SetStartOfEncoderSampleIndex(0)
			a.SetEndOfEncoderSampleIndex(1)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDescriptor(d))
			set(e, p, x)
			do(e.DispatchThreads(line(1024), line(64)), e.EndEncoding())
			r.finish(cmd)
			ts := must(s.ResolveTimestamps(mtl.Range{Length: 2}))
			r.holds(assert.Len(r, ts, 2))
			assert.NotZero(r, ts[0].Timestamp)
			assert.GreaterOrEqual(r, ts[1].Timestamp, ts[0].Timestamp)
		}},
		{"no samples", "A sample buffer of no samples is refused, with the least number.", func(r *rig) {
			d := own(r, must(mtl.NewCounterSampleBufferDescriptor()))
			d.SetSampleCount(0)
			_, err := r.device.NewCounterSampleBuffer(d)
			r.refused(err, mtl.ErrLength)
		}},
		{"resolve beyond", "Samples beyond the last are not resolved.", func(r *rig) {
			_, err := r.samples(2).Resolve(mtl.Range{Length: 3})
			r.refused(err, mtl.ErrIndex)
		}},
		{"resolve on the GPU", "The GPU resolves samples into a buffer.", func(r *rig) {
			s, x := r.samples(2), r.buffer(16)
			d := own(r, must(mtl.NewComputePassDescriptor()))
			a := d.SampleBufferAttachments().ObjectAtIndexedSubscript(0)
			a.SetSampleBuffer(s)
			a.SetStartOfEncoderSampleIndex(0)
			a.SetEndOfEncoderSampleIndex(1)
			p, y := r.kernel("number"), r.buffer(64)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDescriptor(d))
			set(e, p, y)
			do(e.DispatchThreads(line(16), line(16)), e.EndEncoding())
			r.blit(cmd, func(e mtl.BlitCommandEncoder) { do(e.ResolveCounters(s, mtl.Range{Length: 2}, x, 0)) })
			r.finish(cmd)
			v := must(mtl.Slice[uint64](x))
			assert.NotZero(r, v[0])
			assert.GreaterOrEqual(r, v[1], v[0])
		}},
	}
}

package encode

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// maxPassSamples is how many counter sample buffers an encoder takes.
const maxPassSamples = 4

// passClasses are the descriptors of encoders.
func passClasses() []adapter.Class {
	var all []adapter.Class
	for _, kind := range []string{"Compute", "Blit", "ResourceState", "AccelerationStructure"} {
		attachment, array, pass := "MTL"+kind+"PassSampleBufferAttachmentDescriptor",
			"MTL"+kind+"PassSampleBufferAttachmentDescriptorArray", "MTL"+kind+"PassDescriptor"
		props := adapter.Properties{{Name: "sampleBufferAttachments", Child: array}}
		maker := map[string]string{"Compute": "compute", "Blit": "blit", "ResourceState": "resourceState",
			"AccelerationStructure": "accelerationStructure"}[kind] + "PassDescriptor"
		if kind == "Compute" {
			props = append(props, adapter.Property{Name: "dispatchType"})
		}
		all = append(all,
			adapter.Class{Name: attachment, Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
				{Name: "sampleBuffer"}, {Name: "startOfEncoderSampleIndex", Value: metal.CounterDontSample},
				{Name: "endOfEncoderSampleIndex", Value: metal.CounterDontSample},
			}},
			adapter.ArrayOf(array, attachment, maxPassSamples),
			adapter.Class{Name: pass, Protocols: []string{"NSCopying"}, Properties: props, ClassMethods: adapter.Methods{
				maker: func(c *objcsoft.Call) { c.ReturnAutoreleased(adapter.NewInstance(c.RT, pass)) },
			}},
		)
	}
	return all
}

// boundaries reads the counter samples of a pass descriptor.
func (b *commandBuffer) boundaries(c *objcsoft.Call, call string, r *adapter.Record) ([]command.Boundary, bool) {
	array, ok := adapter.PayloadOf[*adapter.RecordArray](c.RT, r.ID("sampleBufferAttachments"))
	if !ok {
		return nil, true
	}
	var out []command.Boundary
	for i, id := range array.Items() {
		a, ok := adapter.PayloadOf[*adapter.Record](c.RT, id)
		if !ok || a.ID("sampleBuffer") == 0 {
			continue
		}
		s, ok := adapter.PayloadOf[*counterSamples](c.RT, a.ID("sampleBuffer"))
		if !ok || s.dev != b.Device {
			adapter.Misuse(c, "the sample buffer of attachment %d is not of this device", i)
			return nil, false
		}
		at := command.Boundary{Samples: s.samples, Start: a.Uint("startOfEncoderSampleIndex"),
			End: a.Uint("endOfEncoderSampleIndex")}
		for _, index := range []uint64{at.Start, at.End} {
			if index != command.DontSample && index >= uint64(s.samples.Len()) {
				adapter.Misuse(c, "sample index of attachment %d is %d, the buffer has %d samples", i, index, s.samples.Len())
				return nil, false
			}
		}
		b.keep(a.ID("sampleBuffer"))
		out = append(out, at)
	}
	return out, true
}

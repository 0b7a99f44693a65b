package softmetal

import (
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// maxPassSamples is how many counter sample buffers an encoder takes.
const maxPassSamples = 4

// passClasses are the descriptors of encoders.
func passClasses() []class {
	var all []class
	for _, kind := range []string{"Compute", "Blit", "ResourceState", "AccelerationStructure"} {
		attachment, array, pass := "MTL"+kind+"PassSampleBufferAttachmentDescriptor", "MTL"+kind+"PassSampleBufferAttachmentDescriptorArray", "MTL"+kind+"PassDescriptor"
		props := []prop{{name: "sampleBufferAttachments", child: array}}
		maker := map[string]string{"Compute": "compute", "Blit": "blit", "ResourceState": "resourceState", "AccelerationStructure": "accelerationStructure"}[kind] + "PassDescriptor"
		if kind == "Compute" {
			props = append(props, prop{name: "dispatchType"})
		}
		all = append(all,
			class{name: attachment, protocols: []string{"NSCopying"}, record: &recordSpec{props: []prop{
				{name: "sampleBuffer"}, {name: "startOfEncoderSampleIndex", value: mtlCounterDontSample}, {name: "endOfEncoderSampleIndex", value: mtlCounterDontSample},
			}}},
			arrayOf(array, attachment, maxPassSamples),
			class{name: pass, protocols: []string{"NSCopying"}, record: &recordSpec{props: props}, classMethods: methods{
				maker: func(c *objcsoft.Call) { c.ReturnAutoreleased(newInstance(c.RT, pass)) },
			}},
		)
	}
	return all
}

// boundaries reads the counter samples of a pass descriptor.
func (b *commandBuffer) boundaries(c *objcsoft.Call, call string, r *record) ([]command.Boundary, bool) {
	array, ok := payloadOf[*recordArray](c.RT, r.id("sampleBufferAttachments"))
	if !ok {
		return nil, true
	}
	var out []command.Boundary
	for i, id := range array.set() {
		a, ok := payloadOf[*record](c.RT, id)
		if !ok || a.id("sampleBuffer") == 0 {
			continue
		}
		s, ok := payloadOf[*counterSamples](c.RT, a.id("sampleBuffer"))
		if !ok || s.dev != b.dev {
			misuse(c, "the sample buffer of attachment %d is not of this device", i)
			return nil, false
		}
		at := command.Boundary{Samples: s.samples, Start: a.uint("startOfEncoderSampleIndex"), End: a.uint("endOfEncoderSampleIndex")}
		for _, index := range []uint64{at.Start, at.End} {
			if index != command.DontSample && index >= uint64(s.samples.Len()) {
				misuse(c, "sample index of attachment %d is %d, the buffer has %d samples", i, index, s.samples.Len())
				return nil, false
			}
		}
		b.keep(a.id("sampleBuffer"))
		out = append(out, at)
	}
	return out, true
}

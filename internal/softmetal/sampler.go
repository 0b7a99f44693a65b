package softmetal

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
)

// samplerState is the state of an MTLSamplerState.
type samplerState struct {
	device *device
	label  string
	handle uint32
	state  ir.SamplerState
}

const maxAnisotropy = 16

func samplerClasses() []class {
	return []class{
		{
			name: "MTLSamplerDescriptor", protocols: []string{"NSCopying"},
			record: &recordSpec{props: []prop{
				{name: "minFilter"}, {name: "magFilter"}, {name: "mipFilter"}, {name: "maxAnisotropy", value: 1},
				{name: "sAddressMode"}, {name: "tAddressMode"}, {name: "rAddressMode"}, {name: "borderColor"},
				{name: "normalizedCoordinates", value: 1}, {name: "lodMinClamp"}, {name: "lodMaxClamp", value: maxFloat}, {name: "lodBias"},
				{name: "lodAverage"}, {name: "compareFunction"}, {name: "reductionMode"}, {name: "supportArgumentBuffers"}, {name: "label", copied: true},
			}},
		},
		{
			name: "PMSoftSamplerState", protocols: []string{"MTLSamplerState"},
			methods: methods{
				"device":        on(func(s *samplerState, c *objcsoft.Call) { c.ReturnShared(s.device.id) }),
				"gpuResourceID": on(func(s *samplerState, c *objcsoft.Call) { c.ReturnUint(uint64(s.handle)) }),
				"label": on(func(s *samplerState, c *objcsoft.Call) {
					if s.label != "" {
						c.ReturnAutoreleased(c.RT.NewString(s.label))
					}
				}),
			},
			dealloc: freed((*samplerState).free),
		},
		{name: "PMSoftDevice", methods: methods{"newSamplerStateWithDescriptor:": on((*device).newSampler)}},
	}
}

// maxFloat are the bits of FLT_MAX.
const maxFloat = 0x7f7fffff

func (r *record) float(name string) float32 { return math.Float32frombits(uint32(r.word(name))) }

func (d *device) newSampler(c *objcsoft.Call) {
	r := recordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	state, ok := samplerOf(c, r)
	if !ok {
		return
	}
	text, err := c.RT.GoString(r.id("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	s := &samplerState{device: d, label: text, handle: d.samplerHandles.take(), state: state}
	if s.handle == 0 {
		return // nil: there are no more
	}
	d.memory.Space().SetSampler(s.handle, texel.NewSampler(&state))
	c.ReturnID(d.world.new("PMSoftSamplerState", s))
}

func (s *samplerState) free(*objcsoft.Object) {
	s.device.memory.Space().SetSampler(s.handle, nil)
	s.device.samplerHandles.give(s.handle)
}

// samplerOf checks a descriptor and says it in the engine's words.
func samplerOf(c *objcsoft.Call, r *record) (s ir.SamplerState, ok bool) {
	low, high := r.float("lodMinClamp"), r.float("lodMaxClamp")
	n := r.uint("maxAnisotropy")
	filters := [3]uint64{r.uint("minFilter"), r.uint("magFilter"), r.uint("mipFilter")}
	for i, name := range [3]string{"sAddressMode", "tAddressMode", "rAddressMode"} {
		if s.Address[i], ok = addressWord(r.uint(name)); !ok {
			misuse(c, "%s is %d: want clamping, repeat or mirrored repeat", name, r.uint(name))
			return s, false
		}
	}
	compare := r.uint("compareFunction")
	switch {
	case n < 1 || n > maxAnisotropy:
		misuse(c, "max anisotropy is %d, want 1 to %d", n, maxAnisotropy)
		return s, false
	case filters[0] > mtlSamplerMinMagFilterLinear || filters[1] > mtlSamplerMinMagFilterLinear || filters[2] > mtlSamplerMipFilterLinear:
		misuse(c, "filters %d, %d, %d are none", filters[0], filters[1], filters[2])
		return s, false
	case !(low <= high): // a NaN is not either
		misuse(c, "levels from %v to %v are none", low, high)
		return s, false
	case compare > mtlCompareFunctionAlways || r.uint("borderColor") > mtlSamplerBorderColorOpaqueWhite || r.uint("reductionMode") > mtlSamplerReductionModeMaximum:
		misuse(c, "compare function %d, border colour %d or reduction mode %d is none", compare, r.uint("borderColor"), r.uint("reductionMode"))
		return s, false
	}
	s.Unnormalized = !r.bool("normalizedCoordinates")
	s.MinLinear, s.MagLinear = filters[0] == mtlSamplerMinMagFilterLinear, filters[1] == mtlSamplerMinMagFilterLinear
	s.Mip = [...]string{"none", "nearest", "linear"}[filters[2]]
	s.Border = [...]string{"transparent_black", "opaque_black", "opaque_white"}[r.uint("borderColor")]
	s.Reduction = [...]string{"weighted_average", "minimum", "maximum"}[r.uint("reductionMode")]
	s.Compare = [...]string{"never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"}[compare]
	s.LODClamp, s.LODBias, s.Anisotropy = [2]float32{low, high}, r.float("lodBias"), int(n)
	return s, true
}

// addressWord returns the engine's word for an address mode. Mirroring once and then clamping is not in the language, nor in the engine.
func addressWord(mode uint64) (string, bool) {
	switch mode {
	case mtlSamplerAddressModeClampToEdge:
		return "clamp_to_edge", true
	case mtlSamplerAddressModeRepeat:
		return "repeat", true
	case mtlSamplerAddressModeMirrorRepeat:
		return "mirrored_repeat", true
	case mtlSamplerAddressModeClampToZero:
		return "clamp_to_zero", true
	case mtlSamplerAddressModeClampToBorderColor:
		return "clamp_to_border", true
	}
	return "", false
}

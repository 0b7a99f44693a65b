package resource

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"
	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// Sampler is the state of an MTLSamplerState.
type Sampler struct {
	Device *device.Device
	label  string
	Handle uint32
	State  ir.SamplerState
}

func samplerClasses() []adapter.Class {
	return []adapter.Class{
		{
			Name: "MTLSamplerDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{
				{Name: "minFilter"}, {Name: "magFilter"}, {Name: "mipFilter"}, {Name: "maxAnisotropy", Value: 1},
				{Name: "sAddressMode"}, {Name: "tAddressMode"}, {Name: "rAddressMode"}, {Name: "borderColor"},
				{Name: "normalizedCoordinates", Value: 1}, {Name: "lodMinClamp"}, {Name: "lodMaxClamp", Value: maxFloat},
				{Name: "lodBias"},
				{Name: "lodAverage"}, {Name: "compareFunction"}, {Name: "reductionMode"}, {Name: "supportArgumentBuffers"},
				{Name: "label", Copied: true},
			},
		},
		{
			Name: "PMSoftSamplerState", Protocols: []string{"MTLSamplerState"},
			Methods: adapter.Methods{
				"device":        adapter.Method(func(s *Sampler, c *objcsoft.Call) { c.ReturnShared(s.Device.ID) }),
				"gpuResourceID": adapter.Method(func(s *Sampler, c *objcsoft.Call) { c.ReturnUint(uint64(s.Handle)) }),
				"label": adapter.Method(func(s *Sampler, c *objcsoft.Call) {
					if s.label != "" {
						c.ReturnAutoreleased(c.RT.NewString(s.label))
					}
				}),
			},
			Dealloc: adapter.DeallocHook((*Sampler).free),
		},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newSamplerStateWithDescriptor:": adapter.Method(newSampler)}},
	}
}

// maxFloat are the bits of FLT_MAX.
const maxFloat = 0x7f7fffff

func float(r *adapter.Record, name string) float32 { return math.Float32frombits(uint32(r.Word(name))) }

func newSampler(d *device.Device, c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	state, ok := samplerOf(c, r)
	if !ok {
		return
	}
	text, err := c.RT.GoString(r.ID("label"))
	if err != nil {
		c.Fail(err)
		return
	}
	s := &Sampler{Device: d, label: text, Handle: d.SamplerHandles.Take(), State: state}
	if s.Handle == 0 {
		return // nil: there are no more
	}
	d.Memory.Space().SetSampler(s.Handle, texel.NewSampler(&state))
	c.ReturnID(d.Driver.New("PMSoftSamplerState", s))
}

func (s *Sampler) free(*objcsoft.Object) {
	s.Device.Memory.Space().SetSampler(s.Handle, nil)
	s.Device.SamplerHandles.Give(s.Handle)
}

// samplerOf checks a descriptor and says it in the engine's words.
func samplerOf(c *objcsoft.Call, r *adapter.Record) (s ir.SamplerState, ok bool) {
	low, high := float(r, "lodMinClamp"), float(r, "lodMaxClamp")
	n := r.Uint("maxAnisotropy")
	filters := [3]uint64{r.Uint("minFilter"), r.Uint("magFilter"), r.Uint("mipFilter")}
	for i, name := range [3]string{"sAddressMode", "tAddressMode", "rAddressMode"} {
		if s.Address[i], ok = addressWord(r.Uint(name)); !ok {
			adapter.Misuse(c, "%s is %d: want clamping, repeat or mirrored repeat", name, r.Uint(name))
			return s, false
		}
	}
	compare := r.Uint("compareFunction")
	switch {
	case n < 1 || n > limits.MaxAnisotropy:
		adapter.Misuse(c, "max anisotropy is %d, want 1 to %d", n, limits.MaxAnisotropy)
		return s, false
	case filters[0] > metal.SamplerMinMagFilterLinear || filters[1] > metal.SamplerMinMagFilterLinear ||
		filters[2] > metal.SamplerMipFilterLinear:
		adapter.Misuse(c, "filters %d, %d, %d are none", filters[0], filters[1], filters[2])
		return s, false
	case !(low <= high): // a NaN is not either
		adapter.Misuse(c, "levels from %v to %v are none", low, high)
		return s, false
	case compare > metal.CompareFunctionAlways || r.Uint("borderColor") > metal.SamplerBorderColorOpaqueWhite ||
		r.Uint("reductionMode") > metal.SamplerReductionModeMaximum:
		adapter.Misuse(c, "compare function %d, border color %d or reduction mode %d is none", compare,
			r.Uint("borderColor"), r.Uint("reductionMode"))
		return s, false
	}
	s.Unnormalized = !r.Bool("normalizedCoordinates")
	s.MinLinear, s.MagLinear = filters[0] == metal.SamplerMinMagFilterLinear, filters[1] == metal.SamplerMinMagFilterLinear
	s.Mip = [...]string{"none", "nearest", "linear"}[filters[2]]
	s.Border = [...]string{"transparent_black", "opaque_black", "opaque_white"}[r.Uint("borderColor")]
	s.Reduction = [...]string{"weighted_average", "minimum", "maximum"}[r.Uint("reductionMode")]
	s.Compare = [...]string{"never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal",
		"always"}[compare]
	s.LODClamp, s.LODBias, s.Anisotropy = [2]float32{low, high}, float(r, "lodBias"), int(n)
	return s, true
}

// addressWord returns the engine's word for an address mode. Mirroring once and then clamping is
// not in the language, nor in the engine.
func addressWord(mode uint64) (string, bool) {
	switch mode {
	case metal.SamplerAddressModeClampToEdge:
		return "clamp_to_edge", true
	case metal.SamplerAddressModeRepeat:
		return "repeat", true
	case metal.SamplerAddressModeMirrorRepeat:
		return "mirrored_repeat", true
	case metal.SamplerAddressModeClampToZero:
		return "clamp_to_zero", true
	case metal.SamplerAddressModeClampToBorderColor:
		return "clamp_to_border", true
	}
	return "", false
}

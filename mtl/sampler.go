package mtl

import "math"

// NewSamplerState creates a sampler, +1. Errors wrap [ErrArgument]: an anisotropy that is not 1 to
// 16, an empty range of levels, and settings that a sampler with pixel coordinates does not
// support.
//
//	-[MTLDevice newSamplerStateWithDescriptor:]
func (o Device) NewSamplerState(descriptor SamplerDescriptor) (SamplerState, error) {
	const c = check("-[MTLDevice newSamplerStateWithDescriptor:]")
	if err := c.receiver(&zmethods[mDeviceNewSamplerStateWithDescriptor], o.ID()); err != nil {
		return SamplerState{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return SamplerState{}, err
	}
	if err := c.sampler(descriptor.settings()); err != nil {
		return SamplerState{}, err
	}
	s := sendDeviceNewSamplerStateWithDescriptor(o, descriptor)
	if s.IsNil() {
		return SamplerState{}, c.fail(ErrMemory, "Metal returned nil: the device has %d samplers for argument buffers",
			o.MaxArgumentBufferSamplerCount())
	}
	return s, nil
}

// samplerSettings are the settings in a sampler descriptor.
type samplerSettings struct {
	anisotropy     uint
	min, mag       SamplerMinMagFilter
	mip            SamplerMipFilter
	s, t, r        SamplerAddressMode
	lodMin, lodMax float32
	normalized     bool
}

func (o SamplerDescriptor) settings() samplerSettings {
	return samplerSettings{
		anisotropy: o.MaxAnisotropy(), min: o.MinFilter(), mag: o.MagFilter(), mip: o.MipFilter(),
		s: o.SAddressMode(), t: o.TAddressMode(), r: o.RAddressMode(),
		lodMin: o.LodMinClamp(), lodMax: o.LodMaxClamp(), normalized: o.NormalizedCoordinates(),
	}
}

func (c check) sampler(s samplerSettings) error {
	if err := c.atLeast("max anisotropy", uint64(s.anisotropy), 1, ErrArgument); err != nil {
		return err
	}
	if err := c.atMost("max anisotropy", uint64(s.anisotropy), MaxAnisotropy, ErrArgument); err != nil {
		return err
	}
	if s.min > SamplerMinMagFilterLinear || s.mag > SamplerMinMagFilterLinear || s.mip > SamplerMipFilterLinear {
		return c.fail(ErrArgument, "filters %v, %v, %v", s.min, s.mag, s.mip)
	}
	for _, m := range [...]SamplerAddressMode{s.s, s.t, s.r} {
		if m > SamplerAddressModeClampToBorderColor {
			return c.fail(ErrArgument, "address mode %v", m)
		}
	}
	if math.IsNaN(float64(s.lodMin)) || math.IsNaN(float64(s.lodMax)) || s.lodMin > s.lodMax {
		return c.fail(ErrArgument, "levels from %v to %v", s.lodMin, s.lodMax)
	}
	if s.normalized {
		return nil
	}
	clamps := func(m SamplerAddressMode) bool {
		return m == SamplerAddressModeClampToEdge || m == SamplerAddressModeClampToZero ||
			m == SamplerAddressModeClampToBorderColor
	}
	if s.min != s.mag || s.mip != SamplerMipFilterNotMipmapped || s.anisotropy != 1 || !clamps(s.s) || !clamps(s.t) {
		return c.fail(ErrArgument, "pixel coordinates with filters %v, %v, %v, anisotropy %d and address modes %v, %v: want equal filters, no levels, anisotropy 1 and clamping",
			s.min, s.mag, s.mip, s.anisotropy, s.s, s.t)
	}
	return nil
}

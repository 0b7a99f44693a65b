package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSamplerChecks(t *testing.T) {
	const c = check("-[T t]")
	good := samplerSettings{anisotropy: 1, lodMax: math.MaxFloat32, normalized: true}
	pixels := samplerSettings{anisotropy: 1}
	for name, x := range map[string]struct {
		base   samplerSettings
		change func(*samplerSettings)
		ok     bool
	}{
		"default":             {good, func(s *samplerSettings) {}, true},
		"anisotropy 16":       {good, func(s *samplerSettings) { s.anisotropy = 16 }, true},
		"anisotropy 17":       {good, func(s *samplerSettings) { s.anisotropy = 17 }, false},
		"anisotropy 0":        {good, func(s *samplerSettings) { s.anisotropy = 0 }, false},
		"levels":              {good, func(s *samplerSettings) { s.lodMin, s.lodMax = 2, 1 }, false},
		"level NaN":           {good, func(s *samplerSettings) { s.lodMin = float32(math.NaN()) }, false},
		"filter":              {good, func(s *samplerSettings) { s.min = 2 }, false},
		"mip filter":          {good, func(s *samplerSettings) { s.mip = 3 }, false},
		"address mode":        {good, func(s *samplerSettings) { s.r = 6 }, false},
		"pixels":              {pixels, func(s *samplerSettings) {}, true},
		"pixels, border":      {pixels, func(s *samplerSettings) { s.s = SamplerAddressModeClampToBorderColor }, true},
		"pixels, repeat":      {pixels, func(s *samplerSettings) { s.t = SamplerAddressModeRepeat }, false},
		"pixels, mipmapped":   {pixels, func(s *samplerSettings) { s.mip = SamplerMipFilterLinear }, false},
		"pixels, two filters": {pixels, func(s *samplerSettings) { s.mag = SamplerMinMagFilterLinear }, false},
		"pixels, anisotropic": {pixels, func(s *samplerSettings) { s.anisotropy = 2 }, false},
		"pixels, linear, clamp": {pixels,
			func(s *samplerSettings) { s.min, s.mag = SamplerMinMagFilterLinear, SamplerMinMagFilterLinear }, true},
	} {
		s := x.base
		x.change(&s)
		if err := c.sampler(s); x.ok {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, ErrArgument, name)
		}
	}
}

func TestNewSamplerState(t *testing.T) {
	d := testDevice(t)
	_, err := d.NewSamplerState(SamplerDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	desc, err := NewSamplerDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetMaxAnisotropy(32)
	_, err = d.NewSamplerState(desc)
	limitOf(t, err, ErrArgument)
}

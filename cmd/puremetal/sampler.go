package main

import (
	"strings"

	"github.com/puremetal/puremetal/mtl"
)

// sampler creates a sampler from "sampler:" and words that are separated by commas. Without words
// it filters linearly, clamps to the edge and takes coordinates from 0 to 1.
func (j *job) sampler(text string) (mtl.SamplerState, error) {
	words, ok := strings.CutPrefix(text, "sampler:")
	if !ok {
		return mtl.SamplerState{},
			usage("%q is no sampler; want sampler: and linear or nearest, clamp or repeat, texels",
				text)
	}
	d, err := mtl.NewSamplerDescriptor()
	if err != nil {
		return mtl.SamplerState{}, err
	}
	defer d.Release()
	filter, address, texels := mtl.SamplerMinMagFilterLinear, mtl.SamplerAddressModeClampToEdge, false
	for _, word := range strings.Split(words, ",") {
		switch word {
		case "", "linear", "clamp":
		case "nearest":
			filter = mtl.SamplerMinMagFilterNearest
		case "repeat":
			address = mtl.SamplerAddressModeRepeat
		case "texels":
			texels = true
		default:
			return mtl.SamplerState{},
				usage("%q: samplers have no %q; want linear or nearest, clamp or repeat, texels", text,
					word)
		}
	}
	if texels && address == mtl.SamplerAddressModeRepeat {
		return mtl.SamplerState{}, usage("%q: a sampler that takes texels cannot repeat", text)
	}
	d.SetMinFilter(filter)
	d.SetMagFilter(filter)
	d.SetSAddressMode(address)
	d.SetTAddressMode(address)
	d.SetNormalizedCoordinates(!texels)
	s, err := j.acc.Device().NewSamplerState(d)
	if err == nil {
		j.samplers = append(j.samplers, s)
	}
	return s, err
}

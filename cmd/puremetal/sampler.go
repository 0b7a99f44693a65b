package main

import (
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// samplers creates the argument of a sampler parameter: one sampler, or [a;b] for an array of them.
func (j *job) samplers(text string) (any, error) {
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return j.sampler(text)
	}
	list := strings.Trim(text, "[]")
	var all []*compute.Sampler
	for _, one := range strings.Split(list, ";") {
		s, err := j.sampler(one)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return compute.Samplers(all...), nil
}

// defaultSamplers is the argument of a sampler parameter that is not given. Metal's reflection does
// not tell a sampler from an array of them, so all indices up to the next parameter get a sampler.
func (j *job) defaultSamplers(parameters []compute.Parameter, p *compute.Parameter) (any, error) {
	s, err := j.sampler("sampler:")
	if err != nil {
		return nil, err
	}
	end := uint(mtl.MaxSamplerSlots)
	for _, q := range parameters {
		if q.Kind == compute.SamplerParameter && q.Index > p.Index {
			end = min(end, q.Index)
		}
	}
	var all []*compute.Sampler
	for range end - p.Index {
		all = append(all, s)
	}
	return compute.Samplers(all...), nil
}

// sampler returns a sampler from "sampler:" and words that are separated by commas. Without words
// it filters linearly, clamps to the edge and takes coordinates from 0 to 1.
func (j *job) sampler(text string) (*compute.Sampler, error) {
	words, ok := strings.CutPrefix(text, "sampler:")
	if !ok {
		return nil, usage("%q is no sampler; want sampler: and linear or nearest, clamp or repeat, texels", text)
	}
	o := compute.SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear, S: mtl.SamplerAddressModeClampToEdge}
	for _, word := range strings.Split(words, ",") {
		switch word {
		case "", "linear", "clamp":
		case "nearest":
			o.Filter = mtl.SamplerMinMagFilterNearest
		case "repeat":
			o.S = mtl.SamplerAddressModeRepeat
		case "texels":
			o.Texels = true
		default:
			return nil, usage("%q: samplers have no %q; want linear or nearest, clamp or repeat, texels", text, word)
		}
	}
	if o.Texels && o.S == mtl.SamplerAddressModeRepeat {
		return nil, usage("%q: a sampler that takes texels cannot repeat", text)
	}
	o.T = o.S
	return j.acc.Sampler(o)
}

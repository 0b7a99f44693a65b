package compute

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/mtl"
)

// SamplerOptions says how kernels sample textures. Zero options take the nearest texel, repeat the
// edge beyond it, and have coordinates from 0 to 1, as samplers of the Metal language do.
type SamplerOptions struct {
	// Filter is for positions between texels, whether the image gets smaller or larger: kernels that
	// compute have no neighbouring pixels to tell them which it is.
	Filter  mtl.SamplerMinMagFilter
	Mip     mtl.SamplerMipFilter   // between levels of detail
	S, T, R mtl.SamplerAddressMode // beyond the edges in x, y and z
	Border  mtl.SamplerBorderColor // of SamplerAddressModeClampToBorderColor
	Compare mtl.CompareFunction    // of sample_compare, on depth textures
	// Texels has coordinates count texels. Kernels then sample level 0 only, clamped at the edges.
	Texels     bool
	Anisotropy int // 0 is 1, at most [mtl.MaxAnisotropy]
	// Levels are the least and the greatest level of detail that is sampled. Two zeros are all levels.
	Levels [2]float32
}

// Sampler is an argument for a sampler of a kernel. It lives as long as its accelerator, and is
// safe for concurrent use.
type Sampler struct {
	acc   *Accelerator
	metal mtl.SamplerState
	lifetime
}

// Sampler returns the sampler of some options. The same options return the same one, which Close of
// the accelerator ends: programs need few, and do not close them.
func (a *Accelerator) Sampler(o SamplerOptions) (*Sampler, error) {
	if a == nil {
		return nil, nilError("accelerator: Sampler")
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.calls.done()
	if o.Anisotropy < 0 || o.Anisotropy > mtl.MaxAnisotropy {
		return nil, fmt.Errorf("compute: sampler: anisotropy %d, want 0 to %d: %w", o.Anisotropy, mtl.MaxAnisotropy,
			ErrRange)
	}
	a.samplersMu.Lock()
	defer a.samplersMu.Unlock()
	if s := a.samplers[o]; s != nil {
		return s, nil
	}
	s := &Sampler{acc: a}
	s.of = s
	var err error
	if s.metal, err = o.metal(a.device); err != nil {
		if errors.Is(err, mtl.ErrMemory) {
			return nil, fmt.Errorf("compute: sampler: %w: %w", ErrOutOfMemory, err)
		}
		return nil, fmt.Errorf("compute: sampler: %w: %w", ErrOption, err)
	}
	if a.samplers == nil {
		a.samplers = map[SamplerOptions]*Sampler{}
	}
	a.samplers[o] = s
	return s, nil
}

// metal makes Metal's sampler, +1.
func (o SamplerOptions) metal(device mtl.Device) (mtl.SamplerState, error) {
	d, err := mtl.NewSamplerDescriptor()
	if err != nil {
		return mtl.SamplerState{}, err
	}
	defer d.Release()
	d.SetMinFilter(o.Filter)
	d.SetMagFilter(o.Filter)
	d.SetMipFilter(o.Mip)
	d.SetSAddressMode(o.S)
	d.SetTAddressMode(o.T)
	d.SetRAddressMode(o.R)
	d.SetBorderColor(o.Border)
	d.SetCompareFunction(o.Compare)
	d.SetNormalizedCoordinates(!o.Texels)
	d.SetMaxAnisotropy(uint(max(o.Anisotropy, 1)))
	if o.Levels != [2]float32{} {
		d.SetLodMinClamp(o.Levels[0])
		d.SetLodMaxClamp(o.Levels[1])
	}
	return device.NewSamplerState(d)
}

// Metal returns Metal's sampler, for features that this package does not wrap.
func (s *Sampler) Metal() mtl.SamplerState {
	if s == nil {
		return mtl.SamplerState{}
	}
	return s.metal
}

// String names the sampler for messages.
func (s *Sampler) String() string { return "a sampler" }

func (s *Sampler) release() { s.metal.Release() }

// closeSamplers ends the accelerator's samplers. No call that makes one is left.
func (a *Accelerator) closeSamplers() {
	for _, s := range a.samplers {
		s.close()
	}
	clear(a.samplers)
}

// samplerArgument checks a sampler.
func (k *Kernel) samplerArgument(a *argument, s *Sampler) error {
	if s == nil {
		return errors.New("nil sampler")
	}
	if s.acc != k.acc {
		return fmt.Errorf("%v %w", s, ErrAccelerator)
	}
	a.sampler, a.used = s.metal, s
	return nil
}

package compute

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// SamplerOptions configures a sampler. Zero options mean nearest filtering, clamp to edge and
// normalized coordinates, which are also the defaults of samplers in the Metal language.
type SamplerOptions struct {
	// Filter is both the minification and the magnification filter: compute kernels have no
	// derivatives between neighboring pixels, which would decide between the two.
	Filter  mtl.SamplerMinMagFilter
	Mip     mtl.SamplerMipFilter   // between mipmap levels
	S, T, R mtl.SamplerAddressMode // beyond the edges in x, y and z
	Border  mtl.SamplerBorderColor // for SamplerAddressModeClampToBorderColor
	Compare mtl.CompareFunction    // for sample_compare, on depth textures
	// Texels makes coordinates count texels instead of going from 0 to 1. Such samplers read level
	// 0 only and clamp at the edges.
	Texels     bool
	Anisotropy int // at most [mtl.MaxAnisotropy]; 0 means 1
	// Levels are the lowest and the highest level of detail that is sampled. Two zeros mean all
	// levels.
	Levels [2]float32
}

// Sampler is an argument for a kernel's sampler parameter. It lives as long as its accelerator, and
// is safe for concurrent use.
type Sampler struct {
	acc   *Accelerator
	metal mtl.SamplerState
	life  stream.Lifetime
}

// Sampler returns a sampler; equal options return the same one. Samplers have no Close: programs
// need few of them, and closing the accelerator releases them.
func (a *Accelerator) Sampler(o SamplerOptions) (*Sampler, error) {
	if a.missing() {
		return nil, stream.NilError("accelerator: Sampler")
	}
	if err := a.beginCall(); err != nil {
		return nil, err
	}
	defer a.core.Calls.Done()
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
	s.life.Init(s, s.release)
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
	d.SetSupportArgumentBuffers(true) // for kernels that other kernels launch
	if o.Levels != [2]float32{} {
		d.SetLodMinClamp(o.Levels[0])
		d.SetLodMaxClamp(o.Levels[1])
	}
	return device.NewSamplerState(d)
}

// Metal returns Metal's sampler, for features that this package does not wrap.
func (s *Sampler) Metal() mtl.SamplerState {
	if s.missing() {
		return mtl.SamplerState{}
	}
	return s.metal
}

// String names the sampler for messages.
func (s *Sampler) String() string { return "a sampler" }

func (s *Sampler) release() { s.metal.Release() }

// closeSamplers closes the accelerator's samplers. No call that could make another is running.
func (a *Accelerator) closeSamplers() {
	for _, s := range a.samplers {
		s.life.Close()
	}
	clear(a.samplers)
}

// samplerArgument checks a sampler.
func (k *Kernel) samplerArgument(a *stream.Argument, s *Sampler) error {
	if s.missing() {
		return fmt.Errorf("no sampler: %w", ErrNil)
	}
	if s.acc != k.acc {
		return fmt.Errorf("%v %w", s, ErrAccelerator)
	}
	a.Sampler, a.Used, a.Found = s.metal, &s.life, &s.metal
	return nil
}

// samplers is an array of samplers.
type samplers []*Sampler

// Samplers passes an array of samplers, for a parameter such as array<sampler, 4>. Metal's
// reflection does not give the array's length, so a launch cannot check it: pass a sampler for each
// element that the kernel uses. None of them may be nil. Indices are checked: an array begins at
// its parameter's index and ends before the next sampler parameter, or at index
// [mtl.MaxSamplerSlots].
func Samplers(list ...*Sampler) any { return samplers(list) }

// samplerArray appends one argument for each element of an array of samplers.
func (k *Kernel) samplerArray(out []stream.Argument, p *Parameter, list samplers) ([]stream.Argument, error) {
	end := uint(mtl.MaxSamplerSlots)
	for i := range k.parameters {
		if q := &k.parameters[i]; q.Kind == SamplerParameter && q.Index > p.Index {
			end = min(end, q.Index)
		}
	}
	if n := uint(len(list)); n == 0 || n > end-p.Index {
		return out, fmt.Errorf("%d samplers, want 1 to %d from sampler index %d: %w", n, end-p.Index, p.Index, ErrRange)
	}
	for i, s := range list {
		a := stream.Argument{Kind: stream.ParameterKind(p.Kind), Index: p.Index + uint(i)}
		if err := k.samplerArgument(&a, s); err != nil {
			return out, fmt.Errorf("sampler %d: %w", i, err)
		}
		out = append(out, a)
	}
	return out, nil
}

package exec

import "github.com/puremetal/puremetal/internal/exec/texel"

// SetTexture sets the image of a texture handle; nil frees the handle. Handles outside of 1 to
// MaxHandle are ignored. It may be called while kernels run.
func (s *Space) SetTexture(handle uint32, x *texel.Image) { s.images.set(handle, x) }

// SetSampler sets the sampler of a handle. The rules of SetTexture apply.
func (s *Space) SetSampler(handle uint32, x *texel.Sampler) { s.samplers.set(handle, x) }

// Texture returns the image of a texture handle, or nil if there is none.
func (s *Space) Texture(handle uint64) *texel.Image { return s.images.get(handle) }

// Sampler returns the sampler of a handle, or nil for the default sampler.
func (s *Space) Sampler(handle uint64) *texel.Sampler { return s.samplers.get(handle) }

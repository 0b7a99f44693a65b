package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// resourcePackageClasses lists the package's classes: buffers, textures, samplers, heaps and residency sets.
func resourcePackageClasses() []adapter.Class {
	return slices.Concat(
		bufferClasses(), heapClasses(), accelerationClasses(),
		textureClasses(), samplerClasses(), pixelFormatClasses(),
		residencyClasses(),
	)
}

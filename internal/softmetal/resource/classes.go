package resource

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Classes lists the package's classes: buffers, textures, samplers, heaps and residency sets.
func Classes() []adapter.Class {
	return slices.Concat(
		bufferClasses(), heapClasses(), accelerationClasses(),
		textureClasses(), samplerClasses(), pixelFormatClasses(),
		residencyClasses(),
	)
}

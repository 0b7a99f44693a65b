package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// metal4PackageClasses lists the package's classes: what Metal 4 encodes commands with.
func metal4PackageClasses() []adapter.Class {
	return slices.Concat(
		commandQueue4Classes(), commandAllocator4Classes(), commandBuffer4Classes(),
		computeEncoder4Classes(), argumentTableClasses(), counterHeapClasses(),
	)
}

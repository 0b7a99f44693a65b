package metal4

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Classes lists the package's classes: what Metal 4 encodes commands with.
func Classes() []adapter.Class {
	return slices.Concat(
		commandQueueClasses(), commandAllocatorClasses(), commandBufferClasses(),
		computeEncoderClasses(), argumentTableClasses(), counterHeapClasses(),
	)
}

package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// encodePackageClasses lists the package's classes: queues, command buffers, encoders, events and counters.
func encodePackageClasses() []adapter.Class {
	return slices.Concat(
		commandQueueClasses(), commandBufferClasses(),
		computeEncoderClasses(), blitEncoderClasses(), passClasses(), indirectClasses(),
		eventClasses(), counterClasses(),
	)
}

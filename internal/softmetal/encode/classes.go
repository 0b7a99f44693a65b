package encode

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Classes lists the package's classes: queues, command buffers, encoders, events and counters.
func Classes() []adapter.Class {
	return slices.Concat(
		commandQueueClasses(), commandBufferClasses(),
		computeEncoderClasses(), blitEncoderClasses(), passClasses(), indirectClasses(),
		eventClasses(), counterClasses(),
	)
}

package device

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Classes lists the package's classes: the device and log states.
func Classes() []adapter.Class {
	return slices.Concat(
		deviceClasses(), logClasses(), sanitizeClasses(), measureClasses(), scheduleClasses(), compilationClasses(),
	)
}

package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// devicePackageClasses lists the package's classes: the device and log states.
func devicePackageClasses() []adapter.Class {
	return slices.Concat(
		deviceClasses(), logClasses(),
	)
}

package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// libraryPackageClasses lists the package's classes: libraries, functions, pipelines and what describes them.
func libraryPackageClasses() []adapter.Class {
	return slices.Concat(
		compileOptionsClasses(), libraryClasses(), functionClasses(), constantValuesClasses(),
		pipelineClasses(), pipelineDescriptorClasses(), reflectionClasses(), reflectedTypeClasses(), archiveClasses(),
		argumentEncoderClasses(), functionTableClasses(),
		compiler4Classes(), compiler4DescriptorClasses(), archive4Classes(),
	)
}

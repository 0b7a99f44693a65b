package library

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// Classes lists the package's classes: libraries, functions, pipelines and what describes them.
func Classes() []adapter.Class {
	return slices.Concat(
		compileOptionsClasses(), libraryClasses(), functionClasses(), constantValuesClasses(),
		pipelineClasses(), pipelineDescriptorClasses(), reflectionClasses(), reflectedTypeClasses(), archiveClasses(),
		argumentEncoderClasses(), functionTableClasses(),
		compiler4Classes(), compiler4DescriptorClasses(), archive4Classes(),
	)
}

package softmetal

import (
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// programClasses lists the classes of libraries, functions, pipelines and what describes them.
func programClasses() []adapter.Class {
	return slices.Concat(
		compileOptionsClasses(), libraryClasses(), functionClasses(), constantValuesClasses(), pipelineClasses(), pipelineDescriptorClasses(),
		reflectionClasses(), reflectedTypeClasses(), archiveClasses(),
		compiler4Classes(), compiler4DescriptorClasses(), archive4Classes(), argumentEncoderClasses(), functionTableClasses(),
	)
}

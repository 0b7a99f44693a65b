package softmetal

import "slices"

// programClasses lists the classes of libraries, functions, pipelines and what describes them.
func programClasses() []class {
	return slices.Concat(
		compileOptionsClasses(), libraryClasses(), functionClasses(), constantValuesClasses(), pipelineClasses(), pipelineDescriptorClasses(),
		reflectionClasses(), reflectedTypeClasses(), archiveClasses(),
		compiler4Classes(), compiler4DescriptorClasses(), archive4Classes(), argumentEncoderClasses(), functionTableClasses(),
	)
}

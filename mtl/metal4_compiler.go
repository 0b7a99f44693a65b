package mtl

// NewLibraryWithDescriptor compiles a library, +1.
//
//	-[MTL4Compiler newLibraryWithDescriptor:error:]
func (o Compiler4) NewLibraryWithDescriptor(descriptor LibraryDescriptor4) (Library, error) {
	const c = check("-[MTL4Compiler newLibraryWithDescriptor:error:]")
	if err := c.described("compiler", o.ID(), descriptor.ID()); err != nil {
		return Library{}, err
	}
	return sendCompiler4NewLibraryWithDescriptor(o, descriptor)
}

// NewDynamicLibrary creates a dynamic library, +1, from a library.
//
//	-[MTL4Compiler newDynamicLibrary:error:]
func (o Compiler4) NewDynamicLibrary(library Library) (DynamicLibrary, error) {
	const c = check("-[MTL4Compiler newDynamicLibrary:error:]")
	if err := c.object("compiler", o.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	if err := c.object("library", library.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	return sendCompiler4NewDynamicLibrary(o, library)
}

// NewDynamicLibraryWithURL loads a dynamic library, +1, from a path or URL.
//
//	-[MTL4Compiler newDynamicLibraryWithURL:error:]
func (o Compiler4) NewDynamicLibraryWithURL(url string) (DynamicLibrary, error) {
	const c = check("-[MTL4Compiler newDynamicLibraryWithURL:error:]")
	if err := c.object("compiler", o.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	if url == "" {
		return DynamicLibrary{}, c.fail(ErrNil, "path")
	}
	return sendCompiler4NewDynamicLibraryWithURL(o, url)
}

// NewComputePipelineStateWithDescriptor compiles a pipeline state, +1; the options may be nil.
//
//	-[MTL4Compiler newComputePipelineStateWithDescriptor:compilerTaskOptions:error:]
func (o Compiler4) NewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor4,
	options CompilerTaskOptions4) (ComputePipelineState, error) {
	const c = check("-[MTL4Compiler newComputePipelineStateWithDescriptor:compilerTaskOptions:error:]")
	if err := c.described("compiler", o.ID(), descriptor.ID()); err != nil {
		return ComputePipelineState{}, err
	}
	return sendCompiler4NewComputePipelineStateWithDescriptor(o, descriptor, options)
}

// NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor compiles a pipeline state, +1, with
// dynamically linked functions; linking and options may be nil.
//
//	-[MTL4Compiler newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:
//	    compilerTaskOptions:error:]
func (o Compiler4) NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(descriptor ComputePipelineDescriptor4,
	linking PipelineStageDynamicLinkingDescriptor4, options CompilerTaskOptions4) (ComputePipelineState, error) {
	const c = check("-[MTL4Compiler newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:error:]")
	if err := c.described("compiler", o.ID(), descriptor.ID()); err != nil {
		return ComputePipelineState{}, err
	}
	return sendCompiler4NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(o, descriptor, linking, options)
}

// NewBinaryFunction4WithDescriptor compiles a function, +1; the options may be nil.
//
//	-[MTL4Compiler newBinaryFunctionWithDescriptor:compilerTaskOptions:error:]
func (o Compiler4) NewBinaryFunction4WithDescriptor(descriptor BinaryFunctionDescriptor4,
	options CompilerTaskOptions4) (BinaryFunction4, error) {
	const c = check("-[MTL4Compiler newBinaryFunctionWithDescriptor:compilerTaskOptions:error:]")
	if err := c.described("compiler", o.ID(), descriptor.ID()); err != nil {
		return BinaryFunction4{}, err
	}
	return sendCompiler4NewBinaryFunction4WithDescriptor(o, descriptor, options)
}

// NewMachineLearningPipelineState4WithDescriptor compiles a machine learning network, +1.
//
//	-[MTL4Compiler newMachineLearningPipelineStateWithDescriptor:error:]
func (o Compiler4) NewMachineLearningPipelineState4WithDescriptor(descriptor MachineLearningPipelineDescriptor4) (MachineLearningPipelineState4, error) {
	const c = check("-[MTL4Compiler newMachineLearningPipelineStateWithDescriptor:error:]")
	if err := c.described("compiler", o.ID(), descriptor.ID()); err != nil {
		return MachineLearningPipelineState4{}, err
	}
	return sendCompiler4NewMachineLearningPipelineState4WithDescriptor(o, descriptor)
}

// NewComputePipelineStateWithDescriptor looks up a pipeline state in the archive, +1.
//
//	-[MTL4Archive newComputePipelineStateWithDescriptor:error:]
func (o Archive4) NewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor4) (ComputePipelineState,
	error) {
	const c = check("-[MTL4Archive newComputePipelineStateWithDescriptor:error:]")
	if err := c.described("archive", o.ID(), descriptor.ID()); err != nil {
		return ComputePipelineState{}, err
	}
	return sendArchive4NewComputePipelineStateWithDescriptor(o, descriptor)
}

// NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor looks up a pipeline state with
// dynamically linked functions in the archive, +1; linking may be nil.
//
//	-[MTL4Archive newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:]
func (o Archive4) NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(descriptor ComputePipelineDescriptor4,
	linking PipelineStageDynamicLinkingDescriptor4) (ComputePipelineState, error) {
	const c = check("-[MTL4Archive newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:error:]")
	if err := c.described("archive", o.ID(), descriptor.ID()); err != nil {
		return ComputePipelineState{}, err
	}
	return sendArchive4NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(o, descriptor, linking)
}

// NewBinaryFunction4WithDescriptor looks up a function in the archive, +1.
//
//	-[MTL4Archive newBinaryFunctionWithDescriptor:error:]
func (o Archive4) NewBinaryFunction4WithDescriptor(descriptor BinaryFunctionDescriptor4) (BinaryFunction4, error) {
	const c = check("-[MTL4Archive newBinaryFunctionWithDescriptor:error:]")
	if err := c.described("archive", o.ID(), descriptor.ID()); err != nil {
		return BinaryFunction4{}, err
	}
	return sendArchive4NewBinaryFunction4WithDescriptor(o, descriptor)
}

package mtl

import "github.com/puremetal/puremetal/objc"

// Compilation in the background. The handler must not be nil. It is called once, on one of Metal's
// threads, with objects that live until it returns: retain those that you keep. The returned task
// is +0.

// background does the checks common to all of them.
func (c check) background(compiler objc.ID, handler bool) error {
	if err := c.object("compiler", compiler); err != nil {
		return err
	}
	if !handler {
		return c.fail(ErrNil, "handler")
	}
	return nil
}

// NewLibraryWithDescriptorCompletionHandler is NewLibraryWithDescriptor in the background.
//
//	-[MTL4Compiler newLibraryWithDescriptor:completionHandler:]
func (o Compiler4) NewLibraryWithDescriptorCompletionHandler(descriptor LibraryDescriptor4,
	handler func(Library, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newLibraryWithDescriptor:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewLibraryWithDescriptorCompletionHandler(o, descriptor, handler), nil
}

// NewDynamicLibraryCompletionHandler is NewDynamicLibrary in the background.
//
//	-[MTL4Compiler newDynamicLibrary:completionHandler:]
func (o Compiler4) NewDynamicLibraryCompletionHandler(library Library,
	handler func(DynamicLibrary, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newDynamicLibrary:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("library", library.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewDynamicLibraryCompletionHandler(o, library, handler), nil
}

// NewDynamicLibraryWithURLCompletionHandler is NewDynamicLibraryWithURL in the background.
//
//	-[MTL4Compiler newDynamicLibraryWithURL:completionHandler:]
func (o Compiler4) NewDynamicLibraryWithURLCompletionHandler(url string,
	handler func(DynamicLibrary, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newDynamicLibraryWithURL:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if url == "" {
		return CompilerTask4{}, c.fail(ErrNil, "path")
	}
	return sendCompiler4NewDynamicLibraryWithURLCompletionHandler(o, url, handler), nil
}

// NewComputePipelineStateWithDescriptorCompletionHandler is NewComputePipelineStateWithDescriptor
// in the background.
//
//	-[MTL4Compiler newComputePipelineStateWithDescriptor:compilerTaskOptions:
//	    completionHandler:]
func (o Compiler4) NewComputePipelineStateWithDescriptorCompletionHandler(descriptor ComputePipelineDescriptor4,
	options CompilerTaskOptions4, handler func(ComputePipelineState, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newComputePipelineStateWithDescriptor:compilerTaskOptions:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewComputePipelineStateWithDescriptorCompletionHandler(o, descriptor, options, handler), nil
}

// NewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler is
// NewComputePipelineStateWithDescriptorDynamicLinkingDescriptor in the background.
//
//	-[MTL4Compiler newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:
//	    compilerTaskOptions:completionHandler:]
func (o Compiler4) NewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler(descriptor ComputePipelineDescriptor4, linking PipelineStageDynamicLinkingDescriptor4, options CompilerTaskOptions4, handler func(ComputePipelineState, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newComputePipelineStateWithDescriptor:dynamicLinkingDescriptor:compilerTaskOptions:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler(o, descriptor,
		linking,
		options, handler), nil
}

// NewBinaryFunction4WithDescriptorCompletionHandler is NewBinaryFunctionWithDescriptor in the
// background.
//
//	-[MTL4Compiler newBinaryFunctionWithDescriptor:compilerTaskOptions:completionHandler:]
func (o Compiler4) NewBinaryFunction4WithDescriptorCompletionHandler(descriptor BinaryFunctionDescriptor4,
	options CompilerTaskOptions4, handler func(BinaryFunction4, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newBinaryFunctionWithDescriptor:compilerTaskOptions:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewBinaryFunction4WithDescriptorCompletionHandler(o, descriptor, options, handler), nil
}

// NewMachineLearningPipelineState4WithDescriptorCompletionHandler is
// NewMachineLearningPipelineState4WithDescriptor in the background.
//
//	-[MTL4Compiler newMachineLearningPipelineStateWithDescriptor:completionHandler:]
func (o Compiler4) NewMachineLearningPipelineState4WithDescriptorCompletionHandler(descriptor MachineLearningPipelineDescriptor4, handler func(MachineLearningPipelineState4, error)) (CompilerTask4, error) {
	const c = check("-[MTL4Compiler newMachineLearningPipelineStateWithDescriptor:completionHandler:]")
	if err := c.background(o.ID(), handler != nil); err != nil {
		return CompilerTask4{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return CompilerTask4{}, err
	}
	return sendCompiler4NewMachineLearningPipelineState4WithDescriptorCompletionHandler(o, descriptor, handler), nil
}

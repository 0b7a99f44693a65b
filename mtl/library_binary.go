package mtl

import "github.com/puremetal/puremetal/objc"

// NewDynamicLibrary creates a dynamic library, +1, from a library compiled with LibraryTypeDynamic.
// A library of another type is an error wrapping [ErrState], a device that does not support dynamic
// libraries one wrapping [ErrDevice].
//
//	-[MTLDevice newDynamicLibrary:error:]
func (o Device) NewDynamicLibrary(library Library) (DynamicLibrary, error) {
	const c = check("-[MTLDevice newDynamicLibrary:error:]")
	if err := c.receiver(&zmethods[mDeviceNewDynamicLibrary], o.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	if err := c.object("library", library.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	if err := c.dynamic(o.SupportsDynamicLibraries(), library.Type()); err != nil {
		return DynamicLibrary{}, err
	}
	return sendDeviceNewDynamicLibrary(o, library)
}

func (c check) dynamic(supported bool, typ LibraryType) error {
	if !supported {
		return c.fail(ErrDevice, "the device does not support dynamic libraries")
	}
	if typ != LibraryTypeDynamic {
		return c.fail(ErrState, "the library is of type %v, want %v", typ, LibraryTypeDynamic)
	}
	return nil
}

// NewDynamicLibraryWithFile loads a dynamic library written by [DynamicLibrary.SerializeToFile],
// +1.
//
//	-[MTLDevice newDynamicLibraryWithURL:error:]
func (o Device) NewDynamicLibraryWithFile(path string) (DynamicLibrary, error) {
	const c = check("-[MTLDevice newDynamicLibraryWithURL:error:]")
	if err := c.receiver(&zmethods[mDeviceNewDynamicLibraryWithURL], o.ID()); err != nil {
		return DynamicLibrary{}, err
	}
	if err := c.path(path); err != nil {
		return DynamicLibrary{}, err
	}
	if err := c.dynamic(o.SupportsDynamicLibraries(), LibraryTypeDynamic); err != nil {
		return DynamicLibrary{}, err
	}
	return sendDeviceNewDynamicLibraryWithURL(o, path)
}

// SerializeToFile writes the library to a file.
//
//	-[MTLDynamicLibrary serializeToURL:error:]
func (o DynamicLibrary) SerializeToFile(path string) error {
	const c = check("-[MTLDynamicLibrary serializeToURL:error:]")
	if err := c.receiver(&zmethods[mDynamicLibrarySerializeToURL], o.ID()); err != nil {
		return err
	}
	if err := c.path(path); err != nil {
		return err
	}
	return sendDynamicLibrarySerializeToURL(o, path)
}

// NewBinaryArchive creates a binary archive, +1. It is empty if the descriptor names no file.
//
//	-[MTLDevice newBinaryArchiveWithDescriptor:error:]
func (o Device) NewBinaryArchive(descriptor BinaryArchiveDescriptor) (BinaryArchive, error) {
	const c = check("-[MTLDevice newBinaryArchiveWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mDeviceNewBinaryArchiveWithDescriptor], o.ID()); err != nil {
		return BinaryArchive{}, err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return BinaryArchive{}, err
	}
	return sendDeviceNewBinaryArchiveWithDescriptor(o, descriptor)
}

// AddComputePipelineFunctions compiles the functions of a pipeline into the archive.
//
//	-[MTLBinaryArchive addComputePipelineFunctionsWithDescriptor:error:]
func (o BinaryArchive) AddComputePipelineFunctions(descriptor ComputePipelineDescriptor) error {
	const c = check("-[MTLBinaryArchive addComputePipelineFunctionsWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mBinaryArchiveAddComputePipelineFunctionsWithDescriptor], o.ID()); err != nil {
		return err
	}
	var err error
	objc.Pool(func() { err = c.pipelineDescriptor(descriptor, o.Device()) })
	if err != nil {
		return err
	}
	return sendBinaryArchiveAddComputePipelineFunctionsWithDescriptor(o, descriptor)
}

// AddLibrary compiles the functions of a stitched library into the archive.
//
//	-[MTLBinaryArchive addLibraryWithDescriptor:error:]
func (o BinaryArchive) AddLibrary(descriptor StitchedLibraryDescriptor) error {
	const c = check("-[MTLBinaryArchive addLibraryWithDescriptor:error:]")
	if err := c.receiver(&zmethods[mBinaryArchiveAddLibraryWithDescriptor], o.ID()); err != nil {
		return err
	}
	if err := c.object("descriptor", descriptor.ID()); err != nil {
		return err
	}
	return sendBinaryArchiveAddLibraryWithDescriptor(o, descriptor)
}

// AddFunction compiles a visible or intersection function of a library into the archive.
//
//	-[MTLBinaryArchive addFunctionWithDescriptor:library:error:]
func (o BinaryArchive) AddFunction(descriptor FunctionDescriptor, library Library) error {
	const c = check("-[MTLBinaryArchive addFunctionWithDescriptor:library:error:]")
	if err := c.receiver(&zmethods[mBinaryArchiveAddFunctionWithDescriptor], o.ID()); err != nil {
		return err
	}
	if err := c.object("library", library.ID()); err != nil {
		return err
	}
	if err := c.functionDescriptor(descriptor); err != nil {
		return err
	}
	return sendBinaryArchiveAddFunctionWithDescriptor(o, descriptor, library)
}

// SerializeToFile writes the archive to a file.
//
//	-[MTLBinaryArchive serializeToURL:error:]
func (o BinaryArchive) SerializeToFile(path string) error {
	const c = check("-[MTLBinaryArchive serializeToURL:error:]")
	if err := c.receiver(&zmethods[mBinaryArchiveSerializeToURL], o.ID()); err != nil {
		return err
	}
	if err := c.path(path); err != nil {
		return err
	}
	return sendBinaryArchiveSerializeToURL(o, path)
}

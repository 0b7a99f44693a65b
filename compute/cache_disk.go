package compute

import (
	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/mtl"
)

// reflected is what pipelines are made with: their arguments and the types behind buffers.
const reflected = mtl.PipelineOptionBindingInfo | mtl.PipelineOptionBufferTypeInfo

// The disk has an archive for each pipeline. On the software device it has one for each program besides, that of one of its pipelines: such an archive says
// which functions there are, so that the source need not be compiled, and the code of each kernel comes with its pipeline's archive.

// shelf is the place of a pipeline on the disk.
type shelf struct {
	*Accelerator
	program programKey
	library *compiled
	key     programKey // the pipeline's
}

// fromDisk opens the archive that is kept under a key, +1; nil for none. One that cannot be opened is deleted.
func (a *Accelerator) fromDisk(key programKey) (archive mtl.BinaryArchive, path string) {
	if a.cache.disk == nil {
		return archive, ""
	}
	path, ok := a.cache.disk.Open(store.Key(key))
	if !ok {
		return archive, ""
	}
	archive, err := a.archive(path)
	if err != nil {
		// Verified, so written by someone who meant it, and yet of no use.
		a.cache.disk.Reject(path, err)
	}
	return archive, path
}

// pipeline makes a pipeline state and its reflection, both +1, of the archive from the disk where there is one. It is called inside an autorelease pool.
func (s *shelf) pipeline(function mtl.Function, archive mtl.BinaryArchive, path string) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
	if s.cache.disk == nil {
		return s.device.NewComputePipelineStateWithReflection(function, reflected)
	}
	descriptor, err := mtl.NewComputePipelineDescriptor()
	if err != nil {
		return mtl.ComputePipelineState{}, mtl.ComputePipelineReflection{}, err
	}
	defer descriptor.Release()
	descriptor.SetComputeFunction(function)
	defer descriptor.SetBinaryArchives(nil)
	if !archive.IsNil() {
		descriptor.SetBinaryArchives([]mtl.BinaryArchive{archive})
		state, reflection, err := s.device.NewComputePipelineStateWithDescriptor(descriptor, reflected|mtl.PipelineOptionFailOnBinaryArchiveMiss)
		if err == nil {
			s.cache.archived.Add(1)
			s.keepProgram(archive)
			return state, reflection, nil
		}
		s.cache.disk.Reject(path, err) // another build of the driver, or another thing's archive
		descriptor.SetBinaryArchives(nil)
	}
	return s.make(descriptor)
}

// make makes a pipeline and keeps it on the disk. The driver compiles into an archive and takes the pipeline from there, so that it compiles once.
func (s *shelf) make(descriptor mtl.ComputePipelineDescriptor) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
	archive, err := s.archive("")
	if err == nil {
		defer archive.Release()
		if err = archive.AddComputePipelineFunctions(descriptor); err == nil {
			descriptor.SetBinaryArchives([]mtl.BinaryArchive{archive})
		}
	}
	state, reflection, failed := s.device.NewComputePipelineStateWithDescriptor(descriptor, reflected)
	if failed != nil { // what is wrong with the kernel is said by the pipeline, with or without an archive
		return state, reflection, failed
	}
	if err != nil {
		s.cache.unarchived.Add(1)
	} else if err = s.cache.disk.Add(store.Key(s.key), archive.SerializeToFile); err == nil {
		s.keepProgram(archive)
	}
	if err != nil {
		s.log.Warn("compute: kernel cache: a kernel cannot be kept on the disk", "kernel", descriptor.ComputeFunction().Name(), "error", err)
	}
	return state, reflection, nil
}

// keepProgram keeps the archive of one of a program's pipelines as the program's, once.
func (s *shelf) keepProgram(archive mtl.BinaryArchive) {
	if !s.info.Software || s.library.onDisk.Swap(true) {
		return
	}
	if err := s.cache.disk.Add(store.Key(s.program), archive.SerializeToFile); err != nil {
		s.log.Warn("compute: kernel cache: a program cannot be kept on the disk", "error", err)
	}
}

// archive opens an archive, +1; "" makes an empty one.
func (a *Accelerator) archive(path string) (mtl.BinaryArchive, error) {
	d, err := mtl.NewBinaryArchiveDescriptor()
	if err != nil {
		return mtl.BinaryArchive{}, err
	}
	defer d.Release()
	if path != "" {
		d.SetUrl(path)
	}
	return a.device.NewBinaryArchive(d)
}

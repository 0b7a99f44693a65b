package compute

import (
	"encoding/hex"
	"errors"

	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
)

// reflected are the pipeline options: reflect arguments and the types of buffers.
const reflected = mtl.PipelineOptionBindingInfo | mtl.PipelineOptionBufferTypeInfo

// The disk cache has one archive per pipeline. For the software device it also has one per program,
// which is a copy of the archive of one of its pipelines: it lists the program's functions, so the
// source need not be compiled. The code of each kernel comes from its pipeline's archive.

// diskPipeline is a pipeline of the disk cache.
type diskPipeline struct {
	*Accelerator
	program programKey
	library *compiled
	key     programKey // the pipeline's
}

// fromDisk opens the archive of a key, +1, or returns nil if there is none. An archive that cannot
// be opened is deleted.
func (a *Accelerator) fromDisk(key programKey) (archive mtl.BinaryArchive, path string) {
	if a.cache.disk == nil {
		return archive, ""
	}
	file, ok := a.cache.disk.Open(store.Key(key))
	if !ok {
		return archive, ""
	}
	if a.info.Software { // otherwise it ignores the archive's code and compiles the source
		sum := hex.EncodeToString(file.Sum[:])
		client.SendText(&extension.TrustArchive, a.device.ID(), sum)
		defer client.SendText(&extension.DistrustArchive, a.device.ID(), sum)
	}
	archive, err := a.archive(file.Path)
	if err != nil {
		// The tag is right, so this module wrote it, yet Metal cannot use it.
		a.cache.disk.Reject(file.Path, err)
	}
	return archive, file.Path
}

// pipeline makes a pipeline state and its reflection, both +1, from the archive if there is one. It
// is called inside an autorelease pool.
func (s *diskPipeline) pipeline(function mtl.Function, archive mtl.BinaryArchive,
	path string) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
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
		state, reflection, err := s.device.NewComputePipelineStateWithDescriptor(descriptor,
			reflected|mtl.PipelineOptionFailOnBinaryArchiveMiss)
		if err == nil {
			s.cache.diskPipelines.Add(1)
			s.keepProgram(archive)
			return state, reflection, nil
		}
		s.cache.disk.Reject(path, err) // of another driver build, or another pipeline's
		descriptor.SetBinaryArchives(nil)
	}
	return s.make(descriptor)
}

// make makes a pipeline and stores it on disk. The driver compiles into an archive and then takes
// the pipeline from it, so that it compiles only once.
func (s *diskPipeline) make(descriptor mtl.ComputePipelineDescriptor) (mtl.ComputePipelineState,
	mtl.ComputePipelineReflection, error) {
	archive, err := s.archive("")
	if err == nil {
		defer archive.Release()
		if err = archive.AddComputePipelineFunctions(descriptor); err == nil {
			descriptor.SetBinaryArchives([]mtl.BinaryArchive{archive})
		}
	}
	state, reflection, failed := s.device.NewComputePipelineStateWithDescriptor(descriptor, reflected)
	if failed != nil { // the pipeline reports errors of the kernel, with or without an archive
		return state, reflection, failed
	}
	if err != nil {
		s.cache.unarchived.Add(1)
	} else if err = s.cache.disk.Add(store.Key(s.key), archive.SerializeToFile); err == nil {
		s.keepProgram(archive)
	}
	if err != nil && !errors.Is(err, machine.ErrShared) { // the store has logged that
		s.log.Warn("compute: kernel cache: storing a kernel on disk failed", "kernel",
			descriptor.ComputeFunction().Name(), "error", err)
	}
	return state, reflection, nil
}

// keepProgram stores the archive of a program's first pipeline as the program's.
func (s *diskPipeline) keepProgram(archive mtl.BinaryArchive) {
	if !s.info.Software || s.library.onDisk.Swap(true) {
		return
	}
	err := s.cache.disk.Add(store.Key(s.program), archive.SerializeToFile)
	if err != nil && !errors.Is(err, machine.ErrShared) {
		s.log.Warn("compute: kernel cache: storing a program on disk failed", "error", err)
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

package compute

import (
	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/mtl"
)

// reflected is what pipelines are made with: their arguments and the types behind buffers.
const reflected = mtl.PipelineOptionBindingInfo | mtl.PipelineOptionBufferTypeInfo

// newPipeline makes a pipeline state and its reflection, both +1, with the help of the disk where there is one. It is called inside an autorelease pool.
func (a *Accelerator) newPipeline(key programKey, function mtl.Function) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
	if a.cache.disk == nil {
		return a.device.NewComputePipelineStateWithReflection(function, reflected)
	}
	descriptor, err := mtl.NewComputePipelineDescriptor()
	if err != nil {
		return mtl.ComputePipelineState{}, mtl.ComputePipelineReflection{}, err
	}
	defer descriptor.Release()
	descriptor.SetComputeFunction(function)
	if path, ok := a.cache.disk.Open(store.Key(key)); ok {
		state, reflection, err := a.fromArchive(path, descriptor)
		if err == nil {
			a.cache.archived.Add(1)
			return state, reflection, nil
		}
		// Verified, so written by someone who meant it, and yet of no use: another build of the driver, or another thing's archive.
		a.cache.disk.Reject(path, err)
	}
	return a.intoArchive(key, descriptor)
}

// fromArchive makes a pipeline of what an archive has. An archive that does not have it is an error.
func (a *Accelerator) fromArchive(path string, descriptor mtl.ComputePipelineDescriptor) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
	archive, err := a.archive(path)
	if err != nil {
		return mtl.ComputePipelineState{}, mtl.ComputePipelineReflection{}, err
	}
	defer archive.Release()
	descriptor.SetBinaryArchives([]mtl.BinaryArchive{archive})
	defer descriptor.SetBinaryArchives(nil)
	return a.device.NewComputePipelineStateWithDescriptor(descriptor, reflected|mtl.PipelineOptionFailOnBinaryArchiveMiss)
}

// intoArchive makes a pipeline and keeps it on the disk. The driver compiles into the archive and takes the pipeline from there, so that it compiles once.
func (a *Accelerator) intoArchive(key programKey, descriptor mtl.ComputePipelineDescriptor) (mtl.ComputePipelineState, mtl.ComputePipelineReflection, error) {
	archive, err := a.archive("")
	if err == nil {
		defer archive.Release()
		if err = archive.AddComputePipelineFunctions(descriptor); err == nil {
			descriptor.SetBinaryArchives([]mtl.BinaryArchive{archive})
			defer descriptor.SetBinaryArchives(nil)
		}
	}
	state, reflection, failed := a.device.NewComputePipelineStateWithDescriptor(descriptor, reflected)
	if failed != nil { // what is wrong with the kernel is said by the pipeline, with or without an archive
		return state, reflection, failed
	}
	if err != nil {
		a.cache.unarchived.Add(1)
	} else {
		err = a.cache.disk.Add(store.Key(key), archive.SerializeToFile)
	}
	if err != nil {
		a.log.Warn("compute: kernel cache: a kernel cannot be kept on the disk", "kernel", descriptor.ComputeFunction().Name(), "error", err)
	}
	return state, reflection, nil
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

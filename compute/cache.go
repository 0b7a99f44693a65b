package compute

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute/internal/share"
	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Two programs of one source and equal options share a library, and kernels of equal name and constants share a pipeline. What was closed stays in memory until
// others need its room. Where the program asks for it, pipelines are also kept on the disk, for the next process.

// What is counted for what Metal does not tell the size of. A library is charged with its source besides.
const (
	libraryCost  = 32 << 10
	pipelineCost = 32 << 10
)

// cacheKey finds a library, or a pipeline where the kernel has a name.
type cacheKey struct {
	program programKey
	kernel  kernelKey
}

// compiled is a library or a pipeline.
type compiled struct {
	library  mtl.Library
	onDisk   atomic.Bool // of a library: the disk has an archive for it
	pipeline pipeline
}

// pipeline is what kernels of one name and equal constants share.
type pipeline struct {
	state      mtl.ComputePipelineState
	limits     mtl.PipelineLimits
	parameters []Parameter
}

func (c *compiled) release() {
	c.library.Release()
	c.pipeline.state.Release()
}

type cacheEntry = share.Entry[cacheKey, *compiled]

// kernelCache is an accelerator's cache of libraries and pipelines.
type kernelCache struct {
	machine programKey
	memory  *share.Cache[cacheKey, *compiled]
	disk    *store.Store // nil for none

	programHits, programMisses, kernelHits, kernelMisses atomic.Uint64
	compiling, making                                    atomic.Int64  // nanoseconds
	archived, known                                      atomic.Uint64 // pipelines, and libraries, that came from the disk
	unarchived                                           atomic.Uint64 // those that Metal would not put into an archive
}

// newCache makes the cache of a device. The accelerator's configuration is complete.
func (a *Accelerator) newCache() error {
	machine, err := machineKey(a.info)
	if err != nil {
		return err
	}
	a.cache = &kernelCache{machine: machine, memory: share.New[cacheKey](a.kernelBytes, (*compiled).release)}
	if a.onDisk {
		dir := a.diskDir
		if dir == "" {
			user, err := os.UserCacheDir()
			if err != nil {
				a.log.Warn("compute: no folder for the kernel cache on disk", "error", err)
				return nil
			}
			dir = filepath.Join(user, "puremetal")
		}
		if full, err := filepath.Abs(dir); err == nil {
			dir = full // also when the process changes its folder
		}
		a.cache.disk = store.New(dir, a.diskBytes, a.now, a.log)
	}
	return nil
}

// library returns the library of a source, compiled or found.
func (a *Accelerator) library(ctx context.Context, key programKey, source string, o CompileOptions) (*cacheEntry, error) {
	c := a.cache
	e, found, err := c.memory.Get(ctx, cacheKey{program: key}, func() (*compiled, int64, error) {
		defer took(a.now, a.now(), &c.compiling)
		l, err := a.compile(key, source, o)
		return l, libraryCost + int64(len(source)), err
	})
	count(found, &c.programHits, &c.programMisses)
	return e, err
}

// kernel returns the pipeline of a kernel, made or found. It ends a use of the library when nobody makes the pipeline of it any more.
func (a *Accelerator) kernel(ctx context.Context, program programKey, library *cacheEntry, key kernelKey, constants []Constant) (*cacheEntry, error) {
	c := a.cache
	e, found, err := c.memory.Get(ctx, cacheKey{program, key}, func() (*compiled, int64, error) {
		defer library.Release()
		defer took(a.now, a.now(), &c.making)
		var p pipeline
		var err error
		objc.Pool(func() { p, err = a.makePipeline(program, library.Value(), key, constants) })
		return &compiled{pipeline: p}, pipelineCost, err
	})
	if found {
		library.Release()
	}
	count(found, &c.kernelHits, &c.kernelMisses)
	return e, err
}

func count(found bool, hits, misses *atomic.Uint64) {
	if found {
		hits.Add(1)
	} else {
		misses.Add(1)
	}
}

// took adds the time since begin.
func took(now func() time.Time, begin time.Time, to *atomic.Int64) { to.Add(int64(now().Sub(begin))) }

// CacheStats is what an accelerator's cache of kernels has done since it was opened, and what it holds.
type CacheStats struct {
	// ProgramHits counts the calls of [Accelerator.Compile] that found their library in memory or on its way, ProgramMisses those that had it compiled.
	ProgramHits, ProgramMisses uint64
	// KernelHits counts the calls of [Program.Kernel] that found their pipeline in memory or on its way, KernelMisses those that had it made.
	KernelHits, KernelMisses uint64
	// CompileTime is how long Metal compiled source, and PipelineTime how long it made pipelines, with what the disk took; what ran side by side counts twice.
	CompileTime, PipelineTime time.Duration

	Entries   int    // libraries and pipelines in memory
	Unused    int    // of the entries: closed, and kept for the next who asks
	Bytes     int64  // of all entries; an estimate, since Metal does not tell
	Evictions uint64 // unused entries that had to go to make room

	Disk DiskCacheStats // zero without [WithDiskCache]
}

// DiskCacheStats is what an accelerator has done with the cache on disk. Others who use the folder count for themselves.
type DiskCacheStats struct {
	Programs  uint64 // whose source was not compiled, because an archive had what it gives; only the software device's archives do
	Hits      uint64 // pipelines that were made from an archive
	Misses    uint64 // pipelines that no archive had
	Written   uint64 // archives
	Healed    uint64 // archives that were damaged, or that Metal could not use, and were deleted
	Evictions uint64 // archives that were deleted to make room
	Failures  uint64 // of the file system, or of Metal in writing archives; the log has them
}

// CacheStats returns what the accelerator's cache of kernels has done so far.
func (a *Accelerator) CacheStats() CacheStats {
	c := a.cache
	m := c.memory.Stats()
	s := CacheStats{
		ProgramHits: c.programHits.Load(), ProgramMisses: c.programMisses.Load(), KernelHits: c.kernelHits.Load(), KernelMisses: c.kernelMisses.Load(),
		CompileTime: time.Duration(c.compiling.Load()), PipelineTime: time.Duration(c.making.Load()),
		Entries: m.Entries, Unused: m.Unused, Bytes: m.Bytes, Evictions: m.Evictions,
	}
	if c.disk != nil {
		d, hits := c.disk.Stats(), c.archived.Load()
		misses := s.KernelMisses - min(s.KernelMisses, hits) // a hit is counted before the call that it is for
		s.Disk = DiskCacheStats{Programs: c.known.Load(), Hits: hits, Misses: misses, Written: d.Written, Healed: d.Healed, Evictions: d.Evicted, Failures: d.Failures + c.unarchived.Load()}
	}
	return s
}

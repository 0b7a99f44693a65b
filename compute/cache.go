package compute

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute/internal/share"
	"github.com/puremetal/puremetal/compute/internal/store"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// Programs with the same source and options share a library, and kernels with the same name and
// constants share a pipeline. After Close they stay in memory until they are evicted. With a disk
// cache, pipelines are also kept on disk for the next process.

// Estimated sizes, since Metal does not report any. A library counts with the length of its source
// in addition.
const (
	libraryCost  = 32 << 10
	pipelineCost = 32 << 10
)

// cacheKey identifies a library, or a pipeline if the kernel has a name.
type cacheKey struct {
	program programKey
	kernel  kernelKey
}

// compiled is a library, a pipeline or a translation.
type compiled struct {
	library     mtl.Library
	settings    mtl.CompileSettings // of a library
	onDisk      atomic.Bool         // of a library: the disk has an archive for it
	pipeline    pipeline
	translation *translate.Result // of a program in another language
}

// pipeline is shared by kernels with the same name and constants.
type pipeline struct {
	state      mtl.ComputePipelineState
	limits     mtl.PipelineLimits
	parameters []Parameter
	phases     int // 1 more than the number of grid syncs
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
	disk    *store.Store  // nil for none
	turns   chan struct{} // has room for as many compilations as may run at once

	programHits, programMisses, kernelHits, kernelMisses atomic.Uint64
	compileTime, pipelineTime                            atomic.Int64  // nanoseconds
	diskPipelines, diskLibraries, diskTranslations       atomic.Uint64 // that came from the disk
	unarchived                                           atomic.Uint64 // those that Metal would not put into an archive
}

// newCache makes the cache of a device. The accelerator's configuration is complete.
func (a *Accelerator) newCache() error {
	key, err := machineKey(a.info)
	if err != nil {
		return err
	}
	a.cache = &kernelCache{machine: key, memory: share.New[cacheKey](a.kernelBytes, (*compiled).release),
		turns: make(chan struct{}, a.compilations)}
	if a.onDisk {
		dir := a.diskDir
		if dir == "" {
			var err error
			if dir, err = machine.CacheFolder(); err != nil {
				a.log.Warn("compute: no folder for the kernel cache on disk", "error", err)
				return nil
			}
		}
		if full, err := filepath.Abs(dir); err == nil {
			dir = full // also when the process changes its folder
		}
		a.cache.disk = store.New(dir, a.diskBytes, a.now, a.log)
	}
	return nil
}

// library returns the library of a source, from the cache or compiled.
func (a *Accelerator) library(ctx context.Context, key programKey, source string, o CompileOptions) (*cacheEntry,
	error) {
	c := a.cache
	e, found, err := c.memory.Get(ctx, cacheKey{program: key}, func(ctx context.Context) (*compiled, int64, error) {
		if err := c.takeTurn(ctx); err != nil {
			return &compiled{}, 0, err
		}
		defer c.endTurn()
		began := a.now()
		defer addElapsed(a.now, began, &c.compileTime)
		l, err := a.compile(ctx, key, source, o)
		a.observeCompile(observe.CompileEvent{Ctx: ctx, Program: o.Name, Start: began, Err: err})
		return l, libraryCost + int64(len(source)), err
	})
	countLookup(found, &c.programHits, &c.programMisses)
	a.observeCache(observe.CacheEvent{Program: o.Name, Hit: found})
	return e, err
}

// kernel returns the pipeline of a kernel, from the cache or made. It then ends the caller's use of
// the library.
func (a *Accelerator) kernel(ctx context.Context, name string, program programKey, library *cacheEntry,
	key kernelKey, constants []Constant) (*cacheEntry, error) {
	c := a.cache
	e, found, err := c.memory.Get(ctx, cacheKey{program, key}, func(ctx context.Context) (*compiled, int64, error) {
		defer library.Release()
		if err := c.takeTurn(ctx); err != nil {
			return &compiled{}, 0, err
		}
		defer c.endTurn()
		began := a.now()
		defer addElapsed(a.now, began, &c.pipelineTime)
		p, err := a.makePipeline(ctx, program, library.Value(), key, constants)
		a.observeCompile(observe.CompileEvent{Ctx: ctx, Program: name, Kernel: key.name, Start: began, Err: err})
		return &compiled{pipeline: p}, pipelineCost, err
	})
	if found {
		library.Release()
	}
	countLookup(found, &c.kernelHits, &c.kernelMisses)
	a.observeCache(observe.CacheEvent{Program: name, Kernel: key.name, Hit: found})
	return e, err
}

// takeTurn waits until another compilation may run; see [WithCompilations].
func (c *kernelCache) takeTurn(ctx context.Context) error {
	select {
	case c.turns <- struct{}{}: // without a look at the context: Apple's compiler finishes for later callers
		return nil
	default:
	}
	select {
	case c.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return stream.ContextError(ctx, "a turn to compile")
	}
}

// TrimKernels releases the compiled programs and kernels that are kept for reuse and that nobody
// uses, and returns how many there were.
func (a *Accelerator) TrimKernels() int {
	if a.missing() {
		return 0
	}
	return a.cache.memory.Drop()
}

func (c *kernelCache) endTurn() { <-c.turns }

func countLookup(found bool, hits, misses *atomic.Uint64) {
	if found {
		hits.Add(1)
	} else {
		misses.Add(1)
	}
}

// addElapsed adds the time since begin.
func addElapsed(now func() time.Time, begin time.Time, to *atomic.Int64) {
	to.Add(int64(now().Sub(begin)))
}

// CacheStats counts the work of an accelerator's kernel cache since the accelerator was opened, and
// describes its contents.
type CacheStats struct {
	// ProgramHits counts the calls of [Accelerator.Compile] that found their library in memory or
	// being compiled, ProgramMisses those that compiled it.
	ProgramHits, ProgramMisses uint64
	// KernelHits counts the calls of [Program.Kernel] that found their pipeline in memory or being
	// made, KernelMisses those that made it.
	KernelHits, KernelMisses uint64
	// CompileTime is the time spent compiling source, and PipelineTime the time spent making
	// pipelines; both include disk access. Concurrent work counts twice.
	CompileTime, PipelineTime time.Duration

	Entries   int    // libraries and pipelines in memory
	Unused    int    // entries that nobody uses, kept for the next use
	Bytes     int64  // of all entries; an estimate
	Evictions uint64 // unused entries released to make room

	Disk DiskCacheStats // zero without [WithDiskCache]
}

// DiskCacheStats counts one accelerator's use of the disk cache, not that of others that share the
// folder.
type DiskCacheStats struct {
	Programs uint64 // programs whose library came from an archive instead of the compiler; software device only
	// Translations counts the programs in other languages whose translation to Metal was there.
	Translations uint64
	Hits         uint64 // pipelines made from an archive
	Misses       uint64 // pipelines that were in no archive
	Written      uint64 // archives written
	Healed       uint64 // archives deleted because they were damaged or Metal could not use them
	Evictions    uint64 // archives deleted to make room
	Failures     uint64 // failures of the file system, or of Metal when writing archives; see the log
}

// CacheStats returns the statistics of the accelerator's kernel cache so far.
func (a *Accelerator) CacheStats() CacheStats {
	if a.missing() {
		return CacheStats{}
	}
	c := a.cache
	m := c.memory.Stats()
	s := CacheStats{
		ProgramHits: c.programHits.Load(), ProgramMisses: c.programMisses.Load(), KernelHits: c.kernelHits.Load(),
		KernelMisses: c.kernelMisses.Load(),
		CompileTime:  time.Duration(c.compileTime.Load()), PipelineTime: time.Duration(c.pipelineTime.Load()),
		Entries: m.Entries, Unused: m.Unused, Bytes: m.Bytes, Evictions: m.Evictions,
	}
	if c.disk != nil {
		d, hits := c.disk.Stats(), c.diskPipelines.Load()
		misses := s.KernelMisses - min(s.KernelMisses, hits) // a disk hit is counted before the call's KernelMisses
		s.Disk = DiskCacheStats{Programs: c.diskLibraries.Load(),
			Translations: c.diskTranslations.Load(), Hits: hits, Misses: misses, Written: d.Written,
			Healed: d.Healed, Evictions: d.Evicted, Failures: d.Failures + c.unarchived.Load()}
	}
	return s
}

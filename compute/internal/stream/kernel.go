package stream

import (
	"context"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// Kernel is what commands know of a kernel.
type Kernel struct {
	Acc      *Device
	Name     string // in the source
	File     string // of its name in the source, if it is a translation
	Line     int    // likewise
	Program  string // its name
	Phases   int    // 1 more than the number of grid syncs
	Logs     bool   // its launches have command buffers of their own, with logs
	Counters KernelCounters
	Indirect IndirectPipeline // has its own lock
	Life     Lifetime
	Owner    any // the *compute.Kernel that it is a part of
	made     atomic.Pointer[Made]

	// IndirectState returns the pipeline state for indirect command buffers, of Indirect, and makes it
	// if there is none. The caller counts a use of the kernel.
	IndirectState func(context.Context) (mtl.ComputePipelineState, error)
}

// Made is what Metal has made for a kernel. It is replaced as a whole when the device is opened
// again, while other goroutines launch the kernel.
type Made struct {
	Pipeline mtl.ComputePipelineState
	Limits   mtl.PipelineLimits
	Epoch    uint64 // of the device that it was made for
}

// Made returns what Metal has made for the kernel.
func (k *Kernel) Made() *Made { return k.made.Load() }

// SetMade sets what Metal has made for the kernel.
func (k *Kernel) SetMade(m Made) { k.made.Store(&m) }

// ParameterKind is the kind of argument that a kernel takes at an index.
type ParameterKind uint8

// The kinds of parameter, as those of package compute.
const (
	BufferParameter ParameterKind = iota
	ThreadgroupParameter
	TextureParameter
	SamplerParameter
	OtherParameter
)

// String returns "buffer", "threadgroup memory" and so on.
func (k ParameterKind) String() string {
	switch k {
	case BufferParameter:
		return "buffer"
	case ThreadgroupParameter:
		return "threadgroup memory"
	case TextureParameter:
		return "texture"
	case SamplerParameter:
		return "sampler"
	}
	return "other argument"
}

// String returns "kernel saxpy".
func (k *Kernel) String() string { return "kernel " + k.Name }

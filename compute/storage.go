package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/mtl"
)

// Intent is the purpose of a buffer. Together with the device's kind of memory, it determines the
// storage mode.
type Intent uint8

const (
	// HostVisible is for data that both host and device access: shared, or managed if the GPU has its
	// own memory.
	HostVisible Intent = iota
	// DeviceOnly is for data that the host never accesses: private.
	DeviceOnly
	// Intermediate is for data passed from one kernel to the next: private.
	Intermediate
	// Staging is for data that the host writes once and the device reads once: shared and
	// write-combined. The host must not read it.
	Staging
	// Readback is for results that the host reads: shared.
	Readback
)

// String returns the intent's name.
func (i Intent) String() string {
	switch i {
	case HostVisible:
		return "host visible"
	case DeviceOnly:
		return "device only"
	case Intermediate:
		return "intermediate"
	case Staging:
		return "staging"
	case Readback:
		return "readback"
	}
	return fmt.Sprintf("Intent(%d)", uint8(i))
}

// BufferOptions configures a buffer. Zero options mean a host-visible buffer.
type BufferOptions struct {
	Label  string
	Intent Intent
	// Storage, if not nil, overrides the intent's storage mode. Memoryless buffers do not exist in
	// Metal, and managed ones do not exist on devices with unified memory: both are errors wrapping
	// [ErrStorage].
	Storage *mtl.StorageMode
	// Relocatable lets [Accelerator.Defragment] move the buffer to other memory while no work uses it.
	// [Buffer.Data], [Buffer.Address], [Buffer.Metal] and [LinearTexture] expose its location: the
	// first call of any of them pins the buffer until Close. On a GPU with its own memory,
	// host-visible memory does not come from heaps and therefore never moves.
	Relocatable bool
	// HostCopy keeps the contents in the host's memory as well, on an accelerator of package
	// resilience; elsewhere it is an error wrapping [ErrOption]. It takes twice the buffer's size. The
	// buffer survives a lost device, and commands that write it can be repeated.
	HostCopy bool
}

// resourceOptions returns Metal's options for the buffer.
func (o BufferOptions) resourceOptions(unified bool) (mtl.ResourceOptions, error) {
	if o.Intent > Readback {
		return 0, fmt.Errorf("compute: buffer %q: %v: %w", o.Label, o.Intent, ErrOption)
	}
	mode, cache := mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache
	switch o.Intent {
	case DeviceOnly, Intermediate:
		mode = mtl.StorageModePrivate
	case Staging:
		cache = mtl.CPUCacheModeWriteCombined
	case HostVisible:
		if !unified {
			mode = mtl.StorageModeManaged
		}
	}
	if o.Storage != nil {
		mode = *o.Storage
	}
	switch {
	case mode == mtl.StorageModeMemoryless:
		return 0, fmt.Errorf("compute: buffer %q: memoryless storage is only for render pass textures: %w", o.Label,
			ErrStorage)
	case mode == mtl.StorageModeManaged && unified:
		return 0,
			fmt.Errorf("compute: buffer %q: managed storage is only for GPUs with their own memory; use shared storage: %w",
				o.Label, ErrStorage)
	case mode > mtl.StorageModeMemoryless:
		return 0, fmt.Errorf("compute: buffer %q: %v: %w", o.Label, mode, ErrStorage)
	case mode == mtl.StorageModePrivate:
		cache = mtl.CPUCacheModeDefaultCache
	}
	// Streams order their own work with barriers and fences, at the granularity of buffer ranges, so
	// Metal need not track whole resources.
	return mtl.MakeResourceOptions(mode, cache, mtl.HazardTrackingModeUntracked), nil
}

package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/mtl"
)

// Intent is the purpose of a buffer; it determines the storage mode, together with whether CPU and
// GPU share memory.
type Intent uint8

const (
	// HostVisible is for data that host and device access: shared, or managed if the GPU has memory
	// of its own.
	HostVisible Intent = iota
	// DeviceOnly is for data that the host never accesses: private.
	DeviceOnly
	// Intermediate is for data passed from one kernel to the next: private.
	Intermediate
	// Staging is for data that the host writes once and the device reads once: shared and
	// write-combined, which the host must not read.
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

// BufferOptions configures a buffer. Zero options make a host-visible one.
type BufferOptions struct {
	Label  string
	Intent Intent
	// Storage overrides the intent's storage mode unless it is nil. Metal has no memoryless
	// buffers, and no managed ones on a device that shares the host's memory: both are errors
	// wrapping [ErrStorage].
	Storage *mtl.StorageMode
	// Relocatable lets [Accelerator.Defragment] move the buffer to other memory while no work uses
	// it. [Buffer.Data], [Buffer.Address] and [Buffer.Metal] give its place away: the first call of
	// one of them keeps the buffer where it is until Close. On a GPU with memory of its own, memory
	// that the host sees does not come from heaps, and so does not move.
	Relocatable bool
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
		return 0, fmt.Errorf("compute: buffer %q: memoryless storage is for textures of render passes only: %w", o.Label,
			ErrStorage)
	case mode == mtl.StorageModeManaged && unified:
		return 0, fmt.Errorf("compute: buffer %q: managed storage is for devices with memory of their own: %w", o.Label,
			ErrStorage)
	case mode > mtl.StorageModeMemoryless:
		return 0, fmt.Errorf("compute: buffer %q: %v: %w", o.Label, mode, ErrStorage)
	case mode == mtl.StorageModePrivate:
		cache = mtl.CPUCacheModeDefaultCache
	}
	// Streams order their own work with barriers and fences, by range of buffer: Metal need not
	// track whole resources.
	return mtl.MakeResourceOptions(mode, cache, mtl.HazardTrackingModeUntracked), nil
}

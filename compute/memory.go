package compute

import (
	"errors"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
)

// accelerator returns the accelerator that the memory belongs to.
func acceleratorOf(m *stream.Memory) *Accelerator { return m.Acc.Accelerator.(*Accelerator) }

// newMemory rents memory from the pool. Its contents are undefined.
func (a *Accelerator) newMemory(length uint, o BufferOptions) (*stream.Memory, error) {
	options, err := o.resourceOptions(a.info.Limits.UnifiedMemory)
	if err != nil {
		return nil, err
	}
	if a.core.Gone.Load() && options.StorageMode() != mtl.StorageModeShared {
		return a.newHostMemory(length, o, options.StorageMode())
	}
	kind := pool.Kind{Storage: options.StorageMode(), Cache: options.CPUCacheMode(), Hazards: options.HazardTrackingMode()}
	m := &stream.Memory{Length: length, Stored: uint8(kind.Storage), Label: o.Label}
	if o.Relocatable {
		place := &stream.Relocation{}
		m.NeedExtra().Place = place
		return m, a.core.Register(m, func() (err error) {
			if place.Block, err = a.pool.RentRelocatable(length, kind); err != nil {
				return err
			}
			return place.Block.SetLabel(m.Label)
		})
	}
	return m, a.core.Register(m, func() (err error) {
		if m.Block, err = a.pool.Rent(length, kind); err != nil {
			return err
		}
		if m.Buffer, err = m.Block.Buffer(); err == nil && a.core.Exact {
			client.Send(&extension.SetUsedLength, m.Buffer.ID(), uintptr(length))
		}
		return errors.Join(err, m.Block.SetLabel(m.Label))
	})
}

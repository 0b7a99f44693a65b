package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/pool"
)

// WithPool configures the buffer pool: how long it keeps idle memory, and the watermarks above
// which it keeps none and finally allocates none. See [pool.Options].
func WithPool(o pool.Options) Option {
	return func(c *config) error {
		c.poolOptions = o
		return nil
	}
}

// newPool makes the accelerator's pool.
func (a *Accelerator) newPool() (err error) {
	o := a.poolOptions
	if o.Now == nil {
		o.Now = a.now
	}
	if a.pool, err = pool.New(a.device, o); errors.Is(err, pool.ErrOptions) {
		return fmt.Errorf("WithPool: %w: %w", ErrOption, err)
	}
	return err
}

// Collect releases all idle memory of the pool to the device. [Accelerator.Trim] releases only
// memory that has been idle for a long time.
func (a *Accelerator) Collect() {
	if !a.missing() {
		a.pool.Collect()
	}
}

// Defragment moves idle relocatable buffers ([BufferOptions]) out of nearly empty heaps and
// releases those heaps, until maxBytes have been copied; 0 means 64 MiB. The Fragmentation figure
// of [Accelerator.Memory] shows whether this is worthwhile. Defragment waits only for its own
// copies, and other calls proceed meanwhile. A command that uses a buffer while it is being copied
// does not wait either: that copy is discarded and the buffer stays where it was. See
// [pool.Pool.Defragment].
func (a *Accelerator) Defragment(ctx context.Context, maxBytes uint) (pool.Defragmented, error) {
	if err := stream.CheckCall(ctx, "accelerator: Defragment", a.missing()); err != nil {
		return pool.Defragmented{}, err
	}
	if err := a.beginCall(); err != nil {
		return pool.Defragmented{}, err
	}
	defer a.core.Calls.Done()
	d, err := a.pool.Defragment(ctx, maxBytes)
	if err != nil {
		return d, fmt.Errorf("compute: accelerator %s: %w", a.info.Name, err)
	}
	return d, nil
}

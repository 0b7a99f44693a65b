package compute

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/mtl"
)

// AnyBuffer is a *[Buffer] of any type.
type AnyBuffer interface {
	asArgument() (v view, element reflect.Type, readOnly bool)
}

// uses names buffers that a kernel reaches through pointers.
type uses struct {
	buffers []AnyBuffer
	writes  bool
}

// Reads is an argument of launches that fills no parameter: it names buffers that the kernel reads through pointers in other buffers, "bindless", which neither
// Metal nor this package could know of. They are resident while the kernel runs, live as long, and are waited for like arguments. [Buffer.Address]
// has the pointers.
func Reads(buffers ...AnyBuffer) any { return uses{buffers, false} }

// Writes is [Reads] for buffers that the kernel writes, or reads and writes.
func Writes(buffers ...AnyBuffer) any { return uses{buffers, true} }

// Address returns where the buffer begins in the device's memory: what stands for a pointer in a structure that a kernel reads. It is valid until Close, and
// the launch must name the buffer by [Reads] or [Writes].
func (b *Buffer[T]) Address() (uint64, error) {
	m := b.owner.mem
	if err := m.open(); err != nil {
		return 0, err
	}
	return m.buffer.GPUAddress() + uint64(b.offset), nil
}

// arguments checks the buffers, as the n-th argument of a launch.
func (u uses) arguments(k *Kernel, n int) (list []argument, err error) {
	for i, b := range u.buffers {
		a := argument{kind: OtherParameter, writes: u.writes}
		readOnly := false
		switch {
		case b == nil || reflect.ValueOf(b).IsNil():
			err = errors.New("nil buffer")
		default:
			if a.view, _, readOnly = b.asArgument(); a.view.mem.acc != k.acc {
				err = fmt.Errorf("%v %w", a.view.mem, ErrAccelerator)
			} else if readOnly && u.writes {
				err = fmt.Errorf("%v is read only, and the kernel writes it: %w", a.view.mem, ErrStorage)
			}
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.name, Argument: fmt.Sprintf("argument %d, used buffer %d", n, i), Err: err}
		}
		list = append(list, a)
	}
	return list, nil
}

// usage is what Metal is told of a buffer that is reached through pointers.
func (a *argument) usage() mtl.ResourceUsage {
	if a.writes {
		return mtl.ResourceUsageRead | mtl.ResourceUsageWrite
	}
	return mtl.ResourceUsageRead
}

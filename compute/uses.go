package compute

import (
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/mtl"
)

// AnyBuffer is a *[Buffer] of any type.
type AnyBuffer interface {
	missing() bool
	asArgument() (v view, element reflect.Type, readOnly bool)
}

// uses lists buffers that a kernel accesses through pointers.
type uses struct {
	buffers []AnyBuffer
	writes  bool
}

// Reads is a launch argument that fills no parameter. It lists "bindless" buffers, which the kernel
// reads through pointers stored in other buffers, and which neither Metal nor this package would
// otherwise know about. They are made resident and kept alive while the kernel runs, and launches
// are ordered by them as by ordinary arguments. [Buffer.Address] returns the pointer to a buffer.
func Reads(buffers ...AnyBuffer) any { return uses{buffers, false} }

// Writes is like [Reads], for buffers that the kernel writes, or both reads and writes.
func Writes(buffers ...AnyBuffer) any { return uses{buffers, true} }

// Address returns the buffer's address in device memory, to be stored as a pointer in a structure
// that a kernel reads. It is valid until Close. The launch must list the buffer in [Reads] or
// [Writes].
func (b *Buffer[T]) Address() (uint64, error) {
	if b.missing() {
		return 0, nilError("buffer: Address")
	}
	m := b.owner.mem
	if err := m.stay(); err != nil {
		return 0, err
	}
	return m.buffer.GPUAddress() + uint64(b.offset), nil
}

// arguments checks the buffers, which are argument n of a launch.
func (u uses) arguments(k *Kernel, n int) (list []argument, err error) {
	for i, b := range u.buffers {
		a := argument{kind: OtherParameter, writes: u.writes}
		readOnly := false
		switch {
		case b == nil || b.missing():
			err = ErrNil
		default:
			if a.view, _, readOnly = b.asArgument(); a.view.mem.acc != k.acc {
				err = fmt.Errorf("%v %w", a.view.mem, ErrAccelerator)
			} else if readOnly && u.writes {
				err = fmt.Errorf("%v is read-only, but Writes lists it: %w", a.view.mem, ErrStorage)
			}
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.name, Argument: fmt.Sprintf("argument %d, listed buffer %d", n, i), Err: err}
		}
		list = append(list, a)
	}
	return list, nil
}

// usage is the Metal resource usage of a buffer that is accessed through pointers.
func (a *argument) usage() mtl.ResourceUsage {
	if a.writes {
		return mtl.ResourceUsageRead | mtl.ResourceUsageWrite
	}
	return mtl.ResourceUsageRead
}

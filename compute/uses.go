package compute

import (
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// AnyBuffer is a *[Buffer] of any type.
type AnyBuffer interface {
	missing() bool
	asArgument() (v stream.View, element reflect.Type, readOnly bool)
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
		return 0, stream.NilError("buffer: Address")
	}
	m := b.owner.Mem
	if err := m.Stay(); err != nil {
		return 0, err
	}
	m.AddressTaken()
	return m.Buffer.GPUAddress() + uint64(b.offset), nil
}

// arguments checks the buffers, which are argument n of a launch.
func (u uses) arguments(k *Kernel, n int) (list []stream.Argument, err error) {
	for i, b := range u.buffers {
		a := stream.Argument{Kind: stream.OtherParameter, Writes: u.writes}
		readOnly := false
		switch {
		case b == nil || b.missing():
			err = ErrNil
		default:
			if a.View, _, readOnly = b.asArgument(); a.View.Mem.Acc != &k.acc.core {
				err = fmt.Errorf("%v %w", a.View.Mem, ErrAccelerator)
			} else if readOnly && u.writes {
				err = fmt.Errorf("%v is read-only, but Writes lists it: %w", a.View.Mem, ErrStorage)
			}
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: fmt.Sprintf("argument %d, listed buffer %d", n, i), Err: err}
		}
		list = append(list, a)
	}
	return list, nil
}

// overwrites lists buffers and textures that a command overwrites.
type overwrites []any

// Overwrites is like [Writes], for buffers and textures that the command overwrites completely and
// does not read. They may be among the arguments of a launch, or be parts of those: then the launch
// writes nothing else of their memory, and reads none of it.
//
// This matters once work has failed. What a kernel may write counts as read as well, since it may
// leave some of it as it is: so a launch that succeeds does not make up for one that failed, and
// [Buffer.Download] goes on returning that failure, unless the launch has Overwrites.
func Overwrites(memory ...any) any { return overwrites(memory) }

// argument checks an item of the list, and returns it as an argument of a launch.
func (o overwrites) argument(acc *Accelerator, item any) (a stream.Argument, err error) {
	a = stream.Argument{Kind: stream.OtherParameter, Writes: true, Overwrites: true}
	readOnly := false
	switch m := item.(type) {
	case AnyBuffer:
		if reflect.ValueOf(m).IsNil() {
			return a, ErrNil
		}
		a.View, _, readOnly = m.asArgument()
	case AnyTexture:
		t := m.asTexture()
		if t == nil {
			return a, ErrNil
		}
		a.Texture, a.Cell, a.View, a.Partial, readOnly = t.metal.Texture, t.metal, t.place, t.partial, t.readOnly
	default:
		return a, fmt.Errorf("a %T; want a buffer or a texture: %w", item, ErrOption)
	}
	switch {
	case a.View.Mem == nil:
		return a, ErrNil
	case a.View.Mem.Acc != &acc.core:
		return a, fmt.Errorf("%v %w", a.View.Mem, ErrAccelerator)
	case readOnly:
		return a, fmt.Errorf("%v is read-only, but Overwrites lists it: %w", a.View.Mem, ErrStorage)
	}
	return a, nil
}

// arguments checks the list, which is argument n of a launch.
func (o overwrites) arguments(k *Kernel, n int) (list []stream.Argument, err error) {
	for i, item := range o {
		a, err := o.argument(k.acc, item)
		if err != nil {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: fmt.Sprintf("argument %d, listed item %d", n, i), Err: err}
		}
		list = append(list, a)
	}
	return list, nil
}

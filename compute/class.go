package compute

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Class says what kind of failure an error is, and so what can be done about it. Package resilience
// has a strategy for each.
type Class uint8

// The classes, from [ClassOf].
const (
	ClassNone        Class = iota // no error
	ClassInvalid                  // the program's mistake: the same call fails again
	ClassCanceled                 // a context ended
	ClassTransient                // the device refused for now: it may succeed later
	ClassOutOfMemory              // of the device
	ClassTimeout                  // the device stopped a kernel that ran too long
	ClassPageFault                // a kernel accessed an unmapped address
	ClassDeviceLost               // the device is gone, with the contents of its memory
	ClassInternal                 // the driver failed for a reason that it does not tell
	classes
)

// String returns the class in lower case: "out of memory".
func (c Class) String() string {
	names := [classes]string{"none", "invalid use", "canceled", "transient", "out of memory", "timeout", "page fault",
		"device lost", "internal"}
	if c < classes {
		return names[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// ClassOf returns the class of an error of this package, or of the packages below it. Of several
// joined errors, the one that affects most decides: a lost device before memory, memory before a
// single command buffer.
func ClassOf(err error) Class {
	is := func(kinds ...error) bool {
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return ClassNone
	case is(ErrDeviceLost):
		return ClassDeviceLost
	case is(ErrOutOfMemory, mtl.ErrMemory):
		return ClassOutOfMemory
	case is(ErrTimeout):
		return ClassTimeout
	case is(ErrPageFault):
		return ClassPageFault
	case is(mtl.CommandBufferErrorInvalidResource, mtl.CommandBufferErrorStackOverflow):
		return ClassInvalid
	case is(mtl.CommandBufferErrorNotPermitted, ErrBusy):
		return ClassTransient // the process may be in the background
	case is(ErrCanceled):
		return ClassCanceled
	case is(ErrExecution):
		return ClassInternal
	case is(ErrInvalidLaunch, ErrClosed, ErrCompile, ErrNoKernel, ErrGridSync, ErrLayout, ErrRange, ErrStorage,
		ErrAccelerator, ErrNil, ErrOption, ErrNoDevice, ErrSoftware, ErrCapture, stream.ErrGraph, ErrParts):
		return ClassInvalid
	}
	return ClassInternal
}

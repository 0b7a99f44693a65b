package compute

import (
	"errors"
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Kinds of error. Returned errors wrap one of them: test with errors.Is.
var (
	// ErrNoDevice: no device meets the options of [Open].
	ErrNoDevice = mtl.ErrNoDevice
	// ErrSoftware: there is only the software device, and [RequireHardware] rejects it.
	ErrSoftware = errors.New("the device is software")
	// ErrClosed: the accelerator, stream, buffer, kernel or event is closed.
	ErrClosed = stream.ErrClosed
	// ErrOutOfMemory: the device is out of memory, or the program's limit is reached.
	ErrOutOfMemory = stream.ErrOutOfMemory
	// ErrTimeout: the device stopped a kernel that ran too long.
	ErrTimeout = errors.New("kernel ran too long")
	// ErrCanceled: a context ended the call or the work. The error also wraps ctx.Err() and
	// context.Cause(ctx). Only an *[ExecutionError] says that work was stopped or did not run: a wait
	// whose own context ends leaves the work alone.
	ErrCanceled = stream.ErrCanceled
	// ErrDeviceLost: the device was removed, and the contents of its memory are lost.
	ErrDeviceLost = errors.New("device lost")
	// ErrPageFault: a kernel accessed an unmapped address.
	ErrPageFault = errors.New("page fault")
	// ErrExecution: a command buffer failed for any other reason.
	ErrExecution = stream.ErrExecution
	// ErrInvalidLaunch: the arguments, the grid or the threadgroup do not fit the kernel; a
	// *[LaunchError] has the details.
	ErrInvalidLaunch = errors.New("invalid launch")
	// ErrCompile: source does not compile; a *[CompileError] has the diagnostics.
	ErrCompile = errors.New("source does not compile")
	// ErrNoKernel: the program has no kernel of that name.
	ErrNoKernel = errors.New("no such kernel")
	// ErrGridSync: a kernel synchronizes the whole grid in control flow that is not the same for all
	// of its threads, and the error has the place; or such a kernel is launched by other means than
	// [Stream.LaunchCooperative].
	ErrGridSync = errors.New("the kernel cannot synchronize the grid")
	// ErrLayout: a Go type's memory layout differs from the kernel's type; a *[LayoutError] names
	// the field.
	ErrLayout = errors.New("memory layout differs")
	// ErrRange: an index, offset or length is out of range.
	ErrRange = stream.ErrRange
	// ErrStorage: the buffer's storage mode does not allow the call.
	ErrStorage = stream.ErrStorage
	// ErrAccelerator: objects of different accelerators are used together.
	ErrAccelerator = stream.ErrAccelerator
	// ErrNil: a handle is nil or the zero value of its type, which no function of this package made;
	// or another argument must not be nil.
	ErrNil = stream.ErrNil
	// ErrStaysOpen: the context of a Close has ended before the work. Close may be called again.
	ErrStaysOpen = errors.New("stays open")
	// ErrBusy: another call on the device must end first.
	ErrBusy = errors.New("busy")
	// ErrCapture: a stream that is being captured does not allow the call.
	ErrCapture = errors.New("not possible during a capture")
	// ErrOption: an option's value is invalid.
	ErrOption = errors.New("bad option")
)

// LaunchError is the error of a launch that was rejected before anything was sent to the device. It
// wraps [ErrInvalidLaunch] and Err.
type LaunchError struct {
	Kernel   string
	Argument string // "buffer 2 (out)", "" for the grid
	Err      error
}

// Error names the kernel, the argument and the reason.
func (e *LaunchError) Error() string {
	at := e.Kernel
	if e.Argument != "" {
		at += ": " + e.Argument
	}
	return fmt.Sprintf("compute: launch of %s: %v", at, e.Err)
}

// Unwrap returns ErrInvalidLaunch and the reason.
func (e *LaunchError) Unwrap() []error { return []error{ErrInvalidLaunch, e.Err} }

// CompileError is the error of source that does not compile. It wraps [ErrCompile] and Metal's
// error.
type CompileError struct {
	Name        string // the program's name in [CompileOptions]
	Diagnostics []mtl.Diagnostic
	Err         error
}

// Error lists the errors, one per line.
func (e *CompileError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "compute: %s does not compile", e.Name)
	n := 0
	for _, d := range e.Diagnostics {
		if d.Severity >= mtl.SeverityError {
			fmt.Fprintf(&b, "\n%v", d)
			n++
		}
	}
	if n == 0 {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns ErrCompile and Metal's error.
func (e *CompileError) Unwrap() []error { return []error{ErrCompile, e.Err} }

// ExecutionError is the error of a command buffer that failed. It wraps its kind ([ErrTimeout],
// [ErrCanceled], [ErrDeviceLost], [ErrPageFault], [ErrOutOfMemory] or [ErrExecution]) and Metal's
// error, an *[mtl.CommandError], or the error of a launch on the CPU. What the command buffer was
// to write is undefined until it is overwritten: see [Overwrites].
type ExecutionError struct {
	Stream   string   // the stream's label
	Encoder  string   // the label of the faulted encoder, "" if Metal names none
	Commands []string // the last commands of that encoder, or else of the command buffer, with call sites
	Before   []string // earlier commands of the stream, oldest first; see [WithHistory]
	Kind     error
	Err      error
}

// Error names the stream, Metal's error, the commands that were in progress and those before them.
func (e *ExecutionError) Error() string {
	text := fmt.Sprintf("compute: stream %s: %v: %v; in progress: %s", e.Stream, e.Kind, e.Err,
		strings.Join(e.Commands, ", "))
	if len(e.Before) > 0 {
		text += "; before: " + strings.Join(e.Before, ", ")
	}
	return text
}

// Unwrap returns the kind and Metal's error.
func (e *ExecutionError) Unwrap() []error { return []error{e.Kind, e.Err} }

// kindOf returns the kind of a failure by the error of Metal or of a launch on the CPU.
func kindOf(err error) error {
	for _, kind := range []error{ErrTimeout, ErrOutOfMemory} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	for _, k := range []struct {
		code mtl.CommandBufferError
		kind error
	}{
		{mtl.CommandBufferErrorTimeout, ErrTimeout},
		{mtl.CommandBufferErrorPageFault, ErrPageFault},
		{mtl.CommandBufferErrorOutOfMemory, ErrOutOfMemory},
		{mtl.CommandBufferErrorDeviceRemoved, ErrDeviceLost},
		{mtl.CommandBufferErrorAccessRevoked, ErrDeviceLost},
	} {
		if errors.Is(err, k.code) {
			return k.kind
		}
	}
	return ErrExecution
}

package compute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/mtl"
)

// Kinds of error. Returned errors wrap one of them: test with errors.Is.
var (
	// ErrNoDevice: no device meets the options of [Open].
	ErrNoDevice = mtl.ErrNoDevice
	// ErrSoftware: there is only the software device, and [RequireHardware] rejects it.
	ErrSoftware = errors.New("the device is software")
	// ErrClosed: the accelerator, stream, buffer, kernel or event is closed.
	ErrClosed = errors.New("closed")
	// ErrOutOfMemory: the device is out of memory, or the program's limit is reached.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrTimeout: the device stopped a kernel that ran too long.
	ErrTimeout = errors.New("kernel ran too long")
	// ErrCanceled: a context ended the call or the work. The error also wraps ctx.Err() and
	// context.Cause(ctx). Only an *[ExecutionError] says that work was stopped or did not run: a wait
	// whose own context ends leaves the work alone.
	ErrCanceled = errors.New("canceled")
	// ErrDeviceLost: the device was removed, and the contents of its memory are lost.
	ErrDeviceLost = errors.New("device lost")
	// ErrPageFault: a kernel accessed an unmapped address.
	ErrPageFault = errors.New("page fault")
	// ErrExecution: a command buffer failed for any other reason.
	ErrExecution = errors.New("execution failed")
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
	ErrRange = errors.New("out of range")
	// ErrStorage: the buffer's storage mode does not allow the call.
	ErrStorage = errors.New("wrong storage mode")
	// ErrAccelerator: objects of different accelerators are used together.
	ErrAccelerator = errors.New("belongs to another accelerator")
	// ErrNil: a handle is nil or the zero value of its type, which no function of this package made;
	// or another argument must not be nil.
	ErrNil = errors.New("nil or zero argument")
	// ErrStaysOpen: the context of a Close has ended before the work. Close may be called again.
	ErrStaysOpen = errors.New("stays open")
	// ErrBusy: another call on the device must end first.
	ErrBusy = errors.New("busy")
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

// contextError is the error of a wait that ended because its context did.
func contextError(ctx context.Context, what string) error {
	return fmt.Errorf("compute: waiting for %s: %w", what, canceledBy(ctx))
}

// canceledError is the end of a context, as an error that wraps all of ErrCanceled.
type canceledError struct{ cause, err error }

// canceledBy returns the error of what a context that has ended puts an end to.
func canceledBy(ctx context.Context) error { return &canceledError{context.Cause(ctx), ctx.Err()} }

func (e *canceledError) Error() string   { return e.cause.Error() }
func (e *canceledError) Unwrap() []error { return []error{ErrCanceled, e.cause, e.err} }

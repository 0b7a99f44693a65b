package stream

import (
	"context"
	"errors"
	"fmt"
)

// The packages above compute that record commands of their own reach what they need of compute's
// types by this file alone. Package compute sets the functions when it opens the first accelerator;
// until then there are no handles but missing ones. Each is given a pointer of the type that it
// names.
var (
	// DeviceOf returns that of a *compute.Accelerator, nil for a missing one.
	DeviceOf = func(accelerator any) *Device { return nil }
	// KernelOf returns that of a *compute.Kernel, nil for a missing one.
	KernelOf = func(kernel any) *Kernel { return nil }
	// LaunchOf returns that of a *compute.Launch that Bind returned.
	LaunchOf func(launch any) *Launch
	// BufferOf returns the range of a *compute.Buffer; its memory is nil for a missing one.
	BufferOf = func(buffer any) View { return View{} }
	// QueueOf returns that of a *compute.Stream, nil for a missing one.
	QueueOf = func(stream any) Queue { return nil }
	// NewRecorder makes a *compute.Stream that gives its commands to a capture and runs nothing.
	NewRecorder func(accelerator any, label string, to *Capture) any
	// EachAccess calls add for each buffer in a list of compute.Reads, Writes and Overwrites.
	EachAccess func(d *Device, access []any, add func(RangeAccess) error) error
	// LaunchError makes a *compute.LaunchError.
	LaunchError func(k *Kernel, argument string, err error) error
	// BindlessOf returns the form of a *compute.Kernel that takes its textures and samplers from
	// buffers. It compiles the program again if there are any.
	BindlessOf func(ctx context.Context, kernel any) (Bindless, error)
	// CompileSource compiles the translation of what read returns, with a *compute.Accelerator and
	// compute.CompileOptions, to a *compute.Program.
	CompileSource func(ctx context.Context, accelerator, options any, read func() (*Source, error)) (any, error)
	// Refresh fills memory from its host copy, if that is newer.
	Refresh func(ctx context.Context, m *Memory) error
	// Missing reports whether a value is a missing handle of compute.
	Missing = func(handle any) bool { return true }
	// Ordinary refuses a kernel that needs a cooperative launch.
	Ordinary func(k *Kernel) error
)

// Source is a program in another language than Metal that is not one text.
type Source struct {
	Sum  []byte // identifies it and its options, for the cache
	Size int    // in bytes
	// Translate returns a *translate.Result.
	Translate func(ctx context.Context) (any, error)
}

// ErrNoTranslator is the error of a translation in a build with the tag puremetal_nosoftware.
func ErrNoTranslator() error {
	return fmt.Errorf("languages other than Metal take this module's compiler, which was left out "+
		"by the build tag puremetal_nosoftware: %w", errors.ErrUnsupported)
}

// Bindless is a kernel that takes its textures and samplers from buffers.
type Bindless interface {
	// Kernel returns the kernel in this form: itself if it has neither.
	Kernel() *Kernel
	// Handle returns the index of the buffer for a texture or sampler, and the kind of texture.
	Handle(kind ParameterKind, index uint) (buffer uint, texture uint32, ok bool)
	// Launch returns a *compute.Launch in this form: handles are arguments by value, and the textures
	// and samplers are listed besides.
	Launch(launch, grid any) (*Launch, error)
}

// Queue is a *compute.Stream.
type Queue interface {
	Device() *Device
	Label() string
	// Capture takes the commands, nil for none. Set replaces one by another, or fails.
	Capture() *Capture
	SetCapture(old, next *Capture) bool

	// Record adds a command, whose uses have been counted. On an error, it ends the uses.
	Record(ctx context.Context, w Work) error
	// RecordAll does so with commands between which there is no other, and returns the number of the
	// last one.
	RecordAll(ctx context.Context, works []Work) (uint64, error)
	// Launch records a *compute.Launch, for the program's call at site.
	Launch(ctx context.Context, launch any, site uintptr) error
	// Share makes the commands of a call share the budget of compute.WithWorkBudget.
	Share(works []Work)
	// WaitNumber waits until a command has ended.
	WaitNumber(ctx context.Context, number uint64, what string) error

	// RecordEvent and WaitFor record a *compute.Event and a wait for one. If there is room in the
	// stream, they succeed even if ctx has ended.
	RecordEvent(ctx context.Context, event any) error
	WaitFor(ctx context.Context, event any) error
}

// Capture takes the commands of a stream, for a graph.
type Capture struct {
	Graph any // what takes them

	// Add takes commands, whose uses have been counted, and ends the uses.
	Add func(works []Work) error
	// Launch takes a launch: a *compute.Kernel, a compute.Grid, the arguments and the program's call.
	Launch func(kernel, grid any, args []any, site uintptr) error
	// Given takes a command with arguments that must stay reachable.
	Given func(w Work, args []any) error
	// Refuse makes the error of a call that cannot be captured.
	Refuse func(what string) error
}

// Package observe has the events of an accelerator that metrics, profiles and logs are made of. An
// [Observer] gets them; compute.WithObserver and compute.Accelerator.Observe add one.
//
// The tests that each event occurs and is complete are in package compute, the other ones in the
// packages that use events: profile, resilience, telemetry.
package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/pool"
)

// Observer receives the events of an accelerator: a struct of callbacks, of which any may be nil.
// Metrics, traces and logs are built on it; see package telemetry.
//
// What causes the event waits for a callback, often with a lock held, which keeps the events of a
// stream in order. So it must be quick, must not block, and must not call methods of the
// accelerator, its streams or its buffers. Callbacks of different streams run concurrently. One
// that panics or ends its goroutine is a *compute.PanicError, which is logged; the next
// compute.Stream.Sync returns it, for events without a stream that of compute.Accelerator.Sync. An
// accelerator without observers pays one atomic load per event.
type Observer struct {
	// Record: a stream has accepted a command.
	Record func(RecordEvent)
	// Encode: the commands of a command buffer have been encoded, or could not be. It precedes the
	// buffer's Commit.
	Encode func(EncodeEvent)
	// Commit: a command buffer goes to the device.
	Commit func(CommitEvent)
	// Complete: a command buffer has ended, with or without an error. It is also called for one that
	// could not be encoded and so was not committed, and for a launch on the CPU.
	Complete func(CompleteEvent)
	// Compile: the compiler has made a program, or the device a pipeline, or either has failed.
	Compile func(CompileEvent)
	// Cache: the kernel cache was asked for a program or a kernel.
	Cache func(CacheEvent)
	// Transfer: the host has uploaded or downloaded data, which it does without the device if the
	// memory allows.
	Transfer func(TransferEvent)
	// Rent: a buffer or texture was allocated, or could not be.
	Rent func(RentEvent)
	// Return: the memory of a buffer or texture was returned.
	Return func(ReturnEvent)
	// Pressure: the memory pressure has changed since the last allocation.
	Pressure func(PressureEvent)
	// Recover: a package above, such as compute/resilience, has done something about a failure.
	Recover func(RecoverEvent)
	// OperationStart and OperationEnd: see compute.Accelerator.Operation.
	OperationStart func(OperationEvent)
	OperationEnd   func(OperationEvent)
	// LaunchTimes asks for the device time of each launch, which slows the device down. If observers
	// ask for different ways, all get the last in the order of the constants.
	LaunchTimes LaunchTiming
}

// LaunchTiming is a way to measure launches one by one.
type LaunchTiming uint8

// The ways to measure launches.
const (
	// LaunchTimesOff measures command buffers only, which may have many launches.
	LaunchTimesOff LaunchTiming = iota
	// LaunchTimesByCounter gives each launch an encoder with timestamps at its boundaries, for
	// [CompleteEvent.Launches]. So launches of a command buffer do not overlap. A device that cannot
	// do this splits instead.
	LaunchTimesByCounter
	// LaunchTimesBySplit gives each launch, copy and fill a command buffer, whose times are the
	// command's. This costs more, and the times include what the device does for a command buffer.
	LaunchTimesBySplit
)

// String returns "off", "counters" or "split".
func (l LaunchTiming) String() string {
	switch l {
	case LaunchTimesOff:
		return "off"
	case LaunchTimesByCounter:
		return "counters"
	case LaunchTimesBySplit:
		return "split"
	}
	return fmt.Sprintf("LaunchTiming(%d)", uint8(l))
}

// CommandKind is the kind of a stream's command.
type CommandKind uint8

// The kinds of commands.
const (
	CommandLaunch   CommandKind = iota // of a kernel
	CommandCopy                        // between buffers or textures, by the device
	CommandHostCopy                    // upload or download by the host
	CommandFill
	CommandEvent    // record of an event, or a wait for one
	CommandCallback // a function of the program, called after the commands before it
	CommandEncode   // see compute.Stream.Encode
	CommandIndirect // execution or change of indirect commands, as in replays of graphs
	CommandFunction // a function of the host in a graph
	CommandFallback // a launch on the CPU; see compute.Stream.LaunchFallback
	commandKinds
)

// String returns the kind in lower case: "launch", "host copy".
func (k CommandKind) String() string {
	names := [commandKinds]string{"launch", "copy", "host copy", "fill", "event", "callback", "encode", "indirect",
		"function", "fallback"}
	if k < commandKinds {
		return names[k]
	}
	return fmt.Sprintf("CommandKind(%d)", uint8(k))
}

// RecordEvent is a command that a stream has accepted.
type RecordEvent struct {
	Ctx     context.Context // of the call; never nil
	At      time.Time
	Stream  StreamID
	Number  uint64 // of the command in its stream: 1, 2, ...; some numbers are not used
	Kind    CommandKind
	Kernel  string  // of a launch
	File    string  // of the kernel's name in the source, if the program is a translation; else ""
	Line    int     // likewise
	Threads uint64  // of a launch
	Bytes   uint64  // that the command copies or fills; of a launch, the total length of its buffers
	Site    uintptr // program counter of the call, for runtime.CallersFrames; 0 if unknown
	Depth   uint64  // commands of the stream that have not ended, with this one
}

// StreamID identifies a stream in events.
type StreamID struct {
	Number uint64 // unique among the objects of the accelerator
	Label  string
}

// String returns label and number.
func (s StreamID) String() string { return fmt.Sprintf("%q (%d)", s.Label, s.Number) }

// BufferID identifies a command buffer in events, and its commands.
type BufferID struct {
	Stream      StreamID
	Number      uint64 // of the command buffer in its stream: 1, 2, ...
	First, Last uint64 // numbers of its commands; some numbers between are not used
	Commands    int
}

// EncodeEvent is a command buffer that has been encoded.
type EncodeEvent struct {
	Buffer   BufferID
	Start    time.Time
	Took     time.Duration
	Encoders int
	Barriers int
	Err      error // nil if it will be committed
}

// CommitEvent is a command buffer that goes to the device.
type CommitEvent struct {
	Buffer BufferID
	At     time.Time
}

// CompleteEvent is a command buffer that has ended.
type CompleteEvent struct {
	Buffer BufferID
	At     time.Time // when the host was notified
	// DeviceStart and DeviceEnd are when the device executed the command buffer, in seconds of the
	// device's clock; both are 0 if it gives no times, as after some failures. On Apple's devices the
	// clock is that of mach_absolute_time.
	DeviceStart, DeviceEnd float64
	// Launches has the times of single launches with [LaunchTimesByCounter], as far as the device
	// took them, in the order of Number.
	Launches []LaunchTime
	Err      error // an *compute.ExecutionError, or nil
}

// LaunchTime is when the device executed a launch.
type LaunchTime struct {
	Number     uint64  // of the command in its stream
	Start, End float64 // as in [CompleteEvent]
}

// CompileEvent is a program or pipeline that has been made.
type CompileEvent struct {
	Ctx     context.Context
	Program string // name in compute.CompileOptions
	Kernel  string // of a pipeline; "" for a program
	Start   time.Time
	Took    time.Duration // with access to the disk cache
	Err     error
}

// CacheEvent is a request to the kernel cache.
type CacheEvent struct {
	Program, Kernel string // as in CompileEvent
	Hit             bool   // found in memory, or being made; else Compile was or will be called
}

// TransferEvent is an upload or download that the host has done.
type TransferEvent struct {
	Ctx    context.Context // of the call; nil for the copies of [CommandHostCopy]
	Start  time.Time
	Took   time.Duration // with the wait for work that used the memory, except of a CommandHostCopy
	Bytes  uint64
	Upload bool
	Label  string // of the buffer
	Err    error

	Stream StreamID // of a CommandHostCopy
	Number uint64   // of that command; 0 for other transfers
}

// RentEvent is an allocation of a buffer or texture.
type RentEvent struct {
	At        time.Time
	Label     string
	Bytes     uint64
	Texture   bool
	Took      time.Duration
	Allocated uint64 // total of the accelerator's buffers and textures, with this one
	Err       error
}

// ReturnEvent is memory of a buffer or texture that has been returned.
type ReturnEvent struct {
	At        time.Time
	Label     string
	Bytes     uint64
	Texture   bool
	Allocated uint64 // without it
}

// PressureEvent is a change of the memory pressure.
type PressureEvent struct {
	At            time.Time
	Before, After pool.Pressure
	Allocated     uint64
}

// Recovery is what was done about a failure.
type Recovery uint8

// The kinds of recovery.
const (
	RecoveryRetry    Recovery = iota // the work is tried again
	RecoveryFallback                 // the work runs on the CPU, or on another device
	RecoveryReset                    // the device was reopened or replaced
	RecoveryOpen                     // a circuit breaker refuses work
	RecoveryProbe                    // a circuit breaker lets some work through as a test
	RecoveryClose                    // a circuit breaker lets all work through again
	RecoverySplit                    // a launch or batch was divided
	RecoveryThrottle                 // fewer commands run at once
	RecoveryRestore                  // a throttle was lifted
	RecoveryTrim                     // memory was released
	RecoveryRefuse                   // the work was refused
	recoveries
)

// String returns the kind in lower case: "retry".
func (r Recovery) String() string {
	names := [recoveries]string{"retry", "fallback", "reset", "open", "probe", "close", "split", "throttle", "restore",
		"trim", "refuse"}
	if r < recoveries {
		return names[r]
	}
	return fmt.Sprintf("Recovery(%d)", uint8(r))
}

// RecoverEvent is something that was done about a failure.
type RecoverEvent struct {
	Ctx     context.Context // never nil
	At      time.Time
	Kind    Recovery
	What    string // the kernel, stream or device
	Attempt int    // of a retry: 1 for the first
	Delay   time.Duration
	Details string // one line for people; "" for none
	Err     error  // the failure; nil for none
}

// OperationID identifies a running operation.
type OperationID struct {
	Name   string
	Number uint64 // unique in the process
	Parent uint64 // Number of the operation around it; 0 for none
}

// OperationEvent is the start or end of an operation.
type OperationEvent struct {
	Ctx context.Context // of the operation; never nil
	At  time.Time
	ID  OperationID
}

package mtl

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/objc"
)

// The reasons for refusing a call before anything is sent to Metal, which would raise an exception
// that ends the process. Returned errors wrap one of them; test with errors.Is. Most are a
// *[LimitError], which carries the values.
var (
	// ErrNoDevice: there is no Metal device, or none with that name or registry ID.
	ErrNoDevice = errors.New("no metal device")
	// ErrNil: the receiver is nil, or an argument that must not be.
	ErrNil = errors.New("nil object")
	// ErrClosed: the encoder has ended, or the command buffer is committed.
	ErrClosed = errors.New("already ended")
	// ErrOpen: an encoder of the command buffer is still open.
	ErrOpen = errors.New("still encoding")
	// ErrState: the object's state does not allow the call, such as waiting for a command buffer that
	// is not committed.
	ErrState = errors.New("wrong state")
	// ErrNoPipeline: a dispatch without a pipeline state.
	ErrNoPipeline = errors.New("no pipeline state set")
	// ErrIndex: an index is out of range.
	ErrIndex = errors.New("index out of range")
	// ErrOffset: an offset is beyond the end of a resource.
	ErrOffset = errors.New("offset out of range")
	// ErrLength: a length is zero, too large, or does not match.
	ErrLength = errors.New("length out of range")
	// ErrAlignment: an offset, length or address does not have the alignment that Metal requires.
	ErrAlignment = errors.New("misaligned")
	// ErrThreadgroupSize: a threadgroup has no threads, or more than the pipeline or the device
	// allows.
	ErrThreadgroupSize = errors.New("threadgroup size out of range")
	// ErrGridSize: a grid has no threads, or too many.
	ErrGridSize = errors.New("grid size out of range")
	// ErrThreadgroupMemory: more threadgroup memory than the device has.
	ErrThreadgroupMemory = errors.New("threadgroup memory out of range")
	// ErrMemory: an allocation is larger than the device allows, or memory has run out.
	ErrMemory = errors.New("memory limit exceeded")
	// ErrStorageMode: the resource's storage mode does not allow the call.
	ErrStorageMode = errors.New("wrong storage mode")
	// ErrRegion: a region is empty or beyond the edge of a texture.
	ErrRegion = errors.New("region out of range")
	// ErrOverlap: source and destination of a copy overlap.
	ErrOverlap = errors.New("source and destination overlap")
	// ErrNoFunction: the library has no function with that name.
	ErrNoFunction = errors.New("no such function")
	// ErrFunction: a function has the wrong type for the call.
	ErrFunction = errors.New("wrong function type")
	// ErrDevice: objects of different devices are used together, or the device is not one that the
	// call allows.
	ErrDevice = errors.New("objects of different devices")
	// ErrUnsupported: the device does not support what the call asks for.
	ErrUnsupported = errors.New("not supported by the device")
	// ErrValue: the value of an event would go backwards.
	ErrValue = errors.New("value out of order")
	// ErrArgument: an argument is invalid in a way that no other error describes.
	ErrArgument = errors.New("invalid argument")
)

// LimitError names the call that was refused, the value, and the limit that it violates.
type LimitError struct {
	Call  string // "-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]"
	What  string // what the value is: "index", "offset in bytes"
	Value uint64 // the value given
	Limit uint64 // the maximum, the minimum, the alignment or the exact value: Rule says which
	Rule  Rule
	Err   error // one of the errors above
}

// Rule is the relation that must hold between a value and a limit.
type Rule uint8

const (
	AtMost     Rule = iota // Value <= Limit
	AtLeast                // Value >= Limit
	MultipleOf             // Value % Limit == 0
	Exactly                // Value == Limit
)

// Error names the call, the value and the limit.
func (e *LimitError) Error() string {
	rule := map[Rule]string{AtMost: "at most", AtLeast: "at least", MultipleOf: "a multiple of",
		Exactly: "exactly"}[e.Rule]
	return fmt.Sprintf("mtl: %s: %v: %s is %d, want %s %d", e.Call, e.Err, e.What, e.Value, rule, e.Limit)
}

// Unwrap returns the sentinel error.
func (e *LimitError) Unwrap() error { return e.Err }

// check is a call whose arguments are being checked. Its methods return nil or an error that names
// the call, usually a *LimitError.
type check string

func (c check) atMost(what string, value, limit uint64, kind error) error {
	if value <= limit {
		return nil
	}
	return &LimitError{Call: string(c), What: what, Value: value, Limit: limit, Rule: AtMost, Err: kind}
}

func (c check) atLeast(what string, value, limit uint64, kind error) error {
	if value >= limit {
		return nil
	}
	return &LimitError{Call: string(c), What: what, Value: value, Limit: limit, Rule: AtLeast, Err: kind}
}

func (c check) multipleOf(what string, value, unit uint64) error {
	if unit == 0 || value%unit == 0 {
		return nil
	}
	return &LimitError{Call: string(c), What: what, Value: value, Limit: unit, Rule: MultipleOf, Err: ErrAlignment}
}

// within checks, without overflow, that [offset, offset+length) is inside a resource of size bytes.
func (c check) within(what string, offset, length, size uint64) error {
	switch { // descriptions are formatted only for errors: hot calls allocate nothing
	case offset > size:
		return c.atMost(what+" offset in bytes", offset, size, ErrOffset)
	case length > size-offset:
		return c.atMost(what+" length in bytes", length, size-offset, ErrLength)
	}
	return nil
}

// object checks that an object that Metal requires is not nil, and has not been released.
func (c check) object(what string, id objc.ID) error {
	if id.IsNil() {
		return fmt.Errorf("mtl: %s: %s: %w", string(c), what, ErrNil)
	}
	if err := objc.Live(id); err != nil {
		return fmt.Errorf("mtl: %s: %s: %w", string(c), what, err)
	}
	return nil
}

func (c check) fail(kind error, format string, args ...any) error {
	return fmt.Errorf("mtl: %s: %s: %w", string(c), fmt.Sprintf(format, args...), kind)
}

package mtl

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/objc"
)

// What a call can be refused for, before anything is sent to Metal: Metal answers these with an
// exception that ends the process. Returned errors wrap one of them; test with errors.Is. Most are
// a *[LimitError], which carries the values.
var (
	// ErrNoDevice: there is no Metal device, or none of that index or name.
	ErrNoDevice = errors.New("no metal device")
	// ErrNil: the receiver or an argument that must be an object is nil.
	ErrNil = errors.New("nil object")
	// ErrClosed: the encoder has ended, or the command buffer is committed.
	ErrClosed = errors.New("already ended")
	// ErrOpen: an encoder of the command buffer is still open.
	ErrOpen = errors.New("still encoding")
	// ErrState: the call does not fit what the object is doing, such as waiting for a buffer that is
	// not committed.
	ErrState = errors.New("wrong state")
	// ErrNoPipeline: a dispatch without a pipeline state.
	ErrNoPipeline = errors.New("no pipeline state set")
	// ErrIndex: an argument table index is out of range.
	ErrIndex = errors.New("index out of range")
	// ErrOffset: an offset is beyond the end of a resource.
	ErrOffset = errors.New("offset out of range")
	// ErrLength: a length is zero, or more than there is or may be.
	ErrLength = errors.New("length out of range")
	// ErrAlignment: an offset, length or address is not aligned as Metal wants it.
	ErrAlignment = errors.New("misaligned")
	// ErrThreadgroupSize: a threadgroup has no threads, or more than the pipeline or the device runs.
	ErrThreadgroupSize = errors.New("threadgroup size out of range")
	// ErrGridSize: a grid has no threads.
	ErrGridSize = errors.New("grid size out of range")
	// ErrThreadgroupMemory: more threadgroup memory than the device has.
	ErrThreadgroupMemory = errors.New("threadgroup memory out of range")
	// ErrMemory: an allocation is larger than the device allows.
	ErrMemory = errors.New("memory limit exceeded")
	// ErrStorageMode: the resource's storage mode does not allow the call.
	ErrStorageMode = errors.New("wrong storage mode")
	// ErrRegion: a region is empty or beyond the edge of a texture.
	ErrRegion = errors.New("region out of range")
	// ErrOverlap: source and destination of a copy overlap.
	ErrOverlap = errors.New("source and destination overlap")
	// ErrFunction: a function has the wrong type for the call.
	ErrFunction = errors.New("wrong function type")
	// ErrDevice: objects of different devices meet.
	ErrDevice = errors.New("objects of different devices")
	// ErrUnsupported: the device does not do what the call asks for.
	ErrUnsupported = errors.New("not supported by the device")
	// ErrValue: the value of an event would go backwards.
	ErrValue = errors.New("value out of order")
	// ErrArgument: an argument that no other error describes.
	ErrArgument = errors.New("bad argument")
)

// LimitError says which call was refused, for which value, and what would have been allowed.
type LimitError struct {
	Call  string // "-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]"
	What  string // what the value is: "index", "offset in bytes"
	Value uint64 // what was given
	Limit uint64 // the largest value allowed, the smallest one, or the alignment: Rule says which
	Rule  Rule
	Err   error // one of the errors above
}

// Rule says how a value and a limit have to relate.
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

// Unwrap returns the error's kind.
func (e *LimitError) Unwrap() error { return e.Err }

// check is one call whose arguments are being checked. Its methods return nil or a *LimitError.
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

// within checks that [offset, offset+length) lies in a resource of size bytes, without overflow.
func (c check) within(what string, offset, length, size uint64) error {
	switch { // names are put together only for errors: hot calls allocate nothing
	case offset > size:
		return c.atMost(what+" offset in bytes", offset, size, ErrOffset)
	case length > size-offset:
		return c.atMost(what+" length in bytes", length, size-offset, ErrLength)
	}
	return nil
}

// object checks that an object that Metal needs is there.
func (c check) object(what string, id objc.ID) error {
	if id.IsNil() {
		return fmt.Errorf("mtl: %s: %s: %w", string(c), what, ErrNil)
	}
	return nil
}

func (c check) fail(kind error, format string, args ...any) error {
	return fmt.Errorf("mtl: %s: %s: %w", string(c), fmt.Sprintf(format, args...), kind)
}

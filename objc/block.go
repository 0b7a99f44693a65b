package objc

import (
	"fmt"
	"log/slog"
	rtdebug "runtime/debug"
	"sync/atomic"
)

// Block is an Objective-C block around a Go function. The zero Block is the nil block. Release it
// when the message it was made for has been sent: whoever keeps the block has retained it, and the
// Go function is forgotten with its last reference.
type Block struct{ id ID }

// NewBlock makes a block, +1. encoding is the block's type encoding, "v@?@" for void (^)(id). fn
// gets the words of the arguments after the block itself, objects as +0 IDs that live until fn
// returns (retain what is kept), and returns the first word of the result. fn may be called on any
// thread, also after NewBlock's caller has returned.
//
// A panic in fn does not cross into Objective-C: the block answers zero and the panic is reported
// as a *[PanicError]; see [OnPanic].
//
// A nil fn gives the nil block. So does a failure, which is reported as a [Fault].
func NewBlock(encoding string, fn func(args []uintptr) uintptr) Block {
	if fn == nil {
		return Block{}
	}
	b, err := TryNewBlock(encoding, fn)
	if err != nil {
		report("block "+encoding, err)
	}
	return b
}

// TryNewBlock is NewBlock with the failure as an error: an encoding that is none, or a shape that a
// callback cannot have.
func TryNewBlock(encoding string, fn func(args []uintptr) uintptr) (Block, error) {
	d, err := current()
	if err != nil {
		return Block{}, err
	}
	guarded := func(args []uintptr) (res uintptr) {
		defer func() {
			if r := recover(); r != nil {
				res = 0
				reportPanic(&PanicError{Where: "block " + encoding, Value: r, Stack: rtdebug.Stack()})
			}
		}()
		return fn(args)
	}
	id, err := d.newBlock(encoding, guarded)
	if err != nil {
		return Block{}, fmt.Errorf("objc: block %q: %w", encoding, err)
	}
	return Block{id}, nil
}

// BlockFrom wraps a block that a message returned, without changing its ownership.
func BlockFrom(id ID) Block { return Block{id} }

// ID returns the block as the object that it is.
func (b Block) ID() ID { return b.id }

// IsNil reports whether b is the nil block.
func (b Block) IsNil() bool { return b.id == 0 }

// Word returns the block as an argument word.
func (b Block) Word() uintptr { return uintptr(b.id) }

// Release gives up a reference that the caller owns.
func (b Block) Release() { Release(b.id) }

// Call calls the block: encoding is the block's, args are the words after the block itself. It
// returns the first word of the result.
func (b Block) Call(encoding string, args ...uintptr) (uintptr, error) {
	if b.id == 0 {
		return 0, fmt.Errorf("objc: call of a nil block: %w", ErrNotObject)
	}
	d, err := current()
	if err != nil {
		return 0, err
	}
	r, err := d.callBlock(b.id, encoding, args)
	if err != nil {
		return 0, fmt.Errorf("objc: block %q: %w", encoding, err)
	}
	return r, nil
}

// PanicError is a panic of a Go function that Objective-C was calling.
type PanicError struct {
	Where string // "block v@?@"
	Value any    // what the function panicked with
	Stack []byte
}

// Error returns where and with what value the function panicked.
func (e *PanicError) Error() string { return fmt.Sprintf("objc: panic in %s: %v", e.Where, e.Value) }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

var panicHandler atomic.Pointer[func(*PanicError)]

// OnPanic sets the function that is called with every panic in a block's Go function and returns a
// function that puts the earlier one back. The default, also set by a nil handler, logs the panic
// with its stack through slog at level error.
func OnPanic(handler func(*PanicError)) (restore func()) {
	var p *func(*PanicError)
	if handler != nil {
		p = &handler
	}
	old := panicHandler.Swap(p)
	return func() { panicHandler.Store(old) }
}

func reportPanic(e *PanicError) {
	if h := panicHandler.Load(); h != nil {
		(*h)(e)
		return
	}
	slog.Error("panic in a block", "error", e.Error(), "stack", string(e.Stack))
}

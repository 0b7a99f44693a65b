package objc

import (
	"errors"
	"fmt"
	"log/slog"
	rtdebug "runtime/debug"
	"strings"
	"sync/atomic"
)

// Block is an Objective-C block around a Go function. The zero Block is nil. Release it once the
// message that it was made for has been sent: a receiver that keeps the block has retained it. The
// Go function is freed with the last reference.
type Block struct{ id ID }

// NewBlock makes a block, +1. encoding is the block's type encoding, such as "v@?@" for void
// (^)(id). fn receives the words of the arguments after the block itself and returns the first word
// of the result. Objects among the arguments are +0 IDs, valid until fn returns; retain those that
// you keep. fn may be called on any thread, even after NewBlock's caller has returned.
//
// A panic in fn, or the end of its goroutine, does not cross into Objective-C: the block returns
// zero, and a *[PanicError] is reported; see [OnPanic]. fn is called on a goroutine of its own, in
// an autorelease pool; an object that it returns, +0, is in the caller's pool.
//
// If fn is nil, so is the block. If the block cannot be made, NewBlock reports a [Fault] and
// returns the nil block.
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

// TryNewBlock is like [NewBlock] but returns failures as an error: an encoding that does not parse,
// or a signature that callbacks do not support.
func TryNewBlock(encoding string, fn func(args []uintptr) uintptr) (Block, error) {
	d, err := current()
	if err != nil {
		return Block{}, err
	}
	void, object := strings.HasPrefix(encoding, "v"), strings.HasPrefix(encoding, "@")
	guarded := func(args []uintptr) (res uintptr) {
		if !contained("block "+encoding, object, func() uintptr { res = fn(args); return res }) || void {
			return 0
		}
		return res
	}
	id, err := d.newBlock(encoding, guarded)
	if err != nil {
		return Block{}, fmt.Errorf("objc: block %q: %w", encoding, err)
	}
	return Block{id}, nil
}

// contained calls a function that Objective-C called, and waits for it: on a goroutine of its own,
// which it may end, since whoever called it must go on, and in an autorelease pool. It reports
// whether the function returned. If the result is an object, +0, it lives on in the caller's pool.
func contained(where string, object bool, fn func() uintptr) (returned bool) {
	ended := make(chan struct{})
	var result ID
	go func() {
		growStack()
		defer close(ended)
		defer func() {
			r := recover()
			if returned {
				return
			}
			if r == nil {
				r = errExited
			}
			reportPanic(&PanicError{Where: where, Value: r, Stack: rtdebug.Stack()})
		}()
		Pool(func() {
			res := fn()
			if object {
				result = ID(res)
				Retain(result)
			}
		})
		returned = true
	}()
	<-ended
	Autorelease(result)
	return returned
}

// growStack makes room at once for what handlers usually need. A new goroutine's stack is small,
// and doubling it step by step made a launch with its wait take half as long again.
//
//go:noinline
func growStack() {
	var room [24 << 10]byte
	useStack(&room)
}

//go:noinline
func useStack(room *[24 << 10]byte) { room[0] = 1 }

// errExited is the value of a PanicError for a function that ended its goroutine.
var errExited = errors.New("runtime.Goexit was called, as by testing.T.FailNow")

// BlockFrom wraps a block that a message returned, without changing its ownership.
func BlockFrom(id ID) Block { return Block{id} }

// ID returns the block as an object.
func (b Block) ID() ID { return b.id }

// IsNil reports whether b is the nil block.
func (b Block) IsNil() bool { return b.id == 0 }

// Word returns the block as an argument word.
func (b Block) Word() uintptr { return uintptr(b.id) }

// Release gives up a reference that the caller owns.
func (b Block) Release() { Release(b.id) }

// Call calls the block. encoding is the block's type encoding; args are the words after the block
// itself. Call returns the first word of the result.
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

// PanicError reports a panic in a Go function that Objective-C called.
type PanicError struct {
	Where string // "block v@?@"
	Value any    // the value passed to panic
	Stack []byte
}

// Error names the function that panicked and the panic value.
func (e *PanicError) Error() string { return fmt.Sprintf("objc: panic in %s: %v", e.Where, e.Value) }

// Unwrap returns ErrPanic.
func (e *PanicError) Unwrap() error { return ErrPanic }

var panicHandler atomic.Pointer[func(*PanicError)]

// OnPanic sets the function called for every panic in a block's Go function, and returns a function
// that restores the previous one. The default, which nil also selects, logs the panic with its
// stack through slog at level error.
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

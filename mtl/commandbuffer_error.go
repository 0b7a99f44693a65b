package mtl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/objc"
)

// CommandError is the failure of a command buffer. errors.Is matches its code, as in errors.Is(err,
// [CommandBufferErrorTimeout]), and errors.As finds the *[objc.Error].
type CommandError struct {
	Code     CommandBufferError
	Label    string         // of the command buffer
	Encoders []EncoderError // in order; only with CommandBufferErrorOptionEncoderExecutionStatus
	Err      error          // Metal's error, an *objc.Error
}

// EncoderError is the state of one encoder of a failed command buffer.
type EncoderError struct {
	Label     string
	State     CommandEncoderErrorState
	Signposts []string // debug signposts that were reached
}

// Error names the command buffer, Metal's error and the encoders that failed.
func (e *CommandError) Error() string {
	var b strings.Builder
	b.WriteString("mtl: command buffer")
	if e.Label != "" {
		fmt.Fprintf(&b, " %q", e.Label)
	}
	fmt.Fprintf(&b, " failed: %v", e.Err)
	for _, n := range e.Encoders {
		if n.State == CommandEncoderErrorStateFaulted || n.State == CommandEncoderErrorStateAffected {
			fmt.Fprintf(&b, "; encoder %q: %v", n.Label, n.State)
		}
	}
	return b.String()
}

// Unwrap returns Metal's error and the code.
func (e *CommandError) Unwrap() []error { return []error{e.Err, e.Code} }

// Error makes a code usable as a target of errors.Is.
func (v CommandBufferError) Error() string { return "mtl: command buffer failed: " + v.String() }

var (
	// commandBufferError is not generated because Err needs the NSError itself, not a Go error.
	commandBufferError = objc.Method{
		Class: "MTLCommandBuffer", Selector: "error", Encoding: "@@:", Since: 10<<8 | 11, Protocol: true,
	}
	// errorUserInfo belongs to Foundation.
	errorUserInfo = objc.Method{Class: "NSError", Selector: "userInfo", Encoding: "@@:"}
)

// Err returns nil, or a *[CommandError] if the command buffer has failed. Before the command buffer
// has completed it returns nil, and for a released one an error that wraps [objc.ErrReleased].
//
//	-[MTLCommandBuffer error]
func (o CommandBuffer) Err() error {
	if o.IsNil() {
		return nil
	}
	if err := check("-[MTLCommandBuffer error]").object("command buffer", o.ID()); err != nil {
		return err
	}
	if o.Status() != CommandBufferStatusError {
		return nil
	}
	e := &CommandError{Label: o.Label()}
	objc.Pool(func() {
		id := objc.ID(commandBufferError.Call(o.ID()))
		e.Err = objc.ErrorFrom(id)
		e.Encoders = encoderErrors(id)
	})
	var cause *objc.Error
	if errors.As(e.Err, &cause) {
		e.Code = CommandBufferError(cause.Code)
	} else {
		e.Code = CommandBufferErrorInternal
		e.Err = objc.ErrNil
	}
	return e
}

// encoderErrors returns the states of encoders from an NSError.
func encoderErrors(id objc.ID) []EncoderError {
	key, err := CommandBufferEncoderInfoErrorKey()
	if id.IsNil() || err != nil {
		return nil
	}
	info := objc.MapOf(objc.ID(errorUserInfo.Call(id)), func(v objc.ID) objc.ID { return v })
	return objc.ArrayOf(info[key], func(v objc.ID) EncoderError {
		i := CommandBufferEncoderInfoFrom(v)
		return EncoderError{Label: i.Label(), State: i.ErrorState(), Signposts: i.DebugSignposts()}
	})
}

package compute

import (
	"context"
	"fmt"
)

// checkCall returns an error for a nil receiver or context, and for a context that has already
// ended. what names the call, for example "stream: Record"; missing reports that the receiver is
// nil. Every exported function that takes a context begins with it, except Close.
func checkCall(ctx context.Context, what string, missing bool) error {
	switch {
	case missing:
		return nilError(what)
	case ctx == nil:
		return fmt.Errorf("compute: %s: nil context: %w", what, ErrNil)
	case ctx.Err() != nil:
		return fmt.Errorf("compute: %s: the context has ended before the call: %w", what, canceledBy(ctx))
	}
	return nil
}

// nilError is the error of a call on a nil receiver.
func nilError(what string) error {
	return fmt.Errorf("compute: %s of a nil pointer: %w", what, ErrNil)
}

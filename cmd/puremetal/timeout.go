package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// timeoutError reports that --timeout ended the work: the exit code is 124.
type timeoutError struct {
	limit time.Duration
	phase string // what the command was doing
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("stopped after --timeout %v, %s; allow more time, or give it less work", e.limit, e.phase)
}

// errTimeout is the cause of a context that --timeout ended.
var errTimeout = errors.New("the time of --timeout is up")

// limit returns a context that ends after d, or with the command. A d of 0 sets no limit.
func (a *app) limit(d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(a.ctx)
	}
	return context.WithTimeoutCause(a.ctx, d, errTimeout)
}

// timedOut returns a timeoutError if --timeout ended the context and that caused err.
func timedOut(ctx context.Context, d time.Duration, phase string, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTimeout) {
		return &timeoutError{d, phase}
	}
	return err // such as an error in the source, found just before
}

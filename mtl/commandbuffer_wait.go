package mtl

import (
	"context"
	"fmt"
	"time"
)

// AddCompletedHandler registers fn to be called when the command buffer has completed or failed. fn
// runs on one of Metal's threads, so it must not block for long, and must not wait for the same
// command buffer. The command buffer that it receives lives until fn returns. After Commit the call
// is refused with [ErrClosed].
//
//	-[MTLCommandBuffer addCompletedHandler:]
func (o CommandBuffer) AddCompletedHandler(fn func(CommandBuffer)) error {
	const c = check("-[MTLCommandBuffer addCompletedHandler:]")
	if fn == nil {
		return c.fail(ErrNil, "handler")
	}
	return encode(o, c, nil, func() { sendCommandBufferAddCompletedHandler(o, o.state.handler(fn)) })
}

// AddScheduledHandler registers fn to be called when the command buffer's resources are ready and
// the GPU may run it. The rules of [CommandBuffer.AddCompletedHandler] apply.
//
//	-[MTLCommandBuffer addScheduledHandler:]
func (o CommandBuffer) AddScheduledHandler(fn func(CommandBuffer)) error {
	const c = check("-[MTLCommandBuffer addScheduledHandler:]")
	if fn == nil {
		return c.fail(ErrNil, "handler")
	}
	return encode(o, c, nil, func() { sendCommandBufferAddScheduledHandler(o, o.state.handler(fn)) })
}

// handler gives the command buffer that a handler receives the state of the original.
func (s *commandBufferState) handler(fn func(CommandBuffer)) func(CommandBuffer) {
	return func(b CommandBuffer) {
		b.state = s
		fn(b)
	}
}

// WaitUntilScheduled blocks until the GPU may run the command buffer. Before Commit it is refused
// with [ErrState].
//
//	-[MTLCommandBuffer waitUntilScheduled]
func (o CommandBuffer) WaitUntilScheduled() error {
	if err := o.settled("-[MTLCommandBuffer waitUntilScheduled]"); err != nil {
		return err
	}
	sendCommandBufferWaitUntilScheduled(o)
	return nil
}

// WaitUntilCompleted is [CommandBuffer.Wait] without a context: it blocks until the command buffer
// has completed and its handlers have run, and returns nil or its *[CommandError].
//
//	-[MTLCommandBuffer waitUntilCompleted]
func (o CommandBuffer) WaitUntilCompleted() error { return o.Wait(context.Background()) }

// Wait waits until the command buffer has completed and returns nil or its *[CommandError]. If ctx
// ends first, Wait returns ctx's error and the GPU continues. Before Commit it is refused with
// [ErrState]. Any number of goroutines may wait, each with its own context; waits that are
// canceled leave nothing behind.
//
//	-[MTLCommandBuffer waitUntilCompleted]
func (o CommandBuffer) Wait(ctx context.Context) error {
	const c = check("-[MTLCommandBuffer waitUntilCompleted]")
	if err := o.settled(c); err != nil {
		return err
	}
	if ctx.Done() != nil {
		if err := o.await(ctx); err != nil {
			return fmt.Errorf("mtl: %s: %w", string(c), err)
		}
	}
	sendCommandBufferWaitUntilCompleted(o)
	return o.Err()
}

// await waits until the handlers have run or ctx ends.
func (o CommandBuffer) await(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.state != nil {
		select {
		case <-o.state.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// Something else committed it, so a handler can no longer be added: poll the status.
	for pause := minPause; o.Status() < CommandBufferStatusCompleted; pause = min(2*pause, maxPause) {
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	return nil
}

// How long to sleep between two polls.
const (
	minPause = 50 * time.Microsecond
	maxPause = 5 * time.Millisecond
)

// sleep sleeps for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

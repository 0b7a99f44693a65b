package peer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/outcome"
	"github.com/puremetal/puremetal/mtl"
)

// Streams are the streams that order an asynchronous copy: one of the sending accelerator, one of
// the receiving accelerator. Either may be nil.
type Streams struct{ From, To *compute.Stream }

// Copy copies src, of the link's first accelerator, to dst, of its second, which must have equal
// lengths, and returns when the copy is complete. It first waits until no recorded work uses either
// buffer. If the work that wrote src failed, it copies nothing and returns that failure. If ctx
// ends first, the copy is canceled, the contents of dst are undefined, and the error wraps
// [compute.ErrCanceled].
//
// Where the receiving device can read the source itself, Copy is one blit on a queue of the link's
// own. If that fails, Copy tries again through streams as [CopyAsync] does, and returns their
// failure.
//
// On GPUs other than Apple's, parts of buffers must begin and end at multiples of
// [mtl.Limits].BlitAlignment bytes, otherwise the error wraps [compute.ErrRange].
func Copy[T any](ctx context.Context, l *Link, dst, src *compute.Buffer[T]) error {
	if err := checkCopy(ctx, l, dst, src); err != nil {
		return err
	}
	if err := src.Wait(ctx); err != nil {
		return err
	}
	if err := dst.Upload(ctx, nil); err != nil { // waits for its work
		return err
	}
	if copied, err := blit(ctx, l, dst, src); copied || err != nil {
		return err
	}
	t, err := record(ctx, l, Streams{}, dst, src)
	if t == nil {
		return err
	}
	t.finish(err) // it ends: see chunk.watch
	return t.err
}

// CopyAsync records a copy of src, of the link's first accelerator, to dst, of its second. It runs
// after the earlier commands of both streams and before their later ones, on streams of its own, so
// that other work of the accelerators goes on. Without a stream the program has to order the copy
// and other uses of that buffer: by Sync before, and [Transfer.Wait] after.
//
// The copy is divided into chunks if it goes through staging memory. CopyAsync returns once all of
// them are recorded, which takes long only if there are more than the streams have room for. When
// ctx ends, the chunks that have not reached the devices are not copied: see [Transfer.Cancel].
func CopyAsync[T any](ctx context.Context, l *Link, s Streams, dst, src *compute.Buffer[T]) (*Transfer, error) {
	if err := checkCopy(ctx, l, dst, src); err != nil {
		return nil, err
	}
	t, err := record(ctx, l, s, dst, src)
	if t == nil {
		return nil, err
	}
	go t.finish(err)
	if err != nil {
		<-t.ended
		return nil, err
	}
	return t, nil
}

// record records a copy. It returns a transfer, to be finished, also if not all of it could be
// recorded.
func record[T any](ctx context.Context, l *Link, s Streams, dst, src *compute.Buffer[T]) (*Transfer, error) {
	release, err := src.Hold()
	if err != nil {
		return nil, err
	}
	n, err := l.lane(ctx)
	if err != nil {
		release()
		return nil, err
	}
	t := &Transfer{release: release, link: l, lane: n, ended: make(chan struct{}), began: l.now(), bytes: src.Size()}
	t.stop = context.AfterFunc(ctx, func() { t.cancel(context.Cause(ctx)) })
	c := recorder{Transfer: t, streams: s, dst: dst, reads: compute.Reads(src)}
	c.failure = func() error { return outcome.Failure(src) }
	c.from, c.fromOffset = src.Metal()
	c.to, c.toOffset = dst.Metal()
	return t, c.record(ctx)
}

func checkCopy[T any](ctx context.Context, l *Link, dst, src *compute.Buffer[T]) error {
	switch {
	case l.missing():
		return nilLink("copy")
	case ctx == nil:
		return fmt.Errorf("peer: copy: nil context: %w", compute.ErrNil)
	case ctx.Err() != nil:
		return fmt.Errorf("peer: copy: the context has ended before the call: %w: %w", compute.ErrCanceled,
			context.Cause(ctx))
	case dst.Accelerator() == nil || src.Accelerator() == nil:
		return fmt.Errorf("peer: copy: no buffer: %w", compute.ErrNil)
	case dst.Len() != src.Len():
		return fmt.Errorf("peer: copy of %d elements to a buffer of %d, want equal lengths: %w", src.Len(), dst.Len(),
			compute.ErrRange)
	}
	return nil
}

// Transfer is a copy in progress.
type Transfer struct {
	link  *Link
	lane  *lane
	path  Path
	bytes int
	view  mtl.Buffer // of the source on the receiving device; nil if the path is staged
	began time.Time
	stop  func() bool // no longer watches the context

	release func() // of the source

	canceled atomic.Pointer[error] // the cause
	skipped  atomic.Bool           // a chunk was not copied because of it
	ended    chan struct{}
	err      error // once ended
}

// missing reports whether the transfer is nil or was not made by [CopyAsync].
func (t *Transfer) missing() bool { return t == nil || t.ended == nil }

// Path returns the way that the data takes. It is valid from the beginning.
func (t *Transfer) Path() Path {
	if t.missing() {
		return Staged
	}
	return t.path
}

// Wait waits until the copy has ended and returns its failure. If ctx ends first, Wait cancels the
// copy, waits for what is in progress, and returns an error that wraps [compute.ErrCanceled] unless
// the copy was already complete.
func (t *Transfer) Wait(ctx context.Context) error {
	switch {
	case t.missing():
		return fmt.Errorf("peer: Wait of no transfer: %w", compute.ErrNil)
	case ctx == nil:
		return fmt.Errorf("peer: Wait: nil context: %w", compute.ErrNil)
	}
	select {
	case <-t.ended:
	case <-ctx.Done():
		t.cancel(context.Cause(ctx))
		<-t.ended
	}
	return t.err
}

// Done returns a channel that is closed when the copy has ended. That of a nil or zero transfer is
// closed.
func (t *Transfer) Done() <-chan struct{} {
	if t.missing() {
		return ended()
	}
	return t.ended
}

// ended returns a channel that is closed.
func ended() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Cancel cancels the copy. Chunks that have reached the devices are copied, all others are not, so
// the contents of the receiving buffer are undefined. The streams of the copy go on.
func (t *Transfer) Cancel() {
	if !t.missing() {
		t.cancel(context.Canceled)
	}
}

// finish waits until the commands have ended, and makes the lane free. recorded is the error of
// recording them.
func (t *Transfer) finish(recorded error) {
	n := t.lane
	ctx := context.Background() // all waits end: see chunk.watch
	err := errors.Join(recorded, n.out.Sync(ctx), n.in.Sync(ctx))
	n.filled.reach(n.chunks)
	n.drained.reach(n.chunks)
	t.stop()
	t.view.Release()
	t.release()
	cause := t.canceled.Load()
	if cause != nil && t.skipped.Load() {
		err = errors.Join(fmt.Errorf("peer: copy of %d bytes on %v: %w: %w", t.bytes, t.link, compute.ErrCanceled, *cause),
			err)
	}
	t.err = err
	t.link.stats.add(t, t.link.now().Sub(t.began))
	t.link.give(n)
	close(t.ended)
}

func (t *Transfer) cancel(cause error) { t.canceled.CompareAndSwap(nil, &cause) }

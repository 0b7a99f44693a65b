package peer

import (
	"cmp"
	"context"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// blit copies in one blit of the receiving device, where that can read the source itself, and waits
// for it. It spares a copy for which the caller waits anyway the goroutines of a stream, which take
// longer than a small copy.
//
// It reports false if the copy has to take the streams of a lane: they copy through staging memory,
// and they report what is wrong with the buffers, or with the device if the blit fails.
func blit[T any](ctx context.Context, l *Link, dst, src *compute.Buffer[T]) (copied bool, err error) {
	began := l.now()
	t := Transfer{link: l, path: l.direct, bytes: src.Size()}
	if l.direct == Staged || l.direct == Remote && src.Storage() != mtl.StorageModePrivate ||
		src.Accelerator() != l.from || dst.Accelerator() != l.to {
		return false, nil
	}
	if dst.Wait(ctx) != nil { // earlier work that wrote it has failed, which the stream's copy makes good
		return false, nil
	}
	held, err := src.Hold()
	if err != nil {
		return false, err
	}
	defer held()
	kept, err := dst.Hold()
	if err != nil {
		return false, err
	}
	defer kept()
	from, fromOffset := src.Metal()
	to, toOffset := dst.Metal()
	if (fromOffset|toOffset|uint(t.bytes))%l.unit != 0 {
		return false, nil
	}
	n, err := l.lane(ctx)
	if err != nil {
		return false, err
	}
	defer l.give(n)
	queue, err := l.blits()
	if err != nil {
		return false, nil // a stream may have more luck, or reports it
	}
	view, err := l.makeView(from)
	if err != nil {
		return false, nil // likewise
	}
	defer view.Release()
	objc.Pool(func() { err = t.blit(queue, view, fromOffset, to, toOffset) })
	if err != nil {
		return false, nil // likewise
	}
	l.stats.add(&t, l.now().Sub(began))
	return true, nil
}

// blit runs the command buffer.
func (t *Transfer) blit(queue mtl.CommandQueue, from mtl.Buffer, fromOffset uint, to mtl.Buffer, toOffset uint) error {
	c, err := queue.CommandBuffer()
	if err != nil {
		return err
	}
	e, err := c.BlitCommandEncoder()
	if err != nil {
		return err
	}
	err = e.CopyFromBuffer(from, fromOffset, to, toOffset, uint(t.bytes))
	if err = cmp.Or(e.EndEncoding(), err); err != nil {
		return err
	}
	if err := c.Commit(); err != nil {
		return err
	}
	return cmp.Or(c.WaitUntilCompleted(), c.Err())
}

// blits returns the receiving device's queue for blits, which lives as long as the link.
func (l *Link) blits() (mtl.CommandQueue, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.queue.IsNil() {
		return l.queue, nil
	}
	var err error
	objc.Pool(func() { l.queue, err = l.to.Device().NewCommandQueue() })
	if err == nil {
		l.queue.SetLabel("peer copy")
	}
	return l.queue, err
}

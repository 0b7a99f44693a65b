package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/machine"
	"github.com/puremetal/puremetal/mtl"
)

// lane is what one transfer at a time needs of both devices.
type lane struct {
	out, in *compute.Stream // of the sending and the receiving accelerator
	// filled counts the chunks that out has written or made ready, drained those that in has read.
	filled, drained signal
	chunks          uint64 // of all transfers so far: both signals' value
	staging         []staging
}

// signal is a shared event as both devices have it.
type signal struct{ out, in mtl.SharedEvent }

// staging is a chunk of the host's memory as a buffer of each device.
type staging struct{ out, in *compute.Buffer[byte] }

// lane takes a free lane, or makes one; it waits if all are in use.
func (l *Link) lane(ctx context.Context) (*lane, error) {
	for {
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return nil, fmt.Errorf("peer: %v: %w", l, ErrClosed)
		}
		if n := len(l.free); n > 0 {
			lane := l.free[n-1]
			l.free = l.free[:n-1]
			l.mu.Unlock()
			return lane, nil
		}
		if l.lanes < l.options.Transfers {
			l.lanes++
			l.mu.Unlock()
			n, err := l.newLane()
			if err != nil {
				l.give(nil)
			}
			return n, err
		}
		change := l.change
		l.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return nil, fmt.Errorf("peer: %v: waiting for one of %d transfers to end: %w", l, l.options.Transfers,
				context.Cause(ctx))
		}
	}
}

// give makes a lane free; nil is one that could not be made.
func (l *Link) give(n *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n == nil {
		l.lanes--
	} else {
		l.free = append(l.free, n)
	}
	close(l.change)
	l.change = make(chan struct{})
}

func (l *Link) newLane() (n *lane, err error) {
	n = &lane{}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.close(context.Background())) // its streams have no work
		}
	}()
	o := compute.StreamOptions{Label: "peer copy"}
	if n.out, err = l.from.NewStream(o); err != nil {
		return n, err
	}
	if n.in, err = l.to.NewStream(o); err != nil {
		return n, err
	}
	for _, s := range []*signal{&n.filled, &n.drained} {
		if err := s.make(l.from.Device(), l.to.Device()); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *signal) make(out, in mtl.Device) (err error) {
	if s.out = out.NewSharedEvent(); s.out.IsNil() {
		return fmt.Errorf("peer: the device made no event: %w", compute.ErrOutOfMemory)
	}
	h, err := s.out.NewSharedEventHandle()
	if err != nil {
		return err
	}
	defer h.Release()
	s.in, err = in.NewSharedEventWithHandle(h)
	return err
}

// reach signals a value that a device will not signal, because its commands failed.
func (s *signal) reach(value uint64) {
	if s.out.SignaledValue() < value {
		// It fails only if a later value has been signaled meanwhile, which is just as good.
		_ = s.out.SetSignaledValue(value)
	}
}

// stage makes the staging memory if there is none.
func (n *lane) stage(l *Link) error {
	page := os.Getpagesize()
	size := (l.options.Chunk + page - 1) / page * page
	for len(n.staging) < l.options.Buffers {
		s, err := newStaging(l, size, page)
		if err != nil {
			return fmt.Errorf("peer: staging memory of %d bytes: %w", size, err)
		}
		n.staging = append(n.staging, s)
	}
	return nil
}

func newStaging(l *Link, size, page int) (s staging, err error) {
	// A page more than needed: under an emulator the system's pages can be smaller than the ones
	// the program believes in.
	mapped, err := machine.Map(size + page)
	if err != nil {
		return s, errors.Join(compute.ErrOutOfMemory, err)
	}
	memory := mapped[aligned(mapped, page):][:size]
	var users atomic.Int32
	done := func() {
		if users.Add(-1) == 0 {
			_ = machine.Unmap(mapped) // what Map returned
		}
	}
	users.Store(2)
	o := compute.BufferOptions{Label: "peer staging"}
	if s.out, err = compute.Adopt(l.from, memory, o, done); err != nil {
		done()
		done()
		return s, err
	}
	if s.in, err = compute.Adopt(l.to, memory, o, done); err != nil {
		done()
		s.out.Close()
	}
	return s, err
}

// close frees the lane's objects once its streams' work has ended.
func (n *lane) close(ctx context.Context) error {
	var err error
	for _, s := range []*compute.Stream{n.out, n.in} {
		if s != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}
	for _, s := range n.staging {
		s.out.Close()
		s.in.Close()
	}
	for _, s := range []signal{n.filled, n.drained} {
		s.out.Release()
		s.in.Release()
	}
	return err
}

package peer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

var (
	// ErrNoPeer: the devices cannot read each other's memory.
	ErrNoPeer = errors.New("devices are not peers")
	// ErrClosed: the link is closed.
	ErrClosed = errors.New("link is closed")
)

// Options configures a link. Zero options are the defaults.
type Options struct {
	// Chunk is the size in bytes of the pieces in which data goes through staging memory, 4 MiB by
	// default, at most 1 GiB. It is rounded up to whole pages.
	Chunk int
	// Buffers is how many chunks of staging memory each transfer has, 3 by default, 2 to 16. With
	// two, one device writes while the other reads.
	Buffers int
	// Transfers is how many transfers can be in progress at once, 4 by default, at most 64. Each
	// has a stream of both devices, and staging memory once it needs it; further ones wait for
	// their turn.
	Transfers int
}

// The limits and defaults of [Options].
const (
	defaultChunk, maxChunk         = 4 << 20, 1 << 30
	defaultBuffers, maxBuffers     = 3, 16
	defaultTransfers, maxTransfers = 4, 64
)

func (o *Options) complete() error {
	for _, f := range []struct {
		name               string
		value              *int
		missing, low, high int
	}{
		{"Chunk", &o.Chunk, defaultChunk, 1, maxChunk},
		{"Buffers", &o.Buffers, defaultBuffers, 2, maxBuffers},
		{"Transfers", &o.Transfers, defaultTransfers, 1, maxTransfers},
	} {
		if *f.value == 0 {
			*f.value = f.missing
		}
		if *f.value < f.low || *f.value > f.high {
			return fmt.Errorf("peer: option %s is %d, want %d to %d: %w", f.name, *f.value, f.low, f.high,
				compute.ErrOption)
		}
	}
	return nil
}

// Path is the way that data takes.
type Path uint8

const (
	// Staged: through memory of the host that both devices share.
	Staged Path = iota
	// Remote: the receiving device reads the source through a remote view.
	Remote
	// Local: both accelerators have the same device, which copies within its memory.
	Local
)

// String returns "staged", "remote" or "local".
func (p Path) String() string {
	switch p {
	case Staged:
		return "staged"
	case Remote:
		return "remote"
	case Local:
		return "local"
	}
	return fmt.Sprintf("Path(%d)", uint8(p))
}

// Link copies from buffers of one accelerator to buffers of another. It is safe for concurrent use.
type Link struct {
	from, to *compute.Accelerator
	options  Options
	direct   Path // of private buffers
	unit     uint // offsets and lengths of blits are multiples of it: a power of two
	stats    counters
	now      func() time.Time

	mu     sync.Mutex
	closed bool
	free   []*lane
	lanes  int              // all that exist or are being made
	change chan struct{}    // closed and replaced when a lane becomes free
	views  *viewCache       // nil unless enabled
	queue  mtl.CommandQueue // of the receiving device, for blits that the caller waits for; nil before the first
}

// Reachable reports whether the second accelerator can read private buffers of the first without
// staging memory: both have the same device, or devices that are peers.
func Reachable(from, to *compute.Accelerator) bool {
	p, err := directPath(from, to)
	return err == nil && p != Staged
}

// directPath returns the path of private buffers.
func directPath(from, to *compute.Accelerator) (p Path, err error) {
	if from.Device().IsNil() || to.Device().IsNil() {
		return Staged, fmt.Errorf("peer: no accelerator: %w", compute.ErrNil)
	}
	objc.Pool(func() {
		a, b := describe(from.Info(), from.Device()), describe(to.Info(), to.Device())
		switch {
		case a.RegistryID == b.RegistryID:
			p = Local
		case a.isPeer(b):
			p = Remote
		}
	})
	return p, nil
}

// Connect makes a link between two different accelerators. Close it when done, before them.
func Connect(from, to *compute.Accelerator, o Options) (*Link, error) {
	p, err := directPath(from, to)
	if err != nil {
		return nil, err
	}
	if from == to {
		return nil, fmt.Errorf("peer: both ends of the link are the same accelerator; use compute.Copy: %w",
			compute.ErrOption)
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	unit := max(from.Info().Limits.BlitAlignment, to.Info().Limits.BlitAlignment, 1)
	return &Link{from: from, to: to, options: o, direct: p, unit: unit, now: time.Now,
		change: make(chan struct{})}, nil
}

// From returns the accelerator that the link copies from.
func (l *Link) From() *compute.Accelerator {
	if l.missing() {
		return nil
	}
	return l.from
}

// To returns the accelerator that the link copies to.
func (l *Link) To() *compute.Accelerator {
	if l.missing() {
		return nil
	}
	return l.to
}

// String returns "link PureMetal Software GPU 0 -> PureMetal Software GPU 1 (remote)".
func (l *Link) String() string {
	if l.missing() {
		return "nil link"
	}
	return fmt.Sprintf("link %s -> %s (%v)", l.from.Info().Name, l.to.Info().Name, l.direct)
}

// maxViews is how many remote views an enabled link keeps.
const maxViews = 16

// Enable keeps the remote views of the 16 buffers copied last, which saves making one for each copy
// and keeps those buffers' memory from being freed until Disable or Close. If the devices are not
// peers, the error wraps [ErrNoPeer]. The link copies with or without it.
func (l *Link) Enable() error {
	if l.missing() {
		return nilLink("Enable")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return fmt.Errorf("peer: %v: %w", l, ErrClosed)
	case l.direct != Remote:
		return fmt.Errorf("peer: %v: %w", l, ErrNoPeer)
	case l.views == nil:
		l.views = &viewCache{}
	}
	return nil
}

// Disable frees the views that Enable kept.
func (l *Link) Disable() {
	if l.missing() {
		return
	}
	l.mu.Lock()
	v := l.views
	l.views = nil
	l.mu.Unlock()
	v.release()
}

// Close waits until the link's transfers have ended and frees its streams, events and memory. If
// ctx ends first, it cancels them and returns the context's error; Close may be called again.
// Closing a closed link does nothing.
func (l *Link) Close(ctx context.Context) error {
	if l.missing() {
		return nilLink("Close")
	}
	if ctx == nil {
		return fmt.Errorf("peer: Close: nil context: %w", compute.ErrNil)
	}
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.Disable()
	var failed error
	for {
		l.mu.Lock()
		free, change := l.free, l.change
		l.free = nil
		l.lanes -= len(free)
		left := l.lanes
		l.mu.Unlock()
		for _, n := range free {
			failed = errors.Join(failed, n.close(context.WithoutCancel(ctx))) // nobody uses it
		}
		if left == 0 {
			l.mu.Lock()
			l.queue.Release()
			l.queue = mtl.CommandQueue{}
			l.mu.Unlock()
			return failed
		}
		select {
		case <-change:
		case <-ctx.Done():
			return errors.Join(failed, fmt.Errorf("peer: %v %w with %d transfers: %w", l, compute.ErrStaysOpen, left,
				context.Cause(ctx)))
		}
	}
}

// missing reports whether the link is nil or was not made by [Connect].
func (l *Link) missing() bool { return l == nil || l.from == nil }

func nilLink(what string) error {
	return fmt.Errorf("peer: %s of no link: %w", what, compute.ErrNil)
}

// viewCache keeps remote views, the one used last at the end.
type viewCache struct {
	mu       sync.Mutex
	released bool
	list     []cachedView
}

type cachedView struct {
	of   objc.ID // the view retains it, so that no other buffer gets this identifier
	view mtl.Buffer
}

// get returns a view with a reference for the caller.
func (c *viewCache) get(b mtl.Buffer, d mtl.Device) (mtl.Buffer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, v := range c.list {
		if v.of == b.ID() {
			c.list = append(append(c.list[:i:i], c.list[i+1:]...), v)
			v.view.Retain()
			return v.view, nil
		}
	}
	view, err := b.NewRemoteBufferView(d)
	if err != nil || c.released {
		return view, err
	}
	if len(c.list) == maxViews {
		c.list[0].view.Release()
		c.list = c.list[1:]
	}
	view.Retain()
	c.list = append(c.list, cachedView{b.ID(), view})
	return view, nil
}

// release frees the views. Calls of get that come later keep none.
func (c *viewCache) release() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.list {
		v.view.Release()
	}
	c.list, c.released = nil, true
}

// makeView returns a view of a private buffer on the receiving device, with a reference for the
// caller.
func (l *Link) makeView(b mtl.Buffer) (v mtl.Buffer, err error) {
	l.mu.Lock()
	cache := l.views
	l.mu.Unlock()
	switch {
	case l.direct == Local:
		b.Retain()
		return b, nil
	case cache != nil:
		return cache.get(b, l.to.Device())
	}
	return b.NewRemoteBufferView(l.to.Device())
}

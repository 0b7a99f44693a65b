package resilience

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// Stream is an in-order queue of work. Commands are executed in batches: when there are as many as
// [Options].Batch, or at [Stream.Sync]. The call that completes a batch waits for it and returns
// its error. Two streams must not access the same buffer, unless a Sync lies between. A Stream may
// be used by one goroutine at a time.
type Stream struct {
	manager  *Manager
	label    string
	priority compute.Priority
	retries  float64 // that are left of the budget

	mu      sync.Mutex
	pending []command
	on      map[*device]onDevice
	closed  bool
}

func (s *Stream) missing() bool { return s == nil || s.manager == nil }

// errMissing is the error of a call on a handle that is nil or that no function of this package
// made.
func errMissing(call, what string) error {
	return fmt.Errorf("resilience: %s: the %s is nil or was never made: %w", call, what, compute.ErrNil)
}

// onDevice is the stream on a device.
type onDevice struct {
	stream *compute.Stream
	epoch  uint64
}

// NewStream makes a stream. Close it when done.
func (m *Manager) NewStream(o compute.StreamOptions) (*Stream, error) {
	if m.missing() {
		return nil, fmt.Errorf("resilience: NewStream: nil manager: %w", compute.ErrNil)
	}
	if o.Context != nil {
		return nil, fmt.Errorf("resilience: NewStream: Context is not supported; pass it to Sync: %w", compute.ErrOption)
	}
	if o.Label == "" {
		o.Label = "stream"
	}
	s := &Stream{manager: m, label: o.Label, priority: o.Priority, retries: float64(m.o.Budget),
		on: map[*device]onDevice{}}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fmt.Errorf("resilience: NewStream: manager: %w", compute.ErrClosed)
	}
	m.streams = append(m.streams, s)
	return s, nil
}

// command is a launch or copy of a batch.
type command struct {
	kernel   *Kernel // nil for a copy
	grid     compute.Grid
	args     []any
	accesses []access

	copyTo, copyFrom handle
	copy             func(ctx context.Context, s *compute.Stream, to, from compute.AnyBuffer) error
	hostCopy         func(ctx context.Context, to, from compute.AnyBuffer) error
}

// access is what a command does with a buffer.
type access struct {
	state         *bufferState
	reads, writes bool
	whole         bool // all of the buffer
}

// directed is an argument whose access the program states.
type directed struct {
	handle
	reads, writes bool
}

// overwritten returns the device's buffers that a launch overwrites and does not read.
func (c *command) overwritten(args []any) any {
	var list []any
	for n, arg := range c.args {
		if d, ok := arg.(directed); ok && d.writes && !d.reads {
			list = append(list, args[n])
		}
	}
	return compute.Overwrites(list...)
}

// Out says of a buffer that the kernel writes it and does not read it: so the launch can be
// repeated without a host copy of the buffer. What the kernel leaves unwritten must not matter.
func Out[T any](b *Buffer[T]) any { return directed{b, false, true} }

// In says of a buffer that the kernel only reads it, where its parameter does not say so.
func In[T any](b *Buffer[T]) any { return directed{b, true, false} }

// Launch adds a launch. Arguments are those of [compute.Stream.Launch], with a [Buffer] of this
// package, [In] or [Out] in the place of buffers, in the order of the kernel's parameters;
// [compute.At] and [compute.Named] take no buffers here.
func (s *Stream) Launch(ctx context.Context, k *Kernel, grid compute.Grid, args ...any) error {
	if s.missing() || k.missing() {
		return fmt.Errorf("resilience: Launch: nil stream or kernel: %w", compute.ErrNil)
	}
	c := command{kernel: k, grid: grid, args: args}
	var parameters []compute.Parameter
	next := 0 // among the buffers
	for n, arg := range args {
		d, given := arg.(directed)
		if h, ok := arg.(handle); ok && !given {
			d = directed{handle: h}
		}
		if d.handle == nil {
			if isValue(arg) {
				next++
			}
			continue
		}
		if d.buffer() == nil {
			return fmt.Errorf("resilience: launch of %s: argument %d is no buffer: %w", k.name, n, compute.ErrNil)
		}
		if d.buffer().manager != s.manager {
			return fmt.Errorf("resilience: launch of %s: argument %d belongs to another manager: %w", k.name, n,
				compute.ErrAccelerator)
		}
		if !given {
			if parameters == nil {
				s.manager.device.running.RLock() // as in persist
				on, err := k.on(ctx, s.manager.device)
				s.manager.device.running.RUnlock()
				if err == nil { // otherwise the device may come back
					parameters = buffersOf(on.Parameters())
				}
			}
			d.reads = true
			d.writes = next >= len(parameters) || parameters[next].Access != mtl.BindingAccessReadOnly
		}
		next++
		c.accesses = append(c.accesses, access{d.buffer(), d.reads, d.writes, d.whole()})
	}
	return s.add(ctx, c)
}

// Copy adds a copy of all elements from one buffer to another of the same length.
func Copy[T any](ctx context.Context, s *Stream, to, from *Buffer[T]) error {
	if s.missing() || to.missing() || from.missing() {
		return fmt.Errorf("resilience: Copy: nil stream or buffer: %w", compute.ErrNil)
	}
	return s.add(ctx, command{copyTo: to, copyFrom: from,
		accesses: []access{{from.state, true, false, from.whole()}, {to.state, false, true, to.whole()}},
		copy: func(ctx context.Context, s *compute.Stream, to, from compute.AnyBuffer) error {
			return compute.Copy(ctx, s, to.(*compute.Buffer[T]), from.(*compute.Buffer[T]))
		},
		hostCopy: func(ctx context.Context, to, from compute.AnyBuffer) error {
			data := make([]T, from.(*compute.Buffer[T]).Len())
			if err := from.(*compute.Buffer[T]).Download(ctx, data); err != nil {
				return err
			}
			return to.(*compute.Buffer[T]).Upload(ctx, data)
		}})
}

// Fill adds a command that sets all bytes of a buffer.
func Fill[T any](ctx context.Context, s *Stream, to *Buffer[T], value uint8) error {
	if s.missing() || to.missing() {
		return fmt.Errorf("resilience: Fill: nil stream or buffer: %w", compute.ErrNil)
	}
	return s.add(ctx, command{copyTo: to, copyFrom: to, accesses: []access{{to.state, false, true, to.whole()}},
		copy: func(ctx context.Context, s *compute.Stream, to, _ compute.AnyBuffer) error {
			return compute.Fill(ctx, s, to.(*compute.Buffer[T]), value)
		},
		hostCopy: func(ctx context.Context, to, _ compute.AnyBuffer) error {
			b := to.(*compute.Buffer[T])
			data := make([]T, b.Len())
			raw := bytesOf(data)
			for i := range raw {
				raw[i] = value
			}
			return b.Upload(ctx, data)
		}})
}

// isValue reports whether an argument that is no handle takes a buffer's parameter.
func isValue(arg any) bool {
	switch arg.(type) {
	case compute.ThreadgroupMemory, compute.AnyTexture, *compute.Sampler:
		return false
	}
	return true
}

// buffersOf returns the parameters that take buffers or values.
func buffersOf(all []compute.Parameter) []compute.Parameter {
	return slices.DeleteFunc(slices.Clone(all),
		func(p compute.Parameter) bool { return p.Kind != compute.BufferParameter })
}

// add adds a command, and executes the batch if it is complete.
func (s *Stream) add(ctx context.Context, c command) error {
	if ctx == nil {
		return errMissing("a command", "context")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("resilience: stream %q: %w", s.label, compute.ErrClosed)
	}
	s.pending = append(s.pending, c)
	if len(s.pending) < s.manager.o.Batch {
		return nil
	}
	return s.execute(ctx)
}

// Sync executes the commands that are left and returns their error. The commands of a batch that
// failed are gone.
func (s *Stream) Sync(ctx context.Context) error {
	if s.missing() || ctx == nil {
		return errMissing("Sync", "stream or context")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.execute(ctx)
}

// Close is Sync, and releases the stream. If ctx ends first, the error wraps
// [compute.ErrStaysOpen], and Close may be called again.
func (s *Stream) Close(ctx context.Context) error {
	if s.missing() || ctx == nil {
		return errMissing("Close", "stream or context")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.execute(ctx)
	s.closed = true
	for d, on := range s.on {
		if _, epoch, currentErr := d.current(ctx); currentErr == nil && epoch == on.epoch {
			closing := on.stream.Close(ctx)
			err = errors.Join(err, closing)
			if errors.Is(closing, compute.ErrStaysOpen) {
				continue
			}
		}
		delete(s.on, d)
	}
	if len(s.on) > 0 {
		return err
	}
	m := s.manager
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams = slices.DeleteFunc(m.streams, func(x *Stream) bool { return x == s })
	return err
}

// drop forgets the pending commands.
func (s *Stream) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.pending)
	s.pending = s.pending[:0]
}

// execute executes the pending commands. The lock is held.
func (s *Stream) execute(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	all := s.pending
	s.pending = nil
	err := s.manager.run(ctx, s, all)
	if s.pending == nil {
		clear(all)
		s.pending = all[:0]
	}
	return err
}

// stream returns the stream on a device.
func (s *Stream) stream(ctx context.Context, d *device) (*compute.Stream, error) {
	acc, epoch, err := d.current(ctx)
	if err != nil {
		return nil, err
	}
	if on, ok := s.on[d]; ok && on.epoch == epoch {
		return on.stream, nil
	}
	made, err := acc.NewStream(compute.StreamOptions{Label: s.label, Priority: s.priority})
	if err != nil {
		return nil, err
	}
	s.on[d] = onDevice{made, epoch}
	return made, nil
}

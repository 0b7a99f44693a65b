package tensor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
)

// Engine runs operations on one stream of an accelerator, and keeps the kernels compiled. It is
// safe for concurrent use: operations of several goroutines run in some order, one after another.
type Engine struct {
	acc      *compute.Accelerator
	stream   *compute.Stream
	executor executor
	timing   bool
	closed   atomic.Bool
	closing  sync.Once // of the other backends

	scalarMu sync.Mutex
	scalars  map[scalarKey]*memory

	others          []*other
	force, forcedBy string
	crossover       crossover
	choices         choices

	stats statistics
	peak  knownPeak
}

// Option configures an engine.
type Option func(*Engine) error

// WithStream makes the engine use a stream of the program, so that its other work on that stream is
// ordered with the engine's. The engine does not close it. By default the engine has a stream of
// its own.
func WithStream(s *compute.Stream) Option {
	return func(e *Engine) error {
		switch s.Accelerator() {
		case nil:
			return fmt.Errorf("tensor: WithStream: the stream is nil or was never made: %w", compute.ErrNil)
		case e.acc:
		default:
			return fmt.Errorf("tensor: WithStream: stream %q: %w", s.Label(), compute.ErrAccelerator)
		}
		e.stream = s
		return nil
	}
}

// WithTiming makes the engine measure the device time of each operation for [Engine.Stats]. Each
// operation then has command buffers of its own, which makes small operations slower.
func WithTiming() Option {
	return func(e *Engine) error {
		e.timing = true
		return nil
	}
}

// New returns an engine for an accelerator. Close it before the accelerator.
func New(acc *compute.Accelerator, options ...Option) (*Engine, error) {
	if acc == nil {
		return nil, fmt.Errorf("tensor: New: the accelerator: %w", compute.ErrNil)
	}
	e := &Engine{acc: acc, executor: own{backend.NewOwn(acc, errEngineClosed())}, scalars: map[scalarKey]*memory{}}
	for i, o := range options {
		if o == nil {
			return nil, fmt.Errorf("tensor: New: option %d: %w", i, compute.ErrNil)
		}
		if err := o(e); err != nil {
			return nil, err
		}
	}
	if err := e.openBackends(); err != nil {
		e.closeBackends()
		return nil, err
	}
	if e.stream == nil {
		s, err := acc.NewStream(compute.StreamOptions{Label: "tensors"})
		if err != nil {
			e.closeBackends()
			return nil, err
		}
		e.stream = s
		e.executor = ownsStream{e.executor, s}
	}
	return e, nil
}

// missing reports whether the engine is nil or was not made by [New].
func (e *Engine) missing() bool { return e == nil || e.acc == nil }

// Stream returns the stream that the engine's operations run on.
func (e *Engine) Stream() *compute.Stream {
	if e.missing() {
		return nil
	}
	return e.stream
}

// Accelerator returns the engine's accelerator.
func (e *Engine) Accelerator() *compute.Accelerator {
	if e.missing() {
		return nil
	}
	return e.acc
}

// Sync waits until all operations so far have ended, and returns their failures on the device; see
// [compute.Stream.Sync].
func (e *Engine) Sync(ctx context.Context) error {
	if e.missing() {
		return fmt.Errorf("tensor: Sync: the engine: %w", compute.ErrNil)
	}
	return e.stream.Sync(ctx)
}

// Close waits until the operations have ended, releases the kernels and the stream, and returns the
// failures that no Sync has returned. It does not close tensors: those that are still open remain
// readable, and are listed by the accelerator's Close. If ctx ends first, the error wraps
// [compute.ErrStaysOpen], and Close may be called again.
func (e *Engine) Close(ctx context.Context) error {
	if e.missing() || ctx == nil {
		return fmt.Errorf("tensor: Close: the engine or the context is nil, or was never made: %w", compute.ErrNil)
	}
	e.closed.Store(true)
	e.scalarMu.Lock()
	e.dropScalars()
	e.scalarMu.Unlock()
	err := e.executor.close(ctx)
	if !errors.Is(err, compute.ErrStaysOpen) {
		e.closing.Do(e.closeBackends)
	}
	return err
}

func (e *Engine) open() error {
	if e.closed.Load() {
		return errEngineClosed()
	}
	return nil
}

// maxScalars is how many scalars an engine keeps in device memory.
const maxScalars = 256

type scalarKey struct {
	typ  Type
	bits [8]byte
}

// scalar returns memory with one element, which belongs to the engine. It counts an owner for the
// caller.
func (e *Engine) scalar(ctx context.Context, typ Type, bits [8]byte) (*memory, error) {
	e.scalarMu.Lock()
	defer e.scalarMu.Unlock()
	key := scalarKey{typ, bits}
	if m := e.scalars[key]; m != nil {
		m.retain()
		return m, nil
	}
	if err := e.open(); err != nil {
		return nil, err
	}
	m, err := newMemory(e.acc, typ.Size())
	if err != nil {
		return nil, err
	}
	if err := m.buffer.Upload(ctx, bits[:typ.Size()]); err != nil {
		m.release()
		return nil, err
	}
	if len(e.scalars) == maxScalars {
		e.dropScalars()
	}
	e.scalars[key] = m
	m.retain()
	return m, nil
}

// dropScalars releases the scalars. The lock is held.
func (e *Engine) dropScalars() {
	for _, m := range e.scalars {
		m.release()
	}
	clear(e.scalars)
}

// memory is a buffer that tensors share. It is closed with its last owner.
type memory struct {
	buffer  *compute.Buffer[uint8]
	owners  atomic.Int32
	adopted bool // from the program
}

// newMemory rents memory with one owner. Empty tensors have memory too.
func newMemory(acc *compute.Accelerator, bytes int) (*memory, error) {
	b, err := compute.NewBuffer[uint8](acc, memoryBytes(bytes), compute.BufferOptions{Label: "tensor"})
	if err != nil {
		return nil, err
	}
	return memoryOf(b), nil
}

// memoryBytes returns the size of the buffer for a tensor of so many bytes.
func memoryBytes(bytes int) int { return max(bytes, 8) }

func memoryOf(b *compute.Buffer[uint8]) *memory {
	m := &memory{buffer: b}
	m.owners.Store(1)
	return m
}

// retain adds an owner; there is at least one already.
func (m *memory) retain() { m.owners.Add(1) }

func (m *memory) release() {
	if m.owners.Add(-1) == 0 {
		m.buffer.Close()
	}
}

// owner is one reference to memory. Views of a tensor have its owner.
type owner struct {
	mem *memory

	mu     sync.Mutex
	closed bool
}

func (o *owner) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		o.mem.release()
	}
}

// hold counts an owner of the memory, so that it stays open during a call; release ends it.
func (o *owner) hold() (*memory, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, fmt.Errorf("the tensor: %w", compute.ErrClosed)
	}
	o.mem.retain()
	return o.mem, nil
}

// shapeError makes an error of package tensorop one of this package.
func shapeError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", plain(err), ErrShape)
}

// plain returns an error's text without the name of package tensorop.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "tensorop: ") }

package resilience

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// BufferOptions configures a [Buffer].
type BufferOptions struct {
	compute.BufferOptions
	// HostCopy keeps the contents in the host's memory as well, as they are after each batch that
	// succeeds. It takes twice the buffer's size. The buffer then survives a lost device, and
	// batches that write it can be repeated and moved to the fallback device.
	HostCopy bool
}

// Buffer is a buffer on whichever device executes the work. Close it when done.
type Buffer[T any] struct {
	state    *bufferState
	contents *contents[T]
	from, to int // elements
}

// NewBuffer makes a buffer of n zeros.
func NewBuffer[T any](ctx context.Context, m *Manager, n int, o BufferOptions) (*Buffer[T], error) {
	if m.missing() {
		return nil, fmt.Errorf("resilience: NewBuffer: nil manager: %w", compute.ErrNil)
	}
	if n < 1 {
		return nil, fmt.Errorf("resilience: NewBuffer: %d elements, want at least 1: %w", n, compute.ErrRange)
	}
	c := &contents[T]{n: n, options: o.BufferOptions}
	s := &bufferState{manager: m, label: o.Label, contents: c, bound: map[*device]*binding{}, version: 1}
	if s.label == "" {
		s.label = fmt.Sprintf("buffer of %d elements", n)
	}
	if o.HostCopy {
		s.copied = 2 * c.bytes()
		if err := m.takeCopies(s.copied, s.label); err != nil {
			return nil, err
		}
		c.copy, c.spare = make([]T, n), make([]T, n)
	}
	if err := m.add(s); err != nil {
		m.giveCopies(s.copied)
		return nil, err
	}
	b := &Buffer[T]{s, c, 0, n}
	m.device.running.RLock() // or what is made might be that of an accelerator that is replaced now
	_, err := s.on(ctx, m.device)
	m.device.running.RUnlock()
	if err != nil && !o.HostCopy {
		b.Close()
		return nil, err
	}
	return b, nil // with a host copy, the device gets it when a batch needs it
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int {
	if b.missing() {
		return 0
	}
	return b.to - b.from
}

// missing reports whether the buffer is nil or was not made by [NewBuffer].
func (b *Buffer[T]) missing() bool { return b == nil || b.state == nil }

// Slice returns elements from to to-1 as a buffer on the same memory.
func (b *Buffer[T]) Slice(from, to int) (*Buffer[T], error) {
	if b.missing() {
		return nil, errMissing("Slice", "buffer")
	}
	if from < 0 || to > b.Len() || from >= to {
		return nil, fmt.Errorf("resilience: slice %d:%d of %q with %d elements: %w", from, to, b.state.label, b.Len(),
			compute.ErrRange)
	}
	return &Buffer[T]{b.state, b.contents, b.from + from, b.from + to}, nil
}

// Close releases the buffer and its slices, on all devices. Batches that need it later fail.
func (b *Buffer[T]) Close() {
	if !b.missing() {
		b.state.close()
	}
}

// Upload replaces the contents. It must not be called while batches that use the buffer run.
func (b *Buffer[T]) Upload(ctx context.Context, data []T) error {
	if b.missing() || ctx == nil {
		return errMissing("Upload", "buffer or context")
	}
	if len(data) != b.Len() {
		return fmt.Errorf("resilience: upload of %d elements to %q with %d: %w", len(data), b.state.label, b.Len(),
			compute.ErrRange)
	}
	s := b.state
	if b.contents.copy != nil {
		s.mu.Lock()
		copy(b.contents.copy[b.from:b.to], data)
		s.version++ // devices get it when a batch needs it
		s.mu.Unlock()
		return nil
	}
	lost := false
	if b.whole() { // then nothing of what was lost matters
		s.mu.Lock()
		lost, s.lost = s.lost, false
		s.mu.Unlock()
	}
	err := b.onDevice(ctx, func(part *compute.Buffer[T]) error { return part.Upload(ctx, data) })
	if err != nil && lost {
		s.mu.Lock()
		s.lost = true
		s.mu.Unlock()
	}
	return err
}

// onDevice calls do with the buffer on the device.
func (b *Buffer[T]) onDevice(ctx context.Context, do func(*compute.Buffer[T]) error) error {
	d := b.state.manager.device
	d.running.RLock()
	defer d.running.RUnlock()
	a, err := b.argument(ctx, d)
	if err != nil {
		return err
	}
	return do(a.(*compute.Buffer[T]))
}

// Download copies the contents to data. They are those after the last batch that succeeded: call
// [Stream.Sync] first. It must not be called while batches that write the buffer run.
func (b *Buffer[T]) Download(ctx context.Context, data []T) error {
	if b.missing() || ctx == nil {
		return errMissing("Download", "buffer or context")
	}
	if len(data) != b.Len() {
		return fmt.Errorf("resilience: download of %d elements from %q with %d: %w", len(data), b.state.label, b.Len(),
			compute.ErrRange)
	}
	s := b.state
	if b.contents.copy != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		copy(data, b.contents.copy[b.from:b.to])
		return nil
	}
	return b.onDevice(ctx, func(part *compute.Buffer[T]) error { return part.Download(ctx, data) })
}

// argument implements handle.
func (b *Buffer[T]) argument(ctx context.Context, d *device) (compute.AnyBuffer, error) {
	a, err := b.state.on(ctx, d)
	if err != nil || b.whole() {
		return a, err
	}
	return a.(*compute.Buffer[T]).Slice(b.from, b.to)
}

func (b *Buffer[T]) buffer() *bufferState {
	if b.missing() {
		return nil
	}
	return b.state
}

func (b *Buffer[T]) whole() bool { return b.Len() == b.contents.n }

// handle is a *[Buffer] of any type.
type handle interface {
	argument(ctx context.Context, d *device) (compute.AnyBuffer, error)
	buffer() *bufferState
	whole() bool // rather than a slice of one
}

// bufferState is the part of a buffer that does not depend on its type.
type bufferState struct {
	manager  *Manager
	label    string
	copied   uint64 // bytes of the host copy, 0 for none
	contents typed

	mu      sync.Mutex
	version uint64 // of the host copy
	closed  bool
	lost    bool // and nothing has replaced the contents since
	bound   map[*device]*binding
}

// binding is a buffer on a device.
type binding struct {
	buffer  compute.AnyBuffer
	version uint64 // of its contents, 0 if they differ from every host copy
}

// on returns the buffer on a device, with the contents of the host copy if there is one.
func (s *bufferState) on(ctx context.Context, d *device) (compute.AnyBuffer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("resilience: buffer %q: %w", s.label, compute.ErrClosed)
	}
	if s.copied == 0 && (s.lost || d != s.manager.device) {
		if s.lost {
			return nil, fmt.Errorf("resilience: buffer %q has no host copy: %w", s.label, ErrLost)
		}
		return nil, fmt.Errorf("resilience: buffer %q has no host copy, so it cannot move to the fallback device: %w",
			s.label, ErrNotRepeatable)
	}
	b := s.bound[d]
	if b == nil {
		acc, _, err := d.current(ctx)
		if err != nil {
			return nil, err
		}
		b = &binding{}
		if b.buffer, err = s.contents.create(ctx, acc, d.lost() != nil); err != nil {
			return nil, err
		}
		s.bound[d] = b
	}
	if s.copied > 0 && b.version != s.version {
		if err := s.contents.upload(ctx, b.buffer); err != nil {
			return nil, err
		}
		b.version = s.version
	}
	return b.buffer, nil
}

// spoil notes that a failed batch may have changed the contents on a device.
func (s *bufferState) spoil(d *device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bound[d]; b != nil {
		b.version = 0
	}
}

// save copies the contents from a device into the spare host copy. keep makes that the host copy.
func (s *bufferState) save(ctx context.Context, d *device) (keep func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bound[d]
	if s.closed || b == nil {
		return func() {}, nil
	}
	if err := s.contents.download(ctx, b.buffer); err != nil {
		return nil, err
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.contents.swap()
		s.version++
		b.version = s.version
	}, nil
}

// replace notes that nothing of the contents matters any more.
func (s *bufferState) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = false
}

// lose notes that a device is lost, and reports whether that loses the contents.
func (s *bufferState) lose(d *device) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copied > 0 || s.closed || s.lost || s.bound[d] == nil {
		return false
	}
	s.lost = true
	return true
}

// toHost releases the buffer on a device that is gone, unless its memory is the host's: the CPU
// gets one of that kind when a batch needs it.
func (s *bufferState) toHost(d *device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bound[d]; b != nil && !s.contents.onHost(b.buffer) {
		s.contents.release(b.buffer)
		delete(s.bound, d)
	}
}

// carry releases the buffer on a device whose accelerator is replaced. Contents that the CPU has
// made meanwhile, and that are nowhere else, move to the new one; if that fails, they are lost.
func (s *bufferState) carry(ctx context.Context, d *device, acc *compute.Accelerator) {
	s.mu.Lock()
	b := s.bound[d]
	if b != nil && !s.closed && !s.lost && s.copied == 0 {
		moved, err := s.contents.move(ctx, acc, b.buffer)
		if err == nil {
			s.contents.release(b.buffer)
			s.bound[d] = &binding{buffer: moved}
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		s.manager.noteLostBuffer(s, d)
		s.unbind(d)
		return
	}
	s.mu.Unlock()
	s.unbind(d)
}

// unbind releases the buffer on a device.
func (s *bufferState) unbind(d *device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bound[d]; b != nil {
		s.contents.release(b.buffer)
		delete(s.bound, d)
	}
}

func (s *bufferState) close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	for _, b := range s.bound {
		s.contents.release(b.buffer)
	}
	clear(s.bound)
	s.mu.Unlock()
	s.manager.remove(s)
	s.manager.giveCopies(s.copied)
}

// typed is a buffer's contents, of any type.
type typed interface {
	// create makes a buffer; onHost is whether its memory must be the host's.
	create(ctx context.Context, acc *compute.Accelerator, onHost bool) (compute.AnyBuffer, error)
	onHost(compute.AnyBuffer) bool
	move(ctx context.Context, acc *compute.Accelerator, from compute.AnyBuffer) (compute.AnyBuffer, error)
	release(compute.AnyBuffer)
	upload(context.Context, compute.AnyBuffer) error
	download(context.Context, compute.AnyBuffer) error
	swap()
}

// contents implements typed.
type contents[T any] struct {
	n           int
	options     compute.BufferOptions
	copy, spare []T // nil without a host copy
}

func (c *contents[T]) bytes() uint64 {
	return uint64(c.n) * uint64(reflect.TypeFor[T]().Size())
}

func (c *contents[T]) create(ctx context.Context, acc *compute.Accelerator, onHost bool) (compute.AnyBuffer,
	error) {
	o := c.options
	if onHost { // so that no transfer needs the device
		shared := mtl.StorageModeShared
		o.Intent, o.Storage = compute.HostVisible, &shared
	}
	if c.copy != nil { // upload follows
		return compute.NewBuffer[T](acc, c.n, o)
	}
	return compute.NewZeroed[T](ctx, acc, c.n, o)
}

func (c *contents[T]) onHost(b compute.AnyBuffer) bool {
	return b.(*compute.Buffer[T]).Storage() == mtl.StorageModeShared
}

func (c *contents[T]) move(ctx context.Context, acc *compute.Accelerator, from compute.AnyBuffer) (compute.AnyBuffer,
	error) {
	data := make([]T, c.n)
	if err := from.(*compute.Buffer[T]).Download(ctx, data); err != nil {
		return nil, err
	}
	to, err := compute.NewBuffer[T](acc, c.n, c.options)
	if err != nil {
		return nil, err
	}
	if err := to.Upload(ctx, data); err != nil {
		to.Close()
		return nil, err
	}
	return to, nil
}

func (c *contents[T]) release(b compute.AnyBuffer) { b.(*compute.Buffer[T]).Close() }

func (c *contents[T]) upload(ctx context.Context, b compute.AnyBuffer) error {
	return b.(*compute.Buffer[T]).Upload(ctx, c.copy)
}

func (c *contents[T]) download(ctx context.Context, b compute.AnyBuffer) error {
	return b.(*compute.Buffer[T]).Download(ctx, c.spare)
}

func (c *contents[T]) swap() { c.copy, c.spare = c.spare, c.copy }

// add lists a buffer.
func (m *Manager) add(s *bufferState) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("resilience: NewBuffer: manager: %w", compute.ErrClosed)
	}
	m.buffers = append(m.buffers, s)
	return nil
}

func (m *Manager) remove(s *bufferState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.buffers = slices.DeleteFunc(m.buffers, func(x *bufferState) bool { return x == s })
}

// takeCopies reserves memory for a host copy.
func (m *Manager) takeCopies(n uint64, label string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies+n > m.o.HostCopies {
		return fmt.Errorf("resilience: buffer %q: a host copy takes %d bytes, with %d in use of %d: %w", label, n,
			m.copies, m.o.HostCopies, ErrHostCopies)
	}
	m.copies += n
	return nil
}

func (m *Manager) giveCopies(n uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.copies -= n
}

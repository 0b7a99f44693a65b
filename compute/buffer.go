package compute

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// Buffer is device memory for a number of elements of type T: a scalar, a type of package simd, or
// a structure or array of these. Launches check that the layout of T matches the kernel's type.
//
// Close a buffer when done. If it becomes unreachable without Close, the garbage collector closes
// it some time later, with a warning in the log. Work recorded before Close still runs; the memory
// is released once that work has ended. A Buffer is safe for concurrent use, except that writes
// through [Buffer.Data] are ordinary writes to Go memory.
type Buffer[T any] struct {
	owner    stream.Owner
	offset   uint // bytes
	n        int  // elements
	readOnly bool
	part     bool // a sub-buffer, which does not own the memory
}

// NewBuffer makes a buffer of n elements. Its contents are undefined, because the memory may have
// belonged to another buffer; [NewZeroed] clears it. Errors: [ErrRange] for less than one element,
// [ErrOutOfMemory], [ErrLayout] for a T that no kernel can read, such as one with pointers.
func NewBuffer[T any](a *Accelerator, n int, o BufferOptions) (*Buffer[T], error) {
	if a.missing() {
		return nil, stream.NilError("NewBuffer: the accelerator")
	}
	return newBuffer[T](context.Background(), a, n, o)
}

// newBuffer is NewBuffer; ctx ends attempts to open a device again.
func newBuffer[T any](ctx context.Context, a *Accelerator, n int, o BufferOptions) (*Buffer[T], error) {
	size, err := elementSize[T](n)
	if err != nil {
		return nil, err
	}
	var m *stream.Memory
	if a.core.Guard == nil && !o.HostCopy {
		m, err = a.newMemory(size*uint(n), o)
	} else {
		m, err = a.newSafeMemory(ctx, size*uint(n), o)
	}
	if err != nil {
		return nil, err
	}
	return own[T](m, n), nil
}

// NewZeroed is [NewBuffer] with all bytes set to 0. The device clears memory that the host cannot
// access; NewZeroed waits for that until ctx ends.
func NewZeroed[T any](ctx context.Context, a *Accelerator, n int, o BufferOptions) (*Buffer[T], error) {
	if err := stream.CheckCall(ctx, "NewZeroed", a.missing()); err != nil {
		return nil, err
	}
	b, err := newBuffer[T](ctx, a, n, o)
	if err != nil {
		return nil, err
	}
	m := b.owner.Mem
	err = m.Use() // a new buffer may be moved already
	if err == nil {
		err = a.protect(ctx, "a buffer of zeros", func() error { return zeroMemory(m, ctx) })
		m.Done()
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// BufferOf makes a buffer with a copy of data. The memory is shared on every device, so
// [Buffer.Data] works. A GPU with its own memory reads shared memory over its bus: there,
// [NewBuffer] and [Buffer.Upload] are faster for data that kernels use often.
func BufferOf[T any](ctx context.Context, a *Accelerator, data []T) (*Buffer[T], error) {
	if err := stream.CheckCall(ctx, "BufferOf", a.missing()); err != nil {
		return nil, err
	}
	shared := mtl.StorageModeShared
	b, err := newBuffer[T](ctx, a, len(data), BufferOptions{Storage: &shared})
	if err != nil {
		return nil, err
	}
	if err := b.Upload(ctx, data); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Adopt makes a buffer of the program's own memory without copying it (zero-copy, pinned memory).
// data must consist of whole, page-aligned pages outside of Go's heap, as mmap returns them, and
// must stay mapped until free is called, which is once the buffer is closed and no work uses it.
// The storage mode is shared; of the options, only the label is used.
func Adopt[T any](a *Accelerator, data []T, o BufferOptions, free func()) (*Buffer[T], error) {
	if a.missing() {
		return nil, stream.NilError("Adopt: the accelerator")
	}
	size, err := elementSize[T](len(data))
	if err != nil {
		return nil, err
	}
	length, page := size*uint(len(data)), uint(os.Getpagesize())
	raw := stream.BytesOf(data)
	at := addressOf(raw)
	if uint(at)%page != 0 || length%page != 0 {
		return nil, fmt.Errorf("compute: Adopt: %d bytes at %#x are not whole pages of %d bytes: %w", length, at, page,
			ErrRange)
	}
	options := mtl.MakeResourceOptions(mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache,
		mtl.HazardTrackingModeUntracked)
	m := &stream.Memory{Length: length, Stored: uint8(mtl.StorageModeShared), Label: o.Label}
	m.NeedExtra().Free = free
	err = a.core.Register(m, func() (err error) {
		m.Buffer, err = a.device.NewBufferWithBytesNoCopy(raw, options, nil)
		if err == nil && m.Label != "" {
			m.Buffer.SetLabel(m.Label)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return own[T](m, len(data)), nil
}

// elementSize returns the bytes of one element, after checking T and n.
func elementSize[T any](n int) (uint, error) {
	t := reflect.TypeFor[T]()
	if err := checkPlain(t); err != nil {
		return 0, err
	}
	size := uint(t.Size())
	if n < 1 || uint(n) > (1<<62)/size {
		return 0, fmt.Errorf("compute: buffer of %d elements of %d bytes, want at least 1 element and at most %d bytes: %w",
			n, size, uint(1<<62), ErrRange)
	}
	return size, nil
}

// own makes the first handle of a memory.
func own[T any](m *stream.Memory, n int) *Buffer[T] {
	b := &Buffer[T]{n: n}
	b.owner.Own(m)
	return b
}

// Close closes the buffer. Closing a closed buffer or a sub-buffer does nothing.
func (b *Buffer[T]) Close() {
	if b.missing() || b.part {
		return
	}
	b.owner.Close()
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int {
	if b.missing() {
		return 0
	}
	return b.n
}

// Size returns the number of bytes.
func (b *Buffer[T]) Size() int { return b.Len() * int(stream.SizeOf[T]()) }

// ID returns a number that is unique among the buffers of the accelerator; sub-buffers have the ID
// of their buffer.
func (b *Buffer[T]) ID() uint64 {
	if b.missing() {
		return 0
	}
	return b.owner.Mem.Id
}

// Label returns the label that the buffer was made with.
func (b *Buffer[T]) Label() string {
	if b.missing() {
		return ""
	}
	return b.owner.Mem.Label
}

// Storage returns Metal's storage mode.
func (b *Buffer[T]) Storage() mtl.StorageMode {
	if b.missing() {
		return 0
	}
	return b.owner.Mem.Mode()
}

// Accelerator returns the accelerator that the buffer belongs to.
func (b *Buffer[T]) Accelerator() *Accelerator {
	if b.missing() {
		return nil
	}
	return acceleratorOf(b.owner.Mem)
}

// Hold keeps the buffer's memory until release is called, as recorded work that uses it does: Close
// does not free it, and Upload, Download, Wait and [Accelerator.Close] wait. It is for work that
// this package does not know, such as that of the program's own queues or of other devices. release
// may be called more than once.
func (b *Buffer[T]) Hold() (release func(), err error) {
	if b.missing() {
		return nil, stream.NilError("buffer: Hold")
	}
	m := b.owner.Mem
	if err := m.Acc.BeginWait(); err != nil {
		return nil, err
	}
	if err := m.Use(); err != nil {
		m.Acc.Waits.Done()
		return nil, err
	}
	return sync.OnceFunc(func() {
		m.Done()
		m.Acc.Waits.Done()
	}), nil
}

// Metal returns Metal's buffer and the offset of this buffer in it, in bytes, for features that
// this package does not wrap. It is valid until Close.
func (b *Buffer[T]) Metal() (buffer mtl.Buffer, offset uint) {
	if b.missing() {
		return buffer, 0
	}
	_ = b.owner.Mem.Stay() // a closed buffer has no place
	b.owner.Mem.Written(0, b.owner.Mem.Length)
	return b.owner.Mem.Buffer, b.offset
}

// Slice returns the elements [from, to) as a buffer that shares the memory and its lifetime. An
// argument in the constant address space must begin at a multiple of 4 bytes on Apple silicon and
// 256 elsewhere.
func (b *Buffer[T]) Slice(from, to int) (*Buffer[T], error) {
	if b.missing() {
		return nil, stream.NilError("buffer: Slice")
	}
	if from < 0 || to <= from || to > b.n {
		return nil, fmt.Errorf("compute: %v: elements [%d, %d) of %d: %w", b.owner.Mem, from, to, b.n, ErrRange)
	}
	return b.sub(b.offset+uint(from)*stream.SizeOf[T](), to-from, b.readOnly), nil
}

// ReadOnly returns a read-only buffer that shares the memory: launches reject it for arguments that
// the kernel writes. It returns nil for a nil buffer.
func (b *Buffer[T]) ReadOnly() *Buffer[T] {
	if b.missing() {
		return nil
	}
	return b.sub(b.offset, b.n, true)
}

// sub returns another handle of the memory.
func (b *Buffer[T]) sub(offset uint, n int, readOnly bool) *Buffer[T] {
	s := &Buffer[T]{offset: offset, n: n, readOnly: readOnly, part: true}
	s.owner.Share(&b.owner)
	return s
}

// Data returns the memory of a shared buffer: a view, not a copy. The buffer owns it. The view is
// valid until Close, and only as long as the program can reach the buffer, because the garbage
// collector does not know that the view needs it: call runtime.KeepAlive with the buffer after the
// last use, or close the buffer there. Nothing orders the program's accesses and those of kernels:
// Sync the stream before reading what its kernels write or writing what they read. For other
// storage modes, such as that of [HostVisible] on a GPU with its own memory, the error wraps
// [ErrStorage]; [Buffer.Upload] and [Buffer.Download] work for all of them. So it does on an
// accelerator of package resilience, where memory is replaced when the device was lost.
func (b *Buffer[T]) Data() ([]T, error) {
	if b.missing() {
		return nil, stream.NilError("buffer: Data")
	}
	if b.owner.Mem.Acc.Guard != nil {
		return nil, fmt.Errorf("compute: Data of %v: the device may be opened again, with other memory; use Download: %w",
			b.owner.Mem, ErrStorage)
	}
	raw, err := b.bytes()
	if err != nil {
		return nil, err
	}
	return stream.SliceOf[T](raw), nil
}

// bytes is the memory of a shared buffer.
func (b *Buffer[T]) bytes() ([]byte, error) {
	m := b.owner.Mem
	if err := m.Open(); err != nil {
		return nil, err
	}
	if m.Mode() != mtl.StorageModeShared {
		return nil, fmt.Errorf("compute: Data of %v: %v memory is not shared; use Download: %w", m, m.Mode(), ErrStorage)
	}
	return b.view().Bytes()
}

func (b *Buffer[T]) asArgument() (stream.View, reflect.Type, bool) {
	return b.view(), reflect.TypeFor[T](), b.readOnly
}

func (b *Buffer[T]) view() stream.View { return b.front(b.n) }

// front returns the first n elements.
func (b *Buffer[T]) front(n int) stream.View {
	return stream.ViewOf(b.owner.Mem, b.offset, uint(n)*stream.SizeOf[T]())
}

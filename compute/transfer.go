package compute

import (
	"context"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Copy records a copy of src to dst, which must have equal lengths and must not overlap. On GPUs
// other than Apple's, parts of buffers must begin and end at multiples of
// [mtl.Limits].BlitAlignment bytes, otherwise the error wraps [ErrRange].
func Copy[T any](ctx context.Context, s *Stream, dst, src *Buffer[T]) error {
	if err := stream.CheckCall(ctx, "Copy", s.missing()); err != nil {
		return err
	}
	if dst.missing() || src.missing() {
		return fmt.Errorf("compute: copy: no buffer: %w", ErrNil)
	}
	if dst.n != src.n {
		return fmt.Errorf("compute: copy of %d elements to a buffer of %d, want equal lengths: %w", src.n, dst.n, ErrRange)
	}
	from, to := src.view(), dst.view()
	if from.Overlaps(to) {
		return fmt.Errorf("compute: copy within %v: the ranges overlap: %w", from.Mem, ErrRange)
	}
	if dst.readOnly {
		return fmt.Errorf("compute: copy to %v: the buffer is read-only: %w", to.Mem, ErrStorage)
	}
	return s.transfer(ctx, stream.Work{Command: stream.NewCopy(from, to)})
}

// Fill records a command that sets every byte of dst to value. Parts of buffers must be aligned as
// for [Copy].
func Fill[T any](ctx context.Context, s *Stream, dst *Buffer[T], value uint8) error {
	if err := stream.CheckCall(ctx, "Fill", s.missing()); err != nil {
		return err
	}
	if dst.missing() {
		return fmt.Errorf("compute: fill: no buffer: %w", ErrNil)
	}
	if dst.readOnly {
		return fmt.Errorf("compute: fill of %v: the buffer is read-only: %w", dst.owner.Mem, ErrStorage)
	}
	return s.transfer(ctx, stream.Work{Command: &stream.FillCommand{Transfer: stream.Transfer{To: dst.view()},
		Value: value}})
}

// transfer counts the uses of a copy or fill and records it. The program's call is two frames up.
func (s *Stream) transfer(ctx context.Context, w stream.Work) error {
	t := w.Command.(interface{ Ends() *stream.Transfer }).Ends()
	_, texture := w.Command.(*textureBlit)
	for _, v := range []*stream.View{&t.From, &t.To} {
		if v.Mem == nil {
			continue
		}
		if v.Mem.Acc != &s.acc.core {
			return fmt.Errorf("compute: %v %w", v.Mem, ErrAccelerator)
		}
		if unit := s.acc.info.Limits.BlitAlignment; unit > 1 && !texture {
			if v.Offset+v.Length == v.Mem.Length {
				v.Length = stream.RoundUp(v.Offset+v.Length, unit) - v.Offset
			}
			if v.Offset%unit != 0 || v.Length%unit != 0 {
				return fmt.Errorf("compute: transfer of %d bytes at byte %d of %v: the device requires multiples of %d: %w",
					v.Length, v.Offset, v.Mem, unit, ErrRange)
			}
		}
	}
	if err := w.Use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(3, site[:])
	w.Site = site[0]
	return s.record(ctx, w)
}

// Callback calls fn on another goroutine once all earlier commands of the stream have ended. fn
// receives the first failure since the previous callback, an *[ExecutionError], or nil;
// [Stream.Sync] returns the failures as well. Callbacks of a stream run in order, one at a time. If
// fn panics, the panic is logged, and the next Sync or Close returns it as a *[PanicError]; later
// callbacks still run. Close waits for callbacks, so fn must not close the stream or the
// accelerator, or wait for anything that happens only after Close.
func (s *Stream) Callback(ctx context.Context, fn func(error)) error {
	if err := stream.CheckCall(ctx, "stream: Callback", s.missing()); err != nil {
		return err
	}
	if fn == nil {
		return fmt.Errorf("compute: no callback: %w", ErrNil)
	}
	return s.record(ctx, stream.Work{Command: &stream.CallbackCommand{Call: fn}})
}

// maxStaging is the size of the staging memory; larger transfers are divided into portions.
const maxStaging = 32 << 20

// Upload copies data to the beginning of the buffer. It first waits until no recorded work uses the
// buffer, and returns once the copy is complete. If data is longer than the buffer, the error wraps
// [ErrRange].
func (b *Buffer[T]) Upload(ctx context.Context, data []T) error {
	if err := stream.CheckCall(ctx, "buffer: Upload", b.missing()); err != nil {
		return err
	}
	if b.readOnly {
		return fmt.Errorf("compute: upload to %v: the buffer is read-only: %w", b.owner.Mem, ErrStorage)
	}
	return b.move(ctx, data, "upload", func(ctx context.Context, offset uint, data []byte) error {
		return uploadMemory(b.owner.Mem, ctx, offset, data)
	})
}

// Download copies the beginning of the buffer to data. It first waits until no recorded work uses
// the buffer. If data is longer than the buffer, the error wraps [ErrRange]. If the work that wrote
// this part of the buffer failed, or read what failed work should have written, Download copies
// nothing and returns that failure, until later work has overwritten the part: an upload, a [Fill],
// a [Copy] of sound memory, or a launch that lists it in [Overwrites]. [Stream.Sync] returns the
// failure as well, but only once.
func (b *Buffer[T]) Download(ctx context.Context, data []T) error {
	if err := stream.CheckCall(ctx, "buffer: Download", b.missing()); err != nil {
		return err
	}
	return b.move(ctx, data, "download", func(ctx context.Context, offset uint, data []byte) error {
		return downloadMemory(b.owner.Mem, ctx, offset, data)
	})
}

// Wait waits until no recorded work uses the buffer. If the work that wrote it failed, Wait returns
// that failure, as [Buffer.Download] does.
func (b *Buffer[T]) Wait(ctx context.Context) error {
	if err := stream.CheckCall(ctx, "buffer: Wait", b.missing()); err != nil {
		return err
	}
	m := b.owner.Mem
	return m.WhileUnused(ctx, func() error { return b.view().Failure("wait for") })
}

func (b *Buffer[T]) move(ctx context.Context, data []T, what string,
	do func(context.Context, uint, []byte) error) (err error) {
	m := b.owner.Mem
	if err := checkTransfer(what, b, len(data)); err != nil {
		return err
	}
	if list := m.Acc.Observers(); list != nil {
		defer m.ObserveTransfer(list, observe.TransferEvent{Ctx: ctx, Start: m.Acc.Now(),
			Bytes:  uint64(len(stream.BytesOf(data))),
			Upload: what == "upload", Label: m.Label}, &err)
	}
	return m.WhileUnused(ctx, func() (err error) {
		if len(data) == 0 {
			return nil
		}
		v := b.front(len(data))
		if what == "download" {
			err = v.Failure(what)
		}
		switch {
		case err != nil:
			return err
		case m.Kept():
			m.MoveKept(b.offset, stream.BytesOf(data), what == "upload")
		case m.Acc.Guard == nil:
			err = do(ctx, b.offset, stream.BytesOf(data))
		default:
			err = acceleratorOf(m).protect(ctx, what, func() error {
				if err := refresh(ctx, m); err != nil {
					return err
				}
				return do(ctx, b.offset, stream.BytesOf(data))
			})
		}
		switch {
		case what == "download":
		case err == nil:
			v.Overwritten()
		default: // a part may have been written
			v.Spoil(err)
		}
		runtime.KeepAlive(b)
		return err
	})
}

// upload writes memory that no work uses.
func uploadMemory(m *stream.Memory, ctx context.Context, offset uint, data []byte) error {
	if m.Mode() == mtl.StorageModePrivate {
		return stagedCopy(m, ctx, offset, data, HostVisible, func(s *Stream, here, there stream.View, skip uint,
			data []byte) error {
			if uint(len(data)) < there.Length { // keep the other bytes of its first and last unit
				if err := s.transferAndSync(ctx, stream.Work{Command: stream.NewHeldCopy(there, here)}); err != nil {
					return err
				}
			}
			if err := here.Mem.Write(skip, data); err != nil {
				return err
			}
			stream.ViewOf(here.Mem, skip, uint(len(data))).Overwritten()
			return s.transferAndSync(ctx, stream.Work{Command: stream.NewHeldCopy(here, there)})
		})
	}
	return m.Write(offset, data)
}

// zero clears new memory and waits until that is done.
func zeroMemory(m *stream.Memory, ctx context.Context) error {
	if err := m.Acc.Begin(); err != nil {
		return err
	}
	defer m.Acc.Calls.Done()
	if m.Mode() == mtl.StorageModePrivate {
		s, err := acceleratorOf(m).transferStream()
		if err != nil {
			return err
		}
		return s.transferAndSync(ctx, stream.Work{
			Command: &stream.FillCommand{Transfer: stream.Transfer{To: stream.ViewOf(m, 0, m.Length)}}})
	}
	raw, err := m.Buffer.BytesAt(0, m.Length)
	if err != nil {
		return err
	}
	clear(raw)
	m.Written(0, m.Length)
	m.KeepWritten(0, m.Length)
	if m.Mode() == mtl.StorageModeManaged {
		return m.Buffer.DidModifyRange(mtl.Range{Length: m.Length})
	}
	return nil
}

// download reads memory that no work uses.
func downloadMemory(m *stream.Memory, ctx context.Context, offset uint, data []byte) error {
	switch m.Mode() {
	case mtl.StorageModePrivate:
		return stagedCopy(m, ctx, offset, data, Readback, func(s *Stream, here, there stream.View, skip uint,
			data []byte) error {
			if err := s.transferAndSync(ctx, stream.Work{Command: stream.NewHeldCopy(there, here)}); err != nil {
				return err
			}
			return here.Mem.Read(skip, data)
		})
	case mtl.StorageModeManaged:
		s, err := acceleratorOf(m).transferStream()
		if err == nil {
			err = s.transferAndSync(ctx, stream.Work{Command: stream.NewHeldSynchronize(m)})
		}
		if err != nil {
			return err
		}
	}
	return m.Read(offset, data)
}

// staged calls step for each portion of data, which belongs at offset in the memory; see
// eachPortion.
func stagedCopy(m *stream.Memory, ctx context.Context, offset uint, data []byte, intent Intent,
	step func(s *Stream, here, there stream.View, skip uint, data []byte) error) error {
	s, err := acceleratorOf(m).transferStream()
	if err != nil {
		return err
	}
	stage, err := eachPortion(m, offset, data, intent, func(here, there stream.View, skip uint, data []byte) error {
		if err := ctx.Err(); err != nil {
			return stream.ContextError(ctx, m.String())
		}
		return step(s, here, there, skip, data)
	})
	if stage != nil {
		stage.Close()
	}
	return err
}

// eachPortion calls step for each portion of data, which belongs at offset in the memory. here is
// staging memory, which eachPortion also returns for the caller to close. there is the portion of
// the memory, rounded to whole units of the device's copies. skip is the number of bytes before
// data in the first unit.
func eachPortion(m *stream.Memory, offset uint, data []byte, intent Intent,
	step func(here, there stream.View, skip uint, data []byte) error) (stage *stream.Memory, err error) {
	unit := max(m.Acc.Info.Limits.BlitAlignment, 1)
	// Buffers from the pool are long enough for a whole last unit.
	begin, end := offset/unit*unit, stream.RoundUp(offset+uint(len(data)), unit)
	if stage, err = acceleratorOf(m).newStage(min(end-begin, maxStaging), intent); err != nil {
		return nil, err
	}
	for at := begin; at < end; at += maxStaging {
		n := min(end-at, maxStaging)
		first, last := max(at, offset), min(at+n, offset+uint(len(data)))
		err := step(stream.ViewOf(stage, 0, n), stream.ViewOf(m, at, n), first-at, data[first-offset:last-offset])
		if err != nil {
			return stage, err
		}
	}
	return stage, nil
}

// newStage makes staging memory.
func (a *Accelerator) newStage(length uint, intent Intent) (*stream.Memory, error) {
	shared := mtl.StorageModeShared
	m, err := a.newMemory(length, BufferOptions{Label: stagingLabel, Intent: intent, Storage: &shared})
	if err == nil && intent == HostVisible {
		m.KeepOfHost()
	}
	return m, err
}

// stagingLabel is the label of staging memory.
const stagingLabel = "staging"

// transferAndSync records one transfer, waits for it alone, and returns the failure of its command
// buffer.
func (s *Stream) transferAndSync(ctx context.Context, w stream.Work) error {
	done := make(chan error, 1)
	w.Then = func(err error) { done <- err }
	if err := s.transfer(ctx, w); err != nil {
		return err
	}
	s.Flush()
	select {
	case err := <-done:
		s.failures.forget(err)
		s.seen()
		return err
	case <-ctx.Done():
		return stream.ContextError(ctx, "a copy")
	}
}

// transferStream returns the stream for uploads and downloads.
func (a *Accelerator) transferStream() (*Stream, error) {
	a.sharedMu.Lock()
	defer a.sharedMu.Unlock()
	if a.transfers == nil {
		s, err := a.newStream(StreamOptions{Label: "transfers"}, false) // who copies deals with failures
		if err != nil {
			return nil, err
		}
		a.transfers = s
	}
	return a.transfers, nil
}

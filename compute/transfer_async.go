package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// UploadAsync records a copy of data to the beginning of dst as a command of the stream: the copy
// runs after the stream's earlier commands and before later ones. The call returns immediately.
//
// The stream owns data until the copy has ended: until then the program must not change it. Sync
// waits for the end, and so does a wait for done, an event that is recorded immediately after the
// copy; done may be nil. If the copy fails, Sync returns the failure, the contents of dst are
// undefined, and done is still reached. If UploadAsync itself returns an error, nothing was
// recorded, and data belongs to the program.
//
// Private memory is written through at most 32 MiB of staging memory. The host's copies hold up
// this stream, but no others: to overlap transfers with kernels, use a separate stream and
// [Stream.WaitFor].
func UploadAsync[T any](ctx context.Context, s *Stream, dst *Buffer[T], data []T, done *Event) error {
	if err := stream.CheckCall(ctx, "UploadAsync", s.missing()); err != nil {
		return err
	}
	if err := checkTransfer("upload", dst, len(data)); err != nil {
		return err
	}
	if dst.readOnly {
		return fmt.Errorf("compute: upload to %v: the buffer is read-only: %w", dst.owner.Mem, ErrStorage)
	}
	err := s.copyHost(ctx, hostTransfer{at: dst.front(len(data)), data: stream.BytesOf(data), upload: true}, done)
	runtime.KeepAlive(dst)
	return err
}

// DownloadAsync records a copy of the beginning of src to data as a command of the stream; see
// [UploadAsync]. Until the copy has ended, the program must neither read nor change data. If the
// work that wrote src failed, nothing is copied, and Sync returns that failure.
func DownloadAsync[T any](ctx context.Context, s *Stream, data []T, src *Buffer[T], done *Event) error {
	if err := stream.CheckCall(ctx, "DownloadAsync", s.missing()); err != nil {
		return err
	}
	if err := checkTransfer("download", src, len(data)); err != nil {
		return err
	}
	err := s.copyHost(ctx, hostTransfer{at: src.front(len(data)), data: stream.BytesOf(data)}, done)
	runtime.KeepAlive(src)
	return err
}

// checkTransfer checks the buffer of a transfer of n elements.
func checkTransfer[T any](what string, b *Buffer[T], n int) error {
	switch {
	case b.missing():
		return fmt.Errorf("compute: %s: nil buffer: %w", what, ErrNil)
	case n > b.n:
		return fmt.Errorf("compute: %s of %d elements, %v has %d: %w", what, n, b.owner.Mem, b.n, ErrRange)
	}
	return nil
}

// hostTransfer is a transfer between a range of device memory and a slice of the program, as a
// sequence of commands of a stream.
type hostTransfer struct {
	at       stream.View
	portions []portion // of a texture
	data     []byte
	upload   bool

	works  []stream.Work
	failed error // of a step; the steps run one after another
}

// copyHost records a transfer, and an event unless it is nil. The program's call is two frames up.
func (s *Stream) copyHost(ctx context.Context, t hostTransfer, done *Event) error {
	if t.at.Mem.Acc != &s.acc.core {
		return fmt.Errorf("compute: %v %w", t.at.Mem, ErrAccelerator)
	}
	if done != nil && done.missing() {
		return stream.NilError("record of an event after a copy")
	}
	if len(t.data) > 0 {
		if err := t.build(); err != nil {
			return err
		}
		var site [1]uintptr
		runtime.Callers(3, site[:])
		for i := range t.works {
			t.works[i].Site = site[0]
		}
	} else if err := t.at.Mem.Open(); err != nil {
		return err
	}
	if done != nil {
		return s.recordWith(ctx, t.works, done)
	}
	_, err := s.recordAll(ctx, t.works)
	return err
}

// build makes the commands.
func (t *hostTransfer) build() error {
	m, whole := t.at.Mem, t.at
	if t.portions != nil {
		return t.stagedTexels()
	}
	if m.Mode() == mtl.StorageModePrivate {
		return t.staged()
	}
	if m.Mode() == mtl.StorageModeManaged && !t.upload {
		if err := t.add(stream.Work{Command: stream.NewSynchronize(m)}); err != nil {
			return err
		}
	}
	return t.host(whole, uint64(whole.Length), func() error { return t.copy(m, whole.Offset, t.data) })
}

// copy copies between data and memory that the host can access.
func (t *hostTransfer) copy(m *stream.Memory, offset uint, data []byte) error {
	if t.upload {
		return m.Write(offset, data)
	}
	return m.Read(offset, data)
}

// stagingIntent is what the staging memory of an upload or a download is for.
func stagingIntent(upload bool) Intent {
	if upload {
		return HostVisible
	}
	return Readback
}

// staged makes the commands for private memory: for each portion a copy by the host and one by the
// device.
func (t *hostTransfer) staged() error {
	step := func(here, there stream.View, skip uint, data []byte) error {
		load := stream.Work{Command: stream.NewCopy(there, here)}
		partial := uint(len(data)) < there.Length // keep the other bytes of its first and last unit
		if !t.upload || partial {
			if err := t.add(load); err != nil {
				return err
			}
		}
		err := t.host(stream.ViewOf(here.Mem, skip, uint(len(data))), 0, func() error { return t.copy(here.Mem, skip, data) })
		if err != nil || !t.upload {
			return err
		}
		return t.add(stream.Work{Command: stream.NewCopy(here, there)})
	}
	stage, err := eachPortion(t.at.Mem, t.at.Offset, t.data, stagingIntent(t.upload), step)
	if stage != nil {
		stage.Close() // its uses keep it
	}
	return err
}

// host adds a copy by the host to or from a range, which does not run if an earlier step has
// failed. bytes is for statistics.
func (t *hostTransfer) host(at stream.View, bytes uint64, do func() error) error {
	return t.add(stream.Work{Command: &stream.HostCopy{At: at, Upload: t.upload, Bytes: bytes,
		Call: func(err error) error {
			if t.failed = cmp.Or(t.failed, err); t.failed != nil {
				return notRunError{t.failed}
			}
			t.failed = do()
			return t.failed
		}}})
}

// add counts the uses of a command and adds it. If that fails, it removes all commands.
func (t *hostTransfer) add(w stream.Work) error {
	if err := w.Use(); err != nil {
		stream.EndAll(t.works)
		t.works = nil
		return err
	}
	t.works = append(t.works, w)
	return nil
}

// endsWithHost reports whether the batch ends with a copy by the host, which must end before later
// batches begin.
func (b *batch) endsWithHost() bool {
	return len(b.works) > 0 && b.works[len(b.works)-1].Side() == stream.ByHost
}

// notRunError is returned for a part of the host that did not run because something before it had
// failed, which is reported already.
type notRunError struct{ error }

// runHost runs the host's part at the end of a batch, whose other commands have ended and been
// settled, and settles it. Its failure becomes that of the batch.
func (b *batch) runHost() {
	s, w := b.stream, &b.works[len(b.works)-1]
	var err error
	if b.onCPU() {
		if err = b.err; err == nil { // otherwise it was canceled before its turn
			err = b.runFallback(context.Background())
			b.err = err
		}
	} else if err = b.hostPart(w); err != nil && b.err == nil {
		if known := (notRunError{}); errors.As(err, &known) {
			err = known.error
		} else {
			err = fmt.Errorf("compute: stream %s: %v: %w", s.label, w, err)
			s.acc.log.Error("compute: the host's part failed", "stream", s.label, "error", err)
			b.err = err
		}
	}
	s.acc.core.SettlePoison(w, err)
	b.byHost = true
}

// hostPart runs the host's function, or lets the host decide about a loop. A failure means that it
// has not been done.
func (b *batch) hostPart(w *stream.Work) error {
	s := b.stream
	unsound := b.err
	if unsound == nil {
		unsound = w.Inputs(w.String())
	}
	if c, ok := w.Command.(*stream.Branch); ok {
		return cmp.Or(b.branch(w, c, unsound), unsound)
	}
	if unsound != nil && b.err == nil && w.Of != nil && w.Of.FailedBefore(b.works, s.failedBatches) {
		return notRunError{unsound} // and settle tells the composite
	}
	began := s.acc.now()
	err := w.Command.(stream.HostCommand).Run(unsound)
	if unsound != nil {
		return unsound
	}
	b.observeHost(w, began, err)
	return err
}

package compute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute/observe"
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
	if err := checkCall(ctx, "UploadAsync", s.missing()); err != nil {
		return err
	}
	if err := checkTransfer("upload", dst, len(data)); err != nil {
		return err
	}
	if dst.readOnly {
		return fmt.Errorf("compute: upload to %v: the buffer is read-only: %w", dst.owner.mem, ErrStorage)
	}
	err := s.copyHost(ctx, hostTransfer{at: dst.front(len(data)), data: bytesOf(data), upload: true}, done)
	runtime.KeepAlive(dst)
	return err
}

// DownloadAsync records a copy of the beginning of src to data as a command of the stream; see
// [UploadAsync]. Until the copy has ended, the program must neither read nor change data. If the
// work that wrote src failed, nothing is copied, and Sync returns that failure.
func DownloadAsync[T any](ctx context.Context, s *Stream, data []T, src *Buffer[T], done *Event) error {
	if err := checkCall(ctx, "DownloadAsync", s.missing()); err != nil {
		return err
	}
	if err := checkTransfer("download", src, len(data)); err != nil {
		return err
	}
	err := s.copyHost(ctx, hostTransfer{at: src.front(len(data)), data: bytesOf(data)}, done)
	runtime.KeepAlive(src)
	return err
}

// checkTransfer checks the buffer of a transfer of n elements.
func checkTransfer[T any](what string, b *Buffer[T], n int) error {
	switch {
	case b.missing():
		return fmt.Errorf("compute: %s: nil buffer: %w", what, ErrNil)
	case n > b.n:
		return fmt.Errorf("compute: %s of %d elements, %v has %d: %w", what, n, b.owner.mem, b.n, ErrRange)
	}
	return nil
}

// hostTransfer is a transfer between a range of device memory and a slice of the program, as a
// sequence of commands of a stream.
type hostTransfer struct {
	at       view
	portions []portion // of a texture
	data     []byte
	upload   bool

	works  []work
	failed error // of a step; the steps run one after another
}

// copyHost records a transfer, and an event unless it is nil. The program's call is two frames up.
func (s *Stream) copyHost(ctx context.Context, t hostTransfer, done *Event) error {
	if t.at.mem.acc != s.acc {
		return fmt.Errorf("compute: %v %w", t.at.mem, ErrAccelerator)
	}
	if done != nil && done.missing() {
		return nilError("record of an event after a copy")
	}
	if len(t.data) > 0 {
		if err := t.build(); err != nil {
			return err
		}
		var site [1]uintptr
		runtime.Callers(3, site[:])
		for i := range t.works {
			t.works[i].site = site[0]
		}
	} else if err := t.at.mem.open(); err != nil {
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
	m, whole := t.at.mem, t.at
	if t.portions != nil {
		return t.stagedTexels()
	}
	if m.mode() == mtl.StorageModePrivate {
		return t.staged()
	}
	if m.mode() == mtl.StorageModeManaged && !t.upload {
		if err := t.add(work{command: &synchronizeCommand{transfer{to: view{m, 0, m.length}}}}); err != nil {
			return err
		}
	}
	return t.host(whole, uint64(whole.length), func() error { return t.copy(m, whole.offset, t.data) })
}

// copy copies between data and memory that the host can access.
func (t *hostTransfer) copy(m *memory, offset uint, data []byte) error {
	if t.upload {
		return m.write(offset, data)
	}
	return m.read(offset, data)
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
	step := func(here, there view, skip uint, data []byte) error {
		load := work{command: &copyCommand{transfer{there, here}}}
		partial := uint(len(data)) < there.length // keep the other bytes of its first and last unit
		if !t.upload || partial {
			if err := t.add(load); err != nil {
				return err
			}
		}
		err := t.host(view{here.mem, skip, uint(len(data))}, 0, func() error { return t.copy(here.mem, skip, data) })
		if err != nil || !t.upload {
			return err
		}
		return t.add(work{command: &copyCommand{transfer{here, there}}})
	}
	stage, err := t.at.mem.eachPortion(t.at.offset, t.data, stagingIntent(t.upload), step)
	if stage != nil {
		stage.close() // its uses keep it
	}
	return err
}

// host adds a copy by the host to or from a range, which does not run if an earlier step has
// failed. bytes is for statistics.
func (t *hostTransfer) host(at view, bytes uint64, do func() error) error {
	return t.add(work{command: &hostCopy{at: at, upload: t.upload, bytes: bytes, call: func(err error) error {
		if t.failed = cmp.Or(t.failed, err); t.failed != nil {
			return notRunError{t.failed}
		}
		t.failed = do()
		return t.failed
	}}})
}

// add counts the uses of a command and adds it. If that fails, it removes all commands.
func (t *hostTransfer) add(w work) error {
	if err := w.use(); err != nil {
		endAll(t.works)
		t.works = nil
		return err
	}
	t.works = append(t.works, w)
	return nil
}

// hostCommand is a command that calls a function of the host.
type hostCommand interface {
	command
	// run runs it. It gets the failure of what is before it, and returns its own.
	run(failed error) error
}

// hostCopy is a copy between memory and a slice of the program, by the host.
type hostCopy struct {
	plainCommand
	at     view
	upload bool
	bytes  uint64 // for statistics: 0 for a part of a copy
	call   func(failed error) error
}

func (c *hostCopy) use() error                  { return c.at.mem.use() }
func (c *hostCopy) done()                       { c.at.mem.done() }
func (c *hostCopy) side() side                  { return byHost }
func (c *hostCopy) size() int                   { return int(c.at.length) }
func (c *hostCopy) run(failed error) error      { return c.call(failed) }
func (c *hostCopy) summarize(s *commandSummary) { s.form = "copy by the host" }
func (c *hostCopy) observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandHostCopy, c.bytes
}
func (c *hostCopy) tally(n *streamCounters) { n.copy(c.bytes) }

func (c *hostCopy) accesses(list []rangeAccess) []rangeAccess {
	return append(list, rangeAccess{view: c.at, reads: !c.upload, writes: c.upload, whole: c.upload})
}

// endsWithHost reports whether the batch ends with a copy by the host, which must end before later
// batches begin.
func (b *batch) endsWithHost() bool {
	return len(b.works) > 0 && b.works[len(b.works)-1].side() == byHost
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
			err = b.runFallback()
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
	s.acc.settlePoison(w, err)
	b.byHost = true
}

// hostPart runs the host's function, or lets the host decide about a loop. A failure means that it
// has not been done.
func (b *batch) hostPart(w *work) error {
	s := b.stream
	unsound := b.err
	if unsound == nil {
		unsound = w.inputs(w.String())
	}
	if c, ok := w.command.(*branch); ok {
		return cmp.Or(b.branch(w, c, unsound), unsound)
	}
	if unsound != nil && b.err == nil && w.of != nil && w.of.failedBefore(b.works, s.failedBatches) {
		return notRunError{unsound} // and settle tells the composite
	}
	began := s.acc.now()
	err := w.command.(hostCommand).run(unsound)
	if unsound != nil {
		return unsound
	}
	b.observeHost(w, began, err)
	return err
}

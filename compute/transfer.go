package compute

import (
	"context"
	"fmt"
	"runtime"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Copy records a copy of src to dst, which must have equal lengths and must not overlap. On GPUs
// other than Apple's, parts of buffers must begin and end at multiples of
// [mtl.Limits].BlitAlignment bytes, otherwise the error wraps [ErrRange].
func Copy[T any](ctx context.Context, s *Stream, dst, src *Buffer[T]) error {
	if err := checkCall(ctx, "Copy", s.missing()); err != nil {
		return err
	}
	if dst.missing() || src.missing() {
		return fmt.Errorf("compute: copy: no buffer: %w", ErrNil)
	}
	if dst.n != src.n {
		return fmt.Errorf("compute: copy of %d elements to a buffer of %d, want equal lengths: %w", src.n, dst.n, ErrRange)
	}
	from, to := src.view(), dst.view()
	if from.overlaps(to) {
		return fmt.Errorf("compute: copy within %v: the ranges overlap: %w", from.mem, ErrRange)
	}
	if dst.readOnly {
		return fmt.Errorf("compute: copy to %v: the buffer is read-only: %w", to.mem, ErrStorage)
	}
	return s.transfer(ctx, work{command: &copyCommand{transfer{from, to}}})
}

// Fill records a command that sets every byte of dst to value. Parts of buffers must be aligned as
// for [Copy].
func Fill[T any](ctx context.Context, s *Stream, dst *Buffer[T], value uint8) error {
	if err := checkCall(ctx, "Fill", s.missing()); err != nil {
		return err
	}
	if dst.missing() {
		return fmt.Errorf("compute: fill: no buffer: %w", ErrNil)
	}
	if dst.readOnly {
		return fmt.Errorf("compute: fill of %v: the buffer is read-only: %w", dst.owner.mem, ErrStorage)
	}
	return s.transfer(ctx, work{command: &fillCommand{transfer{to: dst.view()}, value}})
}

// transfer is what a blit encoder reads and overwrites.
type transfer struct{ from, to view } // from.mem is nil if nothing is read

func (t *transfer) ends() *transfer { return t }

func (t *transfer) use() error {
	if t.from.mem != nil {
		if err := t.from.mem.use(); err != nil {
			return err
		}
	}
	err := t.to.mem.use()
	if err != nil && t.from.mem != nil {
		t.from.mem.done()
	}
	return err
}

func (t *transfer) done() {
	if t.from.mem != nil {
		t.from.mem.done()
	}
	t.to.mem.done()
}

func (t *transfer) side() side        { return byDevice }
func (t *transfer) launched() *Launch { return nil }
func (t *transfer) size() int         { return int(t.from.length + t.to.length) }
func (t *transfer) recorded()         {}

func (t *transfer) accesses(list []rangeAccess) []rangeAccess {
	if t.from.mem != nil {
		list = append(list, rangeAccess{view: t.from, reads: true})
	}
	return append(list, rangeAccess{view: t.to, writes: true, whole: true})
}

func (t *transfer) hazards(spans []span) []span {
	if t.from.mem != nil {
		spans = append(spans, spanOf(t.from, false))
	}
	return append(spans, spanOf(t.to, true))
}

// copyCommand copies between buffers.
type copyCommand struct{ transfer }

func (c *copyCommand) encode(e *encoder, w *work) error {
	return e.transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.CopyFromBuffer(c.from.mem.buffer, c.from.offset, c.to.mem.buffer, c.to.offset, c.to.length)
	})
}

func (c *copyCommand) summarize(s *commandSummary) { s.form, s.bytes = "copy of %d bytes", c.to.length }
func (c *copyCommand) observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandCopy, uint64(c.to.length)
}
func (c *copyCommand) tally(n *streamCounters) { n.copy(uint64(c.to.length)) }
func (c *copyCommand) always() bool            { return false }

// poison copies the poison as well.
func (c *copyCommand) poison(_ *Accelerator, _ *work, failed error) bool {
	if failed != nil {
		return false
	}
	var moved []poisoned
	for _, r := range c.from.mem.poison().in(c.from.offset, c.from.offset+c.from.length) {
		r.from, r.to, r.derived = r.from-c.from.offset+c.to.offset, r.to-c.from.offset+c.to.offset, true
		moved = append(moved, r)
	}
	if len(moved) > 0 {
		c.to.mem.needPoison().replace(c.to.offset, c.to.offset+c.to.length, moved)
	} else {
		c.to.overwritten()
	}
	return true
}

// fillCommand sets every byte of a range.
type fillCommand struct {
	transfer
	value uint8
}

func (c *fillCommand) encode(e *encoder, w *work) error {
	return e.transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.FillBuffer(c.to.mem.buffer, mtl.Range{Location: c.to.offset, Length: c.to.length}, c.value)
	})
}

func (c *fillCommand) summarize(s *commandSummary) { s.form, s.bytes = "fill of %d bytes", c.to.length }
func (c *fillCommand) observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandFill, uint64(c.to.length)
}

func (c *fillCommand) tally(n *streamCounters) {
	n.fills.Add(1)
	n.filled.Add(uint64(c.to.length))
}

// synchronizeCommand makes what the device wrote to managed memory visible to the host.
type synchronizeCommand struct{ transfer }

func (c *synchronizeCommand) encode(e *encoder, w *work) error {
	return e.transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.SynchronizeResource(c.to.mem.buffer.Resource)
	})
}

func (c *synchronizeCommand) summarize(s *commandSummary)    { s.form = "synchronize" }
func (c *synchronizeCommand) observe(e *observe.RecordEvent) { e.Kind = observe.CommandCopy }
func (c *synchronizeCommand) tally(n *streamCounters)        { n.copy(0) }

func (c *synchronizeCommand) accesses(list []rangeAccess) []rangeAccess {
	return append(list, rangeAccess{view: c.to, reads: true})
}

// transfer counts the uses of a copy or fill and records it. The program's call is two frames up.
func (s *Stream) transfer(ctx context.Context, w work) error {
	t := w.command.(interface{ ends() *transfer }).ends()
	_, texture := w.command.(*textureBlit)
	for _, v := range []*view{&t.from, &t.to} {
		if v.mem == nil {
			continue
		}
		if v.mem.acc != s.acc {
			return fmt.Errorf("compute: %v %w", v.mem, ErrAccelerator)
		}
		if unit := s.acc.info.Limits.BlitAlignment; unit > 1 && !texture {
			if v.offset+v.length == v.mem.length {
				v.length = roundUp(v.offset+v.length, unit) - v.offset
			}
			if v.offset%unit != 0 || v.length%unit != 0 {
				return fmt.Errorf("compute: transfer of %d bytes at byte %d of %v: the device requires multiples of %d: %w",
					v.length, v.offset, v.mem, unit, ErrRange)
			}
		}
	}
	if err := w.use(); err != nil {
		return err
	}
	var site [1]uintptr
	runtime.Callers(3, site[:])
	w.site = site[0]
	return s.record(ctx, w)
}

// Callback calls fn on another goroutine once all earlier commands of the stream have ended. fn
// receives the first failure since the previous callback, an *[ExecutionError], or nil;
// [Stream.Sync] returns the failures as well. Callbacks of a stream run in order, one at a time. If
// fn panics, the panic is logged, and the next Sync or Close returns it as a *[PanicError]; later
// callbacks still run. Close waits for callbacks, so fn must not close the stream or the
// accelerator, or wait for anything that happens only after Close.
func (s *Stream) Callback(ctx context.Context, fn func(error)) error {
	if err := checkCall(ctx, "stream: Callback", s.missing()); err != nil {
		return err
	}
	if fn == nil {
		return fmt.Errorf("compute: no callback: %w", ErrNil)
	}
	return s.record(ctx, work{command: &callbackCommand{call: fn}})
}

// maxStaging is the size of the staging memory; larger transfers are divided into portions.
const maxStaging = 32 << 20

// Upload copies data to the beginning of the buffer. It first waits until no recorded work uses the
// buffer, and returns once the copy is complete. If data is longer than the buffer, the error wraps
// [ErrRange].
func (b *Buffer[T]) Upload(ctx context.Context, data []T) error {
	if err := checkCall(ctx, "buffer: Upload", b.missing()); err != nil {
		return err
	}
	if b.readOnly {
		return fmt.Errorf("compute: upload to %v: the buffer is read-only: %w", b.owner.mem, ErrStorage)
	}
	return b.move(ctx, data, "upload", b.owner.mem.upload)
}

// Download copies the beginning of the buffer to data. It first waits until no recorded work uses
// the buffer. If data is longer than the buffer, the error wraps [ErrRange]. If the work that wrote
// this part of the buffer failed, or read what failed work should have written, Download copies
// nothing and returns that failure, until later work has overwritten the part: an upload, a [Fill],
// a [Copy] of sound memory, or a launch that lists it in [Overwrites]. [Stream.Sync] returns the
// failure as well, but only once.
func (b *Buffer[T]) Download(ctx context.Context, data []T) error {
	if err := checkCall(ctx, "buffer: Download", b.missing()); err != nil {
		return err
	}
	return b.move(ctx, data, "download", b.owner.mem.download)
}

// Wait waits until no recorded work uses the buffer. If the work that wrote it failed, Wait returns
// that failure, as [Buffer.Download] does.
func (b *Buffer[T]) Wait(ctx context.Context) error {
	if err := checkCall(ctx, "buffer: Wait", b.missing()); err != nil {
		return err
	}
	m := b.owner.mem
	return m.whileUnused(ctx, func() error { return b.view().failure("wait for") })
}

func (b *Buffer[T]) move(ctx context.Context, data []T, what string,
	do func(context.Context, uint, []byte) error) (err error) {
	m := b.owner.mem
	if err := checkTransfer(what, b, len(data)); err != nil {
		return err
	}
	if list := m.acc.observers(); list != nil {
		defer m.observeTransfer(list, observe.TransferEvent{Ctx: ctx, Start: m.acc.now(), Bytes: uint64(len(bytesOf(data))),
			Upload: what == "upload", Label: m.label}, &err)
	}
	return m.whileUnused(ctx, func() (err error) {
		if len(data) == 0 {
			return nil
		}
		v := b.front(len(data))
		if what == "download" {
			err = v.failure(what)
		}
		if err == nil {
			err = do(ctx, b.offset, bytesOf(data))
		}
		switch {
		case what == "download":
		case err == nil:
			v.overwritten()
		default: // a part may have been written
			v.spoil(err)
		}
		runtime.KeepAlive(b)
		return err
	})
}

// whileUnused waits until no recorded work uses the memory, and calls do. Meanwhile neither the
// memory nor the accelerator can be released; otherwise the pool could rent the memory to others
// during the copy.
func (m *memory) whileUnused(ctx context.Context, do func() error) error {
	if err := m.acc.begin(); err != nil { // the accelerator's Close waits
		return err
	}
	defer m.acc.calls.done()
	if err := m.hold(ctx); err != nil {
		return err
	}
	defer m.done()
	return do()
}

// upload writes memory that no work uses.
func (m *memory) upload(ctx context.Context, offset uint, data []byte) error {
	if m.mode() == mtl.StorageModePrivate {
		return m.staged(ctx, offset, data, HostVisible, func(s *Stream, here, there view, skip uint, data []byte) error {
			if uint(len(data)) < there.length { // keep the other bytes of its first and last unit
				if err := s.transferAndSync(ctx, work{command: &copyCommand{transfer{there, here}}}); err != nil {
					return err
				}
			}
			if err := here.mem.write(skip, data); err != nil {
				return err
			}
			view{here.mem, skip, uint(len(data))}.overwritten()
			return s.transferAndSync(ctx, work{command: &copyCommand{transfer{here, there}}})
		})
	}
	return m.write(offset, data)
}

// write copies data to memory that the host can access and that no work uses.
func (m *memory) write(offset uint, data []byte) error {
	to, err := m.buffer.BytesAt(offset, uint(len(data)))
	if err != nil {
		return err
	}
	copy(to, data)
	m.written(offset, uint(len(data)))
	if m.mode() == mtl.StorageModeManaged {
		return m.buffer.DidModifyRange(mtl.Range{Location: offset, Length: uint(len(data))})
	}
	return nil
}

// read copies memory that the host can access to data. Managed memory must have been synchronized.
func (m *memory) read(offset uint, data []byte) error {
	from, err := m.buffer.BytesAt(offset, uint(len(data)))
	copy(data, from)
	return err
}

// zero clears new memory and waits until that is done.
func (m *memory) zero(ctx context.Context) error {
	if err := m.acc.begin(); err != nil {
		return err
	}
	defer m.acc.calls.done()
	if m.mode() == mtl.StorageModePrivate {
		s, err := m.accelerator().transferStream()
		if err != nil {
			return err
		}
		return s.transferAndSync(ctx, work{command: &fillCommand{transfer: transfer{to: view{m, 0, m.length}}}})
	}
	raw, err := m.buffer.BytesAt(0, m.length)
	if err != nil {
		return err
	}
	clear(raw)
	m.written(0, m.length)
	if m.mode() == mtl.StorageModeManaged {
		return m.buffer.DidModifyRange(mtl.Range{Length: m.length})
	}
	return nil
}

// download reads memory that no work uses.
func (m *memory) download(ctx context.Context, offset uint, data []byte) error {
	switch m.mode() {
	case mtl.StorageModePrivate:
		return m.staged(ctx, offset, data, Readback, func(s *Stream, here, there view, skip uint, data []byte) error {
			if err := s.transferAndSync(ctx, work{command: &copyCommand{transfer{there, here}}}); err != nil {
				return err
			}
			return here.mem.read(skip, data)
		})
	case mtl.StorageModeManaged:
		s, err := m.accelerator().transferStream()
		if err == nil {
			err = s.transferAndSync(ctx, work{command: &synchronizeCommand{transfer{to: view{m, 0, m.length}}}})
		}
		if err != nil {
			return err
		}
	}
	return m.read(offset, data)
}

// staged calls step for each portion of data, which belongs at offset in the memory; see
// eachPortion.
func (m *memory) staged(ctx context.Context, offset uint, data []byte, intent Intent,
	step func(s *Stream, here, there view, skip uint, data []byte) error) error {
	s, err := m.accelerator().transferStream()
	if err != nil {
		return err
	}
	stage, err := m.eachPortion(offset, data, intent, func(here, there view, skip uint, data []byte) error {
		if err := ctx.Err(); err != nil {
			return contextError(ctx, m.String())
		}
		return step(s, here, there, skip, data)
	})
	if stage != nil {
		stage.close()
	}
	return err
}

// eachPortion calls step for each portion of data, which belongs at offset in the memory. here is
// staging memory, which eachPortion also returns for the caller to close. there is the portion of
// the memory, rounded to whole units of the device's copies. skip is the number of bytes before
// data in the first unit.
func (m *memory) eachPortion(offset uint, data []byte, intent Intent,
	step func(here, there view, skip uint, data []byte) error) (stage *memory, err error) {
	unit := max(m.acc.info.Limits.BlitAlignment, 1)
	// Buffers from the pool are long enough for a whole last unit.
	begin, end := offset/unit*unit, roundUp(offset+uint(len(data)), unit)
	if stage, err = m.accelerator().newStage(min(end-begin, maxStaging), intent); err != nil {
		return nil, err
	}
	for at := begin; at < end; at += maxStaging {
		n := min(end-at, maxStaging)
		first, last := max(at, offset), min(at+n, offset+uint(len(data)))
		err := step(view{stage, 0, n}, view{m, at, n}, first-at, data[first-offset:last-offset])
		if err != nil {
			return stage, err
		}
	}
	return stage, nil
}

// newStage makes staging memory.
func (a *Accelerator) newStage(length uint, intent Intent) (*memory, error) {
	shared := mtl.StorageModeShared
	return a.newMemory(length, BufferOptions{Label: "staging", Intent: intent, Storage: &shared})
}

func roundUp(n, unit uint) uint { return (n + unit - 1) / unit * unit }

// transferAndSync records one transfer, waits for it alone, and returns the failure of its command
// buffer.
func (s *Stream) transferAndSync(ctx context.Context, w work) error {
	done := make(chan error, 1)
	w.then = func(err error) { done <- err }
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
		return contextError(ctx, "a copy")
	}
}

// transferStream returns the stream for uploads and downloads.
func (a *Accelerator) transferStream() (*Stream, error) {
	a.sharedMu.Lock()
	defer a.sharedMu.Unlock()
	if a.transfers == nil {
		s, err := a.NewStream(StreamOptions{Label: "transfers"})
		if err != nil {
			return nil, err
		}
		a.transfers = s
	}
	return a.transfers, nil
}

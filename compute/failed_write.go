package compute

import "fmt"

// failedWrite is the range of a memory whose contents are undefined because the work that wrote it
// failed. Later successful writes to its beginning, its end or all of it shrink the range.
type failedWrite struct {
	from, to uint // bytes
	stream   *Stream
	number   uint64 // of the command
	err      error
}

// wrote records that a command has written a range, successfully if err is nil. stream is nil for a
// copy by the host.
func (m *memory) wrote(v view, stream *Stream, number uint64, err error) {
	m.lifetime.mu.Lock()
	defer m.lifetime.mu.Unlock()
	var old *failedWrite
	if x := m.extra.Load(); x != nil {
		old = x.failed
	}
	end := v.offset + v.length
	switch {
	case err != nil:
		f := &failedWrite{v.offset, end, stream, number, err}
		if old != nil {
			f.from, f.to = min(f.from, old.from), max(f.to, old.to)
		}
		m.needExtra().failed = f
	case old == nil || old.stream == stream && number < old.number:
		// Batches may end out of order when a later one could not be encoded.
	case v.offset <= old.from && old.to <= end:
		m.needExtra().failed = nil
	case v.offset <= old.from:
		old.from = max(old.from, end)
	case old.to <= end:
		old.to = min(old.to, v.offset)
	}
}

// failedWrite returns an error if the work that wrote any part of a range has failed. what names
// the program's operation on the range.
func (m *memory) failedWrite(offset, length uint, what string) error {
	m.lifetime.mu.Lock()
	defer m.lifetime.mu.Unlock()
	x := m.extra.Load()
	if x == nil {
		return nil
	}
	if f := x.failed; f != nil && f.from < offset+length && offset < f.to {
		return fmt.Errorf("compute: %s of %v: the work that wrote it failed: %w", what, m, f.err)
	}
	return nil
}

// noteWrites records the writes of a batch's commands. It does nothing until the first failure.
func (b *batch) noteWrites(err error) {
	a := b.stream.acc
	if err != nil {
		a.failedWrites.Store(true)
	} else if !a.failedWrites.Load() {
		return
	}
	for i := range b.works {
		w := &b.works[i]
		result := err
		if i < b.failedFrom {
			result = nil
		}
		if w.launch != nil {
			for j := range w.launch.args {
				if arg := &w.launch.args[j]; arg.writes && arg.view.mem != nil && (result != nil || !arg.partial) {
					arg.view.mem.wrote(arg.view, b.stream, w.number, result)
				}
			}
		} else if w.encoding != nil {
			for j, v := range w.encoding.views {
				if w.encoding.writes[j] {
					v.mem.wrote(v, b.stream, w.number, result)
				}
			}
		} else if w.commands != nil {
			for j, v := range w.commands.views { // a success may not have written all of it
				if w.commands.writes[j] && result != nil {
					v.mem.wrote(v, b.stream, w.number, result)
				}
			}
		} else if w.to.mem != nil && w.kind != synchronizeWork && (result != nil || !w.partial) {
			w.to.mem.wrote(w.to, b.stream, w.number, result)
		}
	}
}

package compute

import (
	"runtime"
	"sync/atomic"
)

// owner is a buffer's hold on its memory.
type owner struct {
	mem    *memory
	anchor atomic.Pointer[anchor] // nil once the buffer is closed
}

// anchor is shared by a buffer and its sub-buffers. Once none of them is reachable, the garbage
// collector closes the memory.
//
// Telling the collector costs more than the rest of a rented buffer, so an anchor serves one buffer
// after another: its cleanup closes the memory that it has then, if any.
type anchor struct {
	held   *atomic.Pointer[memory] // the cleanup's argument, which must not refer to the anchor
	shared atomic.Bool             // sub-buffers refer to it
}

// maxAnchors is how many anchors an accelerator keeps for its next buffers.
const maxAnchors = 1024

// newAnchor makes an anchor.
func newAnchor() *anchor {
	a := &anchor{held: new(atomic.Pointer[memory])}
	runtime.AddCleanup(a, closeDropped, a.held)
	return a
}

// closeDropped closes the memory of a buffer that became unreachable without Close.
func closeDropped(held *atomic.Pointer[memory]) {
	if m := held.Load(); m != nil && m.close() {
		m.acc.log.Warn("compute: a "+m.what()+" was dropped without Close", m.what(), m.String())
	}
}

// own makes the owner the first one of a memory.
func (o *owner) own(m *memory) {
	a := m.spare
	m.spare = nil // or the memory would keep the anchor reachable
	if a == nil {
		a = newAnchor()
	}
	a.held.Store(m)
	o.mem = m
	o.anchor.Store(a)
}

// share makes the owner another one of what from owns.
func (o *owner) share(from *owner) {
	o.mem = from.mem
	if a := from.anchor.Load(); a != nil {
		// A Close of the buffer at this moment may have another buffer take the anchor all the same.
		// That buffer, if it is dropped, is then closed only after this sub-buffer is unreachable too.
		a.shared.Store(true)
		o.anchor.Store(a)
	}
}

// close closes the memory. The anchor goes to the next buffer, unless sub-buffers may have it: they
// would keep that buffer reachable.
func (o *owner) close() {
	a := o.anchor.Swap(nil)
	if a == nil { // closed before, or by another goroutine just now
		return
	}
	a.held.Store(nil) // or the cleanup's argument would refer to the anchor, by way of the memory
	if !a.shared.Load() {
		o.mem.spare = a
	}
	o.mem.close()
}

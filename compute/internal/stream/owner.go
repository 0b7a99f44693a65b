package stream

import (
	"runtime"
	"sync/atomic"
)

// Owner is a buffer's or texture's reference to its memory.
type Owner struct {
	Mem    *Memory
	anchor atomic.Pointer[Anchor] // nil once the buffer is closed
}

// Anchor is shared by a buffer and its sub-buffers. Once none of them is reachable, its cleanup
// closes the memory.
//
// Registering a cleanup with the garbage collector costs more than everything else about a rented
// buffer. So an anchor is reused by one buffer after another; its cleanup closes the memory that it
// refers to at that time, if any.
type Anchor struct {
	held   *atomic.Pointer[Memory] // the cleanup's argument, which must not refer to the anchor
	shared atomic.Bool             // sub-buffers refer to it
}

// maxAnchors is how many anchors an accelerator keeps for its next buffers.
const maxAnchors = 1024

// newAnchor makes an anchor. With WithLeakCheck it has no cleanup.
func newAnchor(leakCheck bool) *Anchor {
	a := &Anchor{held: new(atomic.Pointer[Memory])}
	if !leakCheck {
		runtime.AddCleanup(a, closeDropped, a.held)
	}
	return a
}

// closeDropped closes the memory of a buffer that became unreachable without Close.
func closeDropped(held *atomic.Pointer[Memory]) {
	if m := held.Load(); m != nil && m.Close() {
		m.Acc.Log.Warn("compute: a "+m.what()+" was dropped without Close", m.what(), m.String())
	}
}

// Own makes o the first owner of a memory.
func (o *Owner) Own(m *Memory) {
	a := m.spare
	m.spare = nil // otherwise the memory keeps the anchor reachable
	if a == nil {
		a = newAnchor(m.Acc.LeakCheck)
	}
	a.held.Store(m)
	o.Mem = m
	o.anchor.Store(a)
}

// Share makes o another owner of the memory that from owns.
func (o *Owner) Share(from *Owner) {
	o.Mem = from.Mem
	if a := from.anchor.Load(); a != nil {
		// If the buffer is closed at this very moment, another buffer may still get the anchor. If that
		// buffer is then dropped without Close, it is closed only once this sub-buffer is unreachable
		// too.
		a.shared.Store(true)
		o.anchor.Store(a)
	}
}

// Close closes the memory. The anchor is reused by the next buffer, unless sub-buffers may still
// refer to it: they would keep that buffer's memory from being closed.
func (o *Owner) Close() {
	a := o.anchor.Swap(nil)
	if a == nil { // already closed, perhaps by another goroutine just now
		return
	}
	a.held.Store(nil) // otherwise the cleanup's argument refers to the anchor, through the memory's spare
	if !a.shared.Load() {
		o.Mem.spare = a
	}
	o.Mem.Close()
}

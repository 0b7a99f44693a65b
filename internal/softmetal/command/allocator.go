package command

import (
	"fmt"
	"reflect"
	"sync"
)

// Allocator is the memory of Metal 4's buffers, which belong to no queue until they are committed.
// The program makes the memory reusable with Reset; it is freed with the allocator.
type Allocator struct {
	gpu *GPU

	mu     sync.Mutex
	open   *Buffer // that is being recorded
	flying int     // buffers that are committed and have not run
	resets uint64  // number of calls of Reset
	lists  []*list // those in use before the free ones
	used   int
	bytes  uint64 // of all lists, as of the last look
}

// NewAllocator returns an allocator without memory.
func (g *GPU) NewAllocator() *Allocator { return &Allocator{gpu: g} }

// Begin returns a buffer to record into, for Queue.CommitAll; or nil while another buffer of the
// allocator is being recorded.
func (a *Allocator) Begin() *Buffer {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != nil {
		return nil
	}
	if a.used == len(a.lists) {
		a.lists = append(a.lists, new(list))
	}
	b := &Buffer{gpu: a.gpu, control: control{gpu: a.gpu}, list: a.lists[a.used], from: a, reset: a.resets,
		ordered: a.gpu.order.Load()}
	a.used++
	a.open = b
	return b
}

// Close ends the recording of a buffer from an Allocator.
func (b *Buffer) Close() {
	a := b.from
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == b {
		a.open = nil
	}
	a.measure()
}

// Reset gives the memory of the buffers recorded so far free for others. Those that are not
// committed are lost. It fails while one is being recorded or under way.
func (a *Allocator) Reset() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.open != nil:
		return fmt.Errorf("a command buffer of the allocator is being encoded")
	case a.flying > 0:
		return fmt.Errorf("the GPU has not completed %d of the allocator's command buffers, want 0", a.flying)
	}
	for _, l := range a.lists[:a.used] {
		l.reset()
	}
	a.used = 0
	a.resets++
	return nil
}

// Size returns how many bytes lists of commands take. They are counted where encoders and buffers
// end.
func (a *Allocator) Size() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes
}

// look recounts the bytes.
func (a *Allocator) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.measure()
}

func (a *Allocator) measure() {
	a.bytes = 0
	for _, l := range a.lists {
		a.bytes += l.bytes()
	}
}

// bytes returns what a list takes.
func (l *list) bytes() uint64 {
	size := func(v any) uint64 { return uint64(reflect.TypeOf(v).Size()) }
	return size(*l) + uint64(cap(l.ops))*size(op{}) + uint64(cap(l.words))*8 + uint64(cap(l.passes))*size(pass{})
}

// fly records that a buffer is committed, or returns false if its commands are gone.
func (b *Buffer) fly() bool {
	a := b.from
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.reset != a.resets {
		return false
	}
	a.flying++
	return true
}

// land records that the GPU is done with a buffer.
func (b *Buffer) land() {
	b.from.mu.Lock()
	defer b.from.mu.Unlock()
	b.from.flying--
}

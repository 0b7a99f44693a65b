package stream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/puremetal/puremetal/pool"
)

// Relocation is the location of relocatable memory. It is pinned during each use of the memory, and
// until Close once the program has been given the location.
type Relocation struct {
	Block   *pool.Relocatable
	staying atomic.Bool
}

// end returns the memory to the pool. Nothing uses it any more.
func (r *Relocation) end() error {
	var err error
	if r.staying.Load() {
		err = r.Block.Unpin(nil)
	}
	return errors.Join(err, r.Block.Return())
}

// Use counts a use, during which the memory does not move.
func (m *Memory) Use() error {
	if err := m.uses.Use(m); err != nil || m.place() == nil {
		return err
	}
	return m.pin()
}

// hold waits until the memory is unused, and counts a use.
func (m *Memory) hold(ctx context.Context) error {
	if err := m.uses.hold(ctx, m); err != nil {
		return err
	}
	if m.place() != nil {
		if err := m.pin(); err != nil {
			return err
		}
	}
	m.seenUses()
	return nil
}

// pin pins the memory at its current location, for a use that has been counted.
func (m *Memory) pin() error {
	buffer, err := m.place().Block.Pin()
	if err != nil {
		m.uses.Done(m)
		return fmt.Errorf("compute: %v: %w", m, err)
	}
	if m.Buffer != buffer { // it moved, so no other use is reading m.buffer
		m.Buffer = buffer
	}
	return nil
}

// Done ends a use.
func (m *Memory) Done() {
	if m.place() != nil {
		_ = m.place().Block.Unpin(nil) // it is pinned, so this cannot fail
	}
	m.uses.Done(m)
}

// Open returns an error once the memory is closed.
func (m *Memory) Open() error { return m.uses.open(m) }

// Close closes the memory, and reports whether it was open.
func (m *Memory) Close() bool { return m.uses.close(m) }

// Stay keeps the memory at its current location until it is closed.
func (m *Memory) Stay() error {
	if m.place() == nil {
		return m.Open()
	}
	if err := m.Use(); err != nil {
		return err
	}
	if m.place().staying.CompareAndSwap(false, true) {
		m.uses.Done(m) // the pin remains, until end
		return nil
	}
	m.Done()
	return nil
}

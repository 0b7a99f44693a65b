package mtl

import (
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// bufferState is the state that all command buffers have, including Metal 4's. Methods of a nil
// state do nothing.
type bufferState struct {
	mu     sync.Mutex
	groups debugGroups
	open   *encoderState // at most one
	device *deviceFacts
}

// end undoes a command buffer's begin.
func (s *bufferState) end() {
	if s != nil {
		s.mu.Unlock()
	}
}

func (s *bufferState) debugGroups() *debugGroups {
	if s == nil {
		return nil
	}
	return &s.groups
}

// opened records the new encoder e as the open one. The caller holds the lock.
func (s *bufferState) opened(c check, e objc.ID, remember func() *encoderState) (*encoderState, error) {
	if err := c.some("encoder", e); err != nil || s == nil {
		return nil, err
	}
	s.open = remember()
	s.open.device, s.open.owner = s.device, s
	return s.open, nil
}

// ended records that an encoder is no longer open.
func (s *bufferState) ended(e *encoderState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == e {
		s.open = nil
	}
}

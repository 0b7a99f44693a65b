package mtl

import (
	"sync"

	"github.com/puremetal/puremetal/objc"
)

// bufferState is what command buffers remember, Metal 4's included. Methods of a nil one do
// nothing.
type bufferState struct {
	mu     sync.Mutex
	groups debugGroups
	open   *encoderState // at most one
	device *deviceFacts
}

// end ends what begin of a command buffer began.
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

// opened remembers that e, which has just been made, is the open encoder. It is called under the
// lock.
func (s *bufferState) opened(c check, e objc.ID, remember func() *encoderState) (*encoderState, error) {
	if err := c.some("encoder", e); err != nil || s == nil {
		return nil, err
	}
	s.open = remember()
	s.open.device, s.open.owner = s.device, s
	return s.open, nil
}

// ended remembers that an encoder is not open any more.
func (s *bufferState) ended(e *encoderState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == e {
		s.open = nil
	}
}

package mtl

import "github.com/puremetal/puremetal/objc"

// Commit submits command buffers, at least one, to the GPU in order. Each must have been begun and
// ended since its last commit ([ErrState]) and must occur only once ([ErrArgument]).
//
//	-[MTL4CommandQueue commit:count:]
func (o CommandQueue4) Commit(commandBuffers []CommandBuffer4) error {
	const c = check("-[MTL4CommandQueue commit:count:]")
	return o.commit(c, commandBuffers, func() { sendCommandQueue4Commit(o, commandBuffers) })
}

// CommitOptions is Commit with options, which must not be nil. They hold handlers that are called
// when the command buffers have completed.
//
//	-[MTL4CommandQueue commit:count:options:]
func (o CommandQueue4) CommitOptions(commandBuffers []CommandBuffer4, options CommitOptions4) error {
	const c = check("-[MTL4CommandQueue commit:count:options:]")
	if err := c.object("options", options.ID()); err != nil {
		return err
	}
	return o.commit(c, commandBuffers, func() { sendCommandQueue4CommitOptions(o, commandBuffers, options) })
}

func (o CommandQueue4) commit(c check, buffers []CommandBuffer4, send func()) error {
	if err := c.object("command queue", o.ID()); err != nil {
		return err
	}
	if err := c.count("number of command buffers", len(buffers)); err != nil {
		return err
	}
	if err := objects(c, "command buffer", buffers); err != nil {
		return err
	}
	seen := make(map[objc.ID]int, len(buffers))
	for i, b := range buffers {
		if j, twice := seen[b.ID()]; twice {
			return c.fail(ErrArgument, "command buffers %d and %d are the same", j, i)
		}
		seen[b.ID()] = i
	}
	// One at a time, and undone if a later one is not ready, so that locks of several buffers are
	// never held at once.
	for i, b := range buffers {
		if err := b.state.commit(c, i); err != nil {
			for _, done := range buffers[:i] {
				done.state.uncommit()
			}
			return err
		}
	}
	send()
	return nil
}

// commit checks that the command buffer is ended and returns it to the state in which it can be
// begun again.
func (s *commandBuffer4State) commit(c check, i int) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != phaseEnded {
		return c.fail(ErrState, "command buffer %d has not been begun and ended", i)
	}
	s.phase = phaseIdle
	return nil
}

// uncommit undoes commit.
func (s *commandBuffer4State) uncommit() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == phaseIdle {
		s.phase = phaseEnded
	}
}

// SignalEvent sets an event, which must not be nil, to value when the work committed before has
// completed.
//
//	-[MTL4CommandQueue signalEvent:value:]
func (o CommandQueue4) SignalEvent(event Event, value uint64) error {
	const c = check("-[MTL4CommandQueue signalEvent:value:]")
	if err := o.needs(c, "event", event); err != nil {
		return err
	}
	sendCommandQueue4SignalEvent(o, event, value)
	return nil
}

// WaitForEvent makes the work committed after it wait until an event, which must not be nil, has
// reached value.
//
//	-[MTL4CommandQueue waitForEvent:value:]
func (o CommandQueue4) WaitForEvent(event Event, value uint64) error {
	const c = check("-[MTL4CommandQueue waitForEvent:value:]")
	if err := o.needs(c, "event", event); err != nil {
		return err
	}
	sendCommandQueue4WaitForEvent(o, event, value)
	return nil
}

// AddResidencySet makes a residency set apply to the command buffers committed from now on.
//
//	-[MTL4CommandQueue addResidencySet:]
func (o CommandQueue4) AddResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTL4CommandQueue addResidencySet:]")
	if err := o.needs(c, "residency set", residencySet); err != nil {
		return err
	}
	sendCommandQueue4AddResidencySet(o, residencySet)
	return nil
}

// AddResidencySets is AddResidencySet for several sets, none of them nil.
//
//	-[MTL4CommandQueue addResidencySets:count:]
func (o CommandQueue4) AddResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTL4CommandQueue addResidencySets:count:]")
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	sendCommandQueue4AddResidencySets(o, residencySets)
	return nil
}

// RemoveResidencySet undoes AddResidencySet.
//
//	-[MTL4CommandQueue removeResidencySet:]
func (o CommandQueue4) RemoveResidencySet(residencySet ResidencySet) error {
	const c = check("-[MTL4CommandQueue removeResidencySet:]")
	if err := o.needs(c, "residency set", residencySet); err != nil {
		return err
	}
	sendCommandQueue4RemoveResidencySet(o, residencySet)
	return nil
}

// RemoveResidencySets undoes AddResidencySets.
//
//	-[MTL4CommandQueue removeResidencySets:count:]
func (o CommandQueue4) RemoveResidencySets(residencySets []ResidencySet) error {
	const c = check("-[MTL4CommandQueue removeResidencySets:count:]")
	if err := objects(c, "residency set", residencySets); err != nil || len(residencySets) == 0 {
		return err
	}
	sendCommandQueue4RemoveResidencySets(o, residencySets)
	return nil
}

// AddFeedbackHandler registers fn, which must not be nil, to be called when the command buffers of
// the commit have completed. The rules of [CommandBuffer.AddCompletedHandler] apply.
//
//	-[MTL4CommitOptions addFeedbackHandler:]
func (o CommitOptions4) AddFeedbackHandler(fn func(CommitFeedback4)) error {
	const c = check("-[MTL4CommitOptions addFeedbackHandler:]")
	if err := c.object("options", o.ID()); err != nil {
		return err
	}
	if fn == nil {
		return c.fail(ErrNil, "handler")
	}
	sendCommitOptions4AddFeedbackHandler(o, fn)
	return nil
}

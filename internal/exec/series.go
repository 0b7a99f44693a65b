package exec

// Series runs launches one after another, for one goroutine. A small launch like the one before it,
// of the same kernel over the same grid, costs less than with [Engine.Run], as it uses the same
// state. The scratch memory of this state stays reserved until a different launch, or End. The zero
// Series is empty.
type Series struct {
	run *Run // of the last launch, if the next one may use its state
}

// Run is [Engine.Run]. All launches of a series run on the same engine.
func (s *Series) Run(e *Engine, stopper Stopper, k *Kernel, l *Launch) (err error) {
	if s.run != nil {
		if s.run.repeats(k, l) {
			s.run.setFuel(l)
			_, err = s.run.job.Share(stopper, 1, 1, 0)
			l.Left = max(s.run.fuel.Load(), 0)
			return err
		}
		s.End()
	}
	if s.run, err = e.run(stopper, k, l, true); s.run != nil {
		s.run.settle(l)
	}
	return err
}

// End ends the use of the state.
func (s *Series) End() {
	if s.run != nil {
		s.run.finish()
		s.run = nil
	}
}

// Pauser is a Group that the next launch of a series can use.
type Pauser interface {
	// Pause ends a launch as End does. Another one with the same Run follows, or End. Its arguments
	// may differ, but it has no threadgroup memory and no function constants.
	Pause()
}

// repeatable reports whether another launch may use this one's state.
func (k *Kernel) repeatable(l *Launch) bool {
	return k.specialized && !k.grid && l.Hook == nil && l.Schedule == nil && l.Cooperative == nil &&
		len(l.Threadgroup) == 0
}

// repeats reports whether a launch can use the state that the last one has left.
func (r *Run) repeats(k *Kernel, l *Launch) bool {
	if k != r.Kernel || l != r.Launch || l.Grid != r.Grid || l.Group != r.Group || l.Priority != r.job.Priority ||
		!k.repeatable(l) {
		return false
	}
	return r.last.p != nil && r.last.p.best() == r.last.p // nil after a failure
}

package compute

import "time"

// retireLater has the stream give its queue and fence back when it has been idle for long. The lock is held.
func (s *Stream) retireLater() {
	s.idleSince = s.acc.now()
	if s.retirement == nil {
		s.retirement = time.AfterFunc(s.acc.idle, s.retire)
	}
}

// retire gives queue and fence back, unless the stream has had work meanwhile: then it looks again later.
func (s *Stream) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retirement = nil
	switch idle := s.acc.now().Sub(s.idleSince); {
	case s.closed || s.running || s.recorded != s.completed: // the end of the work asks again
	case idle < s.acc.idle:
		s.retirement = time.AfterFunc(s.acc.idle-idle, s.retire)
	default:
		s.metal.release()
	}
}

package compute

import "time"

// retirement decides when an idle stream releases its Metal objects, because Metal limits the
// number of command queues.
//
// It has no lock: Stream.mu guards it. The timer calls retire, which takes that lock and asks due.
type retirement struct {
	after  time.Duration // of idleness
	now    func() time.Time
	retire func()

	timer     *time.Timer // nil when none is set
	idleSince time.Time
}

// idle records that the stream has just become idle, and sets the timer unless it is already set.
func (r *retirement) idle() {
	r.idleSince = r.now()
	if r.timer == nil {
		r.timer = time.AfterFunc(r.after, r.retire)
	}
}

// due reports, when the timer has fired, whether the stream has been idle for long enough. If not,
// it sets the timer again; if the stream is busy, the next call of idle does that.
func (r *retirement) due(busy bool) bool {
	r.timer = nil
	if busy {
		return false
	}
	if idle := r.now().Sub(r.idleSince); idle < r.after {
		r.timer = time.AfterFunc(r.after-idle, r.retire)
		return false
	}
	return true
}

// stop stops the timer.
func (r *retirement) stop() {
	if r.timer != nil {
		r.timer.Stop()
	}
}

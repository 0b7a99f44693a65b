package exec

import "sync/atomic"

// Native is a Go implementation of a kernel's body. It computes the same bits as the kernel's own
// code, only faster. It is safe for concurrent use.
type Native interface {
	// Prepare returns how to compute a launch, or nil to run the kernel's own code, which defines
	// the result. It returns nil for arguments that the body does not support, in particular for
	// out-of-bounds accesses. Prepare must not write memory of the launch.
	Prepare(l *Launch, g *Geometry) *NativeLaunch
}

// NativeLaunch is a launch computed by a Native.
type NativeLaunch struct {
	// Work is a lower bound of what the kernel's own code would charge to the launch's fuel. If it
	// exceeds the fuel, that code runs instead, and fails.
	Work int64
	// Scratch is the working memory of one task in bytes. If the launch's account cannot provide
	// it, the kernel's own code runs.
	Scratch int64
	// Run computes the launch by calling Tasks.Each.
	Run func(*Tasks)
}

// Tasks runs the tasks of a NativeLaunch on an engine's workers.
type Tasks struct {
	job     *Job
	stopper Stopper
	workers int
	task    func(i int)
	cause   atomic.Pointer[error] // the reason why Stop returned true
	err     error
}

// Workers returns the maximum number of concurrent tasks.
func (t *Tasks) Workers() int { return t.workers }

// Each calls f for 0 to n-1, concurrently, and returns when all calls have returned. Once the
// launch is stopped or f has panicked, it makes no more calls. Only one Each may run at a time.
func (t *Tasks) Each(n int, f func(i int)) {
	if t.err != nil {
		return
	}
	t.task = f
	_, t.err = t.job.Share(t.stopper, int64(n), 1, min(int64(n), int64(t.workers))-1)
}

// Stopped reports whether an Each has failed, so that starting another is pointless.
func (t *Tasks) Stopped() bool { return t.err != nil }

// Stop reports whether a task should return early, because the launch is stopped and its result no
// longer matters. It waits while work of higher priority needs the worker. A task calls it about
// every millisecond.
func (t *Tasks) Stop() bool {
	if level := t.job.Priority.level(); t.job.crew.scheduler.pressed[level].Load() {
		t.job.crew.scheduler.yield(level)
	}
	err := t.stopper.Err()
	if err == nil {
		return false // without memory for a cause
	}
	cause := err
	t.cause.Store(&cause)
	return true
}

// Do implements Work.
func (t *Tasks) Do(first, end int64) (int64, error) {
	level := t.job.Priority.level()
	s := t.job.crew.scheduler
	s.enter(level)
	defer s.leave(level)
	for i := first; i < end; i++ {
		t.task(int(i))
		if cause := t.cause.Load(); cause != nil {
			return i, *cause
		}
	}
	return end, nil
}

// native computes a launch with the kernel's native body. It returns false if the kernel's own code
// must run.
func (e *Engine) native(stopper Stopper, k *Kernel, l *Launch) (done bool, err error) {
	if k.o.Native == nil || l.Hook != nil || l.Schedule != nil {
		return false, nil
	}
	g, err := l.check(k.f)
	if err == nil {
		err = stopper.Err()
	}
	if err != nil {
		return true, err
	}
	n := k.o.Native.Prepare(l, &g)
	if n == nil || l.Fuel > 0 && n.Work > l.Fuel {
		return false, nil
	}
	t := &Tasks{stopper: stopper, workers: e.workers}
	if l.Scratch != nil && n.Scratch > 0 {
		size := n.Scratch * int64(t.workers)
		if l.Scratch.TakeScratch(size) != nil {
			return false, nil
		}
		defer l.Scratch.GiveScratch(size)
	}
	t.job = e.NewJob(t, nil)
	t.job.Priority = l.Priority
	defer t.job.Release()
	n.Run(t)
	l.Left = l.Fuel - n.Work
	return true, t.err
}

//go:build !race

package kernel

import (
	"iter"
	"runtime"
)

// fiber is a coroutine that runs threads of a group. When one has to wait, the fiber itself resumes
// another one, and gives control back to what has resumed it only if there is none. A barrier
// therefore switches about once for each thread that waits at it.
type fiber struct {
	thread   Thread
	group    *group
	site     site     // of its last call of this package
	objects  int      // of shared memory that the thread has requested
	exchange exchange // with other lanes

	resume  func() (struct{}, bool)
	stopped func()
	yield   func(struct{}) bool
}

// worker runs threadgroups, one after another.
type worker struct {
	launch *launch
	spare  *group   // of an earlier threadgroup
	idle   []*fiber // that no thread uses
}

// locking is empty: all of a group happens on one goroutine at a time.
type locking struct{}

func (locking) lock()   {}
func (locking) unlock() {}

// advance runs threadgroup i to its end, or to a grid barrier. g is nil if it has not begun.
func (w *worker) advance(i uint64, g *group) {
	if g == nil {
		if g, w.spare = w.spare, nil; g == nil {
			g = &group{}
		}
		g.begin(w.launch, i)
	} else {
		g.open()
	}
	g.worker = w
	whole := false
	defer func() {
		if !whole { // a thread has called runtime.Goexit, which ends this goroutine too
			g.abandon()
		}
	}()
	g.advance()
	whole = true
	switch {
	case g.failed != nil:
		g.abandon()
	case g.ended < g.threads:
		w.launch.wait(g)
	default:
		w.spare = g
	}
}

// advance runs the group until it has to wait for the rest of the grid, has ended, or has failed.
func (g *group) advance() {
	for g.failed == nil {
		switch {
		case g.other():
		case g.settle():
			return
		}
	}
}

// other lets another fiber run, if one can, until it has nothing more to do.
func (g *group) other() bool {
	f := g.waiting()
	if f == nil {
		return false
	}
	f.resume()
	return true
}

// waiting returns a fiber that can run, nil if there is none.
func (g *group) waiting() *fiber {
	if n := len(g.ready); n > 0 {
		f := g.ready[n-1]
		g.ready = g.ready[:n-1]
		return f
	}
	if g.started == g.threads {
		return nil
	}
	return g.worker.fiber(g)
}

// fiber returns an idle fiber for threads of a group.
func (w *worker) fiber(g *group) (f *fiber) {
	if n := len(w.idle); n > 0 {
		f = w.idle[n-1]
		w.idle = w.idle[:n-1]
	} else {
		f = &fiber{}
		f.thread.fiber = f
		f.resume, f.stopped = iter.Pull(f.live)
	}
	f.group = g
	return f
}

// live runs threads whenever the fiber is resumed.
func (f *fiber) live(yield func(struct{}) bool) {
	f.yield = yield
	for {
		f.threads()
		if f.group.failed != nil {
			return
		}
		w := f.group.worker
		w.idle = append(w.idle, f)
		if !yield(struct{}{}) {
			return
		}
	}
}

// threads runs threads of the group until all have begun.
func (f *fiber) threads() {
	g, t := f.group, &f.thread
	returned := false
	defer func() {
		if !returned {
			f.caught(recover())
		}
	}()
	t.enter(g)
	fn, row := g.launch.fn, row{}
	for g.failed == nil {
		i := g.started
		if i >= row.end {
			if i == g.threads {
				break
			}
			row = t.row(g, i)
		}
		g.started = i + 1
		t.begin(row, i)
		f.objects = 0
		fn(t)
		g.ended++
		g.endedIn[t.Simdgroup]++
	}
	returned = true
}

// successor returns the fiber that runs while f waits, nil if none can.
func (f *fiber) successor() *fiber {
	if f.group.failed != nil {
		return nil
	}
	return f.group.waiting()
}

// advance lets the fiber run until it has nothing more to do.
func (f *fiber) advance() { f.resume() }

// pause lets others run. The fiber is on the list while no fiber has control that will return it to
// this one.
func (f *fiber) pause(list *[]*fiber) {
	if o := f.successor(); o != nil {
		o.advance()
		return
	}
	*list = append(*list, f)
	if !f.yield(struct{}{}) {
		runtime.Goexit() // the launch has failed
	}
}

// release lets paused fibers go on.
func (g *group) release(list []*fiber) { g.ready = append(g.ready, list...) }

// aborted reports whether threads end because the group has failed.
func (g *group) aborted() bool { return g.failed != nil }

// abandon ends the threads of a group after the group, or the launch, has failed.
func (g *group) abandon() {
	if g.failed != nil {
		g.launch.fail(g.number, g.failed)
	}
	for _, f := range g.paused() {
		f.end()
	}
}

// end ends a fiber. A thread that waits runs its deferred functions and exits its goroutine, and
// the one that ends it with it.
func (f *fiber) end() {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.stopped()
	}()
	<-ended
}

// close ends the fibers of the worker.
func (w *worker) close() {
	for _, f := range w.idle {
		f.end()
	}
}

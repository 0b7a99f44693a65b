//go:build race

package kernel

import (
	"runtime"
	"sync"
)

// fiber is a goroutine that runs one thread of a group.
type fiber struct {
	thread   Thread
	group    *group
	site     site     // of its last call of this package
	objects  int      // of shared memory that the thread has requested
	exchange exchange // with other lanes
	wake     chan struct{}
}

// worker runs threadgroups, one after another.
type worker struct{ launch *launch }

// locking has what threads of a group share that run at the same time.
type locking struct {
	mu      sync.Mutex
	running int           // threads that neither wait nor have ended
	settled chan struct{} // gets a value when none will run
	abort   chan struct{} // is closed when the group has failed
	fibers  sync.WaitGroup
}

func (l *locking) lock()   { l.mu.Lock() }
func (l *locking) unlock() { l.mu.Unlock() }

// advance runs threadgroup i to its end, or to a grid barrier. g is nil if it has not begun.
func (w *worker) advance(i uint64, g *group) {
	if g == nil {
		g = &group{}
		g.begin(w.launch, i)
		g.running, g.settled, g.abort = g.threads, make(chan struct{}, 1), make(chan struct{})
		for i := range g.threads {
			f := &fiber{group: g, wake: make(chan struct{}, 1)}
			f.thread.fiber = f
			f.thread.enter(g)
			f.thread.begin(f.thread.row(g, i), i)
			g.fibers.Go(f.run)
		}
	} else {
		g.lock()
		g.open()
		g.unlock()
	}
	<-g.settled
	switch {
	case g.failed != nil:
		g.abandon()
	case g.ended < g.threads:
		w.launch.wait(g)
	default:
		g.fibers.Wait()
	}
}

func (f *fiber) run() {
	g := f.group
	returned := false
	defer func() {
		var value any
		if !returned {
			value = recover()
		}
		g.lock()
		defer g.unlock()
		if returned {
			g.ended++
			g.endedIn[f.thread.Simdgroup]++
		} else {
			f.caught(value)
		}
		g.less()
	}()
	g.launch.fn(&f.thread)
	returned = true
}

// less is called when a thread no longer runs.
func (g *group) less() {
	if g.running--; g.running > 0 {
		return
	}
	if g.failed == nil && !g.settle() {
		return
	}
	if g.failed != nil && !g.aborted() {
		close(g.abort)
	}
	select {
	case g.settled <- struct{}{}:
	default:
	}
}

// aborted reports whether threads end because the group has failed.
func (g *group) aborted() bool {
	select {
	case <-g.abort:
		return true
	default:
		return false
	}
}

// successor returns nil: all fibers run that do not wait.
func (f *fiber) successor() *fiber { return nil }

func (f *fiber) advance() {}

// pause waits until the fiber is released.
func (f *fiber) pause(list *[]*fiber) {
	g := f.group
	*list = append(*list, f)
	g.less()
	g.unlock()
	select {
	case <-f.wake:
		g.lock()
	case <-g.abort:
		g.lock() // as the caller expects
		runtime.Goexit()
	}
}

// release lets paused fibers go on.
func (g *group) release(list []*fiber) {
	for _, f := range list {
		g.running++
		f.wake <- struct{}{}
	}
}

// abandon ends the threads of a group after the group, or the launch, has failed.
func (g *group) abandon() {
	g.lock()
	if g.failed != nil {
		g.launch.fail(g.number, g.failed)
	}
	if !g.aborted() {
		close(g.abort)
	}
	g.unlock()
	g.fibers.Wait()
}

func (w *worker) close() {}

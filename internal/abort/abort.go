// Package abort passes the cancellation of a compilation to the software device, because Metal's
// interface has no contexts. compute registers a context before it sends the message; the software
// device looks it up and stops its compiler when the context ends. Apple's driver does not use this
// package and always finishes.
package abort

import (
	"context"
	"sync"
)

// Key identifies a compilation by the receiver of the message and by what is compiled: a device and
// source text, or a library and a function's name.
type Key struct {
	Receiver uintptr // ID of the device or library
	What     string
}

// job is a compilation.
type job struct {
	calls  int // messages in progress
	wanted int // messages whose context has not ended
	ctx    context.Context
	cancel context.CancelFunc
}

var (
	mu   sync.Mutex
	jobs map[Key]*job // created at first use
)

// When stops the compilation once ctx and the contexts of all other callers of When with the same
// key have ended. The caller must call done once, after the message.
func When(ctx context.Context, k Key) (done func()) {
	j := join(k)
	leave := sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		if j.wanted--; j.wanted == 0 {
			j.cancel()
		}
	})
	stop := context.AfterFunc(ctx, leave)
	if ctx.Err() != nil {
		leave() // immediately, not when AfterFunc's goroutine runs
	}
	return func() {
		stop()
		leave()
		mu.Lock()
		defer mu.Unlock()
		if j.calls--; j.calls == 0 && jobs[k] == j {
			delete(jobs, k)
		}
	}
}

// join returns the compilation of a key and counts another caller.
func join(k Key) *job {
	mu.Lock()
	defer mu.Unlock()
	j := jobs[k]
	if j == nil || j.wanted == 0 { // a stopped compilation cannot be resumed
		if jobs == nil {
			jobs = map[Key]*job{}
		}
		j = &job{}
		j.ctx, j.cancel = context.WithCancel(context.Background())
		jobs[k] = j
	}
	j.calls++
	j.wanted++
	return j
}

// Context returns the context of a compilation. If When was not called for it, the context never
// ends.
func Context(k Key) context.Context {
	mu.Lock()
	defer mu.Unlock()
	if j := jobs[k]; j != nil {
		return j.ctx
	}
	return context.Background()
}

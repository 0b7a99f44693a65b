// Package abort passes one fact past Metal's interface, which has no contexts: when the caller of a
// compilation no longer wants it. compute registers a context before it sends the message; the
// software device looks it up and stops its compiler when the context ends. Apple's driver knows
// nothing of it, and compiles to the end.
package abort

import (
	"context"
	"sync"
)

// Key names a compilation by the object that the message goes to and by what is compiled: a device
// and source text, or a library and a function's name.
type Key struct {
	Receiver uintptr // its ID
	What     string
}

// job is a compilation.
type job struct {
	calls  int // messages that are being sent
	wanted int // those whose callers' contexts have not ended
	ctx    context.Context
	cancel context.CancelFunc
}

var (
	mu   sync.Mutex
	jobs map[Key]*job // made when the first comes
)

// When stops the compilation when ctx ends, and those of all others that called When for the same
// key have ended, too. The caller calls done, once, after the message.
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
		leave() // now, and not when AfterFunc gets to it
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

// join returns the compilation of a key, with another caller that wants it.
func join(k Key) *job {
	mu.Lock()
	defer mu.Unlock()
	j := jobs[k]
	if j == nil || j.wanted == 0 { // what was stopped cannot go on
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

// Context returns the context of a compilation. Without a call of When, it never ends.
func Context(k Key) context.Context {
	mu.Lock()
	defer mu.Unlock()
	if j := jobs[k]; j != nil {
		return j.ctx
	}
	return context.Background()
}

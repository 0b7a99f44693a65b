package compute

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/contain"
)

// callbacks runs a stream's due callbacks in order, one at a time, on a goroutine that exists only
// while there are any.
//
// It has its own lock, a leaf, which is not held during a callback because callbacks may use the
// stream.
type callbacks struct {
	failed func(number uint64, err error) // takes panics of callbacks

	what string // names the callbacks in their panics; "" for callbacks of commands

	mu      sync.Mutex
	queue   []callback
	running bool // a goroutine is in run
}

// callback is a function to call, and the error to call it with.
type callback struct {
	number uint64 // of the command
	call   func(error)
	err    error
}

// add queues the callback of a command. It runs once start is called, or earlier if the goroutine
// is still running.
func (c *callbacks) add(number uint64, call func(error), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, callback{number, call, err})
}

// start starts the goroutine if callbacks are queued and none runs.
func (c *callbacks) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) > 0 && !c.running {
		c.running = true
		go c.run()
	}
}

// wait waits until all callbacks added so far have run. A callback that waits for itself waits
// until ctx ends.
func (c *callbacks) wait(ctx context.Context) error {
	c.mu.Lock()
	idle := len(c.queue) == 0 && !c.running
	c.mu.Unlock()
	if idle {
		return nil
	}
	done := make(chan struct{})
	c.add(0, func(error) { close(done) }, nil)
	c.start()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return stream.CanceledBy(ctx)
	}
}

// run calls what is queued until nothing is.
func (c *callbacks) run() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		next := c.queue[0]
		c.queue[0] = callback{}
		c.queue = c.queue[1:]
		c.mu.Unlock()
		c.call(next)
	}
}

// call calls a callback and reports its panic. If the callback ends the goroutine (runtime.Goexit),
// a new goroutine runs the remaining ones.
func (c *callbacks) call(next callback) {
	exited := true
	defer func() {
		if exited {
			go c.run()
		}
	}()
	contain.Protect(func() string { return cmp.Or(c.what, fmt.Sprintf("the callback of command %d", next.number)) },
		func() error { next.call(next.err); return nil },
		func(err error) {
			if err != nil {
				c.failed(next.number, err)
			}
		})
	exited = false
}

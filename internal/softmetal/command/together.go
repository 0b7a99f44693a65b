package command

import (
	"sync"

	"github.com/puremetal/puremetal/internal/exec"
)

// together runs unordered commands on several workers of the engine: those of a concurrent encoder
// between two barriers, or those of an indirect command buffer. This helps small dispatches, each
// of which would leave workers idle. It is an exec.Work whose pieces are the commands.
type together struct {
	gpu    *GPU
	job    *exec.Job
	buffer *Buffer
	ops    []op              // the commands, or else
	icb    []indirectCommand // the commands, of
	from   *op               // the op that executes them,
	first  int               // beginning with this one

	mu   sync.Mutex
	idle []*worker // which no piece uses now
}

// together returns one for some work of a buffer. Its job is released when the work is done.
func (g *GPU) together(b *Buffer) *together {
	c, _ := g.groups.Get().(*together)
	if c == nil {
		c = &together{gpu: g}
		c.job = g.engine.NewJob(c, func() {
			c.buffer, c.ops, c.from = nil, nil, nil
			clear(c.icb)
			c.icb = c.icb[:0]
			g.groups.Put(c)
		})
	}
	c.buffer, c.job.Priority = b, b.queue.priority
	return c
}

// run runs n commands. It returns the index of the first that failed, n if none did.
func (c *together) run(n int) (failed int, err error) {
	var at int64
	if c.gpu.arranger.Load() != nil {
		at, err = c.Do(0, int64(n))
	} else {
		at, err = c.job.Share(&c.buffer.control, int64(n), 1, int64(n)-1)
	}
	for i, w := range c.idle {
		w.series.End()
		c.gpu.workers.Put(w)
		c.idle[i] = nil
	}
	c.idle = c.idle[:0]
	return int(at), err
}

// takeWorker returns a worker that an earlier piece left, or another.
func (c *together) takeWorker() *worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle) - 1; n >= 0 {
		w := c.idle[n]
		c.idle = c.idle[:n]
		return w
	}
	return c.gpu.workers.Get().(*worker)
}

// Do implements exec.Work.
func (c *together) Do(first, end int64) (int64, error) {
	w := c.takeWorker()
	for i := first; i < end; i++ {
		var err error
		if c.from != nil {
			w.group = c.first
			err = c.gpu.runCommand(c.buffer, w, c.from, c.first+int(i), &c.icb[i])
		} else {
			err = c.gpu.runOp(c.buffer, w, &c.ops[i])
		}
		if err != nil {
			w.series.End()
			return i, err
		}
	}
	c.mu.Lock()
	c.idle = append(c.idle, w) // not of a command that panicked or failed: it may hold anything
	c.mu.Unlock()
	return end, nil
}

// overlapping runs the ops of a concurrent encoder from index i on up to the next barrier or the
// encoder's end. It returns the index after them, or that of the first that failed.
func (g *GPU) overlapping(b *Buffer, w *worker, i int) (int, error) {
	ops := b.list.ops[i:]
	n := 0
	for n < len(ops) && ops[n].kind.overlaps() {
		n++
	}
	if n == 1 {
		return i + 1, g.runOp(b, w, &ops[0])
	}
	c := g.together(b)
	defer c.job.Release()
	c.ops = ops[:n]
	at, err := c.run(n)
	return i + at, err
}

// overlaps reports whether commands of this kind may run beside each other in a concurrent encoder.
func (k opKind) overlaps() bool {
	switch k {
	case opDispatch, opIndirect, opExecute, opDo:
		return true
	}
	return false
}

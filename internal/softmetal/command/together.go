package command

import (
	"sync"
	"sync/atomic"
)

// crew runs work that nothing orders on as many goroutines as the engine has workers: the commands of a concurrent encoder between two
// barriers, or those of an indirect command buffer. Small dispatches, which leave workers idle one by one, gain by it.
//
// Pieces are begun in their order. If some fail, those before the first of them have all run, whatever the number of workers, and the error is
// its own.
type crew struct {
	gpu  *GPU
	help func() // the method helper, made once

	mu     sync.Mutex
	open   bool // there is work, and helpers may join; a late one joins in the next work or none
	helped sync.WaitGroup
	err    error // of piece limit

	// Written before open is set.
	buffer *Buffer
	ops    []op              // pieces, or else
	icb    []indirectCommand // pieces, of
	from   *op               // the op that executes them,
	first  int               // beginning with this one
	total  int64

	next  atomic.Int64
	limit atomic.Int64 // the first piece that failed, or how many there are
}

// together runs a crew's pieces, the caller's share on w, and returns which failed first.
func (c *crew) together(w *worker) (int, error) {
	c.next.Store(0)
	c.limit.Store(c.total)
	helpers := min(int64(c.gpu.engine.Workers()), c.total) - 1
	if helpers > 0 {
		c.mu.Lock()
		c.open = true
		c.mu.Unlock()
		for range helpers {
			go c.help()
		}
	}
	c.work(w)
	c.mu.Lock()
	c.open = false
	c.mu.Unlock()
	c.helped.Wait()
	failed, err := int(c.limit.Load()), c.err
	c.err, c.buffer, c.ops, c.from = nil, nil, nil, nil
	clear(c.icb)
	c.icb = c.icb[:0]
	return failed, err
}

// helper joins in what work there is.
func (c *crew) helper() {
	c.mu.Lock()
	open := c.open
	if open {
		c.helped.Add(1)
	}
	c.mu.Unlock()
	if !open {
		return
	}
	w := c.gpu.workers.Get().(*worker)
	c.work(w)
	c.gpu.workers.Put(w)
	c.helped.Done()
}

// work takes pieces until there are none, or one before them has failed.
func (c *crew) work(w *worker) {
	for {
		i := c.next.Add(1) - 1
		if i >= c.limit.Load() {
			return
		}
		if err := c.piece(w, int(i)); err != nil {
			c.mu.Lock()
			if i < c.limit.Load() {
				c.limit.Store(i)
				c.err = err
			}
			c.mu.Unlock()
		}
	}
}

func (c *crew) piece(w *worker, i int) error {
	if c.from != nil {
		return c.gpu.runCommand(c.buffer, w, c.from, c.first+i, &c.icb[i])
	}
	return c.gpu.runOp(c.buffer, w, &c.ops[i])
}

// hire returns a crew for some work of a buffer.
func (g *GPU) hire(b *Buffer) *crew {
	c, _ := g.crews.Get().(*crew)
	if c == nil {
		c = &crew{gpu: g}
		c.help = c.helper
	}
	c.buffer = b
	return c
}

// overlapping runs the ops of a concurrent encoder from index i on up to the next barrier or the encoder's end. It returns the index after
// them, or that of the first that failed.
func (g *GPU) overlapping(b *Buffer, w *worker, i int) (int, error) {
	ops := b.list.ops[i:]
	n := 0
	for n < len(ops) && ops[n].kind.overlaps() {
		n++
	}
	if n == 1 {
		return i + 1, g.runOp(b, w, &ops[0])
	}
	c := g.hire(b)
	c.ops, c.total = ops[:n], int64(n)
	at, err := c.together(w)
	g.crews.Put(c)
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

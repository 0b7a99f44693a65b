package compute

import "github.com/puremetal/puremetal/compute/internal/stream"

// pendingQueue is a first-in, first-out queue of commands that allocates nothing in steady state:
// it reuses its own memory and that of batches that have ended. Stream.mu guards it.
type pendingQueue struct {
	works []stream.Work // queued from head on
	head  int
	spare []stream.Work // an empty slice whose memory the next batch can use
	split bool          // at most one command of a batch may need the device
}

// len returns how many commands are queued.
func (q *pendingQueue) len() int { return len(q.works) - q.head }

// first returns the oldest command.
func (q *pendingQueue) first() *stream.Work { return &q.works[q.head] }

// push appends a copy of a command.
func (q *pendingQueue) push(w *stream.Work) {
	if len(q.works) == cap(q.works) && q.head > 0 { // move the rest to the front instead of growing
		n := copy(q.works, q.works[q.head:])
		clear(q.works[n:])
		q.works, q.head = q.works[:n], 0
	}
	q.works = append(q.works, *w)
}

// pushFront puts commands before all others.
func (q *pendingQueue) pushFront(works []stream.Work) {
	q.works, q.head = append(works, q.works[q.head:]...), 0
}

// cut removes the commands of the next batch and returns them.
func (q *pendingQueue) cut(limit Batching) []stream.Work {
	n, bytes := q.head, 0
	alone := false // whether the batch's launch must be its only one
	ends := false  // after a record: see below
	busy := false  // whether a command needs the device
	for n < len(q.works) && n-q.head < limit.Commands && bytes < limit.Bytes {
		w := &q.works[n]
		// Who waits for an event must know whether all before it succeeded, so that a record ends
		// its command buffer, or it would have to wait for what is behind it.
		signal, _ := w.Command.(*signalCommand)
		if _, callback := w.Command.(*stream.CallbackCommand); ends && signal == nil && !callback {
			break
		}
		if _, fallback := w.Command.(*fallbackRun); n > q.head && (fallback || w.Account != q.works[q.head].Account) {
			break
		}
		if _, ok := w.Command.(*stream.Launch); ok {
			if n > q.head && (alone || w.Alone()) {
				break
			}
			alone = w.Alone()
		}
		if q.split && w.Side() == stream.ByDevice {
			if busy {
				break
			}
			busy = true
		}
		n++
		bytes += w.Size()
		if signal != nil && signal.event.timing {
			break // its timestamp is the end of the command buffer
		}
		ends = ends || signal != nil
		if w.Side() == stream.ByHost {
			break // the host copies after the command buffer has ended, and before the next one begins
		}
	}
	works := append(q.spare, q.works[q.head:n]...)
	q.spare = nil
	clear(q.works[q.head:n])
	if q.head = n; n == len(q.works) {
		q.works, q.head = q.works[:0], 0
	}
	return works
}

// recycle clears the commands of a batch that has ended and keeps their memory for another batch.
func (q *pendingQueue) recycle(works []stream.Work) {
	clear(works)
	q.spare = works[:0]
}

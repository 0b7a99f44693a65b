package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/mtl"
)

// cell is a buffer and what must be in it.
type cell struct {
	buffer mtl.Buffer
	words  int
	shared bool
	place  *place
	model  []uint32 // nil when nothing is known
}

// place is a piece of memory, in which one buffer lies or, in a placement heap, several.
type place struct{ cells []*cell }

// wrote notes that a cell has been written: others in its place have no contents of theirs any
// more.
func (c *cell) wrote(model []uint32) {
	for _, other := range c.place.cells {
		if other != c {
			other.model = nil
		}
	}
	c.model = model
}

// job is a command buffer that has been committed, and what it does.
type job struct {
	number  int
	buffer  mtl.CommandBuffer
	effects []func()
	spins   int // how many of the effects come before a kernel that spins; -1 when none does
	frees   []func()
}

// actor writes random programs to two queues, which events put into one order, and follows them in
// a model.
type actor struct {
	name   string
	rnd    *rand.Rand
	m      *machine
	hits   *atomic.Uint32 // what all actors of the machine have added to its word
	queues [2]mtl.CommandQueue
	event  mtl.SharedEvent
	value  uint64 // of the event when the last job has ended
	heaps  []mtl.Heap
	places []*place // in the heaps
	cells  []*cell
	open   []*job
	jobs   int

	mu     sync.Mutex
	called []int // jobs whose completed handlers have run, in order

	outcomes map[mtl.CommandBufferError]int
	refused  int // allocations that faults refused
}

func newActor(name string, seed uint64, m *machine, hits *atomic.Uint32) *actor {
	a := &actor{name: name, rnd: rand.New(rand.NewPCG(seed, 77)), m: m, hits: hits,
		outcomes: map[mtl.CommandBufferError]int{}}
	for i := range a.queues {
		a.queues[i] = must(m.NewCommandQueueWithMaxCommandBufferCount(16))
	}
	a.event = m.NewSharedEvent()
	return a
}

// wrong ends the actor with what went wrong.
func (a *actor) wrong(format string, args ...any) { do(fmt.Errorf(a.name+": "+format, args...)) }

// play takes steps, and settles and looks at all cells now and then.
func (a *actor) play(steps int) {
	for range steps {
		switch n := a.rnd.IntN(20); {
		case n < 4 || len(a.cells) < 2:
			a.create()
		case n < 6:
			a.drop(a.rnd.IntN(len(a.cells)))
		case n < 7:
			a.settle()
			a.look()
		default:
			a.commit()
		}
		if len(a.open) > 8 {
			a.settle()
		}
	}
}

// create makes a buffer, unless a fault is in the way: of its own memory, or in a heap, maybe over
// others.
func (a *actor) create() {
	if len(a.cells) >= 24 {
		return
	}
	c := &cell{words: 1 + a.rnd.IntN(300), shared: a.rnd.IntN(2) == 0, place: &place{}}
	options, mode := mtl.ResourceStorageModePrivate, mtl.StorageModePrivate
	if c.shared {
		options, mode = mtl.ResourceStorageModeShared, mtl.StorageModeShared
	}
	var err error
	switch a.rnd.IntN(3) {
	case 0:
		c.buffer, err = a.m.NewBuffer(uint(4*c.words), options)
	case 1: // a heap of its own, in which two more may lie
		d := must(mtl.NewHeapDescriptor())
		d.SetSize(4096)
		d.SetType(mtl.HeapTypePlacement)
		d.SetStorageMode(mode)
		var h mtl.Heap
		h, err = a.m.NewHeap(d)
		d.Release()
		if err == nil {
			c.buffer, err = h.NewBufferWithOffset(uint(4*c.words), options, 0)
			a.heaps, a.places = append(a.heaps, h), append(a.places, c.place)
		}
	default:
		if len(a.heaps) == 0 {
			return
		}
		i := a.rnd.IntN(len(a.heaps))
		h := a.heaps[i]
		c.place, c.shared = a.places[i], h.StorageMode() == mtl.StorageModeShared
		options = h.ResourceOptions()
		c.buffer, err = h.NewBufferWithOffset(uint(4*c.words), options, 256*uint(a.rnd.IntN(3)))
	}
	if err != nil {
		if !errors.Is(err, mtl.ErrMemory) {
			a.wrong("new buffer: %w", err)
		}
		a.refused++
		return
	}
	c.place.cells = append(c.place.cells, c)
	a.cells = append(a.cells, c)
}

// drop releases a buffer, which jobs may still use.
func (a *actor) drop(i int) {
	c := a.cells[i]
	c.buffer.Release()
	a.cells = slices.Delete(a.cells, i, i+1)
	// What jobs write through it still goes to its place, so that it stays in the list.
	if a.rnd.IntN(3) == 0 && len(a.heaps) > 0 {
		k := a.rnd.IntN(len(a.heaps))
		a.heaps[k].Release()
		a.heaps, a.places = slices.Delete(a.heaps, k, k+1), slices.Delete(a.places, k, k+1)
	}
}

// commit writes a command buffer and hands it in.
func (a *actor) commit() {
	q := a.queues[a.rnd.IntN(2)]
	j := &job{number: a.jobs, spins: -1}
	a.jobs++
	if a.rnd.IntN(3) == 0 {
		d := must(mtl.NewCommandBufferDescriptor())
		d.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
		j.buffer = must(q.CommandBufferWithDescriptor(d))
		d.Release()
	} else {
		j.buffer = must(q.CommandBuffer())
	}
	j.buffer.Retain()
	do(j.buffer.EncodeWaitForEvent(a.event.Event, a.value))
	do(j.buffer.AddCompletedHandler(func(mtl.CommandBuffer) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.called = append(a.called, j.number)
	}))
	for range 1 + a.rnd.IntN(4) {
		switch n := a.rnd.IntN(16); {
		case n < 5:
			a.compute(j, false)
		case n < 10:
			a.compute(j, true)
		case n < 13:
			a.copies(j)
		case n < 15:
			a.indirect(j)
		default:
			a.spin(j)
		}
	}
	a.value++
	do(j.buffer.EncodeSignalEvent(a.event.Event, a.value), j.buffer.Commit())
	a.open = append(a.open, j)
}

// settle waits for all jobs and brings the model up to date.
func (a *actor) settle() {
	for _, j := range a.open {
		err := j.buffer.Wait(context.Background())
		effects := j.effects
		var failed *mtl.CommandError
		switch {
		case err == nil:
			if j.spins >= 0 {
				a.wrong("job %d: a kernel that spins ended well", j.number)
			}
		case !errors.As(err, &failed):
			a.wrong("job %d: %w", j.number, err)
		case failed.Code == mtl.CommandBufferErrorTimeout && j.spins >= 0:
			effects = effects[:j.spins]
			a.outcomes[failed.Code]++
		case failed.Code == injected || failed.Code == mtl.CommandBufferErrorDeviceRemoved:
			effects = nil
			a.outcomes[failed.Code]++
		default:
			a.wrong("job %d: %w", j.number, err)
		}
		for _, f := range effects {
			f()
		}
		j.buffer.Release()
		for _, f := range j.frees {
			f()
		}
	}
	// Jobs end in their order, which the event has made one of both queues; the handlers of a queue
	// run after that, in its order.
	a.mu.Lock()
	slices.Sort(a.called)
	if len(a.called) != len(a.open) {
		a.wrong("%d handlers were called for %d jobs", len(a.called), len(a.open))
	}
	for i, j := range a.open {
		if a.called[i] != j.number {
			a.wrong("the handlers of jobs %v were called, not that of %d", a.called, j.number)
		}
	}
	a.called = nil
	a.mu.Unlock()
	a.open = nil
}

// injected is the error that the soak's faults make command buffers end with.
const injected = mtl.CommandBufferErrorInvalidResource

// look compares all cells with their models. Private ones are copied first, which a fault may keep
// from happening.
func (a *actor) look() {
	for _, c := range a.cells {
		if c.model == nil {
			continue
		}
		from := c.buffer
		if !c.shared {
			to, err := a.m.NewBuffer(uint(4*c.words), mtl.ResourceStorageModeShared)
			if errors.Is(err, mtl.ErrMemory) {
				a.refused++
				continue
			}
			do(err)
			b := must(a.queues[0].CommandBuffer())
			e := must(b.BlitCommandEncoder())
			do(e.CopyFromBuffer(from, 0, to, 0, uint(4*c.words)), e.EndEncoding())
			if err := run(b); err != nil {
				var failed *mtl.CommandError
				if !errors.As(err, &failed) || failed.Code != injected && failed.Code != mtl.CommandBufferErrorDeviceRemoved {
					a.wrong("copy: %w", err)
				}
				a.outcomes[failed.Code]++
				to.Release()
				continue
			}
			from = to
		}
		got := must(mtl.Slice[uint32](from))
		if !slices.Equal(got, c.model) {
			at := 0
			for got[at] == c.model[at] {
				at++
			}
			a.wrong("word %d of %d is %d, want %d", at, c.words, got[at], c.model[at])
		}
		if from.ID() != c.buffer.ID() {
			from.Release()
		}
	}
}

// end releases everything.
func (a *actor) end() {
	a.settle()
	a.look()
	for len(a.cells) > 0 {
		a.drop(0)
	}
	for _, h := range a.heaps {
		h.Release()
	}
	a.event.Release()
	for _, q := range a.queues {
		q.Release()
	}
}

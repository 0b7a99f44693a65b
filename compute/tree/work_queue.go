package tree

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// WorkQueue is a bounded queue of items that kernels take and add while they run, with pop and push
// of <puremetal/work_queue>. T is the type of the kernels' puremetal::work_queue<T>: a plain type
// of 4 to 64 bytes, in multiples of 4. [WorkQueue.Buffer] is the argument of the kernel.
//
// It is not safe for concurrent use. Close it when done.
type WorkQueue[T any] struct {
	acc     *compute.Accelerator
	options WorkQueueOptions
	buffer  *compute.Buffer[byte]
	slots   uint32 // a power of two
}

// WorkQueueOptions configures [NewWorkQueue].
type WorkQueueOptions struct {
	Label string
	// Capacity is how many items the queue has room for, 1 to 2^24; it is rounded up to a power of
	// two.
	Capacity int
	// Groups is how many threadgroups are counted one by one, 1 to 65536; further ones are counted
	// with the last. 0 means 256.
	Groups int
}

// ErrWorkQueue: a kernel has pushed items for which a queue had no room, or takes none.
var ErrWorkQueue = errors.New("work queue failed")

// WorkStats says what [WorkQueue.Drain] has done.
type WorkStats struct {
	Rounds   int      // launches
	Items    uint64   // that were popped
	Left     int      // items in the queue, 0 unless there was an error
	Refused  int      // items that were lost, because the queue was full
	PerGroup []uint32 // items by threadgroup, over all rounds
}

// Balance returns the smallest, the median and the largest number of items that a threadgroup took.
func (w WorkStats) Balance() (least, median, most uint32) {
	if len(w.PerGroup) == 0 {
		return 0, 0, 0
	}
	sorted := slices.Sorted(slices.Values(w.PerGroup))
	return sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
}

// The layout of puremetal::work_queue, in numbers of 4 bytes.
const (
	workHead = iota
	workTail
	workCapacity
	workRefused
	workCounters
	workGroups
	workHeader = 8 // its size
)

const (
	maxWorkItem   = 64
	maxWorkItems  = 1 << 24
	maxWorkGroups = 1 << 16
)

// NewWorkQueue makes an empty queue. Errors: [compute.ErrOption], [compute.ErrOutOfMemory].
func NewWorkQueue[T any](a *compute.Accelerator, o WorkQueueOptions) (*WorkQueue[T], error) {
	if stream.DeviceOf(a) == nil {
		return nil, stream.NilError("NewWorkQueue")
	}
	if o.Groups == 0 {
		o.Groups = 256
	}
	q := &WorkQueue[T]{acc: a, options: o}
	size := stream.SizeOf[T]()
	switch {
	case size == 0 || size%4 != 0 || size > maxWorkItem:
		return nil, fmt.Errorf("compute: %v: items of %d bytes, want 4 to %d in multiples of 4: %w", q, size, maxWorkItem,
			compute.ErrOption)
	case o.Capacity < 1 || o.Capacity > maxWorkItems:
		return nil, fmt.Errorf("compute: %v: Capacity %d, want 1 to %d: %w", q, o.Capacity, maxWorkItems, compute.ErrOption)
	case o.Groups < 1 || o.Groups > maxWorkGroups:
		return nil, fmt.Errorf("compute: %v: Groups %d, want 0 to %d: %w", q, o.Groups, maxWorkGroups, compute.ErrOption)
	}
	q.slots = 1 << bits.Len(uint(o.Capacity-1))
	counters := 4*workHeader + int(q.slots)*int(size+4)
	shared := mtl.StorageModeShared
	var err error
	q.buffer, err = compute.NewBuffer[byte](a, counters+4*o.Groups, compute.BufferOptions{Label: o.Label,
		Storage: &shared})
	if err != nil {
		return nil, fmt.Errorf("compute: %v: %w", q, err)
	}
	words, err := q.words()
	if err != nil {
		q.Close()
		return nil, err
	}
	clear(words)
	words[workCapacity], words[workCounters], words[workGroups] = q.slots, uint32(counters), uint32(o.Groups)
	for i := range q.slots {
		words[q.slot(i)] = i
	}
	return q, nil
}

// String names the queue for messages.
func (q *WorkQueue[T]) String() string {
	if q.missing() {
		return "nil work queue"
	}
	return fmt.Sprintf("work queue %q", q.options.Label)
}

// Close closes the queue. Closing a closed or nil queue does nothing.
func (q *WorkQueue[T]) Close() {
	if !q.missing() {
		q.buffer.Close()
	}
}

// Buffer returns the memory of the queue, which is the argument for the kernel's parameter
//
//	device puremetal::work_queue<T> &queue
//
// The queue owns it.
func (q *WorkQueue[T]) Buffer() *compute.Buffer[byte] {
	if q.missing() {
		return nil
	}
	return q.buffer
}

// words returns the memory as numbers.
func (q *WorkQueue[T]) words() ([]uint32, error) {
	raw, err := stream.BufferOf(q.buffer).Bytes()
	if err != nil {
		return nil, err
	}
	return stream.SliceOf[uint32](raw), nil
}

// slot returns the position of the slot of item number i, in numbers.
func (q *WorkQueue[T]) slot(i uint32) int {
	return workHeader + int(i&(q.slots-1))*int(stream.SizeOf[T]()/4+1)
}

// Push adds items from the host, all or none. No kernel may use the queue meanwhile. If there is no
// room, the error wraps [ErrWorkQueue].
func (q *WorkQueue[T]) Push(items ...T) error {
	if q.missing() {
		return stream.NilError("work queue: Push")
	}
	words, err := q.words()
	if err != nil {
		return fmt.Errorf("compute: %v: %w", q, err)
	}
	if n := words[workTail] - words[workHead]; len(items) > int(q.slots-n) {
		return fmt.Errorf("compute: %v: %d more items, but %d of %d are in use: %w", q, len(items), n, q.slots,
			ErrWorkQueue)
	}
	for i := range items {
		at := words[workTail]
		s := q.slot(at)
		copy(words[s+1:], stream.SliceOf[uint32](stream.BytesOf(items[i:i+1])))
		words[s] = at + 1
		words[workTail]++
	}
	return nil
}

// Drain launches a kernel until the queue is empty, and waits, as [Stream.Sync] does. args are
// those of [Stream.Launch] and contain the queue's Buffer. If ctx ends, Drain returns its error;
// the queue must not be used before another Sync.
//
// If the kernel pushes more items than there is room for, the error wraps [ErrWorkQueue] and says
// how many; so it does if the kernel takes none.
func (q *WorkQueue[T]) Drain(ctx context.Context, s *compute.Stream, k *compute.Kernel, grid compute.Grid,
	args ...any) (WorkStats, error) {
	var stats WorkStats
	on := stream.QueueOf(s)
	if err := stream.CheckCall(ctx, "work queue: Drain", q.missing() || on == nil); err != nil {
		return stats, err
	}
	l, err := k.Bind(grid, args...)
	if err != nil {
		return stats, err
	}
	core, own := stream.LaunchOf(l), stream.BufferOf(q.buffer)
	var site [1]uintptr
	runtime.Callers(2, site[:])
	if !slices.ContainsFunc(core.Args, func(a stream.Argument) bool { return a.View.Mem == own.Mem && a.Writes }) {
		return stats, &compute.LaunchError{Kernel: core.Kernel.Name,
			Err: fmt.Errorf("the arguments do not contain the buffer of %v: %w", q,
				ErrWorkQueue)}
	}
	words, err := q.words()
	if err != nil {
		return stats, fmt.Errorf("compute: %v: %w", q, err)
	}
	counters := words[words[workCounters]/4:][:q.options.Groups]
	clear(counters)
	words[workRefused] = 0
	left := func() uint32 { return words[workTail] - words[workHead] }
	for before := words[workHead] - 1; err == nil && left() > 0; stats.Rounds++ {
		if before == words[workHead] {
			err = fmt.Errorf("compute: %v: %q takes no items, %d are left: %w", q, core.Kernel.Name, left(), ErrWorkQueue)
			break
		}
		before = words[workHead]
		if err = on.Launch(ctx, l, site[0]); err == nil {
			err = s.Sync(ctx)
		}
		if n := words[workRefused]; err == nil && n > 0 {
			err = fmt.Errorf("compute: %v: %d items pushed in round %d found no room, capacity %d; want up to %d: %w", q, n,
				stats.Rounds+1, q.slots, uint64(q.slots)+uint64(n), ErrWorkQueue)
		}
	}
	if ctx.Err() != nil {
		return WorkStats{Rounds: stats.Rounds}, err // the kernel may still run
	}
	for _, n := range counters {
		stats.Items += uint64(n)
	}
	groups := min(core.Groups(), uint64(len(counters)))
	stats.Left, stats.Refused, stats.PerGroup = int(left()), int(words[workRefused]), slices.Clone(counters[:groups])
	return stats, err
}

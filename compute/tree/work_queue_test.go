package tree

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/stretchr/testify/require"
)

// Queens are counted by items that are partial solutions: the row, and the attacked columns and
// diagonals. The other kernels use the queue wrongly.
const workKernels = `
#include <metal_stdlib>
#include <puremetal/work_queue>
using namespace metal;
using namespace puremetal;
struct Board { uint row, columns, left, right; };

kernel void queens(device work_queue<Board> &queue [[buffer(0)]], device atomic_uint *found [[buffer(1)]],
                   constant uint2 &size [[buffer(2)]]) {
  Board b;
  for (uint n = 0; n < size.y && pop(queue, b); n++) {
    if (b.row == size.x) {
      atomic_fetch_add_explicit(found, 1, memory_order_relaxed);
      continue;
    }
    for (uint free = ~(b.columns | b.left | b.right) & ((1u << size.x) - 1); free != 0; free &= free - 1) {
      uint q = free & -free;
      Board next = {b.row + 1, b.columns | q, (b.left | q) << 1, (b.right | q) >> 1};
      push(queue, next);
    }
  }
}

// A threadgroup handles an item together: all of its threads add it.
struct Node { uint depth; };
kernel void nodes(device work_queue<Node> &queue [[buffer(0)]], device atomic_uint *sum [[buffer(1)]],
                  uint i [[thread_index_in_threadgroup]]) {
  Node n;
  while (pop(this_thread_block(), queue, n)) {
    atomic_fetch_add_explicit(sum, n.depth, memory_order_relaxed);
    Node next = {n.depth - 1};
    if (i < 2 && n.depth != 0 && !try_push(queue, next)) atomic_fetch_add_explicit(sum + 1, 1, memory_order_relaxed);
  }
}
kernel void idle(device work_queue<Node> &queue [[buffer(0)]]) {
  Node n;
  if (queue.capacity == 0) pop(queue, n);
}
`

type (
	workBoard struct{ Row, Columns, Left, Right uint32 }
	workNode  struct{ Depth uint32 }
)

func workQueueOf[T any](t *treeTest, o WorkQueueOptions, items ...T) *WorkQueue[T] {
	t.Helper()
	o.Label = "test"
	q, err := NewWorkQueue[T](t.acc, o)
	require.NoError(t, err)
	t.Cleanup(q.Close)
	require.NoError(t, q.Push(items...))
	return q
}

// TestWorkItems: items that beget items are all handled, once each, in one round or many.
func TestWorkItems(tt *testing.T) {
	eachWay(tt, workKernels, nil, func(t *treeTest) {
		boards := func(n int) int { // all partial solutions
			var count func(row int, columns, left, right uint32) int
			count = func(row int, columns, left, right uint32) int {
				all := 1
				for i := 0; i < n && row < n; i++ {
					if q := uint32(1) << i; (columns|left|right)&q == 0 {
						all += count(row+1, columns|q, (left|q)<<1, (right|q)>>1)
					}
				}
				return all
			}
			return count(0, 0, 0, 0)
		}
		q := workQueueOf[workBoard](t, WorkQueueOptions{Capacity: 3000, Groups: 16})
		for _, c := range []struct{ n, most, found int }{{6, 1 << 30, 4}, {8, 1 << 30, 92}, {8, 3, 92}, {1, 1, 1}} {
			found := bufferOf[uint32](t, t.acc, 0)
			require.NoError(t, q.Push(workBoard{}))
			stats, err := q.Drain(t.Context(), t.stream, t.kernel("queens"),
				compute.Threads{Grid: compute.Extent{X: 500}, Group: compute.Extent{X: 32}}, q.Buffer(), found,
				[2]uint32{uint32(c.n), uint32(c.most)})
			require.NoError(t, err)
			got, err := found.Data()
			require.NoError(t, err)
			require.Equal(t, []uint32{uint32(c.found)}, got)
			require.EqualValues(t, boards(c.n), stats.Items)
			require.Len(t, stats.PerGroup, 16)
			require.Zero(t, stats.Left)
			least, median, most := stats.Balance()
			require.LessOrEqual(t, least, median)
			require.LessOrEqual(t, median, most)
			if c.most == 3 { // a thread takes at most 3 in a round, so the work is spread and there are several
				require.Greater(t, stats.Rounds, 1)
				require.LessOrEqual(t, int(most), 96*stats.Rounds)
			}
		}

		nodes := workQueueOf(t, WorkQueueOptions{Capacity: 600}, workNode{8})
		sum := bufferOf[uint32](t, t.acc, 0, 0)
		stats, err := nodes.Drain(t.Context(), t.stream, t.kernel("nodes"),
			compute.Threads{Grid: compute.Extent{X: 64}, Group: compute.Extent{X: 16}}, nodes.Buffer(), sum)
		require.NoError(t, err)
		require.EqualValues(t, 1<<9-1, stats.Items)
		want := uint32(0)
		for depth := range uint32(9) {
			want += 16 * depth << (8 - depth)
		}
		got, err := sum.Data()
		require.NoError(t, err)
		require.Equal(t, []uint32{want, 0}, got)
	})
}

// TestWorkItemsFull: pushes without room are counted, and so is what is left.
func TestWorkItemsFull(tt *testing.T) {
	eachWay(tt, workKernels, nil, func(t *treeTest) {
		q := workQueueOf(t, WorkQueueOptions{Capacity: 4}, workBoard{})
		found := bufferOf[uint32](t, t.acc, 0, 0)
		drain := func() (WorkStats, error) {
			return q.Drain(t.Context(), t.stream, t.kernel("queens"), compute.Threads1D(1), q.Buffer(), found, [2]uint32{8, 1})
		}
		stats, err := drain()
		require.ErrorIs(t, err, ErrWorkQueue)
		require.ErrorContains(t, err, "4 items pushed in round 1 found no room, capacity 4; want up to 8")
		require.Equal(t, WorkStats{Rounds: 1, Items: 1, Left: 4, Refused: 4, PerGroup: []uint32{1}}, stats)
		require.ErrorContains(t, q.Push(workBoard{}), "1 more items, but 4 of 4 are in use")

		nodes := workQueueOf(t, WorkQueueOptions{Capacity: 3}, workNode{1}, workNode{1}, workNode{1}, workNode{1})
		stats, err = nodes.Drain(t.Context(), t.stream, t.kernel("nodes"),
			compute.Threads{Grid: compute.Extent{X: 16}, Group: compute.Extent{X: 16}}, nodes.Buffer(),
			found) // keeps what it cannot push
		require.NoError(t, err)
		got, err := found.Data()
		require.NoError(t, err)
		require.EqualValues(t, 4+8, stats.Items+uint64(got[1]))
	})
}

// TestWorkItemsMisuse: what does not work is refused, and no drain goes on for ever.
func TestWorkItemsMisuse(tt *testing.T) {
	t := newTreeTest(tt, workKernels, nil)
	one := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"items of 0 bytes, want 4 to 64":  one(NewWorkQueue[struct{}](t.acc, WorkQueueOptions{Capacity: 1})),
		"items of 2 bytes, want 4 to 64":  one(NewWorkQueue[uint16](t.acc, WorkQueueOptions{Capacity: 1})),
		"items of 68 bytes, want 4 to 64": one(NewWorkQueue[[17]uint32](t.acc, WorkQueueOptions{Capacity: 1})),
		"Capacity 0, want 1 to 16777216":  one(NewWorkQueue[uint32](t.acc, WorkQueueOptions{})),
		"Groups 65537, want 0 to 65536":   one(NewWorkQueue[uint32](t.acc, WorkQueueOptions{Capacity: 1, Groups: 65537})),
	} {
		require.ErrorIs(t, err, compute.ErrOption)
		require.ErrorContains(t, err, want)
	}
	require.ErrorIs(t, one(NewWorkQueue[uint32](nil, WorkQueueOptions{Capacity: 1})), compute.ErrNil)

	q := workQueueOf(t, WorkQueueOptions{Capacity: 4}, workNode{1})
	ctx := t.Context()
	stats, err := q.Drain(ctx, t.stream, t.kernel("idle"), compute.Threads1D(1), q.Buffer())
	require.ErrorIs(t, err, ErrWorkQueue)
	require.ErrorContains(t, err, `"idle" takes no items, 1 are left`)
	require.Equal(t, 1, stats.Left)
	other := workQueueOf(t, WorkQueueOptions{Capacity: 4}, workNode{1})
	_, err = q.Drain(ctx, t.stream, t.kernel("idle"), compute.Threads1D(1), other.Buffer())
	require.ErrorContains(t, err, "the arguments do not contain the buffer of work queue \"test\"")
	_, err = q.Drain(ctx, t.stream, t.kernel("idle"), compute.Threads1D(1))
	require.ErrorIs(t, err, compute.ErrInvalidLaunch)
	_, err = q.Drain(ctx, nil, t.kernel("idle"), compute.Threads1D(1))
	require.ErrorIs(t, err, compute.ErrNil)
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err = q.Drain(over, t.stream, t.kernel("nodes"), compute.Threads1D(1), q.Buffer())
	require.ErrorIs(t, err, context.Canceled)
	q.Close()
	require.ErrorIs(t, q.Push(workNode{}), compute.ErrClosed)
	_, err = q.Drain(ctx, t.stream, t.kernel("idle"), compute.Threads1D(1), q.Buffer())
	require.ErrorIs(t, err, compute.ErrClosed)
	var none *WorkQueue[uint32]
	none.Close()
	require.Nil(t, none.Buffer())
	require.ErrorIs(t, none.Push(1), compute.ErrNil)
	require.Equal(t, "nil work queue", none.String())
	require.Equal(t, [3]uint32{}, func() [3]uint32 { a, b, c := WorkStats{}.Balance(); return [3]uint32{a, b, c} }())
}

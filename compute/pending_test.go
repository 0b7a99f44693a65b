package compute

import (
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fillOf is a fill of some bytes.
func fillOf(number uint64, bytes uint) stream.Work {
	return stream.Work{Command: &stream.FillCommand{Transfer: stream.Transfer{To: stream.View{Length: bytes}}},
		Number: number}
}

func numbersOf(works []stream.Work) (numbers []uint64) {
	for i := range works {
		numbers = append(numbers, works[i].Number)
	}
	return numbers
}

// TestCut: a batch ends at the limit of commands, with the command that reaches the limit of bytes,
// and with the records of events.
func TestCut(t *testing.T) {
	record := func(number uint64, timing bool) stream.Work {
		return stream.Work{Command: &signalCommand{event: &Event{timing: timing}}, Number: number}
	}
	for _, c := range []struct {
		name  string
		limit Batching
		works []stream.Work
		want  []uint64
	}{
		{"all", Batching{Commands: 3, Bytes: 10}, []stream.Work{fillOf(1, 1), fillOf(2, 1)}, []uint64{1, 2}},
		{"commands", Batching{Commands: 2, Bytes: 10}, []stream.Work{fillOf(1, 1), fillOf(2, 1), fillOf(3, 1)}, []uint64{1,
			2}},
		{"bytes", Batching{Commands: 9, Bytes: 10}, []stream.Work{fillOf(1, 6), fillOf(2, 4), fillOf(3, 1)}, []uint64{1, 2}},
		{"one large", Batching{Commands: 9, Bytes: 10}, []stream.Work{fillOf(1, 99), fillOf(2, 1)}, []uint64{1}},
		{"timing", Batching{Commands: 9, Bytes: 10}, []stream.Work{fillOf(1, 1), record(2, true), fillOf(3, 1)},
			[]uint64{1, 2}},
		{"records", Batching{Commands: 9, Bytes: 10}, []stream.Work{fillOf(1, 1), record(2, false), record(3, false),
			fillOf(4, 1)},
			[]uint64{1, 2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var q pendingQueue
			for i := range c.works {
				q.push(&c.works[i])
			}
			assert.Equal(t, c.want, numbersOf(q.cut(c.limit)))
			assert.Equal(t, len(c.works)-len(c.want), q.len())
		})
	}
}

// TestWorkQueue: commands leave in the order they came, whatever the queue does with its memory,
// and the queue keeps none that has left.
func TestWorkQueue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var q pendingQueue
		pushed, popped := uint64(0), uint64(0)
		var batch []stream.Work // that has not ended
		for range rapid.IntRange(1, 200).Draw(r, "steps") {
			if n := rapid.IntRange(0, 5).Draw(r, "cut"); n > 0 || q.len() == 0 {
				pushed++
				w := fillOf(pushed, 1)
				q.push(&w)
				continue
			}
			require.Equal(r, popped+1, q.first().Number)
			if batch != nil && rapid.Bool().Draw(r, "recycle") {
				q.recycle(batch)
			}
			limit := Batching{Commands: rapid.IntRange(1, 8).Draw(r, "commands"), Bytes: 100}
			batch = q.cut(limit)
			require.Len(r, batch, min(limit.Commands, int(pushed-popped)))
			for _, n := range numbersOf(batch) {
				popped++
				require.Equal(r, popped, n)
			}
			require.EqualValues(r, pushed-popped, q.len())
			for _, w := range q.works[:q.head] {
				require.Zero(r, w.Number, "a command that has left is forgotten")
			}
		}
	})
}

// TestPendingQueueReuse: a queue in steady state allocates nothing.
func TestPendingQueueReuse(t *testing.T) {
	var q pendingQueue
	limit := Batching{Commands: 8, Bytes: 100}
	w := fillOf(1, 1)
	cycle := func() {
		for range 12 {
			q.push(&w)
		}
		for q.len() > 5 {
			q.recycle(q.cut(limit))
		}
	}
	for range 10 {
		cycle()
	}
	assert.Zero(t, testing.AllocsPerRun(100, cycle))
}

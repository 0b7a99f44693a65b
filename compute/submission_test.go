package compute

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// submissionOf returns a submission with some pending commands.
func submissionOf(b Batching, commands int) *submission {
	s := &submission{batching: b.withDefaults()}
	addWorks(s, commands)
	return s
}

func addWorks(s *submission, commands int) {
	for range commands {
		s.add(&stream.Work{Command: &stream.CallbackCommand{}})
	}
}

// over reports whether a wait has ended.
func over(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// endBatch ends the oldest batch in flight.
func endBatch(t *testing.T, s *submission) {
	t.Helper()
	s.inFlight[0].ended = true
	require.NotNil(t, s.popEnded())
}

// TestDecide: pending commands are submitted while there is room in flight, by one goroutine.
func TestDecide(t *testing.T) {
	s := submissionOf(Batching{Commands: 2}, 0)
	assert.Equal(t, waitForDevice, s.decide(2), "nothing is pending")
	addWorks(s, 5)
	assert.Equal(t, submitNow, s.decide(2))
	assert.Equal(t, waitForDevice, s.decide(2), "a goroutine submits already")
	assert.Equal(t, []uint64{1, 2}, numbersOf(s.next(2).works))
	assert.Equal(t, []uint64{3, 4}, numbersOf(s.next(2).works))
	assert.Nil(t, s.next(2), "two are in flight")
	assert.False(t, s.submitting)
	assert.Equal(t, waitForDevice, s.decide(2))
	endBatch(t, s)
	assert.Equal(t, waitForDevice, s.decide(1), "a stream of higher priority has work")
	assert.Equal(t, submitNow, s.decide(2))
	assert.Equal(t, []uint64{5}, numbersOf(s.next(2).works))
	assert.Nil(t, s.next(3), "nothing is pending")
	assert.False(t, s.submitting)
}

// TestDecideDelay: with a batching delay, the first command of a batch waits for more until the
// batch is full, the delay is over, or somebody waits.
func TestDecideDelay(t *testing.T) {
	s := submissionOf(Batching{Commands: 3, Delay: time.Second}, 1)
	assert.Equal(t, waitForMore, s.decide(2))
	addWorks(s, 1)
	assert.Equal(t, waitForDevice, s.decide(2), "the timer is set")
	addWorks(s, 1)
	assert.Equal(t, submitNow, s.decide(2), "the batch is full")
	addWorks(s, 1) // before the goroutine has the lock
	require.Len(t, s.next(2).works, 3)
	require.Nil(t, s.next(2), "the next batch waits for more")

	s.delayed = false // the timer fires
	s.hurry()
	assert.Equal(t, submitNow, s.decide(2))
	require.NotNil(t, s.next(2))
	require.Nil(t, s.next(2))
	endBatch(t, s)
	endBatch(t, s)
	addWorks(s, 1)
	assert.Equal(t, waitForMore, s.decide(2), "hurry does not concern later commands")
	s.hurry()
	assert.Equal(t, submitNow, s.decide(2))
}

// TestPopEnded: batches that end out of order complete in order.
func TestPopEnded(t *testing.T) {
	s := submissionOf(Batching{Commands: 2}, 5)
	first, second, third := s.next(3), s.next(3), s.next(3)
	assert.Nil(t, s.popEnded())
	second.ended = true
	assert.Nil(t, s.popEnded(), "the first one runs")
	assert.Zero(t, s.completed)
	first.ended = true
	assert.Same(t, first, s.popEnded())
	assert.EqualValues(t, 2, s.completed)
	assert.Same(t, second, s.popEnded())
	assert.EqualValues(t, 4, s.completed)
	assert.Nil(t, s.popEnded())
	assert.False(t, s.idle())
	third.ended = true
	assert.Same(t, third, s.popEnded())
	assert.True(t, s.idle())
	assert.Empty(t, s.inFlight)
}

// TestWakeCompleted: a wait for a command ends once that command and all before it have completed.
func TestWakeCompleted(t *testing.T) {
	s := submissionOf(Batching{Commands: 2}, 4)
	s.next(2)
	s.next(2)
	first, third, fourth := s.wait(1), s.wait(3), s.wait(4)
	s.wake()
	assert.False(t, over(first))
	endBatch(t, s)
	assert.False(t, over(first), "before wake")
	s.wake()
	assert.True(t, over(first))
	assert.False(t, over(third))
	endBatch(t, s)
	s.wake()
	assert.True(t, over(third))
	assert.True(t, over(fourth))
	assert.Empty(t, s.waiters)
}

// TestWakeForRoom: a wait for room ends when commands go to the device, or when the stream closes.
func TestWakeForRoom(t *testing.T) {
	s := submissionOf(Batching{}, maxPending-1)
	require.False(t, s.full())
	addWorks(s, 1)
	require.True(t, s.full())
	room := s.waitForRoom()
	s.wake()
	assert.False(t, over(room))
	require.NotNil(t, s.next(1))
	s.wake()
	assert.True(t, over(room))

	addWorks(s, maxPending-s.pending.len())
	require.True(t, s.full())
	room, last := s.waitForRoom(), s.wait(s.recorded)
	s.closed = true
	s.wake()
	assert.True(t, over(room))
	assert.False(t, over(last), "the work goes on")
}

// TestBefore lists the commands in flight before a batch, after those that were listed already.
func TestBefore(t *testing.T) {
	s := submissionOf(Batching{Commands: 2}, 5)
	s.next(3)
	s.next(3)
	third := s.next(3)
	earlier := stream.CommandSummary{Form: "copy"}
	call := stream.CommandSummary{Form: "callback"}
	assert.Equal(t, []stream.CommandSummary{earlier, call, call, call, call}, s.before(third,
		[]stream.CommandSummary{earlier}))
	assert.Equal(t, []stream.CommandSummary{earlier}, s.before(s.inFlight[0], []stream.CommandSummary{earlier}))
}

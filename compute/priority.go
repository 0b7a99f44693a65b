package compute

import "sync/atomic"

// Priority ranks a stream's work against that of other streams. Metal's queues have no priorities,
// so while a stream of higher priority has work, one of lower priority keeps at most one command
// buffer on the device. It is slowed down but never starved.
type Priority int8

// The priorities.
const (
	LowPriority    Priority = -1
	NormalPriority Priority = 0
	HighPriority   Priority = 1
)

// busyStreams counts an accelerator's streams that have unfinished work, by priority. It needs no
// lock.
type busyStreams [HighPriority - LowPriority + 1]atomic.Int32

// begin counts a stream that gets its first command.
func (b *busyStreams) begin(p Priority) { b[p-LowPriority].Add(1) }

// end uncounts a stream whose last command has ended.
func (b *busyStreams) end(p Priority) { b[p-LowPriority].Add(-1) }

// count returns how many streams of a priority have work.
func (b *busyStreams) count(p Priority) int { return int(b[p-LowPriority].Load()) }

// above reports whether a stream of higher priority has work.
func (b *busyStreams) above(p Priority) bool {
	for p++; p <= HighPriority; p++ {
		if b.count(p) > 0 {
			return true
		}
	}
	return false
}

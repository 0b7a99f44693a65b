package compute

import "sync/atomic"

// Priority ranks a stream's work relative to that of other streams. While a stream of higher
// priority has work, streams of lower priority are slowed down but never starved: each keeps at
// most one command buffer on the device. On a GPU that is all, because Metal's queues have no
// priorities. On the software device, kernels of lower priority also yield between threadgroups: a
// stream of high priority is about as fast as if it were alone, and the others get at least a tenth
// of the CPU time.
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

// end removes a stream whose last command has ended from the count.
func (b *busyStreams) end(p Priority) { b[p-LowPriority].Add(-1) }

// count returns how many streams of the given priority have work.
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

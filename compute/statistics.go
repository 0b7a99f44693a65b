package compute

import (
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// StreamStats counts the work of a stream since it was made, or of all streams of an accelerator
// since the accelerator was opened.
type StreamStats struct {
	Commands  uint64 // recorded: the sum of the next ten
	Launches  uint64 // without those of indirect commands
	Copies    uint64 // including uploads and downloads, mipmaps, and synchronization of managed memory
	Fills     uint64
	Records   uint64 // of events
	Waits     uint64 // on the device, for events
	Calls     uint64 // callbacks
	Encodes   uint64 // calls of Encode
	Functions uint64 // of the host, in replays of graphs, and decisions of their loops
	Indirect  uint64 // executions, resets and optimizations of indirect commands
	Fallbacks uint64 // launches on the CPU

	CopiedBytes, FilledBytes uint64

	CommandBuffers uint64 // submitted
	Failed         uint64 // command buffers that failed or could not be encoded, and launches on the CPU that failed
	Encoders       uint64
	Barriers       uint64        // between launches of one encoder whose memory overlapped
	DeviceTime     time.Duration // sum over command buffers, by the device's clock; 0 if it gives no time
	InFlight       int           // command buffers on the device now
	Waiting        int           // commands not yet submitted
}

// addTo adds the counters to s.
func addCounters(c *stream.Counters, s *StreamStats) {
	for _, n := range []struct {
		from *atomic.Uint64
		to   *uint64
	}{{&c.Launches, &s.Launches}, {&c.Copies, &s.Copies}, {&c.Fills, &s.Fills}, {&c.Records, &s.Records},
		{&c.Waits, &s.Waits}, {&c.Calls, &s.Calls}, {&c.Encodes, &s.Encodes}, {&c.Functions, &s.Functions},
		{&c.Indirect, &s.Indirect}, {&c.Fallbacks, &s.Fallbacks}} {
		*n.to += n.from.Load()
		s.Commands += n.from.Load()
	}
	s.CopiedBytes += c.Copied.Load()
	s.FilledBytes += c.Filled.Load()
	s.CommandBuffers += c.Buffers.Load()
	s.Failed += c.Failed.Load()
	s.Encoders += c.Encoders.Load()
	s.Barriers += c.Barriers.Load()
	s.DeviceTime += time.Duration(c.Device.Load())
}

// Stats returns the stream's statistics so far.
func (s *Stream) Stats() (t StreamStats) {
	if s.missing() {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	addCounters(&s.stats, &t)
	t.InFlight, t.Waiting = len(s.submission.inFlight), s.submission.pending.len()
	return t
}

// Stats returns the statistics of all streams of the accelerator so far, including closed streams
// and the internal one for uploads and downloads.
func (a *Accelerator) Stats() (t StreamStats) {
	if a.missing() {
		return t
	}
	a.core.Mu.Lock()
	addCounters(&a.closedStats, &t)
	var streams []*Stream
	for c := range a.core.Opened {
		if s, ok := c.(*Stream); ok && !s.counted {
			addCounters(&s.stats, &t)
			streams = append(streams, s)
		}
	}
	a.core.Mu.Unlock()
	for _, s := range streams {
		s.mu.Lock()
		t.InFlight += len(s.submission.inFlight)
		t.Waiting += s.submission.pending.len()
		s.mu.Unlock()
	}
	return t
}

// KernelStats counts the launches of a kernel since it was made.
type KernelStats struct {
	Launches uint64 // recorded on streams
	Threads  uint64 // of all launches
	Failed   uint64 // launches that may have run in a failed encoder or command buffer
}

// Stats returns the kernel's statistics so far.
func (k *Kernel) Stats() KernelStats {
	if k.missing() {
		return KernelStats{}
	}
	return KernelStats{k.core.Counters.Launches.Load(), k.core.Counters.Threads.Load(), k.core.Counters.Failed.Load()}
}

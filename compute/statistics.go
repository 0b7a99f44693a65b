package compute

import (
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
)

// StreamStats is what a stream has done since it was made, or all streams of an accelerator since it was opened.
type StreamStats struct {
	Commands uint64 // that were recorded; the six that follow together
	Launches uint64
	Copies   uint64 // also those of uploads and downloads, and what makes managed memory visible
	Fills    uint64
	Records  uint64 // of events
	Waits    uint64 // for events, on the device
	Calls    uint64 // of callbacks

	CopiedBytes, FilledBytes uint64

	CommandBuffers uint64 // that went to the device
	Failed         uint64 // of those, and of those that could not be made
	Encoders       uint64
	Barriers       uint64        // between launches of one encoder, where their memory met
	DeviceTime     time.Duration // from begin to end of each command buffer, by the device's clock; 0 where it gives no time
	InFlight       int           // command buffers on the device now
	Waiting        int           // commands that have not gone to it
}

// streamCounters count since the stream was made.
type streamCounters struct {
	kinds                     [callWork + 1]atomic.Uint64
	copied, filled            atomic.Uint64 // bytes
	buffers, failed, encoders atomic.Uint64
	barriers                  atomic.Uint64
	device                    atomic.Int64 // nanoseconds
}

// count counts a command that is recorded.
func (c *streamCounters) count(w *work) {
	c.kinds[w.kind].Add(1)
	switch w.kind {
	case copyWork:
		c.copied.Add(uint64(w.to.length))
	case fillWork:
		c.filled.Add(uint64(w.to.length))
	}
}

// took counts what a command buffer took of the device's time.
func (c *streamCounters) took(commands mtl.CommandBuffer) {
	if d := commands.GPUEndTime() - commands.GPUStartTime(); d > 0 {
		c.device.Add(int64(d * 1e9))
	}
}

// addTo adds what was counted to some figures.
func (c *streamCounters) addTo(s *StreamStats) {
	for kind := range c.kinds {
		n := c.kinds[kind].Load()
		s.Commands += n
		switch workKind(kind) {
		case launchWork:
			s.Launches += n
		case copyWork, synchronizeWork:
			s.Copies += n
		case fillWork:
			s.Fills += n
		case signalWork:
			s.Records += n
		case waitWork:
			s.Waits += n
		case callWork:
			s.Calls += n
		}
	}
	s.CopiedBytes += c.copied.Load()
	s.FilledBytes += c.filled.Load()
	s.CommandBuffers += c.buffers.Load()
	s.Failed += c.failed.Load()
	s.Encoders += c.encoders.Load()
	s.Barriers += c.barriers.Load()
	s.DeviceTime += time.Duration(c.device.Load())
}

// Stats returns what the stream has done so far.
func (s *Stream) Stats() (t StreamStats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.addTo(&t)
	t.InFlight, t.Waiting = len(s.submission.inFlight), s.submission.pending.len()
	return t
}

// Stats returns what all streams of the accelerator have done so far, those that are closed and its own for transfers among them.
func (a *Accelerator) Stats() (t StreamStats) {
	a.mu.Lock()
	t = a.ended
	var streams []*Stream
	for c := range a.opened {
		if s, ok := c.(*Stream); ok && !s.counted {
			s.stats.addTo(&t)
			streams = append(streams, s)
		}
	}
	a.mu.Unlock()
	for _, s := range streams {
		s.mu.Lock()
		t.InFlight += len(s.submission.inFlight)
		t.Waiting += s.submission.pending.len()
		s.mu.Unlock()
	}
	return t
}

// KernelStats is what became of a kernel since it was made.
type KernelStats struct {
	Launches uint64 // that streams took
	Threads  uint64 // of all launches together
	Failed   uint64 // launches in command buffers that failed while the kernel may have run
}

// kernelCounters count for [KernelStats].
type kernelCounters struct{ launches, threads, failed atomic.Uint64 }

// Stats returns how often the kernel was launched, over how many threads, and how often that failed.
func (k *Kernel) Stats() KernelStats {
	return KernelStats{k.counters.launches.Load(), k.counters.threads.Load(), k.counters.failed.Load()}
}

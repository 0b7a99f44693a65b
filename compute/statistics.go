package compute

import (
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
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

// streamCounters are the counters behind [StreamStats].
type streamCounters struct {
	launches, copies, fills   atomic.Uint64
	records, waits, calls     atomic.Uint64
	encodes, functions        atomic.Uint64
	indirect, fallbacks       atomic.Uint64
	copied, filled            atomic.Uint64 // bytes
	buffers, failed, encoders atomic.Uint64
	barriers                  atomic.Uint64
	device                    atomic.Int64 // nanoseconds
}

// copy counts a copy.
func (c *streamCounters) copy(bytes uint64) {
	c.copies.Add(1)
	c.copied.Add(bytes)
}

// addDeviceTime adds the device time of a command buffer, and returns it.
func (c *streamCounters) addDeviceTime(commands mtl.CommandBuffer) time.Duration {
	d := max(time.Duration((commands.GPUEndTime()-commands.GPUStartTime())*1e9), 0)
	c.device.Add(int64(d))
	return d
}

// add adds other counters.
func (c *streamCounters) add(o *streamCounters) {
	to := c.all()
	for i, from := range o.all() {
		to[i].Add(from.Load())
	}
	c.device.Add(o.device.Load())
}

// all lists the counters, except that of time.
func (c *streamCounters) all() [16]*atomic.Uint64 {
	return [...]*atomic.Uint64{&c.launches, &c.copies, &c.fills, &c.records, &c.waits, &c.calls, &c.encodes, &c.functions,
		&c.indirect, &c.fallbacks, &c.copied, &c.filled, &c.buffers, &c.failed, &c.encoders, &c.barriers}
}

// addTo adds the counters to s.
func (c *streamCounters) addTo(s *StreamStats) {
	for _, n := range []struct {
		from *atomic.Uint64
		to   *uint64
	}{{&c.launches, &s.Launches}, {&c.copies, &s.Copies}, {&c.fills, &s.Fills}, {&c.records, &s.Records},
		{&c.waits, &s.Waits}, {&c.calls, &s.Calls}, {&c.encodes, &s.Encodes}, {&c.functions, &s.Functions},
		{&c.indirect, &s.Indirect}, {&c.fallbacks, &s.Fallbacks}} {
		*n.to += n.from.Load()
		s.Commands += n.from.Load()
	}
	s.CopiedBytes += c.copied.Load()
	s.FilledBytes += c.filled.Load()
	s.CommandBuffers += c.buffers.Load()
	s.Failed += c.failed.Load()
	s.Encoders += c.encoders.Load()
	s.Barriers += c.barriers.Load()
	s.DeviceTime += time.Duration(c.device.Load())
}

// Stats returns the stream's statistics so far.
func (s *Stream) Stats() (t StreamStats) {
	if s.missing() {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.addTo(&t)
	t.InFlight, t.Waiting = len(s.submission.inFlight), s.submission.pending.len()
	return t
}

// Stats returns the statistics of all streams of the accelerator so far, including closed streams
// and the internal one for uploads and downloads.
func (a *Accelerator) Stats() (t StreamStats) {
	if a.missing() {
		return t
	}
	a.mu.Lock()
	a.closedStats.addTo(&t)
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

// KernelStats counts the launches of a kernel since it was made.
type KernelStats struct {
	Launches uint64 // recorded on streams
	Threads  uint64 // of all launches
	Failed   uint64 // launches that may have run in a failed encoder or command buffer
}

// kernelCounters are the counters behind [KernelStats].
type kernelCounters struct{ launches, threads, failed atomic.Uint64 }

// Stats returns the kernel's statistics so far.
func (k *Kernel) Stats() KernelStats {
	if k.missing() {
		return KernelStats{}
	}
	return KernelStats{k.counters.launches.Load(), k.counters.threads.Load(), k.counters.failed.Load()}
}

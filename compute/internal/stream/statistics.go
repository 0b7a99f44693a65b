package stream

import (
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/mtl"
)

// Counters are the counters behind [StreamStats].
type Counters struct {
	Launches, Copies, Fills   atomic.Uint64
	Records, Waits, Calls     atomic.Uint64
	Encodes, Functions        atomic.Uint64
	Indirect, Fallbacks       atomic.Uint64
	Copied, Filled            atomic.Uint64 // bytes
	Buffers, Failed, Encoders atomic.Uint64
	Barriers                  atomic.Uint64
	Device                    atomic.Int64 // nanoseconds
}

// Copy counts a copy.
func (c *Counters) Copy(bytes uint64) {
	c.Copies.Add(1)
	c.Copied.Add(bytes)
}

// AddDeviceTime adds the device time of a command buffer, and returns it.
func (c *Counters) AddDeviceTime(commands mtl.CommandBuffer) time.Duration {
	d := max(time.Duration((commands.GPUEndTime()-commands.GPUStartTime())*1e9), 0)
	c.Device.Add(int64(d))
	return d
}

// Add adds other counters.
func (c *Counters) Add(o *Counters) {
	to := c.all()
	for i, from := range o.all() {
		to[i].Add(from.Load())
	}
	c.Device.Add(o.Device.Load())
}

// all lists the counters, except that of time.
func (c *Counters) all() [16]*atomic.Uint64 {
	return [...]*atomic.Uint64{&c.Launches, &c.Copies, &c.Fills, &c.Records, &c.Waits, &c.Calls, &c.Encodes, &c.Functions,
		&c.Indirect, &c.Fallbacks, &c.Copied, &c.Filled, &c.Buffers, &c.Failed, &c.Encoders, &c.Barriers}
}

// KernelCounters are the counters behind [KernelStats].
type KernelCounters struct{ Launches, Threads, Failed atomic.Uint64 }

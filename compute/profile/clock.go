package profile

import (
	"math"
	"time"
)

// Clock relates the device's clock to the recorder's. See the package comment for the method.
type Clock struct {
	Offset  float64       `json:"offset"`  // seconds to add to the device's clock
	Error   time.Duration `json:"error"`   // the offset is at most this far off
	Buffers int           `json:"buffers"` // that it was computed from
	// Drift says that no offset fits all buffers: the clocks do not run alike. Error is then half
	// of the distance by which they disagree.
	Drift bool `json:"drift,omitempty"`
}

// host converts a time of the device.
func (c Clock) host(device float64) time.Duration {
	return time.Duration(math.Round((device + c.Offset) * 1e9))
}

// clockBounds are what command buffers allow for the offset.
type clockBounds struct {
	low, high float64
	n         int
}

func newClockBounds() *clockBounds { return &clockBounds{math.Inf(-1), math.Inf(1), 0} }

// add takes when a buffer was committed and its end was notified, in seconds of the host, and when
// the device executed it.
func (b *clockBounds) add(commit, start, end, notified float64) {
	b.low = max(b.low, commit-start)
	b.high = min(b.high, notified-end)
	b.n++
}

func (b *clockBounds) clock() Clock {
	if b.n == 0 {
		return Clock{}
	}
	half := (b.high - b.low) / 2
	return Clock{Offset: b.low + half, Error: time.Duration(math.Abs(half) * 1e9), Buffers: b.n, Drift: half < 0}
}

package peer

import (
	"fmt"
	"sync"
	"time"
)

// Stats are the counts of a link since it was made.
type Stats struct {
	Transfers uint64 // that have ended, with the ones below
	Failed    uint64
	Canceled  uint64
	// Of transfers that succeeded:
	Remote, Staged, Local uint64        // by path
	Bytes                 uint64        // of the data; staging memory is not counted twice
	Time                  time.Duration // from the call to the end by the host's clock, summed; transfers overlap
}

// String returns one line.
func (s Stats) String() string {
	return fmt.Sprintf("%d transfers (%d remote, %d staged, %d local, %d failed, %d canceled), %d bytes in %v",
		s.Transfers, s.Remote, s.Staged, s.Local, s.Failed, s.Canceled, s.Bytes, s.Time)
}

type counters struct {
	mu    sync.Mutex
	total Stats
}

// add counts a transfer that has ended.
func (c *counters) add(t *Transfer, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.total
	s.Transfers++
	switch {
	case t.err == nil:
		s.Bytes += uint64(t.bytes)
		s.Time += took
		*[]*uint64{Staged: &s.Staged, Remote: &s.Remote, Local: &s.Local}[t.path]++
	case t.skipped.Load():
		s.Canceled++
	default:
		s.Failed++
	}
}

// Stats returns the link's counts.
func (l *Link) Stats() Stats {
	if l.missing() {
		return Stats{}
	}
	l.stats.mu.Lock()
	defer l.stats.mu.Unlock()
	return l.stats.total
}

package profile

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// KernelSummary sums up the commands of a kernel, or of a kind of commands without one, such as
// "[copy]".
type KernelSummary struct {
	Kernel    string        `json:"kernel"`
	Source    Site          `json:"source,omitzero"` // of the first command; see Command
	Count     int           `json:"count"`           // commands recorded
	Exact     int           `json:"exact"`           // with a device time of their own
	Estimated int           `json:"estimated"`       // with a share of their command buffer's
	Total     time.Duration `json:"total"`           // on the device
	Mean      time.Duration `json:"mean"`
	P50       time.Duration `json:"p50"` // nearest rank; of exact times if there are any
	P95       time.Duration `json:"p95"`
	P99       time.Duration `json:"p99"`
	Share     float64       `json:"share"`            // of the device time of all commands
	GFLOPS    float64       `json:"gflops,omitempty"` // 0 if the work is not known
	GBs       float64       `json:"gbs,omitempty"`
	OfPeak    float64       `json:"ofPeak,omitempty"` // the larger share of the two peaks, 0 if not known
}

// Kernels sums up the commands by kernel, the one with the most device time first.
func (p *Profile) Kernels() []KernelSummary {
	if p == nil {
		return nil
	}
	type sum struct {
		KernelSummary
		exact, shares []time.Duration
		bytes         float64
	}
	byName := map[string]*sum{}
	var all time.Duration
	for i := range p.Commands {
		c := &p.Commands[i]
		if !c.onDevice() {
			continue
		}
		s := byName[c.name()]
		if s == nil {
			s = &sum{KernelSummary: KernelSummary{Kernel: c.name(), Source: c.Source}}
			byName[c.name()] = s
		}
		s.Count++
		switch c.Timed {
		case TimedExactly:
			s.exact = append(s.exact, c.Time())
		case TimedByShare:
			s.shares = append(s.shares, c.Time())
		default:
			continue
		}
		s.Total += c.Time()
		all += c.Time()
		if c.Kernel == "" || p.BufferBytes {
			s.bytes += float64(c.Bytes)
		}
	}
	list := make([]KernelSummary, 0, len(byName))
	for _, s := range byName {
		s.Exact, s.Estimated = len(s.exact), len(s.shares)
		if n := s.Exact + s.Estimated; n > 0 {
			s.Mean = s.Total / time.Duration(n)
			if w, ok := p.Work[s.Kernel]; ok {
				s.GFLOPS = perNanosecond(w.Flops*float64(n), s.Total)
				if w.Bytes > 0 {
					s.bytes = w.Bytes * float64(n)
				}
			}
			s.GBs = perNanosecond(s.bytes, s.Total)
			s.OfPeak = max(share(s.GFLOPS, p.Peak.GFLOPS), share(s.GBs, p.Peak.GBs))
		}
		times := s.exact
		if len(times) == 0 {
			times = s.shares
		}
		s.P50, s.P95, s.P99 = percentiles(times)
		s.Share = share(float64(s.Total), float64(all))
		list = append(list, s.KernelSummary)
	}
	slices.SortFunc(list, func(a, b KernelSummary) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Kernel, b.Kernel))
	})
	return list
}

func share(x, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return x / of
}

// percentiles sorts the times.
func percentiles(times []time.Duration) (p50, p95, p99 time.Duration) {
	if len(times) == 0 {
		return 0, 0, 0
	}
	slices.Sort(times)
	rank := func(q float64) time.Duration { return times[int(math.Ceil(q*float64(len(times))))-1] }
	return rank(0.5), rank(0.95), rank(0.99)
}

// StreamSummary says how busy the device was with a stream.
type StreamSummary struct {
	Stream       uint64        `json:"stream"`
	Label        string        `json:"label,omitempty"`
	Buffers      int           `json:"buffers"`
	Commands     int           `json:"commands"`
	MostCommands int           `json:"mostCommands"` // in one command buffer
	Busy         time.Duration `json:"busy"`         // the device executed at least one of its command buffers
	Idle         time.Duration `json:"idle"`         // between its first and last, not busy
	Occupancy    float64       `json:"occupancy"`    // Busy by the time of the recording
	Encode       time.Duration `json:"encode"`       // on the host
	Queued       time.Duration `json:"queued"`       // sum of the times between commit and start
	Notify       time.Duration `json:"notify"`       // sum of the times between end and notification
	Failed       int           `json:"failed"`
}

// span is a part of a timeline.
type span struct{ start, end time.Duration }

// union sorts the spans and returns how long at least one covers, and how long none does between
// the first and the last.
func union(spans []span) (covered, gaps time.Duration) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i, s := range spans {
		if i == 0 {
			covered = s.end - s.start
			continue
		}
		end := spans[i-1].end // the largest so far
		if s.start > end {
			gaps += s.start - end
		}
		covered += max(s.end-max(s.start, end), 0)
		spans[i].end = max(s.end, end)
	}
	return covered, gaps
}

// Streams sums up the command buffers of each stream, in the order of their numbers, and how long
// the device was busy with any of them.
func (p *Profile) Streams() (list []StreamSummary, busy time.Duration) {
	if p == nil {
		return nil, 0
	}
	byStream := map[uint64]*StreamSummary{}
	spans := map[uint64][]span{}
	var all []span
	for i := range p.Buffers {
		b := &p.Buffers[i]
		s := byStream[b.Stream]
		if s == nil {
			s = &StreamSummary{Stream: b.Stream, Label: p.Labels[b.Stream]}
			byStream[b.Stream] = s
		}
		s.Buffers++
		s.Commands += b.Commands
		s.MostCommands = max(s.MostCommands, b.Commands)
		s.Encode += b.EncodeTook
		if b.Error != "" {
			s.Failed++
		}
		if b.Timed {
			spans[b.Stream] = append(spans[b.Stream], span{b.Start, b.End})
			all = append(all, span{b.Start, b.End})
			s.Queued += b.Start - b.Commit
			s.Notify += b.Notified - b.End
		}
	}
	for n, s := range byStream {
		s.Busy, s.Idle = union(spans[n])
		s.Occupancy = share(float64(s.Busy), float64(p.Took))
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b StreamSummary) int { return cmp.Compare(a.Stream, b.Stream) })
	busy, _ = union(all)
	return list, busy
}

// Figures are what belongs to an operation.
type Figures struct {
	Commands     int           `json:"commands"`
	Launches     int           `json:"launches"`
	Device       time.Duration `json:"device"`    // of its commands
	Estimated    int           `json:"estimated"` // commands whose device time is a share
	MovedBytes   uint64        `json:"movedBytes"`
	MoveTime     time.Duration `json:"moveTime"` // of transfers by the host, and of copies by the device
	Allocations  int           `json:"allocations"`
	AllocBytes   uint64        `json:"allocBytes"`
	CacheHits    int           `json:"cacheHits"`
	CacheMisses  int           `json:"cacheMisses"`
	Compilations int           `json:"compilations"`
	CompileTime  time.Duration `json:"compileTime"`
}

// OperationSummary sums up all runs of the operations of a name.
type OperationSummary struct {
	Name      string        `json:"name"`
	Runs      int           `json:"runs"`
	Host      time.Duration `json:"host"` // from start to end, with operations inside
	Self      Figures       `json:"self"`
	Inclusive Figures       `json:"inclusive"` // with operations inside
}

// Outside is the name, in the result of [Profile.ByOperation], of what belongs to no operation.
const Outside = "(outside)"

// ByOperation sums up by the names of operations, the one with the most device time first.
// Commands, compilations and transfers belong to the operation of their context. Allocations and
// requests to the kernel cache have none: they belong to the operation that was open, if all that
// were open were nested in each other.
func (p *Profile) ByOperation() []OperationSummary {
	if p == nil {
		return nil
	}
	index := map[uint64]int{}
	sums := map[string]*OperationSummary{}
	for i := range p.Operations {
		o := &p.Operations[i]
		index[o.Number] = i
		s := sums[o.Name]
		if s == nil {
			s = &OperationSummary{Name: o.Name}
			sums[o.Name] = s
		}
		s.Runs++
	}
	for i := range p.Operations {
		o := &p.Operations[i]
		if !slices.Contains(p.names(index, o.Parent), o.Name) { // the time of a run inside is in that of the outer one
			sums[o.Name].Host += o.End - o.Start
		}
	}
	add := func(operation uint64, count func(*Figures)) {
		names := p.names(index, operation)
		if len(names) == 0 {
			s := sums[Outside]
			if s == nil {
				s = &OperationSummary{Name: Outside}
				sums[Outside] = s
			}
			count(&s.Self)
			count(&s.Inclusive)
			return
		}
		count(&sums[names[0]].Self)
		for i, n := range names {
			if !slices.Contains(names[:i], n) { // an operation inside one of its own name counts once
				count(&sums[n].Inclusive)
			}
		}
	}
	p.count(add)
	list := make([]OperationSummary, 0, len(sums))
	for _, s := range sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b OperationSummary) int {
		return cmp.Or(cmp.Compare(b.Inclusive.Device, a.Inclusive.Device), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// count adds all events to the figures of their operations.
func (p *Profile) count(add func(operation uint64, count func(*Figures))) {
	for i := range p.Commands {
		c := &p.Commands[i]
		add(c.Operation, func(f *Figures) {
			f.Commands++
			if c.Kind == "launch" {
				f.Launches++
			}
			if c.Timed != NotTimed {
				f.Device += c.Time()
			}
			if c.Timed == TimedByShare {
				f.Estimated++
			}
			if c.Kind == "copy" || c.Kind == "fill" {
				f.MovedBytes += c.Bytes
				f.MoveTime += c.Time()
			}
		})
	}
	for i := range p.Transfers {
		t := &p.Transfers[i]
		add(t.Operation, func(f *Figures) {
			f.MovedBytes += t.Bytes
			f.MoveTime += t.Took
		})
	}
	for i := range p.Memory {
		if m := &p.Memory[i]; m.Bytes > 0 && m.Error == "" {
			add(m.Operation, func(f *Figures) {
				f.Allocations++
				f.AllocBytes += uint64(m.Bytes)
			})
		}
	}
	for i := range p.Lookups {
		l := &p.Lookups[i]
		add(l.Operation, func(f *Figures) {
			if l.Hit {
				f.CacheHits++
			} else {
				f.CacheMisses++
			}
		})
	}
	for i := range p.Compiles {
		c := &p.Compiles[i]
		add(c.Operation, func(f *Figures) {
			f.Compilations++
			f.CompileTime += c.Took
		})
	}
}

// names returns the names of an operation and of those around it, the innermost first.
func (p *Profile) names(index map[uint64]int, operation uint64) (names []string) {
	for operation != 0 {
		i, ok := index[operation]
		if !ok {
			break
		}
		names = append(names, p.Operations[i].Name)
		operation = p.Operations[i].Parent
	}
	return names
}

// MostMemory returns the most bytes that buffers and textures took at once.
func (p *Profile) MostMemory() uint64 {
	if p == nil {
		return 0
	}
	most := p.Allocated
	for i := range p.Memory {
		if p.Memory[i].Error == "" {
			most = max(most, p.Memory[i].Allocated)
		}
	}
	return most
}

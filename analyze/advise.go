package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/analyze/event"
)

// More remedies, which follow from the source.
const (
	// Shrink: threadgroup memory limits how many threadgroups a core holds. Use less of it.
	Shrink Remedy = "shrink"
	// Enlarge: a core holds no more threadgroups, and these are too small to fill it.
	Enlarge Remedy = "enlarge"
)

// What the advice from the source counts.
const (
	perSimd        = "lines of a simdgroup"
	perThreadgroup = "lanes for a threadgroup"
	bankMeasure    = "passes of banks"
)

// advise gives advice that follows from the source.
func (r *Report) advise() {
	r.Advice = []Recommendation{}
	for i := range r.Accesses {
		r.adviseAccess(&r.Accesses[i])
	}
	n := threadsOf(r.Threadgroup)
	if x, full, ok := recommendWhole(n); ok {
		x.Place, x.Measure, x.Before, x.After = r.Place, perThreadgroup, int64(full), int64(n)
		r.Advice = append(r.Advice, x)
	}
	if o := r.Occupancy; o.Limit == "threadgroup memory" {
		without := r.Model.Occupancy(n, 0, r.Registers)
		if o.Threads.Value > 0 && without.Threads.Value >= minGain*o.Threads.Value {
			r.Advice = append(r.Advice, Recommendation{Place: r.Place, Remedy: Shrink, Measure: "threads of a core",
				Before: int64(o.Threads.Value), After: int64(without.Threads.Value),
				Gain: without.Threads.Value / o.Threads.Value, Model: "occupancy without threadgroup memory",
				Message: fmt.Sprintf("%v bytes of threadgroup memory limit a core to %v threads; use less, or share it among "+
					"more threads", r.ThreadgroupMemory, o.Threads)})
		}
	}
	if o := r.Occupancy; o.Limit == "threadgroups" {
		best := o
		for n := 32; n <= r.Model.ThreadsPerThreadgroup; n += 32 {
			if s := r.Model.Occupancy(n, r.memory(), r.Registers); s.Share.Low > best.Share.Low {
				best = s
			}
		}
		if best.Share.Low >= minGain*o.Share.High {
			r.Advice = append(r.Advice, Recommendation{Place: r.Place, Remedy: Enlarge, Measure: "threads of a core",
				Before: int64(o.Threads.High), After: int64(best.Threads.Low), Gain: best.Share.High / o.Share.Low,
				Model: "occupancy of " + r.Model.Name,
				Message: fmt.Sprintf("a core holds %v threadgroups, and those of %d threads "+
					"do not fill it; use %d threads", o.Threadgroups, n, best.Threadgroup)})
		}
	}
	slices.SortStableFunc(r.Advice, func(a, b Recommendation) int { return cmp.Compare(b.Gain, a.Gain) })
}

// adviseAccess gives advice on an access whose lines are known.
func (r *Report) adviseAccess(s *Access) {
	if p := s.BankPasses; p.Certainty != Unknown && p.High >= 2 {
		least := 1.0
		if s.Pattern == Strided { // each lane accesses other words
			least = math.Ceil(float64(s.Size) / 4)
		}
		if p.High > least {
			r.Advice = append(r.Advice, Recommendation{Place: s.Place, Memory: s.Memory, Remedy: Pad, Measure: bankMeasure,
				Before: int64(p.High), After: int64(least), Gain: p.High / least, Model: "32 banks of 4 bytes",
				Message: fmt.Sprintf("lanes access %s in the same bank; make its rows one element longer", s.Memory)})
		}
	}
	if s.Space == event.Threadgroup || s.Lines.Certainty == Unknown || s.Pattern == DataDependent ||
		s.Pattern == LaunchDependent { // no lines are known that could be saved
		return
	}
	used := s.Efficiency.Low * s.Lines.High * float64(r.Model.Line)
	least := math.Ceil(used / float64(r.Model.Line))
	if s.Lines.Low < minGain*least {
		return
	}
	a := Recommendation{Place: s.Place, Memory: s.Memory, Measure: perSimd,
		Before: int64(math.Ceil(s.Lines.High)), After: 1, Gain: s.Lines.High, // lanes may come to share a line
		Model: fmt.Sprintf("lines of %d bytes, no caches", r.Model.Line)}
	stride := math.Abs(s.Stride.Value)
	switch {
	case s.Stride.Certainty == Exact && s.Pattern == Strided && stride < float64(r.Model.Line):
		a.Remedy, a.After, a.Gain = SplitStructures, int64(least), s.Lines.High/least
		a.Message = fmt.Sprintf("neighboring lanes access %d bytes of %s every %v bytes; store what they access in an array "+
			"of its own", s.Size, s.Memory, stride)
	case s.Pattern == Tiled && shortRows(r.Threadgroup) && (s.Stride.Value == 0 || s.Stride.Value == float64(s.Size)):
		a.Remedy, a.Message = Widen, narrow(r.Threadgroup, s.Memory)
	default:
		a.Remedy = Interchange
		a.Message = fmt.Sprintf("the lanes of a simdgroup access %s in %v lines, %s; let neighbors in x access neighboring "+
			"addresses", s.Memory, s.Lines, s.Pattern)
	}
	r.Advice = append(r.Advice, a)
}

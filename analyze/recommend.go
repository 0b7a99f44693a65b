package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/analyze/event"
)

// Remedy is a way to make a kernel faster.
type Remedy string

// The remedies.
const (
	// Interchange: neighboring threads access memory at a distance of lines. Exchange the indices, or
	// the roles of the grid's axes, so that neighbors in x access neighboring addresses; where the
	// kernel must read one way and write the other, exchange them in threadgroup memory.
	Interchange Remedy = "interchange"
	// Widen: threadgroups are narrower than a simdgroup, so each simdgroup accesses several short
	// rows. Give threadgroups at least 32 threads in x.
	Widen Remedy = "widen"
	// SplitStructures: neighboring threads access a part of structures or vectors that share lines.
	// Store each member in an array of its own.
	SplitStructures Remedy = "split structures"
	// Stage: addresses follow no pattern. Read what a threadgroup needs in sequence into threadgroup
	// memory, or sort the work by address.
	Stage Remedy = "stage"
	// Privatize: atomic operations meet in device memory. Let each threadgroup combine them in
	// threadgroup memory first.
	Privatize Remedy = "privatize"
	// Regroup: the threadgroup's threads do not fill its simdgroups.
	Regroup Remedy = "regroup"
	// Converge: lanes of a simdgroup take different branches. Let simdgroups decide as a whole.
	Converge Remedy = "converge"
	// Vectorize: threads access less than 16 bytes at a time, in sequence. Let each do the work of
	// several, with vectors.
	Vectorize Remedy = "vectorize"
	// Pad: addresses in threadgroup memory are in the same bank. Make the rows of its arrays one
	// element longer.
	Pad Remedy = "pad"
)

// Recommendation is advice that follows from what a launch did.
type Recommendation struct {
	event.Place        // of the access or branch; unknown if the advice is about the launch
	Remedy      Remedy `json:"remedy"`
	Memory      string `json:"memory,omitempty"` // the name of the accessed memory
	Message     string `json:"message"`
	Before      int64  `json:"before"` // what Measure counts
	After       int64  `json:"after"`  // the least that it can become
	Measure     string `json:"measure"`
	// Gain is the factor by which Measure can become less for the whole launch, and Model says how it
	// was computed. It is a bound, not a promise.
	Gain  float64 `json:"gain"`
	Model string  `json:"model"`
}

// String returns the recommendation in a line.
func (r *Recommendation) String() string {
	at := ""
	if r.Line > 0 {
		at = r.Place.String() + ": "
	}
	return fmt.Sprintf("%s%s: %s (%s: %d, can be %d; at most %.3gx less for the launch, %s)", at, r.Remedy, r.Message,
		r.Measure, r.Before, r.After, r.Gain, r.Model)
}

// Thresholds of recommendations: what is within them is not worth a change.
const (
	minGain        = 1.5  // of a site
	minShare       = 0.02 // of the launch's transactions or instructions
	minMeeting     = 2    // lanes with the same address in an atomic operation
	minVectorShare = 0.05 // of a launch's instructions
	minDivergence  = 0.7  // lanes of those before that are active in a branch
)

// Recommend returns advice that follows from what a launch did, the greatest gain first, and what
// saves instructions alone at the end. line is the device's line size, one of event.LineSizes.
// Without anything to improve it returns none.
//
// Gains are in transactions, that is lines: the most a remedy can save is all lines beyond those
// that the bytes in them need. Caches may already save a part of them, so the time gained can be
// less; no advice is given where nothing was measured.
func Recommend(l *event.Launch, line int) ([]Recommendation, error) {
	size := slices.Index(event.LineSizes[:], line)
	if size < 0 {
		return nil, fmt.Errorf("analyze: Recommend: lines of %d bytes, want one of %v: %w", line, event.LineSizes, ErrOptions)
	}
	all, passes := l.Totals().Transactions[size], int64(0)
	for i := range l.Sites {
		passes += l.Sites[i].BankPasses
	}
	var list []Recommendation
	for i := range l.Sites {
		s := &l.Sites[i]
		r, ok := recommendBanks(s, passes)
		if s.Space != event.Threadgroup {
			r, ok = recommendSite(l, s, size, all)
		}
		if ok {
			r.Place, r.Memory = s.Place, s.Memory
			list = append(list, r)
		}
	}
	list = append(list, recommendBranches(l)...)
	if x, _, ok := recommendWhole(threadsOf(l.Threadgroup)); ok && l.Instructions > 0 {
		x.Measure, x.Before, x.After = "instructions of simdgroups", l.Instructions, int64(float64(l.Instructions)/x.Gain)
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b Recommendation) int { return cmp.Compare(b.Gain, a.Gain) })
	return append(list, recommendVectors(l)...), nil
}

// threadsOf returns the threads of a threadgroup of a shape.
func threadsOf(shape [3]int) int { return shape[0] * shape[1] * shape[2] }

// recommendWhole gives advice on threadgroups with a partial simdgroup. What is measured is left to
// the caller; full is the number of lanes that the threads occupy.
func recommendWhole(threads int) (r Recommendation, full int, ok bool) {
	full = wholeSimdgroups(threads)
	return Recommendation{Remedy: Regroup, Gain: float64(full) / float64(threads),
		Model: "lanes of partial simdgroups are idle",
		Message: fmt.Sprintf("threadgroups of %d threads do not fill their simdgroups of %d; choose a multiple of %d",
			threads, event.SimdWidth, event.SimdWidth)}, full, full != threads
}

// wholeSimdgroups returns the lanes of the simdgroups that so many threads occupy.
func wholeSimdgroups(threads int) int {
	return (threads + event.SimdWidth - 1) / event.SimdWidth * event.SimdWidth
}

// recommendSite gives advice on an access of device or constant memory.
func recommendSite(l *event.Launch, s *event.Site, size int, all int64) (Recommendation, bool) {
	line := int64(event.LineSizes[size])
	have := s.Transactions[size]
	if have == 0 {
		return Recommendation{}, false
	}
	if k := s.Contention; k != nil {
		return recommendAtomics(l, s, size, all)
	}
	least := max(s.Executions, (s.Unique+line-1)/line)
	if float64(have) < minGain*float64(least) || float64(have-least) < minShare*float64(all) {
		return Recommendation{}, false
	}
	r := Recommendation{Before: have, After: least, Measure: fmt.Sprintf("lines of %d bytes", line),
		Gain:  float64(all) / float64(all-have+least),
		Model: "only as many lines as the bytes wanted fill"}
	percent := 100 * float64(s.Unique) / float64(have*line)
	what := fmt.Sprintf("%s of %s use %.3g%% of the lines: ", plural(s.Operation), s.Memory, percent)
	main := s.Patterns.Main()
	if len(s.Strides) > 0 && (main == "strided" || main == "tiled") {
		stride := s.Strides[0].Stride
		apart := max(stride, -stride)
		if main == "strided" && apart > int64(s.Size) && apart < line {
			r.Remedy = SplitStructures
			r.Message = what + fmt.Sprintf("neighboring threads want %d bytes of every %d; "+
				"store each member in an array of its own, or access whole structures as vectors", s.Size, apart)
			return r, true
		}
		if shortRows(l.Threadgroup) && main == "tiled" && (stride == 0 || stride == int64(s.Size)) {
			r.Remedy = Widen
			r.Message = what + narrow(l.Threadgroup, s.Memory)
			return r, true
		}
		if apart >= line || main == "tiled" {
			r.Remedy = Interchange
			r.Message = what + fmt.Sprintf("neighboring threads are %d bytes apart; let neighbors in x access neighboring "+
				"addresses, or exchange rows and columns in threadgroup memory", stride)
			return r, true
		}
	}
	r.Remedy = Stage
	r.Message = what + "the addresses follow no pattern; read what the threadgroup needs in sequence into threadgroup " +
		"memory, or sort the work by address"
	return r, true
}

// shortRows reports whether the simdgroups of a threadgroup have several rows in x.
func shortRows(threadgroup [3]int) bool {
	return threadgroup[0] < event.SimdWidth && threadgroup[1]*threadgroup[2] > 1
}

// narrow says that threadgroups are too narrow for accesses of a memory by rows.
func narrow(threadgroup [3]int, memory string) string {
	return fmt.Sprintf("threadgroups are %d threads wide, so a simdgroup accesses several rows of %s; make them %d or "+
		"more threads wide", threadgroup[0], memory, event.SimdWidth)
}

func plural(o event.Operation) string {
	switch o {
	case event.Load:
		return "loads"
	case event.Store:
		return "stores"
	}
	return "atomic operations"
}

// recommendAtomics gives advice on atomic operations of device memory: if each threadgroup combined
// its operations, it would do one on each of its addresses, at most as many as it does now.
func recommendAtomics(l *event.Launch, s *event.Site, size int, all int64) (Recommendation, bool) {
	k, have, line := s.Contention, s.Transactions[size], int64(event.LineSizes[size])
	lines := (k.Addresses*int64(s.Size) + line - 1) / line
	least := min(have, l.Observed*lines)
	meeting := float64(k.Operations) / float64(max(k.Addresses*l.Observed, 1)) // of a threadgroup's, on an address
	if meeting < minMeeting || float64(have) < minGain*float64(least) || float64(have-least) < minShare*float64(all) {
		return Recommendation{}, false
	}
	return Recommendation{Remedy: Privatize, Before: have, After: least, Measure: fmt.Sprintf("lines of %d bytes", line),
		Gain:  float64(all) / float64(all-have+least),
		Model: "each threadgroup updates each address once",
		Message: fmt.Sprintf("%d atomic operations meet on %d addresses of %s, %d of them on one; combine those of a "+
			"threadgroup in threadgroup memory first", k.Operations, k.Addresses, s.Memory, k.Most)}, true
}

// vectorBytes are the most that a thread can access at a time.
const vectorBytes = 16

// recommendVectors gives advice on accesses of which a thread could do several at a time. That
// saves instructions only: the lines are the same.
func recommendVectors(l *event.Launch) []Recommendation {
	r := Recommendation{Remedy: Vectorize, Measure: accessMeasure, Before: Accesses(l)}
	narrow, shared, size := int64(0), int64(0), 0
	for i := range l.Sites {
		s := &l.Sites[i]
		if s.Space == event.Threadgroup || s.Operation == event.Atomic {
			continue
		}
		if s.Patterns.Main() == "broadcast" { // once for each simdgroup, of which there will be fewer
			shared += s.Executions
		}
		if s.Size > vectorBytes/2 || s.Patterns.Main() != "sequential" || s.Patterns.Share("sequential") < 0.9 {
			continue
		}
		if narrow == 0 {
			r.Place = s.Place
		}
		size = max(size, s.Size)
		narrow += s.Executions
	}
	if narrow == 0 || float64(narrow) < minVectorShare*float64(l.Instructions) {
		return nil
	}
	n := int64(vectorBytes / size)
	if int64(l.Grid[0])*int64(l.Grid[1])*int64(l.Grid[2]) < 32*n {
		return nil // less than a simdgroup would remain
	}
	less := narrow + shared
	r.After = r.Before - less + less/n
	r.Gain = float64(r.Before) / float64(max(r.After, 1))
	r.Model = fmt.Sprintf("%d accesses in sequence become one; the lines stay the same", n)
	r.Message = fmt.Sprintf("neighboring threads access adjacent elements of at most %d bytes; let a thread do the work "+
		"of %d with vectors, if enough threads remain", size, n)
	if size == 1 {
		r.Message = fmt.Sprintf("neighboring threads access adjacent bytes; let a thread do the work of %d with vectors, "+
			"if enough threads remain", n)
	}
	if r.Gain < minGain {
		return nil
	}
	return []Recommendation{r}
}

// accessMeasure is what [Accesses] counts.
const accessMeasure = "accesses of simdgroups"

// Accesses returns how many instructions of simdgroups access device or constant memory.
func Accesses(l *event.Launch) (n int64) {
	for i := range l.Sites {
		if s := &l.Sites[i]; s.Space != event.Threadgroup {
			n += s.Executions
		}
	}
	return n
}

// recommendBanks gives advice on an access of threadgroup memory at a constant distance. Padding
// does not help where addresses follow no pattern.
func recommendBanks(s *event.Site, all int64) (Recommendation, bool) {
	words := int64(max(s.Size/4, 1))
	least := s.Executions * words
	if main := s.Patterns.Main(); s.Space != event.Threadgroup || main != "strided" && main != "tiled" {
		return Recommendation{}, false
	}
	if float64(s.BankPasses) < 2*float64(least) {
		return Recommendation{}, false
	}
	return Recommendation{Remedy: Pad, Before: s.BankPasses, After: least, Measure: "passes over 32 banks of 4 bytes",
		Gain:  float64(all) / float64(all-s.BankPasses+least),
		Model: "banks of NVIDIA and AMD; Apple's are not documented",
		Message: fmt.Sprintf("%s of %s meet in the same banks; make the rows of the array one element longer",
			plural(s.Operation), s.Memory)}, true
}

// recommendBranches gives advice on branches in which many lanes are idle.
func recommendBranches(l *event.Launch) (list []Recommendation) {
	for i := range l.Branches {
		b := &l.Branches[i]
		if b.Divergent == 0 || float64(b.Active) > minDivergence*float64(b.Before) ||
			float64(b.Entries) < minShare*float64(l.Instructions) {
			continue
		}
		least := (b.Active + event.SimdWidth - 1) / event.SimdWidth
		list = append(list, Recommendation{Place: b.Place, Remedy: Converge, Before: b.Entries, After: least,
			Measure: "simdgroups that enter it",
			Gain:    float64(l.Instructions) / float64(l.Instructions-b.Entries+least),
			Model:   "at least one instruction of each entry is saved if lanes that enter share simdgroups",
			Message: fmt.Sprintf("%d of %d lanes enter the %s, in simdgroups whose other lanes wait; let neighboring threads "+
				"decide alike", b.Active, b.Before, b.Kind)})
	}
	return list
}

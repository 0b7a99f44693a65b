package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/ir"
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
	// Gain bounds the factor by which the launch's lines, passes or instructions can become less if
	// the remedy is applied wherever the change reaches, with the results the same: to all accesses of
	// the memory, or to all of the launch where threads get other work. Model says how it was
	// computed. It is an upper bound, not a promise. For [Shrink] and [Enlarge] it is how much Measure
	// can grow.
	Gain  float64 `json:"gain"`
	Model string  `json:"model"`
}

// String returns the recommendation in a line.
func (r *Recommendation) String() string {
	at := ""
	if r.Line > 0 {
		at = r.Place.String() + ": "
	}
	return fmt.Sprintf("%s%s: %s (%s: %d, can be %d; at most %s, %s)", at, r.Remedy, r.Message, r.Measure, r.Before,
		r.After, r.Bound(), r.Model)
}

// Bound returns the gain in words, such as "1.94x less for the launch", rounded up.
func (r *Recommendation) Bound() string {
	what := "less for the launch"
	switch {
	case r.Remedy == Shrink || r.Remedy == Enlarge:
		what = "more"
	case r.Measure == perSimd || r.Measure == perThreadgroup || r.Measure == bankMeasure:
		what = "less"
	}
	return atMost(r.Gain) + "x " + what
}

// atMost writes a bound with three digits, rounded up so that it stays one.
func atMost(x float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(max(x, 1)))-2)
	return strconv.FormatFloat(math.Ceil(x/unit-1e-9)*unit, 'g', 3, 64)
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
// Gains are bounds in lines, passes or instructions. Caches may already save a part of the lines,
// so the time gained can be less; no advice is given where nothing was measured.
func Recommend(l *event.Launch, line int) ([]Recommendation, error) {
	size := slices.Index(event.LineSizes[:], line)
	if size < 0 {
		return nil, fmt.Errorf("analyze: Recommend: lines of %d bytes, want one of %v: %w", line, event.LineSizes, ErrOptions)
	}
	k := &limits{launch: l, size: size, line: int64(line)}
	var list []Recommendation
	for i := range l.Sites {
		s := &l.Sites[i]
		r, ok := k.recommendBanks(s)
		if s.Space != event.Threadgroup {
			r, ok = k.recommendSite(s)
		}
		if ok {
			r.Place, r.Memory = s.Place, s.Memory
			list = append(list, r)
		}
	}
	list = append(list, recommendBranches(l)...)
	if x, _, ok := recommendWhole(threadsOf(l.Threadgroup)); ok && l.Instructions > 0 && l.ActiveLanes > 0 {
		x.Measure, x.Before, x.After = instructionMeasure, l.Instructions, fullSimdgroups(l.ActiveLanes)
		x.Gain = quotient(x.Before, x.After)
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b Recommendation) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(b.Before-b.After, a.Before-a.After))
	})
	return append(list, recommendVectors(l)...), nil
}

// instructionMeasure is what event.Launch.Instructions counts.
const instructionMeasure = "instructions of simdgroups"

// fullSimdgroups returns the fewest simdgroups that so many lanes fit in.
func fullSimdgroups(lanes int64) int64 { return (lanes + event.SimdWidth - 1) / event.SimdWidth }

func quotient(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }

// limits are bounds of what changes of a launch can save.
type limits struct {
	launch *event.Launch
	size   int // index of the line
	line   int64
}

// lines returns the fewest lines that a site needs: those of full simdgroups whose lanes share a
// line, or, where threads can share what they read, one for each line that is used at all.
func (k *limits) lines(s *event.Site) int64 {
	return min(s.Transactions[k.size], fullSimdgroups(s.Accesses), max(1, k.filled(s.Footprint)))
}

// filled returns how many lines so many bytes fill.
func (k *limits) filled(bytes int64) int64 { return (bytes + k.line - 1) / k.line }

// total returns the lines of all accesses.
func (k *limits) total() int64 { return k.launch.Totals().Transactions[k.size] }

// rearranged is the gain in lines if the threads of the launch are assigned to its work in any
// other way, which changes all accesses.
func (k *limits) rearranged() float64 {
	least := int64(0)
	for i := range k.launch.Sites {
		if s := &k.launch.Sites[i]; s.Space != event.Threadgroup {
			least += k.lines(s)
		}
	}
	return quotient(k.total(), least)
}

// within is the gain if only the accesses of a memory change, each from have to at least least.
func (k *limits) within(memory string, all int64, threadgroup bool, have, least func(*event.Site) int64) float64 {
	left := all
	for i := range k.launch.Sites {
		if s := &k.launch.Sites[i]; s.Memory == memory && (s.Space == event.Threadgroup) == threadgroup {
			left -= max(0, have(s)-least(s))
		}
	}
	return quotient(all, left)
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
func (k *limits) recommendSite(s *event.Site) (Recommendation, bool) {
	l, line, have, all := k.launch, k.line, s.Transactions[k.size], k.total()
	if have == 0 {
		return Recommendation{}, false
	}
	if s.Contention != nil {
		return k.recommendAtomics(s)
	}
	least := max(s.Executions, k.filled(s.Unique))
	if float64(have) < minGain*float64(least) || float64(have-least) < minShare*float64(all) {
		return Recommendation{}, false
	}
	r := Recommendation{Before: have, After: k.lines(s), Measure: fmt.Sprintf("lines of %d bytes", line),
		Gain: k.rearranged(), Model: "each access in full simdgroups that share a line, or each line once"}
	percent := 100 * float64(s.Unique) / float64(have*line)
	what := fmt.Sprintf("%s of %s use %.3g%% of the lines: ", plural(s.Operation), s.Memory, percent)
	main := s.Patterns.Main()
	if len(s.Strides) > 0 && (main == "strided" || main == "tiled") {
		stride := s.Strides[0].Stride
		apart := max(stride, -stride)
		if main == "strided" && apart > int64(s.Size) && apart < line {
			r.Remedy, r.After, r.Model = SplitStructures, least, "only as many lines as the bytes wanted fill"
			r.Gain = k.within(s.Memory, all, false, k.have, func(s *event.Site) int64 {
				return max(fullSimdgroups(s.Accesses), k.filled(s.Unique))
			})
			r.Message = what + fmt.Sprintf("neighboring threads want %d bytes of every %d; "+
				"store each member in an array of its own, or access whole structures as vectors", s.Size, apart)
			return r, true
		}
		if shortRows(l.Threadgroup) && main == "tiled" && (stride == 0 || stride == int64(s.Size)) {
			r.Remedy, r.After = Widen, min(have, fullSimdgroups(s.Accesses))
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

// have returns the lines of a site.
func (k *limits) have(s *event.Site) int64 { return s.Transactions[k.size] }

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
// its operations, it would do one on each of its addresses.
func (k *limits) recommendAtomics(s *event.Site) (Recommendation, bool) {
	c, have, all := s.Contention, s.Transactions[k.size], k.total()
	combined := func(s *event.Site) int64 {
		if s.Contention == nil || s.Contention.Truncated { // anything may be combined
			return min(1, s.Executions)
		}
		return max(s.Contention.Threadgroups, k.filled(s.Contention.Combined*int64(s.Size)))
	}
	least := min(have, combined(s))
	meeting := float64(c.Operations) / float64(max(c.Combined, 1)) // of a threadgroup's, on an address
	if meeting < minMeeting || float64(have) < minGain*float64(least) || float64(have-least) < minShare*float64(all) {
		return Recommendation{}, false
	}
	return Recommendation{Remedy: Privatize, Before: have, After: least, Measure: fmt.Sprintf("lines of %d bytes", k.line),
		Gain:  k.within(s.Memory, all, false, k.have, combined),
		Model: "each threadgroup updates each of its addresses once",
		Message: fmt.Sprintf("%d atomic operations meet on %d addresses of %s, %d of them on one; combine those of a "+
			"threadgroup in threadgroup memory first", c.Operations, c.Addresses, s.Memory, c.Most)}, true
}

// vectorBytes are the most that a thread can access at a time.
const vectorBytes = 16

// recommendVectors gives advice on accesses of which a thread could do several at a time. That
// saves instructions only: the lines are the same.
func recommendVectors(l *event.Launch) []Recommendation {
	r := Recommendation{Remedy: Vectorize, Measure: accessMeasure, Before: Accesses(l)}
	narrow, size, least := int64(0), 0, vectorBytes
	for i := range l.Sites {
		if s := &l.Sites[i]; vectorizable(s) {
			if narrow == 0 {
				r.Place = s.Place
			}
			size, least = max(size, s.Size), min(least, s.Size)
			narrow += s.Executions
		}
	}
	if narrow == 0 || float64(narrow) < minVectorShare*float64(l.Instructions) {
		return nil
	}
	n := int64(vectorBytes / size)
	if int64(l.Grid[0])*int64(l.Grid[1])*int64(l.Grid[2]) < 32*n {
		return nil // less than a simdgroup would remain
	}
	r.After = r.Before
	for i := range l.Sites {
		s := &l.Sites[i]
		times := int64(0)
		switch {
		case s.Space == event.Threadgroup || s.Operation == event.Atomic:
		case vectorizable(s):
			times = int64(vectorBytes / s.Size)
		case s.Patterns.Main() == "broadcast": // once for each simdgroup, of which there will be fewer
			times = int64(vectorBytes / least)
		}
		if times > 0 {
			r.After -= max(0, s.Executions-fullSimdgroups((s.Accesses+times-1)/times))
		}
	}
	r.Gain = quotient(r.Before, r.After)
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

// vectorizable reports whether threads access less than they could, in sequence.
func vectorizable(s *event.Site) bool {
	return s.Space != event.Threadgroup && s.Operation != event.Atomic && s.Size <= vectorBytes/2 &&
		s.Patterns.Main() == "sequential" && s.Patterns.Share("sequential") >= 0.9
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
func (k *limits) recommendBanks(s *event.Site) (Recommendation, bool) {
	words := int64(max(s.Size/4, 1))
	if main := s.Patterns.Main(); s.Space != event.Threadgroup || main != "strided" && main != "tiled" {
		return Recommendation{}, false
	}
	if float64(s.BankPasses) < 2*float64(s.Executions*words) {
		return Recommendation{}, false
	}
	all := int64(0)
	for i := range k.launch.Sites {
		all += k.launch.Sites[i].BankPasses
	}
	passes := func(s *event.Site) int64 { return s.BankPasses }
	least := func(s *event.Site) int64 { return max(s.Executions, (s.Unique+bankBytes-1)/bankBytes) }
	return Recommendation{Remedy: Pad, Before: s.BankPasses, After: least(s), Measure: "passes over 32 banks of 4 bytes",
		Gain:  k.within(s.Memory, all, true, passes, least),
		Model: "banks of NVIDIA and AMD; Apple's are not documented",
		Message: fmt.Sprintf("%s of %s meet in the same banks; make the rows of the array one element longer",
			plural(s.Operation), s.Memory)}, true
}

// bankBytes are those of a pass over all banks.
const bankBytes = ir.Banks * ir.BankWord

// recommendBranches gives advice on branches in which many lanes are idle. Threads that decide
// alike may also agree at other branches, so that only the lanes of the whole launch bound the
// gain.
func recommendBranches(l *event.Launch) (list []Recommendation) {
	gain := quotient(l.Instructions, fullSimdgroups(l.ActiveLanes))
	for i := range l.Branches {
		b := &l.Branches[i]
		if b.Divergent == 0 || float64(b.Active) > minDivergence*float64(b.Before) || gain < 1+minShare ||
			float64(b.Entries) < minShare*float64(l.Instructions) {
			continue
		}
		list = append(list, Recommendation{Place: b.Place, Remedy: Converge, Before: b.Entries,
			After: fullSimdgroups(b.Active), Measure: "simdgroups that enter it", Gain: gain,
			Model: "all instructions by full simdgroups",
			Message: fmt.Sprintf("%d of %d lanes enter the %s, in simdgroups whose other lanes wait; let neighboring threads "+
				"decide alike", b.Active, b.Before, b.Kind)})
	}
	return list
}

// Package event has what an observed launch of a kernel did: one [Launch] for each, with its memory
// accesses, its divergence and its balance. analyze.Observe returns them. They are plain data with
// a JSON form.
//
// # Timelines
//
// [Launch.Attributes] returns a launch's figures under keys that stay the same, for spans of a
// timeline. A profiler finds the span by the order of launches, Kernel, and Label, which is that of
// the command buffer. Start and End are those of the observed launch, which takes many times longer
// than others.
//
// # How a figure is known
//
// The software device counts while it runs the kernel. If it observed all threadgroups
// ([Launch.Whole]), counts of accesses, bytes and lines are exact for the kernel as written: a
// compiler for a GPU may merge accesses or drop them, so they bound what a GPU does from above. If
// it observed a sample of the threadgroups, the counts are those of the sample, and shares and
// efficiencies are estimates. [Reuse] is always an estimate, since it depends on the order in which
// threads run.
//
// # Terms
//
// An execution is a simdgroup of 32 lanes executing an access once, with any number of lanes
// active. Its lines are the distinct aligned blocks of memory that it touches, for each of
// [LineSizes]. Its unique bytes are those that at least one lane wants. Efficiency is unique bytes
// over the bytes of all lines: 1 if the lanes use all that is transferred.
package event

import (
	"fmt"
	"time"
)

// LineSizes are the sizes of lines, in bytes, for which accesses are counted: sectors of NVIDIA;
// lines of Apple's GPUs from family 9 and of AMD Vega; lines of Apple's families 7 and 8 and of AMD
// RDNA.
var LineSizes = [3]int{32, 64, 128}

// SimdWidth is the number of lanes of a simdgroup.
const SimdWidth = 32

// Launch is an observed launch.
type Launch struct {
	Kernel      string    `json:"kernel"`
	Label       string    `json:"label,omitempty"` // of its command buffer
	Grid        [3]int    `json:"grid"`            // threads
	Threadgroup [3]int    `json:"threadgroup"`     // threads
	Start       time.Time `json:"start"`
	End         time.Time `json:"end"` // of the observed launch, which takes many times longer
	// ThreadgroupMemory is what each threadgroup has, in bytes: arrays of the kernel and arguments.
	ThreadgroupMemory int    `json:"threadgroup_memory"`
	Error             string `json:"error,omitempty"` // why it failed; its counts are then incomplete

	Threadgroups int64 `json:"threadgroups"` // in the grid
	Observed     int64 `json:"observed"`     // threadgroups that were observed from beginning to end

	// Instructions counts instructions that simdgroups executed, and ActiveLanes the lanes that were
	// active in them. An instruction on a vector counts once for each component.
	Instructions int64 `json:"instructions"`
	ActiveLanes  int64 `json:"active_lanes"`
	// FloatOperations counts operations on floats by active lanes: 2 for a fused multiply-add, 1 for
	// any other operation or mathematical function, and 1024 for each product of simdgroup matrices.
	FloatOperations int64 `json:"float_operations"`
	// Textures counts texture operations of simdgroups. Their memory accesses are not observed.
	Textures int64 `json:"textures,omitempty"`

	Sites    []Site   `json:"sites"`    // in the order of their places
	Memories []Memory `json:"memories"` // in the order of their names
	Branches []Branch `json:"branches"` // in the order of their places
	Lines    []Line   `json:"lines"`    // in the order of their places
	Balance  Balance  `json:"balance"`
	Reuse    Reuse    `json:"reuse"`
}

// Whole reports whether all threadgroups of the launch were observed.
func (l *Launch) Whole() bool { return l.Observed == l.Threadgroups }

// SimdEfficiency is the share of lanes that are active, 1 if all are. It is 0 if nothing ran.
func (l *Launch) SimdEfficiency() float64 { return ratio(l.ActiveLanes, l.Instructions*SimdWidth) }

// Totals are sums over the sites in device and constant memory.
type Totals struct {
	Accesses     int64                 `json:"accesses"` // of lanes
	Bytes        int64                 `json:"bytes"`    // that lanes asked for
	Unique       int64                 `json:"unique"`
	Transactions [len(LineSizes)]int64 `json:"transactions"` // lines, by LineSizes
}

// Totals returns the sums over all sites in device and constant memory.
func (l *Launch) Totals() (t Totals) {
	for i := range l.Sites {
		s := &l.Sites[i]
		if s.Space == Threadgroup {
			continue
		}
		t.Accesses += s.Accesses
		t.Bytes += s.Bytes
		t.Unique += s.Unique
		for j, n := range s.Transactions {
			t.Transactions[j] += n
		}
	}
	return t
}

// Efficiency returns unique bytes over transferred bytes for a line size, one of LineSizes. ok is
// false if there were no accesses, or for another size.
func (t *Totals) Efficiency(line int) (e float64, ok bool) {
	return efficiency(t.Unique, t.Transactions, line)
}

// Place is a position in the source. Line is 0 if it is unknown.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String returns the place as file:line:column.
func (p Place) String() string {
	if p.Line == 0 {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Operation says what a site does.
type Operation string

// The operations.
const (
	Load   Operation = "load"
	Store  Operation = "store"
	Atomic Operation = "atomic"
)

// Space is a kind of memory.
type Space string

// The spaces.
const (
	Device      Space = "device"
	Constant    Space = "constant"
	Threadgroup Space = "threadgroup"
)

// Site is a place in the source that accesses memory. Code that is inlined at several places is
// several sites with the same place.
type Site struct {
	Place
	Operation Operation `json:"operation"`
	Space     Space     `json:"space"`
	Memory    string    `json:"memory"` // the argument or variable; "several" if there are more
	Size      int       `json:"size"`   // bytes of a lane's access

	Executions   int64                 `json:"executions"`        // of simdgroups
	Accesses     int64                 `json:"accesses"`          // of lanes
	Bytes        int64                 `json:"bytes"`             // that lanes asked for: accesses × size
	Unique       int64                 `json:"unique"`            // unique bytes of the executions, added up
	Transactions [len(LineSizes)]int64 `json:"transactions"`      // lines, by LineSizes
	Outside      int64                 `json:"outside,omitempty"` // accesses out of bounds, not counted otherwise
	// Footprint is the number of different bytes in memory, in steps of 32. It is 0 for threadgroup
	// memory.
	Footprint int64 `json:"footprint"`

	Patterns Patterns `json:"patterns"`
	Strides  []Stride `json:"strides"` // of strided and tiled accesses, the one with most bytes first
	// Entropy is that of the distances between addresses of neighboring lanes in random accesses, in
	// bits: 0 if they are all the same, and the greater the less they can be predicted. It is a lower
	// bound and at most 12, because distances are counted in 4096 classes.
	Entropy float64 `json:"entropy"`
	// Truncated says that there were too many different strides to list them all.
	Truncated bool `json:"truncated,omitempty"`

	Contention *Contention `json:"contention,omitempty"` // of atomic operations
	// BankPasses is the number of passes that threadgroup memory with 32 banks of 4 bytes needs, as
	// that of NVIDIA and AMD has: for each execution, the largest number of different words in a
	// bank. Apple does not document its banks.
	BankPasses int64 `json:"bank_passes,omitempty"`
}

// Efficiency returns unique bytes over transferred bytes for a line size, one of LineSizes. ok is
// false if there were no accesses, in threadgroup memory, which has no lines, or for another size.
func (s *Site) Efficiency(line int) (e float64, ok bool) {
	return efficiency(s.Unique, s.Transactions, line)
}

func efficiency(unique int64, transactions [len(LineSizes)]int64, line int) (float64, bool) {
	for i, size := range LineSizes {
		if size == line && transactions[i] > 0 {
			return float64(unique) / float64(transactions[i]*int64(line)), true
		}
	}
	return 0, false
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Patterns has the bytes that lanes asked for, by the pattern of the addresses in an execution.
type Patterns struct {
	Broadcast  int64 `json:"broadcast"`  // all lanes the same address
	Sequential int64 `json:"sequential"` // each lane the bytes after those of the lane before
	Strided    int64 `json:"strided"`    // any other constant distance between neighboring lanes
	Tiled      int64 `json:"tiled"`      // rows of 2, 4, 8 or 16 lanes at a constant distance
	Random     int64 `json:"random"`     // none of these
	Single     int64 `json:"single"`     // only one lane is active
}

// Main returns the pattern with most bytes, "" if there are no accesses.
func (p *Patterns) Main() string {
	name, most := "", int64(0)
	for _, x := range p.list() {
		if x.n > most {
			name, most = x.name, x.n
		}
	}
	return name
}

// Share returns the share of a pattern in all bytes, from 0 to 1; the name is as Main returns it.
func (p *Patterns) Share(name string) float64 {
	var all, n int64
	for _, x := range p.list() {
		all += x.n
		if x.name == name {
			n = x.n
		}
	}
	return ratio(n, all)
}

type patternBytes struct {
	name string
	n    int64
}

func (p *Patterns) list() []patternBytes {
	return []patternBytes{{"broadcast", p.Broadcast}, {"sequential", p.Sequential}, {"strided", p.Strided},
		{"tiled", p.Tiled}, {"random", p.Random}, {"single", p.Single}}
}

// Stride is a distance in bytes between the addresses of neighboring lanes, in a row of a tile if
// the access is tiled.
type Stride struct {
	Stride int64 `json:"stride"`
	Bytes  int64 `json:"bytes"` // that lanes asked for
}

// Contention is how atomic operations meet.
type Contention struct {
	Operations int64 `json:"operations"` // of lanes
	Addresses  int64 `json:"addresses"`  // different ones; in threadgroup memory those of the threadgroup that has most
	// Combined is how many operations would be left if each threadgroup did one for each of its
	// addresses, and Threadgroups the number of those that do any. Both are for device memory.
	Combined     int64 `json:"combined,omitempty"`
	Threadgroups int64 `json:"threadgroups,omitempty"`
	// Serial is, added up over the executions, the largest number of lanes with the same address. It
	// equals the number of executions if no lanes of a simdgroup meet.
	Serial int64 `json:"serial"`
	// Most is the number of operations on the address that has most of them, and Simdgroups that of
	// the executions that they came from.
	Most       int64 `json:"most"`
	Simdgroups int64 `json:"simdgroups"`
	Truncated  bool  `json:"truncated,omitempty"` // there were too many addresses to count them all
}

// Memory is an argument or variable in device or constant memory.
type Memory struct {
	Name      string `json:"name"`
	Size      int64  `json:"size"`      // of the buffer, which may be longer than the program asked for
	Footprint int64  `json:"footprint"` // different bytes that were accessed, in steps of 32
	Lines     int64  `json:"lines"`     // different lines of 128 bytes
	Hot       []Hot  `json:"hot"`       // the lines with most transactions, at most 8
}

// Hot is a line of 128 bytes that many transactions touch.
type Hot struct {
	Offset       int64 `json:"offset"` // in the memory
	Transactions int64 `json:"transactions"`
}

// Branch is an if, an else or a loop. One that has no instructions of its own, only other branches,
// is not listed; what is in it then counts the lanes that leave it out.
type Branch struct {
	Place
	Kind string `json:"kind"` // "if", "else" or "loop": a part of the kernel that lanes may leave out
	// Entries counts the times that a simdgroup executed it with at least one lane, each iteration of
	// a loop anew; Divergent those with fewer lanes than the simdgroup had before.
	Entries   int64 `json:"entries"`
	Divergent int64 `json:"divergent"`
	Active    int64 `json:"active"` // lanes, added up over the entries
	Before    int64 `json:"before"` // lanes that were active before, added up over the entries
}

// Line is a line of the source.
type Line struct {
	File         string                `json:"file"`
	Line         int                   `json:"line"`
	Instructions int64                 `json:"instructions"` // of simdgroups
	ActiveLanes  int64                 `json:"active_lanes"`
	Transactions [len(LineSizes)]int64 `json:"transactions"` // in device and constant memory
}

// Balance says how evenly the work is spread.
type Balance struct {
	Simdgroups   Spread `json:"simdgroups"`   // instructions of a simdgroup
	Threadgroups Spread `json:"threadgroups"` // instructions of a threadgroup's simdgroups together
}

// Spread describes numbers of instructions.
type Spread struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
	// Rounded says that there were too many different numbers to keep, so that they are rounded down
	// to 8 binary digits.
	Rounded bool `json:"rounded,omitempty"`
}

// Reuse is how soon lines of 128 bytes in device and constant memory are accessed again by the same
// threadgroup. The distance is the number of different lines accessed in between. It is an
// estimate: threads of a GPU run in another order, and those of other threadgroups beside them.
type Reuse struct {
	Threadgroups int64   `json:"threadgroups"` // a sample of those observed
	First        int64   `json:"first"`        // accesses of lines that the threadgroup had not accessed before
	Distances    []int64 `json:"distances"`    // accesses again: at 0, at 1, at 2 to 3, at 4 to 7, and so on
}

// Within returns the share of accesses whose line was among the n that the threadgroup accessed
// last, rounded down to a power of 2. A cache of that size would serve them.
func (r *Reuse) Within(n int) float64 {
	all, hits := r.First, int64(0)
	for i, d := range r.Distances {
		all += d
		if 1<<i <= n { // its distances are below 1<<i
			hits += d
		}
	}
	return ratio(hits, all)
}

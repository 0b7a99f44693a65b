package analyze

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// Model describes a family of GPUs. Numbers that are neither documented nor published are 0.
type Model struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Line        int    `json:"line"` // bytes of a line, or of a sector where those are transferred
	// Widths are the threads of a simdgroup: a wave, a warp. Where there are several, the compiler
	// chooses.
	Widths []int `json:"widths"`
	// Partitions are the parts of a core that have registers of their own. Each has Registers for
	// every thread of a unit of Unit threads, which it divides among the units it holds. They have
	// RegisterBits bits, and are allocated in multiples of Granule.
	Partitions   int `json:"partitions,omitempty"`
	Unit         int `json:"unit,omitempty"`
	Registers    int `json:"registers,omitempty"`
	RegisterBits int `json:"register_bits,omitempty"`
	Granule      int `json:"granule,omitempty"`
	// A core holds ThreadsPerCore threads, in Simdgroups simdgroups if that is fixed instead, and in
	// Threadgroups threadgroups. Barriers limits those of more than one simdgroup.
	ThreadsPerCore int `json:"threads_per_core,omitempty"`
	Simdgroups     int `json:"simdgroups,omitempty"`
	Threadgroups   int `json:"threadgroups,omitempty"`
	Barriers       int `json:"barriers,omitempty"`
	// ThreadgroupMemoryPerCore is what the threadgroups of a core share. One takes MemoryReserved more
	// bytes than it asks for, in multiples of MemoryGranule, or powers of 2 from there with
	// MemoryPowers.
	ThreadgroupMemoryPerCore int  `json:"threadgroup_memory_per_core,omitempty"`
	MemoryReserved           int  `json:"memory_reserved,omitempty"`
	MemoryGranule            int  `json:"memory_granule,omitempty"`
	MemoryPowers             bool `json:"memory_powers,omitempty"`
	ThreadsPerThreadgroup    int  `json:"threads_per_threadgroup"`
	ThreadgroupMemory        int  `json:"threadgroup_memory"` // bytes of a threadgroup
	Dynamic                  bool `json:"dynamic,omitempty"`  // registers are allocated while threads run
	Banks                    int  `json:"banks,omitempty"`    // of threadgroup memory, each 4 bytes wide
}

// apple, amd and nvidia return models that have the numbers of their families.
func apple(m Model) Model {
	m.Widths, m.ThreadsPerCore, m.ThreadsPerThreadgroup, m.ThreadgroupMemory = []int{32}, 3072, 1024, 32<<10
	return m
}

func amd(m Model) Model {
	m.Unit, m.RegisterBits, m.Barriers, m.Banks = m.Widths[0], 32, 16, ir.Banks
	m.ThreadsPerThreadgroup, m.ThreadgroupMemory, m.ThreadgroupMemoryPerCore = 1024, 64<<10, 64<<10
	return m
}

func nvidia(m Model) Model {
	m.Line, m.Widths, m.Partitions, m.Unit, m.Registers, m.RegisterBits = 32, []int{32}, 4, 32, 512, 32
	m.Granule, m.ThreadsPerThreadgroup, m.Banks = 8, 1024, ir.Banks
	m.ThreadgroupMemory = m.ThreadgroupMemoryPerCore - m.MemoryReserved
	return m
}

// Models returns the models that there are; docs/analyze.md has the sources of the numbers.
func Models() []Model {
	return []Model{
		apple(Model{Name: "apple7", Description: "Apple families 7 and 8: A14, A15, A16, M1, M2", Line: 128, Partitions: 1,
			Unit: 64, Registers: 106496 / 64, RegisterBits: 16, Granule: 1, ThreadgroupMemoryPerCore: 60 << 10}),
		apple(Model{Name: "apple9", Description: "Apple family 9 and later: A17, M3, M4", Line: 64, Dynamic: true}),
		amd(Model{Name: "vega", Description: "AMD Vega (GCN 5)", Line: 64, Widths: []int{64}, Partitions: 4, Registers: 256,
			Granule: 4, ThreadsPerCore: 4 * 10 * 64, MemoryGranule: 512}),
		amd(Model{Name: "rdna", Description: "AMD RDNA 1, waves of 32", Line: 128, Widths: []int{32}, Partitions: 2,
			Registers: 1024, Granule: 8, ThreadsPerCore: 2 * 20 * 32, MemoryGranule: 512}),
		amd(Model{Name: "rdna2", Description: "AMD RDNA 2, waves of 32", Line: 128, Widths: []int{32}, Partitions: 2,
			Registers: 1024, Granule: 16, ThreadsPerCore: 2 * 16 * 32, MemoryGranule: 512}),
		amd(Model{Name: "rdna3", Description: "AMD RDNA 3, waves of 32", Line: 128, Widths: []int{32}, Partitions: 2,
			Registers: 1536, Granule: 24, ThreadsPerCore: 2 * 16 * 32, MemoryGranule: 1024}),
		{Name: "intel", Description: "Intel Xe-HPG (Arc)", Line: 64, Widths: []int{8, 16, 32}, Simdgroups: 16 * 8,
			Threadgroups: 128, Barriers: 32, ThreadgroupMemoryPerCore: 128 << 10, MemoryGranule: 1024, MemoryPowers: true,
			ThreadsPerThreadgroup: 1024, ThreadgroupMemory: 64 << 10},
		nvidia(Model{Name: "nvidia75", Description: "NVIDIA Turing (7.5), for comparison: sectors of 32 bytes",
			ThreadsPerCore: 1024, Threadgroups: 16, ThreadgroupMemoryPerCore: 64 << 10, MemoryGranule: 256}),
		nvidia(Model{Name: "nvidia80", Description: "NVIDIA A100 (8.0), for comparison: sectors of 32 bytes",
			ThreadsPerCore: 2048, Threadgroups: 32, ThreadgroupMemoryPerCore: 164 << 10, MemoryReserved: 1024,
			MemoryGranule: 128}),
		nvidia(Model{Name: "nvidia86", Description: "NVIDIA Ampere (8.6), for comparison: sectors of 32 bytes",
			ThreadsPerCore: 1536, Threadgroups: 16, ThreadgroupMemoryPerCore: 100 << 10, MemoryReserved: 1024,
			MemoryGranule: 128}),
		nvidia(Model{Name: "nvidia89", Description: "NVIDIA Ada (8.9), for comparison: sectors of 32 bytes",
			ThreadsPerCore: 1536, Threadgroups: 24, ThreadgroupMemoryPerCore: 100 << 10, MemoryReserved: 1024,
			MemoryGranule: 128}),
		nvidia(Model{Name: "nvidia90", Description: "NVIDIA Hopper (9.0), for comparison: sectors of 32 bytes",
			ThreadsPerCore: 2048, Threadgroups: 32, ThreadgroupMemoryPerCore: 228 << 10, MemoryReserved: 1024,
			MemoryGranule: 128}),
	}
}

// modelOf returns the name of the model that a name means.
func modelOf(name string) string {
	switch name {
	case "apple8":
		return "apple7"
	case "gcn":
		return "vega"
	case "rdna1":
		return "rdna"
	case "nvidia":
		return "nvidia80"
	}
	return name
}

// ModelByName returns a model; "apple8" is apple7, "gcn" vega, and "nvidia" nvidia80.
func ModelByName(name string) (Model, error) {
	var names []string
	for _, m := range Models() {
		if m.Name == modelOf(name) {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, fmt.Errorf("analyze: no model %q, want one of %s: %w", name, strings.Join(names, ", "), ErrOptions)
}

// Tail is how a grid's threadgroups fill a GPU.
type Tail struct {
	Threadgroups int `json:"threadgroups"` // of the grid
	Partial      int `json:"partial"`      // those that the edges of the grid make smaller
	// Lanes is the share of the lanes of simdgroups that have a thread.
	Lanes Figure `json:"lanes"`
	// Cores is how many cores the threadgroups fill at a time: more than the GPU has make several
	// waves. If it has less, the grid limits occupancy.
	Cores Figure `json:"cores"`
	Waves Figure `json:"waves"` // of the threadgroups that all cores hold at a time
	Last  Figure `json:"last"`  // the share of the last wave that has threadgroups
}

// tail returns the tail of a grid of threads.
func (o *Occupancy) tail(grid, group [3]int, cores int) (t Tail) {
	var whole, rest [3]int // threadgroups along an axis, and threads of the smaller one at its end
	for i := range grid {
		whole[i], rest[i] = grid[i]/group[i], grid[i]%group[i]
	}
	lanes, threads := 0, 1
	for edges := range 8 { // those that are smaller along these axes
		n, size := 1, 1
		for i := range grid {
			if edges>>i&1 == 0 {
				n, size = n*whole[i], size*group[i]
			} else {
				n, size = n*min(rest[i], 1), size*rest[i]
			}
		}
		t.Threadgroups += n
		if edges > 0 {
			t.Partial += n
		}
		lanes += n * wholeSimdgroups(size)
	}
	for _, n := range grid {
		threads *= n
	}
	t.Lanes = exact(float64(threads) / float64(lanes))
	per := o.Threadgroups
	if per.Certainty == Unknown || per.Low <= 0 {
		t.Cores, t.Waves, t.Last = per, per, per
		if per.Certainty != Unknown {
			t.Cores = unknown("a core holds no threadgroup of the kernel")
			t.Waves, t.Last = t.Cores, t.Cores
		}
		return t
	}
	scale := func(x float64) Figure {
		return per.with(float64(t.Threadgroups)/per.High/x, float64(t.Threadgroups)/per.Low/x)
	}
	t.Cores = scale(1)
	if cores == 0 {
		t.Waves = unknown("the number of cores is not known")
		t.Last = t.Waves
		return t
	}
	waves := scale(float64(cores))
	t.Waves = per.with(math.Ceil(waves.Low), math.Ceil(waves.High))
	if t.Waves.Low != t.Waves.High {
		t.Last = unknown("depends on the number of waves")
		return t
	}
	last := func(x float64) float64 { return x - math.Ceil(x) + 1 }
	t.Last = per.with(last(waves.Low), last(waves.High))
	return t
}

// with returns numbers that are as certain as f.
func (f Figure) with(low, high float64) Figure {
	switch {
	case low != high:
		return between(low, high, f.Reason)
	case f.Certainty == Estimate:
		return estimate(low, f.Reason)
	}
	return exact(low)
}

// Occupancy is how many threads a core can hold at a time.
type Occupancy struct {
	Threadgroup  int    `json:"threadgroup"`  // threads
	Threadgroups Figure `json:"threadgroups"` // of a core
	Threads      Figure `json:"threads"`      // of a core
	// Limit is what allows no more: registers, threadgroup memory, threads, threadgroups or grid.
	Limit string `json:"limit"`
	Share Figure `json:"share"` // of the simdgroups that a core can hold
}

// ThreadsOf returns the threads of a core that its registers suffice for, if each thread has that
// many registers of 16 bits, and no more than the core holds. Each partition holds
// floor(Registers / r) units of threads, where r is in the model's registers and a multiple of its
// granule.
func (m *Model) ThreadsOf(registers int) Figure {
	switch {
	case m.Dynamic:
		return unknown("this family allocates registers while threads run")
	case m.Registers == 0:
		return unknown("registers do not limit the threads of " + m.Description)
	}
	r := roundUp((max(registers, 1)*16+m.RegisterBits-1)/m.RegisterBits, m.Granule)
	return exact(float64(min(m.Partitions*m.Unit*(m.Registers/r), m.ThreadsPerCore)))
}

// roundUp returns the least multiple of a number that is not less than n.
func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// memoryOf returns the bytes that a threadgroup takes of a core's threadgroup memory.
func (m *Model) memoryOf(bytes int) int {
	n := bytes + m.MemoryReserved
	switch {
	case n == 0 || m.MemoryGranule == 0:
		return n
	case m.MemoryPowers:
		return max(1<<bits.Len(uint(n-1)), m.MemoryGranule)
	}
	return roundUp(n, m.MemoryGranule)
}

// Occupancy returns the occupancy of a kernel with threadgroups of that many threads and bytes of
// threadgroup memory. registers is the number of 16-bit registers of a thread. A partial simdgroup
// takes the room of a whole one.
func (m *Model) Occupancy(threads, memory int, registers Figure) Occupancy {
	o := Occupancy{Threadgroup: threads}
	failed := func(f Figure) Occupancy {
		o.Threads, o.Threadgroups, o.Share = f, f, f
		return o
	}
	switch {
	case threads <= 0 || threads > m.ThreadsPerThreadgroup:
		return failed(unknown(fmt.Sprintf("a threadgroup has 1 to %d threads", m.ThreadsPerThreadgroup)))
	case memory > m.ThreadgroupMemory:
		return failed(unknown(fmt.Sprintf("a threadgroup has at most %d bytes of memory", m.ThreadgroupMemory)))
	case m.Dynamic:
		const reason = "registers are allocated while threads run; the limit is that of families 7 and 8"
		n := float64(m.ThreadsPerCore / wholeSimdgroups(threads))
		o.Threadgroups, o.Threads = between(1, n, reason), between(float64(threads), n*float64(threads), reason)
		o.Share = between(float64(threads)/float64(m.ThreadsPerCore), n*float64(threads)/float64(m.ThreadsPerCore), reason)
		return o
	case m.Registers > 0 && registers.Certainty == Unknown:
		return failed(registers)
	}
	o = m.occupancyOf(threads, memory, m.Widths[0], registers)
	for _, width := range m.Widths[1:] {
		w := m.occupancyOf(threads, memory, width, registers)
		o.Threadgroups, o.Threads = o.Threadgroups.or(w.Threadgroups), o.Threads.or(w.Threads)
		if o.Share = o.Share.or(w.Share); w.Limit != o.Limit && w.Limit != "threads" {
			o.Limit = w.Limit
		}
	}
	return o
}

// or returns a figure that is one of two, depending on the width of simdgroups.
func (f Figure) or(g Figure) Figure {
	return between(min(f.Low, g.Low), max(f.High, g.High),
		"depends on the width of simdgroups, which the compiler chooses")
}

// occupancyOf is Occupancy for simdgroups of a width.
func (m *Model) occupancyOf(threads, memory, width int, registers Figure) (o Occupancy) {
	simdgroups := (threads + width - 1) / width
	room := m.Simdgroups // for simdgroups on the core
	if room == 0 {
		room = m.ThreadsPerCore / width
	}
	groups, limit := room/simdgroups, "threads"
	lower := func(n int, what string) {
		if n < groups {
			groups, limit = n, what
		}
	}
	of := exact
	if m.Registers > 0 {
		f := m.ThreadsOf(int(registers.Value))
		lower(int(f.Value)/width/simdgroups, "registers")
		if registers.Certainty != Exact {
			of = func(x float64) Figure { return estimate(x, "the registers are estimated from the lives of values") }
		}
	}
	if n := m.memoryOf(memory); n > 0 && m.ThreadgroupMemoryPerCore > 0 {
		lower(m.ThreadgroupMemoryPerCore/n, "threadgroup memory")
	}
	if m.Threadgroups > 0 {
		lower(m.Threadgroups, "threadgroups")
	}
	if m.Barriers > 0 && simdgroups > 1 {
		lower(m.Barriers, "threadgroups")
	}
	o.Threadgroup, o.Limit = threads, limit
	o.Threadgroups, o.Threads = of(float64(groups)), of(float64(groups*threads))
	o.Share = of(float64(groups*simdgroups) / float64(room))
	return o
}

// Sweep returns the occupancy for threadgroups of 32, 64, and so on up to the most threads.
func (m *Model) Sweep(memory int, registers Figure) (list []Occupancy) {
	for n := 32; n <= m.ThreadsPerThreadgroup; n *= 2 {
		list = append(list, m.Occupancy(n, memory, registers))
	}
	return list
}

package analyze

import (
	"fmt"
	"strings"
)

// Model describes a family of GPUs. Numbers that are neither documented nor published are 0.
type Model struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Line        int    `json:"line"` // bytes of a line, or of a sector where those are transferred
	// Registers is the number of 16-bit registers of a core, ThreadsPerCore the most threads that it
	// holds, and ThreadgroupMemoryPerCore the bytes that its threadgroups share.
	Registers                int  `json:"registers,omitempty"`
	ThreadsPerCore           int  `json:"threads_per_core,omitempty"`
	ThreadgroupMemoryPerCore int  `json:"threadgroup_memory_per_core,omitempty"`
	ThreadsPerThreadgroup    int  `json:"threads_per_threadgroup"`
	ThreadgroupMemory        int  `json:"threadgroup_memory"` // bytes of a threadgroup
	Dynamic                  bool `json:"dynamic,omitempty"`  // registers are allocated while threads run
	Banks                    int  `json:"banks,omitempty"`    // of threadgroup memory, each 4 bytes wide
}

// models lists the models. Apple's figures are those of philipturner/metal-benchmarks and of Mesa's
// agx_performance.c; the others are the vendors'.
var models = []Model{
	{Name: "apple7", Description: "Apple families 7 and 8: A14, A15, A16, M1, M2", Line: 128, Registers: 106496,
		ThreadsPerCore: 3072, ThreadgroupMemoryPerCore: 61440, ThreadsPerThreadgroup: 1024, ThreadgroupMemory: 32768},
	{Name: "apple9", Description: "Apple family 9 and later: A17, M3, M4", Line: 64, ThreadsPerThreadgroup: 1024,
		ThreadgroupMemory: 32768, Dynamic: true},
	{Name: "vega", Description: "AMD Vega", Line: 64, ThreadsPerThreadgroup: 1024, ThreadgroupMemory: 65536, Banks: 32},
	{Name: "rdna", Description: "AMD RDNA", Line: 128, ThreadsPerThreadgroup: 1024, ThreadgroupMemory: 65536, Banks: 32},
	{Name: "intel", Description: "Intel", Line: 64, ThreadsPerThreadgroup: 1024, ThreadgroupMemory: 65536},
	{Name: "nvidia", Description: "NVIDIA, for comparison: sectors of 32 bytes", Line: 32, ThreadsPerThreadgroup: 1024,
		ThreadgroupMemory: 49152, Banks: 32},
}

// Models returns the models that there are.
func Models() []Model { return append([]Model(nil), models...) }

// ModelByName returns a model; "apple8" is apple7.
func ModelByName(name string) (Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name || m.Name == "apple7" && name == "apple8" {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Model{}, fmt.Errorf("analyze: no model %q, want one of %s: %w", name, strings.Join(names, ", "), ErrOptions)
}

// Occupancy is how many threads a core can hold at a time.
type Occupancy struct {
	Threadgroup  int    `json:"threadgroup"`  // threads
	Threadgroups Figure `json:"threadgroups"` // of a core
	Threads      Figure `json:"threads"`      // of a core
	Limit        string `json:"limit"`        // what allows no more: registers, threadgroup memory or threads
	Share        Figure `json:"share"`        // of the threads that a core can hold
}

// ThreadsOf returns the threads that the registers of a core suffice for, if each thread has that
// many 16-bit registers: 64 × floor(registers / (64 × r)), and no more than the core holds.
func (m *Model) ThreadsOf(registers int) Figure {
	switch {
	case m.Dynamic:
		return unknown("this family allocates registers while threads run")
	case m.Registers == 0:
		return unknown("there is no model of the registers of " + m.Description)
	}
	return exact(float64(min(64*(m.Registers/(64*max(registers, 1))), m.ThreadsPerCore)))
}

// Occupancy returns the occupancy of a kernel with threadgroups of that many threads and bytes of
// threadgroup memory. registers is the number of 16-bit registers of a thread. A partial simdgroup
// takes the room of a whole one.
func (m *Model) Occupancy(threads, memory int, registers Figure) Occupancy {
	o := Occupancy{Threadgroup: threads}
	switch {
	case threads <= 0 || threads > m.ThreadsPerThreadgroup:
		o.Threads = unknown(fmt.Sprintf("a threadgroup has 1 to %d threads", m.ThreadsPerThreadgroup))
	case memory > m.ThreadgroupMemory:
		o.Threads = unknown(fmt.Sprintf("a threadgroup has at most %d bytes of memory", m.ThreadgroupMemory))
	case registers.Certainty == Unknown:
		o.Threads = registers
	default:
		o.Threads = m.ThreadsOf(int(registers.Value))
	}
	if o.Threads.Certainty == Unknown {
		o.Threadgroups, o.Share = o.Threads, o.Threads
		return o
	}
	groups, limit := m.ThreadsPerCore/wholeSimdgroups(threads), "threads"
	if n := int(o.Threads.Value) / wholeSimdgroups(threads); n < groups {
		groups, limit = n, "registers"
	}
	if memory > 0 && m.ThreadgroupMemoryPerCore/memory < groups {
		groups, limit = m.ThreadgroupMemoryPerCore/memory, "threadgroup memory"
	}
	o.Limit = limit
	of := func(x float64) Figure {
		if registers.Certainty == Exact {
			return exact(x)
		}
		return estimate(x, "the registers are estimated from the lives of values")
	}
	o.Threadgroups, o.Threads = of(float64(groups)), of(float64(groups*threads))
	o.Share = of(float64(groups*threads) / float64(m.ThreadsPerCore))
	return o
}

// Sweep returns the occupancy for threadgroups of 32, 64, and so on up to the most threads.
func (m *Model) Sweep(memory int, registers Figure) (list []Occupancy) {
	for n := 32; n <= m.ThreadsPerThreadgroup; n *= 2 {
		list = append(list, m.Occupancy(n, memory, registers))
	}
	return list
}

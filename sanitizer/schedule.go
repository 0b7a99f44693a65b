package sanitizer

import "fmt"

// ScheduleReport says whether results depend on the order in which threadgroups and simdgroups are
// executed. compute.Accelerator.CompareSchedules makes it.
type ScheduleReport struct {
	// Schedules is the number of permuted orders that were compared with the default order, in which
	// threadgroups and simdgroups are executed one after the other as the grid has them.
	Schedules int `json:"schedules"`
	// Differ has the seeds of the orders with other results. It is empty if no result depends on the
	// order, as far as these orders show.
	Differ []uint64 `json:"differ"`
	// Results are the results that differ, by name.
	Results []ResultDifference `json:"results"`
	// Moves is the smallest difference found between the default order and one with other results.
	// No move can be left out, and none can be shorter.
	Moves []Move `json:"moves"`
	// Difference has the moves in words, each with its launch if there are several launches.
	Difference string `json:"difference"`
	// Incomplete says why there are no moves, or why there may be a smaller difference; "" if
	// neither is so.
	Incomplete string `json:"incomplete,omitempty"`
	// Runs is how often the work ran.
	Runs int `json:"runs"`
}

// ResultDifference is a result that depends on the order.
type ResultDifference struct {
	Name      string `json:"name"`
	Schedules int    `json:"schedules"` // orders in which it differs
	// Seed is the first of these orders. The bytes are those that differ from the default order's in
	// it: how many, and where the first is.
	Seed  uint64 `json:"seed"`
	Bytes int    `json:"bytes"`
	First int    `json:"first"`
	// Default and Other are the result in the default order and in that of Seed.
	Default []byte `json:"-"`
	Other   []byte `json:"-"`
}

// Move is a threadgroup or a simdgroup that leaves its place in the default order. In the default
// order with only the report's moves, the results differ.
type Move struct {
	Launch      int    `json:"launch"` // from 1, in the order in which launches begin
	Kernel      string `json:"kernel"` // of the launch
	Threadgroup [3]int `json:"threadgroup"`
	Simdgroup   int    `json:"simdgroup"` // of the threadgroup; -1 if the threadgroup itself moves
	Barriers    int    `json:"barriers"`  // that come before the part of the threadgroup in which the simdgroup moves

	// It comes just before or just after another one.
	Before           bool   `json:"before"`
	OtherThreadgroup [3]int `json:"otherThreadgroup"`
	OtherSimdgroup   int    `json:"otherSimdgroup"` // -1 if the threadgroup itself moves
}

// String returns the move in words, such as "threadgroup (3,0,0) before (2,0,0)".
func (m Move) String() string {
	where := "after"
	if m.Before {
		where = "before"
	}
	if m.Simdgroup < 0 {
		return fmt.Sprintf("threadgroup %s %s %s", position(m.Threadgroup), where, position(m.OtherThreadgroup))
	}
	part := "before the first barrier"
	if m.Barriers > 0 {
		part = fmt.Sprintf("after barrier %d", m.Barriers)
	}
	return fmt.Sprintf("simdgroup %d %s %d of threadgroup %s, %s", m.Simdgroup, where, m.OtherSimdgroup,
		position(m.Threadgroup), part)
}

func position(p [3]int) string { return fmt.Sprintf("(%d,%d,%d)", p[0], p[1], p[2]) }

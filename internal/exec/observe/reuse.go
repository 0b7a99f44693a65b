package observe

import (
	"math/bits"
	"slices"
)

// reuse measures reuse distances of a threadgroup: the number of different lines accessed between
// two accesses to the same one. Each line has the time of its last access, and a binary indexed
// tree counts, for any time, the lines last accessed since (Bennett and Kruskal's algorithm).
type reuse struct {
	last  map[uint64]int32 // time of a line's last access, from 1
	tree  []int32          // by time
	now   int32
	first int64
	again [64]int64 // by the bit length of the distance
}

const reuseTimes = 1 << 12

// begin forgets the lines of the threadgroup before.
func (r *reuse) begin() {
	if r.last == nil {
		r.last, r.tree = map[uint64]int32{}, make([]int32, reuseTimes+1)
	}
	clear(r.last)
	clear(r.tree)
	r.now = 0
}

func (r *reuse) access(line uint64) {
	if int(r.now) == len(r.tree)-1 {
		r.renumber()
	}
	r.now++
	if t, ok := r.last[line]; ok {
		r.again[bits.Len32(uint32(r.sum(r.now)-r.sum(t)))]++
		r.update(t, -1)
	} else {
		r.first++
	}
	r.last[line] = r.now
	r.update(r.now, 1)
}

func (r *reuse) update(t, by int32) {
	for ; int(t) < len(r.tree); t += t & -t {
		r.tree[t] += by
	}
}

// sum returns the number of lines last accessed at a time up to t.
func (r *reuse) sum(t int32) (n int32) {
	for ; t > 0; t -= t & -t {
		n += r.tree[t]
	}
	return n
}

// renumber closes the gaps between the times, and doubles the tree if that frees less than a half.
func (r *reuse) renumber() {
	type entry struct {
		line uint64
		time int32
	}
	list := make([]entry, 0, len(r.last))
	for line, t := range r.last {
		list = append(list, entry{line, t})
	}
	slices.SortFunc(list, func(a, b entry) int { return int(a.time - b.time) })
	if 2*len(list) > len(r.tree)-1 {
		r.tree = make([]int32, 2*(len(r.tree)-1)+1)
	} else {
		clear(r.tree)
	}
	for i, e := range list {
		r.last[e.line] = int32(i + 1)
		r.update(int32(i+1), 1)
	}
	r.now = int32(len(list))
}

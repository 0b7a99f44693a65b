package dialects

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOpenCLWorkGroups runs the functions of a work-group on groups of 7 by 11 work-items, of which
// those at the edges are smaller: each has another number of sub-groups, and one that is not full.
func TestOpenCLWorkGroups(t *testing.T) {
	scans[int32](t, "scan_int", 0, math.MaxInt32, math.MinInt32, func(v int) int32 { return int32(v) << 20 })
	scans[uint32](t, "scan_uint", 0, math.MaxUint32, 0, func(v int) uint32 { return uint32(v) * 0x2000001 })
	scans[int64](t, "scan_long", 0, math.MaxInt64, math.MinInt64,
		func(v int) int64 { return int64(v) * 0x123456789abcdef })
	scans[uint64](t, "scan_ulong", 0, math.MaxUint64, 0, func(v int) uint64 { return uint64(v) * 0x2003456789abcdef })
	inf := float32(math.Inf(1))
	scans[float32](t, "scan_float", 0, inf, -inf, func(v int) float32 { return float32(v) / 4 })
}

func scans[T int32 | uint32 | int64 | uint64 | float32](t *testing.T, kernel string, zero, greatest, least T,
	number func(int) T) {
	m := compileFile(t, "opencl/workgroups.cl")
	const w, h, gw, gh = 10, 26, 7, 11
	const groups = 2
	in := make([]T, 3*groups*gw*gh)
	for i := range in {
		in[i] = number(i*37%101 - 50)
	}
	out := make([]T, len(in)*10)
	run(t, m, kernel, grid{[3]int{w, h, 1}, [3]int{gw, gh, 1}}, out, in, int32(groups))
	for g := range 3 * groups {
		gx, gy := g%groups, g/groups
		nx, ny := min(gw, w-gx*gw), min(gh, h-gy*gh)
		all := in[g*gw*gh:][:nx*ny]
		var sum, before T
		for _, v := range all {
			sum += v
		}
		lower, upper := greatest, least
		for i, v := range all {
			want := []T{sum, slices.Min(all), slices.Max(all), before + v, min(lower, v), max(upper, v), before, lower,
				upper, all[nx+2]}
			assert.Equal(t, want, out[(g*gw*gh+i)*10:][:10], "%s: group %d, work-item %d", kernel, g, i)
			before, lower, upper = before+v, min(lower, v), max(upper, v)
		}
	}
}

// TestOpenCLWorkGroupVotes: votes and broadcasts of groups of 100 work-items; the last has 37. The
// sums of halves are small enough to be exact.
func TestOpenCLWorkGroupVotes(t *testing.T) {
	m := compileFile(t, "opencl/workgroups.cl")
	const n, group = 237, 100
	in := make([]int32, n)
	for i := range in {
		in[i] = int32(3 + i*7%50)
	}
	in[150] = 2
	in[40], in[90] = 8, 8 // the sevens of the first group
	out := make([]int32, n*6)
	run(t, m, "votes", line(n, group), out, in)
	for i := range n {
		from := i / group * group
		to := min(from+group, n)
		all := in[from:to]
		lanes := in[from+(i-from)&^31 : min(from+(i-from)&^31+32, to)]
		any7, all3, sum := int32(0), int32(1), int32(0)
		for _, v := range all {
			sum += v
			if v == 7 {
				any7 = 1
			}
			if v < 3 {
				all3 = 0
			}
		}
		want := []int32{any7, all3, sum, all[len(all)-1], int32(len(all)), slices.Max(lanes)}
		assert.Equal(t, want, out[i*6:][:6], "work-item %d", i)
	}
	one := uint16(0x3c00)
	x := make([]uint16, 128)
	for i := range x {
		x[i] = one
	}
	halves := make([]uint16, 1280)
	run(t, m, "scan_half", grid{[3]int{16, 4, 1}, [3]int{16, 4, 1}}, halves, x, int32(1))
	// 64, 1, 1, the second of 2, infinities
	assert.Equal(t, []uint16{0x5400, one, one, 0x4000, one, one, one, one, one, one}, halves[10:20])
	assert.Equal(t, []uint16{0, 0x7c00, 0xfc00}, halves[6:9])
}

package main

import (
	"fmt"
	"strings"
)

// openclGroups returns the functions of all work-items of a work-group, and those of a sub-group on
// 64 bits, which Metal's simdgroups do not move.
func openclGroups() string {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	for _, t := range words("long ulong") {
		put("inline %[1]s from_lane(%[1]s x, uint lane) {\n"+
			"  return as_type<%[1]s>(simd_shuffle(as_type<uint2>(x), ushort(lane)));\n}", t)
		put("inline %[1]s sub_group_broadcast(%[1]s x, uint id) { return from_lane(x, id); }", t)
		put("inline %[1]s sub_group_shuffle(%[1]s x, uint id) { return from_lane(x, id); }", t)
		put("inline %[1]s sub_group_shuffle_xor(%[1]s x, uint mask) {\n"+
			"  return from_lane(x, __puremetal_thread_index_in_simdgroup() ^ mask);\n}", t)
		for i, op := range words("add min max") {
			put("inline %[1]s sub_group_reduce_%[2]s(%[1]s x) {\n"+
				"  return from_lane(scan_lanes(%[3]d, x), get_sub_group_size() - 1);\n}", t, op, i)
			put("inline %[1]s sub_group_scan_inclusive_%[2]s(%[1]s x) { return scan_lanes(%[3]d, x); }", t, op, i)
			put("inline %[1]s sub_group_scan_exclusive_%[2]s(%[1]s x) { return before_lane(%[3]d, scan_lanes(%[3]d, x)); }",
				t, op, i)
		}
	}
	for _, t := range words("int uint long ulong float half") {
		for i, op := range words("add min max") {
			for _, f := range []struct{ name, result string }{{"reduce", "all"}, {"scan_exclusive", "before"},
				{"scan_inclusive", "here"}} {
				put("inline %[1]s work_group_%[2]s_%[3]s(%[1]s x) {\n"+
					"  %[1]s before, all, here = scan_work_items(%[5]d, x, &before, &all);\n  return %[4]s;\n}",
					t, f.name, op, f.result, i)
			}
		}
		put("inline %[1]s work_group_broadcast(%[1]s x, size_t i, size_t j, size_t k) {\n"+
			"  threadgroup %[1]s *one = (threadgroup %[1]s *)work_group_memory();\n"+
			"  if (metal::all(__puremetal_thread_position_in_threadgroup() == uint3(i, j, k)))\n    *one = x;\n"+
			"  threadgroup_barrier(mem_flags::mem_threadgroup);\n  x = *one;\n"+
			"  threadgroup_barrier(mem_flags::mem_threadgroup);\n  return x;\n}", t)
		put("inline %[1]s work_group_broadcast(%[1]s x, size_t i, size_t j) {\n"+
			"  return work_group_broadcast(x, i, j, 0);\n}", t)
		put("inline %[1]s work_group_broadcast(%[1]s x, size_t i) { return work_group_broadcast(x, i, 0, 0); }", t)
	}
	for _, t := range []struct{ name, suffix string }{{"uint", ""}, {"ushort", "_us"}, {"uchar", "_uc"},
		{"ulong", "_ul"}} {
		for _, n := range []int{1, 2, 4, 8} {
			blocks(&b, t.name, t.suffix, n)
		}
	}
	return b.String()
}

// blocks writes how a sub-group reads and writes n numbers for each work-item, which are apart by
// the size of the sub-group.
func blocks(b *strings.Builder, t, suffix string, n int) {
	width, last := "", 0
	if n > 1 {
		width, last = fmt.Sprint(n), n-1
	}
	head := "  uint lane = __puremetal_thread_index_in_simdgroup(), size = get_sub_group_size();\n"
	fmt.Fprintf(b, "inline %[1]s%[2]s intel_sub_group_block_read%[3]s%[2]s(const device %[1]s *p) {\n%[4]s"+
		"  %[1]s%[2]s v = p[lane];\n", t, width, suffix, head)
	if n > 1 {
		fmt.Fprintf(b, "  for (uint i = 1; i <= %d; i++)\n    v[i] = p[lane + i * size];\n", last)
	}
	fmt.Fprintf(b, "  return v;\n}\n\n"+
		"inline void intel_sub_group_block_write%[3]s%[2]s(device %[1]s *p, %[1]s%[2]s v) {\n%[4]s", t, width, suffix, head)
	if n > 1 {
		fmt.Fprintf(b, "  for (uint i = 0; i <= %d; i++)\n    p[lane + i * size] = v[i];\n}\n\n", last)
		return
	}
	b.WriteString("  p[lane] = v;\n}\n\n")
}

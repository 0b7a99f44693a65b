package main

import "slices"

// combining lists the operations of reductions, and whether there is also a scan.
var combining = []struct {
	simd, op string
	scan     bool
}{
	{"Add", "Add", true}, {"Add", "FAdd", true}, {"Mul", "Mul", true}, {"Mul", "FMul", true}, {"SMin", "SMin", false},
	{"UMin", "UMin", false},
	{"SMax", "SMax", false}, {"UMax", "UMax", false}, {"FMin", "FMin", false}, {"FMax", "FMax", false},
	{"And", "And", false}, {"Or", "Or", false}, {"Xor", "Xor", false},
}

// reductions prints, for each operation and kind, the scan, and the tree over groups of width lanes
// of a whole simdgroup, whose result is in the first lane of each group.
func reductions() {
	p("// reducing returns the function that reduces groups of a given number of lanes in a whole simdgroup, as a func(*[lir.SimdWidth]T, int), or nil.")
	table("reducing", "tree", "", func(bool) bool { return true })
	p("// scanning returns the function that computes running sums or products over groups of a given number of lanes in a whole simdgroup, or nil.")
	table("scanning", "scan", "Scan", func(scan bool) bool { return scan })
	for _, c := range combining {
		r := rows[slices.IndexFunc(rows, func(r row) bool { return r.op == c.op })]
		for _, k := range r.kinds {
			expr, elem := r.expression(k)
			p("func tree%s%s(a *[32]%s, width int) {", r.op, k.ir, elem)
			p("	for first := 0; first < len(a); first += width {")
			p("		for d := width / 2; d > 0; d /= 2 {")
			p("			g, h := a[first:][:d], a[first+d:][:d]")
			p("			for i, x := range g {\n				y := h[i]\n				g[i] = %s\n			}", expr)
			p("		}\n	}\n}\n")
			if c.scan {
				p("func scan%s%s(a *[32]%s, width int) {", r.op, k.ir, elem)
				p("	for first := 0; first < len(a); first += width {")
				p("		g := a[first:][:width]\n		x := g[0]")
				p("		for i, y := range g[1:] {\n			x = %s\n			g[i+1] = x\n		}", expr)
				p("	}\n}\n")
			}
		}
	}
}

func table(name, prefix, simd string, has func(scan bool) bool) {
	p("func %s(operation ir.Op, k ir.Kind) any {\n	switch operation {", name)
	seen := map[string]bool{}
	for _, c := range combining {
		if seen[c.simd] || !has(c.scan) {
			continue
		}
		seen[c.simd] = true
		p("	case ir.OpSimd%s%s:\n		switch k {", simd, c.simd)
		for _, d := range combining {
			if d.simd != c.simd {
				continue
			}
			r := rows[slices.IndexFunc(rows, func(r row) bool { return r.op == d.op })]
			for _, k := range r.kinds {
				p("		case ir.%s:\n			return %s%s%s", k.ir, prefix, r.op, k.ir)
			}
		}
		p("		}")
	}
	p("	}\n	return nil\n}\n")
}

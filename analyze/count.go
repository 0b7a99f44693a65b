package analyze

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/affine"
)

// Count is how many operations of a group a thread executes.
type Count struct {
	Group string `json:"group"`
	Count Figure `json:"count"`
}

// groups are the names of the groups of operations in a mix, in the order of reports.
var groups = [operationCount]struct {
	name string
	ops  []ir.OpGroup
}{
	{"integer", []ir.OpGroup{ir.IntegerOps, ir.BitOps}},
	{"float", []ir.OpGroup{ir.FloatOps}},
	{"math function", []ir.OpGroup{ir.MathOps}},
	{"comparison and selection", []ir.OpGroup{ir.ComparisonOps, ir.SelectOps}},
	{"conversion", []ir.OpGroup{ir.ConversionOps}},
	{"memory", []ir.OpGroup{ir.MemoryOps}},
	{"atomic", []ir.OpGroup{ir.AtomicOps}},
	{"barrier", []ir.OpGroup{ir.BarrierOps}},
	{"simdgroup and quad", []ir.OpGroup{ir.SimdOps, ir.QuadOps}},
	{"matrix", []ir.OpGroup{ir.MatrixOps}},
	{"texture", []ir.OpGroup{ir.TextureOps}},
}

// The counts of a span after those of the groups.
const (
	operationCount = 11 + iota
	byteCount
	counts
)

// span has the least and the most of what a thread does.
type span struct{ low, high [counts]float64 }

func (s *span) add(t span, low, high float64) {
	for i := range s.low {
		s.low[i] += t.low[i] * low
		if t.high[i] > 0 {
			s.high[i] += t.high[i] * high
		}
	}
}

// figure returns count i.
func (s *span) figure(i int) Figure {
	if math.IsInf(s.high[i], 1) {
		return unknown("the iterations of a loop are not constant")
	}
	return between(s.low[i], s.high[i], "depends on branches")
}

// intensity returns operations over bytes.
func intensity(o, b Figure) Figure {
	switch {
	case o.Certainty == Unknown || b.Certainty == Unknown:
		return unknown("the iterations of a loop are not constant")
	case b.High == 0:
		return unknown("no access to device or constant memory")
	case o.Certainty == Exact && b.Certainty == Exact:
		return exact(o.Value / b.Value)
	}
	return estimate(o.High/b.High, "of a thread that does the most")
}

// accessesOf returns a kernel's accesses by instruction.
func accessesOf(k *affine.Kernel) map[*ir.Instr]*affine.Access {
	by := map[*ir.Instr]*affine.Access{}
	for _, a := range k.Accesses {
		by[a.Instr] = a
	}
	return by
}

// count sets the mix and the intensity from the optimized kernel.
func (r *Report) count(f *ir.Func) {
	k := affine.Of(f)
	s := countRegion(k, f.Body, accessesOf(k))
	for i, g := range groups {
		if s.high[i] > 0 {
			r.Mix = append(r.Mix, Count{g.name, s.figure(i)})
		}
	}
	r.Operations, r.Bytes = s.figure(operationCount), s.figure(byteCount)
	r.Intensity = intensity(r.Operations, r.Bytes)
}

// countRegion counts what a region executes.
func countRegion(k *affine.Kernel, region *ir.Region, by map[*ir.Instr]*affine.Access) (s span) {
	for _, in := range region.Instrs {
		switch in.Op {
		case ir.OpIf:
			a, b := countRegion(k, in.Regions[0], by), countRegion(k, in.Regions[1], by)
			for i := range a.low {
				s.low[i] += min(a.low[i], b.low[i])
				s.high[i] += max(a.high[i], b.high[i])
			}
		case ir.OpLoop:
			low, high := 0.0, math.Inf(1)
			if n, sure, ok := k.Trips(in); ok {
				if high = float64(n); sure {
					low = high
				}
			}
			s.add(countRegion(k, in.Regions[0], by), low, high)
		case ir.OpBlock:
			s.add(countRegion(k, in.Regions[0], by), 1, 1)
		default:
			one := countInstr(in, by)
			s.add(one, 1, 1)
		}
	}
	return s
}

func countInstr(in *ir.Instr, by map[*ir.Instr]*affine.Access) (s span) {
	n := 1.0
	t := ir.TVoid
	switch {
	case len(in.Results) > 0:
		t = in.Results[0].Type
	case len(in.Args) > 0:
		t = in.Args[0].Type
	}
	if in.Op.Info().Has(ir.Lanewise) {
		n = float64(max(t.Lanes(), 1))
	}
	if in.Op != ir.OpOffset && in.Op != ir.OpField { // a part of the access
		for i, g := range groups {
			for _, o := range g.ops {
				if o == in.Op.Group() {
					s.low[i] += n
				}
			}
		}
	}
	switch {
	case in.Op == ir.OpFMA:
		s.low[operationCount] = 2 * n
	case in.Op == ir.OpMatMac || in.Op == ir.OpMatMul:
		s.low[operationCount] = 2 * 8 * 8 * 8 / affine.Width
	case in.Op.Group() == ir.FloatOps || in.Op.Group() == ir.MathOps:
		s.low[operationCount] = n
	}
	if a := by[in]; a != nil && (a.Space == ir.Device || a.Space == ir.Constant) {
		s.low[byteCount] = float64(a.Size)
	}
	s.high = s.low
	return s
}

// maxRegisterArray is the largest array of a thread that is taken to stay in registers, in bytes:
// half of the 256 registers of 16 bits that Apple's GPUs have for a thread. Larger ones are in
// memory.
const maxRegisterArray = 256

// registers estimates the 16-bit registers of a thread: the most values and elements of arrays that
// live at a time. Values that the whole launch shares are not counted, since GPUs keep them
// elsewhere.
func registers(f *ir.Func) (most int) {
	u := f.Uniformity()
	first, last := map[*ir.Value]int{}, map[*ir.Value]int{}
	arrays := map[*ir.Value]*ir.Value{} // by a pointer into them
	var order []*ir.Value
	n := 0
	define := func(list []*ir.Value) {
		for _, v := range list {
			first[v], last[v] = n, n
			order = append(order, v)
		}
	}
	var walk func(r *ir.Region)
	walk = func(r *ir.Region) {
		define(r.Params)
		for _, in := range r.Instrs {
			n++
			for _, a := range in.Args {
				last[a] = n
				if array := arrays[a]; array != nil {
					if first[array] == 0 { // lives from its first access
						first[array] = n
						order = append(order, array)
					}
					last[array] = n
				}
			}
			begin := n
			for _, sub := range in.Regions {
				walk(sub)
			}
			n++
			if in.Op == ir.OpLoop { // what it uses from outside lives until it ends
				for _, v := range order {
					if first[v] < begin && last[v] >= begin {
						last[v] = n
					}
				}
				for _, v := range in.Regions[0].Params {
					last[v] = n
				}
			}
			switch in.Op {
			case ir.OpAlloca:
				arrays[in.Results[0]] = in.Results[0]
				continue
			case ir.OpOffset, ir.OpField:
				if array := arrays[in.Args[0]]; array != nil {
					arrays[in.Results[0]] = array
				}
			}
			define(in.Results)
		}
	}
	walk(f.Body)
	change := make([]int, n+3)
	for _, v := range order {
		array := v.Def != nil && v.Def.Op == ir.OpAlloca
		if last[v] == first[v] || array && v.Def.Imm > maxRegisterArray || !array && u.Values[v.ID] == ir.SharedByGrid {
			continue
		}
		size := max(v.Type.Size(), 2) / 2
		if v.Type.Kind == ir.Matrix {
			size = v.Type.Elem.Size()
		}
		if array {
			size = int(v.Def.Imm+1) / 2
		}
		change[first[v]] += size
		change[last[v]] -= size
	}
	now := 0
	for _, c := range change {
		now += c
		most = max(most, now)
	}
	return max(most, 1)
}

package plan

import "github.com/puremetal/puremetal/internal/ir/lir"

// operands are the variables that each instruction of a program reads and writes, its mask
// included, in lists, which the compiler goes through many times.
type operands struct {
	list []lir.Ref
	ends []int32 // in list, of what instruction pc reads at 2*pc+1, and of what it writes at 2*pc+2
}

func findOperands(p *lir.Program) *operands {
	o := &operands{list: make([]lir.Ref, 0, 4*len(p.Code)), ends: make([]int32, 1, 2*len(p.Code)+1)}
	add := func(r lir.Ref) { o.list = append(o.list, r) }
	for pc := range p.Code {
		in := &p.Code[pc]
		in.Reads(add)
		o.ends = append(o.ends, int32(len(o.list)))
		in.Writes(add)
		o.ends = append(o.ends, int32(len(o.list)))
	}
	return o
}

// Reads returns the variables that an instruction reads, as lir.Inst.Reads visits them.
func (o *operands) Reads(pc int) []lir.Ref { return o.list[o.ends[2*pc]:o.ends[2*pc+1]] }

// definitions lists the instructions that write each of so many variables.
func (o *operands) definitions(vars int) [][]int {
	counts, all, n := make([]int, vars), 0, len(o.ends)/2
	for pc := range n {
		for _, r := range o.Writes(pc) {
			counts[r]++
			all++
		}
	}
	defs, list := make([][]int, vars), make([]int, all)
	for r, count := range counts {
		defs[r], list = list[:0:count], list[count:]
	}
	for pc := range n {
		for _, r := range o.Writes(pc) {
			defs[r] = append(defs[r], pc)
		}
	}
	return defs
}

// Writes returns the variables that an instruction writes.
func (o *operands) Writes(pc int) []lir.Ref { return o.list[o.ends[2*pc+1]:o.ends[2*pc+2]] }

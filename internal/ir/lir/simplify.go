package lir

import "github.com/puremetal/puremetal/internal/ir"

// droppable reports whether an instruction has no effect other than its results.
func droppable(in *Inst) bool {
	switch in.Op {
	case OpMov, OpMerge, OpPos, OpMaskAnd, OpMaskAndNot, OpMaskOr, OpMaskSub, OpMaskCopy, OpMaskClear:
		return true
	}
	switch op := in.Op.IR(); op {
	case ir.OpInvalid:
		return false
	case ir.OpLoad:
		return in.Flags&ir.Volatile == 0
	case ir.OpIn, ir.OpArg, ir.OpFConst, ir.OpFConstDefined, ir.OpGlobalAddr, ir.OpSharedAddr, ir.OpSamplerConst,
		ir.OpAlloca, ir.OpMatLoad, ir.OpTexRead, ir.OpTexSample, ir.OpTexQuery:
		return true
	default:
		info := op.Info()
		return info.Has(ir.Pure) || info.Has(ir.Convergent) && !info.Has(ir.WritesMemory)
	}
}

// DropUnused removes instructions with unused results, and then those whose results were only used
// by removed ones.
func (p *Program) DropUnused() {
	for p.dropUnused() {
	}
}

// dropUnused makes one pass over the code and reports whether it removed anything.
func (p *Program) dropUnused() bool {
	reads := make([]int, len(p.Vars))
	for i := range p.Code {
		in := &p.Code[i]
		in.Reads(func(r Ref) {
			if in.Op != OpMerge && in.Op != OpMaskOr || r != in.D { // adding to itself does not count as a read
				reads[r]++
			}
		})
	}
	drop := make([]bool, len(p.Code))
	found := false
	for i := range p.Code {
		in := &p.Code[i]
		used := !droppable(in)
		in.Writes(func(r Ref) { used = used || reads[r] > 0 })
		drop[i] = !used
		found = found || !used
	}
	p.remove(drop)
	return found
}

// Coalesce removes a Mov, or copy of a mask, that is the only reader of an instruction's result:
// the instruction writes directly to the destination. It does so if nothing uses the destination in
// between.
func (p *Program) Coalesce() {
	type uses struct{ reads, writes, at int }
	count := make([]uses, len(p.Vars))
	label := make([]bool, len(p.Code)+1)
	for i := range p.Code {
		in := &p.Code[i]
		in.Reads(func(r Ref) { count[r].reads++ })
		in.Writes(func(r Ref) { count[r].writes++; count[r].at = i })
		if in.Op.IsJump() {
			label[in.Target] = true
		}
	}
	drop := make([]bool, len(p.Code))
	for i := range p.Code {
		in := &p.Code[i]
		if in.Op != OpMov && in.Op != OpMaskCopy || in.A == 0 || p.Vars[in.A].Const ||
			p.Vars[in.A].Class != p.Vars[in.D].Class || count[in.A].reads != 1 || count[in.A].writes != 1 {
			continue
		}
		from := count[in.A].at
		def := &p.Code[from]
		info := def.Op.IR().Info()
		if from >= i || def.D != in.A || def.D2 != 0 || !info.Has(ir.Lanewise) && def.Op.IR() != ir.OpLoad &&
			def.Op.IR() != ir.OpSelect && def.Op.IR() != ir.OpOffset && def.Op != OpMov && !def.Op.OnMasks() {
			continue
		}
		clear := true
		for k := from; k < i && clear; k++ {
			between := &p.Code[k]
			clear = !between.Op.IsJump() && !label[k+1] || k == i
			if k > from {
				between.Reads(func(r Ref) { clear = clear && r != in.D })
				between.Writes(func(r Ref) { clear = clear && r != in.D })
			}
		}
		if clear {
			def.D = in.D
			drop[i] = true
			count[in.D].at = from // a Mov of this variable must find the instruction that now writes it
		}
	}
	p.remove(drop)
}

// DropJumps removes jumps to the next instruction.
func (p *Program) DropJumps() {
	drop := make([]bool, len(p.Code))
	for i := range p.Code {
		drop[i] = p.Code[i].Op == OpJump && int(p.Code[i].Target) == i+1
	}
	p.remove(drop)
}

// remove removes instructions from the code. Jumps to them go to the next remaining instruction.
func (p *Program) remove(drop []bool) {
	at := make([]int32, len(p.Code)+1)
	n := int32(0)
	for i := range p.Code {
		at[i] = n
		if !drop[i] {
			p.Code[n] = p.Code[i]
			n++
		}
	}
	at[len(p.Code)] = n
	p.Code = p.Code[:n]
	for i := range p.Code {
		if p.Code[i].Op.IsJump() {
			p.Code[i].Target = at[p.Code[i].Target]
		}
	}
}

package ir

// DropUnused removes the pure instructions whose results are unused. The function must be valid.
func (f *Func) DropUnused() {
	uses := make([]int32, f.NumValues())
	f.Body.Walk(func(in *Instr) bool {
		for _, v := range in.Args {
			uses[v.ID]++
		}
		return true
	})
	dropUnused(f.Body, uses)
}

// dropUnused works backwards, so that instructions used only by a dropped one are dropped too.
func dropUnused(r *Region, uses []int32) {
	kept := len(r.Instrs)
	for i := len(r.Instrs) - 1; i >= 0; i-- {
		in := r.Instrs[i]
		for n := len(in.Regions) - 1; n >= 0; n-- {
			dropUnused(in.Regions[n], uses)
		}
		if in.Op.Info().Has(Pure) && !used(in, uses) {
			for _, v := range in.Args {
				uses[v.ID]--
			}
			in.Parent = nil
			continue
		}
		kept--
		r.Instrs[kept] = in
	}
	r.Instrs = append(r.Instrs[:0], r.Instrs[kept:]...)
}

func used(in *Instr, uses []int32) bool {
	for _, v := range in.Results {
		if uses[v.ID] > 0 {
			return true
		}
	}
	return false
}

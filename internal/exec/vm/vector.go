package vm

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// On processors with AVX2, the most used loops of zscalar.go have an assembly version
// (zvector_amd64.s). They work on whole blocks of 16 elements of 4 bytes, up to the padding of
// columns, and produce the same bits. For comparisons there are also versions fused with the
// following mask operation.

// form returns which of the forms of a pair of operands an instruction on columns has: 0 for two
// columns, 1 if the second is uniform, 2 if the first is uniform; -1 for others.
func (o *op) form() int {
	switch {
	case o.per != lir.Lane:
	case o.aa == lir.Lane && (o.b < 0 || o.ba == lir.Lane):
		return 0
	case o.aa == lir.Lane && o.ba == lir.Once:
		return 1
	case o.aa == lir.Once && o.b >= 0 && o.ba == lir.Lane:
		return 2
	}
	return -1
}

// chooseVector returns the assembly loop for an operation, or nil.
func chooseVector(o *op) func(*frame, *op) {
	irop, k := o.code.IR(), o.in.Kind
	if irop == ir.OpFMA && k == ir.F32 {
		return chooseVectorFused(o)
	}
	if irop == ir.OpSelect {
		return chooseVectorSelect(o)
	}
	form := o.form()
	if form < 0 || o.c >= 0 || o.in.From != ir.Void {
		return nil
	}
	if o.fast() {
		if loops := vectorFast(irop); loops != nil && k == ir.F32 {
			return loops[form]
		}
		return nil
	}
	if o.b < 0 {
		if one := vectorOne(irop, k); one != nil {
			return one[0]
		}
		return nil
	}
	if pair := vectorPair(irop, k); pair != nil {
		return pair[form]
	}
	if truth := vectorTruth(irop, k); truth != nil {
		return truth[form]
	}
	return nil
}

// chooseVectorFused returns the assembly loop for an f32 fma, or nil if the processor has no FMA
// instructions or an operand is neither a column nor uniform.
func chooseVectorFused(o *op) func(*frame, *op) {
	if o.per != lir.Lane || !hasFused() {
		return nil
	}
	uniform := 0
	for i, class := range [...]lir.Class{o.aa, o.ba, o.ca} {
		switch class {
		case lir.Lane:
		case lir.Once:
			uniform |= 1 << i
		default:
			return nil
		}
	}
	if loops := vectorFused(); uniform < len(loops) {
		return loops[uniform]
	}
	return nil
}

// chooseVectorSelect returns the assembly loop for a select, or nil.
func chooseVectorSelect(o *op) func(*frame, *op) {
	plain := func(class lir.Class) bool { return class == lir.Lane || class == lir.Once }
	if o.per != lir.Lane || o.aa != lir.Lane || o.size != 4 || !plain(o.ba) || !plain(o.ca) {
		return nil
	}
	loop := vectorSelect()
	if loop != nil {
		o.d2 = o.b // where the loops that compare have room for it
	}
	return loop
}

// fuseSelect merges the comparison at pc into the select after it, if only that reads its result.
// It reports whether it did, in which case the comparison is no longer needed.
func (p *program) fuseSelect(pc int, reads []int32, target []bool) bool {
	compare := &p.ops[pc]
	if pc+1 >= len(p.ops) || target[pc+1] || compare.code.IR() == ir.OpInvalid {
		return false
	}
	s, form := &p.ops[pc+1], compare.form()
	truth := vectorTruth(compare.code.IR(), compare.in.Kind)
	if form < 0 || truth == nil || s.code.IR() != ir.OpSelect || s.in.A != compare.in.D || reads[s.in.A] != 1 ||
		chooseVectorSelect(s) == nil {
		return false
	}
	s.a, s.b, s.compare = compare.a, compare.b, compare.in
	s.fn = truth[form+9]
	return true
}

// fuse merges the comparison at pc into the mask operations after it, if only they read its result.
// It reports whether it did, in which case the comparison is no longer needed. There are only mask
// operations in between, so its operands are still in place.
func (p *program) fuse(pc int, reads []int32, target []bool) bool {
	compare := &p.ops[pc]
	result := compare.in.D
	if compare.code.IR() == ir.OpInvalid || result == 0 || reads[result] == 0 {
		return false
	}
	form, truth := compare.form(), vectorTruth(compare.code.IR(), compare.in.Kind)
	if form < 0 || truth == nil {
		return false
	}
	left := reads[result]
	var readers []*op
	for i := pc + 1; left > 0; i++ {
		m := &p.ops[i]
		if target[i] || !m.code.OnMasks() {
			return false
		}
		if (m.code == lir.OpMaskAnd || m.code == lir.OpMaskAndNot) && m.in.B == result {
			readers = append(readers, m)
			left--
		}
	}
	for _, m := range readers {
		form := form + 3
		if m.code == lir.OpMaskAndNot {
			form += 3
		}
		m.c, m.a, m.b = m.a, compare.a, compare.b
		m.fn = truth[form]
	}
	return true
}

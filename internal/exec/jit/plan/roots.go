package plan

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// ObjectOf returns a variable that has, when a range begins, an address in the same object as what
// an instruction reads in a variable; ok is false if there is none.
//
// That is the root, if it keeps its place. Otherwise it is the variable in which the range finds
// the address that the other comes from, and nothing else may be used instead: once a variable is
// not needed any more, others take its place.
func (f *Facts) ObjectOf(r [2]int, at lir.Ref, pc int) (from lir.Ref, ok bool) {
	root, same := f.RootOf(at)
	if same && f.Keeps[root] {
		return root, true
	}
	inside := func(pc int) bool { return pc >= r[0] && pc < r[1] }
	if f.Program.Var(at).Class == lir.Affine {
		return at, !slices.ContainsFunc(f.Defs[at], inside)
	}
	type step struct {
		x  lir.Ref
		pc int
	}
	var way []step
	ok = true
	var visit func(x lir.Ref, pc int)
	visit = func(x lir.Ref, pc int) {
		if slices.Contains(way, step{x, pc}) {
			return
		}
		way = append(way, step{x, pc})
		enters := f.Program.Var(x).Class == lir.Once && f.Live.At(r[0]).Has(x)
		if enters {
			ok = ok && (from == 0 || from == x || same)
			from = cmp.Or(from, x)
		}
		written := false
		for _, def := range f.Defs[x] {
			if !inside(def) || !f.reaches(r, def, pc) {
				continue
			}
			written = true
			operands := addressOperands(&f.Program.Code[def])
			ok = ok && len(operands) > 0
			for _, a := range operands {
				visit(a, def)
			}
		}
		ok = ok && (enters || written)
	}
	visit(at, pc)
	return from, ok && from != 0
}

// RootOf returns the variable that an address comes from, by steps that never change the object; ok
// is false if there are several.
func (f *Facts) RootOf(r lir.Ref) (root lir.Ref, ok bool) {
	if root := f.roots[r]; root != 0 {
		return max(root, 0), root != manyRoots
	}
	var way []lir.Ref
	var visit func(r lir.Ref) bool
	visit = func(r lir.Ref) bool {
		if slices.Contains(way, r) {
			return true
		}
		way = append(way, r)
		for _, pc := range f.Defs[r] {
			from := addressOperands(&f.Program.Code[pc])
			if len(from) == 0 {
				if root == 0 {
					root = r
				}
				return root == r
			}
			for _, a := range from {
				if !visit(a) {
					return false
				}
			}
		}
		return len(f.Defs[r]) > 0
	}
	if !visit(r) || root == 0 {
		f.roots[r] = manyRoots
		return 0, false
	}
	f.roots[r] = root
	return root, true
}

// manyRoots says that a variable has no single root.
const manyRoots lir.Ref = -1

// reaches reports whether execution may get from one instruction to another within a range.
func (f *Facts) reaches(r [2]int, from, to int) bool {
	return from < to || slices.ContainsFunc(f.Loops, func(l [2]int) bool {
		return l[0] >= r[0] && l[1] < r[1] && l[0] <= to && from <= l[1]
	})
}

// addressOperands returns the addresses from which an instruction computes one in the same object.
func addressOperands(in *lir.Inst) []lir.Ref {
	switch {
	case in.Op == lir.OpMov, in.Op.IR() == ir.OpOffset:
		return []lir.Ref{in.A}
	case in.Op == lir.OpMerge:
		return []lir.Ref{in.A, in.D}
	case in.Op.IR() == ir.OpSelect:
		return []lir.Ref{in.B, in.C}
	}
	return nil
}

// isDynamic reports whether an access whose object is not known in advance can ask for it.
func (f *Facts) isDynamic(in *lir.Inst) bool { return f.Program.Var(in.A).Class == lir.Once }

// Alloca returns the thread variable that an address is in; ok is false if there are several.
func (f *Facts) Alloca(r lir.Ref) (number int, ok bool) {
	root, ok := f.RootOf(r)
	if !ok || len(f.Defs[root]) != 1 {
		return 0, false
	}
	in := &f.Program.Code[f.Defs[root][0]]
	return int(in.Imm), in.Op.IR() == ir.OpAlloca
}

// aligned reports whether an instruction's addresses are multiples of n.
func (f *Facts) aligned(in *lir.Inst, n int64) bool {
	seen := map[lir.Ref]bool{}
	var instruction func(in *lir.Inst) bool
	var variable func(r lir.Ref) bool
	instruction = func(in *lir.Inst) bool {
		return in.Disp%n == 0 && (in.B == 0 || in.Scale%n == 0) && variable(in.A)
	}
	variable = func(r lir.Ref) bool {
		if seen[r] {
			return true
		}
		seen[r] = true
		for _, pc := range f.Defs[r] {
			def := &f.Program.Code[pc]
			from := addressOperands(def)
			switch {
			case def.Op.IR() == ir.OpOffset && !instruction(def), len(from) == 0 && def.Op.IR() != ir.OpAlloca:
				return false
			}
			for _, a := range from {
				if !variable(a) {
					return false
				}
			}
		}
		return true
	}
	return instruction(in)
}

// ThreadPlace returns the place that an address always has, if that many bytes are inside of the
// variable.
func (f *Facts) ThreadPlace(r lir.Ref, bytes int64) (at threadPlace, ok bool) {
	off := int64(0)
	for range len(f.Program.Code) {
		if len(f.Defs[r]) != 1 {
			return at, false
		}
		in := &f.Program.Code[f.Defs[r][0]]
		switch {
		case in.Op.IR() == ir.OpAlloca:
			n := int(in.Imm)
			first := int64(f.Program.Allocas[n])
			return threadPlace{n, (first + off) / 4}, off >= 0 && off%4 == 0 && first%4 == 0 &&
				off <= int64(f.Program.AllocaSizes[n])-bytes
		case in.Op.IR() == ir.OpOffset && in.B == 0 && in.Disp >= -maxDisp && in.Disp <= maxDisp:
			off += in.Disp
		case in.Op != lir.OpMov:
			return at, false
		}
		r = in.A
	}
	return at, false
}

// ThreadPlace is a place in a thread variable.
type threadPlace struct {
	number int
	Word   int64 // in the thread memory of a lane
}

// Translates reports whether every n threads of a threadgroup have the same places relative to the
// first of them.
func Translates(s [3]int, n int) bool {
	return s[1] == 1 && s[2] == 1 ||
		n%s[0] == 0 && (s[2] == 1 || (s[0]*s[1])%n == 0 || n%(s[0]*s[1]) == 0)
}

// Partial reports whether some strips have fewer lanes than their vectors.
func (f *Facts) Partial() bool {
	n := f.Program.Shape[0] * f.Program.Shape[1] * f.Program.Shape[2]
	return n%f.Program.Lanes != 0 || f.Program.Lanes%f.Width != 0
}

package lir

import (
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

func mask(op Op, d, a, b Ref) Inst { return Inst{Op: op, D: d, A: a, B: b} }

// masked is a store that makes a mask observable.
func masked(addr, v, m Ref) Inst {
	in := store(Once, addr, v)
	in.Mask = m
	return in
}

func TestSimplifyMasks(t *testing.T) {
	s := newSketch()
	p, x, m, a, b := s.v(Once, ir.I64), s.v(Lane, ir.I1), s.v(Mask, ir.Void), s.v(Mask, ir.Void), s.v(Mask, ir.Void)
	one := s.constant(ir.I32, 1)
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		Inst{Op: Op(ir.OpEq), Kind: ir.I32, Per: Lane, D: x, A: one, B: one},
		mask(OpMaskClear, m, 0, 0),
		mask(OpMaskAnd, a, 0, x),
		Inst{Op: OpJumpNone, A: a, Target: 6},
		masked(p, one, a),
		mask(OpMaskSub, b, 0, a),
		mask(OpMaskOr, m, m, b), // b, since m is empty
		masked(p, one, m),
		Inst{Op: OpEnd},
	)
	s.p.Simplify(AllPasses &^ (SimplifyMasks | Coalesce))
	s.expect(t, `
  o1 = arg i64
  v2 = eq i32/lane 1:i32, 1:i32
  m4 = mask.and, v2
  jump.none m4 L5
  store i32 device [o1], 1:i32 if m4
L5:
  m3 = mask.sub, m4
  store i32 device [o1], 1:i32 if m3
  end
`)
}

// TestSimplifyMasksKeeps: nothing changes if an empty mask has been read, or if the code behind it
// may be left elsewhere.
func TestSimplifyMasksKeeps(t *testing.T) {
	s := newSketch()
	p, x, m, a, b := s.v(Once, ir.I64), s.v(Lane, ir.I1), s.v(Mask, ir.Void), s.v(Mask, ir.Void), s.v(Mask, ir.Void)
	one := s.constant(ir.I32, 1)
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		Inst{Op: Op(ir.OpEq), Kind: ir.I32, Per: Lane, D: x, A: one, B: one},
		mask(OpMaskAnd, b, 0, x),
		mask(OpMaskClear, m, 0, 0),
		Inst{Op: OpJumpNone, A: m, Target: 6},
		mask(OpMaskAnd, b, 0, x),
		mask(OpMaskOr, m, m, b), // adds to a mask that was empty but has been read
		mask(OpMaskClear, a, 0, 0),
		Inst{Op: OpJumpIf, A: one, Target: 10}, // jumps to where the empty mask is read
		mask(OpMaskOr, a, a, b),
		masked(p, one, a),
		masked(p, one, m),
		Inst{Op: OpEnd},
	)
	s.p.Vars[one].Kind = ir.I1
	want := s.p.String()
	s.p.SimplifyMasks()
	if got := s.p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCoalesceMasks: a mask that is only copied is created directly at the copy's destination.
func TestCoalesceMasks(t *testing.T) {
	s := newSketch()
	p, a, b, m := s.v(Once, ir.I64), s.v(Mask, ir.Void), s.v(Mask, ir.Void), s.v(Mask, ir.Void)
	one := s.constant(ir.I32, 1)
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		mask(OpMaskCopy, a, 0, 0),
		mask(OpMaskSub, b, 0, a),
		mask(OpMaskCopy, m, b, 0),
		masked(p, one, m),
		masked(p, one, a),
		Inst{Op: OpEnd},
	)
	s.p.Coalesce()
	s.expect(t, `
  o1 = arg i64
  m2 = mask.copy
  m4 = mask.sub, m2
  store i32 device [o1], 1:i32 if m4
  store i32 device [o1], 1:i32 if m2
  end
`)
}

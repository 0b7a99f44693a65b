package lir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// sketch builds a program by hand. Variables are numbered from 1 in order of creation.
type sketch struct{ p *Program }

func newSketch() *sketch {
	return &sketch{&Program{Func: &ir.Func{Args: make([]ir.Arg, 4), Module: &ir.Module{}}, Name: "k",
		Shape: [3]int{64, 1, 1}, Lanes: 64, Strips: 1, Vars: make([]Var, 1)}}
}

func (s *sketch) v(c Class, k ir.Kind) Ref { return s.p.NewVar(c, k) }

func (s *sketch) constant(k ir.Kind, bits uint64) Ref {
	r := s.p.NewVar(Once, k)
	s.p.Vars[r].Const, s.p.Vars[r].Bits = true, bits
	return r
}

func (s *sketch) add(ins ...Inst) *sketch {
	s.p.Code = append(s.p.Code, ins...)
	return s
}

// expect verifies a program and compares its text, without the header.
func (s *sketch) expect(t *testing.T, want string) {
	t.Helper()
	require.NoError(t, s.p.Verify())
	_, text, _ := strings.Cut(s.p.String(), "\n")
	assert.Equal(t, strings.TrimLeft(want, "\n"), text)
}

func binary(op ir.Op, per Class, d, a, b Ref) Inst {
	return Inst{Op: Op(op), Kind: ir.I32, Per: per, D: d, A: a, B: b}
}

func store(per Class, addr, v Ref) Inst {
	return Inst{Op: Op(ir.OpStore), Kind: ir.I32, Per: per, Space: ir.Device, A: addr, C: v}
}

func TestDropUnused(t *testing.T) {
	s := newSketch()
	p, x, y, z, m := s.v(Once, ir.I64), s.v(Once, ir.I32), s.v(Once, ir.I32), s.v(Once, ir.I32), s.v(Mask, ir.Void)
	one := s.constant(ir.I32, 1)
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		Inst{Op: OpMaskClear, D: m},
		Inst{Op: OpMaskOr, D: m, A: m}, // the result is only read by itself
		binary(ir.OpAdd, Once, x, one, one),
		binary(ir.OpAdd, Once, y, x, one),
		binary(ir.OpAdd, Once, z, y, one), // unused, and then so is its operand
		binary(ir.OpSub, Once, x, one, one),
		store(Once, p, x),
		Inst{Op: OpEnd},
	)
	s.p.DropUnused()
	s.expect(t, `
  o1 = arg i64
  o2 = add i32 1:i32, 1:i32
  o2 = sub i32 1:i32, 1:i32
  store i32 device [o1], o2
  end
`)
}

func TestCoalesce(t *testing.T) {
	s := newSketch()
	p, x, y, z := s.v(Once, ir.I64), s.v(Once, ir.I32), s.v(Once, ir.I32), s.v(Once, ir.I32)
	one := s.constant(ir.I32, 1)
	mov := func(d, a Ref) Inst { return Inst{Op: OpMov, Kind: ir.I32, D: d, A: a} }
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		binary(ir.OpAdd, Once, x, one, one),
		mov(y, x),
		mov(z, y), // a chain of copies: the sum goes to the end of it
		store(Once, p, z),
		Inst{Op: OpEnd},
	)
	s.p.Coalesce()
	s.expect(t, `
  o1 = arg i64
  o4 = add i32 1:i32, 1:i32
  store i32 device [o1], o4
  end
`)
}

func TestCoalesceKeepsCopies(t *testing.T) {
	s := newSketch()
	p, x, y := s.v(Once, ir.I64), s.v(Once, ir.I32), s.v(Once, ir.I32)
	one := s.constant(ir.I32, 1)
	mov := func(d, a Ref) Inst { return Inst{Op: OpMov, Kind: ir.I32, D: d, A: a} }
	s.add(
		Inst{Op: Op(ir.OpArg), Kind: ir.I64, D: p},
		mov(y, one),
		binary(ir.OpAdd, Once, x, y, one),
		store(Once, p, y), // the copy's destination is still read
		mov(y, x),
		Inst{Op: OpBack, Target: 2},
		Inst{Op: OpEnd},
	)
	s.p.Coalesce()
	s.expect(t, `
  o1 = arg i64
  o3 = mov i32 1:i32
L2:
  o2 = add i32 o3, 1:i32
  store i32 device [o1], o3
  o3 = mov i32 o2
  back L2
  end
`)
}

func TestDropJumps(t *testing.T) {
	s := newSketch()
	s.add(
		Inst{Op: OpJump, Target: 1},
		Inst{Op: OpJump, Target: 3},
		Inst{Op: OpMaskClear, D: s.v(Mask, ir.Void)},
		Inst{Op: OpJump, Target: 4},
		Inst{Op: OpEnd},
	)
	s.p.DropJumps()
	s.expect(t, `
  jump L2
  m1 = mask.clear
L2:
  end
`)
}

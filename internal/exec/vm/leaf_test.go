package vm

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// leaf executes instructions as compiled code would: all it has of the strip are the bytes of the
// frame and the number of lanes, and of the program only what is in package lir.
type leaf struct {
	p     *lir.Program
	frame []byte
	lanes int
}

// able reports whether leaf supports an instruction.
func (l *leaf) able(in *lir.Inst) bool {
	flat := true
	each := func(r lir.Ref) {
		v := l.p.Var(r)
		flat = flat && v.Class != lir.Affine && (v.Class == lir.Mask || v.Kind.Bits() > 0)
	}
	in.Reads(each)
	in.Writes(each)
	switch {
	case !flat || in.Per == lir.Affine || len(in.Outs) > 0:
		return false
	case in.Op == lir.OpMov, in.Op == lir.OpMerge, in.Op.OnMasks():
		return true
	}
	info := in.Op.IR().Info()
	return in.Op.IR() == ir.OpSelect || info.Has(ir.Lanewise) && !info.Has(ir.Approx) && len(in.More) <= 1
}

// place returns the position of a lane's element of a variable.
func (l *leaf) place(r lir.Ref, lane int) (off int, size int) {
	v := l.p.Var(r)
	switch size = v.ElemSize(); v.Class {
	case lir.Once:
		lane = 0
	case lir.Simd:
		lane /= lir.SimdWidth
	}
	return int(v.Off) + lane*size, size
}

func (l *leaf) get(r lir.Ref, lane int) uint64 {
	off, size := l.place(r, lane)
	var b [8]byte
	copy(b[:size], l.frame[off:])
	return binary.LittleEndian.Uint64(b[:])
}

func (l *leaf) set(r lir.Ref, lane int, x uint64) {
	off, size := l.place(r, lane)
	copy(l.frame[off:off+size], binary.LittleEndian.AppendUint64(nil, x))
}

// in reports whether a lane is in a mask.
func (l *leaf) in(m lir.Ref, lane int) bool {
	return m == 0 || l.frame[int(l.p.Var(m).Off)+lane/8]>>(lane%8)&1 != 0
}

func (l *leaf) setMask(m lir.Ref, lane int, in bool) {
	b := &l.frame[int(l.p.Var(m).Off)+lane/8]
	*b &^= 1 << (lane % 8)
	if in {
		*b |= 1 << (lane % 8)
	}
}

// do executes an instruction.
func (l *leaf) do(in *lir.Inst) {
	step := 1
	if in.D != 0 {
		switch l.p.Var(in.D).Class {
		case lir.Once:
			step = l.lanes
		case lir.Simd:
			step = lir.SimdWidth
		case lir.Mask: // nonexistent lanes are never set
			off := l.p.Var(in.D).Off
			if in.Op == lir.OpMaskClear || in.Op == lir.OpMaskCopy && in.A == 0 {
				clear(l.frame[off : off+4*lir.MaskWords])
			} else if in.D != in.A && in.D != in.B {
				clear(l.frame[off : off+4*lir.MaskWords])
			}
		}
	}
	for lane := 0; lane < l.lanes; lane += step {
		switch in.Op {
		case lir.OpMaskAnd:
			l.setMask(in.D, lane, l.in(in.A, lane) && l.get(in.B, lane) != 0)
		case lir.OpMaskAndNot:
			l.setMask(in.D, lane, l.in(in.A, lane) && l.get(in.B, lane) == 0)
		case lir.OpMaskOr:
			l.setMask(in.D, lane, l.in(in.A, lane) || l.in(in.B, lane))
		case lir.OpMaskSub:
			l.setMask(in.D, lane, l.in(in.A, lane) && !l.in(in.B, lane))
		case lir.OpMaskCopy:
			l.setMask(in.D, lane, l.in(in.A, lane))
		case lir.OpMaskClear:
		case lir.OpMov:
			l.set(in.D, lane, l.get(in.A, lane))
		case lir.OpMerge:
			if l.in(in.Mask, lane) {
				l.set(in.D, lane, l.get(in.A, lane))
			}
		case lir.Op(ir.OpSelect):
			x := in.C
			if l.get(in.A, lane) != 0 {
				x = in.B
			}
			l.set(in.D, lane, l.get(x, lane))
		default:
			var x [4]uint64
			for i, r := range append([]lir.Ref{in.A, in.B, in.C}, in.More...) {
				if r != 0 {
					x[i] = l.get(r, lane)
				}
			}
			from, to := in.Kind, l.p.Var(in.D).Kind
			if in.From != ir.Void {
				from = in.From
			}
			out := num.Scalar(in.Op.IR(), from, to, x)
			l.set(in.D, lane, out[0])
			if in.D2 != 0 {
				l.set(in.D2, lane, out[1])
			}
		}
	}
}

// leaves replaces each range of instructions that leaf supports by one operation, and returns the
// numbers of ranges and instructions.
func leaves(p *program) (ranges, instructions int) {
	target, drop := make([]bool, len(p.ops)+1), make([]bool, len(p.ops))
	for i := range p.ops {
		if p.ops[i].code.IsJump() {
			target[p.ops[i].target] = true
		}
	}
	able := (&leaf{p: p.lir}).able
	for i := 0; i < len(p.ops); i++ {
		if !able(p.ops[i].in) {
			continue
		}
		list := []*lir.Inst{p.ops[i].in}
		k := i + 1
		for ; k < len(p.ops) && able(p.ops[k].in) && !target[k]; k++ {
			list = append(list, p.ops[k].in)
			drop[k] = true
		}
		p.ops[i].fn = func(f *frame, _ *op) {
			l := leaf{p.lir, col[uint8](f, 0, p.lir.FrameBytes), f.lanes}
			for _, in := range list {
				l.do(in)
			}
		}
		ranges, instructions = ranges+1, instructions+len(list)
		i = k - 1
	}
	p.remove(drop, target)
	return ranges, instructions
}

// TestLeaves: the frame and the number of lanes are all that code outside the engine needs to
// execute ranges of instructions, with the engine continuing in between, as package lir promises to
// a compiler.
func TestLeaves(t *testing.T) {
	e := exec.NewEngine(2)
	defer e.Close()
	ranges, instructions := 0, 0
	for seed := range uint64(48) {
		k := testlaunch.NewRandomKernel(seed)
		for i := range 3 { // full threadgroups: all have the same shape
			k.Grid[i] = k.Group[i]
		}
		want, err := k.Oracle(ref.Run)
		require.NoError(t, err, "seed %d", seed)
		kernel := exec.NewKernel(k.Module.Funcs[0],
			exec.Options{Backend: Backend{PlainGo: true, Strip: []int{lir.SimdWidth, lir.MaxLanes}[seed/8%2]}})
		p, err := compiled(kernel, k.Group)
		require.NoError(t, err, "seed %d", seed)
		r, n := leaves(p)
		ranges, instructions = ranges+r, instructions+n
		got, err := k.Run(e, kernel, nil)
		k.Require(t, "ranges outside of the engine", want, got, err)
	}
	t.Logf("%d instructions in %d ranges", instructions, ranges)
	assert.Greater(t, ranges, 500)
	assert.Greater(t, instructions, 1000)
}

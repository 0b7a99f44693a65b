package vm

import (
	"math/rand/v2"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// mutator changes code of package lir according to the fuzzer's bytes: small changes of the bytes
// are small changes of the code.
type mutator struct {
	rest []byte
	p    *lir.Program
}

func (m *mutator) n(k int) int {
	if len(m.rest) == 0 || k < 2 {
		return 0
	}
	x := int(m.rest[0])
	m.rest = m.rest[1:]
	if k > 256 && len(m.rest) > 0 {
		x |= int(m.rest[0]) << 8
		m.rest = m.rest[1:]
	}
	return x % k
}

// edges are numbers for which something may go wrong.
var edges = []int64{0, 1, -1, 2, 4, 7, 31, 32, 63, 64, 255, 256, 1024, 1 << 16, 1<<31 - 1, -1 << 31, 1 << 32, 1 << 39,
	1<<40 - 1, 1 << 40, 1<<63 - 1, -1 << 63, 1 << 62}

func (m *mutator) number(old int64) int64 {
	switch m.n(4) {
	case 0:
		return old + int64(m.n(9)) - 4
	case 1:
		return old ^ 1<<m.n(64)
	}
	return edges[m.n(len(edges))]
}

// ref returns a variable, mostly one of the same class and kind, so that more of the results are
// valid.
func (m *mutator) ref(old lir.Ref) lir.Ref {
	n := len(m.p.Vars)
	r := lir.Ref(m.n(n))
	switch kind := m.n(8); {
	case kind == 0:
		return r
	case kind == 1:
		return 0
	case kind == 2:
		return lir.Ref(m.number(int64(old)))
	case old <= 0 || int(old) >= n:
		return r
	}
	for i := range n {
		x := lir.Ref((int(r) + i) % n)
		if m.p.Vars[x].Class == m.p.Vars[old].Class && m.p.Vars[x].Kind == m.p.Vars[old].Kind && x != old {
			return x
		}
	}
	return r
}

// change makes one change.
func (m *mutator) change() {
	p := m.p
	if len(p.Code) == 0 {
		return
	}
	i := m.n(len(p.Code))
	in := &p.Code[i]
	switch m.n(28) {
	case 0:
		in.Op = lir.Op(m.n(lir.NumOps + 2))
	case 1, 2: // a closely related one
		in.Op = lir.Op(int(in.Op) + m.n(9) - 4)
	case 3:
		in.Kind = ir.Kind(m.n(16))
	case 4:
		in.From = ir.Kind(m.n(16))
	case 5:
		in.Per = lir.Class(m.n(6))
	case 6:
		in.Ext = lir.Ext(m.n(4))
	case 7:
		in.Space = ir.Space(m.n(6))
	case 8:
		in.FromSpace = ir.Space(m.n(6))
	case 9:
		in.Flags, in.Order, in.Mem = ir.Flags(m.n(256)), ir.Order(m.n(8)), ir.MemMask(m.n(256))
	case 10, 11:
		r := [...]*lir.Ref{&in.D, &in.D2}[m.n(2)]
		*r = m.ref(*r)
	case 12, 13, 14:
		r := [...]*lir.Ref{&in.A, &in.B, &in.C}[m.n(3)]
		*r = m.ref(*r)
	case 15:
		in.Mask = m.ref(in.Mask)
	case 16:
		in.More = slices.Clone(in.More)
		if k := m.n(len(in.More) + 2); k < len(in.More) {
			in.More[k] = m.ref(in.More[k])
		} else if k == len(in.More) {
			in.More = append(in.More, m.ref(0))
		} else if k > 1 {
			in.More = in.More[:m.n(len(in.More))]
		}
	case 17:
		in.Outs = slices.Clone(in.Outs)
		if k := m.n(len(in.Outs) + 2); k < len(in.Outs) {
			in.Outs[k] = m.ref(in.Outs[k])
		} else if k == len(in.Outs) {
			in.Outs = append(in.Outs, m.ref(0))
		} else if k > 1 {
			in.Outs = in.Outs[:m.n(len(in.Outs))]
		}
	case 18:
		in.Imm = m.number(in.Imm)
	case 19:
		in.Scale = m.number(in.Scale)
	case 20:
		in.Disp = m.number(in.Disp)
	case 21:
		in.Target = int32(m.number(int64(in.Target)))
	case 22:
		in.HIR = p.Code[m.n(len(p.Code))].HIR
	case 23: // swap two
		j := m.n(len(p.Code))
		p.Code[i], p.Code[j] = p.Code[j], p.Code[i]
	case 24:
		p.Code = slices.Delete(p.Code, i, i+1)
	case 25:
		p.Code = slices.Insert(p.Code, m.n(len(p.Code)), *in)
	case 26:
		v := &p.Vars[m.n(len(p.Vars))]
		switch m.n(6) {
		case 0:
			v.Class = lir.Class(m.n(6))
		case 1:
			v.Kind = ir.Kind(m.n(16))
		case 2:
			v.Elem = ir.Kind(m.n(16))
		case 3:
			v.Const = !v.Const
		case 4:
			v.Bits = uint64(m.number(int64(v.Bits)))
		case 5:
			v.Off = int32(m.number(int64(v.Off)))
		}
	case 27:
		switch m.n(8) {
		case 0:
			p.Lanes = int(m.number(int64(p.Lanes)))
		case 1:
			p.Strips = int(m.number(int64(p.Strips)))
		case 2:
			p.FrameBytes = int(m.number(int64(p.FrameBytes)))
		case 3:
			p.ThreadBytes = int(m.number(int64(p.ThreadBytes)))
		case 4:
			p.Shape[m.n(3)] = int(m.number(int64(p.Shape[0])))
		case 5:
			if len(p.Allocas) > 0 {
				k := m.n(len(p.Allocas))
				p.Allocas[k] = int(m.number(int64(p.Allocas[k])))
			}
		case 6:
			if len(p.AllocaSizes) > 0 {
				k := m.n(len(p.AllocaSizes))
				p.AllocaSizes[k] = int(m.number(int64(p.AllocaSizes[k])))
			}
		case 7:
			p.Vars = append(p.Vars, lir.Var{Class: lir.Class(m.n(6)), Kind: ir.Kind(m.n(16))})
		}
	}
}

// randomBytes are used by a test in place of a fuzzer's bytes.
func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

package passes

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// TestDivisions: divisions by each power of two and its neighbors, and their remainders, are
// preserved for random dividends and those at the edges of their kind. Dividends are also made
// positive and short in ways that passes understand.
func TestDivisions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, kind := range []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.BF16, ir.F32} {
		t.Run(kind.String(), func(t *testing.T) {
			var divisors []uint64
			switch kind {
			case ir.F16, ir.BF16, ir.F32:
				mantissa := map[ir.Kind]int{ir.F16: 10, ir.BF16: 7, ir.F32: 23}[kind]
				for exponent := range uint64(1) << (kind.Bits() - 1 - mantissa) {
					c := exponent << mantissa
					divisors = append(divisors, c, c|1<<(kind.Bits()-1), c|1)
				}
			default:
				for k := range kind.Bits() {
					c := uint64(1) << k
					divisors = append(divisors, c, -c, c+1, c-1)
				}
			}
			results := irtest.OutStride / kind.Size() / 2
			rewritten := 0
			for part := range slices.Chunk(divisors, results/4*2) {
				m := divisions(rng, kind, part)
				l := newLaunch(m, rng, [3]int{64}, [3]int{64})
				for i, edge := range []uint64{0, 1, 1 << (kind.Bits() - 1), 1<<(kind.Bits()-1) - 1, ^uint64(0)} {
					copy(l.in[i*kind.Size():], binary.LittleEndian.AppendUint64(nil, edge)[:kind.Size()])
				}
				want, err := l.oracle(m.Funcs[0])
				require.NoError(t, err)
				f := m.Funcs[0].Clone()
				opt.Run(f, opt.Options{Off: opt.All &^ opt.Identities, Scalar: num.Scalar})
				after := *m
				after.Funcs, f.Module = []*ir.Func{f}, &after
				require.NoError(t, after.Verify())
				got, err := l.oracle(f)
				same(t, fmt.Sprintf("%x", part), want, got, err, m, &after)
				rewritten += count(m.Funcs[0]) - count(f)
			}
			require.Positive(t, rewritten)
		})
	}
}

// count returns the number of divisions in a kernel.
func count(f *ir.Func) (n int) {
	f.Body.Walk(func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem, ir.OpFDiv:
			n++
		}
		return true
	})
	return n
}

// divisions returns a kernel in which each thread stores the quotients of one number and some
// divisors; of integers, the remainders, too.
func divisions(rng *rand.Rand, kind ir.Kind, divisors []uint64) *ir.Module {
	m := &ir.Module{Files: []string{"divisions.metal"}}
	f := m.NewFunc("divisions")
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer, Space: "constant"}, {Kind: ir.ArgBuffer, Index: 1},
		{Kind: ir.ArgBuffer, Index: 2}}
	b := ir.NewBuilder(f)
	typ, size := ir.Scalar(kind), int64(kind.Size())
	thread := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
	in := b.Offset(b.Arg(0, ir.PointerTo(ir.Constant)), b.Op(ir.OpAnd, thread, b.Int(ir.TI64, irtest.Inputs/size-1)), size)
	x := b.Load(typ, in)
	out := b.Offset(b.Arg(1, ir.PointerTo(ir.Device)), thread, irtest.OutStride)
	place := int64(0)
	store := func(v *ir.Value) {
		b.Store(b.Field(out, place), v)
		place += size
	}
	for _, c := range divisors {
		y := b.Const(typ, c)
		if kind.IsFloat() {
			q := b.Op(ir.OpFDiv, x, y)
			store(b.Op(ir.OpSelect, b.Op(ir.OpFNe, q, q), b.Const(typ, 0), q))
			continue
		}
		x := x
		switch rng.IntN(8) {
		case 0:
			x = b.Op(ir.OpAnd, x, b.Const(typ, rng.Uint64()>>1))
		case 1:
			x = b.Op(ir.OpLShr, x, b.Int(typ, int64(rng.IntN(8))))
		case 2:
			x = b.Op(ir.OpSMax, x, b.Int(typ, 0))
		case 3:
			x = b.Op(ir.OpURem, x, b.Int(typ, int64(rng.IntN(100))))
		case 4:
			if kind != ir.I8 {
				x = b.OpAs(ir.OpTrunc, ir.TI8, b.Op(ir.OpLShr, x, b.Int(typ, int64(rng.IntN(kind.Bits())))))
				x = b.OpAs([]ir.Op{ir.OpZExt, ir.OpSExt}[rng.IntN(2)], typ, x)
			}
		}
		ops := []ir.Op{ir.OpSDiv, ir.OpSRem}
		if rng.IntN(3) == 0 {
			ops = []ir.Op{ir.OpUDiv, ir.OpURem}
		}
		for _, op := range ops {
			store(b.Op(op, x, y))
		}
	}
	b.Return()
	return m
}

package vm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// numbersOf returns random bytes in which elements of a kind are often special.
func numbersOf(r *rand.Rand, k ir.Kind, n int) []byte {
	var out []byte
	for range n {
		x := r.Uint64()
		switch {
		case k == ir.I1:
			x &= 1
		case k.IsFloat() && r.IntN(2) == 0:
			x = ir.FloatBits(k, []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, 255.5, 65504, 3e9, -3e9, 1e-40,
				math.Inf(1), math.Inf(-1), math.NaN(), 2147483648, r.NormFloat64() * 40}[r.IntN(17)])
		case r.IntN(2) == 0:
			x = []uint64{0, 1, ^uint64(0), 1 << (k.Bits() - 1), 1<<(k.Bits()-1) - 1, 2, 31, 33, 1<<(k.Bits()-1) + 1,
				100}[r.IntN(10)]
		}
		for range k.Size() {
			out = append(out, byte(x))
			x >>= 8
		}
	}
	return out
}

// TestEveryScalar tests each elementwise operation on each kind, with operands that differ by lane
// and operands shared by all lanes.
func TestEveryScalar(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	count := 0
	for op := ir.OpInvalid + 1; int(op) < ir.NumOps; op++ {
		if !op.Info().Has(ir.Lanewise) {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			for from := ir.I1; from <= ir.F32; from++ {
				for to := ir.I1; to <= ir.F32; to++ {
					if converts := op.Group() == ir.ConversionOps; !converts && to != from {
						continue
					}
					for form := range 8 {
						f := scalarKernel(op, from, to, form)
						if f == nil {
							continue
						}
						count++
						in := append(numbersOf(r, from, 3*300), numbersOf(r, ir.I32, 2*300)...)
						exectest.Run(t, f, testlaunch.Launch{Grid: [3]int{300}, Group: [3]int{300},
							Buffers: map[int]testlaunch.Buffer{0: {Data: in, ReadOnly: true}, 1: {Data: make([]byte, 300*16)}}})
					}
				}
			}
		})
	}
	require.Greater(t, count, 1000)
}

// scalarKernel returns a kernel of one operation; the bits of form say which operands are shared by
// all lanes. It returns nil if there is no such operation.
func scalarKernel(op ir.Op, from, to ir.Kind, form int) *ir.Func {
	m := &ir.Module{}
	f := m.NewFunc(fmt.Sprintf("%v_%v_%v_%d", op, from, to, form))
	f.Args = []ir.Arg{{Kind: ir.ArgBuffer}, {Kind: ir.ArgBuffer, Index: 1}}
	b := ir.NewBuilder(f)
	in, out := b.Arg(0, ir.PointerTo(ir.Device)), b.Arg(1, ir.PointerTo(ir.Device))
	index := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
	operand := func(i int, k ir.Kind) *ir.Value {
		base := b.Field(in, int64(i*300*from.Size()))
		if k != from {
			base = b.Field(in, int64(3*300*from.Size()+(i-1)*300*4))
		}
		if form>>i&1 != 0 {
			return b.Load(ir.Scalar(k), b.Field(base, int64(k.Size()*7)))
		}
		return b.Load(ir.Scalar(k), b.Offset(base, index, int64(k.Size())))
	}
	var kinds []ir.Kind
	results := []ir.Type{ir.Scalar(to)}
	switch {
	case op.Group() == ir.ConversionOps:
		kinds = []ir.Kind{from}
	case op == ir.OpLdExp:
		kinds = []ir.Kind{from, ir.I32}
	case op == ir.OpSExtract, op == ir.OpUExtract:
		kinds = []ir.Kind{from, ir.I32, ir.I32}
	case op == ir.OpBitInsert:
		return nil
	case op == ir.OpFMA:
		kinds = []ir.Kind{from, from, from}
	case op == ir.OpFrExp:
		kinds, results = []ir.Kind{from}, []ir.Type{ir.Scalar(from), ir.TI32}
	case op == ir.OpModF:
		kinds, results = []ir.Kind{from}, []ir.Type{ir.Scalar(from), ir.Scalar(from)}
	case op == ir.OpILogB:
		kinds, results = []ir.Kind{from}, []ir.Type{ir.TI32}
	default:
		kinds = []ir.Kind{from, from}
		if op.Group() == ir.ComparisonOps {
			results[0] = ir.TI1
		}
	}
	if form >= 1<<len(kinds) {
		return nil
	}
	build := func(kinds []ir.Kind) {
		var args []*ir.Value
		for i, k := range kinds {
			args = append(args, operand(i, k))
		}
		for i, v := range b.Emit(op, results, args...).Results {
			b.Store(b.Field(b.Offset(out, index, 16), int64(8*i)), v)
		}
	}
	body := len(f.Body.Instrs)
	build(kinds)
	b.Return()
	if f.Verify() == nil {
		return f
	}
	if len(kinds) != 2 || form > 1 || kinds[1] != from {
		return nil
	}
	f.Body.Instrs = f.Body.Instrs[:body] // it has only one operand
	b = ir.NewBuilder(f)
	build(kinds[:1])
	b.Return()
	if f.Verify() == nil {
		return f
	}
	return nil
}

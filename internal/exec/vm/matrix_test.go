package vm_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestMatrices: loads, products, merges and stores of matrices, in simdgroups with all, some or no
// lanes active, and in a partial last one; at addresses shared by a simdgroup and at others, inside
// buffers and across their ends.
func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	two := func(k ir.Kind) ir.Type { return ir.Vector(k, 2) }
	for n := range 60 {
		kinds := [3]ir.Kind{ir.F32, ir.F32, ir.F32}
		if n%3 > 0 {
			for i := range kinds {
				kinds[i] = [...]ir.Kind{ir.F16, ir.BF16, ir.F32}[r.IntN(3)]
			}
		}
		t.Run(fmt.Sprint(n, kinds), func(t *testing.T) {
			m := &ir.Module{}
			f := m.NewFunc("matrices")
			for i := range 3 {
				f.Args = append(f.Args, ir.Arg{Kind: ir.ArgBuffer, Index: i})
			}
			b := ir.NewBuilder(f)
			data, out, on := b.Arg(0, ir.PointerTo(ir.Device)), b.Arg(1, ir.PointerTo(ir.Device)),
				b.Arg(2, ir.PointerTo(ir.Device))
			index := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
			simd := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.SimdgroupIndexInThreadgroup))
			number := func(limit int, lanes bool) *ir.Value {
				x := b.Int(ir.TI64, int64(r.IntN(limit)))
				switch r.IntN(3) {
				case 0:
					x = b.Op(ir.OpAdd, x, simd)
				case 1:
					if lanes && r.IntN(3) == 0 { // lanes that store to the same place would race
						x = b.Op(ir.OpAdd, x, b.Op(ir.OpAnd, index, b.Int(ir.TI64, 1)))
					}
				}
				return x
			}
			load := func(k ir.Kind) *ir.Value {
				in := b.Emit(ir.OpMatLoad, []ir.Type{ir.MatrixOf(k)}, b.Field(data, int64(16*r.IntN(20))), number(24, true),
					number(3, true), number(3, true))
				in.Flags |= ir.Flags(r.IntN(2)) * ir.Transposed
				return in.Results[0]
			}
			store := func(v *ir.Value, space *ir.Value) {
				in := b.Emit(ir.OpMatStore, nil, v, space, b.Int(ir.TI64, int64(8+r.IntN(8))), number(3, false), number(3, false))
				in.Flags |= ir.Flags(r.IntN(2)) * ir.Transposed
			}
			x, y, z := load(kinds[0]), load(kinds[1]), load(kinds[2])
			z = b.OpAs(ir.OpMatMac, ir.MatrixOf(kinds[2]), x, y, z)
			cond := b.Op(ir.OpNe, b.Load(ir.TI8, b.Offset(on, index, 1)), b.Int(ir.TI8, 0))
			branch := b.If(cond, ir.MatrixOf(kinds[2]))
			b.In(branch.Regions[0], func() {
				w := b.OpAs(ir.OpMatMac, ir.MatrixOf(kinds[2]), load(kinds[0]), y, z)
				own := b.OpAs(ir.OpUIToF, ir.Scalar(kinds[1]), index)
				d := b.OpAs(ir.OpMatMul, ir.MatrixOf(kinds[2]), x, b.OpAs(ir.OpMatDiag, ir.MatrixOf(kinds[1]), own))
				w = b.OpAs(ir.OpMatMac, ir.MatrixOf(kinds[2]), x, b.OpAs(ir.OpMatFill, ir.MatrixOf(kinds[1]), own), w)
				store(d, b.Offset(out, simd, 1<<12))
				b.Yield(w)
			})
			b.In(branch.Regions[1], func() { b.Yield(z) })
			z = branch.Results[0]
			got := b.OpAs(ir.OpMatGet, two(kinds[2]), z)
			b.Store(b.Field(b.Offset(out, index, 8), 1<<16), got)
			z = b.OpAs(ir.OpMatSet, ir.MatrixOf(kinds[2]), b.Swizzle(got, got, 1, 0))
			store(z, b.Field(b.Offset(out, simd, 1<<12), 1<<15))
			b.Return()
			require.NoError(t, f.Verify(), m)
			const threads = 96 + 9
			in := make([]byte, 6000)
			for i := 0; i < len(in); i += 2 {
				binary.LittleEndian.PutUint16(in[i:], uint16(ir.BF16Bits(float64(r.IntN(64)-32)/8)))
			}
			mask := make([]byte, threads)
			for i := range mask {
				mask[i] = byte([...]int{1, 0, r.IntN(2), r.IntN(2)}[i/32])
			}
			exectest.Run(t, f, testlaunch.Launch{Grid: [3]int{threads}, Group: [3]int{threads},
				Buffers: map[int]testlaunch.Buffer{0: {Data: in}, 1: {Data: make([]byte, 1<<17)}, 2: {Data: mask}}})
			exectest.Run(t, f, testlaunch.Launch{Grid: [3]int{64}, Group: [3]int{32},
				Buffers: map[int]testlaunch.Buffer{0: {Data: in}, 1: {Data: make([]byte, 1<<17)}, 2: {Data: mask}}})
		})
	}
}

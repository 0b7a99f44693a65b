package native

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/packed"
)

// packedProduct computes the kernels packed_product and ternary_product of package tensorop, in
// package packed's order of operations. A threadgroup is a simdgroup; it computes an element of
// some rows of x.
type packedProduct struct {
	ternary bool
	x, out  gemm.Type
}

func newPacked(name string, args []ir.Arg) exec.Native {
	p := packedProduct{ternary: name == "ternary_product", out: typeOf(args[0].Type)}
	if p.x = gemm.I8; !p.ternary {
		p.x = typeOf(args[4].Type)
	}
	for _, t := range []gemm.Type{p.x, p.out} {
		if t != gemm.F32 && t != gemm.F16 && t != gemm.BF16 && (t != gemm.I8 || !p.ternary) {
			return nil
		}
	}
	return p
}

// packedWeights mirrors the structure Weights of packed.h.
type packedWeights struct {
	Rows, Columns, RowBytes, Offset, ScaleOffset, BiasOffset, RowScales int32
	Format, Bits, Group, ScaleType                                      int32
}

// packedArgs and ternaryArgs mirror the structures P of the kernels.
type (
	packedArgs struct {
		Weights                     packedWeights
		M, OutOffset, XOffset, Rows int32
	}
	ternaryArgs struct {
		Weights                                  packedWeights
		M, OutOffset, XOffset, ScaleOffset, Rows int32
	}
)

// Prepare implements exec.Native.
func (k packedProduct) Prepare(l *exec.Launch, g *exec.Geometry) *exec.NativeLaunch {
	inputs := 4
	if k.ternary {
		inputs = 3
	}
	if l.Space == nil || len(l.Buffers) < inputs+2 {
		return nil
	}
	var a ternaryArgs // packedArgs has the same members, without ScaleOffset
	p := l.Space.Bytes(l.Buffers[inputs+1])
	if k.ternary {
		if _, err := binary.Decode(p, binary.NativeEndian, &a); err != nil {
			return nil
		}
	} else {
		var b packedArgs
		if _, err := binary.Decode(p, binary.NativeEndian, &b); err != nil {
			return nil
		}
		a = ternaryArgs{b.Weights, b.M, b.OutOffset, b.XOffset, 0, b.Rows}
	}
	m, rows := int(a.M), int(a.Weights.Rows)
	if m < 1 || rows < 1 || a.Rows < 1 {
		return nil
	}
	groups := [3]int{rows, (m-1)/int(a.Rows) + 1, 1}
	if g.Group != [3]int{32, 1, 1} || g.Groups != groups || g.Grid != [3]int{32 * groups[0], groups[1], 1} {
		return nil
	}
	w, ok := packedWeightsOf(l, &a.Weights)
	if !ok {
		return nil
	}
	columns := w.Columns
	matrix := func(slot int, t gemm.Type, written bool, offset int32, columns int) []byte {
		memory, found := find(l, slot, t, written, int(offset), extent{m, columns}, extent{columns, 1})
		ok = ok && found
		return memory
	}
	xSlot := inputs
	var scales []byte
	if k.ternary {
		xSlot, scales = 2, matrix(3, gemm.F32, false, a.ScaleOffset, 1)
	}
	x, out := matrix(xSlot, k.x, false, a.XOffset, columns), matrix(0, k.out, true, a.OutOffset, rows)
	for _, in := range [][]byte{w.Data, w.Scales, w.Biases, x, scales} {
		ok = ok && !overlap(out, in)
	}
	if !ok {
		return nil
	}
	n := &exec.NativeLaunch{Work: int64(min(float64(m)*float64(rows)*float64(columns), math.MaxInt64/2)),
		Scratch: packed.Scratch}
	if k.ternary {
		t := packed.TernaryProduct{Weights: w, X: x, XScales: scales, Out: out, OutType: k.out, M: m}
		if t.Check() != nil {
			return nil
		}
		n.Run = func(tasks *exec.Tasks) { _ = packed.MultiplyTernary(runner(tasks), &t) } // checked above
		return n
	}
	t := packed.Product{Weights: w, X: x, Out: out, XType: k.x, OutType: k.out, M: m}
	if t.Check() != nil {
		return nil
	}
	n.Run = func(tasks *exec.Tasks) { _ = packed.Multiply(runner(tasks), &t) }
	return n
}

// packedWeightsOf finds the weights' memory. It returns false if the kernel must handle the access
// itself.
func packedWeightsOf(l *exec.Launch, a *packedWeights) (w packed.Weights, ok bool) {
	w.Layout = packed.Layout{Format: packed.Format(a.Format), Rows: int(a.Rows), Columns: int(a.Columns),
		Bits: int(a.Bits), Group: int(a.Group)}
	w.ScaleType = gemm.Type(a.ScaleType)
	if a.Columns < 1 || a.Format != int32(w.Format) || a.ScaleType != int32(w.ScaleType) || w.Layout.Check() != nil ||
		int(a.RowBytes) != w.RowBytes() || int(a.RowScales) != w.RowScales() {
		return w, false
	}
	// Weights may have more bytes than the kernel's int counts, which counts rows with longs.
	memory := l.Space.Bytes(l.Buffers[1])
	if a.Offset < 0 || w.Bytes() > len(memory)-int(a.Offset) {
		return w, false
	}
	if w.Data = memory[a.Offset:][:w.Bytes()]; w.Group == 0 {
		return w, true
	}
	typ := gemm.I8
	if w.Format == packed.Affine {
		if typ = w.ScaleType; typ != gemm.F32 && typ != gemm.F16 && typ != gemm.BF16 {
			return w, false
		}
	}
	n := extent{w.Rows * w.RowScales(), 1}
	if w.Scales, ok = find(l, 2, typ, false, int(a.ScaleOffset), n); ok && w.Format == packed.Affine {
		w.Biases, ok = find(l, 3, typ, false, int(a.BiasOffset), n)
	}
	return w, ok
}

package tensorop

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/packed"
)

// Packed is packed weights: a matrix.
type Packed struct {
	packed.Layout
	Data           Operand // bytes, dense
	Scales, Biases Operand // of MLX's formats, dense: Affine has floating-point numbers, others bytes
}

// check returns an error unless the operands have the sizes that the layout says.
func (p *Packed) check(op string) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if n := p.Data.Elements() * p.Data.Type.Size(); n != p.Bytes() || !p.Data.IsDense() {
		return fmt.Errorf("%s: %d bytes of packed weights; %v with %d rows of %d columns has %d, without gaps", op, n,
			p.Format, p.Rows, p.Columns, p.Bytes())
	}
	if n := p.Data.Offset * p.Data.Type.Size(); n > math.MaxInt32 {
		return fmt.Errorf("%s: packed weights begin %d bytes into their memory; the limit is %d", op, n, math.MaxInt32)
	}
	if p.Group == 0 {
		return nil
	}
	for _, o := range []Operand{p.Scales, p.Biases} {
		if o.Elements() != p.Rows*p.RowScales() || !o.IsDense() {
			return fmt.Errorf("%s: %d scales or biases; %d rows of %d groups have %d, without gaps", op, o.Elements(),
				p.Rows,
				p.RowScales(), p.Rows*p.RowScales())
		}
		if ok := p.Format == packed.Affine; ok && !o.Type.Float() || !ok && o.Type != Uint8 {
			return fmt.Errorf("%s: scales of type %v for %v", op, o.Type, p.Format)
		}
	}
	return nil
}

// macros returns those of packed.h.
func (p *Packed) macros() []string {
	block, bytes := p.Format.Block()
	list := []string{fmt.Sprintf("BLOCK %d", block), fmt.Sprintf("BYTES %d", bytes)}
	switch {
	case p.Format == packed.Affine:
		list = append(list, "AFFINE", "SCALE "+p.Scales.Type.Stored())
	case p.Group > 0:
		list = append(list, "FP")
	case p.Format == packed.I2_S:
		if list = append(list, "I2_S"); p.Columns%32 == 0 {
			list = append(list, "ALIGNED")
		}
	default:
		list = append(list, strings.ToUpper(p.Format.String())) // of which the kernels know those with blocks
	}
	if p.Group > 0 {
		list = append(list, fmt.Sprintf("BITS %d", p.Bits), fmt.Sprintf("GROUP %d", p.Group))
	}
	return list
}

// words returns the members of struct Weights.
func (p *Packed) words() (w Words) {
	w.Int(p.Rows, p.Columns, p.RowBytes(), p.Data.Offset*p.Data.Type.Size())
	if p.Group > 0 {
		w.Int(p.Scales.Offset, p.Biases.Offset, p.RowScales())
	} else {
		w.Int(0, 0, 0)
	}
	w.Int(int(p.Format), p.Bits, p.Group, int(scaleType(p.Scales.Type)))
	return w
}

// scaleType returns the type of scales as the native bodies know it.
func scaleType(t Type) gemm.Type {
	switch t {
	case Float16:
		return gemm.F16
	case BFloat16:
		return gemm.BF16
	}
	return gemm.F32
}

// operands returns those of packed weights that all kernels take; formats without scales apart have
// the weights in their places.
func (p *Packed) operands() []Operand {
	if p.Group == 0 {
		return []Operand{p.Data, p.Data, p.Data}
	}
	return []Operand{p.Data, p.Scales, p.Biases}
}

// Unpack writes the elements of packed weights to out, a dense matrix of floating-point numbers.
func (b *Builder) Unpack(out Operand, p Packed) { b.unpack("unpack", out, p, nil) }

// Embed writes to out the rows of packed weights that indices, integers of any type, name. out is
// dense and has their shape and a last dimension for the columns. An index that is negative or too
// large gives zeros.
func (b *Builder) Embed(out Operand, p Packed, indices Operand) { b.unpack("embed", out, p, &indices) }

func (b *Builder) unpack(op string, out Operand, p Packed, indices *Operand) {
	if b.err != nil {
		return
	}
	shape := []int{p.Rows, p.Columns}
	w := p.words()
	macros := append(p.macros(), "OUT "+out.Type.Stored())
	index, count := p.Data, p.Rows
	err := p.check(op)
	if indices == nil {
		w.Int(out.Offset, 0, 0, 0)
		macros = append(macros, "INDEX uchar")
	} else {
		if index = *indices; err == nil {
			err = checkIndexType(op, index)
		}
		if err == nil && !index.IsDense() {
			err = fmt.Errorf("%s: indices with gaps", op)
		}
		count = index.Elements()
		shape = append(slices.Clone(index.Shape), p.Columns)
		w.Int(out.Offset, 1, index.Offset, 1)
		macros = append(macros, "INDEX "+index.Type.Stored())
	}
	if err == nil {
		err = checkShape(op, "result", out.Shape, shape)
	}
	if err == nil {
		err = checkFloats(op, out)
	}
	if err == nil && !out.IsDense() {
		err = fmt.Errorf("%s: a result with gaps", op)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	operands := append([]Operand{out}, append(p.operands(), index)...)
	b.Launch(text("unpack.metal", macros...), "unpack", [3]int{32 * ((p.Columns + 1023) / 1024), count, 1},
		[3]int{32, 1, 1}, operands, w)
}

// PackedShape returns the shape of the product of x and transposed packed weights: that of x with
// the rows of the weights in place of its last dimension.
func PackedShape(x []int, l packed.Layout) ([]int, error) {
	if len(x) == 0 || x[len(x)-1] != l.Columns {
		return nil, fmt.Errorf("packed matmul: %v by %d rows of %d columns; the last dimension must be the columns", x,
			l.Rows, l.Columns)
	}
	return append(slices.Clone(x[:len(x)-1]), l.Rows), nil
}

// PackedMatMul computes the product of x and transposed packed weights, for dense x and out of the
// shape of [PackedShape], which have floating-point numbers. The order of additions is that of
// packed_product.metal; it does not depend on how many rows x has, but for GPUs with simdgroup
// matrices, where products with 32 rows and more are those of packed_matrices.metal.
func (b *Builder) PackedMatMul(out, x Operand, p Packed) {
	const op = "packed matmul"
	m, ok := b.packedProduct(op, out, x, &p)
	if !ok {
		return
	}
	if err := checkFloats(op, x, out); err != nil {
		b.Fail(err)
		return
	}
	w := p.words()
	rows := rowsAtOnce(m)
	w.Int(m, out.Offset, x.Offset, rows)
	macros := append(p.macros(), "IN "+x.Type.Stored(), "OUT "+out.Type.Stored(), fmt.Sprintf("ROWS %d", rows))
	operands := append([]Operand{out}, append(p.operands(), x)...)
	b.Launch(text("packed_product.metal", macros...), "packed_product", [3]int{32 * p.Rows, (m + rows - 1) / rows, 1},
		[3]int{32, 1, 1}, operands, w)
	if m >= simdgroupSide && p.Rows >= simdgroupSide {
		macros = macros[:len(macros)-1] // without ROWS
		b.onGPU(Step{Source: text("packed_matrices.metal", macros...), Kernel: "packed_matrices",
			Threads: [3]int{(p.Rows + 31) / 32 * 32, (m + 31) / 32 * 4, 1}, Group: [3]int{32, 4, 1}, Matrices: true})
	}
}

// rowsAtOnce returns how many rows of m a simdgroup multiplies with weights that it has unpacked: a
// power of two, for few kernels. An element's bits do not depend on it.
func rowsAtOnce(m int) int {
	rows := 1
	for rows < min(m, 16) {
		rows *= 2
	}
	return rows
}

// packedProduct checks a product with packed weights, and returns the rows of x.
func (b *Builder) packedProduct(op string, out, x Operand, p *Packed) (m int, ok bool) {
	if b.err != nil {
		return 0, false
	}
	err := p.check(op)
	if err == nil {
		var shape []int
		if shape, err = PackedShape(x.Shape, p.Layout); err == nil {
			err = checkShape(op, "result", out.Shape, shape)
		}
	}
	if err == nil && (!x.IsDense() || !out.IsDense()) {
		err = fmt.Errorf("%s: operands with gaps", op)
	}
	if err != nil {
		b.Fail(err)
		return 0, false
	}
	return Elements(x.Shape[:x.Rank()-1]), true
}

// TernaryMatMul computes the product of x and transposed ternary weights as BitNet b1.58 has it:
// each row of x is scaled to integers from -127 to 127, products with the weights are added as
// integers, and the sum is scaled back. x and out are dense and have floating-point numbers.
func (b *Builder) TernaryMatMul(out, x Operand, p Packed) {
	const op = "ternary matmul"
	m, ok := b.packedProduct(op, out, x, &p)
	if !ok {
		return
	}
	err := checkFloats(op, x, out)
	if err == nil && !p.Format.Ternary() {
		err = fmt.Errorf("%s: takes ternary weights and not %v", op, p.Format)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	codes, scales := b.Temp(Int8, m, p.Columns), b.Temp(Float32, max(m, 1))
	var w Words
	w.Int(p.Columns, x.Offset)
	b.Launch(text("quantize_rows.metal", "IN "+x.Type.Stored()), "quantize_rows", [3]int{32, m, 1}, [3]int{32, 1, 1},
		[]Operand{codes, scales, x}, w)
	w = p.words()
	rows := rowsAtOnce(m)
	w.Int(m, out.Offset, codes.Offset, scales.Offset, rows)
	macros := append(p.macros(), "OUT "+out.Type.Stored(), fmt.Sprintf("ROWS %d", rows))
	b.Launch(text("ternary_product.metal", macros...), "ternary_product", [3]int{32 * p.Rows, (m + rows - 1) / rows, 1},
		[3]int{32, 1, 1}, []Operand{out, p.Data, codes, scales}, w)
}

// Pack packs a dense matrix of floating-point numbers. Formats of GGUF files are packed as ggml's
// reference does, but for packed.Q4_K, whose scales it searches in its own way; MLX's affine format
// as MLX does, with Float32 scales and biases. out has an operand for each of [Packed].
func (b *Builder) Pack(out Packed, in Operand) {
	const op = "pack"
	if b.err != nil {
		return
	}
	err := out.check(op)
	if err == nil && !out.Format.Packs() {
		err = fmt.Errorf("%s: there is no packing to %v", op, out.Format)
	}
	if err == nil {
		err = checkShape(op, "weights", in.Shape, []int{out.Rows, out.Columns})
	}
	if err == nil {
		err = checkFloats(op, in)
	}
	if err == nil && !in.IsDense() {
		err = fmt.Errorf("%s: weights with gaps", op)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	macros := append(out.macros(), "IN "+in.Type.Stored())
	var w Words
	switch n := out.Rows * out.Columns; out.Format {
	case packed.Affine:
		w.Int(n/out.Group, in.Offset)
		b.Launch(text("pack.metal", macros...), "pack_affine", [3]int{n / out.Group, 1, 1}, [3]int{},
			[]Operand{out.Data, out.Scales, out.Biases, in}, w)
	case packed.I2_S:
		// The magnitudes' largest is found by reductions of their own.
		flat := in.With(Dense(in.Type, n))
		flat.Offset = in.Offset
		magnitudes, most := b.Temp(Float32, n), b.Temp(Float32, 1)
		b.Map(magnitudes, []Operand{flat}, Instr{Op: "cast", Type: Float32, Args: []int{0}},
			Instr{Op: "abs", Type: Float32, Args: []int{1}})
		b.Reduce("max", most, magnitudes, 0)
		w.Int(n/4, in.Offset)
		b.Launch(text("pack_i2s.metal", "IN "+in.Type.Stored()), "pack_i2s", [3]int{out.Bytes(), 1, 1}, [3]int{},
			[]Operand{out.Data, in, most}, w)
	default:
		block, _ := out.Format.Block()
		w.Int(n/block, in.Offset)
		b.Launch(text("pack.metal", macros...), "pack_blocks", [3]int{n / block, 1, 1}, [3]int{}, []Operand{out.Data, in}, w)
	}
}

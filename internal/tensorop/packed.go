package tensorop

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Format is how weights are packed.
type Format uint8

// The formats. Those up to I2_S are types of GGUF files: plain numbers, and blocks with scales
// inside. MLX's have their scales apart: Affine, with biases too, and floating-point numbers of 4
// and 8 bits.
const (
	PackedF32 Format = iota + 1
	PackedF16
	PackedBF16
	Q4_0
	Q4_1
	Q5_0
	Q5_1
	Q8_0
	Q2_K
	Q3_K
	Q4_K
	Q5_K
	Q6_K
	IQ4_NL
	IQ4_XS
	TQ1_0
	TQ2_0
	MXFP4
	NVFP4
	I2_S
	Affine
	MLXFP4
	MLXNVFP4
	MLXFP8
	formats
)

// formatInfo is a format's name, the elements and the bytes of a block, and, of MLX's formats with
// floating-point numbers, their bits and how many have a scale.
type formatInfo struct {
	name         string
	block, bytes int
	bits, group  int
}

var formatInfos = [formats]formatInfo{
	PackedF32: {name: "f32", block: 1, bytes: 4}, PackedF16: {name: "f16", block: 1, bytes: 2},
	PackedBF16: {name: "bf16", block: 1, bytes: 2},
	Q4_0:       {name: "q4_0", block: 32, bytes: 18}, Q4_1: {name: "q4_1", block: 32, bytes: 20},
	Q5_0: {name: "q5_0", block: 32, bytes: 22}, Q5_1: {name: "q5_1", block: 32, bytes: 24},
	Q8_0: {name: "q8_0", block: 32, bytes: 34},
	Q2_K: {name: "q2_K", block: 256, bytes: 84}, Q3_K: {name: "q3_K", block: 256, bytes: 110},
	Q4_K: {name: "q4_K", block: 256, bytes: 144}, Q5_K: {name: "q5_K", block: 256, bytes: 176},
	Q6_K:   {name: "q6_K", block: 256, bytes: 210},
	IQ4_NL: {name: "iq4_nl", block: 32, bytes: 18}, IQ4_XS: {name: "iq4_xs", block: 256, bytes: 136},
	TQ1_0: {name: "tq1_0", block: 256, bytes: 54}, TQ2_0: {name: "tq2_0", block: 256, bytes: 66},
	MXFP4: {name: "mxfp4", block: 32, bytes: 17}, NVFP4: {name: "nvfp4", block: 64, bytes: 36},
	I2_S:     {name: "I2_S", block: 128, bytes: 32},
	Affine:   {name: "mlx"},
	MLXFP4:   {name: "mlx-mxfp4", bits: 4, group: 32},
	MLXNVFP4: {name: "mlx-nvfp4", bits: 4, group: 16},
	MLXFP8:   {name: "mlx-mxfp8", bits: 8, group: 32},
}

// Valid tells whether f is one of the formats.
func (f Format) Valid() bool { return f > 0 && f < formats }

// String returns the format's name, as in "q4_K" and "mlx-mxfp4".
func (f Format) String() string {
	if !f.Valid() {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return formatInfos[f].name
}

// FormatOf returns the format with a name.
func FormatOf(name string) (Format, bool) {
	for f := Format(1); f < formats; f++ {
		if formatInfos[f].name == name {
			return f, true
		}
	}
	return 0, false
}

// Block returns how many elements have a block of a format of GGUF files, and its bytes; zeros for
// MLX's formats.
func (f Format) Block() (elements, bytes int) {
	if !f.Valid() {
		return 0, 0
	}
	return formatInfos[f].block, formatInfos[f].bytes
}

// Ternary tells whether the elements are -1, 0 and 1 times a scale.
func (f Format) Ternary() bool { return f == TQ1_0 || f == TQ2_0 || f == I2_S }

// Layout is the shape of packed weights, and how they are packed.
type Layout struct {
	Format        Format
	Rows, Columns int
	Bits, Group   int // of Affine: 2, 3, 4, 5, 6 or 8, and 32, 64 or 128
}

// i2sTail is how many bytes follow the codes of I2_S weights: the scale, and a gap.
const i2sTail = 32

// maxColumns is the limit of columns: kernels count a row's bits with an int.
const maxColumns = 1<<28 - 1

// Check completes the layout of MLX's formats with floating-point numbers, and returns an error
// about one that is impossible.
func (l *Layout) Check() error {
	switch {
	case !l.Format.Valid():
		return fmt.Errorf("packed weights: no format %d", l.Format)
	case l.Rows < 0 || l.Columns < 0:
		return fmt.Errorf("packed weights: %d rows of %d columns", l.Rows, l.Columns)
	case l.Rows > math.MaxInt32 || l.Columns > maxColumns || l.Format == I2_S && l.Rows*l.Columns > math.MaxInt32:
		return fmt.Errorf("packed weights: %d rows of %d columns of %v are above the limits: %d rows, "+
			"%d columns, and %d elements of %v", l.Rows, l.Columns, l.Format, math.MaxInt32, maxColumns, math.MaxInt32, I2_S)
	}
	info := formatInfos[l.Format]
	block := info.block
	switch {
	case l.Format == Affine:
		if !slices.Contains([]int{2, 3, 4, 5, 6, 8}, l.Bits) || !slices.Contains([]int{32, 64, 128}, l.Group) {
			return fmt.Errorf("packed weights: %d bits in groups of %d; there are 2, 3, 4, 5, 6 and 8 bits, "+
				"and groups of 32, 64 and 128", l.Bits, l.Group)
		}
		block = l.Group
	case info.bits > 0:
		l.Bits, l.Group = info.bits, info.group
		block = l.Group
	}
	if l.Format == I2_S {
		if n := l.Rows * l.Columns; n%block != 0 {
			return fmt.Errorf("packed weights: %d elements are not a multiple of %d, the block of %v", n, block,
				l.Format)
		}
		return nil
	}
	if l.Columns%block != 0 {
		return fmt.Errorf("packed weights: rows of %d elements are not a multiple of %d, the block of %v", l.Columns,
			block, l.Format)
	}
	return nil
}

// RowBytes returns the bytes of a row, and 0 for I2_S, whose blocks may cross rows.
func (l Layout) RowBytes() int {
	switch info := formatInfos[l.Format]; {
	case l.Format == I2_S:
		return 0
	case info.block > 0:
		return l.Columns / info.block * info.bytes
	}
	return l.Columns * l.Bits / 8
}

// Bytes returns the bytes of all rows.
func (l Layout) Bytes() int {
	if l.Format == I2_S {
		return l.Rows*l.Columns/4 + i2sTail
	}
	return l.Rows * l.RowBytes()
}

// RowScales returns how many scales a row has that are not in its blocks.
func (l Layout) RowScales() int {
	if l.Group == 0 {
		return 0
	}
	return l.Columns / l.Group
}

// Packed is packed weights: a matrix.
type Packed struct {
	Layout
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
		if ok := p.Format == Affine; ok && !o.Type.Float() || !ok && o.Type != Uint8 {
			return fmt.Errorf("%s: scales of type %v for %v", op, o.Type, p.Format)
		}
	}
	return nil
}

// macros returns those of packed.h.
func (p *Packed) macros() []string {
	info := formatInfos[p.Format]
	list := []string{fmt.Sprintf("BLOCK %d", info.block), fmt.Sprintf("BYTES %d", info.bytes)}
	switch {
	case p.Format == Affine:
		list = append(list, "AFFINE", "SCALE "+p.Scales.Type.Stored())
	case p.Group > 0:
		list = append(list, "FP")
	case p.Format == I2_S:
		if list = append(list, "I2_S"); p.Columns%32 == 0 {
			list = append(list, "ALIGNED")
		}
	default:
		list = append(list, strings.ToUpper(info.name)) // of which the kernels know those with blocks
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
	return w
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
func PackedShape(x []int, l Layout) ([]int, error) {
	if len(x) == 0 || x[len(x)-1] != l.Columns {
		return nil, fmt.Errorf("packed matmul: %v by %d rows of %d columns; the last dimension must be the columns", x,
			l.Rows, l.Columns)
	}
	return append(slices.Clone(x[:len(x)-1]), l.Rows), nil
}

// PackedMatMul computes the product of x and transposed packed weights, for dense x and out of the
// shape of [PackedShape], which have floating-point numbers. The order of additions is that of
// packed_product.metal, or that of [Builder.MatMul] for weights that are numbers of the type of x;
// it does not depend on how many rows x has.
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
	if plain, ok := p.plain(x.Type); ok && x.Type == out.Type {
		matrix := func(o Operand, columns int) Operand {
			v := Dense(o.Type, m, columns)
			v.Offset = o.Offset
			return o.With(v)
		}
		b.MatMul(matrix(out, p.Rows), matrix(x, p.Columns), plain, 1, 0)
		return
	}
	w := p.words()
	w.Int(m, out.Offset, x.Offset)
	rows := rowsAtOnce(m)
	macros := append(p.macros(), "IN "+x.Type.Stored(), "OUT "+out.Type.Stored(), fmt.Sprintf("ROWS %d", rows))
	operands := append([]Operand{out}, append(p.operands(), x)...)
	b.Launch(text("packed_product.metal", macros...), "packed_product", [3]int{32 * p.Rows, (m + rows - 1) / rows, 1},
		[3]int{32, 1, 1}, operands, w)
}

// plain returns the transposed weights as an operand of a type, if they are numbers of that type
// and aligned: MatMul, which has native bodies, is faster for them.
func (p *Packed) plain(t Type) (Operand, bool) {
	if t != [formats]Type{PackedF32: Float32, PackedF16: Float16, PackedBF16: BFloat16}[p.Format] || t == 0 {
		return Operand{}, false
	}
	at, size := p.Data.Offset*p.Data.Type.Size(), t.Size()
	if at%size != 0 {
		return Operand{}, false
	}
	return p.Data.With(View{Type: t, Shape: []int{p.Columns, p.Rows}, Strides: []int{1, p.Columns},
		Offset: at / size}), true
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
	w.Int(m, out.Offset, codes.Offset, scales.Offset)
	rows := rowsAtOnce(m)
	macros := append(p.macros(), "OUT "+out.Type.Stored(), fmt.Sprintf("ROWS %d", rows))
	b.Launch(text("ternary_product.metal", macros...), "ternary_product", [3]int{32 * p.Rows, (m + rows - 1) / rows, 1},
		[3]int{32, 1, 1}, []Operand{out, p.Data, codes, scales}, w)
}

// Packs tells whether [Builder.Pack] packs weights in the format.
func (f Format) Packs() bool {
	return f == Q8_0 || f == Q4_0 || f == Q4_K || f == TQ2_0 || f == MXFP4 || f == I2_S || f == Affine
}

// Pack packs a dense matrix of floating-point numbers. Formats of GGUF files are packed as ggml's
// reference does, but for Q4_K, whose scales it searches in its own way; MLX's affine format as MLX
// does, with Float32 scales and biases. out has an operand for each of [Packed].
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
	case Affine:
		w.Int(n/out.Group, in.Offset)
		b.Launch(text("pack.metal", macros...), "pack_affine", [3]int{n / out.Group, 1, 1}, [3]int{},
			[]Operand{out.Data, out.Scales, out.Biases, in}, w)
	case I2_S:
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
		b.Launch(text("pack.metal", macros...), "pack", [3]int{n / block, 1, 1}, [3]int{}, []Operand{out.Data, in}, w)
	}
}

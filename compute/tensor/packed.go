package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/packed"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Format is how weights are packed into a few bits each.
type Format uint8

// The formats of GGUF files: plain numbers, and blocks of 32 to 256 elements that have their scales
// inside; I2_S is that of bitnet.cpp, with one scale for all weights. Then those of MLX, which have
// scales of their own: MLXAffine with biases, of 2 to 8 bits, and floating-point numbers of 4 and 8
// bits.
const (
	PackedF32  = Format(packed.PackedF32)
	PackedF16  = Format(packed.PackedF16)
	PackedBF16 = Format(packed.PackedBF16)
	Q4_0       = Format(packed.Q4_0)
	Q4_1       = Format(packed.Q4_1)
	Q5_0       = Format(packed.Q5_0)
	Q5_1       = Format(packed.Q5_1)
	Q8_0       = Format(packed.Q8_0)
	Q2_K       = Format(packed.Q2_K)
	Q3_K       = Format(packed.Q3_K)
	Q4_K       = Format(packed.Q4_K)
	Q5_K       = Format(packed.Q5_K)
	Q6_K       = Format(packed.Q6_K)
	IQ4_NL     = Format(packed.IQ4_NL)
	IQ4_XS     = Format(packed.IQ4_XS)
	TQ1_0      = Format(packed.TQ1_0)
	TQ2_0      = Format(packed.TQ2_0)
	MXFP4      = Format(packed.MXFP4)
	NVFP4      = Format(packed.NVFP4)
	I2_S       = Format(packed.I2_S)
	MLXAffine  = Format(packed.Affine)
	MLXFP4     = Format(packed.MLXFP4)
	MLXNVFP4   = Format(packed.MLXNVFP4)
	MLXFP8     = Format(packed.MLXFP8)
)

// String returns the format's name, as in "q4_K" and "mlx-mxfp4".
func (f Format) String() string { return packed.Format(f).String() }

// FormatOf returns the format with a name that [Format.String] returns.
func FormatOf(name string) (Format, bool) {
	f, ok := packed.FormatOf(name)
	return Format(f), ok
}

// Block returns how many elements have a block of a format of GGUF files, and its bytes; zeros for
// MLX's formats.
func (f Format) Block() (elements, bytes int) { return packed.Format(f).Block() }

// IsTernary reports whether the elements are -1, 0 and 1 times a scale.
func (f Format) IsTernary() bool { return packed.Format(f).Ternary() }

// Packed is a matrix of packed weights, as a layer has it: a row for each output. It is made of
// tensors, which must stay open as long as it is used.
type Packed struct {
	layout               packed.Layout
	data, scales, biases *Tensor
}

// NewPacked returns packed weights of a format of GGUF files. data is a tensor of bytes without
// gaps, of any shape; a view may begin anywhere in its memory. Columns must be a multiple of the
// format's block, and for [I2_S] the number of elements. The errors are [ErrType] for a format
// without blocks, [ErrShape] for sizes that do not fit, and that of data.
func NewPacked(f Format, data *Tensor, rows, columns int) (*Packed, error) {
	if err := packedPart(data); err != nil {
		return nil, err
	}
	switch {
	case !packed.Format(f).Valid():
		return nil, errFormat(f)
	case f >= MLXAffine:
		return nil, fmt.Errorf("tensor: packed weights of %v have scales: see NewPackedMLX: %w", f, ErrType)
	}
	return newPacked(&Packed{data: data, layout: packed.Layout{Format: packed.Format(f), Rows: rows,
		Columns: columns}})
}

// NewPackedMLX returns packed weights of a format of MLX. data is a dense Uint32 of two dimensions,
// a row of it for each row of weights; scales has a row for each, of one element for each group.
// For [MLXAffine], scales and biases are floating-point numbers of one type and shape, an element
// has the given bits, 2, 3, 4, 5, 6 or 8, and a group has 32, 64 or 128 elements. For others scales
// is a Uint8, biases is nil, and bits and group are the format's or 0. The errors are [ErrType] and
// [ErrShape], and those of the tensors.
func NewPackedMLX(f Format, data, scales, biases *Tensor, bits, group int) (*Packed, error) {
	parts := []*Tensor{data, scales}
	if f == MLXAffine || biases != nil {
		parts = append(parts, biases)
	}
	for _, t := range parts {
		if err := packedPart(t); err != nil {
			return nil, err
		}
	}
	l := packed.Layout{Format: packed.Format(f), Bits: bits, Group: group}
	switch {
	case !l.Format.Valid():
		return nil, errFormat(f)
	case f < MLXAffine:
		return nil, fmt.Errorf("tensor: packed weights of %v have no scales of their own: see NewPacked: %w", f,
			ErrType)
	case f == MLXAffine:
	case biases != nil:
		return nil, fmt.Errorf("tensor: packed weights of %v have no biases: %w", f, ErrType)
	default:
		biases = scales // which kernels do not read
	}
	err := l.Check()
	if err == nil {
		// Check has completed bits and group.
		if bits != 0 && bits != l.Bits || group != 0 && group != l.Group {
			err = fmt.Errorf("packed weights: %v has %d bits in groups of %d, and not %d bits in groups of %d", f,
				l.Bits,
				l.Group, bits, group)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("tensor: %w: %w", err, ErrShape)
	case data.Rank() != 2:
		return nil, fmt.Errorf("tensor: packed weights in %v, want two dimensions: %w", data, ErrShape)
	case data.Type() != Uint32:
		return nil, fmt.Errorf("tensor: packed weights in %v, want uint32: %w", data, ErrType)
	case biases.Type() != scales.Type():
		return nil, fmt.Errorf("tensor: scales %v and biases %v, want one type: %w", scales, biases, ErrType)
	case f == MLXAffine && !scales.Type().IsFloat(), f != MLXAffine && scales.Type() != Uint8:
		return nil,
			fmt.Errorf("tensor: packed weights of %v with scales %v; mlx has floating-point numbers, and others "+
				"have uint8: %w", f, scales, ErrType)
	}
	l.Rows, l.Columns = data.view.Shape[0], data.view.Shape[1]*32/l.Bits
	return newPacked(&Packed{data: data, scales: scales, biases: biases, layout: l})
}

func errFormat(f Format) error {
	return fmt.Errorf("tensor: packed weights: no format %d: %w", uint8(f), ErrType)
}

// packedPart returns an error if a tensor cannot be a part of packed weights.
func packedPart(t *Tensor) error {
	switch {
	case t.missing():
		return fmt.Errorf("tensor: packed weights: %w", errNil())
	case t.err != nil:
		return t.err
	case t.number != nil:
		return fmt.Errorf("tensor: packed weights in a scalar without a type: %w", ErrType)
	case !t.view.IsDense():
		return fmt.Errorf("tensor: packed weights in %v, which has gaps; make it contiguous: %w", t, ErrShape)
	}
	return nil
}

// newPacked checks the sizes of packed weights.
func newPacked(p *Packed) (*Packed, error) {
	l := &p.layout
	if err := l.Check(); err != nil {
		return nil, fmt.Errorf("tensor: %w: %w", err, ErrShape)
	}
	if n := p.data.Len() * p.data.Type().Size(); n != l.Bytes() {
		return nil, fmt.Errorf("tensor: packed weights have %d bytes; %v with %d rows of %d columns has %d: %w", n,
			l.Format, l.Rows, l.Columns, l.Bytes(), ErrShape)
	}
	if p.scales == nil {
		return p, nil
	}
	for _, t := range []*Tensor{p.scales, p.biases} {
		if t.Len() != l.Rows*l.RowScales() {
			return nil,
				fmt.Errorf("tensor: scales or biases %v; %v with %d rows of %d columns has %d of them a row: %w", t,
					l.Format, l.Rows, l.Columns, l.RowScales(), ErrShape)
		}
	}
	return p, nil
}

// Format returns how the weights are packed; 0 for nil.
func (p *Packed) Format() Format {
	if p == nil {
		return 0
	}
	return Format(p.layout.Format)
}

// Shape returns the rows, which are outputs of a layer, and the columns, its inputs.
func (p *Packed) Shape() (rows, columns int) {
	if p == nil {
		return 0, 0
	}
	return p.layout.Rows, p.layout.Columns
}

// Data returns the tensor with the packed elements: bytes of a format of GGUF files, words of
// MLX's.
func (p *Packed) Data() *Tensor {
	if p == nil {
		return nil
	}
	return p.data
}

// Bytes returns how much memory the weights take, with their scales.
func (p *Packed) Bytes() int {
	if p.missing() {
		return 0
	}
	n := p.data.Len() * p.data.Type().Size()
	if p.scales != nil {
		n += p.scales.Len() * p.scales.Type().Size()
		if p.biases != p.scales {
			n += p.biases.Len() * p.biases.Type().Size()
		}
	}
	return n
}

// tensors returns those that the weights are made of.
func (p *Packed) tensors() []*Tensor {
	if p.scales == nil {
		return []*Tensor{p.data}
	}
	return []*Tensor{p.data, p.scales, p.biases}
}

// missing reports whether there are no weights.
func (p *Packed) missing() bool { return p == nil || p.data == nil }

// packed begins an operation with packed weights and other tensors. It reports whether the
// operation can go on with the operands, or returns what it should return.
func (s *Scope) packed(op string, p *Packed, others ...*Tensor) (in []*Tensor, f *Tensor, ok bool) {
	if f, ok := s.begin(op); !ok {
		return nil, f, false
	}
	if p.missing() {
		return nil, s.fail(op, others, fmt.Errorf("no packed weights: %w", compute.ErrNil)), false
	}
	in = append(p.tensors(), others...)
	f, ok = s.tensors(op, in...)
	return in, f, ok
}

// of returns the weights for operands, which begin with their tensors, and the other operands.
func (p *Packed) of(in []tensorop.Operand) (w tensorop.Packed, others []tensorop.Operand) {
	w = tensorop.Packed{Layout: p.layout, Data: in[0]}
	if p.scales == nil {
		return w, in[1:]
	}
	w.Scales, w.Biases = in[1], in[2]
	return w, in[3:]
}

// Unpack returns packed weights as a matrix of a floating-point type. The elements are exactly
// those of the format; [Float16] and [BFloat16] round them.
func (s *Scope) Unpack(p *Packed, typ Type) *Tensor {
	const op = "unpack"
	in, f, ok := s.packed(op, p)
	if !ok {
		return f
	}
	if !typ.IsFloat() {
		return s.fail(op, in, fmt.Errorf("to %v; gives floating-point numbers: %w", typ, ErrType))
	}
	return s.one(op, float64(p.layout.Rows*p.layout.Columns), typ, []int{p.layout.Rows, p.layout.Columns}, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			w, _ := p.of(in)
			b.Unpack(out, w)
		})
}

// Embed returns the rows of packed weights that indices, integers of any type, name, as a tensor of
// a floating-point type: it has the shape of the indices, and the columns as its last dimension. An
// index that is negative or too large gives zeros.
func (s *Scope) Embed(p *Packed, indices *Tensor, typ Type) *Tensor {
	const op = "embed"
	in, f, ok := s.packed(op, p, indices)
	if !ok {
		return f
	}
	if !typ.IsFloat() || !indices.Type().IsInteger() {
		return s.fail(op, in, fmt.Errorf("to %v by %v; gives floating-point numbers for integers: %w", typ,
			indices.Type(), ErrType))
	}
	dense := s.Contiguous(indices)
	if dense.err != nil {
		return dense
	}
	in[len(in)-1] = dense
	return s.one(op, 0, typ, append(indices.Shape(), p.layout.Columns), in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			w, others := p.of(in)
			b.Embed(out, w, others[0])
		})
}

// MatMulPacked computes x wᵀ: the product of x, whose last dimension is the columns of w, and
// transposed packed weights. x is a floating-point tensor, and the result has its type. Products
// are added in float32; for float32 the error is at most 1e-5 of the largest element of the result.
// The errors are [ErrShape] for other columns, [ErrType], and [compute.ErrNil] for no weights.
// Weights are unpacked while they are multiplied, and take no memory but their own.
func (s *Scope) MatMulPacked(x *Tensor, w *Packed) *Tensor {
	return s.packedProduct("packed matmul", false, x, w, (*tensorop.Builder).PackedMatMul)
}

// MatMulTernary is [Scope.MatMulPacked] as BitNet b1.58 computes it, for ternary weights: each row
// of x becomes integers q = round(x * 127 / m), ties to even, for m = max(|x|, 1e-5) of the row,
// both steps in float32. The products of q and the weights' signs that have a scale in common are
// added as integers, exactly; the sums are multiplied with the scale, added in float32, and
// multiplied with m / 127. The error of a float32 result is at most 2e-6 of the largest. [ErrType]
// for other weights.
func (s *Scope) MatMulTernary(x *Tensor, w *Packed) *Tensor {
	return s.packedProduct("ternary matmul", true, x, w, (*tensorop.Builder).TernaryMatMul)
}

func (s *Scope) packedProduct(op string, ternary bool, x *Tensor, w *Packed,
	build func(b *tensorop.Builder, out, x tensorop.Operand, p tensorop.Packed)) *Tensor {
	in, f, ok := s.packed(op, w, x)
	if !ok {
		return f
	}
	if ternary && !w.layout.Format.Ternary() {
		return s.fail(op, in, fmt.Errorf("weights of %v, want ternary ones: %w", w.layout.Format, ErrType))
	}
	if !x.Type().IsFloat() {
		return s.fail(op, in, fmt.Errorf("x is %v and not a floating-point tensor: %w", x.Type(), ErrType))
	}
	shape, err := tensorop.PackedShape(x.view.Shape, w.layout)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	dense := s.Contiguous(x)
	if dense.err != nil {
		return dense
	}
	in[len(in)-1] = dense
	flops := 2 * float64(tensorop.Elements(shape)) * float64(w.layout.Columns)
	return s.one(op, flops, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			p, others := w.of(in)
			build(b, out, others[0], p)
		})
}

// Pack packs a matrix of a floating-point type, for the formats [Q8_0], [Q4_0], [Q4_K], [TQ2_0],
// [MXFP4], [I2_S] and [MLXAffine]; bits and group are of MLXAffine, whose scales and biases are
// Float32, and otherwise 0. Blocks are packed as ggml's reference packs them, but for Q4_K, whose
// scales are searched in another way. The result belongs to the scope.
func (s *Scope) Pack(x *Tensor, f Format, bits, group int) (*Packed, error) {
	const op = "pack"
	in := []*Tensor{x}
	if t, ok := s.tensors(op, in...); !ok {
		return nil, t.Err()
	}
	l := packed.Layout{Format: packed.Format(f), Bits: bits, Group: group}
	switch {
	case x.Rank() != 2 || !x.Type().IsFloat():
		return nil, s.fail(op, in, fmt.Errorf("takes a floating-point matrix: %w", ErrShape)).Err()
	case !l.Format.Packs():
		return nil, s.fail(op, in, fmt.Errorf("there is no packing to %v: %w", f, ErrType)).Err()
	}
	l.Rows, l.Columns = x.view.Shape[0], x.view.Shape[1]
	if err := l.Check(); err != nil {
		return nil, s.fail(op, in, shapeError(err)).Err()
	}
	out := []shaped{{Uint8, []int{l.Bytes()}}}
	if f == MLXAffine {
		out = []shaped{{Uint32, []int{l.Rows, l.Columns * l.Bits / 32}}, {Float32, []int{l.Rows, l.RowScales()}},
			{Float32, []int{l.Rows, l.RowScales()}}}
	}
	made, err := s.run(op, float64(x.Len()), out, []*Tensor{s.Contiguous(x)},
		func(b *tensorop.Builder, out, in []tensorop.Operand) {
			p := tensorop.Packed{Layout: l, Data: out[0]}
			if len(out) > 1 {
				p.Scales, p.Biases = out[1], out[2]
			}
			b.Pack(p, in[0])
		})
	if err != nil {
		return nil, s.fail(op, in, err).Err()
	}
	p := &Packed{layout: l, data: made[0]}
	if len(made) > 1 {
		p.scales, p.biases = made[1], made[2]
	}
	return p, nil
}

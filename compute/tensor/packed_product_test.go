package tensor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/standin"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// within fails the test unless numbers differ by at most a part of the largest one.
func within(t *testing.T, want, got []float64, part float64, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	var most, worst float64
	for _, w := range want {
		most = max(most, math.Abs(w))
	}
	for i, w := range want {
		d := math.Abs(got[i] - w)
		if !(d <= part*most) {
			require.Fail(t, "too far", "%s, element %d: %g, want %g; the largest is %g", what, i, got[i], w, most)
		}
		worst = max(worst, d)
	}
	t.Logf("%s: %.2g of the largest", what, worst/most)
}

// productOf returns x times the transposed weights.
func productOf(x []float64, w []float32, columns int) (y []float64) {
	for ; len(x) > 0; x = x[columns:] {
		for w := w; len(w) > 0; w = w[columns:] {
			var sum float64
			for k := range columns {
				sum += x[k] * float64(w[k])
			}
			y = append(y, sum)
		}
	}
	return y
}

// TestPackedProduct multiplies with weights of each format, in float32, float16 and bfloat16.
func TestPackedProduct(t *testing.T) {
	manyKernels(t)
	_, s := open(t)
	r := rand.New(rand.NewPCG(7, 8))
	m := []int{1, 3, 8, 9, 33}
	for i, f := range append(blockFormats(), tensor.I2_S) {
		elements, _ := f.Block()
		const rows = 7
		columns := max(32<<(i%8), elements)
		var p *tensor.Packed
		var want []float32
		var err error
		if f == tensor.I2_S {
			columns = 416 // no multiple of 128
			const rows = 12
			data := i2sBytes(r, rows*columns, 0.7)
			p, err = tensor.NewPacked(f, bytesOf(s, data, 0), rows, columns)
			want = unpackI2S(data, rows*columns)
		} else {
			data := randomBlocks(r, f, rows*columns/elements, false)
			p, err = tensor.NewPacked(f, bytesOf(s, data, 2), rows, columns)
			want = unpackRows(f, data)
		}
		require.NoError(t, err)
		checkProduct(t, s, p, want, m[i%len(m)], columns, tensor.Float32, f.String())
		checkProduct(t, s, p, want, m[(i+1)%len(m)], columns, []tensor.Type{tensor.Float16, tensor.BFloat16}[i%2],
			f.String())
	}
	i := 0
	eachMLX(t, s, 5, 2, func(w mlxWeights) {
		checkProduct(t, s, w.packed, w.want, m[i%len(m)], w.columns, tensor.Float32, w.name)
		i++
	})
}

// checkProduct checks MatMulPacked with m rows of x, which is a transposed view.
func checkProduct(t *testing.T, s *tensor.Scope, p *tensor.Packed, w []float32, m, columns int, typ tensor.Type,
	what string) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(m), uint64(columns)))
	numbers := normals(r, m*columns)
	if typ == tensor.Float16 {
		for i := range numbers {
			numbers[i] /= 64 // products stay in range
		}
	}
	x := s.Cast(tensor.FromFloat64(s, tensor.Float32, numbers, columns, m), typ).T()
	y := s.MatMulPacked(x, p)
	require.NoError(t, s.Err(), what)
	assert.Equal(t, typ, y.Type())
	rows, _ := p.Shape()
	assert.Equal(t, []int{m, rows}, y.Shape())
	part := map[tensor.Type]float64{tensor.Float32: 1e-5, tensor.Float16: 1e-3, tensor.BFloat16: 5e-3}[typ]
	within(t, productOf(values(t, s.Contiguous(x)), w, columns), values(t, y), part, what+" with "+typ.String())
}

// TestPackedRows: a row of the product has the same bits, however many rows there are.
func TestPackedRows(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(21, 22))
	for _, f := range []tensor.Format{tensor.Q4_K, tensor.TQ2_0, tensor.PackedF32} {
		elements, _ := f.Block()
		data := randomBlocks(r, f, 3*5*256/elements, false)
		p, err := tensor.NewPacked(f, bytesOf(s, data, 4), 3, 5*256)
		require.NoError(t, err)
		checkProduct(t, s, p, unpackRows(f, data), 4, 5*256, tensor.Float32, f.String())
		x := tensor.FromFloat64(s, tensor.Float32, normals(r, 70*5*256), 70, 5*256)
		product := s.MatMulPacked
		if f.IsTernary() {
			product = s.MatMulTernary
		}
		all := data32(t, product(x, p))
		for _, m := range []int{1, 2, 5, 20} {
			sameBits(t, all[:m*3], data32(t, product(x.Slice(0, 0, m), p)), f.String())
		}
	}
}

// TestPackedShapes: leading dimensions of x, and nothing to multiply.
func TestPackedShapes(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(9, 10))
	of := func(rows, columns int) (*tensor.Packed, []float32) {
		data := randomBlocks(r, tensor.Q8_0, rows*columns/32, false)
		p, err := tensor.NewPacked(tensor.Q8_0, tensor.Of(s, data), rows, columns)
		require.NoError(t, err)
		return p, unpackRows(tensor.Q8_0, data)
	}
	p, w := of(3, 64)
	x := normals(r, 2*3*64)
	y := s.MatMulPacked(tensor.FromFloat64(s, tensor.Float32, x, 2, 3, 64), p)
	assert.Equal(t, []int{2, 3, 3}, y.Shape())
	within(t, productOf(values(t, tensor.FromFloat64(s, tensor.Float32, x)), w, 64), values(t, y), 1e-5,
		"three dimensions")
	y = s.MatMulPacked(tensor.FromFloat64(s, tensor.Float32, x[:64], 64), p)
	assert.Equal(t, []int{3}, y.Shape())
	assert.Len(t, values(t, y), 3)
	for _, c := range []struct{ m, rows, columns int }{{0, 3, 64}, {2, 0, 64}, {2, 3, 0}, {0, 0, 0}} {
		p, _ := of(c.rows, c.columns)
		x := s.Full(tensor.Float32, 1, c.m, c.columns)
		assert.Equal(t, make([]float64, c.m*c.rows), values(t, s.MatMulPacked(x, p)), "%v", c)
		assert.Len(t, values(t, s.Unpack(p, tensor.Float32)), c.rows*c.columns, "%v", c)
		e := s.Embed(p, s.Full(tensor.Int32, 7, c.m), tensor.Float32)
		assert.Equal(t, make([]float64, c.m*c.columns), values(t, e), "%v", c)
		i2s, err := tensor.NewPacked(tensor.I2_S, tensor.Of(s, make([]byte, c.rows*c.columns*2/4+32)), c.rows*2, c.columns)
		require.NoError(t, err)
		assert.Equal(t, make([]float64, c.m*c.rows*2), values(t, s.MatMulTernary(x, i2s)), "%v", c)
	}
	for _, c := range []struct{ m, rows, columns int }{{2, 3, 0}, {2, 0, 3}, {0, 2, 3}} {
		p, err := tensor.NewPacked(tensor.PackedF32, tensor.Of(s, make([]byte, 4*c.rows*c.columns)), c.rows, c.columns)
		require.NoError(t, err)
		y := s.MatMulPacked(s.Full(tensor.Float32, 1, c.m, c.columns), p)
		assert.Equal(t, make([]float64, c.m*c.rows), values(t, y), "%v", c)
	}
	require.NoError(t, s.Err())
}

// activation returns x as an integer, by the largest magnitude of its row.
func activation(x, most float32) float64 {
	if most > 0x1p100 {
		x, most = x*0x1p-20, most*0x1p-20
	}
	return math.RoundToEven(float64(times(x, 127) / most))
}

// ternaryReference multiplies as BitNet b1.58 does.
func ternaryReference(x, w []float32, columns int) (y []float64) {
	for ; len(x) > 0; x = x[columns:] {
		most := float32(1e-5)
		for _, v := range x[:columns] {
			most = max(most, float32(math.Abs(float64(v))))
		}
		q := make([]float64, columns)
		for k := range q {
			q[k] = activation(x[k], most)
		}
		for w := w; len(w) > 0; w = w[columns:] {
			var sum float64
			for k := range columns {
				sum += q[k] * float64(w[k])
			}
			y = append(y, sum*float64(most)/127)
		}
	}
	return y
}

// TestTernaryProduct multiplies ternary weights with activations of 8 bits: sums are exact.
func TestTernaryProduct(t *testing.T) {
	_, s := open(t)
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		f             tensor.Format
		rows, columns int
	}{{tensor.TQ1_0, 5, 512}, {tensor.TQ2_0, 6, 4096}, {tensor.TQ2_0, 3, 256}, {tensor.I2_S, 12, 416}, {tensor.I2_S, 4,
		4096}} {
		var data []byte
		var w []float32
		if c.f == tensor.I2_S {
			data = i2sBytes(r, c.rows*c.columns, 0.031)
			w = unpackI2S(data, c.rows*c.columns)
		} else {
			data = randomBlocks(r, c.f, c.rows*c.columns/256, false)
			w = unpackRows(c.f, data)
		}
		p, err := tensor.NewPacked(c.f, bytesOf(s, data, 1), c.rows, c.columns)
		require.NoError(t, err)
		for _, m := range []int{1, 3, 9} {
			x := make([]float32, m*c.columns)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			y := s.MatMulTernary(tensor.Of(s, x, m, c.columns), p)
			require.NoError(t, s.Err())
			within(t, ternaryReference(x, w, c.columns), values(t, y), 2e-6, c.f.String())
		}
	}
}

// TestTernaryActivations: ties go to even numbers, and rows of zeros, tiny and huge numbers work.
// An identity of weights shows the integers.
func TestTernaryActivations(t *testing.T) {
	_, s := open(t)
	const n = 256
	data := make([]byte, n*66)
	for row := range n {
		b := data[row*66 : row*66+66]
		for l := range 64 {
			b[l] = 0x55 // zeros
		}
		b[row/128*32+row%32] += 1 << (row % 128 / 32 * 2)
		b[64], b[65] = 0, 0x3c // 1
	}
	p, err := tensor.NewPacked(tensor.TQ2_0, tensor.Of(s, data), n, n)
	require.NoError(t, err)
	for _, most := range []float32{127, 1, 254, 0x1p-100, 3e38, 1e-5, 5e-6, 0, 1e30, 0x1p100} {
		x := make([]float32, n)
		for i := range x {
			x[i] = most / 254 * float32(i-2*(i%2)*i) // ties where most is 127 times a power of two
		}
		x[n-1] = -most
		x[n-2] = most
		for _, typ := range []tensor.Type{tensor.Float32, tensor.BFloat16} {
			in := s.Cast(tensor.Of(s, x, 1, n), typ)
			in32 := data32(t, s.Cast(in, tensor.Float32))
			y := values(t, s.Cast(s.MatMulTernary(in, p), tensor.Float32))
			largest := float32(1e-5)
			for _, v := range in32 {
				largest = max(largest, float32(math.Abs(float64(v))))
			}
			for i, v := range in32 {
				want, got := activation(v, largest), y[i]/(float64(largest)/127)
				bound := 1e-4
				if typ == tensor.BFloat16 {
					bound = 0.51
				}
				if !assert.InDelta(t, want, got, bound, "most %g, element %d: %g of %v", most, i, v, typ) {
					break
				}
			}
		}
	}
	x := make([]float32, n)
	x[3] = float32(math.NaN())
	y := s.MatMulTernary(tensor.Of(s, x, 1, n), p)
	require.NoError(t, s.Err())
	assert.Len(t, values(t, y), n)
}

// TestPackedWrong: what makes no packed weights, or cannot be multiplied with them.
func TestPackedWrong(t *testing.T) {
	e, s := open(t)
	other, err := tensor.New(e.Accelerator())
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(t.Context())) }()
	foreign := other.Scope(t.Context())
	defer foreign.Close()
	bytes := func(n int) *tensor.Tensor { return tensor.Of(s, make([]byte, n)) }
	for _, c := range []struct {
		f             tensor.Format
		data          *tensor.Tensor
		rows, columns int
		kind          error
		text          string
	}{
		{tensor.Q4_0, bytes(18), 1, 33, tensor.ErrShape, "multiple of 32"},
		{tensor.Q4_0, bytes(17), 1, 32, tensor.ErrShape, "17 bytes"},
		{tensor.Q4_0, bytes(18), -1, 32, tensor.ErrShape, "-1 rows"},
		{tensor.Q4_0, bytes(18), -1, -32, tensor.ErrShape, "rows"},
		{tensor.Q4_0, bytes(0), 1 << 40, 1 << 40, tensor.ErrShape, "limit"},
		{tensor.Q4_0, bytes(0), 1 << 32, 1 << 32, tensor.ErrShape, "limit"},
		{tensor.Q4_0, bytes(0), math.MaxInt, math.MaxInt &^ 31, tensor.ErrShape, "limit"},
		{tensor.I2_S, bytes(32), 1 << 32, 1 << 32, tensor.ErrShape, "limit"},
		{tensor.I2_S, bytes(32), 1, 64, tensor.ErrShape, "multiple of 128"},
		{tensor.I2_S, bytes(32), 1, 128, tensor.ErrShape, "32 bytes"},
		{tensor.MLXAffine, bytes(32), 1, 128, tensor.ErrType, "NewPackedMLX"},
		{0, bytes(32), 1, 128, tensor.ErrType, "no format"},
		{200, bytes(32), 1, 128, tensor.ErrType, "no format"},
		{tensor.Q4_0, nil, 1, 32, compute.ErrNil, "no tensor"},
		{tensor.Q4_0, &tensor.Tensor{}, 1, 32, compute.ErrNil, "no tensor"},
		{tensor.Q4_0, tensor.Scalar(1), 1, 32, tensor.ErrType, "scalar"},
		{tensor.Q4_0, tensor.Of(s, make([]byte, 36), 18, 2).T().Slice(0, 0, 1), 1, 32, tensor.ErrShape, "gaps"},
	} {
		p, err := tensor.NewPacked(c.f, c.data, c.rows, c.columns)
		assert.Nil(t, p)
		assert.ErrorIs(t, err, c.kind, c.text)
		assert.ErrorContains(t, err, c.text)
	}
	words, scales := tensor.Of(s, make([]uint32, 8), 1, 8), s.Full(tensor.Float32, 1, 1, 1)
	byteScales := s.Full(tensor.Uint8, 1, 1, 2)
	for _, c := range []struct {
		f                    tensor.Format
		data, scales, biases *tensor.Tensor
		bits, group          int
		kind                 error
		text                 string
	}{
		{tensor.MLXAffine, words, scales, scales, 7, 64, tensor.ErrShape, "7 bits"},
		{tensor.MLXAffine, words, scales, scales, 4, 16, tensor.ErrShape, "groups of 16"},
		{tensor.MLXAffine, words, scales, scales, 0, 0, tensor.ErrShape, "0 bits"},
		{tensor.MLXAffine, words, scales, scales, 4, 128, tensor.ErrShape, "multiple of 128"},
		{tensor.MLXAffine, words, scales, scales, 4, 32, tensor.ErrShape, "scales"},
		{tensor.MLXAffine, words, scales, nil, 4, 64, compute.ErrNil, "no tensor"},
		{tensor.MLXAffine, words, nil, scales, 4, 64, compute.ErrNil, "no tensor"},
		{tensor.MLXAffine, nil, scales, scales, 4, 64, compute.ErrNil, "no tensor"},
		{tensor.MLXAffine, words, scales, s.Full(tensor.Float16, 1, 1, 1), 4, 64, tensor.ErrType, "one type"},
		{tensor.MLXAffine, words, byteScales, byteScales, 4, 32, tensor.ErrType, "uint8"},
		{tensor.MLXAffine, bytes(32), scales, scales, 4, 64, tensor.ErrShape, "two dimensions"},
		{tensor.MLXAffine, s.Reshape(bytes(32), 1, 32), scales, scales, 4, 64, tensor.ErrType, "uint32"},
		{tensor.MLXAffine, words, tensor.Scalar(1), tensor.Scalar(1), 4, 64, tensor.ErrType, "scalar"},
		{tensor.MLXFP4, words, scales, nil, 0, 0, tensor.ErrType, "float32"},
		{tensor.MLXFP4, words, byteScales, byteScales, 0, 0, tensor.ErrType, "biases"},
		{tensor.MLXFP4, words, byteScales, nil, 8, 0, tensor.ErrShape, "8 bits"},
		{tensor.MLXFP4, words, byteScales, nil, 4, 64, tensor.ErrShape, "groups of 64"},
		{tensor.MLXNVFP4, words, byteScales, nil, 0, 0, tensor.ErrShape, "scales"},
		{tensor.Q4_0, words, byteScales, nil, 0, 0, tensor.ErrType, "NewPacked"},
		{200, words, byteScales, nil, 0, 0, tensor.ErrType, "no format"},
	} {
		p, err := tensor.NewPackedMLX(c.f, c.data, c.scales, c.biases, c.bits, c.group)
		assert.Nil(t, p, c.text)
		assert.ErrorIs(t, err, c.kind, c.text)
		assert.ErrorContains(t, err, c.text)
	}
	p, err := tensor.NewPacked(tensor.Q4_0, bytes(36), 1, 64)
	require.NoError(t, err)
	alien, err := tensor.NewPacked(tensor.TQ2_0, tensor.Of(foreign, make([]byte, 66)), 1, 256)
	require.NoError(t, err)
	closed := bytes(66)
	gone, err := tensor.NewPacked(tensor.TQ2_0, closed, 1, 256)
	require.NoError(t, err)
	closed.Close()
	x, wide, ids := s.Full(tensor.Float32, 1, 2, 64), s.Full(tensor.Float32, 1, 2, 256), s.Full(tensor.Int32, 0, 2)
	type scope = tensor.Scope
	type result = tensor.Tensor
	var none *tensor.Packed
	for _, c := range []struct {
		do   func(s *scope) *result
		kind error
		text string
	}{
		{func(s *scope) *result { return s.MatMulPacked(wide, p) }, tensor.ErrShape, "1 rows of 64 columns"},
		{func(s *scope) *result { return s.MatMulPacked(s.Full(tensor.Float32, 1), p) }, tensor.ErrShape, "columns"},
		{func(s *scope) *result { return s.MatMulPacked(ids, p) }, tensor.ErrType, "int32"},
		{func(s *scope) *result { return s.MatMulPacked(tensor.Scalar(1), p) }, tensor.ErrType, "scalar"},
		{func(s *scope) *result { return s.MatMulPacked(nil, p) }, compute.ErrNil, "no tensor"},
		{func(s *scope) *result { return s.MatMulPacked(x, none) }, compute.ErrNil, "no packed weights"},
		{func(s *scope) *result { return s.MatMulPacked(x, &tensor.Packed{}) }, compute.ErrNil, "no packed weights"},
		{func(s *scope) *result { return s.MatMulPacked(wide, alien) }, tensor.ErrEngine, "another engine"},
		{func(s *scope) *result { return s.MatMulPacked(wide, gone) }, compute.ErrClosed, "closed"},
		{func(s *scope) *result { return s.MatMulTernary(x, p) }, tensor.ErrType, "ternary"},
		{func(s *scope) *result { return s.MatMulTernary(x, none) }, compute.ErrNil, "no packed weights"},
		{func(s *scope) *result { return s.MatMulTernary(wide, alien) }, tensor.ErrEngine, "another engine"},
		{func(s *scope) *result { return s.MatMulTernary(wide, gone) }, compute.ErrClosed, "closed"},
		{func(s *scope) *result { return s.Unpack(none, tensor.Float32) }, compute.ErrNil, "no packed weights"},
		{func(s *scope) *result { return s.Unpack(p, tensor.Int8) }, tensor.ErrType, "int8"},
		{func(s *scope) *result { return s.Unpack(alien, tensor.Float32) }, tensor.ErrEngine, "another engine"},
		{func(s *scope) *result { return s.Unpack(gone, tensor.Float32) }, compute.ErrClosed, "closed"},
		{func(s *scope) *result { return s.Embed(none, ids, tensor.Float32) }, compute.ErrNil, "no packed weights"},
		{func(s *scope) *result { return s.Embed(p, x, tensor.Float32) }, tensor.ErrType, "float32"},
		{func(s *scope) *result { return s.Embed(p, ids, tensor.Bool) }, tensor.ErrType, "bool"},
		{func(s *scope) *result { return s.Embed(p, nil, tensor.Float32) }, compute.ErrNil, "no tensor"},
		{func(s *scope) *result { return s.Embed(alien, ids, tensor.Float32) }, tensor.ErrEngine, "another engine"},
		{func(s *scope) *result { return s.Embed(p, s.Full(tensor.Int32, 0, 1<<20, 1<<6), tensor.Float32) },
			tensor.ErrShape, "elements"},
	} {
		inner := e.Scope(t.Context())
		y := c.do(inner)
		assert.ErrorIs(t, y.Err(), c.kind, c.text)
		assert.ErrorContains(t, y.Err(), c.text)
		inner.Close()
	}
	var nobody *tensor.Scope
	assert.ErrorIs(t, nobody.MatMulTernary(x, p).Err(), compute.ErrNil)
	assert.ErrorIs(t, nobody.MatMulPacked(x, none).Err(), compute.ErrNil)
	assert.ErrorIs(t, nobody.Unpack(none, tensor.Float32).Err(), compute.ErrNil)
}

// everything is the kinds that package sanitizer, which stands above this one, has. Without a
// function, findings are errors of Sync.
const everything = 1<<8 - 1

// TestLanguageSanitized runs the kernels of language models under the sanitizer, which finds
// nothing.
func TestLanguageSanitized(t *testing.T) {
	if standin.Running() || !computetest.Open(t).Info().Software {
		t.Skip("only the software device has the sanitizer")
	}
	acc := computetest.Open(t, compute.WithSanitizer(everything, nil))
	e, err := tensor.New(acc)
	require.NoError(t, err)
	defer func() { assert.NoError(t, e.Close(t.Context())) }()
	s := e.Scope(t.Context())
	defer s.Close()
	r := rand.New(rand.NewPCG(13, 14))
	for _, f := range append(blockFormats(), tensor.I2_S) {
		elements, _ := f.Block()
		rows, columns := 3, max(elements, 32)
		if f == tensor.I2_S {
			rows, columns = 4, 32
		}
		data := randomBlocks(r, f, rows*columns/elements, false)
		if f == tensor.I2_S {
			data = i2sBytes(r, rows*columns, 1)
		}
		p, err := tensor.NewPacked(f, tensor.Of(s, data), rows, columns)
		require.NoError(t, err)
		useSanitized(t, s, p, rows, columns)
	}
	eachMLX(t, s, 3, 1, func(w mlxWeights) { useSanitized(t, s, w.packed, w.rows, w.columns) })
	useAttentionSanitized(t, s)
	require.NoError(t, e.Sync(t.Context()))
}

func useSanitized(t *testing.T, s *tensor.Scope, p *tensor.Packed, rows, columns int) {
	t.Helper()
	x := s.Full(tensor.Float32, 1, 9, columns)
	for _, y := range []*tensor.Tensor{s.Unpack(p, tensor.Float32), s.MatMulPacked(x, p),
		s.Embed(p, tensor.Of(s, []int32{0, int32(rows) - 1, int32(rows), -1}), tensor.Float16)} {
		values(t, y)
	}
	if p.Format().IsTernary() {
		values(t, s.MatMulTernary(x, p))
	}
	require.NoError(t, s.Err())
}

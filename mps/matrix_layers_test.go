package mps

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table is a batch of matrices whose elements are read as float64. Rows have padding.
type table struct {
	Matrix
	memory                        []byte
	kind                          DataType
	matrices, high, wide, rowSize int
}

func (m *table) at(n, r, c int) float64 {
	at := m.memory[(n*m.high+r)*m.rowSize:]
	if m.kind == DataTypeFloat16 {
		return float64(simd.Half(binary.LittleEndian.Uint16(at[2*c:])).Float32())
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(at[4*c:])))
}

func (m *table) set(n, r, c int, v float64) {
	at := m.memory[(n*m.high+r)*m.rowSize:]
	if m.kind == DataTypeFloat16 {
		binary.LittleEndian.PutUint16(at[2*c:], uint16(simd.HalfOf(float32(v))))
		return
	}
	binary.LittleEndian.PutUint32(at[4*c:], math.Float32bits(float32(v)))
}

// tables makes matrices and vectors of random elements, which live as long as the test.
type tables struct {
	t   *testing.T
	d   mtl.Device
	rng *rand.Rand
}

func (s tables) matrix(kind DataType, matrices, high, wide int) *table {
	m := &table{kind: kind, matrices: matrices, high: high, wide: wide, rowSize: 4*wide + 8}
	desc, err := MatrixDescriptorWithRowsColumnsMatrices(uint(high), uint(wide), uint(matrices), uint(m.rowSize),
		uint(high*m.rowSize), kind)
	require.NoError(s.t, err)
	b, err := s.d.NewBuffer(uint(matrices*high*m.rowSize), mtl.ResourceStorageModeShared)
	require.NoError(s.t, err)
	s.t.Cleanup(b.Release)
	m.Matrix, err = NewMatrixWithBuffer(b, desc)
	require.NoError(s.t, err)
	s.t.Cleanup(m.Release)
	m.memory, err = b.Bytes()
	require.NoError(s.t, err)
	for n := range matrices {
		for r := range high {
			for c := range wide {
				m.set(n, r, c, s.rng.Float64()-0.5)
			}
		}
	}
	return m
}

// vector makes vectors that are the rows of a table of one row each.
func (s tables) vector(vectors, n int) (Vector, *table) {
	m := &table{kind: DataTypeFloat32, matrices: vectors, high: 1, wide: n, rowSize: 4*n + 8}
	desc, err := VectorDescriptorWithLengthVectors(uint(n), uint(vectors), uint(m.rowSize), DataTypeFloat32)
	require.NoError(s.t, err)
	b, err := s.d.NewBuffer(uint(vectors*m.rowSize), mtl.ResourceStorageModeShared)
	require.NoError(s.t, err)
	s.t.Cleanup(b.Release)
	v, err := NewVectorWithBuffer(b, desc)
	require.NoError(s.t, err)
	s.t.Cleanup(v.Release)
	m.memory, err = b.Bytes()
	require.NoError(s.t, err)
	for i := range vectors {
		for c := range n {
			m.set(i, 0, c, s.rng.Float64()-0.5)
		}
	}
	return v, m
}

// expect compares a window with what a function says, and that all around it is what it was.
func (m *table) expect(t *testing.T, before []byte, row, column, high, wide int, want func(n, r, c int) float64,
	tolerance float64) {
	t.Helper()
	old := *m
	old.memory = before
	for n := range m.matrices {
		for r := range m.high {
			for c := range m.wide {
				if r < row || r >= row+high || c < column || c >= column+wide {
					require.Equal(t, old.at(n, r, c), m.at(n, r, c), "around the window: matrix %d (%d, %d)", n, r, c)
					continue
				}
				w := want(n, r-row, c-column)
				require.InDelta(t, w, m.at(n, r, c), tolerance*(1+math.Abs(w)), "matrix %d (%d, %d)", n, r-row, c-column)
			}
		}
	}
}

func (m *table) copied() []byte { return append([]byte(nil), m.memory...) }

// slope is the derivative of a function, by differences.
func slope(f func(x float64) float64, x float64) float64 {
	const h = 1e-6
	return (f(x+h) - f(x-h)) / (2 * h)
}

// neurons are the activations as functions of x and the parameters.
var neurons = map[CNNNeuronType]func(x, a, b, c float64) float64{
	CNNNeuronTypeNone:        func(x, _, _, _ float64) float64 { return x },
	CNNNeuronTypeReLU:        func(x, a, _, _ float64) float64 { return max(x, 0) + a*min(x, 0) },
	CNNNeuronTypeLinear:      func(x, a, b, _ float64) float64 { return a*x + b },
	CNNNeuronTypeSigmoid:     func(x, _, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
	CNNNeuronTypeHardSigmoid: func(x, a, b, _ float64) float64 { return min(max(a*x+b, 0), 1) },
	CNNNeuronTypeTanH:        func(x, a, b, _ float64) float64 { return a * math.Tanh(b*x) },
	CNNNeuronTypeAbsolute:    func(x, _, _, _ float64) float64 { return math.Abs(x) },
	CNNNeuronTypeSoftPlus:    func(x, a, b, _ float64) float64 { return a * math.Log1p(math.Exp(b*x)) },
	CNNNeuronTypeSoftSign:    func(x, _, _, _ float64) float64 { return x / (1 + math.Abs(x)) },
	CNNNeuronTypeELU: func(x, a, _, _ float64) float64 {
		if x >= 0 {
			return x
		}
		return a * math.Expm1(x)
	},
	CNNNeuronTypeReLUN:       func(x, a, b, _ float64) float64 { return min(max(x, 0)+a*min(x, 0), b) },
	CNNNeuronTypePower:       func(x, a, b, c float64) float64 { return math.Pow(a*x+b, c) },
	CNNNeuronTypeExponential: func(x, a, b, c float64) float64 { return math.Pow(c, a*x+b) },
	CNNNeuronTypeLogarithm:   func(x, a, b, c float64) float64 { return math.Log(a*x+b) / math.Log(c) },
	CNNNeuronTypeGeLU:        func(x, _, _, _ float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
}

// TestNeuronGradient compares every activation and its gradient, which the test takes by
// differences, in windows of matrices.
func TestNeuronGradient(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(21, 2))}
	const a, b, c, alpha = 0.25, 0.75, 1.5, 2.5
	const rows, columns = 3, 4
	x, g := s.matrix(DataTypeFloat32, 2, 6, 7), s.matrix(DataTypeFloat32, 2, 5, 6)
	y := s.matrix(DataTypeFloat32, 2, 5, 5)
	bias, bv := s.vector(1, columns)
	sums, sv := s.vector(2, columns)
	forward, err := NewMatrixNeuronWithDevice(d)
	require.NoError(t, err)
	defer forward.Release()
	back, err := NewMatrixNeuronGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	forward.SetAlpha(alpha)
	back.SetAlpha(alpha)
	forward.SetSourceMatrixOrigin(mtl.Origin{X: 2, Y: 3})
	forward.SetResultMatrixOrigin(mtl.Origin{X: 1})
	back.SetPrimarySourceMatrixOrigin(mtl.Origin{X: 1, Y: 2})
	back.SetSecondarySourceMatrixOrigin(mtl.Origin{X: 2, Y: 3})
	back.SetResultMatrixOrigin(mtl.Origin{X: 1})
	forward.SetSourceNumberOfFeatureVectors(rows)
	back.SetSourceNumberOfFeatureVectors(rows)
	argument := func(n, r, i int) float64 { return alpha*x.at(n, 2+r, 3+i) + bv.at(0, 0, i) }
	slopes := []byte{}
	for i := range columns {
		slopes = binary.LittleEndian.AppendUint32(slopes, math.Float32bits(float32(i)/4))
	}
	for kind := CNNNeuronTypeNone; kind < CNNNeuronTypeCount; kind++ {
		f := func(_ int, x float64) float64 { return neurons[kind](x, a, b, c) }
		if kind == CNNNeuronTypePReLU {
			f = func(i int, x float64) float64 { return max(x, 0) + float64(i)/4*min(x, 0) }
			forward.SetNeuronToPReLUWithParametersA(slopes)
			back.SetNeuronToPReLUWithParametersA(slopes)
		} else {
			forward.SetNeuronType(kind, a, b, c)
			back.SetNeuronType(kind, a, b, c)
		}
		before := y.copied()
		encoded(t, d, func(cb mtl.CommandBuffer) { forward.EncodeToCommandBuffer(cb, x.Matrix, bias, y.Matrix) })
		y.expect(t, before, 1, 0, rows, columns, func(n, r, i int) float64 { return f(i, argument(n, r, i)) }, 1e-5)
		before = y.copied()
		encoded(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeToCommandBuffer(cb, g.Matrix, x.Matrix, bias, y.Matrix, sums)
		})
		change := func(n, r, i int) float64 {
			return g.at(n, 1+r, 2+i) * slope(func(x float64) float64 { return f(i, x) }, argument(n, r, i))
		}
		y.expect(t, before, 1, 0, rows, columns, func(n, r, i int) float64 { return alpha * change(n, r, i) }, 1e-5)
		sv.expect(t, sv.copied(), 0, 0, 1, columns, func(n, _, i int) (sum float64) {
			for r := range rows {
				sum += change(n, r, i)
			}
			return sum
		}, 1e-5)
	}
}

func TestFullyConnected(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(22, 2))}
	const vectors, inner, columns, alpha = 4, 5, 3, 1.5
	for _, kind := range []DataType{DataTypeFloat32, DataTypeFloat16} {
		tolerance := 1e-5
		if kind == DataTypeFloat16 {
			tolerance = 1e-3
		}
		x, w := s.matrix(kind, 2, 6, 7), s.matrix(kind, 2, 7, 6)
		y, g := s.matrix(kind, 2, 5, 6), s.matrix(kind, 2, 6, 5)
		bias, bv := s.vector(2, columns)
		balanced(t, func() {
			k, err := NewMatrixFullyConnectedWithDevice(d)
			require.NoError(t, err)
			defer k.Release()
			assert.EqualValues(t, 1, k.Alpha())
			assert.EqualValues(t, uint(math.MaxUint), k.SourceInputFeatureChannels())
			k.SetAlpha(alpha)
			k.SetSourceNumberOfFeatureVectors(vectors)
			k.SetSourceInputFeatureChannels(inner)
			k.SetSourceOutputFeatureChannels(columns)
			k.SetPrimarySourceMatrixOrigin(mtl.Origin{X: 1, Y: 2})
			k.SetSecondarySourceMatrixOrigin(mtl.Origin{X: 2, Y: 1})
			k.SetResultMatrixOrigin(mtl.Origin{X: 1, Y: 3})
			k.SetNeuronType(CNNNeuronTypeSigmoid, 0, 0, 0)
			before := y.copied()
			encoded(t, d, func(cb mtl.CommandBuffer) {
				k.EncodeToCommandBuffer(cb, x.Matrix, w.Matrix, bias, y.Matrix)
			})
			y.expect(t, before, 1, 3, vectors, columns, func(n, r, c int) float64 {
				sum := bv.at(n, 0, c)
				for i := range inner {
					sum += alpha * x.at(n, 1+r, 2+i) * w.at(n, 2+i, 1+c)
				}
				return 1 / (1 + math.Exp(-sum))
			}, tolerance)
		})
		back, err := NewMatrixFullyConnectedGradientWithDevice(d)
		require.NoError(t, err)
		defer back.Release()
		back.SetAlpha(alpha)
		back.SetSourceNumberOfFeatureVectors(vectors)
		back.SetSourceInputFeatureChannels(inner)
		back.SetSourceOutputFeatureChannels(columns)
		back.SetPrimarySourceMatrixOrigin(mtl.Origin{X: 2, Y: 1})
		back.SetSecondarySourceMatrixOrigin(mtl.Origin{X: 1, Y: 2})
		gx, gw := s.matrix(kind, 2, 4, 5), s.matrix(kind, 2, 5, 3)
		sums, sv := s.vector(2, columns)
		encoded(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeGradientForDataToCommandBuffer(cb, g.Matrix, w.Matrix, gx.Matrix)
			back.EncodeGradientForWeightsAndBiasToCommandBuffer(cb, g.Matrix, x.Matrix, gw.Matrix, sums)
		})
		gx.expect(t, nil, 0, 0, vectors, inner, func(n, r, c int) (sum float64) {
			for i := range columns {
				sum += alpha * g.at(n, 2+r, 1+i) * w.at(n, 1+c, 2+i)
			}
			return sum
		}, tolerance)
		gw.expect(t, nil, 0, 0, inner, columns, func(n, r, c int) (sum float64) {
			for i := range vectors {
				sum += alpha * x.at(n, 1+i, 2+r) * g.at(n, 2+i, 1+c)
			}
			return sum
		}, tolerance)
		sv.expect(t, nil, 0, 0, 1, columns, func(n, _, c int) (sum float64) {
			for i := range vectors {
				sum += g.at(n, 2+i, 1+c)
			}
			return sum
		}, 1e-5)
	}
}

// batchNorm is the reference: the loss is the sum of neuron(normalized) times g.
func batchNorm(x [][]float64, gamma, beta []float64, epsilon float64) (y [][]float64, mean, variance []float64) {
	rows := float64(len(x))
	mean, variance = make([]float64, len(gamma)), make([]float64, len(gamma))
	for c := range gamma {
		for _, row := range x {
			mean[c] += row[c] / rows
		}
		for _, row := range x {
			variance[c] += (row[c] - mean[c]) * (row[c] - mean[c]) / rows
		}
	}
	for _, row := range x {
		out := make([]float64, len(row))
		for c, v := range row {
			out[c] = math.Tanh((v-mean[c])/math.Sqrt(variance[c]+epsilon)*gamma[c] + beta[c])
		}
		y = append(y, out)
	}
	return y, mean, variance
}

// TestBatchNormalization compares the result, the statistics and, by differences of the loss, all
// gradients.
func TestBatchNormalization(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(23, 2))}
	const rows, columns, epsilon = 6, 3, 0.0625
	xm, ym := s.matrix(DataTypeFloat32, 1, rows, columns), s.matrix(DataTypeFloat32, 1, rows, columns)
	gm, dx := s.matrix(DataTypeFloat32, 1, rows, columns), s.matrix(DataTypeFloat32, 1, rows, columns)
	mean, mv := s.vector(1, columns)
	variance, vv := s.vector(1, columns)
	gamma, gv := s.vector(1, columns)
	beta, bv := s.vector(1, columns)
	dGamma, dgv := s.vector(1, columns)
	dBeta, dbv := s.vector(1, columns)
	row := func(m *table, r int) (out []float64) {
		for c := range columns {
			out = append(out, m.at(0, r, c))
		}
		return out
	}
	var x [][]float64
	for r := range rows {
		x = append(x, row(xm, r))
	}
	scale, shift := row(gv, 0), row(bv, 0)
	k, err := NewMatrixBatchNormalizationWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	assert.EqualValues(t, math.Float32frombits(0x00800000), k.Epsilon())
	assert.False(t, k.ComputeStatistics())
	k.SetEpsilon(epsilon)
	k.SetComputeStatistics(true)
	k.SetNeuronType(CNNNeuronTypeTanH, 1, 1, 0)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, xm.Matrix, mean, variance, gamma, beta, ym.Matrix)
	})
	want, means, variances := batchNorm(x, scale, shift, epsilon)
	ym.expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 { return want[r][c] }, 1e-5)
	mv.expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return means[c] }, 1e-6)
	vv.expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return variances[c] }, 1e-6)

	// With given statistics, and without gamma, beta and a neuron.
	k.SetComputeStatistics(false)
	k.SetNeuronType(CNNNeuronTypeNone, 0, 0, 0)
	mv.set(0, 0, 1, 0.25)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, xm.Matrix, mean, variance, Vector{}, Vector{}, ym.Matrix)
	})
	ym.expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 {
		return (x[r][c] - mv.at(0, 0, c)) / math.Sqrt(vv.at(0, 0, c)+epsilon)
	}, 1e-5)
	mv.set(0, 0, 1, means[1])

	back, err := NewMatrixBatchNormalizationGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	back.SetEpsilon(epsilon)
	back.SetNeuronType(CNNNeuronTypeTanH, 1, 1, 0)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		back.EncodeToCommandBuffer(cb, gm.Matrix, xm.Matrix, mean, variance, gamma, beta, dx.Matrix, dGamma, dBeta)
	})
	change := func(at *float64) float64 {
		was := *at
		defer func() { *at = was }()
		return slope(func(v float64) (loss float64) {
			*at = v
			y, _, _ := batchNorm(x, scale, shift, epsilon)
			for r := range rows {
				for c := range columns {
					loss += y[r][c] * gm.at(0, r, c)
				}
			}
			return loss
		}, was)
	}
	dx.expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 { return change(&x[r][c]) }, 1e-5)
	dgv.expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return change(&scale[c]) }, 1e-5)
	dbv.expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return change(&shift[c]) }, 1e-5)
}

func TestSoftMaxGradient(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(24, 2))}
	const rows, columns = 3, 5
	x, y := s.matrix(DataTypeFloat32, 2, rows, columns), s.matrix(DataTypeFloat32, 2, rows, columns)
	g, dx := s.matrix(DataTypeFloat32, 2, rows, columns), s.matrix(DataTypeFloat32, 2, rows, columns)
	for _, logarithm := range []bool{false, true} {
		forward, err := NewMatrixSoftMaxWithDevice(d)
		require.NoError(t, err)
		defer forward.Release()
		back, err := NewMatrixSoftMaxGradientWithDevice(d)
		require.NoError(t, err)
		defer back.Release()
		if logarithm {
			f, err := NewMatrixLogSoftMaxWithDevice(d)
			require.NoError(t, err)
			defer f.Release()
			b, err := NewMatrixLogSoftMaxGradientWithDevice(d)
			require.NoError(t, err)
			defer b.Release()
			forward, back = f.MatrixSoftMax, b.MatrixSoftMaxGradient
		}
		encoded(t, d, func(cb mtl.CommandBuffer) {
			forward.EncodeToCommandBuffer(cb, x.Matrix, y.Matrix)
			back.EncodeToCommandBuffer(cb, g.Matrix, y.Matrix, dx.Matrix)
		})
		dx.expect(t, nil, 0, 0, rows, columns, func(n, r, c int) float64 {
			return slope(func(v float64) (loss float64) {
				row := make([]float64, columns)
				sum := 0.0
				for i := range row {
					if row[i] = x.at(n, r, i); i == c {
						row[i] = v
					}
					sum += math.Exp(row[i])
				}
				for i, v := range row {
					p := math.Exp(v) / sum
					if logarithm {
						p = math.Log(p)
					}
					loss += p * g.at(n, r, i)
				}
				return loss
			}, x.at(n, r, c))
		}, 1e-5)
	}
}

func TestLayersRefused(t *testing.T) {
	d := kernels(t)
	s := tables{t, d, rand.New(rand.NewPCG(25, 2))}
	x, w := s.matrix(DataTypeFloat32, 1, 2, 3), s.matrix(DataTypeFloat32, 1, 2, 2)
	y := s.matrix(DataTypeFloat32, 1, 2, 2)
	whole, _ := typed(t, d, DataTypeUInt32, 1, 2, 2, 8)
	defer whole.Release()
	k, err := NewMatrixFullyConnectedWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	n, err := NewMatrixNeuronWithDevice(d)
	require.NoError(t, err)
	defer n.Release()
	norm, err := NewMatrixBatchNormalizationWithDevice(d)
	require.NoError(t, err)
	defer norm.Release()
	v, _ := s.vector(1, 1)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		refused(t, func() { k.EncodeToCommandBuffer(cb, x.Matrix, w.Matrix, Vector{}, y.Matrix) },
			"the weights: 3 by 2 elements", "1 of 2 by 2")
		refused(t, func() { k.EncodeToCommandBuffer(cb, whole, w.Matrix, Vector{}, y.Matrix) }, "uint32", "floating-point")
		refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, v, y.Matrix) }, "the bias: 1 by 2 elements")
		refused(t, func() { n.SetNeuronToPReLUWithParametersA([]byte{1, 2, 3}) }, "3 bytes of parameters")
		n.SetNeuronToPReLUWithParametersA(make([]byte, 4))
		refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, Vector{}, y.Matrix) },
			"1 parameters of the neuron for 2 columns")
		n.SetNeuronType(CNNNeuronTypePReLU, 0, 0, 0)
		refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, Vector{}, y.Matrix) }, "PReLU without parameters")
		refused(t, func() { norm.EncodeToCommandBuffer(cb, w.Matrix, Vector{}, Vector{}, Vector{}, Vector{}, y.Matrix) })
	})
}

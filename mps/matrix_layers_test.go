package mps_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slope is the derivative of a function, by differences.
func slope(f func(x float64) float64, x float64) float64 {
	const h = 1e-6
	return (f(x+h) - f(x-h)) / (2 * h)
}

// neurons are the activations as functions of x and the parameters.
var neurons = map[mps.CNNNeuronType]func(x, a, b, c float64) float64{
	mps.CNNNeuronTypeNone:        func(x, _, _, _ float64) float64 { return x },
	mps.CNNNeuronTypeReLU:        func(x, a, _, _ float64) float64 { return max(x, 0) + a*min(x, 0) },
	mps.CNNNeuronTypeLinear:      func(x, a, b, _ float64) float64 { return a*x + b },
	mps.CNNNeuronTypeSigmoid:     func(x, _, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
	mps.CNNNeuronTypeHardSigmoid: func(x, a, b, _ float64) float64 { return min(max(a*x+b, 0), 1) },
	mps.CNNNeuronTypeTanH:        func(x, a, b, _ float64) float64 { return a * math.Tanh(b*x) },
	mps.CNNNeuronTypeAbsolute:    func(x, _, _, _ float64) float64 { return math.Abs(x) },
	mps.CNNNeuronTypeSoftPlus:    func(x, a, b, _ float64) float64 { return a * math.Log1p(math.Exp(b*x)) },
	mps.CNNNeuronTypeSoftSign:    func(x, _, _, _ float64) float64 { return x / (1 + math.Abs(x)) },
	mps.CNNNeuronTypeELU: func(x, a, _, _ float64) float64 {
		if x >= 0 {
			return x
		}
		return a * math.Expm1(x)
	},
	mps.CNNNeuronTypeReLUN:       func(x, a, b, _ float64) float64 { return min(max(x, 0)+a*min(x, 0), b) },
	mps.CNNNeuronTypePower:       func(x, a, b, c float64) float64 { return math.Pow(a*x+b, c) },
	mps.CNNNeuronTypeExponential: func(x, a, b, c float64) float64 { return math.Pow(c, a*x+b) },
	mps.CNNNeuronTypeLogarithm:   func(x, a, b, c float64) float64 { return math.Log(a*x+b) / math.Log(c) },
	mps.CNNNeuronTypeGeLU:        func(x, _, _, _ float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
}

// TestNeuronGradient compares every activation and its gradient, which the test takes by
// differences, in windows of matrices.
func TestNeuronGradient(t *testing.T) {
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(21, 2))}
	const a, b, c, alpha = 0.25, 0.75, 1.5, 2.5
	const rows, columns = 3, 4
	x, g := s.Matrix(mps.DataTypeFloat32, 2, 6, 7), s.Matrix(mps.DataTypeFloat32, 2, 5, 6)
	y := s.Matrix(mps.DataTypeFloat32, 2, 5, 5)
	bias, bv := s.Vector(1, columns)
	sums, sv := s.Vector(2, columns)
	forward, err := mps.NewMatrixNeuronWithDevice(d)
	require.NoError(t, err)
	defer forward.Release()
	back, err := mps.NewMatrixNeuronGradientWithDevice(d)
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
	argument := func(n, r, i int) float64 { return alpha*x.At(n, 2+r, 3+i) + bv.At(0, 0, i) }
	slopes := []byte{}
	for i := range columns {
		slopes = binary.LittleEndian.AppendUint32(slopes, math.Float32bits(float32(i)/4))
	}
	for kind := mps.CNNNeuronTypeNone; kind < mps.CNNNeuronTypeCount; kind++ {
		f := func(_ int, x float64) float64 { return neurons[kind](x, a, b, c) }
		if kind == mps.CNNNeuronTypePReLU {
			f = func(i int, x float64) float64 { return max(x, 0) + float64(i)/4*min(x, 0) }
			forward.SetNeuronToPReLUWithParametersA(slopes)
			back.SetNeuronToPReLUWithParametersA(slopes)
		} else {
			forward.SetNeuronType(kind, a, b, c)
			back.SetNeuronType(kind, a, b, c)
		}
		before := y.Copied()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { forward.EncodeToCommandBuffer(cb, x.Matrix, bias, y.Matrix) })
		y.Expect(t, before, 1, 0, rows, columns, func(n, r, i int) float64 { return f(i, argument(n, r, i)) }, 1e-5)
		before = y.Copied()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeToCommandBuffer(cb, g.Matrix, x.Matrix, bias, y.Matrix, sums)
		})
		change := func(n, r, i int) float64 {
			return g.At(n, 1+r, 2+i) * slope(func(x float64) float64 { return f(i, x) }, argument(n, r, i))
		}
		y.Expect(t, before, 1, 0, rows, columns, func(n, r, i int) float64 { return alpha * change(n, r, i) }, 1e-5)
		sv.Expect(t, sv.Copied(), 0, 0, 1, columns, func(n, _, i int) (sum float64) {
			for r := range rows {
				sum += change(n, r, i)
			}
			return sum
		}, 1e-5)
	}
}

func TestFullyConnected(t *testing.T) {
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(22, 2))}
	const vectors, inner, columns, alpha = 4, 5, 3, 1.5
	for _, kind := range []mps.DataType{mps.DataTypeFloat32, mps.DataTypeFloat16} {
		tolerance := 1e-5
		if kind == mps.DataTypeFloat16 {
			tolerance = 1e-3
		}
		x, w := s.Matrix(kind, 2, 6, 7), s.Matrix(kind, 2, 7, 6)
		y, g := s.Matrix(kind, 2, 5, 6), s.Matrix(kind, 2, 6, 5)
		bias, bv := s.Vector(2, columns)
		balanced(t, func() {
			k, err := mps.NewMatrixFullyConnectedWithDevice(d)
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
			k.SetNeuronType(mps.CNNNeuronTypeSigmoid, 0, 0, 0)
			before := y.Copied()
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				k.EncodeToCommandBuffer(cb, x.Matrix, w.Matrix, bias, y.Matrix)
			})
			y.Expect(t, before, 1, 3, vectors, columns, func(n, r, c int) float64 {
				sum := bv.At(n, 0, c)
				for i := range inner {
					sum += alpha * x.At(n, 1+r, 2+i) * w.At(n, 2+i, 1+c)
				}
				return 1 / (1 + math.Exp(-sum))
			}, tolerance)
		})
		back, err := mps.NewMatrixFullyConnectedGradientWithDevice(d)
		require.NoError(t, err)
		defer back.Release()
		back.SetAlpha(alpha)
		back.SetSourceNumberOfFeatureVectors(vectors)
		back.SetSourceInputFeatureChannels(inner)
		back.SetSourceOutputFeatureChannels(columns)
		back.SetPrimarySourceMatrixOrigin(mtl.Origin{X: 2, Y: 1})
		back.SetSecondarySourceMatrixOrigin(mtl.Origin{X: 1, Y: 2})
		gx, gw := s.Matrix(kind, 2, 4, 5), s.Matrix(kind, 2, 5, 3)
		sums, sv := s.Vector(2, columns)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			back.EncodeGradientForDataToCommandBuffer(cb, g.Matrix, w.Matrix, gx.Matrix)
			back.EncodeGradientForWeightsAndBiasToCommandBuffer(cb, g.Matrix, x.Matrix, gw.Matrix, sums)
		})
		gx.Expect(t, nil, 0, 0, vectors, inner, func(n, r, c int) (sum float64) {
			for i := range columns {
				sum += alpha * g.At(n, 2+r, 1+i) * w.At(n, 1+c, 2+i)
			}
			return sum
		}, tolerance)
		gw.Expect(t, nil, 0, 0, inner, columns, func(n, r, c int) (sum float64) {
			for i := range vectors {
				sum += alpha * x.At(n, 1+i, 2+r) * g.At(n, 2+i, 1+c)
			}
			return sum
		}, tolerance)
		sv.Expect(t, nil, 0, 0, 1, columns, func(n, _, c int) (sum float64) {
			for i := range vectors {
				sum += g.At(n, 2+i, 1+c)
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
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(23, 2))}
	const rows, columns, epsilon = 6, 3, 0.0625
	xm, ym := s.Matrix(mps.DataTypeFloat32, 1, rows, columns), s.Matrix(mps.DataTypeFloat32, 1, rows, columns)
	gm, dx := s.Matrix(mps.DataTypeFloat32, 1, rows, columns), s.Matrix(mps.DataTypeFloat32, 1, rows, columns)
	mean, mv := s.Vector(1, columns)
	variance, vv := s.Vector(1, columns)
	gamma, gv := s.Vector(1, columns)
	beta, bv := s.Vector(1, columns)
	dGamma, dgv := s.Vector(1, columns)
	dBeta, dbv := s.Vector(1, columns)
	row := func(m *mpstest.Table, r int) (out []float64) {
		for c := range columns {
			out = append(out, m.At(0, r, c))
		}
		return out
	}
	var x [][]float64
	for r := range rows {
		x = append(x, row(xm, r))
	}
	scale, shift := row(gv, 0), row(bv, 0)
	k, err := mps.NewMatrixBatchNormalizationWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	assert.EqualValues(t, math.Float32frombits(0x00800000), k.Epsilon())
	assert.False(t, k.ComputeStatistics())
	k.SetEpsilon(epsilon)
	k.SetComputeStatistics(true)
	k.SetNeuronType(mps.CNNNeuronTypeTanH, 1, 1, 0)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, xm.Matrix, mean, variance, gamma, beta, ym.Matrix)
	})
	want, means, variances := batchNorm(x, scale, shift, epsilon)
	ym.Expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 { return want[r][c] }, 1e-5)
	mv.Expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return means[c] }, 1e-6)
	vv.Expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return variances[c] }, 1e-6)

	// With given statistics, and without gamma, beta and a neuron.
	k.SetComputeStatistics(false)
	k.SetNeuronType(mps.CNNNeuronTypeNone, 0, 0, 0)
	mv.Set(0, 0, 1, 0.25)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, xm.Matrix, mean, variance, mps.Vector{}, mps.Vector{}, ym.Matrix)
	})
	ym.Expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 {
		return (x[r][c] - mv.At(0, 0, c)) / math.Sqrt(vv.At(0, 0, c)+epsilon)
	}, 1e-5)
	mv.Set(0, 0, 1, means[1])

	back, err := mps.NewMatrixBatchNormalizationGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	back.SetEpsilon(epsilon)
	back.SetNeuronType(mps.CNNNeuronTypeTanH, 1, 1, 0)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
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
					loss += y[r][c] * gm.At(0, r, c)
				}
			}
			return loss
		}, was)
	}
	dx.Expect(t, nil, 0, 0, rows, columns, func(_, r, c int) float64 { return change(&x[r][c]) }, 1e-5)
	dgv.Expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return change(&scale[c]) }, 1e-5)
	dbv.Expect(t, nil, 0, 0, 1, columns, func(_, _, c int) float64 { return change(&shift[c]) }, 1e-5)
}

func TestSoftMaxGradient(t *testing.T) {
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(24, 2))}
	const rows, columns = 3, 5
	x, y := s.Matrix(mps.DataTypeFloat32, 2, rows, columns), s.Matrix(mps.DataTypeFloat32, 2, rows, columns)
	g, dx := s.Matrix(mps.DataTypeFloat32, 2, rows, columns), s.Matrix(mps.DataTypeFloat32, 2, rows, columns)
	for _, logarithm := range []bool{false, true} {
		forward, err := mps.NewMatrixSoftMaxWithDevice(d)
		require.NoError(t, err)
		defer forward.Release()
		back, err := mps.NewMatrixSoftMaxGradientWithDevice(d)
		require.NoError(t, err)
		defer back.Release()
		if logarithm {
			f, err := mps.NewMatrixLogSoftMaxWithDevice(d)
			require.NoError(t, err)
			defer f.Release()
			b, err := mps.NewMatrixLogSoftMaxGradientWithDevice(d)
			require.NoError(t, err)
			defer b.Release()
			forward, back = f, b
		}
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			forward.EncodeToCommandBuffer(cb, x.Matrix, y.Matrix)
			back.EncodeToCommandBuffer(cb, g.Matrix, y.Matrix, dx.Matrix)
		})
		dx.Expect(t, nil, 0, 0, rows, columns, func(n, r, c int) float64 {
			return slope(func(v float64) (loss float64) {
				row := make([]float64, columns)
				sum := 0.0
				for i := range row {
					if row[i] = x.At(n, r, i); i == c {
						row[i] = v
					}
					sum += math.Exp(row[i])
				}
				for i, v := range row {
					p := math.Exp(v) / sum
					if logarithm {
						p = math.Log(p)
					}
					loss += p * g.At(n, r, i)
				}
				return loss
			}, x.At(n, r, c))
		}, 1e-5)
	}
}

func TestLayersRefused(t *testing.T) {
	d := mpstest.Kernels(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(25, 2))}
	x, w := s.Matrix(mps.DataTypeFloat32, 1, 2, 3), s.Matrix(mps.DataTypeFloat32, 1, 2, 2)
	y := s.Matrix(mps.DataTypeFloat32, 1, 2, 2)
	whole, _ := typed(t, d, mps.DataTypeUInt32, 1, 2, 2, 8)
	defer whole.Release()
	k, err := mps.NewMatrixFullyConnectedWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	n, err := mps.NewMatrixNeuronWithDevice(d)
	require.NoError(t, err)
	defer n.Release()
	norm, err := mps.NewMatrixBatchNormalizationWithDevice(d)
	require.NoError(t, err)
	defer norm.Release()
	v, _ := s.Vector(1, 1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, x.Matrix, w.Matrix, mps.Vector{}, y.Matrix) },
			"the weights: 3 by 2 elements", "1 of 2 by 2")
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, whole, w.Matrix, mps.Vector{}, y.Matrix) }, "uint32",
			"floating-point")
		mpstest.Refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, v, y.Matrix) }, "the bias: 1 by 2 elements")
		mpstest.Refused(t, func() { n.SetNeuronToPReLUWithParametersA([]byte{1, 2, 3}) }, "3 bytes of parameters")
		n.SetNeuronToPReLUWithParametersA(make([]byte, 4))
		mpstest.Refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, mps.Vector{}, y.Matrix) },
			"1 parameters of the neuron for 2 columns")
		n.SetNeuronType(mps.CNNNeuronTypePReLU, 0, 0, 0)
		mpstest.Refused(t, func() { n.EncodeToCommandBuffer(cb, w.Matrix, mps.Vector{}, y.Matrix) },
			"PReLU without parameters")
		mpstest.Refused(t, func() {
			norm.EncodeToCommandBuffer(cb, w.Matrix, mps.Vector{}, mps.Vector{}, mps.Vector{}, mps.Vector{}, y.Matrix)
		})
	})
}

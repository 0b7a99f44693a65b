package mps_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMatrixWindow: a batch of products of parts of matrices.
func TestMatrixWindow(t *testing.T) {
	d := mpstest.Framework(t)
	const matrices, size, rowBytes = 3, 6, 32
	rng := rand.New(rand.NewPCG(4, 2))
	desc, err := mps.MatrixDescriptorWithRowsColumnsMatrices(size, size, matrices, rowBytes, rowBytes*size,
		mps.DataTypeFloat32)
	require.NoError(t, err)
	matrix := func() (mps.Matrix, []float32) {
		b, err := d.NewBuffer(matrices*size*rowBytes, mtl.ResourceStorageModeShared)
		require.NoError(t, err)
		t.Cleanup(b.Release)
		m, err := mps.NewMatrixWithBuffer(b, desc)
		require.NoError(t, err)
		t.Cleanup(m.Release)
		v := mpstest.FloatsOf(t, b)
		for i := range v {
			v[i] = rng.Float32()
		}
		return m, v
	}
	a, av := matrix()
	b, bv := matrix()
	c, cv := matrix()
	before := append([]float32(nil), cv...)
	k, err := mps.NewMatrixMultiplicationWithDevice(d, 2, 3, 4)
	require.NoError(t, err)
	defer k.Release()
	k.SetLeftMatrixOrigin(mtl.Origin{X: 1, Y: 2})
	k.SetRightMatrixOrigin(mtl.Origin{X: 2, Y: 1})
	k.SetResultMatrixOrigin(mtl.Origin{X: 4, Y: 3})
	k.SetBatchStart(1)
	k.SetBatchSize(2)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, a, b, c) })
	at := func(m, r, c int) int { return (m*size+r)*rowBytes/4 + c }
	for m := range matrices {
		for r := range size {
			for col := range size {
				want := float64(before[at(m, r, col)])
				if m > 0 && r >= 4 && col >= 3 {
					want = 0
					for i := range 4 {
						want += float64(av[at(m, 1+r-4, 2+i)]) * float64(bv[at(m, 2+i, 1+col-3)])
					}
				}
				assert.InDelta(t, want, cv[at(m, r, col)], 1e-5)
			}
		}
	}
}

func TestMatrixRows(t *testing.T) {
	d := mpstest.Framework(t)
	rng := rand.New(rand.NewPCG(5, 2))
	x, xv := randomMatrix(t, d, rng, 4, 9)
	y, yv := randomMatrix(t, d, rng, 4, 9)
	soft, err := mps.NewMatrixSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer soft.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { soft.EncodeToCommandBuffer(cb, x, y) })
	for r := range 4 {
		sum := 0.0
		for c := range 9 {
			sum += math.Exp(float64(xv[r*9+c]))
		}
		for c := range 9 {
			assert.InDelta(t, math.Exp(float64(xv[r*9+c]))/sum, yv[r*9+c], 1e-6)
		}
	}
	neuron, err := mps.NewMatrixNeuronWithDevice(d)
	require.NoError(t, err)
	defer neuron.Release()
	assert.Equal(t, 1.0, neuron.Alpha())
	neuron.SetAlpha(3)
	desc, err := mps.VectorDescriptorWithLength(9, mps.DataTypeFloat32)
	require.NoError(t, err)
	buffer, err := d.NewBuffer(36, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	bias, err := mps.NewVectorWithBuffer(buffer, desc)
	require.NoError(t, err)
	defer bias.Release()
	bv := mpstest.FloatsOf(t, buffer)
	for i := range bv {
		bv[i] = float32(i) - 4
	}
	refs := map[mps.CNNNeuronType]func(x, a, b, c float64) float64{
		mps.CNNNeuronTypeReLU:        func(x, a, _, _ float64) float64 { return max(x, 0) + a*min(x, 0) },
		mps.CNNNeuronTypeLinear:      func(x, a, b, _ float64) float64 { return a*x + b },
		mps.CNNNeuronTypeSigmoid:     func(x, _, _, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
		mps.CNNNeuronTypeHardSigmoid: func(x, a, b, _ float64) float64 { return min(max(a*x+b, 0), 1) },
		mps.CNNNeuronTypeTanH:        func(x, a, b, _ float64) float64 { return a * math.Tanh(b*x) },
		mps.CNNNeuronTypeAbsolute:    func(x, _, _, _ float64) float64 { return math.Abs(x) },
		mps.CNNNeuronTypeSoftPlus:    func(x, a, b, _ float64) float64 { return a * math.Log1p(math.Exp(b*x)) },
		mps.CNNNeuronTypeSoftSign:    func(x, _, _, _ float64) float64 { return x / (1 + math.Abs(x)) },
		mps.CNNNeuronTypeReLUN:       func(x, a, b, _ float64) float64 { return min(max(x, 0)+a*min(x, 0), b) },
		mps.CNNNeuronTypeExponential: func(x, a, b, c float64) float64 { return math.Pow(c, a*x+b) },
	}
	for kind, ref := range refs {
		const a, b, c = 0.25, 0.75, 1.5
		neuron.SetNeuronType(kind, a, b, c)
		assert.Equal(t, kind, mps.CNNNeuronType(neuron.NeuronType()))
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { neuron.EncodeToCommandBuffer(cb, x, bias, y) })
		for i, v := range yv {
			want := ref(3*float64(xv[i])+float64(bv[i%9]), a, b, c)
			assert.InDelta(t, want, v, 1e-5*(1+math.Abs(want)), "neuron %v of element %d", kind, i)
		}
	}
}

func TestMatrixVector(t *testing.T) {
	d := mpstest.Framework(t)
	rng := rand.New(rand.NewPCG(6, 2))
	m, mv := randomMatrix(t, d, rng, 3, 5)
	vector := func(n uint) (mps.Vector, []float32) {
		desc, err := mps.VectorDescriptorWithLength(n, mps.DataTypeFloat32)
		require.NoError(t, err)
		b, err := d.NewBuffer(n*4, mtl.ResourceStorageModeShared)
		require.NoError(t, err)
		t.Cleanup(b.Release)
		v, err := mps.NewVectorWithBuffer(b, desc)
		require.NoError(t, err)
		t.Cleanup(v.Release)
		values := mpstest.FloatsOf(t, b)
		for i := range values {
			values[i] = rng.Float32()
		}
		return v, values
	}
	x, xv := vector(3)
	y, yv := vector(5)
	before := append([]float32(nil), yv...)
	k, err := mps.NewMatrixVectorMultiplicationWithDeviceTranspose(d, true, 5, 3, 2, 0.5)
	require.NoError(t, err)
	defer k.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, x, y) })
	for c := range 5 {
		sum := 0.0
		for r := range 3 {
			sum += float64(mv[r*5+c]) * float64(xv[r])
		}
		assert.InDelta(t, 2*sum+0.5*float64(before[c]), yv[c], 1e-5)
	}
}

func TestTopK(t *testing.T) {
	d := mpstest.Framework(t)
	rng := rand.New(rand.NewPCG(7, 2))
	x, xv := randomMatrix(t, d, rng, 3, 8)
	y, yv := randomMatrix(t, d, rng, 3, 2)
	desc, err := mps.MatrixDescriptorWithRows(3, 2, 8, mps.DataTypeUInt32)
	require.NoError(t, err)
	buffer, err := d.NewBuffer(24, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	at, err := mps.NewMatrixWithBuffer(buffer, desc)
	require.NoError(t, err)
	defer at.Release()
	k, err := mps.NewMatrixFindTopKWithDevice(d, 2)
	require.NoError(t, err)
	defer k.Release()
	k.SetIndexOffset(100)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, x, at, y) })
	bytes, err := buffer.Bytes()
	require.NoError(t, err)
	for r := range 3 {
		for i := range 2 {
			better := 0
			for c := range 8 {
				if xv[r*8+c] > yv[r*2+i] {
					better++
				}
			}
			assert.Equal(t, i, better)
			assert.Equal(t, yv[r*2+i], xv[r*8+int(bytes[(r*2+i)*4])-100])
		}
	}
}

func TestMatrixSumAndCopy(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in of MPS has no sums and copies")
	}
	d := mpstest.Framework(t)
	rng := rand.New(rand.NewPCG(8, 2))
	a, av := randomMatrix(t, d, rng, 2, 3)
	b, bv := randomMatrix(t, d, rng, 2, 3)
	c, cv := randomMatrix(t, d, rng, 3, 2)
	k, err := mps.NewMatrixSumWithDevice(d, 2, 3, 2, true)
	require.NoError(t, err)
	defer k.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, []mps.Matrix{a, b}, c, mps.Vector{}, mps.Vector{}, mps.Vector{}, 0)
	})
	for r := range 3 {
		for col := range 2 {
			assert.InDelta(t, av[col*3+r]+bv[col*3+r], cv[r*2+col], 1e-6)
		}
	}
	copies, err := mps.NewMatrixCopyWithDevice(d, 1, 2, false, true)
	require.NoError(t, err)
	defer copies.Release()
	desc, err := mps.MatrixCopyDescriptorWithSourceMatrix(a, c, mps.MatrixCopyOffsets{SourceRowOffset: 1,
		SourceColumnOffset:   1,
		DestinationRowOffset: 1, DestinationColumnOffset: 1})
	require.NoError(t, err)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { copies.EncodeToCommandBuffer(cb, desc) })
	assert.Equal(t, []float32{av[4], av[5]}, []float32{cv[3], cv[5]})
}

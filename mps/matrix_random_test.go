package mps_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// philox is the generator Philox4x32-10 as its paper defines it.
func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		high0, low0 := bits.Mul32(0xD2511F53, counter[0])
		high1, low1 := bits.Mul32(0xCD9E8D57, counter[2])
		counter = [4]uint32{high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return counter
}

// typed makes a batch of matrices and returns the memory's words.
func typed(t *testing.T, d mtl.Device, kind mps.DataType, matrices, rows, columns, rowBytes uint) (mps.Matrix,
	[]uint32) {
	t.Helper()
	desc, err := mps.MatrixDescriptorWithRowsColumnsMatrices(rows, columns, matrices, rowBytes, rows*rowBytes, kind)
	require.NoError(t, err)
	b, err := d.NewBuffer(matrices*rows*rowBytes, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer b.Release()
	m, err := mps.NewMatrixWithBuffer(b, desc)
	require.NoError(t, err)
	words := make([]uint32, 0)
	for _, f := range mpstest.FloatsOf(t, b) {
		words = append(words, math.Float32bits(f))
	}
	return m, words
}

// words returns the elements of a matrix of 32-bit elements, in row-major order.
func words(t *testing.T, m mps.Matrix) []uint32 {
	t.Helper()
	memory := mpstest.FloatsOf(t, m.Data())
	var out []uint32
	for n := range m.Matrices() {
		for r := range m.Rows() {
			at := (n*m.MatrixBytes() + r*m.RowBytes()) / 4
			for _, f := range memory[at : at+m.Columns()] {
				out = append(out, math.Float32bits(f))
			}
		}
	}
	return out
}

// TestRandomPhilox: without a distribution the elements are the generator's words. Its first block
// with the seed 0 is a known answer of the library Random123.
func TestRandomPhilox(t *testing.T) {
	d := mpstest.Kernels(t)
	assert.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, philox([4]uint32{}, [2]uint32{}))
	const seed = 0x123456789abcdef0
	for _, c := range []struct {
		seed uint
		make func() (mps.MatrixRandomPhilox, error)
	}{
		{0, func() (mps.MatrixRandomPhilox, error) { return mps.NewMatrixRandomPhiloxWithDevice(d) }},
		{seed, func() (mps.MatrixRandomPhilox, error) {
			return mps.NewMatrixRandomPhiloxWithDeviceDestinationDataType(d, mps.DataTypeUInt32, seed)
		}},
	} {
		balanced(t, func() {
			k, err := c.make()
			require.NoError(t, err)
			defer k.Release()
			assert.Equal(t, mps.MatrixRandomDistributionDefault, k.DistributionType())
			assert.Equal(t, mps.DataTypeUInt32, k.DestinationDataType())
			m, _ := typed(t, d, mps.DataTypeUInt32, 2, 3, 5, 32)
			defer m.Release()
			block := uint32(0)
			for range 2 { // the second encoding goes on where the first ended
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m) })
				for i, w := range words(t, m) {
					x := philox([4]uint32{block + uint32(i)/4}, [2]uint32{uint32(c.seed), uint32(uint64(c.seed) >> 32)})
					require.Equal(t, x[i%4], w, "element %d with the seed %d", i, c.seed)
				}
				block += 30/4 + 1
			}
		})
	}
}

// TestRandomBatch: only the matrices of the batch are written.
func TestRandomBatch(t *testing.T) {
	d := mpstest.Kernels(t)
	k, err := mps.NewMatrixRandomPhiloxWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	k.SetBatchStart(1)
	k.SetBatchSize(1)
	m, before := typed(t, d, mps.DataTypeUInt32, 3, 2, 2, 8)
	defer m.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m) })
	want := philox([4]uint32{}, [2]uint32{})
	assert.Equal(t, append(append(before[:4:4], want[:]...), before[8:]...), words(t, m))
}

// TestRandomDistributions compares moments of many numbers with those of the distribution.
func TestRandomDistributions(t *testing.T) {
	d := mpstest.Kernels(t)
	const n = 20000
	uniform, err := mps.MatrixRandomDistributionDescriptorUniformDistributionDescriptorWithMinimum(-1, 3)
	require.NoError(t, err)
	normal, err := mps.MatrixRandomDistributionDescriptorNormalDistributionDescriptorWithMean(2, 0.5)
	require.NoError(t, err)
	cut, err := mps.MatrixRandomDistributionDescriptorNormalDistributionDescriptorWithMeanStandardDeviationMinimum(0, 1,
		-1, 1)
	require.NoError(t, err)
	plain, err := mps.MakeMatrixRandomDistributionDescriptor()
	require.NoError(t, err)
	assert.True(t, math.IsInf(float64(normal.Minimum()), -1))
	assert.Equal(t, mps.MatrixRandomDistributionUniform, uniform.DistributionType())
	twin := cut.Copy()
	defer twin.Release()
	assert.EqualValues(t, -1, twin.Minimum())
	for _, c := range []struct {
		name                       string
		of                         mps.MatrixRandomDistributionDescriptor
		low, high, mean, deviation float64
	}{
		{"uniform", uniform, -1, 3, 1, 4 / math.Sqrt(12)}, {"default", plain, 0, 1, 0.5, 1 / math.Sqrt(12)},
		{"normal", normal, -1, 5, 2, 0.5},
		// Of a normal distribution between -1 and 1: 1 - 2 density(1) / share(-1 to 1).
		{"truncated", cut, -1, 1, 0, math.Sqrt(1 - 2*math.Exp(-0.5)/math.Sqrt(2*math.Pi)/math.Erf(1/math.Sqrt2))},
	} {
		check := func(generator string, encode func(cb mtl.CommandBuffer, v mps.Vector)) {
			desc, err := mps.VectorDescriptorWithLength(n, mps.DataTypeFloat32)
			require.NoError(t, err)
			v, err := mps.NewVectorWithDevice(d, desc)
			require.NoError(t, err)
			defer v.Release()
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { encode(cb, v) })
			sum, squares := 0.0, 0.0
			for _, x := range mpstest.FloatsOf(t, v.Data())[:n] {
				require.True(t, float64(x) >= c.low && float64(x) <= c.high, "%s %s: %v", generator, c.name, x)
				sum += float64(x)
				squares += float64(x) * float64(x)
			}
			mean := sum / n
			// Five standard errors of the mean and, roughly, of the deviation.
			assert.InDelta(t, c.mean, mean, 5*c.deviation/math.Sqrt(n), "%s %s", generator, c.name)
			assert.InDelta(t, c.deviation, math.Sqrt(squares/n-mean*mean), 5*c.deviation/math.Sqrt(n), "%s %s", generator,
				c.name)
		}
		p, err := mps.NewMatrixRandomPhiloxWithDeviceDestinationDataTypeSeedDistributionDescriptor(d, mps.DataTypeFloat32, 7,
			c.of)
		require.NoError(t, err)
		defer p.Release()
		check("Philox", p.EncodeToCommandBufferDestinationVector)
		m, err := mps.NewMatrixRandomMTGP32WithDeviceDestinationDataTypeSeedDistributionDescriptor(d, mps.DataTypeFloat32, 7,
			c.of)
		require.NoError(t, err)
		defer m.Release()
		check("MTGP32", m.EncodeToCommandBufferDestinationVector)
	}
}

// twister is the paper's generator with one word at a time: MTGP32 of the period 2^11213-1, with
// the parameters that are published as number 1.
func twister(seed uint32, n int) []uint32 {
	bit := func(m [4]uint32, at uint32) (x uint32) { // the sum of the rows that the low four bits choose
		for i, row := range m {
			if at>>i&1 != 0 {
				x ^= row
			}
		}
		return x
	}
	recursion := [4]uint32{0x71588353, 0xdfa887c1, 0x4ba66c6e, 0xa53da0ae}
	tempering := [4]uint32{0x200040bb, 0x1082c61e, 0x10021c03, 0x0003f0b9}
	hidden := recursion[2] ^ recursion[3]<<16
	fill := hidden + hidden>>16
	fill += fill >> 8
	state := []uint32{seed}
	for i := uint32(1); i < 351; i++ {
		x := fill & 0xff * 0x01010101
		if i == 1 {
			x = hidden
		}
		state = append(state, x^(1812433253*(state[i-1]^state[i-1]>>30)+i))
	}
	var out []uint32
	for i := range n {
		x := state[i]&0xfff80000 ^ state[i+1]
		x ^= x << 12
		y := x ^ state[i+84]>>4
		next := y ^ bit(recursion, y)
		state = append(state, next)
		m := state[i+83] ^ state[i+83]>>16
		out = append(out, next^bit(tempering, m^m>>8))
	}
	return out
}

func TestRandomMTGP32(t *testing.T) {
	d := mpstest.Kernels(t)
	const seed = 4357
	balanced(t, func() {
		k, err := mps.NewMatrixRandomMTGP32WithDeviceDestinationDataType(d, mps.DataTypeUInt32, seed)
		require.NoError(t, err)
		defer k.Release()
		m, _ := typed(t, d, mps.DataTypeUInt32, 1, 30, 26, 104)
		defer m.Release()
		want := twister(seed, 2*780)
		for range 2 {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				k.EncodeToCommandBuffer(cb, m)
				k.SynchronizeStateOnCommandBuffer(cb)
			})
			require.Equal(t, want[:780], words(t, m))
			want = want[780:]
		}
	})
}

func TestRandomRefused(t *testing.T) {
	d := mpstest.Kernels(t)
	mpstest.Refused(t, func() { _, _ = mps.NewMatrixRandomPhiloxWithDeviceDestinationDataType(d, mps.DataTypeFloat16, 0) },
		"uint32 or float32")
	uniform, err := mps.MatrixRandomDistributionDescriptorUniformDistributionDescriptorWithMinimum(0, 1)
	require.NoError(t, err)
	mpstest.Refused(t, func() {
		_, _ = mps.NewMatrixRandomMTGP32WithDeviceDestinationDataTypeSeedDistributionDescriptor(d, mps.DataTypeUInt32, 0,
			uniform)
	}, "distribution of type 2 of uint32")
	k, err := mps.NewMatrixRandomPhiloxWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	m, _ := typed(t, d, mps.DataTypeFloat32, 1, 2, 2, 8)
	defer m.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, m) }, "MPSDataType 0x10000020", "0x20")
	})
	u, _ := typed(t, d, mps.DataTypeUInt32, 1, 2, 2, 8)
	defer u.Release()
	k.SetBatchStart(1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, u) }, "no matrices from 1 on")
	})
}

package mps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typedArray makes an array of bytes, or of two 4-bit integers for each byte.
func typedArray(t *testing.T, d mtl.Device, kind mps.DataType, bytes []byte, shape ...int) mps.NDArray {
	t.Helper()
	desc := descriptorOf(t, shape...)
	desc.SetDataType(kind)
	a, err := mps.NewNDArrayWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(a.Release)
	a.WriteBytes(bytes, nil)
	return a
}

// TestAffineInt4: each block of 4-bit integers has a scale, a zero point and a minimum.
func TestAffineInt4(t *testing.T) {
	d := arrays(t)
	rng := rand.New(rand.NewPCG(41, 2))
	packed := make([]byte, 2*8/2)
	for i := range packed {
		packed[i] = byte(rng.Uint32())
	}
	scale := newArray(t, d, []float32{0.5, 1, 2, 3}, 2, 2) // for blocks of 4 columns
	minimum := newArray(t, d, []float32{10, 20, 30, 40}, 2, 2)
	zero := typedArray(t, d, mps.DataTypeInt8, []byte{1, 2, 3, 0xff}, 2, 2)
	for _, c := range []struct {
		kind          mps.DataType
		zero, minimum bool
		implicit      bool
		value         func(n byte) int
	}{
		{mps.DataTypeUInt4, false, false, false, func(n byte) int { return int(n) }},
		{mps.DataTypeUInt4, true, true, false, func(n byte) int { return int(n) }},
		{mps.DataTypeInt4, true, false, false, func(n byte) int { return int(int8(n<<4) >> 4) }},
		{mps.DataTypeInt4, false, true, true, func(n byte) int { return int(n) - 8 }},
	} {
		x := typedArray(t, d, c.kind, packed, 2, 8)
		assert.EqualValues(t, 8, x.LengthOfDimension(0))
		assert.Equal(t, c.kind, x.DataType())
		out := make([]byte, len(packed))
		x.ReadBytes(out, nil)
		assert.Equal(t, packed, out)
		q, err := mps.NewNDArrayAffineQuantizationDescriptorWithDataType(c.kind, c.zero, c.minimum)
		require.NoError(t, err)
		defer q.Release()
		q.SetImplicitZeroPoint(c.implicit)
		assert.Equal(t, mps.NDArrayQuantizationTypeAffine, q.QuantizationScheme())
		sources := []mps.NDArray{x, scale}
		if c.zero {
			sources = append(sources, zero)
		}
		if c.minimum {
			sources = append(sources, minimum)
		}
		balanced(t, func() {
			k, err := mps.NewNDArrayAffineInt4DequantizeWithDevice(d, q)
			require.NoError(t, err)
			defer k.Release()
			var y mps.NDArray
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { y = k.EncodeToCommandBuffer(cb, sources) })
			for i, got := range elements(y) {
				n := packed[i/2] >> (i % 2 * 4) & 15
				block := i/8*2 + i%8/4
				want := float32(c.value(n))
				if c.zero {
					want -= []float32{1, 2, 3, -1}[block]
				}
				want *= []float32{0.5, 1, 2, 3}[block]
				if c.minimum {
					want += float32(10 * (block + 1))
				}
				require.Equal(t, want, got, "element %d of %v", i, c)
			}
		})
	}
}

// TestLookUp: tables of numbers, and of vectors along an axis.
func TestLookUp(t *testing.T) {
	d := arrays(t)
	table := make([]float32, 32)
	for i := range table {
		table[i] = float32(i * i)
	}
	packed := []byte{0x10, 0x32, 0xfe, 0x07}
	values := []int{0, 1, 2, 3, 14, 15, 7, 0}
	x := typedArray(t, d, mps.DataTypeUInt4, packed, 2, 4)
	k, err := mps.NewNDArrayLUTDequantizeWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	lut := newArray(t, d, table[:16], 16)
	vectors := newArray(t, d, table, 16, 2)
	var y mps.NDArray
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { y = k.EncodeToCommandBuffer(cb, []mps.NDArray{x, lut}) })
	for i, got := range elements(y) {
		assert.Equal(t, table[values[i]], got)
	}
	for axis := range uint(2) {
		v, err := mps.NewNDArrayVectorLUTDequantizeWithDevice(d, axis)
		require.NoError(t, err)
		defer v.Release()
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { y = v.EncodeToCommandBuffer(cb, []mps.NDArray{x, vectors}) })
		wide := 4
		if axis == 0 {
			wide = 8
		}
		for i, got := range elements(y) {
			r, c, part := i/wide, i%wide, i%wide%2
			if axis == 0 {
				c /= 2
			} else {
				r, part = r/2, r%2
			}
			assert.Equal(t, table[2*values[r*4+c]+part], got, "axis %d, element %d", axis, i)
		}
	}
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, []mps.NDArray{x, newArray(t, d, table[:8], 8)}) },
			"8 entries", "need 16")
		mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, []mps.NDArray{x}) }, "1 source arrays; the kernel takes 2")
	})
	same, err := mps.NewNDArrayIdentityWithDevice(d)
	require.NoError(t, err)
	defer same.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		mpstest.Refused(t, func() { same.EncodeToCommandBufferSourceArray(cb, x) }, "4-bit integers")
	})
}

// TestQuantizedProduct multiplies 8-bit integers with a scale by numbers, and by 4-bit places in a
// table.
func TestQuantizedProduct(t *testing.T) {
	d := arrays(t)
	a := typedArray(t, d, mps.DataTypeInt8, []byte{1, 0xfe, 3, 4, 5, 0xfa}, 2, 3)
	av := []float32{1, -2, 3, 4, 5, -6}
	scale := newArray(t, d, []float32{0.5, 2}, 2, 1)
	bv := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	b := newArray(t, d, bv, 3, 4)
	places := typedArray(t, d, mps.DataTypeUInt4, []byte{0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb}, 3, 4)
	table := make([]float32, 16)
	for i := range table {
		table[i] = float32(i)
	}
	lut := newArray(t, d, table, 16)
	left, err := mps.NewNDArrayAffineQuantizationDescriptorWithDataType(mps.DataTypeInt8, false, false)
	require.NoError(t, err)
	defer left.Release()
	right, err := mps.NewNDArrayLUTQuantizationDescriptorWithDataType(mps.DataTypeUInt4)
	require.NoError(t, err)
	defer right.Release()
	for _, c := range []struct {
		right   mps.NDArrayQuantizationDescriptor
		sources []mps.NDArray
	}{
		{mps.NDArrayQuantizationDescriptor{}, []mps.NDArray{a, b, scale}},
		{right, []mps.NDArray{a, places, scale, lut}},
	} {
		k, err := mps.NewNDArrayQuantizedMatrixMultiplicationWithDevice(d, left.NDArrayQuantizationDescriptor, c.right)
		require.NoError(t, err)
		defer k.Release()
		k.SetAlpha(3)
		var y mps.NDArray
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { y = k.EncodeToCommandBuffer(cb, c.sources) })
		for i, got := range elements(y) {
			sum := float32(0)
			for n := range 3 {
				sum += av[i/4*3+n] * []float32{0.5, 2}[i/4] * bv[n*4+i%4]
			}
			assert.Equal(t, 3*sum, got)
		}
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, append([]mps.NDArray{b}, c.sources[1:]...)) }, "matrix 0")
		})
	}
}

// TestTemporaries: a temporary matrix or array is read as often as its readCount says.
func TestTemporaries(t *testing.T) {
	d := arrays(t)
	s := mpstest.Tables{T: t, D: d, Rng: rand.New(rand.NewPCG(42, 2))}
	x, y := s.Matrix(mps.DataTypeFloat32, 1, 2, 2), s.Matrix(mps.DataTypeFloat32, 1, 2, 2)
	k, err := mps.NewMatrixSoftMaxWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	slice, err := mps.NewNDArrayStridedSliceWithDevice(d)
	require.NoError(t, err)
	defer slice.Release()
	slice.SetStrides(mps.NDArrayOffsets{Dimensions: [16]int{2}})
	assert.Equal(t, 2, slice.StridesForSourceIndex(0).Dimensions[0])
	allocator, err := mps.TemporaryNDArrayDefaultAllocator()
	require.NoError(t, err)
	slice.SetDestinationArrayAllocator(allocator)
	assert.Equal(t, allocator.ID(), slice.DestinationArrayAllocator().ID())
	v := newArray(t, d, []float32{0, 1, 2, 3, 4}, 5)
	assert.EqualValues(t, 3, slice.DestinationArrayDescriptorForSourceArrays([]mps.NDArray{v},
		mps.State{}).LengthOfDimension(0))
	balanced(t, func() {
		desc, err := mps.MatrixDescriptorWithRows(2, 2, 8, mps.DataTypeFloat32)
		require.NoError(t, err)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			m, err := mps.TemporaryMatrixWithCommandBuffer(cb, desc)
			require.NoError(t, err)
			assert.EqualValues(t, 1, m.ReadCount())
			m.SetReadCount(2)
			k.EncodeToCommandBuffer(cb, x.Matrix, m.Matrix)
			k.EncodeToCommandBuffer(cb, m.Matrix, y.Matrix)
			assert.EqualValues(t, 1, m.ReadCount())
			k.EncodeToCommandBuffer(cb, m.Matrix, y.Matrix)
			mpstest.Refused(t, func() { k.EncodeToCommandBuffer(cb, m.Matrix, y.Matrix) }, "readCount")

			a := slice.EncodeToCommandBufferSourceArray(cb, v)
			assert.EqualValues(t, 1, mps.TemporaryNDArrayFrom(a.ID()).ReadCount())
			b := slice.EncodeToCommandBufferSourceArray(cb, a)
			assert.EqualValues(t, 0, mps.TemporaryNDArrayFrom(a.ID()).ReadCount())
			mpstest.Refused(t, func() { slice.EncodeToCommandBufferSourceArray(cb, a) }, "readCount")
			assert.EqualValues(t, 2, b.LengthOfDimension(0))
		})
	})
	plain, err := mps.NewTemporaryNDArrayWithDevice(d, 2) // its superclass's initializer
	require.NoError(t, err)
	defer plain.Release()
	mpstest.Refused(t, func() { plain.ReadCount() }, "has no readCount")
	mpstest.Refused(t, func() { plain.SetReadCount(2) }, "has no readCount")
	base, err := mps.NewNDArrayMultiaryBaseWithDevice(d, 2)
	require.NoError(t, err)
	defer base.Release()
	mpstest.Refused(t, func() { base.DestinationArrayDescriptorForSourceArrays([]mps.NDArray{v, v}, mps.State{}) },
		"without an operation")
	mpstest.Refused(t, func() { base.EdgeModeAtSourceIndex(2) }, "source 2 of a kernel with 2")
}

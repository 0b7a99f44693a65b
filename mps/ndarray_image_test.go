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

// TestNDArrayImages: parts of a batch of images as an array and back, in all formats, from places
// in the images on, and through a view with other dimensions.
func TestNDArrayImages(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(15, 7))
	const x, y, channel = 2, 1, 4
	for _, f := range []mps.ImageFeatureChannelFormat{mps.ImageFeatureChannelFormatUnorm8,
		mps.ImageFeatureChannelFormatFloat16,
		mps.ImageFeatureChannelFormatFloat32} {
		var pictures []mpstest.Picture
		var images, targets []mps.Image
		for range 3 {
			p := mpstest.RandomPicture(rng, 6, 5, 9)
			pictures, images = append(pictures, p), append(images, p.Image(t, d, f))
			targets = append(targets, mpstest.NewTestImage(t, d, f, 6, 5, 9, 1))
		}
		// Two of the images, 3 rows and 4 columns of each, 5 channels.
		a := newArray(t, d, nil, 2, 3, 4, 5)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			a.ImportDataWithCommandBuffer(cb, images[1:], mps.ImageCoordinate{X: x, Y: y, Channel: channel})
			a.ExportDataWithCommandBuffer(cb, targets[1:], mps.ImageCoordinate{X: x, Y: y, Channel: channel})
		})
		got := elements(a)
		for i := range 2 {
			want := mpstest.NewPicture(6, 5, 9)
			for v := range 3 {
				for u := range 4 {
					for c := range 5 {
						value := *pictures[i+1].At(x+u, y+v, channel+c)
						*want.At(x+u, y+v, channel+c) = value
						require.InDelta(t, value, got[((i*3+v)*4+u)*5+c], 1e-3, "array")
					}
				}
			}
			mpstest.AssertPicture(t, want, mpstest.PictureOf(targets[i+1], 0), 1e-3, "exported")
		}
		mpstest.AssertPicture(t, mpstest.NewPicture(6, 5, 9), mpstest.PictureOf(targets[0], 0), 0, "not in the batch")
	}

	// A matrix is one channel of a transposed image by a view with two more dimensions.
	m := newArray(t, d, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	view, err := m.ArrayViewWithShape([]int{3, 2, 1}, []int{4, 12, 4})
	require.NoError(t, err)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 2, 3, 1, 1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		view.ExportDataWithCommandBuffer(cb, []mps.Image{out}, mps.ImageCoordinate{})
	})
	assert.Equal(t, []float64{1, 4, 2, 5, 3, 6}, mpstest.PictureOf(out, 0).V)
}

func TestNDArrayImagesMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 3, 8, 1)
	pair := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 3, 8, 2)
	for _, c := range []struct {
		shape  []int
		images []mps.Image
		at     mps.ImageCoordinate
		want   string
	}{
		{[]int{1, 3, 4, 8}, nil, mps.ImageCoordinate{}, "there are no images"},
		{[]int{2, 3, 4, 8}, []mps.Image{m}, mps.ImageCoordinate{},
			"an array of 2 images for a batch of 1, which hold 1 each"},
		{[]int{3, 3, 4, 8}, []mps.Image{pair, pair}, mps.ImageCoordinate{},
			"an array of 3 images for a batch of 2, which hold 2"},
		{[]int{3, 3, 4, 8}, []mps.Image{m, pair, m}, mps.ImageCoordinate{}, "image 0 holds 1 images and image 1 holds 2"},
		{[]int{1, 3, 4, 8}, []mps.Image{m}, mps.ImageCoordinate{X: 1}, "4 elements from x 1 on, of image 0, which has 4"},
		{[]int{1, 3, 4, 8}, []mps.Image{m}, mps.ImageCoordinate{Y: 1}, "3 elements from y 1 on, of image 0, which has 3"},
		{[]int{1, 3, 4, 8}, []mps.Image{m}, mps.ImageCoordinate{Channel: 4}, "8 elements from feature channel 4 on"},
		{[]int{1, 3, 4, 2}, []mps.Image{m}, mps.ImageCoordinate{Channel: 2},
			"feature channel 2 as the first one; it must be"},
		{[]int{2, 1, 3, 4, 8}, []mps.Image{m, m}, mps.ImageCoordinate{}, "an array of shape [2 1 3 4 8] as images"},
	} {
		a := newArray(t, d, nil, c.shape...)
		for _, export := range []bool{false, true} {
			got := mpstest.FaultsOf(t, func() {
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
					if export {
						a.ExportDataWithCommandBuffer(cb, c.images, c.at)
					} else {
						a.ImportDataWithCommandBuffer(cb, c.images, c.at)
					}
				})
			})
			assert.Contains(t, got, c.want)
		}
	}
}

// TestNDArrayEncoder: kernels in a program's own compute pass, serial and concurrent, with a launch
// of the program's before them.
func TestNDArrayEncoder(t *testing.T) {
	d := mpstest.ImageFramework(t)
	x := newArray(t, d, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y := newArray(t, d, []float32{1, 0, 0, 1, 1, 1}, 3, 2)
	add := newArray(t, d, []float32{1, 1, 1, 1}, 2, 2)
	product, err := mps.NewNDArrayMatrixMultiplicationWithDevice(d, 3)
	require.NoError(t, err)
	defer product.Release()
	product.SetBeta(10)
	same, err := mps.NewNDArrayIdentityWithDevice(d)
	require.NoError(t, err)
	defer same.Release()
	for _, kind := range []mtl.DispatchType{mtl.DispatchTypeSerial, mtl.DispatchTypeConcurrent} {
		z, flat := newArray(t, d, nil, 2, 2), newArray(t, d, nil, 4)
		var column, row mps.NDArray
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			pass, err := cb.ComputeCommandEncoderWithDispatchType(kind)
			require.NoError(t, err)
			require.NoError(t, product.EncodeToCommandEncoder(pass, cb, []mps.NDArray{x, y, add}, z))
			require.NoError(t, pass.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
			same.ReshapeWithCommandEncoder(pass, cb, z, []int{4}, flat)
			column = same.ReshapeWithCommandEncoder(pass, cb, x, []int{6, 1}, mps.NDArray{})
			row = same.ReshapeWithCommandEncoderDimensionCount(pass, cb, x, []uint{6, 1}, mps.NDArray{})
			pass.EndEncoding()
		})
		assert.Equal(t, []float32{14, 15, 20, 21}, elements(z), kind)
		assert.Equal(t, []float32{14, 15, 20, 21}, elements(flat), kind)
		assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, elements(column), kind)
		assert.Equal(t, uint(1), column.LengthOfDimension(0))
		assert.Equal(t, uint(6), row.LengthOfDimension(0))
	}
	wrong := mpstest.FaultsOf(t, func() {
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			pass, err := cb.ComputeCommandEncoder()
			require.NoError(t, err)
			same.ReshapeWithCommandEncoder(pass, cb, mps.NDArray{}, []int{4}, mps.NDArray{})
			pass.EndEncoding()
		})
	})
	assert.Contains(t, wrong, "nil")
}

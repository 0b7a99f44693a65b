package mps

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNDArrayImages: parts of a batch of images as an array and back, in all formats, from places
// in the images on, and through a view with other dimensions.
func TestNDArrayImages(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(15, 7))
	const x, y, channel = 2, 1, 4
	for _, f := range []ImageFeatureChannelFormat{ImageFeatureChannelFormatUnorm8, ImageFeatureChannelFormatFloat16,
		ImageFeatureChannelFormatFloat32} {
		var pictures []picture
		var images, targets []Image
		for range 3 {
			p := randomPicture(rng, 6, 5, 9)
			pictures, images = append(pictures, p), append(images, p.image(t, d, f))
			targets = append(targets, newTestImage(t, d, f, 6, 5, 9, 1))
		}
		// Two of the images, 3 rows and 4 columns of each, 5 channels.
		a := newArray(t, d, nil, 2, 3, 4, 5)
		encoded(t, d, func(cb mtl.CommandBuffer) {
			a.ImportDataWithCommandBuffer(cb, images[1:], ImageCoordinate{X: x, Y: y, Channel: channel})
			a.ExportDataWithCommandBuffer(cb, targets[1:], ImageCoordinate{X: x, Y: y, Channel: channel})
		})
		got := elements(a)
		for i := range 2 {
			want := newPicture(6, 5, 9)
			for v := range 3 {
				for u := range 4 {
					for c := range 5 {
						value := *pictures[i+1].at(x+u, y+v, channel+c)
						*want.at(x+u, y+v, channel+c) = value
						require.InDelta(t, value, got[((i*3+v)*4+u)*5+c], 1e-3, "array")
					}
				}
			}
			assertPicture(t, want, pictureOf(targets[i+1], 0), 1e-3, "exported")
		}
		assertPicture(t, newPicture(6, 5, 9), pictureOf(targets[0], 0), 0, "not in the batch")
	}

	// A matrix is one channel of a transposed image by a view with two more dimensions.
	m := newArray(t, d, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	view, err := m.ArrayViewWithShape([]int{3, 2, 1}, []int{4, 12, 4})
	require.NoError(t, err)
	out := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 2, 3, 1, 1)
	encoded(t, d, func(cb mtl.CommandBuffer) { view.ExportDataWithCommandBuffer(cb, []Image{out}, ImageCoordinate{}) })
	assert.Equal(t, []float64{1, 4, 2, 5, 3, 6}, pictureOf(out, 0).v)
}

func TestNDArrayImagesMisuse(t *testing.T) {
	d := imageFramework(t)
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 3, 8, 1)
	pair := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 4, 3, 8, 2)
	for _, c := range []struct {
		shape  []int
		images []Image
		at     ImageCoordinate
		want   string
	}{
		{[]int{1, 3, 4, 8}, nil, ImageCoordinate{}, "there are no images"},
		{[]int{2, 3, 4, 8}, []Image{m}, ImageCoordinate{}, "an array of 2 images for a batch of 1, which hold 1 each"},
		{[]int{3, 3, 4, 8}, []Image{pair, pair}, ImageCoordinate{}, "an array of 3 images for a batch of 2, which hold 2"},
		{[]int{3, 3, 4, 8}, []Image{m, pair, m}, ImageCoordinate{}, "image 0 holds 1 images and image 1 holds 2"},
		{[]int{1, 3, 4, 8}, []Image{m}, ImageCoordinate{X: 1}, "4 elements from x 1 on, of image 0, which has 4"},
		{[]int{1, 3, 4, 8}, []Image{m}, ImageCoordinate{Y: 1}, "3 elements from y 1 on, of image 0, which has 3"},
		{[]int{1, 3, 4, 8}, []Image{m}, ImageCoordinate{Channel: 4}, "8 elements from feature channel 4 on"},
		{[]int{1, 3, 4, 2}, []Image{m}, ImageCoordinate{Channel: 2}, "feature channel 2 as the first one; it must be"},
		{[]int{2, 1, 3, 4, 8}, []Image{m, m}, ImageCoordinate{}, "an array of shape [2 1 3 4 8] as images"},
	} {
		a := newArray(t, d, nil, c.shape...)
		for _, export := range []bool{false, true} {
			got := faultsOf(t, func() {
				encoded(t, d, func(cb mtl.CommandBuffer) {
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
	d := imageFramework(t)
	x := newArray(t, d, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y := newArray(t, d, []float32{1, 0, 0, 1, 1, 1}, 3, 2)
	add := newArray(t, d, []float32{1, 1, 1, 1}, 2, 2)
	product, err := NewNDArrayMatrixMultiplicationWithDevice(d, 3)
	require.NoError(t, err)
	defer product.Release()
	product.SetBeta(10)
	same, err := NewNDArrayIdentityWithDevice(d)
	require.NoError(t, err)
	defer same.Release()
	for _, kind := range []mtl.DispatchType{mtl.DispatchTypeSerial, mtl.DispatchTypeConcurrent} {
		z, flat := newArray(t, d, nil, 2, 2), newArray(t, d, nil, 4)
		var column, row NDArray
		encoded(t, d, func(cb mtl.CommandBuffer) {
			pass, err := cb.ComputeCommandEncoderWithDispatchType(kind)
			require.NoError(t, err)
			require.NoError(t, product.EncodeToCommandEncoder(pass, cb, []NDArray{x, y, add}, z))
			require.NoError(t, pass.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
			same.ReshapeWithCommandEncoder(pass, cb, z, []int{4}, flat)
			column = same.ReshapeWithCommandEncoder(pass, cb, x, []int{6, 1}, NDArray{})
			row = same.ReshapeWithCommandEncoderDimensionCount(pass, cb, x, []uint{6, 1}, NDArray{})
			pass.EndEncoding()
		})
		assert.Equal(t, []float32{14, 15, 20, 21}, elements(z), kind)
		assert.Equal(t, []float32{14, 15, 20, 21}, elements(flat), kind)
		assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, elements(column), kind)
		assert.Equal(t, uint(1), column.LengthOfDimension(0))
		assert.Equal(t, uint(6), row.LengthOfDimension(0))
	}
	wrong := faultsOf(t, func() {
		encoded(t, d, func(cb mtl.CommandBuffer) {
			pass, err := cb.ComputeCommandEncoder()
			require.NoError(t, err)
			same.ReshapeWithCommandEncoder(pass, cb, NDArray{}, []int{4}, NDArray{})
			pass.EndEncoding()
		})
	})
	assert.Contains(t, wrong, "nil")
}

package mps

import (
	"math"

	"github.com/puremetal/puremetal/mtl"
)

// Bits of an element are the low bits of a DataType; the rest says how to read them.
const dataTypeBits = 0xffff

// byteCount returns how many bytes of memory the array's elements reach. strides are in bytes, one
// for each dimension; without strides the elements are packed. Memory before the start, which a
// negative stride would reach, cannot be given: the result is more than any slice has.
func (o NDArray) byteCount(strides []int) uint {
	dims := o.NumberOfDimensions()
	bits := uint(o.DataType()) & dataTypeBits
	if strides == nil {
		n := bits
		for i := range dims {
			n *= o.LengthOfDimension(i)
		}
		return (n + 7) / 8
	}
	last := (bits + 7) / 8
	for i := range min(dims, uint(len(strides))) {
		length := o.LengthOfDimension(i)
		switch {
		case length == 0:
			return 0
		case strides[i] < 0 && length > 1:
			return math.MaxUint
		case length > 1:
			last += (length - 1) * uint(strides[i])
		}
	}
	return last
}

// imageBytes is the size of one image, packed.
func (o Image) imageBytes() uint {
	return o.Width() * o.Height() * o.FeatureChannels() * o.Precision() / 8
}

// regionBytes returns how many bytes of memory a region of one image reaches: with channels
// interleaved, or one plane for each channel. bytesPerImage is the distance between planes; 0 means
// that they are packed.
func (o Image) regionBytes(layout DataLayout, region mtl.Region, channels ImageReadWriteParams,
	bytesPerRow, bytesPerImage uint) uint {
	w, h, n := region.Size.Width, region.Size.Height, channels.NumberOfFeatureChannelsToReadWrite
	size := o.Precision() / 8
	if w == 0 || h == 0 || n == 0 {
		return 0
	}
	if layout == DataLayoutHeightxWidthxFeatureChannels {
		return (h-1)*bytesPerRow + w*n*size
	}
	if bytesPerImage == 0 {
		bytesPerImage = h * bytesPerRow
	}
	return (n-1)*bytesPerImage + (h-1)*bytesPerRow + w*size
}

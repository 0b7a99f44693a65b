package cnn_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"

	"github.com/stretchr/testify/require"
)

// TestChecks: numbers that MPS would raise an exception for are errors that give them.
func TestLayerChecks(t *testing.T) {
	device := mpstest.Framework(t)
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewDilatedPoolingMaxWithDeviceKernelWidthKernelHeightDilationRateX(device, 2, 2,
		0, 1, 1, 1)),
		mps.ErrStride, "dilation rates 0 and 1")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewDilatedPoolingMaxWithDeviceKernelWidthKernelHeightDilationRateX(device, 2, 0,
		1, 1, 1, 1)),
		mps.ErrKernelSize, "2 x 0")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewCrossChannelNormalizationWithDevice(device, 0)), mps.ErrKernelSize,
		"kernelSize is 0")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewPoolingMaxWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 0, 2, 1,
		1)), mps.ErrKernelSize,
		"0 x 2")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewPoolingAverageWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 2, 2,
		0, 1)), mps.ErrStride,
		"strides 0 and 1")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewPoolingL2NormWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 2, 2, 1,
		0)), mps.ErrStride,
		"strides 1 and 0")
}

// TestConvolutionChecks: the same for convolutions, whose descriptors are changed one number at a
// time.
func TestConvolutionChecks(t *testing.T) {
	device := mpstest.ImageFramework(t)
	conv, err := cnn.ConvolutionDescriptorWithKernelWidth(3, 3, 4, 6)
	require.NoError(t, err)
	conv.SetGroups(4)
	weights := make([]float32, 54)
	mpstest.Check(t, mpstest.ErrorOf(cnn.ConvolutionDescriptorWithKernelWidth(0, 3, 4, 6)), mps.ErrKernelSize, "0 x 3")
	mpstest.Check(t, mpstest.ErrorOf(cnn.ConvolutionDescriptorWithKernelWidth(3, 3, 4, 0)), mps.ErrDimension,
		"4 input and 0 output")
	mpstest.Check(t, mpstest.ErrorOf(cnn.SubPixelConvolutionDescriptorWithKernelWidth(3, 3, 0, 4)), mps.ErrDimension,
		"0 input")
	mpstest.Check(t, mpstest.ErrorOf(cnn.DepthWiseConvolutionDescriptorWithKernelWidth(3, 3, 4, 6)), mps.ErrDimension,
		"6 output feature channels, want a multiple of 4")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewConvolutionWithDeviceConvolutionDescriptor(device, conv, weights, nil,
		cnn.ConvolutionFlagsNone)),
		mps.ErrDimension, "4 groups of 4 input and 6 output")
	mpstest.Check(t, mpstest.ErrorOf(cnn.NewFullyConnectedWithDeviceConvolutionDescriptor(device, conv, weights, nil,
		cnn.ConvolutionFlagsNone)), mps.ErrDimension, "4 groups")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetKernelWidth(0) }), mps.ErrKernelSize, "kernelWidth is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetKernelHeight(0) }), mps.ErrKernelSize, "kernelHeight is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetInputFeatureChannels(0) }), mps.ErrDimension,
		"inputFeatureChannels is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetOutputFeatureChannels(0) }), mps.ErrDimension,
		"outputFeatureChannels is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetStrideInPixelsX(0) }), mps.ErrStride, "strideInPixelsX is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetStrideInPixelsY(0) }), mps.ErrStride, "strideInPixelsY is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetGroups(0) }), mps.ErrDimension, "groups is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetDilationRateX(0) }), mps.ErrStride, "dilationRateX is 0")
	mpstest.Check(t, mpstest.FaultIn(func() { conv.SetDilationRateY(0) }), mps.ErrStride, "dilationRateY is 0")
}

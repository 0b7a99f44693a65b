package cnn

import (
	"fmt"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/objc"
)

// checkPositive checks one number; kind says what is wrong with 0.
func checkPositive(name string, n uint, kind error) error {
	if n == 0 {
		return fmt.Errorf("%s is 0, want at least 1: %w", name, kind)
	}
	return nil
}

func checkConvolution(width, height, inputs, outputs uint) error {
	if inputs == 0 || outputs == 0 {
		return fmt.Errorf("%d input and %d output feature channels, want at least 1: %w", inputs, outputs, mps.ErrDimension)
	}
	return checkWindow(width, height, 1, 1)
}

// checkDepthwise checks a convolution in which output channels belong to one input channel.
func checkDepthwise(width, height, inputs, outputs uint) error {
	if inputs != 0 && outputs%inputs != 0 {
		return fmt.Errorf("%d output feature channels, want a multiple of %d input ones: %w", outputs, inputs,
			mps.ErrDimension)
	}
	return checkConvolution(width, height, inputs, outputs)
}

// checkGroups checks that the groups divide the channels.
func (o ConvolutionDescriptor) checkGroups() error {
	groups, inputs, outputs := o.Groups(), o.InputFeatureChannels(), o.OutputFeatureChannels()
	if groups == 0 || inputs%groups != 0 || outputs%groups != 0 {
		return fmt.Errorf("%d groups of %d input and %d output feature channels, want a divisor of both: %w", groups,
			inputs, outputs, mps.ErrDimension)
	}
	return nil
}

// checkWindow checks a window that moves in steps.
func checkWindow(width, height, strideX, strideY uint) error {
	if width == 0 || height == 0 {
		return fmt.Errorf("kernel of %d x %d, want at least 1 x 1: %w", width, height, mps.ErrKernelSize)
	}
	if strideX == 0 || strideY == 0 {
		return fmt.Errorf("strides %d and %d, want at least 1: %w", strideX, strideY, mps.ErrStride)
	}
	return nil
}

// checkDilated checks a window whose pixels have others between them.
func checkDilated(width, height, strideX, strideY, dilationX, dilationY uint) error {
	if dilationX == 0 || dilationY == 0 {
		return fmt.Errorf("dilation rates %d and %d, want at least 1: %w", dilationX, dilationY, mps.ErrStride)
	}
	return checkWindow(width, height, strideX, strideY)
}

// weightCount returns how many weights a convolution has. In a depthwise convolution each output
// channel has the weights of one input channel.
func weightCount(d ConvolutionDescriptor) uint {
	inputs := d.InputFeatureChannels() / max(1, d.Groups())
	depthwise, err := objc.LookUpClass("MPSCNNDepthWiseConvolutionDescriptor")
	if err == nil && objc.IsKindOf(d.ID(), depthwise) {
		inputs = 1
	}
	return d.OutputFeatureChannels() * d.KernelHeight() * d.KernelWidth() * inputs
}

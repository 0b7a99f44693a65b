package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"sync"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// luma returns the shares of red, green and blue in a pixel's brightness, as BT.601 has them.
func luma() []float32 { return []float32{0.299, 0.587, 0.114} }

// filters applies filters of package mps to one picture.
type filters struct {
	device mtl.Device
	queue  mtl.CommandQueue
	in     mps.Image // four channels of 8 bits: red, green, blue, alpha
	size   image.Point
}

// newFilters copies a picture to the device.
func newFilters(device mtl.Device, picture image.Image) (f *filters, err error) {
	f = &filters{device: device, size: picture.Bounds().Size()}
	err = watch(func() error {
		if f.queue, err = device.NewCommandQueue(); err != nil {
			return err
		}
		if f.in, err = f.image(f.size, 4); err != nil {
			return err
		}
		pixels := image.NewNRGBA(image.Rectangle{Max: f.size})
		draw.Draw(pixels, pixels.Rect, picture, picture.Bounds().Min, draw.Src)
		f.in.WriteBytes(pixels.Pix, mps.DataLayoutHeightxWidthxFeatureChannels, 0)
		return nil
	})
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *filters) close() {
	f.in.Release()
	f.queue.Release()
}

// image creates an image with 8 bits a channel, which the caller releases.
func (f *filters) image(size image.Point, channels uint) (mps.Image, error) {
	if size.X < 1 || size.Y < 1 {
		return mps.Image{}, fmt.Errorf("image of %d x %d pixels; want at least one", size.X, size.Y)
	}
	desc, err := mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatUnorm8, uint(size.X), uint(size.Y),
		channels)
	if err != nil {
		return mps.Image{}, err
	}
	return mps.NewImageWithDevice(f.device, desc)
}

// encoder encodes filters from the picture to out.
type encoder func(commands mtl.CommandBuffer, out mps.Image) error

// apply returns what a filter makes of the picture: an *image.NRGBA for 4 channels, an *image.Gray
// for 1. It waits for the device.
func (f *filters) apply(ctx context.Context, size image.Point, channels uint, encode encoder) (made image.Image,
	err error) {
	err = watch(func() error {
		out, err := f.image(size, channels)
		if err != nil {
			return err
		}
		defer out.Release()
		commands, err := f.queue.CommandBuffer()
		if err != nil {
			return err
		}
		if err := encode(commands, out); err != nil {
			return err
		}
		out.SynchronizeOnCommandBuffer(commands) // a GPU with memory of its own copies the result back
		if err := commands.Commit(); err != nil {
			return err
		}
		if err := commands.Wait(ctx); err != nil {
			return err
		}
		var pixels []byte
		if whole := (image.Rectangle{Max: size}); channels == 1 {
			gray := image.NewGray(whole)
			made, pixels = gray, gray.Pix
		} else {
			color := image.NewNRGBA(whole)
			made, pixels = color, color.Pix
		}
		out.ReadBytes(pixels, mps.DataLayoutHeightxWidthxFeatureChannels, 0)
		return nil
	})
	return made, err
}

// blur is a Gaussian blur with a standard deviation of sigma pixels.
func (f *filters) blur(ctx context.Context, sigma float64) (image.Image, error) {
	return f.apply(ctx, f.size, 4, func(commands mtl.CommandBuffer, out mps.Image) error {
		k, err := filter.NewGaussianBlurWithDevice(f.device, float32(sigma))
		if err != nil {
			return err
		}
		defer k.Release() // the command buffer keeps what it needs
		k.SetEdgeMode(mps.ImageEdgeModeClamp)
		k.EncodeToCommandBuffer(commands, f.in, out)
		return nil
	})
}

// edges is the length of the brightness's Sobel gradient.
func (f *filters) edges(ctx context.Context) (image.Image, error) {
	return f.apply(ctx, f.size, 1, func(commands mtl.CommandBuffer, out mps.Image) error {
		k, err := filter.NewSobelWithDeviceLinearGrayColorTransform(f.device, luma())
		if err != nil {
			return err
		}
		defer k.Release()
		k.SetEdgeMode(mps.ImageEdgeModeClamp)
		k.EncodeToCommandBuffer(commands, f.in, out)
		return nil
	})
}

// scale resamples with Lanczos's filter. Without a transform, the picture fills the result.
func (f *filters) scale(ctx context.Context, factor float64) (image.Image, error) {
	size := image.Pt(int(float64(f.size.X)*factor), int(float64(f.size.Y)*factor))
	return f.apply(ctx, size, 4, func(commands mtl.CommandBuffer, out mps.Image) error {
		k, err := filter.NewLanczosScaleWithDevice(f.device)
		if err != nil {
			return err
		}
		defer k.Release()
		k.SetEdgeMode(mps.ImageEdgeModeClamp)
		k.EncodeToCommandBuffer(commands, f.in, out)
		return nil
	})
}

// equalize makes the levels of each color about equally frequent. The histogram stays on the
// device.
func (f *filters) equalize(ctx context.Context) (image.Image, error) {
	return f.apply(ctx, f.size, 4, func(commands mtl.CommandBuffer, out mps.Image) error {
		histogram, err := filter.NewHistogramWithDevice(f.device)
		if err != nil {
			return err
		}
		defer histogram.Release()
		k, err := filter.NewHistogramEqualizationWithDevice(f.device)
		if err != nil {
			return err
		}
		defer k.Release()
		counts, err := f.device.NewBuffer(histogram.HistogramSizeForSourceFormat(f.in.PixelFormat()),
			mtl.ResourceStorageModePrivate)
		if err != nil {
			return err
		}
		defer counts.Release()
		histogram.EncodeToCommandBuffer(commands, f.in.Texture(), counts, 0)
		k.EncodeTransformToCommandBuffer(commands, f.in.Texture(), counts, 0)
		k.EncodeToCommandBuffer(commands, f.in, out)
		return nil
	})
}

// threshold is white where the brightness is above a limit from 0 to 1, and black elsewhere.
func (f *filters) threshold(ctx context.Context, limit float64) (image.Image, error) {
	return f.apply(ctx, f.size, 1, func(commands mtl.CommandBuffer, out mps.Image) error {
		k, err := filter.NewThresholdBinaryWithDevice(f.device, float32(limit), 1, luma())
		if err != nil {
			return err
		}
		defer k.Release()
		k.EncodeToCommandBuffer(commands, f.in, out)
		return nil
	})
}

// watch runs f in an autorelease pool and returns its error and the first fault during it: most
// methods of package mps, as of Apple's framework, return no error.
func watch(f func() error) error {
	var mu sync.Mutex
	var first error
	restore := objc.OnFault(func(fault *objc.Fault) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = fault
		}
	})
	var err error
	objc.Pool(func() { err = f() })
	restore()
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(err, first)
}

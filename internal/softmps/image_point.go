package softmps

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/objc"
)

// threshold encodes a comparison, of a kind of the kernel threshold.
func threshold(kind float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		a := j.arguments
		copy(a.A[:], k.values)
		a.B = [4]float32{k.float("thresholdValue"), k.float("maximumValue"), kind}
		j.add("point", "threshold", a)
		return nil
	}
}

// thresholdClass declares a threshold, whose color transform is the last argument.
func thresholdClass(name string, kind float32, maximum bool) adapter.Class {
	sel, last := "initWithDevice:thresholdValue:linearGrayColorTransform:", 2
	if maximum {
		sel, last = "initWithDevice:thresholdValue:maximumValue:linearGrayColorTransform:", 3
	}
	return withProperties(adapter.Class{Name: name, Super: "MPSUnaryImageKernel", Methods: adapter.Methods{
		sel: func(c *objcsoft.Call) {
			k := &imageKernel{build: threshold(kind), values: luminance()}
			if c.Word(last) != 0 {
				var ok bool
				if k.values, ok = floatsArg(c, last, 3); !ok {
					return
				}
			}
			k.set("thresholdValue", c.Word(1))
			if maximum {
				k.set("maximumValue", c.Word(2))
			}
			initFilter(c, k)
		},
		"transform": adapter.Method(returnValues),
	}}, nil)
}

// arithmetic encodes an operation of the kernel arithmetic.
func arithmetic(operation float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		a := j.arguments
		for i, name := range []string{"primaryStrideInPixels", "secondaryStrideInPixels"} {
			w := k.words(name)
			if uint64(w[0]) > maxOffset || uint64(w[1]) > maxOffset {
				return fmt.Errorf("%s of %d by %d; the limit is %d", name, w[0], w[1], maxOffset)
			}
			a.Region[2*i], a.Region[2*i+1] = int32(w[0]), int32(w[1])
		}
		a.A = [4]float32{k.float("primaryScale"), k.float("secondaryScale"), k.float("bias"), operation}
		a.B = [4]float32{k.float("minimumValue"), k.float("maximumValue")}
		j.add("point", "arithmetic", a)
		return nil
	}
}

func arithmeticClass(name string, operation float32) adapter.Class {
	return adapter.Class{Name: name, Super: "MPSImageArithmetic", Methods: adapter.Methods{
		"initWithDevice:": func(c *objcsoft.Call) {
			k := &imageKernel{build: arithmetic(operation)}
			k.set("primaryScale", one)
			k.set("secondaryScale", one)
			k.set("primaryStrideInPixels", 1, 1, 1)
			k.set("secondaryStrideInPixels", 1, 1, 1)
			k.set("minimumValue", uintptr(math.Float32bits(-math.MaxFloat32)))
			k.set("maximumValue", uintptr(math.Float32bits(math.MaxFloat32)))
			initFilter(c, k)
		}}}
}

// transpose swaps the coordinates: the clip rectangle's are those of the destination.
func transpose(_ *imageKernel, j *filterJob) error {
	j.add("point", "transposed", j.arguments)
	return nil
}

// convert changes pixel formats. Alpha stays as it is: the only initializer that changes it takes a
// conversion of CoreGraphics, which is not bound.
func convert(_ *imageKernel, j *filterJob) error {
	j.add("point", "convert", j.arguments)
	return nil
}

// scale encodes a resampling: by Lanczos' function, or with linear = 1 linearly.
func scale(linear float32) func(k *imageKernel, j *filterJob) error {
	return func(k *imageKernel, j *filterJob) error {
		a := j.arguments
		t := []float64{float64(j.destination.width) / float64(j.source.width),
			float64(j.destination.height) / float64(j.source.height), 0, 0}
		for i, w := range k.words("scaleTransform") {
			t[i] = math.Float64frombits(uint64(w))
		}
		const least, most = 1.0 / 1024, 1 << 14
		for i, v := range t {
			a.A[i] = float32(v)
		}
		if !(t[0] >= least && t[0] <= most && t[1] >= least && t[1] <= most && math.Abs(t[2]) <= maxOffset &&
			math.Abs(t[3]) <= maxOffset) {
			return fmt.Errorf("the transform scales by %v and %v and moves by %v and %v; scales are 1/1024 to %d, and the "+
				"distance is at most %d", t[0], t[1], t[2], t[3], most, maxOffset)
		}
		a.B[0] = linear
		a.Second = [4]int32{a.Clip[0], a.Clip[1]}
		j.add("scale", "scale", a)
		return nil
	}
}

// scaleTransform answers the address of the transform, which lives until the next one is set.
func scaleTransform(k *imageKernel, c *objcsoft.Call) {
	c.Return(objc.Slice(k.words("scaleTransform")))
}

func setScaleTransform(k *imageKernel, c *objcsoft.Call) {
	if c.Word(0) == 0 {
		k.set("scaleTransform")
		return
	}
	b := c.Bytes(0, 32)
	if c.Failed() {
		return
	}
	var w []uintptr
	for i := range 4 {
		w = append(w, uintptr(binary.LittleEndian.Uint64(b[8*i:])))
	}
	k.set("scaleTransform", w...)
}

func pointClasses() []adapter.Class {
	clamp := uint64(mpsdata.ImageEdgeModeClamp)
	scaler := func(linear float32) objcsoft.Imp {
		return func(c *objcsoft.Call) { initFilter(c, &imageKernel{build: scale(linear), edge: &clamp}) }
	}
	return []adapter.Class{
		thresholdClass("MPSImageThresholdBinary", 0, true),
		thresholdClass("MPSImageThresholdBinaryInverse", 1, true),
		thresholdClass("MPSImageThresholdTruncate", 2, false),
		thresholdClass("MPSImageThresholdToZero", 3, false),
		thresholdClass("MPSImageThresholdToZeroInverse", 4, false),
		withProperties(adapter.Class{Name: "MPSImageArithmetic", Super: "MPSBinaryImageKernel"}, nil),
		arithmeticClass("MPSImageAdd", 0), arithmeticClass("MPSImageSubtract", 1),
		arithmeticClass("MPSImageMultiply", 2), arithmeticClass("MPSImageDivide", 3),
		{Name: "MPSImageTranspose", Super: "MPSUnaryImageKernel", Methods: adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) { initFilter(c, &imageKernel{build: transpose}) },
		}},
		withProperties(adapter.Class{Name: "MPSImageConversion", Super: "MPSUnaryImageKernel", Methods: adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) { initFilter(c, &imageKernel{build: convert}) },
		}}, nil),
		{Name: "MPSImageScale", Super: "MPSUnaryImageKernel", Methods: adapter.Methods{
			"initWithDevice:": scaler(0),
			"scaleTransform":  adapter.Method(scaleTransform), "setScaleTransform:": adapter.Method(setScaleTransform),
		}},
		{Name: "MPSImageLanczosScale", Super: "MPSImageScale", Methods: adapter.Methods{"initWithDevice:": scaler(0)}},
		{Name: "MPSImageBilinearScale", Super: "MPSImageScale", Methods: adapter.Methods{"initWithDevice:": scaler(1)}},
	}
}

package compute_test

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

// A picture goes to the device, through a kernel, and comes back.
func ExampleTextureOf() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		panic(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <metal_stdlib>
using namespace metal;
kernel void negative(texture2d<float> in, texture2d<float, access::write> out, uint2 at [[thread_position_in_grid]]) {
    float4 c = in.read(at); // 0 to 1, whatever the format
    out.write(float4(1 - c.rgb, c.a), at);
}`, compute.CompileOptions{})
	if err != nil {
		panic(err)
	}
	defer program.Close()
	negative, err := program.Kernel("negative")
	if err != nil {
		panic(err)
	}

	picture := image.NewNRGBA(image.Rect(0, 0, 2, 1)) // or one that image.Decode returned
	picture.SetNRGBA(0, 0, color.NRGBA{R: 255, G: 10, A: 255})
	in, err := compute.TextureOf[color.NRGBA](ctx, acc, picture, compute.TextureOptions{Label: "in"})
	if err != nil {
		panic(err)
	}
	defer in.Close()
	out, err := compute.NewTexture[color.NRGBA](acc, in.Shape(), compute.TextureOptions{Label: "out"})
	if err != nil {
		panic(err)
	}
	defer out.Close()

	stream, err := acc.NextStream()
	if err != nil {
		panic(err)
	}
	size := in.Bounds().Size()
	if err := stream.Launch(ctx, negative, compute.Threads2D(size.X, size.Y), in, out); err != nil {
		panic(err)
	}
	if err := out.DownloadImage(ctx, picture); err != nil { // waits for the launch
		panic(err)
	}
	fmt.Println(picture.NRGBAAt(0, 0), picture.NRGBAAt(1, 0))

	// Output: {0 245 255 255} {255 255 255 0}
}

// A sampler reads between texels, in a texture with levels of detail.
func ExampleAccelerator_Sampler() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		panic(err)
	}
	defer acc.Close(ctx)
	program, err := acc.Compile(ctx, `
#include <metal_stdlib>
using namespace metal;
kernel void look(texture2d<float> heights, sampler s, device float *out, uint i [[thread_position_in_grid]]) {
    out[i] = heights.sample(s, float2(0.5f, 0.5f), level(i)).x;
}`, compute.CompileOptions{})
	if err != nil {
		panic(err)
	}
	defer program.Close()
	look, err := program.Kernel("look")
	if err != nil {
		panic(err)
	}
	heights, err := compute.NewTexture[float32](acc, compute.Texture2D(4, 2).Mipmapped(), compute.TextureOptions{})
	if err != nil {
		panic(err)
	}
	defer heights.Close()
	if err := heights.Upload(ctx, []float32{0, 1, 2, 9, 4, 5, 6, 13}); err != nil {
		panic(err)
	}
	stream, err := acc.NextStream()
	if err != nil {
		panic(err)
	}
	if err := compute.GenerateMipmaps(ctx, stream, heights); err != nil {
		panic(err)
	}
	sampler, err := acc.Sampler(compute.SamplerOptions{
		Filter: mtl.SamplerMinMagFilterLinear, Mip: mtl.SamplerMipFilterNearest,
	})
	if err != nil {
		panic(err)
	}
	out, err := compute.NewBuffer[float32](acc, 3, compute.BufferOptions{Intent: compute.Readback})
	if err != nil {
		panic(err)
	}
	defer out.Close()
	if err := stream.Launch(ctx, look, compute.Threads1D(3), heights, sampler, out); err != nil {
		panic(err)
	}
	if err := stream.Sync(ctx); err != nil {
		panic(err)
	}
	values, err := out.Data()
	if err != nil {
		panic(err)
	}
	fmt.Println(values)

	// Output: [3.5 5 5]
}

// A view shows one level, one layer, or other channels of a texture.
func ExampleTexture_Layer() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		panic(err)
	}
	defer acc.Close(ctx)
	frames, err := compute.NewTexture[simd.UChar4](acc, compute.Texture2D(1, 1).Array(3), compute.TextureOptions{})
	if err != nil {
		panic(err)
	}
	defer frames.Close()
	if err := frames.Upload(ctx, []simd.UChar4{{X: 1}, {X: 2}, {X: 3}}); err != nil {
		panic(err)
	}
	second, err := frames.Layer(1)
	if err != nil {
		panic(err)
	}
	texel := make([]simd.UChar4, 1)
	if err := second.Download(ctx, texel); err != nil {
		panic(err)
	}
	fmt.Println(frames.Shape(), "|", second.Shape(), "|", texel[0].X)

	// Output: 2DArray 1x1x1 of 3 elements | 2D 1x1x1 | 2
}

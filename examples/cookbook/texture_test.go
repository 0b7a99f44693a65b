package cookbook

import (
	"fmt"
	"image"
	"image/color"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

func Example_texture() {
	ctx, acc, end := start()
	defer end()
	program := must(acc.Compile(ctx, `
#include <metal_stdlib>
using namespace metal;
kernel void shrink(texture2d<float> in, sampler s, texture2d<float, access::write> out,
                   uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
    out.write(in.sample(s, (float2(at) + 0.5f) / float2(size)), at);
}`, compute.CompileOptions{}))
	defer program.Close()
	picture := image.NewNRGBA(image.Rect(0, 0, 4, 2)) // image.Decode returns one from a file
	for i := range picture.Pix {
		picture.Pix[i] = uint8(8 * i)
	}

	in := must(compute.TextureOf[color.NRGBA](ctx, acc, picture, compute.TextureOptions{Label: "in"}))
	defer in.Close()
	out := must(compute.NewTexture[color.NRGBA](acc, compute.Texture2D(2, 1), compute.TextureOptions{Label: "out"}))
	defer out.Close()
	linear := must(acc.Sampler(compute.SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear}))

	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("shrink")), compute.Threads2D(2, 1), in, linear, out))
	small := image.NewNRGBA(out.Bounds())
	must(0, out.DownloadImage(ctx, small)) // waits for the launch
	fmt.Println(small.Pix)

	// Output: [80 88 96 104 144 152 160 168]
}

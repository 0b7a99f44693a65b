package kernel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

func TestNewImage(t *testing.T) {
	pixels := make([]simd.UChar4, 6)
	m, err := kernel.NewImage(pixels, 3, 2, "RGBA8Unorm")
	require.NoError(t, err)
	assert.Equal(t, []any{3, 2, "RGBA8Unorm", 24}, []any{m.Width(), m.Height(), m.Format(), len(m.Bytes())})
	kernel.WriteTexture2D[simd.Half4]{Image: m}.Write(simd.Half4{X: simd.HalfOf(1), W: simd.HalfOf(0.5)}, 2, 1)
	assert.Equal(t, simd.UChar4{X: 255, W: 128}, pixels[5], "the image's memory is the slice")
	for _, c := range []struct {
		err  error
		want string
	}{
		{newImage(make([]byte, 4), 2, 2, "RGBA8"), `NewImage: pixel format "RGBA8" is unknown, compressed or planar`},
		{newImage(make([]byte, 16), 2, 2, "BC1_RGBA"), "compressed"},
		{newImage([]byte{}, 0, 2, "R8Unorm"), "0 x 2 pixels; want 1 to 16384"},
		{newImage([]byte{}, 2, 16385, "R8Unorm"), "2 x 16385 pixels"},
		{newImage(make([]byte, 5), 2, 2, "R8Unorm"), "5 pixels of 1 bytes for 2 x 2 of format R8Unorm; want 4 bytes in all"},
		{newImage[byte](nil, 2, 2, "R8Unorm"), "0 pixels"},
		{newImage(make([]*byte, 2), 2, 2, "R32Float"), "pixels of type *uint8; use numbers"},
		{newImage(make([]struct {
			A int8
			B int16
		}, 4), 2, 2, "R32Float"), "without padding"},
		{newImage(make([]simd.Float3, 4), 2, 2, "RGBA32Float"), "without padding"},
		{newImage(make([]bool, 4), 2, 2, "R8Unorm"), "pixels of type bool"},
		{newImage(make([]struct{}, 4), 2, 2, "R8Unorm"), "pixels of type struct {}"},
	} {
		assert.ErrorContains(t, c.err, c.want)
	}
}

func newImage[P any](pixels []P, width, height int, format string) error {
	_, err := kernel.NewImage(pixels, width, height, format)
	return err
}

// A texture without an image has no texels.
func TestNoImage(t *testing.T) {
	in, out := kernel.Texture2D[simd.Float4]{}, kernel.ReadWriteTexture2D[simd.UInt4]{}
	out.Write(simd.UInt4{X: 1}, 0, 0)
	assert.Equal(t, []any{uint32(0), uint32(0), simd.Float4{}, simd.Float4{}, simd.UInt4{}},
		[]any{in.Width(), out.Height(), in.Read(0, 0), in.Sample(kernel.Sampler{}, simd.Float2{}), out.Read(0, 0)})
}

// TestTextureMistakes: what a device would refuse ends the launch with the line of the kernel.
func TestTextureMistakes(t *testing.T) {
	image := func(format string) *kernel.Image {
		m, err := kernel.NewImage(make([]byte, 4), 1, 1, format)
		require.NoError(t, err)
		return m
	}
	sample := func(s kernel.Sampler) func(*kernel.Thread) {
		return func(*kernel.Thread) { kernel.Texture2D[simd.Float4]{Image: image("R32Float")}.Sample(s, simd.Float2{}) }
	}
	for want, fn := range map[string]func(*kernel.Thread){
		"texture_test.go:[0-9]+: kernel: a texture of simd.Float4 has an image of format R32Sint": func(*kernel.Thread) {
			kernel.Texture2D[simd.Float4]{Image: image("R32Sint")}.Read(0, 0)
		},
		"a texture of simd.Vec4.*uint32.* has an image of format R32Sint": func(*kernel.Thread) {
			kernel.WriteTexture2D[simd.UInt4]{Image: image("R32Sint")}.Write(simd.UInt4{}, 0, 0)
		},
		"has an image of format RGBA8Unorm, whose components are floating-point numbers": func(*kernel.Thread) {
			kernel.ReadWriteTexture2D[simd.Int4]{Image: image("RGBA8Unorm")}.Read(0, 0)
		},
		"texture_test.go:[0-9]+: kernel: Sample: the filter is Linear, but texels are integers": func(*kernel.Thread) {
			in := kernel.Texture2D[simd.Int4]{Image: image("R32Sint")}
			in.Sample(kernel.Sampler{Filter: kernel.Linear}, simd.Float2{})
		},
		"Filter:2 .* is no valid sampler":           sample(kernel.Sampler{Filter: 2}),
		"S:5 .* is no valid sampler":                sample(kernel.Sampler{S: 5}),
		"T:3 .* Texels:true} is no valid sampler":   sample(kernel.Sampler{T: kernel.Repeat, Texels: true}),
		"Border:3 Texels:false} is no valid sample": sample(kernel.Sampler{Border: 3}),
	} {
		err := kernel.Run(kernel.Index{X: 1}, kernel.Index{X: 1}, fn)
		require.Error(t, err)
		assert.Regexp(t, "thread .*: .*"+want, err.Error())
	}
}

func ExampleNewImage() {
	in, err := kernel.NewImage([]uint8{0, 51, 102, 255}, 4, 1, "R8Unorm")
	if err != nil {
		fmt.Println(err)
		return
	}
	halved := make([]float32, 2)
	out, err := kernel.NewImage(halved, 2, 1, "R32Float")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = kernel.Run(kernel.Index{X: 2}, kernel.Index{X: 2}, func(t *kernel.Thread) {
		halve(t, kernel.Texture2D[simd.Float4]{Image: in}, kernel.WriteTexture2D[simd.Float4]{Image: out})
	})
	fmt.Println(halved, err)
	// Output: [0.1 0.7] <nil>
}

// halve makes a texture half as wide.
//
//puremetal:kernel
func halve(t *kernel.Thread, in kernel.Texture2D[simd.Float4], out kernel.WriteTexture2D[simd.Float4]) {
	at := simd.Float2{X: float32(2*t.Global.X + 1), Y: float32(t.Global.Y) + 0.5}
	out.Write(in.Sample(kernel.Sampler{Filter: kernel.Linear, Texels: true}, at), t.Global.X, t.Global.Y)
}

package tree

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/require"
)

// imageKernels launch kernels with textures and samplers.
const imageKernels = `
#include <metal_stdlib>
#include <puremetal/launch>
using namespace metal;
constant bool twice [[function_constant(0)]];

// Divides an image into quarters down to 4 x 4 texels, and blurs each of those; then sums rows.
kernel void quarter(texture2d<float> in [[texture(0)]], texture2d<float, access::read_write> out [[texture(2)]],
                   sampler how [[sampler(1)]], device float *sums [[buffer(0)]], constant uint4 &part [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
  uint size = part.z;
  if (size <= 4) {
    auto first = puremetal::launch(LAUNCH_blur, uint2(size), uint2(size), sums, part, out, in, how);
    puremetal::launch_after(first, LAUNCH_rows, size, size, sums, part, puremetal::threadgroup_memory(16 * size), out);
    return;
  }
  uint side = size / 2;
  for (uint q = 0; q < 4; q++) {
    uint4 next(part.x + q % 2 * side, part.y + q / 2 * side, side, 0);
    puremetal::launch(LAUNCH_quarter, 1, 1, sums, next, in, out, how);
  }
}
// Has its parameters in another order than quarter: arguments are for the indices in order.
kernel void blur(sampler how [[sampler(3)]], texture2d<float, access::write> out [[texture(0)]],
                   texture2d<float> in [[texture(7)]], constant uint4 &part [[buffer(2)]],
                   device float *unused [[buffer(0)]], uint2 i [[thread_position_in_grid]]) {
  uint2 at = part.xy + i;
  float2 size(in.get_width(), in.get_height());
  float4 v = in.sample(how, (float2(at) + 1) / size);
  out.write(twice ? v * 2 : v, at);
}
// Sums the texels of a row of a part, which blur has written.
kernel void rows(texture2d<float, access::read> in [[texture(0)]], device float *sums [[buffer(0)]],
                 constant uint4 &part [[buffer(1)]], threadgroup float4 *row [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]]) {
  float4 sum = 0;
  for (uint x = 0; x < part.z; x++) sum += in.read(part.xy + uint2(x, i));
  row[i] = sum;
  sums[(part.y + i) * in.get_width() + part.x] = row[i].x;
}

kernel void wrong(texture2d<float> in [[texture(0)]], texture2d<uint> other [[texture(1)]],
                  texture2d<float, access::write> to [[texture(2)]], texture1d<float> line [[texture(3)]],
                  sampler how [[sampler(0)]], device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]]) {
  switch (n) {
  case 0: puremetal::launch(LAUNCH_paint, 1, 1, x, in, how); break;
  case 1: puremetal::launch(LAUNCH_paint, 1, 1, x, to, how); break;
  case 2: puremetal::launch(LAUNCH_paint, 1, 1, x, x, how); break;
  case 3: puremetal::launch(LAUNCH_paint, 1, 1, x, other, how); break;
  case 4: puremetal::launch(LAUNCH_paint, 1, 1, x, line, how); break;
  case 5: puremetal::launch(LAUNCH_paint, 1, 1, x, to, 1u); break;
  case 6: puremetal::launch(LAUNCH_paint, 1, 1, in, to, how); break;
  case 7: puremetal::launch(LAUNCH_paint, 1, 1, x, how, to); break;
  case 8: puremetal::launch(LAUNCH_paint, 1, 1, x, to); break;
  }
}
kernel void paint(texture2d<float, access::write> t [[texture(0)]], sampler how [[sampler(0)]],
                  device uint *x [[buffer(0)]]) { t.write(float4(1), uint2(0)); *x = 1; }
kernel void many(array<texture2d<float>, 3> t [[texture(0)]], device float *x [[buffer(0)]]) {
  *x = t[1].read(uint2(0)).x;
}
`

// floatTexture makes a texture that kernels can read and write.
func floatTexture(t *treeTest, shape compute.TextureShape, texels []float32) *compute.Texture[float32] {
	return newTexture(t, t.acc, shape, compute.TextureOptions{Format: mtl.PixelFormatR32Float}, texels...)
}

// imageTree has the kernels of imageKernels.
func imageTree(t *treeTest) (tree *Tree, in, out *compute.Texture[float32], how *compute.Sampler) {
	t.Helper()
	var all []*compute.Kernel
	for _, name := range t.names {
		all = append(all, t.kernel(name, compute.Constant{Name: "twice", Value: true}))
	}
	tree, err := New(t.Context(), t.acc, all, Options{Label: "test", Depth: 4, Capacity: 256})
	require.NoError(t, err)
	t.Cleanup(tree.Close)
	texels := make([]float32, 32*32)
	for i := range texels {
		texels[i] = float32(i*i%1009) / 64
	}
	in, out = floatTexture(t, compute.Texture2D(32, 32), texels), floatTexture(t, compute.Texture2D(32, 32),
		make([]float32, 32*32))
	how, err = t.acc.Sampler(compute.SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear})
	require.NoError(t, err)
	return tree, in, out, how
}

var imageNames = []string{"quarter", "blur", "rows", "paint"}

// TestLaunchTreeTextures: kernels pass textures and samplers to those that they launch, with the
// results of launches from Go.
func TestLaunchTreeTextures(tt *testing.T) {
	test := func(t *treeTest) {
		ctx := t.Context()
		tree, in, out, how := imageTree(t)
		sums := bufferOf(t, t.acc, make([]float32, 32*32)...)
		whole := [4]uint32{0, 0, 32}
		quarter := t.kernel("quarter", compute.Constant{Name: "twice", Value: true})
		for range 2 {
			r, err := tree.Launch(ctx, t.stream, quarter, compute.Threads1D(1), sums, whole, in, out, how)
			require.NoError(t, err)
			levels, err := r.Levels(ctx)
			require.NoError(t, err)
			require.NoError(t, t.stream.Sync(ctx))
			require.Equal(t, 64, levels[3].Launches)
			require.Equal(t, 128, levels[4].Launches)
		}

		flat := floatTexture(t, compute.Texture2D(32, 32), make([]float32, 32*32))
		want := bufferOf(t, t.acc, make([]float32, 32*32)...)
		blur, rows := t.kernel("blur", compute.Constant{Name: "twice", Value: true}), t.kernel("rows")
		for y := uint32(0); y < 32; y += 4 {
			for x := uint32(0); x < 32; x += 4 {
				part := [4]uint32{x, y, 4}
				require.NoError(t, t.stream.Launch(ctx, blur, compute.Threads2D(4, 4), want, compute.At(2, part), flat, in, how))
				require.NoError(t, t.stream.Launch(ctx, rows, compute.Threads1D(4), want, part, compute.ThreadgroupMemory(64),
					flat))
			}
		}
		require.Equal(t, texelsOf(t, flat), texelsOf(t, out))
		require.NotZero(t, texelsOf(t, out)[77])
		require.NoError(t, t.stream.Sync(ctx))
		got, err := sums.Data()
		require.NoError(t, err)
		flatSums, err := want.Data()
		require.NoError(t, err)
		require.Equal(t, flatSums, got)
	}
	eachWay(tt, imageKernels, imageNames, test)
	tt.Run("isolated", func(t *testing.T) { // what launched kernels access is listed
		a := accelerator(t)
		if !a.Info().Software {
			t.Skip("only the software device isolates kernels")
		}
		test(newTreeTest(t, imageKernels, imageNames, compute.WithIsolation()))
	})
}

// TestLaunchTreeTexturesWrong: textures and samplers that do not fit the launched kernel are errors
// that name what it wants.
func TestLaunchTreeTexturesWrong(tt *testing.T) {
	eachWay(tt, imageKernels, imageNames, func(t *treeTest) {
		tree, in, out, how := imageTree(t)
		other := newTexture(t, t.acc, compute.Texture2D(4, 4), compute.TextureOptions{Format: mtl.PixelFormatR32Uint},
			make([]uint32, 16)...)
		line := floatTexture(t, compute.Texture1D(4), make([]float32, 4))
		for n, want := range []string{
			`launches "paint": argument 1 is a texture2d<float, access::sample>, want texture2d<float, access::write>`,
			``,
			`argument 1 is no texture, want texture2d<float, access::write>`,
			`argument 1 is a texture2d<uint, access::sample>, want texture2d<float, access::write>`,
			`argument 1 is a texture1d<float, access::sample>, want texture2d<float, access::write>`,
			`argument 2 is no sampler, want one`,
			`argument 0 is a texture or sampler, want a buffer`,
			`argument 1 is no texture`,
			`2 arguments, want 3`,
		} {
			x := bufferOf[uint32](t, t.acc, 0)
			_, err := t.run(tree, "wrong", compute.Threads1D(1), x, uint32(n), in, other, out, line, how)
			got, bad := x.Data()
			require.NoError(t, bad)
			if want == "" {
				require.NoError(t, err)
				require.Equal(t, []uint32{1}, got)
				require.EqualValues(t, 1, texelsOf(t, out)[0])
				continue
			}
			require.ErrorIs(t, err, ErrLaunch)
			require.ErrorContains(t, err, want)
			require.Zero(t, got[0])
		}
	})
}

// TestLaunchTreeTexturesMisuse: arrays of textures, and samplers without handles, are refused; a
// tree whose program or texture has been closed as well; a context that has ended stops the
// compiler.
func TestLaunchTreeTexturesMisuse(tt *testing.T) {
	t := newTreeTest(tt, imageKernels, imageNames)
	ctx := t.Context()
	_, err := New(ctx, t.acc, []*compute.Kernel{t.kernel("many")}, Options{Depth: 1, Capacity: 1})
	require.ErrorIs(t, err, graph.ErrIndirect)
	require.ErrorContains(t, err, "texture 0 (t) is an array, which launches cannot pass")

	tree, in, out, how := imageTree(t)
	x := bufferOf[uint32](t, t.acc, 0)
	d, err := mtl.NewSamplerDescriptor()
	require.NoError(t, err)
	defer d.Release()
	plain, err := t.acc.Device().NewSamplerState(d)
	require.NoError(t, err)
	defer plain.Release()
	other := newTexture(t, t.acc, compute.Texture2D(4, 4), compute.TextureOptions{Format: mtl.PixelFormatR32Uint},
		make([]uint32, 16)...)
	line := floatTexture(t, compute.Texture1D(4), make([]float32, 4))
	launch := func(in *compute.Texture[float32], how any) error {
		_, err := tree.Launch(ctx, t.stream, t.kernel("wrong"), compute.Threads1D(1), x, uint32(1), in, other, out, line, how)
		return err
	}
	if err := launch(in, plain); !t.acc.Info().Software {
		require.ErrorIs(t, err, graph.ErrIndirect)
		require.ErrorContains(t, err, "SetSupportArgumentBuffers")
	} else { // its samplers all have handles
		require.NoError(t, err)
	}
	require.ErrorContains(t, launch(nil, how), "no texture")
	require.NoError(t, launch(in, how))
	in.Close()
	require.ErrorIs(t, launch(in, how), compute.ErrClosed)
	require.NoError(t, t.stream.Sync(ctx))
	require.ErrorIs(t, launch(in, how), compute.ErrClosed) // nothing uses it any more

	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err = New(over, t.acc, []*compute.Kernel{t.kernel("paint")}, Options{Depth: 1, Capacity: 1})
	require.ErrorIs(t, err, context.Canceled)
	p, err := t.acc.Compile(ctx, "#include <metal_stdlib>\nusing namespace metal;\n"+
		"kernel void k(texture2d<float> t, device float *x) { *x = t.read(uint2(0)).x; }", compute.CompileOptions{})
	require.NoError(t, err)
	k, err := p.Kernel("k")
	require.NoError(t, err)
	p.Close()
	_, err = New(ctx, t.acc, []*compute.Kernel{k}, Options{Depth: 1, Capacity: 1})
	require.ErrorIs(t, err, compute.ErrClosed)
}

package mtl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samplerProgram has kernels that sample at 1.375, in the first texel of the second repetition of a
// row of two, with one sampler per thread.
const samplerProgram = `
constant float2 at = float2(1.375f, 0.5f);

kernel void slots(texture2d<float> in [[texture(0)]], array<sampler, 4> how [[sampler(1)]], sampler one [[sampler(0)]],
                  device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = i < 4 ? in.sample(how[i], at).x : in.sample(one, at).x;
}

struct Args { texture2d<float> in; array<sampler, 4> how; device float *out; };
kernel void members(constant Args &a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    a.out[i] = a.in.sample(a.how[i], at).x;
}
struct Each { sampler how; };
kernel void structs(constant Each *each [[buffer(0)]], texture2d<float> in [[texture(0)]],
                    device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = in.sample(each[i].how, at).x;
}`

// samplerRig is a texture with the levels 2 8 and 5, and four samplers that find different numbers
// at 1.375 of its first level.
type samplerRig struct {
	*rig
	texture  Texture
	samplers []SamplerState
	want     []float32
}

func newSamplerRig(t *testing.T) *samplerRig {
	d := softwareDevice(t)
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(q.Release)
	r := &samplerRig{rig: &rig{T: t, device: d, queue: q, library: compiled(t, d, samplerProgram)}}
	td, err := NewTextureDescriptor()
	require.NoError(t, err)
	defer td.Release()
	td.SetPixelFormat(PixelFormatR32Float)
	td.SetWidth(2)
	td.SetMipmapLevelCount(2)
	td.SetStorageMode(StorageModeShared)
	r.texture, err = d.NewTexture(td)
	require.NoError(t, err)
	t.Cleanup(r.texture.Release)
	for level, row := range [][]float32{{2, 8}, {5}} {
		region := Region{Size: Size{Width: uint(len(row)), Height: 1, Depth: 1}}
		texels, err := r.floats(row...).Bytes()
		require.NoError(t, err)
		require.NoError(t, r.texture.ReplaceRegion(region, uint(level), texels, 8))
	}
	for _, x := range []struct {
		address SamplerAddressMode
		filter  SamplerMinMagFilter
		want    float32
	}{
		{SamplerAddressModeClampToZero, SamplerMinMagFilterNearest, 0},
		{SamplerAddressModeRepeat, SamplerMinMagFilterNearest, 2},
		{SamplerAddressModeClampToEdge, SamplerMinMagFilterNearest, 8},
		{SamplerAddressModeRepeat, SamplerMinMagFilterLinear, 2*0.75 + 8*0.25},
	} {
		sd, err := NewSamplerDescriptor()
		require.NoError(t, err)
		sd.SetSAddressMode(x.address)
		sd.SetMinFilter(x.filter)
		sd.SetMagFilter(x.filter)
		sd.SetMipFilter(SamplerMipFilterNearest)
		sd.SetSupportArgumentBuffers(true)
		s, err := d.NewSamplerState(sd)
		sd.Release()
		require.NoError(t, err)
		t.Cleanup(s.Release)
		r.samplers, r.want = append(r.samplers, s), append(r.want, x.want)
	}
	return r
}

// run runs a kernel in n threads and returns what it wrote.
func (r *samplerRig) run(kernel string, n uint, out Buffer, bind func(ComputeCommandEncoder)) []float32 {
	r.Helper()
	b, err := r.queue.CommandBuffer()
	require.NoError(r, err)
	e, err := b.ComputeCommandEncoder()
	require.NoError(r, err)
	require.NoError(r, e.SetComputePipelineState(r.kernel(kernel)))
	bind(e)
	line := Size{Width: n, Height: 1, Depth: 1}
	require.NoError(r, e.DispatchThreads(line, line))
	require.NoError(r, e.EndEncoding())
	require.NoError(r, b.Commit())
	require.NoError(r, b.Wait(r.Context()))
	return r.numbers(out)[:n]
}

// TestSamplerStates: setSamplerStates binds each sampler to the slot of its element of the kernel's
// array, leaves the other slots alone, and clamps levels per sampler.
func TestSamplerStates(t *testing.T) {
	r := newSamplerRig(t)
	out := r.buffer(5 * 4)
	bind := func(e ComputeCommandEncoder, all []SamplerState, first uint) {
		require.NoError(t, e.SetBuffer(out, 0, 0))
		require.NoError(t, e.SetTexture(r.texture, 0))
		require.NoError(t, e.SetSamplerStates(all, first))
	}
	s, w := r.samplers, r.want
	assert.Equal(t, []float32{w[0], w[1], w[2], w[3], w[2]}, r.run("slots", 5, out, func(e ComputeCommandEncoder) {
		bind(e, []SamplerState{s[2], s[0], s[1], s[2], s[3]}, 0)
	}))
	assert.Equal(t, []float32{w[0], w[3], w[0], w[3], w[2]}, r.run("slots", 5, out, func(e ComputeCommandEncoder) {
		bind(e, []SamplerState{s[2], s[0], s[1], s[2], s[3]}, 0)
		require.NoError(t, e.SetSamplerStates([]SamplerState{s[3], s[0]}, 2))
		require.NoError(t, e.SetSamplerStates(nil, 0))
	}), "two slots in the middle")
	assert.Equal(t, []float32{w[2], 5, 5, w[3]}, r.run("slots", 4, out, func(e ComputeCommandEncoder) {
		bind(e, s[:1], 0)
		require.NoError(t, e.SetSamplerStatesLodMinClamps([]SamplerState{s[2], s[2], s[1], s[3]},
			[]float32{0, 1, 1, 0}, []float32{1, 1, 1, 0}, 1))
	}), "the second level, of one texel")
}

// TestSamplerMembers: samplers in argument buffers, as an array and one in each of several structs.
func TestSamplerMembers(t *testing.T) {
	r := newSamplerRig(t)
	out := r.buffer(4 * 4)
	encoder := func(kernel string) ArgumentEncoder {
		f := named(t, r.library, kernel)
		e, err := f.NewArgumentEncoder(0)
		require.NoError(t, err)
		t.Cleanup(e.Release)
		return e
	}
	uses := func(e ComputeCommandEncoder) {
		require.NoError(t, e.UseResource(out.Resource, ResourceUsageWrite))
		require.NoError(t, e.UseResource(r.texture.Resource, ResourceUsageRead))
	}
	a := encoder("members")
	args := r.buffer(a.EncodedLength())
	require.NoError(t, a.SetArgumentBuffer(args, 0))
	require.NoError(t, a.SetTexture(r.texture, 0))
	require.NoError(t, a.SetSamplerStates(r.samplers, 1))
	require.NoError(t, a.SetBuffer(out, 0, 5))
	members := func(e ComputeCommandEncoder) {
		require.NoError(t, e.SetBuffer(args, 0, 0))
		uses(e)
	}
	assert.Equal(t, r.want, r.run("members", 4, out, members))
	require.NoError(t, a.SetSamplerState(r.samplers[3], 1))
	require.NoError(t, a.SetSamplerStates(r.samplers[:2], 3))
	assert.Equal(t, []float32{r.want[3], r.want[1], r.want[0], r.want[1]}, r.run("members", 4, out, members),
		"three of the four replaced")

	x := encoder("structs")
	each := r.buffer(4 * x.EncodedLength())
	for i, s := range r.samplers {
		require.NoError(t, x.SetArgumentBufferElement(each, 0, uint(i)))
		require.NoError(t, x.SetSamplerState(s, 0))
	}
	assert.Equal(t, r.want, r.run("structs", 4, out, func(e ComputeCommandEncoder) {
		require.NoError(t, e.SetBuffer(each, 0, 0))
		require.NoError(t, e.SetBuffer(out, 0, 1))
		require.NoError(t, e.SetTexture(r.texture, 0))
	}))
}

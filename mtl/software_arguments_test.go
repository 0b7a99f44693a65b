package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSoftwareArguments: an encoder writes each argument where the kernel's struct expects it.
func TestSoftwareArguments(t *testing.T) {
	d := softwareDevice(t)
	l := compiled(t, d, softwareProgram+`
struct Node { device float *x; constant float *y; };
struct Args { device float *a [[id(2)]]; array<texture2d<float>, 3> ts; float4 v [[id(8)]]; sampler s [[id(10)]]; constant Node *next; };
kernel void nested(constant Args &args [[buffer(4)]], device float *out [[buffer(0)]]) { out[0] = args.a[0] + args.next->x[0] + args.v.y; }`)
	f := named(t, l, "nested")
	e, err := f.NewArgumentEncoder(4)
	require.NoError(t, err)
	defer e.Release()
	assert.Equal(t, []uint{64, 16}, []uint{e.EncodedLength(), e.Alignment()})
	e.SetLabel("arguments")
	assert.Equal(t, "arguments", e.Label())
	b := testBuffer(t, d, 2*e.EncodedLength(), 0)
	data := testBuffer(t, d, 64, 0)
	require.NoError(t, e.SetArgumentBufferElement(b, 0, 1))
	require.NoError(t, e.SetBuffer(data, 8, 2))
	require.NoError(t, e.SetConstant(8, []byte{1, 2, 3, 4}))

	td, err := NewTextureDescriptor()
	require.NoError(t, err)
	defer td.Release()
	td.SetPixelFormat(PixelFormatRGBA8Unorm)
	tex, err := d.NewTexture(td)
	require.NoError(t, err)
	defer tex.Release()
	require.NoError(t, e.SetTextures([]Texture{tex, {}, tex}, 3))
	sd, err := NewSamplerDescriptor()
	require.NoError(t, err)
	defer sd.Release()
	sd.SetSupportArgumentBuffers(true)
	s, err := d.NewSamplerState(sd)
	require.NoError(t, err)
	defer s.Release()
	require.NoError(t, e.SetSamplerState(s, 10))

	n, err := e.NewNestedEncoder(11)
	require.NoError(t, err)
	defer n.Release()
	assert.Equal(t, uint(16), n.EncodedLength())
	_, err = e.NewNestedEncoder(2)
	require.ErrorIs(t, err, ErrArgument, "floats are no argument buffer")

	words, err := Slice[uint64](b)
	require.NoError(t, err)
	handle := tex.GPUResourceID()
	assert.NotZero(t, handle.Impl)
	assert.Equal(t, []uint64{data.GPUAddress() + 8, handle.Impl, 0, handle.Impl}, words[8:12])
	bytes, err := b.BytesAt(64+32, 4)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3, 4}, bytes)
	assert.Equal(t, s.GPUResourceID().Impl, words[8+6])
	assert.Equal(t, make([]uint64, 8), words[:8], "the element before it")
}

func TestSoftwareFunctionTable(t *testing.T) {
	d := softwareDevice(t)
	l := compiled(t, d, softwareProgram)
	links, err := NewLinkedFunctions()
	require.NoError(t, err)
	defer links.Release()
	twice, thrice := named(t, l, "twice"), named(t, l, "thrice")
	links.SetFunctions([]Function{twice})
	pd, err := NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer pd.Release()
	pd.SetComputeFunction(named(t, l, "call"))
	pd.SetLinkedFunctions(links)
	pd.SetSupportAddingBinaryFunctions(true)
	p, _, err := d.NewComputePipelineStateWithDescriptor(pd, 0)
	require.NoError(t, err)
	defer p.Release()
	assert.True(t, p.FunctionHandleWithFunction(thrice).IsNil(), "not linked")
	h := p.FunctionHandleWithFunction(twice)
	assert.Equal(t, "twice", h.Name())
	assert.Equal(t, FunctionTypeVisible, h.FunctionType())

	td, err := NewVisibleFunctionTableDescriptor()
	require.NoError(t, err)
	defer td.Release()
	td.SetFunctionCount(3)
	table := p.NewVisibleFunctionTableWithDescriptor(td)
	require.False(t, table.IsNil())
	defer table.Release()
	table.SetFunction(h, 1)
	table.SetFunctions([]FunctionHandle{h, {}, h}, 0)
	assert.NotZero(t, table.GPUResourceID().Impl)
	table.SetLabel("functions")
	assert.Equal(t, "functions", table.Label())

	more, err := p.NewComputePipelineStateWithAdditionalBinaryFunctions([]Function{thrice})
	require.NoError(t, err)
	defer more.Release()
	added := more.FunctionHandleWithFunction(thrice)
	assert.False(t, added.IsNil())
}

// misuses returns the faults that a function causes, which would otherwise fail the test.
func misuses(t *testing.T, f func()) []*objc.Fault {
	t.Helper()
	faults := catchFaults(t)
	objc.Pool(f)
	return faults()
}

// TestSoftwareMisuse: the device reports misuse that the bindings cannot detect.
func TestSoftwareMisuse(t *testing.T) {
	if kind, err := objc.CurrentDriver(); err != nil || kind != objc.DriverSoftware {
		t.Skipf("states what the software device does; in use is %v (%v)", kind, err)
	}
	d, err := DefaultDevice()
	if err != nil {
		noTestDevice(t, err)
	}
	defer d.Release()
	l := compiled(t, d, softwareProgram)
	call := named(t, l, "call")
	got := misuses(t, func() {
		_, err := call.NewArgumentEncoder(0)
		require.ErrorIs(t, err, ErrArgument)
		_, err = call.NewArgumentEncoder(7)
		require.ErrorIs(t, err, ErrArgument)
	})
	require.Len(t, got, 2)
	assert.ErrorContains(t, got[0], "buffer 0 of function 'call' is 'out', which is no argument buffer")
	assert.ErrorContains(t, got[1], "has no buffer at index 7")

	got = misuses(t, func() {
		pd, err := NewComputePipelineDescriptor()
		require.NoError(t, err)
		defer pd.Release()
		pd.SetComputeFunction(call)
		links, err := NewLinkedFunctions()
		require.NoError(t, err)
		defer links.Release()
		links.SetFunctions([]Function{named(t, l, "twice")})
		pd.SetLinkedFunctions(links)
		p, _, err := d.NewComputePipelineStateWithDescriptor(pd, 0)
		require.NoError(t, err)
		defer p.Release()
		links.SetFunctions([]Function{named(t, l, "thrice")})
		pd.SetLinkedFunctions(links)
		q, _, err := d.NewComputePipelineStateWithDescriptor(pd, 0)
		require.NoError(t, err)
		defer q.Release()
		td, err := NewVisibleFunctionTableDescriptor()
		require.NoError(t, err)
		defer td.Release()
		assert.True(t, p.NewVisibleFunctionTableWithDescriptor(td).IsNil())
		td.SetFunctionCount(3)
		table := p.NewVisibleFunctionTableWithDescriptor(td)
		defer table.Release()
		h, err := q.FunctionHandleWithName("thrice")
		require.NoError(t, err)
		table.SetFunction(h, 0)
		h, err = p.FunctionHandleWithName("twice")
		require.NoError(t, err)
		table.SetFunction(h, 3)
	})
	require.Len(t, got, 3)
	assert.ErrorContains(t, got[0], "functionCount is 0")
	assert.ErrorContains(t, got[1], "none that the table's pipeline links")
	assert.ErrorContains(t, got[2], "index 3 is past the table's 3 entries")
}

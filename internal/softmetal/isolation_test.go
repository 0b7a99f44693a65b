package softmetal_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const isolationKernels = `#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;

// Each thread writes to an address that it has made itself of the number of an object.
kernel void forge(device ulong* numbers [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    *reinterpret_cast<device uint*>(numbers[i] << 40) = 0xdead;
}

// Reads what an address in memory leads to, and writes there.
struct At { device uint* p; };
kernel void through(device At* at [[buffer(0)]], device uint* out [[buffer(1)]]) {
    out[0] = at->p[0];
    at->p[0] = 7;
}

// The same, with the memory bound as well, for reading or for writing too.
kernel void reading(device At* at [[buffer(0)]], device uint* out [[buffer(1)]], const device uint* x [[buffer(2)]]) {
    out[0] = x[0];
    at->p[0] = 7;
}
kernel void writing(device At* at [[buffer(0)]], device uint* out [[buffer(1)]], device uint* x [[buffer(2)]]) {
    out[0] = x[0];
    at->p[0] = 7;
}

// The same with the id of a texture.
struct Texture { texture2d<uint, access::read_write> t; };
kernel void texels(device Texture* at [[buffer(0)]], device uint* out [[buffer(1)]]) {
    out[0] = at->t.read(uint2(0)).x;
    at->t.write(uint4(7), uint2(0));
}

// Encodes a command that writes to an address in memory.
struct Commands { command_buffer commands; compute_pipeline_state pipeline; };
kernel void encode(device At* at [[buffer(0)]], device Commands* c [[buffer(1)]]) {
    compute_command command(c->commands, 0);
    command.set_compute_pipeline_state(c->pipeline);
    command.set_kernel_buffer(at->p, 0);
    command.concurrent_dispatch_threads(uint3(1), uint3(1));
}
kernel void seven(device uint* x [[buffer(0)]]) { x[0] = 7; }
`

// isolation is what the tests of isolation work with. It ends with the test.
type isolation struct {
	*testing.T
	d       mtl.Device
	queue   mtl.CommandQueue
	library mtl.Library
	at, out mtl.Buffer // what kernels have bound
}

func newIsolation(t *testing.T, d mtl.Device, isolated bool) *isolation {
	t.Helper()
	r := &isolation{T: t, d: d}
	var err error
	r.queue, err = d.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(r.queue.Release)
	if isolated {
		client.Send(&extension.Isolate, r.queue.ID())
	}
	r.library, err = d.NewLibrary(isolationKernels, mtl.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(r.library.Release)
	r.at, r.out = r.buffer(8192), r.buffer(64)
	return r
}

func (r *isolation) buffer(n uint) mtl.Buffer {
	r.Helper()
	b, err := r.d.NewBuffer(n, mtl.ResourceStorageModeShared)
	require.NoError(r, err)
	r.Cleanup(b.Release)
	return b
}

func (r *isolation) pipeline(kernel string, indirect bool) mtl.ComputePipelineState {
	r.Helper()
	f, err := r.library.NewFunction(kernel)
	require.NoError(r, err)
	defer f.Release()
	d, err := mtl.NewComputePipelineDescriptor()
	require.NoError(r, err)
	defer d.Release()
	d.SetComputeFunction(f)
	d.SetSupportIndirectCommandBuffers(indirect)
	p, _, err := r.d.NewComputePipelineStateWithDescriptor(d, 0)
	require.NoError(r, err)
	r.Cleanup(p.Release)
	return p
}

// words are the numbers in a buffer.
func words[T any](r *isolation, b mtl.Buffer) []T {
	r.Helper()
	s, err := mtl.Slice[T](b)
	require.NoError(r, err)
	return s
}

// encoding is what a test has to say to a command buffer before a dispatch.
type encoding = func(mtl.CommandBuffer, mtl.ComputeCommandEncoder)

// run has threads of a kernel run, after more has had its say.
func (r *isolation) run(kernel string, threads uint, more encoding) error {
	r.Helper()
	p := r.pipeline(kernel, false)
	var failed error
	objc.Pool(func() {
		b, err := r.queue.CommandBuffer()
		require.NoError(r, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(r, err)
		require.NoError(r, e.SetComputePipelineState(p))
		require.NoError(r, e.SetBuffer(r.at, 0, 0))
		require.NoError(r, e.SetBuffer(r.out, 0, 1))
		if more != nil {
			more(b, e)
		}
		one := mtl.Size{Width: 1, Height: 1, Depth: 1}
		require.NoError(r, e.DispatchThreads(mtl.Size{Width: threads, Height: 1, Depth: 1}, one))
		require.NoError(r, e.EndEncoding())
		require.NoError(r, b.Commit())
		failed = b.Wait(r.Context())
	})
	return failed
}

// TestForgedAddresses: a kernel that makes addresses up writes to every buffer of the device, as
// Metal's tier 2 lets it, and isolated to none.
func TestForgedAddresses(t *testing.T) {
	const n = 600
	for isolated, want := range map[bool]int{false: n, true: 0} {
		t.Run(fmt.Sprintf("isolated=%v", isolated), func(t *testing.T) {
			d, _, _ := rig(t)
			r := newIsolation(t, d, isolated)
			var foreign []mtl.Buffer
			for i := range n {
				foreign = append(foreign, r.buffer(4))
				words[uint64](r, r.at)[i] = foreign[i].GPUAddress() >> 40
			}
			require.NoError(t, r.run("forge", n, nil))
			written := 0
			for _, b := range foreign {
				if words[uint32](r, b)[0] == 0xdead {
					written++
				}
			}
			assert.Equal(t, want, written)
		})
	}
}

// reach is what a kernel got of memory that it has the address of.
type reach struct{ read, written bool }

// reached runs a kernel that has the address of x.
func (r *isolation) reached(kernel string, x mtl.Buffer, more encoding) reach {
	r.Helper()
	words[uint64](r, r.at)[0] = x.GPUAddress()
	words[uint32](r, x)[0], words[uint32](r, r.out)[0] = 5, 0
	require.NoError(r, r.run(kernel, 1, more))
	return reach{words[uint32](r, r.out)[0] == 5, words[uint32](r, x)[0] == 7}
}

// newResidencySet makes an empty residency set, which the test's cleanup releases.
func newResidencySet(t *testing.T, d mtl.Device) mtl.ResidencySet {
	t.Helper()
	s, err := mtl.NewResidencySetDescriptor()
	require.NoError(t, err)
	defer s.Release()
	set, err := d.NewResidencySet(s)
	require.NoError(t, err)
	t.Cleanup(set.Release)
	return set
}

// TestIsolationReach: each way to bind or declare memory lets kernels reach it, as far as it says.
func TestIsolationReach(t *testing.T) {
	d, _, _ := rig(t)
	r := newIsolation(t, d, true)
	h, err := mtl.NewHeapDescriptor()
	require.NoError(t, err)
	defer h.Release()
	h.SetSize(1 << 16)
	h.SetStorageMode(mtl.StorageModeShared)
	heap, err := d.NewHeap(h)
	require.NoError(t, err)
	defer heap.Release()
	inHeap, err := heap.NewBuffer(64, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer inHeap.Release()
	set := newResidencySet(t, d)

	x, y := r.buffer(64), r.buffer(64)
	use := func(usage mtl.ResourceUsage, resources ...mtl.Resource) encoding {
		return func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			require.NoError(t, e.UseResources(resources, usage))
		}
	}
	bind := func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) { require.NoError(t, e.SetBuffer(x, 0, 2)) }
	const both = mtl.ResourceUsageRead | mtl.ResourceUsageWrite
	useHeap := func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) { require.NoError(t, e.UseHeap(heap)) }
	for _, c := range []struct {
		name   string
		kernel string
		x      mtl.Buffer
		more   encoding
		want   reach
	}{
		{"nothing", "through", x, nil, reach{}},
		{"bound where the kernel has no argument", "through", x, bind, reach{}},
		{"bound for reading", "reading", x, bind, reach{true, false}},
		{"bound for writing", "writing", x, bind, reach{true, true}},
		{"used for reading", "through", x, use(mtl.ResourceUsageRead, x.Resource), reach{true, false}},
		{"used for writing", "through", x, use(mtl.ResourceUsageWrite, x.Resource), reach{true, true}},
		{"used for both", "through", x, use(both, y.Resource, x.Resource), reach{true, true}},
		{"another one used", "through", x, use(both, y.Resource), reach{}},
		{"bound for reading, used for writing", "reading", x, func(b mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			bind(b, e)
			use(both, x.Resource)(b, e)
		}, reach{true, true}},
		{"one resource", "through", x, func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			require.NoError(t, e.UseResource(x.Resource, both))
		}, reach{true, true}},
		{"its heap", "through", inHeap, useHeap, reach{true, false}},
		{"its heap, and used for writing", "through", inHeap, func(b mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			useHeap(b, e)
			use(both, inHeap.Resource)(b, e)
		}, reach{true, true}},
		{"a heap that it is not in", "through", x, useHeap, reach{}},
		{"a residency set of the command buffer", "through", x, func(b mtl.CommandBuffer, _ mtl.ComputeCommandEncoder) {
			require.NoError(t, set.AddAllocation(x.Allocation))
			set.Commit()
			require.NoError(t, b.UseResidencySet(set))
		}, reach{true, true}},
		{"no residency set of the next", "through", x, nil, reach{}},
		{"a residency set of the queue", "through", x, func(mtl.CommandBuffer, mtl.ComputeCommandEncoder) {
			require.NoError(t, r.queue.AddResidencySet(set))
		}, reach{true, true}},
		{"not what is not in it", "through", y, nil, reach{}},
	} {
		assert.Equal(t, c.want, r.reached(c.kernel, c.x, c.more), c.name)
	}
}

// TestIsolationEncoders: what one encoder declares holds for its next dispatches, and for those of
// no other encoder.
func TestIsolationEncoders(t *testing.T) {
	d, _, _ := rig(t)
	r := newIsolation(t, d, true)
	x, p := r.buffer(64), r.pipeline("through", false)
	words[uint64](r, r.at)[0] = x.GPUAddress()
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	objc.Pool(func() {
		b, err := r.queue.CommandBuffer()
		require.NoError(t, err)
		for i, declared := range []bool{false, true, false} {
			e, err := b.ComputeCommandEncoder()
			require.NoError(t, err)
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetBuffer(r.at, 0, 0))
			for j := range 2 {
				require.NoError(t, e.SetBuffer(r.out, uint(i*8+j*4), 1))
				if declared && j == 1 {
					require.NoError(t, e.UseResource(x.Resource, mtl.ResourceUsageRead))
				}
				require.NoError(t, e.DispatchThreads(one, one))
			}
			require.NoError(t, e.EndEncoding())
		}
		words[uint32](r, x)[0] = 5
		require.NoError(t, b.Commit())
		require.NoError(t, b.Wait(t.Context()))
	})
	assert.Equal(t, []uint32{0, 0, 0, 5, 0, 0}, words[uint32](r, r.out)[:6])
	assert.EqualValues(t, 5, words[uint32](r, x)[0])
}

// TestIsolationTextures: the id of a texture in memory leads to it only if it is declared, and a
// view is reached by its texture.
func TestIsolationTextures(t *testing.T) {
	d, _, _ := rig(t)
	r := newIsolation(t, d, true)
	desc, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 1, 1, false)
	require.NoError(t, err)
	desc.SetStorageMode(mtl.StorageModeShared)
	desc.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite | mtl.TextureUsagePixelFormatView)
	x, err := d.NewTexture(desc)
	require.NoError(t, err)
	defer x.Release()
	view, err := x.NewView(mtl.PixelFormatR32Uint)
	require.NoError(t, err)
	defer view.Release()
	region := mtl.Region{Size: mtl.Size{Width: 1, Height: 1, Depth: 1}}
	reached := func(at mtl.Texture, usage mtl.ResourceUsage) reach {
		words[uint64](r, r.at)[0] = at.GPUResourceID().Impl
		words[uint32](r, r.out)[0] = 0
		texel := make([]byte, 4)
		binary.LittleEndian.PutUint32(texel, 5)
		require.NoError(t, x.ReplaceRegion(region, 0, texel, 4))
		require.NoError(t, r.run("texels", 1, func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			if usage != 0 {
				require.NoError(t, e.UseResource(x.Resource, usage))
			}
		}))
		require.NoError(t, x.GetBytes(texel, 4, region, 0))
		return reach{words[uint32](r, r.out)[0] == 5, binary.LittleEndian.Uint32(texel) == 7}
	}
	for _, at := range []mtl.Texture{x, view} {
		assert.Equal(t, reach{}, reached(at, 0))
		assert.Equal(t, reach{true, false}, reached(at, mtl.ResourceUsageRead))
		assert.Equal(t, reach{true, true}, reached(at, mtl.ResourceUsageRead|mtl.ResourceUsageWrite))
	}
}

// TestIsolationCommands: a kernel encodes only into indirect command buffers that are declared, and
// what it binds there is reached only if it is declared where the commands run. What the program
// binds in a command is bound.
func TestIsolationCommands(t *testing.T) {
	d, _, faults := rig(t)
	r := newIsolation(t, d, true)
	desc, err := mtl.NewIndirectCommandBufferDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatchThreads)
	desc.SetInheritPipelineState(false)
	desc.SetInheritBuffers(false)
	desc.SetMaxKernelBufferBindCount(1)
	icb, err := d.NewIndirectCommandBufferWithDescriptor(desc, 1, 0)
	require.NoError(t, err)
	defer icb.Release()
	seven, x := r.pipeline("seven", true), r.buffer(64)
	words[uint64](r, r.at)[0] = x.GPUAddress()
	words[uint64](r, r.out)[0], words[uint64](r, r.out)[1] = icb.GPUResourceID().Impl, seven.GPUResourceID().Impl
	execute := func(usage mtl.ResourceUsage) uint32 {
		words[uint32](r, x)[0] = 5
		objc.Pool(func() {
			b, err := r.queue.CommandBuffer()
			require.NoError(t, err)
			e, err := b.ComputeCommandEncoder()
			require.NoError(t, err)
			if usage != 0 {
				require.NoError(t, e.UseResource(x.Resource, usage))
			}
			require.NoError(t, e.ExecuteCommandsInBuffer(icb, mtl.Range{Length: 1}))
			require.NoError(t, e.EndEncoding())
			require.NoError(t, b.Commit())
			require.NoError(t, b.Wait(t.Context()))
		})
		return words[uint32](r, x)[0]
	}
	declare := func(usage mtl.ResourceUsage) encoding {
		return func(_ mtl.CommandBuffer, e mtl.ComputeCommandEncoder) {
			require.NoError(t, e.UseResource(icb.Resource, usage))
		}
	}
	require.ErrorContains(t, r.run("encode", 1, nil), "the command is of no indirect command buffer")
	require.ErrorContains(t, r.run("encode", 1, declare(mtl.ResourceUsageRead)), "declared for reading only")
	assert.EqualValues(t, 5, execute(mtl.ResourceUsageWrite), "nothing is encoded")

	require.NoError(t, r.run("encode", 1, declare(mtl.ResourceUsageWrite)))
	assert.EqualValues(t, 5, execute(0), "a kernel has bound it")
	assert.EqualValues(t, 5, execute(mtl.ResourceUsageRead))
	assert.EqualValues(t, 7, execute(mtl.ResourceUsageWrite))

	objc.Pool(func() {
		c, err := icb.IndirectComputeCommandAtIndex(0)
		require.NoError(t, err)
		require.NoError(t, c.SetKernelBuffer(x, 0, 0))
	})
	assert.EqualValues(t, 7, execute(0), "the program has bound it")
	assert.Empty(t, faults.take())
}

// TestIsolation4: with Metal 4, kernels reach what the argument table holds and what is in a
// residency set.
func TestIsolation4(t *testing.T) {
	d, _, _ := rig(t)
	r := newIsolation(t, d, true)
	queue, err := d.NewCommandQueue4()
	require.NoError(t, err)
	defer queue.Release()
	client.Send(&extension.Isolate4, queue.ID())
	allocator, err := d.NewCommandAllocator4()
	require.NoError(t, err)
	defer allocator.Release()
	b, err := d.NewCommandBuffer4()
	require.NoError(t, err)
	defer b.Release()
	set := newResidencySet(t, d)
	require.NoError(t, queue.AddResidencySet(set))
	desc, err := mtl.NewArgumentTableDescriptor4()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetMaxBufferBindCount(2)
	table, err := d.NewArgumentTable4WithDescriptor(desc)
	require.NoError(t, err)
	defer table.Release()
	x, p := r.buffer(64), r.pipeline("through", false)
	require.NoError(t, table.SetAddress(r.at.GPUAddress(), 0))
	require.NoError(t, table.SetAddress(r.out.GPUAddress(), 1))
	words[uint64](r, r.at)[0] = x.GPUAddress()
	reached := func(resident ...mtl.Buffer) reach {
		words[uint32](r, x)[0], words[uint32](r, r.out)[0] = 5, 0
		for _, y := range resident {
			require.NoError(t, set.AddAllocation(y.Allocation))
		}
		set.Commit()
		require.NoError(t, b.BeginCommandBufferWithAllocator(allocator))
		objc.Pool(func() {
			e, err := b.ComputeCommandEncoder()
			require.NoError(t, err)
			require.NoError(t, e.SetComputePipelineState(p))
			require.NoError(t, e.SetArgumentTable(table))
			one := mtl.Size{Width: 1, Height: 1, Depth: 1}
			require.NoError(t, e.DispatchThreads(one, one))
			require.NoError(t, e.EndEncoding())
		})
		require.NoError(t, b.EndCommandBuffer())
		event := d.NewSharedEvent()
		defer event.Release()
		require.NoError(t, queue.Commit([]mtl.CommandBuffer4{b}))
		require.NoError(t, queue.SignalEvent(event.Event, 1))
		require.NoError(t, event.Wait(t.Context(), 1))
		require.NoError(t, allocator.Reset())
		return reach{words[uint32](r, r.out)[0] == 5, words[uint32](r, x)[0] == 7}
	}
	assert.Equal(t, reach{}, reached(r.at, r.out))
	assert.Equal(t, reach{true, true}, reached(x))
}

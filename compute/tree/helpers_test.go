package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/devicetest"
)

// Short names of what tests of several packages share.
var (
	accelerator = devicetest.Open
	newStream   = devicetest.Stream

	plantsMistakes = devicetest.PlantsMistakes
)

func bufferOf[T any](t testing.TB, a *compute.Accelerator, data ...T) *compute.Buffer[T] {
	t.Helper()
	return devicetest.BufferOf(t, a, data...)
}

func newTexture[T any](t testing.TB, a *compute.Accelerator, shape compute.TextureShape, o compute.TextureOptions,
	data ...T) *compute.Texture[T] {
	t.Helper()
	return devicetest.Texture(t, a, shape, o, data...)
}

func texelsOf[T any](t testing.TB, x *compute.Texture[T]) []T {
	t.Helper()
	return devicetest.Texels(t, x)
}

// each is what tests of all exported functions call them with.
type each struct {
	a           *compute.Accelerator
	root, child *compute.Kernel
	s           *compute.Stream
	buffer      *compute.Buffer[uint32]
	options     Options
	launches    *Tree
	run         *Run
	queue       *WorkQueue[int32]
}

// oneOfEach returns a tree that has been launched, and an empty queue.
func oneOfEach(t *testing.T) *each {
	t.Helper()
	x := &each{a: accelerator(t), options: Options{Depth: 1, Capacity: 1}}
	p, err := x.a.Compile(t.Context(), `#include <puremetal/launch>
kernel void root(device uint *x [[buffer(0)]], device puremetal::launcher &l [[buffer(30)]]) {
    puremetal::launch(l, LAUNCH_child, 1, 1, x);
}
kernel void child(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }`,
		compute.CompileOptions{Macros: Numbers("child")})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	x.root, err = p.Kernel("root")
	require.NoError(t, err)
	x.child, err = p.Kernel("child")
	require.NoError(t, err)
	x.s, x.buffer = newStream(t, x.a), bufferOf[uint32](t, x.a, 7)
	x.launches, err = New(t.Context(), x.a, []*compute.Kernel{x.child}, x.options)
	require.NoError(t, err)
	t.Cleanup(x.launches.Close)
	x.run, err = x.launches.Launch(t.Context(), x.s, x.root, compute.Threads1D(1), x.buffer)
	require.NoError(t, err)
	x.queue, err = NewWorkQueue[int32](x.a, WorkQueueOptions{Capacity: 1})
	require.NoError(t, err)
	t.Cleanup(x.queue.Close)
	return x
}

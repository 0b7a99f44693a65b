package tree

import (
	"testing"
	"testing/fstest"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompileLaunched: a kernel in Go that another kernel launches has the threadgroup of its
// directive too, since checks of its indices rely on it.
func TestCompileLaunched(t *testing.T) {
	ctx := t.Context()
	a := accelerator(t)
	p, err := gokernel.Compile(ctx, a, fstest.MapFS{
		"go.mod": {Data: []byte("module example.com/kernels\n\ngo 1.25\n")},
		"k.go": {Data: []byte(`package kernels

import "github.com/puremetal/puremetal/kernel"

//puremetal:kernel group=8,4
func mark(t *kernel.Thread, x []uint32) {
	x[t.Local.Y*8+t.Local.X] = 1 + t.Local.X
}
`)}}, ".", compute.CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	parent, err := a.Compile(ctx, `
#include <metal_stdlib>
#include <puremetal/cooperative>
using namespace metal;
kernel void parent(device uint *x [[buffer(0)]], constant uint2 &group [[buffer(1)]],
                   device puremetal::launcher &l [[buffer(30)]]) {
  puremetal::launch(l, 0, uint3(group, 1), uint3(group, 1), x, 32u);
}`, compute.CompileOptions{})
	require.NoError(t, err)
	defer parent.Close()
	mark, err := p.Kernel("mark")
	require.NoError(t, err)
	start, err := parent.Kernel("parent")
	require.NoError(t, err)
	tree, err := New(ctx, a, []*compute.Kernel{mark}, Options{Depth: 1, Capacity: 1})
	require.NoError(t, err)
	defer tree.Close()
	s := newStream(t, a)
	run := func(group [2]uint32) ([]uint32, error) {
		x := bufferOf(t, a, make([]uint32, 32)...)
		_, err := tree.Launch(ctx, s, start, compute.Threads1D(1), x, group)
		require.NoError(t, err)
		err = s.Sync(ctx)
		got := make([]uint32, 32)
		require.NoError(t, x.Download(ctx, got))
		return got, err
	}
	got, err := run([2]uint32{8, 4})
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 1}, got[:9])
	got, err = run([2]uint32{32, 1})
	assert.ErrorContains(t, err, "a threadgroup of another shape, with 32 threads, and the kernel requires 8x4x1")
	assert.Equal(t, make([]uint32, 32), got)
}

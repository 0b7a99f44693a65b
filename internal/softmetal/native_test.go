package softmetal_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/mtl"
)

// TestNative: a kernel with a native body runs it, unless an observer's hook needs the kernel's own
// code, which here differs in order to show which of the two ran.
func TestNative(t *testing.T) {
	a, _, _ := rig(t)
	o, err := mtl.NewCompileOptions()
	require.NoError(t, err)
	defer o.Release()
	require.NoError(t, o.SetMath(mtl.MathModeSafe, mtl.MathFloatingPointFunctionsPrecise))
	library, err := a.NewLibrary(`struct P { int words[72]; };
[[puremetal::native("matmul")]] kernel void k(device char *out, device const char *x, device const char *y,
	constant P &p) { out[0] = 7; }
[[puremetal::native("matmul")]] kernel void product(device int *out, device const char *x, device const char *y,
	constant P &p) { out[0] = 7; }`, o)
	require.NoError(t, err)
	defer library.Release()
	q, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	x, err := a.NewBuffer(64, 0)
	require.NoError(t, err)
	defer x.Release()
	out, err := a.NewBuffer(64, 0)
	require.NoError(t, err)
	defer out.Release()
	in, err := x.Bytes()
	require.NoError(t, err)
	in[0], in[1] = 3, 5
	result, err := out.Bytes()
	require.NoError(t, err)
	// 1x2 by 2x1: the strides of x and y are those of two neighbors, alpha is 1.
	words := make([]byte, 4*72)
	for i, v := range map[int]uint32{0: 1, 1: 1, 2: 2, 4: 1, 5: 1, 7: 2, 8: 1, 10: 1, 11: 1, 12: 0x3f800000, 14: 1} {
		binary.NativeEndian.PutUint32(words[4*i:], v)
	}
	run := func(kernel string) uint32 {
		clear(result)
		f, err := library.NewFunction(kernel)
		require.NoError(t, err)
		defer f.Release()
		p, err := a.NewComputePipelineState(f)
		require.NoError(t, err)
		defer p.Release()
		b, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(out, 0, 0))
		require.NoError(t, e.SetBuffer(x, 0, 1))
		require.NoError(t, e.SetBuffer(x, 0, 2))
		require.NoError(t, e.SetBytes(words, 3))
		side := mtl.Size{Width: 16, Height: 16, Depth: 1}
		require.NoError(t, e.DispatchThreads(side, side))
		require.NoError(t, e.EndEncoding())
		require.NoError(t, b.Commit())
		require.NoError(t, b.WaitUntilCompleted())
		require.NoError(t, b.Err())
		return binary.NativeEndian.Uint32(result)
	}
	assert.EqualValues(t, 3*3+5*5, run("product"))
	assert.EqualValues(t, 7, run("k"), "there is no native body for a product of 8-bit integers")
	id := objcsoft.ID(a.ID())
	require.NoError(t, softmetal.Observe(softmetal.Opened(), id, func(*command.Launched) (hook.Hook, func(error)) {
		return &lines{}, nil
	}))
	defer func() { require.NoError(t, softmetal.Observe(softmetal.Opened(), id, nil)) }()
	assert.EqualValues(t, 7, run("product"))
}

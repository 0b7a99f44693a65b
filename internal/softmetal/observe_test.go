package softmetal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/mtl"
)

// lines notes the source lines of stores.
type lines struct {
	hook.None
	stored []uint32
}

func (l *lines) Store(a *hook.Access) { l.stored = append(l.stored, uint32(a.Instr.Loc.Line)) }

// TestObserve: an observer of a device sees launches of programs that know nothing of it, until it
// is taken away.
func TestObserve(t *testing.T) {
	a, _, _ := rig(t)
	id := objcsoft.ID(a.ID())
	library, err := a.NewLibrary("kernel void k(device int *x,\n uint i [[thread_position_in_grid]]) {\n  x[i] = 7;\n}",
		mtl.CompileOptions{})
	require.NoError(t, err)
	defer library.Release()
	f, err := library.NewFunction("k")
	require.NoError(t, err)
	defer f.Release()
	p, err := a.NewComputePipelineState(f)
	require.NoError(t, err)
	defer p.Release()
	x, err := a.NewBuffer(64, 0)
	require.NoError(t, err)
	defer x.Release()
	q, err := a.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	run := func() {
		b, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreads(mtl.Size{Width: 16, Height: 1, Depth: 1},
			mtl.Size{Width: 16, Height: 1, Depth: 1}))
		require.NoError(t, e.EndEncoding())
		require.NoError(t, b.Commit())
		b.WaitUntilCompleted()
		require.NoError(t, b.Err())
	}
	var l lines
	launches := 0
	require.NoError(t, softmetal.Observe(softmetal.Opened(), id, func(*command.Launched) (hook.Hook, func(error)) {
		launches++
		return &l, nil
	}))
	run()
	require.NoError(t, softmetal.Observe(softmetal.Opened(), id, nil))
	run()
	assert.Equal(t, 1, launches)
	assert.Equal(t, []uint32{3}, l.stored)
	assert.Error(t, softmetal.Observe(softmetal.Opened(), 0, nil))
}

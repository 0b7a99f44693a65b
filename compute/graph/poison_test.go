package graph

import (
	"context"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failing makes all command buffers of the device fail, until the function that it returns is
// called.
func failing(t *testing.T, a *compute.Accelerator) (sound func()) {
	t.Helper()
	failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorTimeout)})
	return func() { failOn(t, a, softmetal.Faults{}) }
}

// TestPoisonLoop: what a loop should have written is undefined if it does not run because its
// condition is.
func TestPoisonLoop(t *testing.T) {
	a := accelerator(t)
	failOn(t, a, softmetal.Faults{}) // skips where there are none
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	ctx := context.Background()
	cond, from := bufferOf[uint32](t, a, 0), bufferOf[uint32](t, a, 1)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	for _, byHost := range []bool{false, true} {
		body, g := New(a, "body"), New(a, "if")
		_, err := body.Launch(k, compute.Threads1D(1), x, y, float32(1))
		require.NoError(t, err)
		if byHost {
			_, err = body.Host(func() error { return nil })
			require.NoError(t, err)
		}
		_, err = g.If(cond, body)
		require.NoError(t, err)
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		sound := failing(t, a)
		require.NoError(t, compute.Copy(ctx, s, cond, from))
		require.Error(t, s.Sync(ctx))
		sound()
		require.NoError(t, i.Replay(ctx, s))
		if err := s.Sync(ctx); byHost {
			require.ErrorIs(t, err, compute.ErrTimeout)
		}
		require.ErrorIs(t, y.Download(ctx, make([]float32, 1)), compute.ErrTimeout)
		require.NoError(t, compute.Copy(ctx, s, cond, from))
		require.NoError(t, y.Upload(ctx, []float32{1}))
		require.NoError(t, i.Replay(ctx, s), "the graph itself is sound")
		got := make([]float32, 1)
		require.NoError(t, y.Download(ctx, got))
		assert.EqualValues(t, 2, got[0])
		i.Close()
	}
}

package tree

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// budgetKernels do some hundred thousands of units of work in each thread.
const budgetKernels = `
#include <metal_stdlib>
#include <puremetal/cooperative>
static void work(device uint *x, uint n = 1000) {
    uint v = x[0];
    for (uint j = 0; j < n; j++) v = (v ^ j) * 3 + (v >> 7);
    x[0] = v;
    x[1] += 1;
}
kernel void once(device uint *x [[buffer(0)]]) { work(x); }
kernel void again(device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]],
                  constant uint &steps [[buffer(2)]], device puremetal::launcher &l [[buffer(30)]]) {
    work(x, steps);
    if (n > 1) puremetal::launch(l, LAUNCH_again, 1, 1, x, n - 1, steps);
}
kernel void synced(device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]]) {
    for (uint k = 0; k < n; k++) {
        work(x);
        puremetal::this_grid().sync();
    }
}`

// TestBudgetOfCalls: the budget holds for all that a call starts, and for each call anew.
func TestBudgetOfCalls(t *testing.T) {
	if !accelerator(t).Info().Software {
		t.Skip("only the software device counts work")
	}
	const budget, many, few = 1 << 22, 1024, 3
	ctx := t.Context()
	a := accelerator(t, compute.WithWorkBudget(budget), compute.WithGridPhases())
	p, err := a.Compile(ctx, budgetKernels, compute.CompileOptions{Macros: Numbers("again")})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	kernel := func(name string) *compute.Kernel {
		k, err := p.Kernel(name)
		require.NoError(t, err)
		return k
	}
	once, s, x, condition := kernel("once"), newStream(t, a), bufferOf[uint32](t, a, 1, 0), bufferOf[uint32](t, a, 1)
	replay := func(make func(g, body *graph.Graph) error) error {
		g, body := graph.New(a, "g"), graph.New(a, "body")
		_, err := body.Launch(once, compute.Threads1D(1), x)
		require.NoError(t, err)
		require.NoError(t, make(g, body))
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		defer i.Close()
		require.NoError(t, i.Replay(ctx, s))
		return s.Sync(ctx)
	}
	loop := func(n int) error {
		return replay(func(g, body *graph.Graph) error { _, err := g.While(condition, body, n); return err })
	}
	nested := func(n int) error {
		return replay(func(g, body *graph.Graph) error {
			inner := graph.New(a, "inner")
			_, err := inner.While(condition, body, 2)
			require.NoError(t, err)
			_, err = g.While(condition, inner, n/2)
			return err
		})
	}
	straight := func(n int) error {
		return replay(func(g, body *graph.Graph) error {
			for range n {
				if _, err := g.Child(body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	again := kernel("again")
	deep, err := New(ctx, a, []*compute.Kernel{again}, Options{Depth: 8, Capacity: 4})
	require.NoError(t, err)
	t.Cleanup(deep.Close)
	launches := func(n int) error {
		steps := uint32(10) // what encodes the launches counts too
		if n == many {
			steps = 8000
		}
		_, err := deep.Launch(ctx, s, again, compute.Threads1D(1), x, uint32(7), steps)
		require.NoError(t, err)
		return s.Sync(ctx)
	}
	phases := func(n int) error {
		require.NoError(t, s.LaunchCooperative(ctx, kernel("synced"), compute.Threads1D(1), x, uint32(n)))
		return s.Sync(ctx)
	}
	for name, run := range map[string]func(n int) error{"loop": loop, "nested loops": nested, "nodes": straight,
		"launch tree": launches, "phases": phases} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, x.Upload(ctx, []uint32{1, 0})) // another's failure left it undefined
			require.NoError(t, run(few))
			require.NoError(t, run(few), "a budget of its own")
			require.NoError(t, x.Upload(ctx, []uint32{1, 0}))
			err := run(many)
			require.ErrorIs(t, err, compute.ErrTimeout)
			assert.ErrorContains(t, err, "the budget of 4194304 units of work is used up")
			require.NoError(t, s.Launch(ctx, once, compute.Threads1D(1), x), "the stream goes on")
			require.NoError(t, s.Sync(ctx))
		})
	}
	require.NoError(t, x.Upload(ctx, []uint32{1, 0}))
	for range 100 { // together more than the budget
		require.NoError(t, s.Launch(ctx, once, compute.Threads1D(1), x))
	}
	require.NoError(t, s.Sync(ctx))
}

package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/internal/test/contexttest"
)

// TestEndedContexts: every exported function that takes a context refuses one that has ended.
func TestEndedContexts(t *testing.T) {
	x := oneOfEach(t)
	g, one := graph.New(x.a, "g"), compute.Threads1D(1)
	ctx := contexttest.Ended(t)
	contexttest.Check(t, map[string]func() error{
		"New": func() error { _, err := New(ctx, x.a, []*compute.Kernel{x.child}, x.options); return err },
		"Tree.AddTo": func() error {
			_, err := x.launches.AddTo(ctx, g, x.root, one, x.buffer)
			return err
		},
		"Tree.Launch":     func() error { _, err := x.launches.Launch(ctx, x.s, x.root, one, x.buffer); return err },
		"Run.Wait":        func() error { return x.run.Wait(ctx) },
		"Run.Levels":      func() error { _, err := x.run.Levels(ctx); return err },
		"WorkQueue.Drain": func() error { _, err := x.queue.Drain(ctx, x.s, x.root, one, x.buffer); return err },
	}, compute.ErrCanceled)
	require.NoError(t, x.s.Sync(t.Context()))
}

package compute

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInstanceName: a replay that gives up while an update changes the graph names the instance
// without looking at the graph. Only the race detector sees that one does.
func TestInstanceName(t *testing.T) {
	a := accelerator(t)
	s, g := newStream(t, a), a.NewGraph("first")
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	defer i.Close()
	ctx, cancel := context.WithCancel(t.Context())
	i.using <- struct{}{} // as Update does
	failed := make(chan error)
	go func() { failed <- s.Replay(ctx, i) }()
	cancel()
	i.graph = a.NewGraph("second")
	err = <-failed
	i.end()
	requireCanceled(t, err)
	if ctx.Err() != nil && err != nil {
		assert.NotContains(t, err.Error(), "second")
	}
}

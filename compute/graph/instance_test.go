package graph

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
	s, g := newStream(t, a), New(a, "first")
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	defer i.Close()
	ctx, cancel := context.WithCancel(t.Context())
	i.using <- struct{}{} // as Update does
	failed := make(chan error)
	go func() { failed <- i.Replay(ctx, s) }()
	cancel()
	i.graph = New(a, "second")
	err = <-failed
	i.end()
	requireCanceled(t, err)
	if ctx.Err() != nil && err != nil {
		assert.NotContains(t, err.Error(), "second")
	}
}

package main

import (
	"context"
	"log/slog"
	"testing"

	"github.com/puremetal/puremetal/compute"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSaxpy(t *testing.T) {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	defer func() { assert.NoError(t, acc.Close(context.Background())) }()
	x, y, want := make([]float32, 100_003), make([]float32, 100_003), make([]float32, 100_003)
	for i := range x {
		x[i], y[i] = float32(i%1000), float32(i%77)
		want[i] = 3*x[i] + y[i] // whole numbers: exact in every order of operations
	}
	assert.Equal(t, want, saxpy(t.Context(), acc, 3, x, y))
}

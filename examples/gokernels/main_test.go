package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/examples/gokernels/kernels"
	"github.com/puremetal/puremetal/kernel"
)

// TestPlay compares generations on the device with those of the same function on the CPU.
func TestPlay(t *testing.T) {
	acc := computetest.Open(t)
	cells, next := make([]uint8, width*height), make([]uint8, width*height)
	for i := range cells {
		cells[i] = uint8(i * i * 7 >> 3 & 1)
	}
	got, err := play(t.Context(), acc, cells, 9)
	require.NoError(t, err)
	for range 9 {
		require.NoError(t, kernel.Run(kernel.Index{X: width, Y: height}, kernel.Index{X: 16, Y: 16},
			func(t *kernel.Thread) { kernels.Life(t, cells, next) }))
		cells, next = next, cells
	}
	assert.Equal(t, cells, got)
	assert.Contains(t, got, uint8(1))
}

// TestRun: the command prints the board.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out, 3))
	assert.Equal(t, height, strings.Count(out.String(), "\n"))
	assert.Contains(t, out.String(), "#")
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCurrent: the files in the repository are what the command writes.
func TestCurrent(t *testing.T) {
	out, err := generated()
	require.NoError(t, err)
	for name, want := range out {
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err)
		assert.True(t, string(got) == want, "%s is not current: run go generate ./internal/msl/dialect", name)
	}
}

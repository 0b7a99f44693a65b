package document

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/machine"
)

// TestMap: a file is mapped as whole pages, within the kind's limit, and writes do not reach it.
func TestMap(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(name, []byte("contents"), 0o666))
	b, err := small.Map(name)
	require.NoError(t, err)
	assert.Equal(t, "contents", string(b))
	assert.Zero(t, cap(b)%os.Getpagesize())
	b[0] = 'C'
	require.NoError(t, machine.UnmapFile(b))
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "contents", string(after))

	require.NoError(t, os.WriteFile(name, nil, 0o666))
	b, err = small.Map(name)
	require.NoError(t, err)
	assert.Nil(t, b)
	require.NoError(t, machine.UnmapFile(b))
	require.NoError(t, os.Truncate(name, 41))
	_, err = small.Map(name)
	require.ErrorIs(t, err, ErrLimit)
	_, err = small.Map(t.TempDir())
	require.Error(t, err, "a directory")
	_, err = small.Map(name + "missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}

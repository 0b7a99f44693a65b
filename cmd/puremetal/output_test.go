package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStoreFile: half a file is not left behind, and what is no file, such as a link to a device,
// is not taken away.
func TestStoreFile(t *testing.T) {
	dir, full := t.TempDir(), errors.New("no space left")
	half := func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, full)
	}
	name := filepath.Join(dir, "a.json")
	require.ErrorIs(t, storeFile(name, half), full)
	assert.NoFileExists(t, name)
	require.NoError(t, storeFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "all"); return err }))
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "all", string(b))

	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(name, link); err != nil {
		t.Skip("links cannot be made here: ", err)
	}
	require.ErrorIs(t, storeFile(link, half), full)
	_, err = os.Lstat(link)
	assert.NoError(t, err)
}

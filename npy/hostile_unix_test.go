//go:build unix

package npy

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHostileArchive: the directory of a zip file is not read beyond what MaxEntries entries take,
// though it says how many it has only at its end.
func TestHostileArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 20 {
		_, err := z.Create(strings.Repeat("x", 60_000) + suffix)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	_, err := ReadArchive(bytes.NewReader(b.Bytes()), int64(b.Len()), ArchiveOptions{MaxEntries: 20})
	require.ErrorIs(t, err, ErrLimit)
	require.ErrorContains(t, err, "512 bytes for each entry")
}

// TestPipe: a pipe that nobody writes to is refused at once.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	_, err := ReadFile(name)
	require.ErrorContains(t, err, "not a regular file")
	_, err = ReadArchiveFile(name, ArchiveOptions{})
	require.ErrorContains(t, err, "not a regular file")
}

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/machine"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestForged: an entry is accepted only under its own key, and only with a tag made with the
// folder's secret.
func TestForged(t *testing.T) {
	r := newRig(t, t.TempDir(), 1000)
	r.add(1, 100)
	path, ok := pathOf(r.Store, keyOf(1))
	require.True(t, ok)

	// As entries were named before there was a secret: with the hash of the content.
	forged, sum := content(1, 100), sha256.Sum256(content(1, 100))
	require.NoError(t, os.WriteFile(filepath.Join(r.folder(keyOf(1)), nameOf(keyOf(1), tag(sum))), forged, 0o600))
	require.NoError(t, os.Remove(path))
	assert.False(t, r.has(1, 100), "a tag that anyone can make")

	// Under another key.
	r.add(1, 100)
	require.NoError(t, os.MkdirAll(r.folder(keyOf(2)), 0o700))
	moved := strings.Replace(filepath.Base(path), hex.EncodeToString(keySlice(1)), hex.EncodeToString(keySlice(2)), 1)
	require.NoError(t, os.Rename(path, filepath.Join(r.folder(keyOf(2)), moved)))
	assert.False(t, r.has(2, 100), "the entry of another key")

	// From a folder with another secret.
	other := newRig(t, t.TempDir(), 1000)
	other.add(3, 100)
	path, ok = pathOf(other.Store, keyOf(3))
	require.True(t, ok)
	require.NoError(t, os.MkdirAll(r.folder(keyOf(3)), 0o700))
	require.NoError(t, os.Rename(path, filepath.Join(r.folder(keyOf(3)), filepath.Base(path))))
	assert.False(t, r.has(3, 100), "an entry made with another secret")

	assert.EqualValues(t, 3, r.Stats().Healed)
	assert.Empty(t, r.entries(), "forged entries are deleted")
}

func keySlice(n int) []byte { k := keyOf(n); return k[:] }

// TestSecretOnce: stores that begin at once agree on one secret, and none of it is left over.
func TestSecretOnce(t *testing.T) {
	dir := t.TempDir()
	const stores = 16
	var all sync.WaitGroup
	begin := make(chan struct{})
	secrets := make([]secret, stores)
	for i := range stores {
		all.Go(func() {
			<-begin
			k, err := New(dir, 1000, (&clock{}).now, slog.New(slog.DiscardHandler)).makeSecret()
			assert.NoError(t, err)
			secrets[i] = k
		})
	}
	close(begin)
	all.Wait()
	for _, k := range secrets {
		assert.Equal(t, secrets[0], k)
	}
	assert.NotZero(t, secrets[0])
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	info, err := left[0].Info()
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.EqualValues(t, 0o600, info.Mode())
	}
}

// TestSecretDamaged: a secret that a dying process left short is made again.
func TestSecretDamaged(t *testing.T) {
	r := newRig(t, t.TempDir(), 1000)
	r.add(1, 100)
	require.NoError(t, os.Truncate(filepath.Join(r.dir, secretFile), 7))
	assert.False(t, r.has(1, 100))
	r.add(1, 100)
	assert.True(t, r.has(1, 100))
}

// TestShared: a folder, a secret or an entry that others may write is not used, which is logged
// once, and is used again when it is the user's alone.
func TestShared(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing there: see package private")
	}
	for name, share := range map[string]func(r rig) (string, os.FileMode){
		"folder":            func(r rig) (string, os.FileMode) { return r.dir, 0o777 },
		"secret readable":   func(r rig) (string, os.FileMode) { return filepath.Join(r.dir, secretFile), 0o644 },
		"secret writable":   func(r rig) (string, os.FileMode) { return filepath.Join(r.dir, secretFile), 0o620 },
		"folder of entries": func(r rig) (string, os.FileMode) { return r.folder(keyOf(1)), 0o777 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, filepath.Join(t.TempDir(), "cache"), 1000)
			r.add(1, 100)
			path, mode := share(r)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(path, mode))
			for range 3 {
				assert.False(t, r.has(1, 100))
			}
			if name != "folder of entries" {
				require.ErrorIs(t, r.Add(keyOf(2), writes(content(2, 100))), machine.ErrShared)
			}
			assert.Equal(t, 1, strings.Count(r.text.String(), "\n"), r.text)
			assert.Contains(t, r.text.String(), path)
			assert.EqualValues(t, 1, r.Stats().Failures)
			require.NoError(t, os.Chmod(path, info.Mode().Perm()))
			assert.True(t, r.has(1, 100))
		})
	}
	r := newRig(t, t.TempDir(), 1000)
	r.add(1, 100)
	path, ok := pathOf(r.Store, keyOf(1))
	require.True(t, ok)
	require.NoError(t, os.Chmod(path, 0o666))
	assert.False(t, r.has(1, 100), "an entry that others may write")
	require.NoFileExists(t, path)
}

// TestSymbolicLinks are not followed: not to the folder, not to the secret, not to an entry.
func TestSymbolicLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links takes a privilege there")
	}
	linked := func(path string) {
		require.NoError(t, os.Rename(path, path+".real"))
		require.NoError(t, os.Symlink(path+".real", path))
	}
	for name, of := range map[string]func(r rig) string{
		"folder":            func(r rig) string { return r.dir },
		"secret":            func(r rig) string { return filepath.Join(r.dir, secretFile) },
		"folder of entries": func(r rig) string { return r.folder(keyOf(1)) },
		"entry": func(r rig) string {
			path, ok := pathOf(r.Store, keyOf(1))
			require.True(t, ok)
			return path
		},
	} {
		r := newRig(t, filepath.Join(t.TempDir(), "cache"), 1000)
		r.add(1, 100)
		require.True(t, r.has(1, 100))
		linked(of(r))
		assert.False(t, r.has(1, 100), name)
	}
}

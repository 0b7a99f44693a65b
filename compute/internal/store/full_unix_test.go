//go:build unix

package store

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// envFull has the folder of a process that may write 500 bytes to a file and no more, which is what
// a full disk looks like to it.
const envFull = "PUREMETAL_TEST_STORE_FULL"

func TestFullProcess(t *testing.T) {
	dir := os.Getenv(envFull)
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 500, Max: 500}))
	s := New(dir, 10_000, (&clock{}).now, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, s.Add(keyOf(1), writes(content(1, 600))), syscall.EFBIG)
	require.NoError(t, s.Add(keyOf(2), writes(content(2, 400))))
	assert.Equal(t, Stats{Written: 1, Failures: 1}, s.Stats())
}

// TestFull: where the disk has no room for an entry, nothing of it is left, and what has room
// works.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullProcess$")
	c.Env = append(os.Environ(), envFull+"="+dir)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	r := newRig(t, dir, 10_000)
	assert.False(t, r.has(1, 600))
	assert.True(t, r.has(2, 400))
	left, err := os.ReadDir(dir + "/" + tempDir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestForbidden: a folder that others own is as good as none.
func TestForbidden(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write to every folder")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	r := newRig(t, dir, 1000)
	assert.False(t, r.has(1, 100))
	require.ErrorIs(t, r.Add(keyOf(1), writes(content(1, 100))), os.ErrPermission)
	require.NoError(t, os.Chmod(dir, 0o000))
	assert.False(t, r.has(1, 100))
	assert.Contains(t, r.text.String(), "reading the folder")
	require.NoError(t, os.Chmod(dir, 0o700))
	r.add(1, 100)
	assert.True(t, r.has(1, 100))
}

// TestSecretNoFile: whatever is in the place of the secret, it does not block the store, and a
// secret replaces it.
func TestSecretNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a sparse file": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
		"a short file": func(path string) error { return os.WriteFile(path, []byte("short"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, t.TempDir(), 1000)
			r.add(1, 100)
			secret := filepath.Join(r.dir, secretFile)
			require.NoError(t, os.Remove(secret))
			require.NoError(t, put(secret))
			assert.False(t, r.has(1, 100))
			r.add(2, 100)
			assert.True(t, r.has(2, 100))
		})
	}
}

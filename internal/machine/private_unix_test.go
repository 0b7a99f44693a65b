//go:build unix

package machine

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder makes a folder with a mode, whatever the process's mask is.
func folder(t *testing.T, mode fs.FileMode, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.Chmod(dir, mode))
	return dir
}

// TestPrivateFolder checks folders that belong to the user alone, and each way in which they may
// not.
func TestPrivateFolder(t *testing.T) {
	top := t.TempDir()
	folder(t, 0o755, top)
	for name, dir := range map[string]string{
		"private":         folder(t, 0o700, top, "private"),
		"readable":        folder(t, 0o755, top, "readable"),
		"missing":         filepath.Join(top, "missing", "folder"),
		"in a sticky one": folder(t, 0o700, folder(t, 0o777|fs.ModeSticky, top, "sticky"), "x"),
	} {
		require.NoError(t, PrivateFolder(dir), name)
	}
	open := folder(t, 0o777, top, "open")
	folder(t, 0o700, open, "x")
	group := folder(t, 0o770, top, "group")
	sticky := folder(t, 0o777|fs.ModeSticky, top, "own", "sticky")
	for name, dir := range map[string]string{
		"others write":         open,
		"the group writes":     group,
		"sticky itself":        sticky,
		"others replace it":    filepath.Join(open, "x"),
		"others make it first": filepath.Join(open, "missing"),
	} {
		require.ErrorIs(t, PrivateFolder(dir), ErrShared, name)
	}
	require.Error(t, PrivateFolder("relative"))
	file := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorIs(t, PrivateFolder(filepath.Join(file, "x")), syscall.ENOTDIR)
}

// TestPrivateFolderLinks follows symbolic links on the path to a folder, and rejects one that is
// the folder or leads through a folder that others may write to.
func TestPrivateFolderLinks(t *testing.T) {
	top := t.TempDir()
	folder(t, 0o755, top)
	folder(t, 0o700, top, "real", "cache")
	folder(t, 0o777, top, "open")
	folder(t, 0o700, top, "open", "cache")
	link := func(target, name string) string {
		path := filepath.Join(top, name)
		require.NoError(t, os.Symlink(target, path))
		return path
	}
	require.NoError(t, PrivateFolder(filepath.Join(link("real", "relative"), "cache")))
	require.NoError(t, PrivateFolder(filepath.Join(link(filepath.Join(top, "real"), "absolute"), "cache")))
	require.NoError(t, PrivateFolder(filepath.Join(link("real/../real", "up"), "missing")))
	require.ErrorIs(t, PrivateFolder(link("real/cache", "itself")), ErrShared)
	require.ErrorIs(t, PrivateFolder(filepath.Join(top, "relative", "..", "itself")), ErrShared)
	require.NoError(t, os.Symlink("cache", filepath.Join(top, "real", "itself")))
	require.ErrorIs(t, PrivateFolder(filepath.Join(top, "relative", "itself")), ErrShared)
	require.ErrorIs(t, PrivateFolder(filepath.Join(link("open", "shared"), "cache")), ErrShared)
	require.ErrorIs(t, PrivateFolder(filepath.Join(link("loop", "loop"), "cache")), syscall.ELOOP)
}

// TestHome: what is above the user's home does not matter, as with ssh.
func TestHome(t *testing.T) {
	open := folder(t, 0o777, t.TempDir(), "open")
	home := folder(t, 0o755, open, "home")
	cache := folder(t, 0o700, home, "cache")
	require.ErrorIs(t, PrivateFolder(cache), ErrShared)
	t.Setenv("HOME", home)
	require.NoError(t, PrivateFolder(cache))
	folder(t, 0o775, home)
	require.ErrorIs(t, PrivateFolder(cache), ErrShared)
}

func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser can make a folder of another user")
	}
	top := t.TempDir()
	folder(t, 0o755, top)
	theirs := folder(t, 0o700, top, "theirs")
	folder(t, 0o700, theirs, "ours")
	require.NoError(t, os.Chown(theirs, 12345, 12345))
	require.ErrorContains(t, PrivateFolder(theirs), "belongs to user 12345, want 0")
	require.ErrorIs(t, PrivateFolder(filepath.Join(theirs, "ours")), ErrShared)
	require.NoError(t, os.Symlink(folder(t, 0o700, top, "real"), filepath.Join(top, "link")))
	require.NoError(t, os.Lchown(filepath.Join(top, "link"), 12345, 12345))
	require.ErrorContains(t, PrivateFolder(filepath.Join(top, "link", "x")), "symbolic link of user 12345")
}

func TestPrivateFiles(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for mode, want := range map[fs.FileMode][2]bool{0o600: {true, true}, 0o644: {true, false}, 0o660: {}, 0o602: {}} {
		require.NoError(t, os.Chmod(path, mode))
		info, err := os.Lstat(path)
		require.NoError(t, err)
		assert.Equal(t, want, [2]bool{PrivateFile(path, info) == nil, PrivateSecret(path, info) == nil}, mode)
	}
	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(path, link))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.ErrorIs(t, PrivateFile(link, info), ErrShared)
}

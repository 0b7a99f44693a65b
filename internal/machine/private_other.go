//go:build !unix

package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// PrivateFolder reports why others could change what is in a folder: it is not below the user's
// profile or cache folder, or it is a symbolic link.
func PrivateFolder(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is no absolute path", path)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link: %w", path, ErrShared)
	}
	for _, of := range []func() (string, error){os.UserHomeDir, os.UserCacheDir} {
		dir, err := of()
		if err != nil {
			continue
		}
		if below, err := filepath.Rel(dir, path); err == nil && below != "." && filepath.IsLocal(below) {
			return nil
		}
	}
	return fmt.Errorf("%s is not below the user's profile: %w", path, ErrShared)
}

// PrivateFile rejects a symbolic link. info is the result of os.Lstat on the file.
func PrivateFile(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link: %w", path, ErrShared)
	}
	return nil
}

// PrivateSecret is the same as PrivateFile here.
func PrivateSecret(path string, info fs.FileInfo) error { return PrivateFile(path, info) }

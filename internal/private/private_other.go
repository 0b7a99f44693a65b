//go:build !unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder reports why others could change what is in a folder: it is not below the user's profile or
// cache folder, or it is a symbolic link.
func Folder(path string) error {
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

// File rejects a symbolic link. info is the result of os.Lstat on the file.
func File(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link: %w", path, ErrShared)
	}
	return nil
}

// Secret is the same as File here.
func Secret(path string, info fs.FileInfo) error { return File(path, info) }

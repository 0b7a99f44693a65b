// Package private checks whether files are the user's alone: owned by the user, and writable by
// nobody else. A file that is executed, such as compiled code, must be.
//
// On Unix it checks owners and mode bits, like ssh's StrictModes. It does not check access control
// lists, which only the owner can have added. On Windows it reads no access control list either: a
// folder passes when it is below the user's profile, which Windows creates for the user alone.
package private

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrShared is the reason why a file or folder is rejected: someone else may have written it.
// Errors of Folder and File that do not wrap it come from the file system.
var ErrShared = errors.New("not the user's alone")

// DefaultCache returns the folder in which kernels are cached if the program names none.
func DefaultCache() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(user, "puremetal"), nil
}

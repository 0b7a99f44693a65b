// Package private tells whether files are the user's alone: owned by the user, and writable by
// nobody else. A file that is run, such as compiled code, must be.
//
// On Unix it looks at owners and mode bits, as ssh's StrictModes does. It does not look at access
// control lists, which only the owner can have added. On Windows it reads no access control list
// either: a folder passes when it is below the user's profile, which Windows creates for the user
// alone.
package private

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrShared is the reason why a file or folder is refused: someone else may have written it. Errors
// of Folder and File that do not wrap it are the file system's.
var ErrShared = errors.New("not the user's alone")

// DefaultCache returns the folder in which kernels are cached when the program names none.
func DefaultCache() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(user, "puremetal"), nil
}

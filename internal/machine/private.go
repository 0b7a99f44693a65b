package machine

import (
	"errors"
	"os"
	"path/filepath"
)

// Private files are the user's alone: owned by the user, and writable by nobody else. A file that
// is executed, such as compiled code, must be.
//
// On Unix, owners and mode bits are checked, like ssh's StrictModes. Access control lists are not,
// which only the owner can have added. On Windows no access control list is read either: a folder
// passes when it is below the user's profile, which Windows creates for the user alone.

// ErrShared is the reason why a file or folder is rejected: someone else may have written it.
// Errors of PrivateFolder and PrivateFile that do not wrap it come from the file system.
var ErrShared = errors.New("not the user's alone")

// CacheFolder returns the folder in which kernels are cached if the program names none.
func CacheFolder() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(user, "puremetal"), nil
}

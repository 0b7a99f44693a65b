//go:build unix

package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxLinks bounds the symbolic links on the way to a folder, as the system does.
const maxLinks = 40

// othersWrite are the mode bits that let others write.
const othersWrite = 0o022

// PrivateFolder reports why others could change a folder's contents: it is a symbolic link, the
// user does not own it, others may write to it, or they may replace a folder on the path to it.
// Folders on the path may also be owned by root, and others may write to them if they are sticky,
// like /tmp. The path starts at the user's home if the folder is below it, else at the root. A
// folder that does not exist is judged by the path to it.
func PrivateFolder(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is no absolute path", path)
	}
	at, rest := "/", filepath.Clean(path)
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		if below, err := filepath.Rel(home, rest); err == nil && below != "." && filepath.IsLocal(below) {
			at, rest = filepath.Clean(home), below
		}
	}
	return walk(at, split(rest))
}

// split returns the elements of a path. It leaves ".." alone: its target depends on links.
func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." })
}

// walk checks the folder at a path that is resolved, and those that steps lead to from there.
func walk(at string, steps []string) error {
	info, err := os.Stat(at)
	if err != nil {
		return err
	}
	if err := onTheWay(at, info); err != nil {
		return err
	}
	if len(steps) == 0 {
		return owned(at, info)
	}
	for links := 0; len(steps) > 0; {
		step, last := steps[0], len(steps) == 1
		steps = steps[1:]
		path := filepath.Join(at, step)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			if last {
				return fmt.Errorf("%s is a symbolic link: %w", path, ErrShared)
			}
			if links++; links > maxLinks {
				return &fs.PathError{Op: "walk", Path: path, Err: syscall.ELOOP}
			}
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			if uid := owner(info); uid != os.Getuid() && uid != 0 {
				return fmt.Errorf("%s is a symbolic link of user %d, want %d or 0: %w", path, uid, os.Getuid(), ErrShared)
			}
			if filepath.IsAbs(target) {
				at = "/"
			}
			steps = append(split(target), steps...)
			continue
		case !info.IsDir():
			return &fs.PathError{Op: "walk", Path: path, Err: syscall.ENOTDIR}
		case last:
			return owned(path, info)
		}
		if err := onTheWay(path, info); err != nil {
			return err
		}
		at = path
	}
	return nil
}

// onTheWay checks a folder that leads to another: who may write it may replace that.
func onTheWay(path string, info fs.FileInfo) error {
	if uid := owner(info); uid != os.Getuid() && uid != 0 {
		return fmt.Errorf("%s belongs to user %d, want %d or 0: %w", path, uid, os.Getuid(), ErrShared)
	}
	if info.Mode()&othersWrite != 0 && info.Mode()&fs.ModeSticky == 0 {
		return writable(path, info)
	}
	return nil
}

func owned(path string, info fs.FileInfo) error {
	if uid := owner(info); uid != os.Getuid() {
		return fmt.Errorf("%s belongs to user %d, want %d: %w", path, uid, os.Getuid(), ErrShared)
	}
	if info.Mode()&othersWrite != 0 {
		return writable(path, info)
	}
	return nil
}

func writable(path string, info fs.FileInfo) error {
	return fmt.Errorf("%s has the mode %#o, which lets others write it: %w", path, info.Mode().Perm(), ErrShared)
}

func owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// PrivateFile reports why others could have written a file, or made a folder, below a folder that
// passes. info is the result of os.Lstat: a symbolic link is rejected.
func PrivateFile(path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link: %w", path, ErrShared)
	}
	return owned(path, info)
}

// PrivateSecret is PrivateFile for a file that others must not even read.
func PrivateSecret(path string, info fs.FileInfo) error {
	if err := PrivateFile(path, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s has the mode %#o, want 0600: %w", path, info.Mode().Perm(), ErrShared)
	}
	return nil
}

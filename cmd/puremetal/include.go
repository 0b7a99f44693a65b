package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// includeDirs finds the files of #include as check does: beside the including file, which absolute
// names are for, and then in each of the folders of -I. The current folder is not among them by
// itself.
type includeDirs []string

// Open opens a file. Unlike other file systems it takes names that are absolute or have .. in them,
// which source is full of.
func (f includeDirs) Open(name string) (fs.File, error) {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return os.Open(name)
	}
	var err error = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	for _, dir := range f {
		file, e := os.Open(filepath.Join(dir, name))
		if e == nil {
			return file, nil
		}
		if !errors.Is(e, fs.ErrNotExist) { // it may be in the next folder
			err = e
		}
	}
	return nil, err
}

var includes = regexp.MustCompile(`(?m)^\s*#\s*include\s*"`)

// programName returns the name by which the device knows a source: the user's, but an absolute one
// where files beside the source may have to be found.
func programName(source, text string) (string, error) {
	if !includes.MatchString(text) {
		return filepath.ToSlash(source), nil
	}
	full, err := filepath.Abs(source)
	return filepath.ToSlash(full), err
}

package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/machine"
)

// includeDirs finds #include files as check does: next to the including file, through absolute
// names, then in each directory of -I. The current directory is not searched by default.
type includeDirs struct {
	dirs  []string
	files *machine.WatchedFiles // gets those that are opened
}

// Open opens a file. Unlike other file systems it accepts absolute names and names with .., which
// are common in source.
func (f includeDirs) Open(name string) (fs.File, error) {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return f.open(name)
	}
	var err error = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	for _, dir := range f.dirs {
		file, e := f.open(filepath.Join(dir, name))
		if e == nil {
			return file, nil
		}
		if !errors.Is(e, fs.ErrNotExist) { // it may be in the next directory
			err = e
		}
	}
	return nil, err
}

func (f includeDirs) open(name string) (fs.File, error) {
	f.files.Add(name)
	return document.Header.Open(name)
}

var includes = regexp.MustCompile(`(?m)^\s*#\s*include\s*"`)

// programName returns the name of the source for the device: the user's name, made absolute if
// #include may need to find files next to the source.
func programName(source, text string) (string, error) {
	if !includes.MatchString(text) {
		return filepath.ToSlash(source), nil
	}
	full, err := filepath.Abs(source)
	return filepath.ToSlash(full), err
}

package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folders finds the files of #include: as they are named, relative to the current folder, and then in each of the folders of -I.
type folders []string

// Open opens a file. Unlike other file systems it takes names with .. in them, which source is full of.
func (f folders) Open(name string) (fs.File, error) {
	name = filepath.FromSlash(name)
	file, err := os.Open(name)
	for i := 0; i < len(f) && err != nil && !filepath.IsAbs(name); i++ {
		var next error
		if file, next = os.Open(filepath.Join(f[i], name)); next == nil {
			return file, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

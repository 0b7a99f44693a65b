package gokernel

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// HasKernels reports whether a folder of this machine has a Go file with a kernel.
func HasKernels(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := readFile(os.DirFS(dir), e.Name())
		if err == nil && slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return isDirective(strings.TrimSpace(line))
		}) {
			return true
		}
	}
	return false
}

// Folders returns the folders that a pattern of the go command means: a folder, or for dir/...
// those at dir and below it for which wanted, such as HasKernels, returns true, without those that
// the go command leaves out: vendor, testdata, names that begin with a dot or an underscore, and
// other modules. There is an error if none is wanted.
func Folders(pattern string, wanted func(dir string) bool) (dirs []string, err error) {
	root, all := strings.CutSuffix(filepath.ToSlash(pattern), "...")
	if !all || root != "" && !strings.HasSuffix(root, "/") {
		return []string{pattern}, nil
	}
	root = filepath.Clean(root)
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name != root {
			base := d.Name()
			if base == "vendor" || base == "testdata" || base[0] == '.' || base[0] == '_' {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		if wanted(name) {
			dirs = append(dirs, name)
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("no package of %s has kernels: no function has a line %s above it", pattern, directive)
	}
	return dirs, err
}
